//! Runs the transcripts of `tests/transcripts` in the browser: the core in wasm decides as it does natively.
//!
//! It refuses to read a folder, which a page has none of: the files are in the module. That the list is whole is checked
//! natively, by tests of the same name of the core and of the kernel. Called by `wasm-pack test`.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

macro_rules! transcripts {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("transcripts/", $name)))),*]
    };
}

#[wasm_bindgen_test]
fn every_transcript_goes_as_written() {
    let files = transcripts! {
        "admission-bounds.txt"
        "admission-modes.txt"
        "admission-observations.txt"
        "admission-waiting.txt"
        "admission.txt"
        "audience.txt"
        "audit.txt"
        "authority-before-availability.txt"
        "availability-reasons.txt"
        "bound-inputs.txt"
        "closures-that-mutate.txt"
        "collisions-off.txt"
        "collisions-refused.txt"
        "collisions-replaced.txt"
        "collisions.txt"
        "confirmation-expiry.txt"
        "confirmation-forgotten.txt"
        "confirmation-limits.txt"
        "confirmation-reserved.txt"
        "confirmation-unmount.txt"
        "confirmations.txt"
        "definition-limits.txt"
        "definitions.txt"
        "dispose.txt"
        "effect-defaults.txt"
        "effective-input.txt"
        "errors.txt"
        "events-confirmation.txt"
        "events.txt"
        "first-light.txt"
        "guards.txt"
        "hidden-version.txt"
        "identity-cache.txt"
        "identity-refused.txt"
        "identity.txt"
        "looks-when.txt"
        "meta.txt"
        "outputs.txt"
        "phases.txt"
        "policies-audit.txt"
        "policies-discovery.txt"
        "policies-never.txt"
        "policies-removed.txt"
        "policies.txt"
        "policy-time.txt"
        "races-replace.txt"
        "races.txt"
        "reconnect.txt"
        "resolution-discloses-nothing.txt"
        "snapshot-budgets.txt"
        "snapshot-changes.txt"
        "snapshot-questions.txt"
        "snapshots.txt"
        "stale-tokens.txt"
        "timeouts.txt"
        "tombstones.txt"
        "toolset-names.txt"
        "toolset-two-phase.txt"
        "toolset-wait-policies.txt"
        "toolset-wait.txt"
        "unmount-navigation-place.txt"
        "unmount.txt"
        "versions.txt"
        "webmcp-scale.txt"
        "webmcp.txt"
    };
    let failures = files
        .iter()
        .filter_map(|(name, text)| agent_surface_transcript::run(name, text).err());
    none(failures);
}

#[wasm_bindgen_test]
fn every_transcript_of_the_external_surface_goes_as_written() {
    let files = transcripts! {
        "surface/confirmation.txt"
        "surface/describe.txt"
        "surface/hostile.txt"
        "surface/leaving.txt"
        "surface/limits.txt"
        "surface/order.txt"
        "surface/replay.txt"
        "surface/session-end.txt"
        "surface/session-expiry.txt"
        "surface/session-late-decision.txt"
    };
    let failures = files
        .iter()
        .filter_map(|(name, text)| agent_surface_transcript::run_surface(name, text).err());
    none(failures);
}

fn none(failures: impl Iterator<Item = String>) {
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
