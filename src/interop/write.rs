//! Small texts for the facade: objects of members, and errors.
//!
//! It refuses to know what they say. Called by the other files here.

use alloc::string::String;

use agent_surface_interop::{Error, write_json_string};
use agent_surface_json::write_u64;

/// A JSON object, member by member.
pub(super) struct Object(String);

impl Object {
    pub(super) fn new() -> Self {
        Object(String::from("{"))
    }

    /// `json` is JSON text.
    pub(super) fn raw(mut self, key: &str, json: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_json_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(json);
        self
    }

    pub(super) fn text(self, key: &str, value: &str) -> Self {
        let mut json = String::new();
        write_json_string(&mut json, value);
        self.raw(key, &json)
    }

    pub(super) fn number(self, key: &str, value: u64) -> Self {
        let mut json = String::new();
        write_u64(&mut json, value);
        self.raw(key, &json)
    }

    pub(super) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// What the facade makes an `InteropError` of.
pub(super) fn error(error: &Error) -> String {
    let told = Object::new()
        .text("code", error.code())
        .text("type", error.class().name())
        .number("status", u64::from(error.status()))
        .text("message", &error.message());
    match error.detail() {
        "" => told.end(),
        detail => told.text("detail", detail).end(),
    }
}
