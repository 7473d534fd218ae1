//! The native host: endpoints of the remote-agent protocol behind HTTP, and a transport to call them.
//!
//! It refuses to hold a rule of the protocol: `agent-surface-interop` decides, this crate moves bytes, waits for handlers
//! and answers with statuses. Servers mount an `Endpoint` with `serve`, within the bounds of its `Mount`; the
//! command `agent-surface-host` and tests use `Transport`.

#![forbid(unsafe_code)]

mod endpoint;
mod mount;
mod places;
mod reply;
mod serve;
mod server;
mod stream;
mod transport;

/// What any longer time means: clocks end somewhere, and some code panics where they do.
const LONGEST: std::time::Duration = std::time::Duration::from_hours(24 * 365);

pub use endpoint::{Clock, Endpoint, Handler};
pub use mount::Mount;
pub use serve::serve;
pub use server::app;
pub use transport::{Route, Transport};
