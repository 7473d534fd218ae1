//! Exact canonical JSON, as the remote protocol hashes it: keys by UTF-16 units, numbers as ECMAScript prints the double
//! they mean (ECMA-262, `Number::toString`), half surrogate pairs as their escapes.
//!
//! It refuses numbers past the doubles and negative zero, more than `MAX_DEPTH` levels, and to change a value once it is
//! made. The interop crate calls it; the feature `exact` keeps it and the printing of numbers out of the page's module.

use crate::document::{Document, Value};
use crate::parse::{self, Bounds, ParseError};
use crate::{float, text};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

/// Nested arrays and objects, inclusive: 1,024 of a payload, and what envelopes and results wrap around it.
pub const MAX_DEPTH: usize = 1100;
/// Stands for a number that has no canonical text: no double prints like this.
const NO_NUMBER: &str = "1e999";
/// Integers of fewer digits are doubles and print as they are.
const SAFE_DIGITS: usize = 15;

/// Why a text has no exact canonical form.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactError {
    /// It is no JSON within the bounds.
    Parse(ParseError),
    /// It has a number that is no finite double, or is negative zero.
    Number,
}

impl ExactError {
    /// One sentence for a developer.
    pub fn message(&self) -> String {
        match self {
            ExactError::Parse(error) => error.message(),
            ExactError::Number => String::from("expected numbers to be finite doubles and not `-0`"),
        }
    }
}

/// A value of a document whose text is canonical. Immutable; a clone shares the document.
#[derive(Clone)]
pub struct Exact {
    document: Arc<Document>,
    index: u32,
}

impl core::fmt::Debug for Exact {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(self.text())
    }
}

/// Same value, same text.
impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Exact {}

impl Exact {
    /// Parses strictly: size in UTF-8 bytes first, then depth, then content. Of duplicate keys the last one counts.
    pub fn parse(text: impl Into<Box<str>>, max_bytes: usize) -> Result<Self, ExactError> {
        let mut document = parse(text.into(), max_bytes)?;
        let mut has_no_number = false;
        if let Some(spelt) = spell_numbers(&document, &mut has_no_number) {
            document = parse(spelt.into(), usize::MAX)?;
        }
        if !document.is_canonical() {
            document = parse(document.root().canonical().into(), usize::MAX)?;
        }
        // Only now: a duplicate key may have covered it.
        if has_no_number && tokens(&document).any(|(_, token)| token == NO_NUMBER) {
            return Err(ExactError::Number);
        }
        let document = Arc::new(document);
        Ok(Exact { document, index: 0 })
    }

    /// The value, to read.
    pub fn value(&self) -> Value<'_> {
        self.document.value_at(self.index)
    }

    /// Its canonical text.
    pub fn text(&self) -> &str {
        self.value().raw()
    }

    /// The value of a property; it shares the document.
    pub fn member(&self, key: &str) -> Option<Exact> {
        Some(Exact {
            document: Arc::clone(&self.document),
            index: self.value().get(key)?.index(),
        })
    }
}

/// The members of an object whose text is canonical: the key as its text has it, without quotes, and the value's text.
pub fn raw_members(value: Value<'_>) -> impl Iterator<Item = (&str, &str)> {
    value
        .raw_entries()
        .map(|(key, value)| (key.inside().unwrap_or_default().0, value.raw()))
}

fn parse(text: Box<str>, max_bytes: usize) -> Result<Document, ExactError> {
    let bounds = Bounds {
        max_bytes,
        max_depth: MAX_DEPTH,
        lone_surrogates: true,
    };
    Document::parse(text, bounds).map_err(ExactError::Parse)
}

/// Where number tokens start, and they.
fn tokens(document: &Document) -> impl Iterator<Item = (usize, &str)> {
    document
        .nodes()
        .iter()
        .filter(|node| node.tag & parse::KIND_BITS == parse::NUMBER)
        .map(|node| {
            let (start, end) = (node.start as usize, node.end as usize);
            (start, document.text().get(start..end).unwrap_or_default())
        })
}

/// The text with every number as ECMAScript prints it, if that is another text.
fn spell_numbers(document: &Document, has_no_number: &mut bool) -> Option<String> {
    let (whole, mut out, mut copied) = (document.text(), None, 0);
    let mut printer = ryu_js::Buffer::new();
    for (start, token) in tokens(document) {
        if is_spelt(token) {
            continue;
        }
        let double = float::parse_f64(token);
        let is_number = double.is_finite() && !(double == 0.0 && double.is_sign_negative());
        *has_no_number |= !is_number;
        let spelt = if is_number {
            printer.format_finite(double)
        } else {
            NO_NUMBER
        };
        if spelt != token {
            let out = out.get_or_insert_with(|| String::with_capacity(whole.len()));
            out.push_str(whole.get(copied..start).unwrap_or_default());
            out.push_str(spelt);
            copied = start + token.len();
        }
    }
    let mut out = out?;
    out.push_str(whole.get(copied..).unwrap_or_default());
    Some(out)
}

/// Whether a token is an integer that prints as it is; for others somebody has to look.
fn is_spelt(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token).as_bytes();
    let is_negative_zero = digits.len() < token.len() && digits.first() == Some(&b'0');
    digits.len() <= SAFE_DIGITS && !is_negative_zero && digits.iter().all(u8::is_ascii_digit)
}

