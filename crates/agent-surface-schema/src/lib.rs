//! The full JSON Schema engine: drafts 4 to 2020-12, as a WebAssembly module that a page loads only when it installs it.
//!
//! It refuses to fetch anything (documents are handed over), to backtrack in a `pattern`, and to know what a surface is:
//! texts go in, verdicts come out. `pkg-template/lib/schema-engine.js` calls it for the schemas that the closed subset
//! of `agent-surface-json` refuses; where both take a schema, they agree.

#![forbid(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod boundary;
mod cost;
mod defaults;
mod engine;
mod issue;
mod names;
mod rule;

pub use engine::{Compiled, Engine, Options, Refusal, Verdict};
pub use issue::Issue;
