//! The sans-IO core of agent-surface-wasm: ids, definitions, registry, invocation, policy, confirmation, toolset.
//!
//! It decides and never acts: inputs and the time come in as arguments, effects and events go out as values. It
//! refuses to read a clock or randomness, to call foreign code and to panic. The root package drives it in a page;
//! a Rust web app may drive it directly.
//!
//! The law of the driver: mutate ([`Core::handle`], [`Core::invoke`], …), then drain [`Core::poll_output`] to the
//! end, then mutate again. A question (`Ask…`, `Guard`, `Bind`) is answered by the next `handle`, within the drain.

#![cfg_attr(not(test), no_std)]
#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests join texts natively, where it costs nothing"
    )
)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod definition;
pub mod effect;
pub mod entropy;
pub mod error;
pub mod id;
pub mod limits;
pub mod message;
pub mod table;
pub mod time;
pub mod wire;

mod admission;
mod call;
mod confirmation;
mod core;
mod effective;
mod event;
mod execution;
mod invoke;
mod pipeline;
mod policy;
mod registration;
mod registry;
mod resolve;
mod settlement;
mod timer;
mod toolset;
mod view;
mod webmcp;

pub use crate::call::{Consumer, Request, Route, Sent};
pub use crate::core::{Config, Core, OnCollision, OnDuplicate};
pub use crate::invoke::Admitted;
pub use crate::registry::Registered;
pub use crate::toolset::ToolsetConfig;
pub use crate::view::{Answer, Budget, Question};
pub use crate::webmcp::Exposure;
