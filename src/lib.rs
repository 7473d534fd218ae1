//! The browser side of agent-surface-wasm: exports over the crates that decide, and the loop that runs the core's outputs.
//!
//! It holds no rule; the facade in `pkg-template` acts. Each feature is a module of the npm package: `page` the registry,
//! with one file for each group of exports, `drain` for the loop and `convert` for everything that touches a JavaScript
//! value; `surface` and `targets` what lies beside it, a file each.

#![cfg_attr(feature = "module", no_std)]

extern crate alloc;

#[cfg(feature = "page")]
mod asks;
#[cfg(feature = "page")]
mod calls;
#[cfg(feature = "page")]
mod codes;
#[cfg(feature = "page")]
mod confirmations;
#[cfg(feature = "page")]
mod convert;
#[cfg(feature = "page")]
mod drain;
#[cfg(feature = "page")]
mod ids;
#[cfg(feature = "interop")]
mod interop;
#[cfg(target_arch = "wasm32")]
mod memory;
#[cfg(feature = "module")]
mod panic;
#[cfg(feature = "page")]
mod registry;
#[cfg(feature = "surface")]
mod surface;
#[cfg(feature = "targets")]
mod targets;
#[cfg(feature = "page")]
mod toolset;
#[cfg(feature = "page")]
mod views;
#[cfg(feature = "page")]
mod webmcp;

#[cfg(feature = "page")]
pub use registry::Registry;
