//! The schema of a procedure as the agent sees it: without what the page binds.
//!
//! It refuses to touch anything below the root. Definitions call it.

use crate::document::Value;
use crate::schema::opaque::locate;
use crate::text::write_string;
use std::borrow::Cow;

/// A `$ref` at the root is followed at most this often.
const MAX_CHAIN: usize = 32;

/// The text of `schema` without the `locked` fields in `properties` and `required`; the other `bound` fields
/// stop being required. A `$ref` at the root is replaced by what it names, so that no locked field
/// hides behind it.
pub fn reduce(schema: Value<'_>, locked: &[String], bound: &[String]) -> String {
    let sources = sources(schema);
    let is_locked = |name: &str| locked.iter().any(|field| field == name);
    let is_bound = |name: &str| is_locked(name) || bound.iter().any(|field| field == name);
    let mut out = Members::new('{');
    let mut written: Vec<Cow<'_, str>> = Vec::new();
    for source in &sources {
        for (key, value) in source.entries() {
            if written.contains(&key) || (&*key == "$ref" && sources.len() > 1) {
                continue;
            }
            match &*key {
                "properties" => out.member(&key, &properties(&sources, &is_locked)),
                "required" => {
                    if let Some(text) = required(&sources, &is_bound) {
                        out.member(&key, &text);
                    }
                }
                _ => out.member(&key, value.raw()),
            }
            written.push(key);
        }
    }
    out.close('}')
}

/// The root and the schemas that its `$ref` leads to.
fn sources(schema: Value<'_>) -> Vec<Value<'_>> {
    let mut sources = vec![schema];
    let mut at = schema;
    while let Some(reference) = at.get("$ref").and_then(Value::as_str)
        && let Some(target) = locate(schema.document(), &reference)
        && sources.len() < MAX_CHAIN
    {
        sources.push(target);
        at = target;
    }
    sources
}

fn properties(sources: &[Value<'_>], is_locked: &dyn Fn(&str) -> bool) -> String {
    let mut out = Members::new('{');
    let mut written: Vec<Cow<'_, str>> = Vec::new();
    for (key, value) in sources
        .iter()
        .filter_map(|source| source.get("properties"))
        .flat_map(Value::entries)
    {
        if !is_locked(&key) && !written.contains(&key) {
            out.member(&key, value.raw());
            written.push(key);
        }
    }
    out.close('}')
}

/// `None` when nothing stays required.
fn required(sources: &[Value<'_>], is_bound: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut out = Members::new('[');
    let mut written: Vec<Cow<'_, str>> = Vec::new();
    for name in sources
        .iter()
        .filter_map(|source| source.get("required"))
        .flat_map(Value::items)
    {
        let name = name.as_str().unwrap_or_default();
        if !is_bound(&name) && !written.contains(&name) {
            out.separate();
            write_string(&mut out.text, &name);
            written.push(name);
        }
    }
    let is_empty = written.is_empty();
    (!is_empty).then(|| out.close(']'))
}

/// A JSON object or array in the making.
struct Members {
    text: String,
}

impl Members {
    fn new(bracket: char) -> Self {
        Members { text: bracket.into() }
    }

    fn separate(&mut self) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
    }

    fn member(&mut self, key: &str, value: &str) {
        self.separate();
        write_string(&mut self.text, key);
        self.text.push(':');
        self.text.push_str(value);
    }

    fn close(mut self, bracket: char) -> String {
        self.text.push(bracket);
        self.text
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
