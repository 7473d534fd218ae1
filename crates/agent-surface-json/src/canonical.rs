//! Canonical JSON text, in one pass over the tape with an explicit stack.
//!
//! It refuses to print numbers: the text is in ECMAScript form and tokens are copied. `Value` calls it.

use crate::document::Value;
use crate::number::Decimal;
use crate::parse::{self, compare_keys};
use crate::{sort, text};
use core::cmp::Ordering;

/// An open array or object: what is left of `pending`, from its end backward to `from`.
struct Frame {
    from: usize,
    close: char,
}

pub(crate) fn write(value: Value<'_>, out: &mut String) {
    if value.document().is_canonical() {
        out.push_str(value.raw());
    } else {
        write_sorted(value, out, false);
    }
}

/// The canonical text with numbers of equal value alike (`1` and `1.0`): equal values, equal texts.
pub(crate) fn comparable(value: Value<'_>) -> String {
    let mut out = String::new();
    write_sorted(value, &mut out, true);
    out
}

fn write_sorted(value: Value<'_>, out: &mut String, by_value: bool) {
    // Indices still to write, the next one last. For an object: keys; the value follows its key.
    let mut pending: Vec<u32> = Vec::new();
    let mut open: Vec<Frame> = Vec::new();
    let mut current = value;
    loop {
        match current.tag() {
            parse::ARRAY => {
                out.push('[');
                open.push(Frame {
                    from: pending.len(),
                    close: ']',
                });
                let from = pending.len();
                pending.extend(current.items().map(Value::index));
                if let Some(items) = pending.get_mut(from..) {
                    items.reverse();
                }
            }
            parse::OBJECT => {
                out.push('{');
                open.push(Frame {
                    from: pending.len(),
                    close: '}',
                });
                pending.extend(sorted_keys(current).iter().rev());
            }
            parse::NUMBER if by_value => write_number(current, out),
            _ => write_scalar(current, out),
        }
        match next(value, out, &mut pending, &mut open) {
            Some(following) => current = following,
            None => return,
        }
    }
}

/// Closes what is complete, writes the separator and key, and gives the next value.
fn next<'a>(
    root: Value<'a>,
    out: &mut String,
    pending: &mut Vec<u32>,
    open: &mut Vec<Frame>,
) -> Option<Value<'a>> {
    while let Some(frame) = open.last() {
        if pending.len() <= frame.from {
            out.push(frame.close);
            open.pop();
            continue;
        }
        // Behind a value the text never ends with an opening bracket: strings end with a quote.
        if !out.ends_with(['[', '{']) {
            out.push(',');
        }
        let index = pending.pop()?;
        let node = root.document().value_at(index);
        if frame.close == ']' {
            return Some(node);
        }
        write_scalar(node, out);
        out.push(':');
        return Some(root.document().value_at(node.next()));
    }
    None
}

fn write_scalar(value: Value<'_>, out: &mut String) {
    match value.inside() {
        Some((inside, true)) => text::write_decoded(out, inside),
        None if value.raw() == "-0" => out.push('0'),
        _ => out.push_str(value.raw()),
    }
}

/// Sign, digits and power of ten: one text per value, and no JSON.
fn write_number(value: Value<'_>, out: &mut String) {
    let number = Decimal::parse(value.raw());
    if number.is_zero() {
        out.push('0');
        return;
    }
    out.push(if number.negative { '-' } else { '+' });
    out.extend(number.digits().map(|digit| char::from(b'0' + digit)));
    out.push(if number.point < 0 { '-' } else { '+' });
    text::write_u64(out, number.point.unsigned_abs());
}

/// Tape indices of an object's keys in UTF-16 order; of equal keys the last in the text.
pub(crate) fn sorted_keys(object: Value<'_>) -> Vec<u32> {
    let document = object.document();
    let compare = |a: u32, b: u32| compare_keys(document.text(), document.nodes(), a, b);
    let mut keys: Vec<u32> = object.raw_entries().map(|(key, _)| key.index()).collect();
    sort::sort(&mut keys, &|a, b| compare(a, b) == Ordering::Less);
    // The sort is stable, so the last of equal keys is the last one of the text.
    keys.dedup_by(|later, kept| {
        let is_same = compare(*later, *kept) == Ordering::Equal;
        if is_same {
            *kept = *later;
        }
        is_same
    });
    keys
}

