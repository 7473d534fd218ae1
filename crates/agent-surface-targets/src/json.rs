//! JSON as a tree that can be rewritten: schemas go in, other schemas come out.
//!
//! It refuses to read or print numbers: a number is its token. Depth is bounded by whoever parses, so walks recurse. The
//! whole crate works on it.

use agent_surface_json::{Bounds, Document, Kind, ParseError, Value, compare_numbers, sort, write_string};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

/// What one message from the page may be: some thousand tools. A model may nest as deep as it likes; see `MAX_DEPTH`.
const BOUNDS: Bounds = Bounds {
    max_bytes: 1 << 26,
    max_depth: 1 << 26,
    lone_surrogates: true,
};
/// What is deeper reads as null: walks recurse. The surface refuses an input that is a third less deep, so none gets
/// through that was cut.
const MAX_DEPTH: usize = 96;

/// A JSON value. Members keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Json {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number's token.
    Number(String),
    /// A decoded string.
    Text(String),
    /// An array
    List(Vec<Json>),
    /// An object
    Object(Members),
}

/// The members of an object, in order and unique.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Members(pub Vec<(String, Json)>);

/// What every absent value reads as.
static NULL: Json = Json::Null;

impl Json {
    /// Reads a text within this crate's bounds.
    pub fn parse(text: &str) -> Result<Json, ParseError> {
        Json::parse_within(text, BOUNDS)
    }

    /// Reads a text.
    pub fn parse_within(text: &str, bounds: Bounds) -> Result<Json, ParseError> {
        Document::parse(text, bounds).map(|document| read(document.root(), MAX_DEPTH))
    }

    /// A string.
    pub fn text(text: &str) -> Json {
        Json::Text(text.to_owned())
    }

    /// An object of these members.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// A member; null where there is none.
    pub fn at(&self, key: &str) -> &Json {
        self.get(key).unwrap_or(&NULL)
    }

    /// A member.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// The members, of an object.
    pub fn as_object(&self) -> Option<&Members> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The members; none of anything that is no object.
    pub fn members(&self) -> &[(String, Json)] {
        self.as_object().map_or(&[], |members| &*members.0)
    }

    /// The items; none of anything that is no array.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The string, empty if it is none.
    pub fn str(&self) -> &str {
        self.as_text().unwrap_or_default()
    }

    /// Whether it is this string.
    pub fn is(&self, text: &str) -> bool {
        self.as_text() == Some(text)
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        *self == Json::Null
    }

    /// A whole number from 0 up; nothing of any other token.
    pub fn as_count(&self) -> Option<u32> {
        let Json::Number(token) = self else { return None };
        let digits = token.bytes().map(|byte| char::from(byte).to_digit(10));
        digits
            .into_iter()
            .try_fold(0_u32, |sum, digit| sum.checked_mul(10)?.checked_add(digit?))
    }

    /// The compact text.
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.write_into(&mut out);
        out
    }

    fn write_into(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(token) => out.push_str(token),
            Json::Text(text) => write_string(out, text),
            Json::List(items) => {
                let mut before = '[';
                for item in items {
                    out.push(before);
                    item.write_into(out);
                    before = ',';
                }
                out.push_str(if items.is_empty() { "[]" } else { "]" });
            }
            Json::Object(Members(members)) => {
                let mut before = '{';
                for (key, value) in members {
                    out.push(before);
                    write_string(out, key);
                    out.push(':');
                    value.write_into(out);
                    before = ',';
                }
                out.push_str(if members.is_empty() { "{}" } else { "}" });
            }
        }
    }
}

fn read(value: Value<'_>, room: usize) -> Json {
    let Some(room) = room.checked_sub(1) else {
        return Json::Null;
    };
    match value.kind() {
        Kind::Null => Json::Null,
        Kind::Bool => Json::Bool(value.as_bool().unwrap_or_default()),
        Kind::Number => Json::Number(value.raw().to_owned()),
        Kind::String => Json::Text(value.as_str().unwrap_or_default().into_owned()),
        Kind::Array => Json::List(value.items().map(|item| read(item, room)).collect()),
        Kind::Object => {
            let entries = value.entries();
            let mut members: Vec<(String, Json)> = entries
                .map(|(key, value)| (key.into_owned(), read(value, room)))
                .collect();
            keep_last(&mut members);
            Json::Object(Members(members))
        }
    }
}

