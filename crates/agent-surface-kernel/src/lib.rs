//! The external surface: one envelope in which agents outside the page describe and invoke what the page exposes to them.
//!
//! It decides and never acts: requests, results, decisions and the time come in, and what is to be done goes out as
//! [`Output`]. It refuses to read a clock or randomness, to execute anything itself and to know how a decision is made:
//! nothing that a peer can send resolves a confirmation. The boundary behind the entry `/surface` wraps it; a
//! native host can depend on it alone.
//!
//! The law of the driver: mutate ([`Kernel::handle_request`], …), then drain [`Kernel::poll_output`] to the end, then arm
//! one timer at [`Kernel::poll_timeout`]. A host that has a connection to the peer implements [`Transport`] for it and
//! drains a [`Link`], which does the first part of that.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod catalog;
mod config;
mod error;
mod exchange;
mod expose;
mod gate;
mod handshake;
mod kernel;
mod memory;
mod pending;
mod rate;
mod request;
mod session;
mod tally;
mod transport;
mod write;

pub use config::Config;
pub use error::{Code, Refusal};
pub use exchange::Exchange;
pub use expose::{Exposure, capability_of, is_published};
pub use gate::{Gate, GateOutput};
pub use handshake::{Greeted, Nonce};
pub use kernel::{Kernel, Output};
pub use pending::Outcome;
pub use rate::Rate;
pub use request::PROTOCOL;
pub use session::{Session, Sessions, Standing};
pub use tally::Noted;
pub use transport::{Incoming, Link, Transport};
