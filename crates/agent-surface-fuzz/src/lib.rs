//! What is fuzzed: functions over bytes that any input must survive, and that assert what must hold of it.
//!
//! It refuses to depend on a fuzzer. libFuzzer runs the targets through `fuzz/` (nightly), `cargo xtask fuzz` through the
//! loop in `mutate` (stable), `cargo test` over the corpus in `fuzz/corpus`. Never shipped.

mod bytes;
mod documents;
mod exact;
mod exchange;
mod ids;
pub mod mutate;
mod patterns;
mod peer;
mod schemas;
mod step;

/// A function over bytes.
pub type Target = fn(&[u8]);

/// All targets, by the names of their corpora.
pub const TARGETS: [(&str, Target); 9] = [
    ("documents", documents::fuzz),
    ("schemas", schemas::documents),
    ("values", schemas::values),
    ("patterns", patterns::fuzz),
    ("ids", ids::fuzz),
    ("step", step::fuzz),
    ("exact", exact::fuzz),
    ("exchange", exchange::fuzz),
    ("peer", peer::fuzz),
];

/// The target of that name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, target)| *target)
}
