//! The target `peer` for libFuzzer: `cargo +nightly fuzz run peer`. All it does is in `agent-surface-fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(target) = agent_surface_fuzz::target("peer") {
        target(bytes);
    }
});
