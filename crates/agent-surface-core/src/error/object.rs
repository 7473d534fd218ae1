//! Writes one JSON object, member by member.
//!
//! It refuses nothing: its caller sees to it that keys are unique and raw members are JSON. Called by the failures,
//! the descriptors and whatever else of the core leaves as JSON text.

use agent_surface_json::{write_string, write_u64};

/// A JSON object on its way to text, keys in the order of the calls.
#[derive(Clone, Debug)]
pub struct ObjectWriter {
    out: String,
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectWriter {
    /// An object without members.
    pub fn new() -> Self {
        Self {
            out: String::from("{"),
        }
    }

    /// A text member.
    pub fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        write_string(&mut self.out, value);
        self
    }

    /// A number member.
    pub fn number(&mut self, key: &str, value: u64) -> &mut Self {
        self.key(key);
        write_u64(&mut self.out, value);
        self
    }

    /// A boolean member.
    pub fn flag(&mut self, key: &str, value: bool) -> &mut Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// A member whose value is JSON text already.
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.key(key);
        self.out.push_str(json);
        self
    }

    /// The text of the object; the writer starts over.
    pub fn finish(&mut self) -> String {
        let mut out = std::mem::replace(&mut self.out, String::from("{"));
        out.push('}');
        out
    }

    fn key(&mut self, key: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        write_string(&mut self.out, key);
        self.out.push(':');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_the_order_of_the_calls() {
        let text = ObjectWriter::new()
            .text("a\"", "x\n")
            .number("b", 7)
            .flag("c", false)
            .raw("d", "[1]")
            .finish();
        assert_eq!(text, r#"{"a\"":"x\n","b":7,"c":false,"d":[1]}"#);
    }

    #[test]
    fn an_object_without_members_is_two_braces() {
        assert_eq!(ObjectWriter::new().finish(), "{}");
    }
}
