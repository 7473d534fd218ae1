//! The closed subset of JSON Schema 2020-12 that the package promises: compiled once, checked often.
//!
//! It refuses every keyword it does not evaluate, so that no schema is looser than it reads. The core
//! compiles at registration and validates inputs and outputs with it.

mod compile;
mod defaults;
mod fault;
mod format;
mod host;
mod issue;
mod keyword;
mod memo;
mod opaque;
mod reduce;
mod rules;
mod validate;

use crate::document::{Document, Value};
use crate::pattern::Pattern;
use rules::{Node, OBJECT};

pub use fault::{SchemaError, SchemaFault};
pub use issue::Issue;
pub use opaque::check_opaque;
pub use reduce::reduce;

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

/// A compiled schema. It owns all it needs.
#[derive(Debug)]
pub struct Schema {
    document: Document,
    /// The root comes first.
    nodes: Vec<Node>,
    patterns: Vec<Pattern>,
    has_defaults: bool,
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
        compile::compile(document, limits, options).map_err(|refusal| *refusal.0)
    }

    /// Whether objects are what the root asks for: its `type` is `object` or a list with it, directly or
    /// through a root `$ref`.
    pub fn is_object_root(&self) -> bool {
        let mut has_object = false;
        for node in self.chain(0).iter().filter_map(|id| self.node(*id)) {
            if node.types != 0 && node.types & OBJECT == 0 {
                return false;
            }
            has_object |= node.types != 0;
        }
        has_object
    }

    /// Whether any value could lack a default. `false` spares the call of `fill_defaults`.
    pub fn has_defaults(&self) -> bool {
        self.has_defaults
    }

    /// The value's text with its absent defaults filled, new keys after the existing ones; `None` when there
    /// is nothing to fill. Filling stops a little past `MAX_FILLED_BYTES` more than the value has: the
    /// caller bounds the result like any other input.
    pub fn fill_defaults(&self, value: Value<'_>) -> Option<String> {
        if self.has_defaults {
            defaults::fill(self, &self.chain(0), value, defaults::MAX_FILLED_BYTES)
        } else {
            None
        }
    }

    /// What is wrong with `value`, in the order of its text: empty when it is valid, at most 32.
    pub fn validate(&self, value: Value<'_>) -> Vec<Issue> {
        validate::validate(self, 0, value)
    }

    fn node(&self, id: u32) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    /// A node and what it refers to, one after the other: all of them apply to a value. Compiling has
    /// refused circles.
    fn chain(&self, id: u32) -> Vec<u32> {
        let mut chain = Vec::new();
        self.follow(Some(id), &mut chain);
        chain
    }

    /// Adds the chain of a node, if there is one.
    fn follow(&self, id: Option<u32>, chain: &mut Vec<u32>) {
        let mut at = id;
        while let Some(id) = at {
            chain.push(id);
            at = self.node(id).and_then(|node| node.reference);
        }
    }
}

#[cfg(test)]
mod tests;
