//! What is wrong with a value, and where.
//!
//! It refuses to echo more of a value than a model needs: 40 characters. Validation builds these.

use super::fault::{push_index, push_token};
use crate::document::Value;
use crate::text::write_u64;
use alloc::string::String;

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
/// Allowed values or properties in a message.
const MAX_CHOICES: usize = 12;

/// A step of a path; the parents are on the stack of the validation.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    Root,
    Item(&'a Path<'a>, usize),
    Property(&'a Path<'a>, Value<'a>),
}

impl Path<'_> {
    pub(crate) fn issue(&self, message: &str) -> Issue {
        let mut issue = Issue {
            path: String::new(),
            pointer: String::new(),
            message: message.into(),
        };
        self.write(&mut issue.path, &mut issue.pointer);
        issue
    }

    /// Paths are as short as validation is deep.
    fn write(&self, path: &mut String, pointer: &mut String) {
        match self {
            Path::Root => {}
            Path::Item(parent, index) => {
                parent.write(path, pointer);
                path.push('[');
                write_u64(path, *index as u64);
                path.push(']');
                push_index(pointer, *index);
            }
            Path::Property(parent, key) => {
                parent.write(path, pointer);
                let key = key.decoded();
                let (key, tail) = cut(&key, MAX_KEY);
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
                path.push_str(tail);
                push_token(pointer, key);
                pointer.push_str(tail);
            }
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

/// Appends the start of a value's text.
#[inline(never)]
pub(crate) fn push_start(out: &mut String, value: Value<'_>) {
    let (head, tail) = cut(value.raw(), MAX_ECHO);
    out.push_str(head);
    out.push_str(tail);
}

/// Appends the items of an array or the keys of an object, as far as they are useful.
pub(crate) fn push_choices(out: &mut String, choices: Value<'_>) {
    for (at, (choice, _)) in choices.members().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        if at == MAX_CHOICES {
            out.push('…');
            break;
        }
        push_start(out, choice);
    }
}