/// Of equal keys the first place and the last value. By sorting: a model may send a great many members.
fn keep_last(members: &mut Vec<(String, Json)>) {
    let mut order: Vec<u32> = (0..).take(members.len()).collect();
    let key = |at: u32| members.get(at as usize).map(key_of);
    sort(&mut order, &|a, b| (key(a), a) < (key(b), b));
    let mut is_kept = alloc::vec![true; members.len()];
    let mut first = 0;
    for at in order {
        let is_repeated =
            at != first && members.get(at as usize).map(key_of) == members.get(first as usize).map(key_of);
        if !is_repeated {
            first = at;
            continue;
        }
        if let (Some(kept), Some((_, last))) = (is_kept.get_mut(at as usize), members.get_mut(at as usize)) {
            *kept = false;
            let last = core::mem::take(last);
            if let Some((_, value)) = members.get_mut(first as usize) {
                *value = last;
            }
        }
    }
    let mut is_kept = is_kept.into_iter();
    members.retain(|_| is_kept.next().unwrap_or_default());
}

fn key_of((key, _): &(String, Json)) -> &str {
    key
}

impl Members {
    /// A member.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// A member, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json> {
        self.0
            .iter_mut()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Sets a member, at its place or at the end.
    pub fn set(&mut self, key: &str, value: Json) {
        match self.get_mut(key) {
            Some(place) => *place = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Sets a member when there is a value for it.
    pub fn set_if(&mut self, key: &str, value: Option<Json>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// Takes a member out.
    pub fn take(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }
}

impl FromIterator<(String, Json)> for Members {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        Members(members.into_iter().collect())
    }
}

/// The larger of two numbers, or the smaller; anything else gives way to a number.
pub fn stronger(a: &Json, b: &Json, larger: bool) -> Json {
    match (a, b) {
        (Json::Number(left), Json::Number(right)) => {
            let wins = if larger {
                compare_numbers(left, right).is_lt()
            } else {
                compare_numbers(left, right).is_gt()
            };
            Json::Number(if wins { right } else { left }.clone())
        }
        (Json::Number(_), _) => a.clone(),
        _ => b.clone(),
    }
}

/// A whole number's token moved by one; nothing of a token with a fraction, an exponent or more than fifteen digits.
pub fn step(token: &str, up: bool) -> Option<String> {
    let (negative, digits) = match token.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, token),
    };
    if digits.len() > 15 {
        return None;
    }
    let mut value = digits
        .bytes()
        .map(|byte| char::from(byte).to_digit(10).map(i64::from))
        .try_fold(0_i64, |sum, digit| Some(sum * 10 + digit?))?;
    if negative {
        value = -value;
    }
    value += if up { 1 } else { -1 };
    let mut out = String::new();
    if value < 0 {
        out.push('-');
    }
    agent_surface_json::write_u64(&mut out, value.unsigned_abs());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_out_as_it_went_in_without_white_space_and_with_the_last_of_equal_keys() {
        let text = r#"{ "a": [1.50, -0, {}, []], "b": "\u0041\n", "a2": null, "b": true }"#;
        assert_eq!(
            Json::parse(text).unwrap().write(),
            r#"{"a":[1.50,-0,{},[]],"b":true,"a2":null}"#
        );
        let text = r#"{"b":1,"a":2,"b":3,"c":4,"a":5,"b":6,"0":7}"#;
        assert_eq!(Json::parse(text).unwrap().write(), r#"{"b":6,"a":5,"c":4,"0":7}"#);
    }

    #[test]
    fn an_object_of_many_members_is_read_as_it_is() {
        let members: Vec<String> = (0..50_000).map(|at| format!("\"k{at}\":{at}")).collect();
        let text = ["{", &members.join(","), "}"].concat();
        assert_eq!(Json::parse(&text).unwrap().write(), text);
    }

    #[test]
    fn whole_numbers_move_by_one_and_others_do_not() {
        for (token, up, expected) in [
            ("0", true, Some("1")),
            ("0", false, Some("-1")),
            ("-1", true, Some("0")),
            ("99", true, Some("100")),
            ("-10", false, Some("-11")),
            ("0.5", true, None),
            ("1e3", true, None),
            ("9999999999999999", true, None),
        ] {
            assert_eq!(step(token, up).as_deref(), expected, "{token}");
        }
    }

    #[test]
    fn what_is_too_deep_reads_as_null() {
        let depth = 50_000;
        let text = ["[".repeat(depth), "]".repeat(depth)].concat();
        let read = Json::parse(&text).unwrap().write();
        assert_eq!(
            read,
            ["[".repeat(MAX_DEPTH), "null".to_owned(), "]".repeat(MAX_DEPTH)].concat()
        );
    }

    #[test]
    fn counts_are_whole_and_small() {
        assert_eq!(Json::Number("128".to_owned()).as_count(), Some(128));
        assert_eq!(Json::Number("-1".to_owned()).as_count(), None);
        assert_eq!(Json::Number("4294967296".to_owned()).as_count(), None);
        assert_eq!(Json::Null.as_count(), None);
    }
}
