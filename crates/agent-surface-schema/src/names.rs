//! What references can name: the resources and anchors of a schema and of the documents beside it.
//!
//! It refuses to resolve addresses as URIs: a last segment that is equal may be the one that is meant, so that it finds
//! too much rather than too little. The engine and `cost` call it.

use serde_json::Value;

use crate::defaults::decoded;
use crate::engine::token;

/// Keywords whose text names a schema.
pub(crate) const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema, and which document it is in.
pub(crate) type Target<'s> = (usize, &'s Value);

/// Places by name, in the documents that they were collected from.
#[derive(Debug)]
pub(crate) struct Names(Vec<Place>);

#[derive(Debug)]
struct Place {
    is_anchor: bool,
    name: String,
    document: usize,
    pointer: String,
}

/// The last segment of an address, without its fragment.
fn tail(address: &str) -> &str {
    let address = address.split('#').next().unwrap_or_default();
    address.rsplit('/').next().unwrap_or_default()
}

impl Names {
    /// Of documents with their addresses, the schema itself being the first; `None` when nothing in it refers.
    pub(crate) fn collect(documents: &[(&str, &Value)]) -> Option<Names> {
        let (_, schema) = documents.first()?;
        if !refers(schema) {
            return None;
        }
        let mut names = Names(Vec::new());
        for (document, (address, schema)) in documents.iter().enumerate() {
            names.add(false, tail(address), document, "");
            names.walk(schema, document, "");
        }
        Some(names)
    }

    fn add(&mut self, is_anchor: bool, name: &str, document: usize, pointer: &str) {
        let (name, pointer) = (name.to_owned(), pointer.to_owned());
        self.0.push(Place {
            is_anchor,
            name,
            document,
            pointer,
        });
    }

    fn walk(&mut self, schema: &Value, document: usize, pointer: &str) {
        match schema {
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.walk(item, document, &[pointer, "/", &at.to_string()].concat());
                }
            }
            Value::Object(entries) => {
                for (key, value) in entries {
                    match (key.as_str(), value.as_str()) {
                        ("$id" | "id", Some(name)) => {
                            let anchor = name.strip_prefix('#');
                            self.add(anchor.is_some(), anchor.unwrap_or(tail(name)), document, pointer);
                        }
                        ("$anchor" | "$dynamicAnchor", Some(name)) => self.add(true, name, document, pointer),
                        _ => self.walk(value, document, &[pointer, "/", &token(key)].concat()),
                    }
                }
            }
            _ => {}
        }
    }

    /// Whatever a reference in a document may lead to; all resources when it is none that is known.
    pub(crate) fn targets<'s>(
        &self,
        documents: &[&'s Value],
        from: usize,
        keyword: &str,
        reference: &str,
    ) -> Vec<Target<'s>> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        let fragment = decoded(fragment).unwrap_or_default();
        let below = if is_pointer { &*fragment } else { "" };
        let at = |place: &Place, below: &str| {
            let resource = documents.get(place.document)?.pointer(&place.pointer)?;
            Some((place.document, resource.pointer(below)?))
        };
        let is_meant = |place: &&Place| {
            let is_near = !address.is_empty() || place.document == from;
            match (is_pointer, place.is_anchor) {
                (true, false) if address.is_empty() => {
                    is_near
                        || keyword == "$recursiveRef"
                            && at(place, "").is_some_and(|(_, it)| it.get("$recursiveAnchor").is_some())
                }
                (true, false) => place.name == tail(address),
                // Which one it is depends on the way that led here.
                (false, true) => place.name == fragment && (is_near || keyword == "$dynamicRef"),
                _ => false,
            }
        };
        let found = self.0.iter().filter(is_meant);
        let found: Vec<_> = found.filter_map(|place| at(place, below)).collect();
        // A draft's own schema leads down by one way.
        if !found.is_empty() || address.contains("//json-schema.org/") {
            return found;
        }
        let resources = self.0.iter().filter(|place| !place.is_anchor);
        resources.filter_map(|place| at(place, "")).collect()
    }
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(refers),
        Value::Object(entries) => entries
            .iter()
            .any(|(key, value)| REFERENCES.contains(&&**key) || refers(value)),
        _ => false,
    }
}
