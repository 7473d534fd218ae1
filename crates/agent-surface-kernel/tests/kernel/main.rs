//! Conversations with a kernel: what peers send, what is to be done, and what they are answered.
//!
//! They refuse to look inside. Time is a number.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod descriptions;
mod peer;
mod requests;
