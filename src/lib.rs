//! The browser side of agent-surface-wasm: exports over `agent-surface-core`, and the loop that runs its outputs.
//!
//! It holds no rule; the core decides and the facade in `pkg-template` acts. One file for each group of exports,
//! `drain` for the loop, `convert` for everything that touches a JavaScript value.

#![cfg_attr(feature = "module", no_std)]

extern crate alloc;

mod asks;
mod calls;
mod codes;
mod confirmations;
mod convert;
mod drain;
mod ids;
#[cfg(target_arch = "wasm32")]
mod memory;
#[cfg(feature = "module")]
mod panic;
mod registry;
mod toolset;
mod views;
mod webmcp;

pub use registry::Registry;
