//! Filling `default` into absent properties of a value's text.
//!
//! It refuses to rewrite: the text stays as it is and gets insertions before closing braces. It goes through
//! `properties`, `items` and `$ref`, never into `anyOf`. `Schema` and the check of defaults call it.

use super::Schema;
use super::keyword::Keyword;
use crate::document::Value;
use crate::parse::{self, narrow};
use alloc::string::String;
use alloc::vec::Vec;

/// Bytes that filling may add to one value.
pub(crate) const MAX_FILLED_BYTES: usize = 1 << 20;
/// Levels of a value that are walked.
const MAX_DEPTH: usize = 128;

struct Filler<'s> {
    schema: &'s Schema,
    out: String,
    /// Offset in the text of the value's document up to which it is in `out`.
    copied: usize,
    added: usize,
    max_bytes: usize,
}

/// The text of `value` filled by the schemas in `chain`; `None` when nothing is absent.
pub(crate) fn fill(schema: &Schema, chain: &[u32], value: Value<'_>, max_bytes: usize) -> Option<String> {
    let mut filler = Filler {
        schema,
        out: String::new(),
        copied: value.start(),
        added: 0,
        max_bytes,
    };
    filler.walk(chain, value, 0);
    if filler.added == 0 {
        return None;
    }
    filler.copy(value, value.end());
    Some(filler.out)
}

/// Rounds after which a default that fills itself is refused: each adds one level.
const MAX_ROUNDS: usize = 64;

/// Finds for every schema what is inserted for an absent property: the first default of its chain, itself filled.
/// Gives a schema whose default grows past `max_bytes`, or for ever.
pub(crate) fn prepare(schema: &mut Schema, max_bytes: usize) -> Option<u32> {
    let mut grown = None;
    for _ in 0..MAX_ROUNDS {
        grown = None;
        for head in 0..narrow(schema.rules.len()) {
            if schema.rule(head).keyword >= Keyword::Schema && grows(schema, head, max_bytes) {
                grown = Some(head);
            }
        }
        if grown.is_none() {
            break;
        }
    }
    grown
}

/// One round for one schema: whether its text is another one now, or too long.
fn grows(schema: &mut Schema, head: u32, max_bytes: usize) -> bool {
    let chain = schema.chain(head);
    let Some(default) = schema.default(&chain) else {
        return false;
    };
    let text = fill(schema, &chain, default, max_bytes).unwrap_or_else(|| default.raw().into());
    if text.len() > max_bytes {
        return true;
    }
    let is_new = schema.filled(head) != Some(&text);
    let count = narrow(schema.fills.len());
    if let Some(rule) = schema.rules.get_mut(head as usize).filter(|_| is_new) {
        if rule.number == 0 {
            rule.number = count + 1;
            schema.fills.push(text);
        } else if let Some(known) = schema.fills.get_mut(rule.number as usize - 1) {
            *known = text;
        }
    }
    is_new
}

impl Filler<'_> {
    fn walk(&mut self, chain: &[u32], value: Value<'_>, depth: usize) {
        if depth >= MAX_DEPTH || self.added > self.max_bytes {
            return;
        }
        let is_array = value.tag() == parse::ARRAY;
        for (key, member) in value.members() {
            let mut schemas = Vec::new();
            for head in chain {
                let keyword = if is_array {
                    Keyword::Items
                } else {
                    Keyword::Properties
                };
                let Some((_, argument)) = self.schema.keyword(*head, keyword) else {
                    continue;
                };
                for (name, property) in argument.raw_entries() {
                    if !is_array && name.has_same_text(key) {
                        self.schema.follow(self.schema.head(property), &mut schemas);
                    }
                }
                if is_array {
                    self.schema.follow(self.schema.head(argument), &mut schemas);
                }
            }
            if !schemas.is_empty() {
                self.walk(&schemas, member, depth + 1);
            }
        }
        if value.tag() == parse::OBJECT {
            self.add_absent(chain, value);
        }
    }

    /// Adds the absent properties of an object before its closing brace.
    fn add_absent(&mut self, chain: &[u32], value: Value<'_>) {
        let schema = self.schema;
        let mut added: Vec<Value<'_>> = Vec::new();
        for (_, properties) in chain
            .iter()
            .filter_map(|head| schema.keyword(*head, Keyword::Properties))
        {
            for (name, property) in properties.raw_entries() {
                let Some(default) = schema.filled(schema.head(property)) else {
                    continue;
                };
                let is_there = value.raw_entries().any(|(key, _)| key.has_same_text(name))
                    || added.iter().any(|known| known.has_same_text(name));
                if is_there || self.added > self.max_bytes {
                    continue;
                }
                self.copy(value, value.end() - 1);
                let from = self.out.len();
                if !value.is_empty() || !added.is_empty() {
                    self.out.push(',');
                }
                self.out.push_str(name.raw());
                self.out.push(':');
                self.out.push_str(default);
                self.added += self.out.len() - from;
                added.push(name);
            }
        }
    }

    /// Copies the document's text up to an offset.
    fn copy(&mut self, value: Value<'_>, to: usize) {
        let text = value.document().text();
        self.out.push_str(text.get(self.copied..to).unwrap_or_default());
        self.copied = to;
    }
}
