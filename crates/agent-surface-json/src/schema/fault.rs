//! Why a schema is refused, in words that say what would be right.
//!
//! It refuses nothing itself. Compiling and the opaque check build these.

use crate::document::{Kind, Value};
use crate::text::{format_count, pull, push_point, write_u64};

/// Which of the two reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaFault {
    /// Outside the subset, too deep, too large, unresolvable or malformed (`UNSUPPORTED_SCHEMA`).
    Unsupported,
    /// A `default` that breaks its own schema (`INVALID_DEFINITION`).
    InvalidDefault,
}

/// A refused schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// Which of the two reasons.
    pub fault: SchemaFault,
    /// The keyword at fault; empty when it is a schema as a whole.
    pub keyword: String,
    /// JSON Pointer (RFC 6901) to that keyword or schema.
    pub pointer: String,
    /// One sentence with both and with what would be right.
    pub message: String,
}

/// Boxed on its way out: it is returned from many places and rarely.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) Box<SchemaError>);

/// How the rest of JSON Schema is to be had.
pub(crate) const OTHERWISE: &str = ", or bring a validator of your own with `fromStandardSchema`";

/// The keyword with this argument is at fault; `tail` continues the sentence after its name and place.
#[inline(never)]
pub(crate) fn at_keyword(argument: Value<'_>, tail: &[&str]) -> Refusal {
    let (pointer, keyword) = locate(argument);
    let message = ["`", &keyword, "` at `", &pointer, "` ", &tail.concat()].concat();
    refusal(keyword, pointer, message)
}

/// This schema as a whole is at fault.
#[inline(never)]
pub(crate) fn at_schema(schema: Value<'_>, tail: &[&str]) -> Refusal {
    let (pointer, _) = locate(schema);
    let message = ["the schema at `", &pointer, "` ", &tail.concat()].concat();
    refusal(String::new(), pointer, message)
}

fn refusal(keyword: String, pointer: String, message: String) -> Refusal {
    Refusal(Box::new(SchemaError {
        fault: SchemaFault::Unsupported,
        keyword,
        pointer,
        message,
    }))
}

/// The JSON Pointer to a value of a document, and its last token as it is.
fn locate(target: Value<'_>) -> (String, String) {
    let (mut pointer, mut token) = (String::new(), String::new());
    let mut at = target.document().root();
    while at.index() != target.index() {
        let is_array = at.kind() == Kind::Array;
        let is_on_the_way = |value: &Value<'_>| value.next() > target.index();
        let found = if is_array {
            at.items()
                .enumerate()
                .find(|(_, value)| is_on_the_way(value))
                .map(|(index, value)| {
                    token = format_count(index);
                    value
                })
        } else {
            at.raw_entries()
                .find(|(_, value)| is_on_the_way(value))
                .map(|(key, value)| {
                    token = key.as_str().unwrap_or_default().into_owned();
                    value
                })
        };
        let Some(value) = found else { break };
        at = value;
        push_token(&mut pointer, &token);
    }
    (pointer, token)
}

/// Appends `/token` with the escapes of RFC 6901.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    let mut chars = token.chars();
    while let Some(point) = pull(&mut chars) {
        match point {
            0x7E => pointer.push_str("~0"),
            0x2F => pointer.push_str("~1"),
            other => push_point(pointer, other),
        }
    }
}

/// Appends `/index`.
pub(crate) fn push_index(pointer: &mut String, index: usize) {
    pointer.push('/');
    write_u64(pointer, index as u64);
}
