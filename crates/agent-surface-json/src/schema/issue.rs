//! What is wrong with a value, and where.
//!
//! It refuses to echo more of a value than a model needs: 40 characters. Validation builds these.

use super::fault::{push_index, push_token};
use crate::document::Value;
use crate::text::write_u64;

/// One thing that is wrong with a value. All texts are safe to show to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Dotted place: `ids`, `ids[0]`, `a.b`; the root is empty. Keys past 128 characters are cut.
    pub path: String,
    /// The same place as a JSON Pointer (RFC 6901). Keys past 128 characters are cut.
    pub pointer: String,
    /// What was expected and, briefly, what was found.
    pub message: String,
}

/// Keys come from an agent: a place is not a way to echo a value back.
const MAX_KEY: usize = 128;
/// Characters of a value in a message.
const MAX_ECHO: usize = 40;
/// Values of an `enum` in a message.
const MAX_CHOICES: usize = 12;

/// A step of a path; the parents are on the stack of the validation.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    Root,
    Item(&'a Path<'a>, usize),
    Property(&'a Path<'a>, Value<'a>),
}

impl Path<'_> {
    pub(crate) fn issue(&self, message: String) -> Issue {
        let mut steps = Vec::new();
        let mut at = self;
        loop {
            steps.push(at);
            at = match at {
                Path::Root => break,
                Path::Item(parent, _) | Path::Property(parent, _) => parent,
            };
        }
        let (mut path, mut pointer) = (String::new(), String::new());
        for step in steps.iter().rev() {
            match step {
                Path::Root => {}
                Path::Item(_, index) => {
                    path.push('[');
                    write_u64(&mut path, *index as u64);
                    path.push(']');
                    push_index(&mut pointer, *index);
                }
                Path::Property(_, key) => {
                    let key = key.as_str().unwrap_or_default();
                    let (key, tail) = cut(&key, MAX_KEY);
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                    path.push_str(tail);
                    push_token(&mut pointer, key);
                    pointer.push_str(tail);
                }
            }
        }
        Issue {
            path,
            pointer,
            message,
        }
    }
}

/// At most `max` characters, and what to put behind them.
fn cut(text: &str, max: usize) -> (&str, &'static str) {
    match text.char_indices().nth(max) {
        Some((end, _)) => (text.get(..end).unwrap_or_default(), "…"),
        None => (text, ""),
    }
}

/// The start of a text.
pub(crate) fn short(text: &str) -> String {
    let (head, tail) = cut(text, MAX_ECHO);
    [head, tail].concat()
}

/// The start of a value's text.
pub(crate) fn echo(value: Value<'_>) -> String {
    short(value.raw())
}

/// The values of an `enum`, as far as they are useful.
pub(crate) fn choices(values: Value<'_>) -> String {
    let mut out = String::new();
    for (at, value) in values.items().enumerate() {
        if at == MAX_CHOICES {
            out.push_str(", …");
            break;
        }
        out.push_str(if at == 0 { "" } else { ", " });
        out.push_str(&echo(value));
    }
    out
}
