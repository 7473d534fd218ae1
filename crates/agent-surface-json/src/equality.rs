//! JSON equality with an explicit stack.
//!
//! It refuses to compare text where values count: `1` equals `1.0`, key order and escapes do not matter.
//! `Value::equals` and the schema checks (`const`, `enum`, `uniqueItems`) call it.

use crate::canonical::sorted_keys;
use crate::document::Value;
use crate::number::Decimal;
use crate::{parse, text};
use core::cmp::Ordering;

pub(crate) fn equals(a: Value<'_>, b: Value<'_>) -> bool {
    let mut pending = vec![(a, b)];
    while let Some((a, b)) = pending.pop() {
        if a.tag() != b.tag() {
            return false;
        }
        if a.raw() == b.raw() {
            continue;
        }
        let is_same = match a.tag() {
            parse::NUMBER => Decimal::parse(a.raw()).compare(&Decimal::parse(b.raw())) == Ordering::Equal,
            parse::STRING => has_same_text(a, b),
            parse::ARRAY => {
                pending.extend(a.items().zip(b.items()));
                a.len() == b.len()
            }
            parse::OBJECT => push_entries(a, b, &mut pending),
            _ => true,
        };
        if !is_same {
            return false;
        }
    }
    true
}

/// UTF-16 order of two strings, whatever their escapes.
pub(crate) fn compare_text(a: Value<'_>, b: Value<'_>) -> Ordering {
    let (left, left_escaped) = a.inside().unwrap_or_default();
    let (right, right_escaped) = b.inside().unwrap_or_default();
    text::compare(left, left_escaped, right, right_escaped)
}

pub(crate) fn has_same_text(a: Value<'_>, b: Value<'_>) -> bool {
    compare_text(a, b) == Ordering::Equal
}

/// Pairs the values of equal keys; `false` when the keys differ.
fn push_entries<'a, 'b>(a: Value<'a>, b: Value<'b>, pending: &mut Vec<(Value<'a>, Value<'b>)>) -> bool {
    let (left, right) = (sorted_keys(a), sorted_keys(b));
    if left.len() != right.len() {
        return false;
    }
    for (x, y) in left.into_iter().zip(right) {
        let (x, y) = (a.document().value_at(x), b.document().value_at(y));
        if !has_same_text(x, y) {
            return false;
        }
        pending.push((a.document().value_at(x.next()), b.document().value_at(y.next())));
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::{Bounds, Document};

    #[test]
    fn values_are_compared_and_not_their_text() {
        let parse = |text: &str| {
            Document::parse(
                text,
                Bounds {
                    max_bytes: 1000,
                    max_depth: 9,
                    lone_surrogates: true,
                },
            )
            .unwrap()
        };
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
}
