//! Filling `default` into absent properties of a value's text.
//!
//! It refuses to rewrite: the text stays as it is and gets insertions before closing braces. It goes through
//! `properties`, `items` and `$ref`, never into `anyOf`. `Schema` and the check of defaults call it.

use super::Schema;
use crate::document::Value;
use crate::equality::has_same_text;
use crate::parse::narrow;

/// Bytes that filling may add to one value.
pub(crate) const MAX_FILLED_BYTES: usize = 1 << 20;
/// Levels of a value that are walked.
const MAX_DEPTH: usize = 128;

/// Text to insert, in rising order of offsets.
struct Insertion {
    offset: usize,
    text: String,
}

struct Filler<'s> {
    schema: &'s Schema,
    insertions: Vec<Insertion>,
    added: usize,
    max_bytes: usize,
}

/// The text of `value` filled by the schemas in `chain`; `None` when nothing is absent.
pub(crate) fn fill(schema: &Schema, chain: &[u32], value: Value<'_>, max_bytes: usize) -> Option<String> {
    let mut filler = Filler {
        schema,
        insertions: Vec::new(),
        added: 0,
        max_bytes,
    };
    filler.walk(chain, value, 0);
    if filler.insertions.is_empty() {
        return None;
    }
    let source = value.raw();
    let mut out = String::with_capacity(source.len() + filler.added);
    let mut copied = 0;
    for insertion in &filler.insertions {
        let offset = insertion.offset - value.start();
        out.push_str(source.get(copied..offset).unwrap_or_default());
        out.push_str(&insertion.text);
        copied = offset;
    }
    out.push_str(source.get(copied..).unwrap_or_default());
    Some(out)
}

/// Rounds after which a default that fills itself is refused: each adds one level.
const MAX_ROUNDS: usize = 64;

/// Finds for every node what is inserted for an absent property: the first default of its chain, itself filled.
/// The error is a node whose default grows past `max_bytes`, or for ever.
pub(crate) fn prepare(schema: &mut Schema, max_bytes: usize) -> Result<(), u32> {
    let mut grown = None;
    for _ in 0..MAX_ROUNDS {
        grown = None;
        for id in 0..narrow(schema.nodes.len()) {
            grown = fill_default(schema, id, max_bytes)?.or(grown);
        }
        if grown.is_none() {
            break;
        }
        schema.has_defaults = true;
    }
    grown.map_or(Ok(()), Err)
}

/// One round for one node: the node that holds its default, when the text has changed.
fn fill_default(schema: &mut Schema, id: u32, max_bytes: usize) -> Result<Option<u32>, u32> {
    let chain = schema.chain(id);
    let default = |id: &u32| Some((*id, schema.node(*id)?.default?));
    let Some((holder, index)) = chain.iter().find_map(default) else {
        return Ok(None);
    };
    let value = schema.document.value_at(index);
    let text = fill(schema, &chain, value, max_bytes).unwrap_or_else(|| value.raw().into());
    if text.len() > max_bytes {
        return Err(holder);
    }
    let Some(node) = schema.nodes.get_mut(id as usize) else {
        return Ok(None);
    };
    let is_new = node.filled.as_deref() != Some(&*text);
    node.filled = Some(text.into());
    Ok(is_new.then_some(holder))
}

impl Filler<'_> {
    fn walk(&mut self, chain: &[u32], value: Value<'_>, depth: usize) {
        if depth >= MAX_DEPTH || self.added > self.max_bytes {
            return;
        }
        let schema = self.schema;
        let mut items = Vec::new();
        let mut has_object = false;
        for node in chain.iter().filter_map(|id| schema.node(*id)) {
            schema.follow(node.items, &mut items);
            has_object |= node.object.is_some();
        }
        if !items.is_empty() {
            for item in value.items() {
                self.walk(&items, item, depth + 1);
            }
        }
        if value.kind() != crate::Kind::Object || !has_object {
            return;
        }
        for (key, entry) in value.raw_entries() {
            let schemas = self.schemas_of(chain, key);
            if !schemas.is_empty() {
                self.walk(&schemas, entry, depth + 1);
            }
        }
        self.add_absent(chain, value);
    }

    /// The schemas that apply to a property.
    fn schemas_of(&self, chain: &[u32], name: Value<'_>) -> Vec<u32> {
        let mut schemas = Vec::new();
        for object in chain
            .iter()
            .filter_map(|id| self.schema.node(*id)?.object.as_ref())
        {
            let property = object
                .find(&self.schema.document, name, 0)
                .and_then(|index| object.properties.get(index));
            self.schema
                .follow(property.and_then(|property| property.node), &mut schemas);
        }
        schemas
    }

    fn add_absent(&mut self, chain: &[u32], value: Value<'_>) {
        let schema = self.schema;
        let mut added: Vec<Value<'_>> = Vec::new();
        let mut text = String::new();
        for object in chain.iter().filter_map(|id| schema.node(*id)?.object.as_ref()) {
            for property in &object.properties {
                let Some(id) = property.node else { continue };
                let Some(default) = schema.node(id).and_then(|node| node.filled.as_deref()) else {
                    continue;
                };
                let name = schema.document.value_at(property.name);
                let is_there = value.raw_entries().any(|(key, _)| has_same_text(key, name))
                    || added.iter().any(|known| has_same_text(*known, name));
                if is_there || self.added + text.len() > self.max_bytes {
                    continue;
                }
                if !value.is_empty() || !text.is_empty() {
                    text.push(',');
                }
                text.push_str(name.raw());
                text.push(':');
                text.push_str(default);
                added.push(name);
            }
        }
        if !text.is_empty() {
            self.added += text.len();
            self.insertions.push(Insertion {
                offset: value.end() - 1,
                text,
            });
        }
    }
}
