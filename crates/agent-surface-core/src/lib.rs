//! The sans-IO core of agent-surface-wasm: ids, definitions, registry, invocation, policy, confirmation, toolset.
//!
//! It decides and never acts: inputs and the time come in as arguments, effects and events go out as values. It
//! refuses to read a clock or randomness, to call foreign code and to panic. The root package drives it in a page;
//! a Rust web app may drive it directly.
#![forbid(unsafe_code)]

pub mod definition;
pub mod effect;
pub mod entropy;
pub mod error;
pub mod id;
pub mod limits;
pub mod table;
pub mod wire;
