//! Projects tools to model SDKs: names, schemas and definitions for each target, its calls, and its results.
//!
//! Pure: text in, text out. It refuses to validate input (the surface does, with the original schema), to call anything
//! and to lose something without saying so. The module behind the entry `/targets` wraps it; a server can depend on it
//! alone.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod argument;
mod call;
mod definition;
mod identity;
mod index;
pub mod json;
mod keyword;
mod label;
mod mcp;
mod name;
mod outcome;
mod project;
pub mod schema;
mod shape;
mod sort;
mod state;
pub mod target;

pub use argument::prepare;
pub use call::read;
pub use outcome::render;
pub use project::project;
pub use state::state;
