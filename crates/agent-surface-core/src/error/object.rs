//! Writes JSON text, member by member.
//!
//! It refuses nothing: its caller sees to it that keys are unique, brackets match and raw members are JSON. Called by
//! the failures, the descriptors, the events and whatever else of the core leaves as JSON text.

use agent_surface_json::{write_string, write_u64};
use alloc::string::String;

/// Most objects are not longer, in bytes.
const LIKELY: usize = 240;

/// A JSON object (or, begun with `open_item`, a list) on its way to text, in the order of the calls.
#[derive(Clone, Debug, Default)]
pub struct ObjectWriter {
    out: String,
}

impl ObjectWriter {
    /// An object without members.
    pub const fn new() -> Self {
        Self { out: String::new() }
    }

    /// A text member.
    pub fn text(&mut self, key: &'static str, value: &str) -> &mut Self {
        write_string(self.key(key), value);
        self
    }

    /// A text member, when there is one.
    pub fn text_if(&mut self, key: &'static str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.text(key, value);
        }
        self
    }

    /// A number member.
    pub fn number(&mut self, key: &'static str, value: u64) -> &mut Self {
        write_u64(self.key(key), value);
        self
    }

    /// A boolean member.
    pub fn flag(&mut self, key: &'static str, value: bool) -> &mut Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// A member whose value is JSON text already.
    pub fn raw(&mut self, key: &'static str, json: &str) -> &mut Self {
        self.key(key).push_str(json);
        self
    }

    /// The same under a key that may be any text; the other keys are the library's own, and written as they are.
    pub fn given(&mut self, key: &str, json: &str) -> &mut Self {
        let out = self.begin();
        write_string(out, key);
        out.push(':');
        out.push_str(json);
        self
    }

    /// Begins a member that is an object (`"{"`) or a list (`"["`); `close` ends it.
    pub fn open(&mut self, key: &'static str, bracket: &str) -> &mut Self {
        self.raw(key, bracket)
    }

    /// Begins an item of a list, or, as the first thing that is written, a list. An item that is JSON text already is
    /// written whole.
    pub fn open_item(&mut self, bracket: &str) -> &mut Self {
        self.separate().push_str(bracket);
        self
    }

    /// A text item of a list; `None` is null.
    pub fn item(&mut self, value: Option<&str>) -> &mut Self {
        let out = self.separate();
        match value {
            Some(value) => write_string(out, value),
            None => out.push_str("null"),
        }
        self
    }

    /// A number item of a list.
    pub fn number_item(&mut self, value: u64) -> &mut Self {
        write_u64(self.separate(), value);
        self
    }

    /// Ends what `open` or `open_item` began.
    pub fn close(&mut self, bracket: &str) -> &mut Self {
        self.out.push_str(bracket);
        self
    }

    /// The members of a JSON object.
    pub fn members_of(&mut self, object: &str) -> &mut Self {
        let members = object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if let Some(members) = members.filter(|members| !members.is_empty()) {
            self.begin().push_str(members);
        }
        self
    }

    /// The text of the object; the writer starts over.
    pub fn finish(&mut self) -> String {
        if self.out.is_empty() {
            self.out.push('{');
        }
        self.out.push('}');
        self.take()
    }

    /// The text as it is; the writer starts over.
    pub fn take(&mut self) -> String {
        core::mem::take(&mut self.out)
    }

    fn key(&mut self, key: &'static str) -> &mut String {
        let out = self.begin();
        out.push('"');
        out.push_str(key);
        out.push_str("\":");
        out
    }

    /// Where a member goes.
    fn begin(&mut self) -> &mut String {
        if self.out.is_empty() {
            self.out.reserve(LIKELY);
            self.out.push('{');
        }
        self.separate()
    }

    /// A comma, unless something was just begun.
    fn separate(&mut self) -> &mut String {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[')) {
            self.out.push(',');
        }
        &mut self.out
    }
}

/// A number as a text of its own.
pub(crate) fn decimal(number: u64) -> String {
    let mut out = String::new();
    write_u64(&mut out, number);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_the_order_of_the_calls() {
        let text = ObjectWriter::new()
            .given("a\"", "\"x\"")
            .number("b", 7)
            .flag("c", false)
            .raw("d", "[1]")
            .finish();
        assert_eq!(text, r#"{"a\"":"x","b":7,"c":false,"d":[1]}"#);
    }

    #[test]
    fn an_object_without_members_is_two_braces() {
        assert_eq!(ObjectWriter::new().finish(), "{}");
    }

    #[test]
    fn lists_and_objects_nest() {
        let text = ObjectWriter::new()
            .open("a", "[")
            .item(Some("x"))
            .item(None)
            .open_item("{")
            .raw("", "1")
            .close("}")
            .close("]")
            .open("b", "{")
            .members_of("{}")
            .members_of(r#"{"c":2}"#)
            .close("}")
            .finish();
        assert_eq!(text, r#"{"a":["x",null,{"":1}],"b":{"c":2}}"#);
        assert_eq!(
            ObjectWriter::new()
                .open_item("[")
                .open_item("1")
                .close("]")
                .take(),
            "[1]"
        );
    }
}