/// An object with `put` and the members of `from` but those named in `drop`. The text of `from` is canonical, and so is
/// the result: `put` comes in UTF-16 order with canonical texts, and wins over a member of the same key.
pub fn object(from: Option<Value<'_>>, drop: &[&str], put: &[(&str, &str)]) -> String {
    let kept = from.map_or(0, |value| value.raw().len());
    let own: usize = put.iter().map(|(key, text)| key.len() + text.len() + 4).sum();
    let mut out = String::with_capacity(kept + own + 2);
    let mut put = put.iter().copied().peekable();
    let mut write = |key: &str, text: &str| {
        out.push(if out.is_empty() { '{' } else { ',' });
        out.push('"');
        out.push_str(key);
        out.push_str("\":");
        out.push_str(text);
    };
    for (key, text) in from.into_iter().flat_map(raw_members) {
        let is_escaped = key.contains('\\');
        while let Some((own, own_text)) =
            put.next_if(|(own, _)| text::compare(own, false, key, is_escaped) == core::cmp::Ordering::Less)
        {
            write(own, own_text);
        }
        let is_replaced = put.peek().is_some_and(|(own, _)| *own == key);
        if !is_replaced && !drop.contains(&key) {
            write(key, text);
        }
    }
    for (own, own_text) in put {
        write(own, own_text);
    }
    out.push_str(if out.is_empty() { "{}" } else { "}" });
    out
}

#[cfg(test)]
mod tests {
    use super::{Exact, ExactError, MAX_DEPTH, Value, object};
    use proptest::prelude::*;

    fn exact(text: &str) -> Result<String, ExactError> {
        Exact::parse(text, 1 << 20).map(|value| value.text().to_owned())
    }

    #[test]
    fn numbers_are_spelt_as_ecmascript_prints_their_double() {
        for (text, expected) in [
            ("1.0", "1"),
            ("10e-1", "1"),
            ("12345678901234567890", "12345678901234567000"),
            ("999999999999999", "999999999999999"),
            ("-5", "-5"),
            ("1e21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("0.0000001", "1e-7"),
            ("0.000001", "0.000001"),
            ("1e-400", "0"),
            ("[1.50,-2.0,3]", "[1.5,-2,3]"),
            ("{\"b\":1e0,\"a\":0.10}", "{\"a\":0.1,\"b\":1}"),
        ] {
            assert_eq!(exact(text).unwrap(), expected);
        }
    }

    #[test]
    fn a_number_without_a_canonical_text_is_refused_unless_a_duplicate_key_covers_it() {
        for text in [
            "-0",
            "-0.0",
            "-1e-400",
            "1e400",
            "-1e999",
            "[1,{\"a\":-0}]",
            "{\"a\":1,\"a\":-0}",
        ] {
            assert_eq!(exact(text), Err(ExactError::Number), "{text}");
        }
        assert_eq!(
            exact("{\"a\":-0,\"b\":1e400,\"a\":2,\"\\u0062\":3}").unwrap(),
            "{\"a\":2,\"b\":3}"
        );
        assert_eq!(exact("\"1e999\"").unwrap(), "\"1e999\"");
    }

    #[test]
    fn nesting_ends_at_its_bound() {
        let nested = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert_eq!(exact(&nested(MAX_DEPTH)).unwrap(), nested(MAX_DEPTH));
        let Err(ExactError::Parse(error)) = exact(&nested(MAX_DEPTH + 1)) else {
            panic!("too deep");
        };
        assert_eq!(
            error.message(),
            "the JSON value is nested too deeply at byte 1100"
        );
    }

    #[test]
    fn members_are_dropped_and_put_in_order() {
        let value = Exact::parse("{\"a\":1,\"c\":[2],\"e\":3,\"\\ud83d\\ude00\":4}", 99).unwrap();
        let write = |drop: &[&str], put: &[(&str, &str)]| {
            let out = object(Some(value.value()), drop, put);
            Exact::parse(out.clone(), 99).unwrap();
            out
        };
        assert_eq!(
            write(&["c"], &[("b", "0"), ("e", "5"), ("\u{e000}", "6")]),
            "{\"a\":1,\"b\":0,\"e\":5,\"😀\":4,\"\u{e000}\":6}"
        );
        assert_eq!(write(&["a", "c", "e", "😀"], &[]), "{}");
        assert_eq!(object(None, &[], &[("a", "1")]), "{\"a\":1}");
    }

    proptest! {
        #[test]
        fn the_form_is_a_fixed_point_and_keeps_every_double(bits in prop::collection::vec(any::<u64>(), 1..8)) {
            let doubles: Vec<f64> = bits
                .into_iter()
                .map(f64::from_bits)
                .filter(|double| double.is_finite() && double.to_bits() != (-0.0f64).to_bits())
                .collect();
            let texts: Vec<String> = doubles.iter().map(|double| format!("{double:e}")).collect();
            let first = exact(&format!("[{}]", texts.join(" , "))).unwrap();
            prop_assert_eq!(exact(&first).unwrap(), first.clone());
            let value = Exact::parse(first, 1 << 20).unwrap();
            let read: Vec<f64> = value.value().items().filter_map(Value::as_f64).collect();
            prop_assert_eq!(read, doubles);
        }

        #[test]
        fn a_text_and_its_form_mean_the_same(text in "\\PC{0,12}", key in "\\PC{0,4}", number in any::<i32>()) {
            let value = serde_json::json!({ key.clone(): [text.clone(), f64::from(number)], "k": { "z": null, key: text } });
            let first = exact(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
            let again: serde_json::Value = serde_json::from_str(&first).unwrap();
            prop_assert_eq!(exact(&again.to_string()).unwrap(), first);
        }
    }
}
