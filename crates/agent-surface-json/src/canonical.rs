//! Canonical JSON text, in one pass over the tape with an explicit stack, and equality, which is equality of such texts.
//!
//! It refuses to print numbers: the text is in ECMAScript form and tokens are copied. `Value` and the schema checks
//! (`const`, `enum`, `uniqueItems`) call it.

use crate::document::{Members, Value};
use crate::number::Decimal;
use crate::{parse, sort, text};
use alloc::string::String;
use alloc::vec;

/// What is still to write: an index on the tape, whose document is shorter than these bits.
const INDEX: u32 = KEY - 1;
/// The index is a key; its value follows.
const KEY: u32 = 1 << 30;
/// The end of the array or object with this index.
const END: u32 = 1 << 31;

pub(crate) fn write(value: Value<'_>, out: &mut String) {
    if value.document().is_canonical() {
        out.push_str(value.raw());
    } else {
        write_sorted(value, out, false);
    }
}

/// Whether a value equals one of `others`: numbers by value, objects without order.
pub(crate) fn is_among(value: Value<'_>, others: Members<'_>) -> bool {
    // A large value is put in order once, not once per other value.
    let mut text = None;
    for (_, other) in others {
        let is_equal = value.tag() == other.tag()
            && match value.tag() {
                parse::STRING => value.has_same_text(other),
                _ => {
                    value.raw() == other.raw()
                        || *text.get_or_insert_with(|| comparable(value)) == comparable(other)
                }
            };
        if is_equal {
            return true;
        }
    }
    false
}

/// The canonical text with numbers of equal value alike (`1` and `1.0`): equal values, equal texts.
pub(crate) fn comparable(value: Value<'_>) -> String {
    let mut out = String::new();
    write_sorted(value, &mut out, true);
    out
}

fn write_sorted(root: Value<'_>, out: &mut String, by_value: bool) {
    let at = |task: u32| root.document().value_at(task & INDEX);
    let start = out.len();
    // The next one last.
    let mut pending = vec![root.index()];
    while let Some(task) = pending.pop() {
        let mut value = at(task);
        if task & END != 0 {
            out.push(if value.tag() == parse::ARRAY { ']' } else { '}' });
            continue;
        }
        // Of equal keys the last in the text counts.
        let is_same = |next: &u32| task & next & KEY != 0 && at(*next).has_same_text(value);
        if pending.last().is_some_and(is_same) {
            continue;
        }
        // Behind a value the text never ends with an opening bracket: strings end with a quote.
        if out.len() > start && !matches!(out.as_bytes().last(), Some(b'[' | b'{')) {
            out.push(',');
        }
        if task & KEY != 0 {
            write_scalar(value, out);
            out.push(':');
            value = at(value.next());
        }
        let tag = value.tag();
        if tag < parse::ARRAY {
            if by_value && tag == parse::NUMBER {
                write_number(value, out);
            } else {
                write_scalar(value, out);
            }
            continue;
        }
        let is_object = tag == parse::OBJECT;
        out.push(if is_object { '{' } else { '[' });
        pending.push(value.index() | END);
        let from = pending.len();
        for (key, _) in value.members() {
            pending.push(key.index() | if is_object { KEY } else { 0 });
        }
        let members = pending.get_mut(from..).unwrap_or_default();
        // As `reverse` does, without its panics.
        let mut ends = members.iter_mut();
        while let (Some(first), Some(last)) = (ends.next(), ends.next_back()) {
            core::mem::swap(first, last);
        }
        if is_object {
            sort::sort(members, &|a, b| at(a).compare_text(at(b)).then(a.cmp(&b)).is_gt());
        }
    }
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

    #[test]
    fn values_are_compared_and_not_their_text() {
        let parse = |text: &str| Document::parse(text, BOUNDS).unwrap();
        for (a, b, expected) in [
            ("1", "1.0", true),
            ("0", "-0", true),
            ("0", "false", false),
            ("1", "true", false),
            ("\"a\"", "\"\\u0061\"", true),
            ("\"a\"", "\"b\"", false),
            ("[1,2]", "[1,2.0]", true),
            ("[1,2]", "[2,1]", false),
            ("[1]", "[1,1]", false),
            ("{\"a\":1,\"b\":[2]}", "{ \"b\":[2.0], \"a\":1e0 }", true),
            ("{\"a\":1}", "{\"b\":1}", false),
            ("{\"a\":1}", "{\"a\":1,\"b\":1}", false),
            ("{\"a\":1,\"a\":2}", "{\"a\":2}", true),
            ("[]", "{}", false),
            ("null", "null", true),
            ("null", "false", false),
        ] {
            assert_eq!(parse(a).root().equals(parse(b).root()), expected, "{a} {b}");
            assert_eq!(parse(b).root().equals(parse(a).root()), expected, "{b} {a}");
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
