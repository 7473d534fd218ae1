//! The module behind the entry `/interop`: the remote protocol's machines, texts and numbers in and out.
//!
//! It holds no rule; `agent-surface-interop` does. A machine says what it asks by a number and takes the answer; between
//! the two no borrow is held, so that the facade may call whatever the page gave it. Errors leave as JSON texts. Called by
//! the facade's `interop-*.js`, which know the numbers.

mod client;
mod http;
mod machine;
mod question;
mod router;
mod rules;
mod schemas;
mod values;
mod write;
