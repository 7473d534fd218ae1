//! The vectors that the protocol's other implementation produced: same verdicts, same bytes.
//!
//! It refuses to know a vector: the folder comes from `INTEROP_VECTORS`, or is `tests/vectors/interop` of the workspace,
//! and other files of the same form run unchanged. The test runner calls it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

#[path = "vectors/adapters.rs"]
mod adapters;
#[path = "vectors/canonical.rs"]
mod canonical;
#[path = "vectors/client_ports.rs"]
mod client_ports;
#[path = "vectors/envelopes.rs"]
mod envelopes;
#[path = "vectors/http.rs"]
mod http;
#[path = "vectors/manifest.rs"]
mod manifest;
#[path = "vectors/router.rs"]
mod router;
#[path = "vectors/router_ports.rs"]
mod router_ports;
#[path = "vectors/support.rs"]
mod support;
