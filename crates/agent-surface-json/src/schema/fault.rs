//! Why a schema is refused, in words that say what would be right; where things are in a schema.
//!
//! It refuses nothing itself. Compiling builds these.

use crate::document::Value;
use crate::parse;
use crate::text::{concat, pull, push_point, write_u64};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

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

/// How the rest of JSON Schema is to be had: the end of messages.
pub const OTHERWISE: &str = ", or install the full engine of `agent-surface-wasm/schema`";

/// The keyword with this argument is at fault; `tail` continues the sentence after its name and place.
pub(crate) fn at_keyword(argument: Value<'_>, tail: &[&str]) -> Refusal {
    refusal(argument, true, tail)
}

/// This schema as a whole is at fault.
pub(crate) fn at_schema(schema: Value<'_>, tail: &[&str]) -> Refusal {
    refusal(schema, false, tail)
}

#[inline(never)]
fn refusal(target: Value<'_>, is_keyword: bool, tail: &[&str]) -> Refusal {
    let mut keyword = String::new();
    // The members that begin at or before the target lead to it, and the last of them is the nearest.
    let (pointer, _) = descend(target, &mut |_, key| {
        let leads = key.index() <= target.index();
        if leads && is_keyword {
            keyword = key.decoded();
        }
        leads
    });
    let (quote, at) = if is_keyword {
        ("`", "` at `")
    } else {
        ("the schema", " at `")
    };
    let message = concat(&[quote, &keyword, at, &pointer, "` ", &concat(tail)]);
    Refusal(Box::new(SchemaError {
        fault: SchemaFault::Unsupported,
        keyword,
        pointer,
        message,
    }))
}

/// The value that a reference of the form `#/…` names: percent-encoded, then a JSON Pointer.
pub(crate) fn locate<'a>(document: Value<'a>, reference: &str) -> Option<Value<'a>> {
    let mut wanted = Vec::new();
    let mut bytes = reference.strip_prefix('#')?.bytes();
    while let Some(mut byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            byte = u8::try_from(digit()? * 16 + digit()?).ok()?;
        }
        wanted.push(byte);
    }
    let (found, value) = descend(document, &mut |pointer, _| {
        wanted
            .strip_prefix(pointer.as_bytes())
            .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    });
    (!wanted.is_empty() && found.as_bytes() == wanted).then_some(value)
}

/// From the root of the document down to the last member that `leads` accepts, by its JSON Pointer and its key, as far
/// as there is one.
fn descend<'a>(start: Value<'a>, leads: &mut dyn FnMut(&str, Value<'a>) -> bool) -> (String, Value<'a>) {
    let mut pointer = String::new();
    let mut at = start.document().root();
    loop {
        let mut next = None;
        for (index, (key, value)) in at.members().enumerate() {
            let mut way = pointer.clone();
            if at.tag() == parse::ARRAY {
                push_index(&mut way, index);
            } else {
                push_token(&mut way, &key.decoded());
            }
            if leads(&way, key) {
                next = Some((way, value));
            }
        }
        let Some(next) = next else {
            return (pointer, at);
        };
        (pointer, at) = next;
    }
}

/// Appends `/token` to a JSON Pointer, with the escapes of RFC 6901.
pub fn push_token(pointer: &mut String, token: &str) {
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