#[cfg(test)]
mod tests {
    use crate::{Bounds, Document};
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds {
        max_bytes: 1 << 20,
        max_depth: 64,
        lone_surrogates: true,
    };

    fn canonical(text: &str) -> String {
        Document::parse(text, BOUNDS).unwrap().root().canonical()
    }

    #[test]
    fn keys_are_sorted_and_unique_and_whitespace_and_spare_escapes_are_gone() {
        assert_eq!(
            canonical(
                "{ \"b\" : [ 1 , -0, [ ], { } ], \"a\\/\" : \"\\u0041\\n\", \"b2\":{\"y\":\"[\",\"x\":[\"{\",2]} }"
            ),
            "{\"a/\":\"A\\n\",\"b\":[1,0,[],{}],\"b2\":{\"x\":[\"{\",2],\"y\":\"[\"}}"
        );
        assert_eq!(canonical("{\"a\":1,\"\\u0061\":2,\"a\":3}"), "{\"a\":3}");
        assert_eq!(
            canonical("{\"\\ufffd\":1,\"\\ud83d\\ude00\":2}"),
            "{\"😀\":2,\"\u{fffd}\":1}"
        );
        assert_eq!(canonical("\"\\uD800\""), "\"\\ud800\"");
    }

    #[test]
    fn a_canonical_text_is_recognised_while_parsing() {
        for (text, expected) in [
            ("{\"a\":1,\"b\":[true,null]}", true),
            ("{\"b\":1,\"a\":1}", false),
            ("{\"a\":1,\"a\":1}", false),
            ("[ 1]", false),
            ("-0", false),
            ("-0.5", true),
            ("\"\\u000a\"", false),
            ("\"\\u001f\"", true),
            ("\"\\u001F\"", false),
            ("\"\\/\"", false),
            ("\"\\ud800\"", true),
            ("\"\\ud83d\\ude00\"", false),
            ("{\"\\\"\":1,\"a\":{\"z\":0},\"b\":0}", true),
        ] {
            let document = Document::parse(text, BOUNDS).unwrap();
            assert_eq!(document.is_canonical(), expected, "{text}");
            assert_eq!(document.root().canonical() == text, expected, "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            "\\PC{0,6}".prop_map(serde_json::Value::from),
            any::<String>().prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    /// The oracle: `serde_json` writes strings as ECMAScript does, and sorting is done here.
    fn oracle(value: &serde_json::Value, out: &mut String) {
        match value {
            serde_json::Value::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    oracle(item, out);
                }
                out.push(']');
            }
            serde_json::Value::Object(entries) => {
                let mut keys: Vec<&String> = entries.keys().collect();
                keys.sort_by_key(|key| key.encode_utf16().collect::<Vec<u16>>());
                out.push('{');
                for (at, key) in keys.into_iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(&serde_json::to_string(key).unwrap());
                    out.push(':');
                    oracle(&entries[key], out);
                }
                out.push('}');
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }

    proptest! {
        #[test]
        fn canonical_text_is_the_oracles_and_a_fixed_point(value in any_json(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            let document = Document::parse(text.clone(), BOUNDS).unwrap();
            let mut expected = String::new();
            oracle(&value, &mut expected);
            let canonical = document.root().canonical();
            prop_assert_eq!(&canonical, &expected);
            prop_assert_eq!(document.is_canonical(), text == expected);
            let again = Document::parse(canonical.clone(), BOUNDS).unwrap();
            prop_assert!(again.is_canonical());
            prop_assert_eq!(again.canonical().into_owned(), canonical);
            prop_assert!(again.root().equals(document.root()));
        }
    }
}
