//! The closed subset of JSON Schema 2020-12 that the package promises: compiled once, checked often.
//!
//! It refuses every keyword it does not evaluate, so that no schema is looser than it reads. The core
//! compiles at registration and validates inputs and outputs with it.

mod compile;
mod defaults;
mod fault;
mod format;
mod issue;
mod keyword;
mod memo;
mod reduce;
mod types;
mod validate;

use crate::document::{Document, Value};
use crate::pattern::Pattern;
use alloc::string::String;
use alloc::vec::Vec;
use keyword::Keyword;

pub use fault::{OTHERWISE, SchemaError, SchemaFault, push_token};
pub use issue::Issue;
pub use reduce::reduce;

/// Schemas open at once over one value and what it holds: 64 levels of a value under eight schemas each.
const MAX_STEPS: usize = 512;

/// What a schema may be at most.
#[derive(Clone, Copy, Debug)]
pub struct SchemaLimits {
    /// UTF-8 bytes of its text, inclusive.
    pub max_bytes: usize,
    /// Schemas within schemas, inclusive; the root is 0, a schema under `properties` one deeper.
    pub max_depth: usize,
}

/// What of a schema is acted upon.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether `format` is asserted; otherwise it is an annotation.
    pub assert_formats: bool,
    /// Whether `default` is checked and filled; otherwise it is an annotation.
    pub fill_defaults: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            assert_formats: true,
            fill_defaults: true,
        }
    }
}

/// Checks size, depth and, where `is_local`, that every reference stays within the document, of a schema that others
/// evaluate. Depth counts schemas, as in compiled ones, under every applicator of any draft.
pub fn check_opaque(document: &Document, limits: SchemaLimits, is_local: bool) -> Result<(), SchemaError> {
    let compiled = compile::compile(document, limits, Options::default(), Some(is_local));
    compiled.map(|_| ()).map_err(|refusal| *refusal.0)
}

/// One keyword of a schema, or the head of the rules of one schema, which end where the next head is.
#[derive(Clone, Copy, Debug, Default)]
struct Rule {
    keyword: Keyword,
    /// Its place on the tape; of a head, that of the schema.
    argument: u32,
    /// What the argument comes to: a count, bits of types, a pattern, the head of the schema that `$ref` names. At
    /// `properties` twice the place in `names`, and 1 more if there may be no others. Of a head: the filled default,
    /// counted from 1.
    number: u32,
}

/// A compiled schema. It owns all it needs, and no text twice: arguments are in its own document.
#[derive(Debug)]
pub struct Schema {
    document: Document,
    /// The root comes first. A schema is known by the place of its head.
    rules: Vec<Rule>,
    /// For each node of the tape that is a schema, its head.
    heads: Vec<u32>,
    patterns: Vec<Pattern>,
    /// Places of the keys of every `properties`, sorted, so that an object of many unknown names costs no more.
    names: Vec<u32>,
    /// What is inserted for an absent property: the default of its schema or of what that refers to, itself filled.
    fills: Vec<String>,
}

impl Schema {
    /// Compiles with formats asserted and defaults filled.
    pub fn compile(document: &Document, limits: SchemaLimits) -> Result<Schema, SchemaError> {
        Schema::compile_with(document, limits, Options::default())
    }

    /// Compiles with other options: for comparison with other validators.
    pub fn compile_with(
        document: &Document,
        limits: SchemaLimits,
        options: Options,
    ) -> Result<Schema, SchemaError> {
        compile::compile(document, limits, options, None).map_err(|refusal| *refusal.0)
    }

    /// Whether objects are what the root asks for: its `type` is `object` or a list with it, directly or
    /// through a root `$ref`.
    pub fn is_object_root(&self) -> bool {
        let mut has_object = false;
        for head in self.chain(0) {
            if let Some((types, _)) = self.keyword(head, Keyword::Type) {
                has_object = types & types::OBJECT != 0;
                if !has_object {
                    break;
                }
            }
        }
        has_object
    }

    /// Whether any value could lack a default. `false` spares the call of `fill_defaults`.
    pub fn has_defaults(&self) -> bool {
        !self.fills.is_empty()
    }

    /// The value's text with its absent defaults filled, new keys after the existing ones; `None` when there
    /// is nothing to fill. Filling stops a little past `MAX_FILLED_BYTES` more than the value has: the
    /// caller bounds the result like any other input.
    pub fn fill_defaults(&self, value: Value<'_>) -> Option<String> {
        if self.has_defaults() {
            defaults::fill(self, &self.chain(0), value, defaults::MAX_FILLED_BYTES)
        } else {
            None
        }
    }

    /// What is wrong with `value`, in the order of its text: empty when it is valid, at most 32.
    pub fn validate(&self, value: Value<'_>) -> Vec<Issue> {
        validate::validate(self, 0, value)
    }

    fn rule(&self, place: u32) -> Rule {
        self.rules.get(place as usize).copied().unwrap_or_default()
    }

    /// The head of a schema that stands in the document.
    fn head(&self, schema: Value<'_>) -> u32 {
        self.heads.get(schema.index() as usize).copied().unwrap_or(0)
    }

    /// The number and the argument of a keyword of this schema.
    fn keyword(&self, head: u32, keyword: Keyword) -> Option<(u32, Value<'_>)> {
        for rule in self.rules.get(head as usize + 1..)? {
            if rule.keyword == keyword {
                return Some((rule.number, self.document.value_at(rule.argument)));
            }
            if rule.keyword >= Keyword::Schema {
                break;
            }
        }
        None
    }

    /// A schema and what it refers to, one after the other: all of them apply to a value. Compiling has
    /// refused circles.
    fn chain(&self, head: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        self.follow(head, &mut chain);
        chain
    }

    fn follow(&self, head: u32, chain: &mut Vec<u32>) {
        chain.push(head);
        let mut at = head;
        while let Some((target, _)) = self.keyword(at, Keyword::Ref) {
            at = target;
            chain.push(at);
        }
    }

    /// What is inserted where a property with this schema is absent.
    fn filled(&self, head: u32) -> Option<&String> {
        let rule = self.rule(head);
        let is_head = rule.keyword >= Keyword::Schema;
        self.fills
            .get((rule.number as usize).checked_sub(1)?)
            .filter(|_| is_head)
    }

    /// The first `default` of a chain.
    fn default(&self, chain: &[u32]) -> Option<Value<'_>> {
        chain
            .iter()
            .find_map(|head| self.keyword(*head, Keyword::Default))
            .map(|(_, default)| default)
    }
}

#[cfg(test)]
mod tests;
