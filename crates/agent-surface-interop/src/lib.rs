//! The remote-agent protocol `agentplat-interop/1`, sans-IO: canonical digests, manifest, envelopes, the client's and the
//! router's machines, the stores' contracts, the agent adapter and the environment client.
//!
//! It refuses to act: it opens no connection, reads no clock, keeps no key and waits for nothing. What it needs, it asks
//! (`Ask`), and each answer yields the next step; wrong orders do not compile. What comes from the wire is bounded in size
//! and depth before it is looked at, and hashed over one canonical text per side. A server depends on this crate alone:
//!
//! - `Manifest::create`, `Router::new`, then per request `Exact::parse`, `Router::handle` and a driver (`router::drive`)
//!   over its `Ports`: stores (`memory` has bounded ones), handlers, admission, schemas, signatures (`ed25519`);
//! - `Client::new` and the driver `client::drive` over its `Ports`; `agent` and `environment` name the calls of the two
//!   kinds of endpoints; `http` says where an endpoint's resources are and what counts as a reply.
//!
//! The governed lifecycle sits on top: its admission answers `router::Admit` with a `Grant` and `router::Revalidate` by
//! computing it again, and its gate answers `client::Gate`. The page's `/interop` and native hosts call this crate.

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod agent;
mod ask;
mod base64;
mod check;
pub mod client;
mod digest;
#[cfg(feature = "ed25519")]
pub mod ed25519;
mod envelope;
pub mod environment;
mod error;
mod grant;
pub mod http;
mod manifest;
pub mod memory;
mod operation;
mod request;
mod response;
pub mod router;
mod schema;
pub mod store;

pub use agent_surface_json::exact::{Exact, ExactError};
pub use agent_surface_json::{Value, write_string as write_json_string};
pub use ask::{Ask, Ended, Question, Signal};
pub use base64::{decode as decode_base64url, encode as encode_base64url};
pub use check::{Identifier, LogicalTime, MAX_SAFE, Token};
pub use client::Client;
pub use digest::{Digest, Domain};
pub use error::{Class, Error, Rule};
pub use grant::{Admission, Grant};
pub use manifest::{ENVELOPE_BYTES, Manifest};
pub use operation::Operation;
pub use request::{Call, Request};
pub use response::{Outcome, Response, Status};
pub use router::Router;
pub use schema::{Direction, Verdict};

/// The protocol of every envelope and manifest.
pub const PROTOCOL: &str = "agentplat-interop/1";
/// The version of every envelope and manifest, as it stands there.
pub(crate) const SCHEMA_VERSION: &str = "1";
