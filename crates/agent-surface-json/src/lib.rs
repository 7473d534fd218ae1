//! The project's one JSON layer: a tape over the text, canonical text, digests, the schema subset and a linear-time
//! `pattern` engine.
//!
//! It refuses to recurse natively over a document, to panic on any input, and, but for `exact`, to print numbers: text
//! comes in ECMAScript form and number tokens stay text. The core and the browser side call it; the interop crate calls
//! `exact`.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod canonical;
mod digest;
mod document;
#[cfg(feature = "exact")]
pub mod exact;
mod float;
mod number;
mod parse;
pub mod pattern;
#[cfg(feature = "exact")]
mod rewrite;
pub mod schema;
mod sip;
mod sort;
mod text;

pub use digest::{hex, sha256};
pub use document::{Document, Entries, Items, Kind, Value};
pub use float::parse_f64;
pub use number::compare_numbers;
pub use parse::{Bounds, ParseError};
pub use sip::sip128;
pub use sort::sort;
pub use text::{characters, concat, write_string, write_u64};
