//! Writes JSON objects, and the responses that are made of them.
//!
//! It refuses to judge what it writes. Called by `kernel` and `catalog`.

use agent_surface_json::write_string;
use alloc::string::String;

use crate::error::Refusal;
use crate::request::PROTOCOL;

/// An object that is being written.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Object {
        Object(String::from("{"))
    }

    /// A member that is JSON text already.
    pub(crate) fn raw(mut self, key: &str, json: &str) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    pub(crate) fn text(self, key: &str, text: &str) -> Object {
        self.raw(key, &quoted(text))
    }

    pub(crate) fn flag(self, key: &str, is_set: bool) -> Object {
        self.raw(key, if is_set { "true" } else { "false" })
    }

    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// What every response begins with. A request that has no usable id is answered with `null` for it.
fn head(id: Option<&str>, is_ok: bool) -> Object {
    let head = Object::new().text("protocol", PROTOCOL);
    match id {
        Some(id) => head.text("id", id),
        None => head.raw("id", "null"),
    }
    .flag("ok", is_ok)
}

/// The exchange failed before the action.
pub(crate) fn refused(id: Option<&str>, refusal: &Refusal) -> String {
    let error = Object::new()
        .text("code", refusal.code.as_str())
        .text("message", &refusal.message);
    head(id, false).raw("error", &error.end()).end()
}

/// The exchange succeeded; `result` is JSON text.
pub(crate) fn answered(id: &str, result: &str) -> String {
    head(Some(id), true).raw("result", result).end()
}

/// A result that is an error.
pub(crate) fn failed(code: &str, message: &str, retry: &str, details: Option<&str>) -> String {
    let mut error = Object::new()
        .text("code", code)
        .text("message", message)
        .text("retry", retry);
    if let Some(details) = details {
        error = error.raw("details", details);
    }
    Object::new().raw("error", &error.end()).end()
}
