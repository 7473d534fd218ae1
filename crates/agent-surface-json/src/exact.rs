//! Exact canonical JSON, as the remote protocol hashes it: keys by UTF-16 units, numbers as ECMAScript prints the double
//! they mean (ECMA-262, `Number::toString`), half surrogate pairs as their escapes.
//!
//! It refuses numbers past the doubles and negative zero, more than `MAX_DEPTH` levels, and to change a value once it is
//! made. The interop crate calls it; the feature `exact` keeps it and the printing of numbers out of the page's module.

use crate::document::{Document, Value};
use crate::parse::{self, Bounds, ParseError};
use crate::{float, rewrite, text};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Nested arrays and objects, inclusive: 1,024 of a payload, and what envelopes and results wrap around it.
pub const MAX_DEPTH: usize = 1100;
/// So many digits a double keeps apart.
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
        if !document.is_canonical() || !is_spelt_throughout(&document) {
            document = rewrite::rewrite(&document)?;
        }
        Ok(Exact::whole(document))
    }

    fn whole(document: Document) -> Self {
        let document = Arc::new(document);
        Exact { document, index: 0 }
    }

    /// The object of `fields`, and of `value` in place of whatever they have for `key`; the value is not read again. The
    /// fields come in UTF-16 order, each once, with canonical texts.
    pub fn object_around(fields: &[(&str, &str)], key: &str, value: &Exact) -> Result<Self, ExactError> {
        let value = value.value();
        let with = |text: &str| {
            let fields = fields
                .iter()
                .map(|(name, own)| (*name, if *name == key { text } else { *own }));
            parse(object(None, &[], &fields.collect::<Vec<_>>()).into(), usize::MAX)
        };
        let shell = with("null")?;
        let hole = shell.root().get(key).filter(|_| fits_in(value));
        Ok(Exact::whole(match hole {
            Some(hole) => rewrite::fill(&shell, hole, value),
            // What is too deep is said where a text is read.
            None => with(value.raw())?,
        }))
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

/// Whether a value may be a member of an object within the bounds. Each level has a node of its own.
fn fits_in(value: Value<'_>) -> bool {
    ((value.next() - value.index()) as usize) < MAX_DEPTH || rewrite::depth(value) < MAX_DEPTH
}

/// Whether every number is written as ECMAScript prints it.
fn is_spelt_throughout(document: &Document) -> bool {
    let mut printer = ryu_js::Buffer::new();
    document
        .nodes()
        .iter()
        .filter(|node| node.tag & parse::KIND_BITS == parse::NUMBER)
        .all(|node| {
            let token = document.text().get(node.start as usize..node.end as usize);
            token.is_some_and(|token| spell(token, &mut printer) == Some(token))
        })
}

/// A number token as ECMAScript prints the double that it means, if that is one and not `-0`.
#[inline(never)]
pub(crate) fn spell<'a>(token: &'a str, printer: &'a mut ryu_js::Buffer) -> Option<&'a str> {
    if is_spelt(token) {
        return Some(token);
    }
    let double = float::parse_f64(token);
    let is_number = double.is_finite() && !(double == 0.0 && double.is_sign_negative());
    is_number.then(|| printer.format_finite(double))
}

/// Whether a token surely prints as it is; for others somebody has to look. Doubles keep 15 digits apart, so a decimal of no
/// more is the shortest of its double; from a millionth on and below 10^15 it is printed plainly.
fn is_spelt(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let mut has_point = false;
    for byte in unsigned.bytes() {
        match byte {
            b'0'..=b'9' => {}
            b'.' => has_point = true,
            _ => return false,
        }
    }
    if has_point {
        unsigned.len() <= SAFE_DIGITS + 1 && !unsigned.ends_with('0') && !unsigned.starts_with("0.000000")
    } else {
        unsigned.len() <= SAFE_DIGITS && token != "-0"
    }
}

/// An object with `put` and the members of `from` but those named in `drop`. The text of `from` is canonical, and so is
/// the result: `put` comes in UTF-16 order with canonical texts, and wins over a member of the same key.
pub fn object(from: Option<Value<'_>>, drop: &[&str], put: &[(&str, &str)]) -> String {
    let kept = from.map_or(0, |value| value.raw().len());
    let own: usize = put.iter().map(|(key, text)| key.len() + text.len() + 4).sum();
    let mut out = String::with_capacity(kept + own + 2);
    object_pieces(from, drop, put, &mut |piece| out.push_str(piece));
    out
}

/// The text of `object`, piece by piece.
pub fn object_pieces(
    from: Option<Value<'_>>,
    drop: &[&str],
    put: &[(&str, &str)],
    take: &mut dyn FnMut(&str),
) {
    let mut put = put.iter().copied().peekable();
    let mut is_first = true;
    for (key, text) in from.into_iter().flat_map(raw_members) {
        let is_escaped = key.contains('\\');
        while let Some((own, own_text)) =
            put.next_if(|(own, _)| text::compare(own, false, key, is_escaped) == core::cmp::Ordering::Less)
        {
            write_entry(take, &mut is_first, own, own_text);
        }
        let is_replaced = put.peek().is_some_and(|(own, _)| *own == key);
        if !is_replaced && !drop.contains(&key) {
            write_entry(take, &mut is_first, key, text);
        }
    }
    for (own, own_text) in put {
        write_entry(take, &mut is_first, own, own_text);
    }
    take(if is_first { "{}" } else { "}" });
}

#[inline(never)]
fn write_entry(take: &mut dyn FnMut(&str), is_first: &mut bool, key: &str, text: &str) {
    let opening = if core::mem::take(is_first) { "{\"" } else { ",\"" };
    for piece in [opening, key, "\":", text] {
        take(piece);
    }
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

    #[test]
    fn an_object_around_a_value_is_the_object_of_its_text() {
        let deep = ["[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1)].concat();
        let around = |value: &Exact| {
            let fields = [("a", "[1,{\"x\":2}]"), ("m", "null"), ("z", "{\"y\":[]}")];
            Exact::object_around(&fields, "m", value)
        };
        for text in [
            "1",
            "\"long enough\"",
            "[]",
            "{\"b\":[1,{\"c\":null}],\"a\":\"\\n\"}",
            &deep,
        ] {
            let value = Exact::parse(text, usize::MAX).unwrap();
            let whole = around(&value).unwrap();
            let read = Exact::parse(whole.text(), usize::MAX).unwrap();
            assert_eq!(whole.document.nodes(), read.document.nodes(), "{text}");
            // A member of another document is as good.
            let inner = around(&whole.member("m").unwrap()).unwrap();
            assert_eq!(inner.text(), whole.text());
            assert_eq!(inner.document.nodes(), read.document.nodes());
        }
        let deepest = Exact::parse(["[", &deep, "]"].concat(), usize::MAX).unwrap();
        assert!(matches!(around(&deepest), Err(ExactError::Parse(_))));
    }

    #[test]
    fn a_rewritten_text_has_the_tape_of_its_text() {
        for text in [
            "{\"b\":1.0,\"a\":[{\"d\":2,\"c\":\"\\u0041\\/\\n\",\"d\":[]}, 1e2],\"b\":{}}",
            "[ ]",
            " \"\\u00e9\" ",
            "{\"x\":{\"b\":{\"b\":1,\"a\":2},\"a\":[[0.10]]}}",
        ] {
            let value = Exact::parse(text, usize::MAX).unwrap();
            let read = Exact::parse(value.text(), usize::MAX).unwrap();
            assert_eq!(value.document.nodes(), read.document.nodes(), "{text}");
        }
    }

    #[test]
    fn a_token_that_is_not_looked_at_prints_as_it_is() {
        for token in [
            "0.5",
            "-0.5",
            "1.25",
            "0.000001",
            "0.0000012",
            "123456789012.345",
            "-9.5",
        ] {
            assert!(super::is_spelt(token), "{token}");
            assert_eq!(exact(token).unwrap(), token);
        }
        for token in [
            "0.0",
            "1.50",
            "0.0000001",
            "1234567890123.456",
            "-0",
            "1e5",
            "1.5e3",
            "-0.0",
        ] {
            assert!(!super::is_spelt(token), "{token}");
        }
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
        fn decimals_of_fifteen_digits_print_as_they_are(digits in 1u64..1_000_000_000_000_000, places in 1usize..22) {
            let text = format!("{digits:0>width$}", width = places + 1);
            let (whole, fraction) = text.split_at(text.len() - places);
            let token = [whole, ".", fraction].concat();
            prop_assume!(super::is_spelt(&token));
            let double: f64 = token.parse().unwrap();
            let mut printer = ryu_js::Buffer::new();
            prop_assert_eq!(printer.format_finite(double), token);
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
