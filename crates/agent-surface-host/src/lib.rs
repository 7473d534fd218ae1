//! The native host: endpoints of the remote-agent protocol behind HTTP, and a transport to call them.
//!
//! It refuses to hold a rule of the protocol: `agent-surface-interop` decides, this crate moves bytes, waits for handlers
//! and answers with statuses. Servers mount an `Endpoint` with `serve`; the command `agent-surface-host` and tests use
//! `Transport`.

#![forbid(unsafe_code)]

mod endpoint;
mod reply;
mod server;
mod transport;

pub use endpoint::{Clock, Endpoint, Handler};
pub use server::{Mount, app, serve};
pub use transport::Transport;
