//! The schema of a procedure as the agent sees it: without what the page binds.
//!
//! It refuses to touch anything below the root. Definitions call it.

use crate::document::Value;
use crate::schema::fault::locate;
use crate::text::concat;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A `$ref` at the root is followed at most this often.
const MAX_CHAIN: usize = 32;

/// The text of `schema` without the `locked` fields in `properties` and `required`; the other `bound` fields
/// stop being required. A `$ref` at the root is replaced by what it names, so that no locked field
/// hides behind it.
pub fn reduce(schema: Value<'_>, locked: &[String], bound: &[String]) -> String {
    let sources = sources(schema);
    let mut out = Members::default();
    for source in &sources {
        for (key, value) in source.raw_entries() {
            let is_required = key.is_str("required");
            if !is_required && !key.is_str("properties") {
                if sources.len() == 1 || !key.is_str("$ref") {
                    out.add(key, value.raw());
                }
                continue;
            }
            let mut fields = Members::default();
            for source in &sources {
                let Some(found) = source.get(if is_required { "required" } else { "properties" }) else {
                    continue;
                };
                for (name, field) in found.members() {
                    let is_in = |names: &[String]| names.iter().any(|out| name.is_str(out));
                    if !(is_in(locked) || is_required && is_in(bound)) {
                        fields.add(name, if is_required { "" } else { field.raw() });
                    }
                }
            }
            let (open, close) = if is_required { ("[", "]") } else { ("{", "}") };
            if !is_required || !fields.text.is_empty() {
                out.add(key, &concat(&[open, &fields.text, close]));
            }
        }
    }
    concat(&["{", &out.text, "}"])
}

/// The root and the schemas that its `$ref` leads to.
fn sources(schema: Value<'_>) -> Vec<Value<'_>> {
    let mut sources = vec![schema];
    let mut at = schema;
    while let Some(reference) = at.get("$ref").and_then(Value::as_str)
        && let Some(target) = locate(schema, &reference)
        && sources.len() < MAX_CHAIN
    {
        sources.push(target);
        at = target;
    }
    sources
}

/// The inside of a JSON object or array in the making.
#[derive(Default)]
struct Members<'a> {
    text: String,
    names: Vec<Value<'a>>,
}

impl<'a> Members<'a> {
    /// Adds an entry, or an item if there is no value; the first of equal names counts.
    fn add(&mut self, name: Value<'a>, value: &str) {
        if self.names.iter().any(|known| known.has_same_text(name)) {
            return;
        }
        self.names.push(name);
        if !self.text.is_empty() {
            self.text.push(',');
        }
        self.text.push_str(name.raw());
        if !value.is_empty() {
            self.text.push(':');
            self.text.push_str(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;
    use crate::{Bounds, Document};

    fn reduced(text: &str, locked: &[&str], bound: &[&str]) -> String {
        let bounds = Bounds {
            max_bytes: 10_000,
            max_depth: 64,
            lone_surrogates: false,
        };
        let document = Document::parse(text, bounds).unwrap();
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        reduce(document.root(), &owned(locked), &owned(bound))
    }

    #[test]
    fn locked_fields_leave_and_bound_fields_become_optional() {
        let schema = r#"{"type":"object","properties":{"ids":{"type":"array"},"note":{"type":"string"},"why":{}},"required":["ids","note","why"],"additionalProperties":false}"#;
        assert_eq!(
            reduced(schema, &["ids"], &["ids", "note"]),
            r#"{"type":"object","properties":{"note":{"type":"string"},"why":{}},"required":["why"],"additionalProperties":false}"#
        );
        assert_eq!(
            reduced(schema, &["ids", "note", "why"], &[]),
            r#"{"type":"object","properties":{},"additionalProperties":false}"#
        );
        assert_eq!(reduced(schema, &[], &[]), schema);
    }

    #[test]
    fn a_locked_field_does_not_hide_behind_a_root_reference() {
        let schema = r##"{"$ref":"#/$defs/In","title":"T","$defs":{"In":{"type":"object","title":"I","properties":{"a":{},"b":{"$ref":"#/$defs/In"}},"required":["a","b"]}}}"##;
        assert_eq!(
            reduced(schema, &["a"], &["a"]),
            r##"{"title":"T","$defs":{"In":{"type":"object","title":"I","properties":{"a":{},"b":{"$ref":"#/$defs/In"}},"required":["a","b"]}},"type":"object","properties":{"b":{"$ref":"#/$defs/In"}},"required":["b"]}"##
        );
    }
}
