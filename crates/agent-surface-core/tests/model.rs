//! A model of the registry: random steps through the core beside a small reference, and what must hold after each.
//!
//! It refuses to know how the core does it: `model/reference.rs` says in a few lines what the package promises,
//! `model/host.rs` runs the core's outputs and watches them. Called by `cargo test`.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::disallowed_macros,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

#[path = "model/act.rs"]
mod act;
#[path = "model/check.rs"]
mod check;
#[path = "model/host.rs"]
mod host;
#[path = "model/reference.rs"]
mod reference;
#[path = "model/step.rs"]
mod step;

use proptest::collection::vec;
use proptest::prelude::*;

use host::Host;
use step::{Step, steps};

fn play(config: host::Settings, steps: &[Step]) {
    let mut host = Host::new(config);
    for step in steps {
        host.take(step);
        host.look(false);
        host.check();
    }
    host.finish();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_core_keeps_what_the_contract_promises(config in host::settings(), steps in vec(steps(), 1..70)) {
        play(config, &steps);
    }
}

/// Found by the model: a capability that a view leaves out for one reason, then for another.
#[test]
fn a_view_stays_as_it_is_while_only_what_it_leaves_out_changes() {
    let steps = [
        Step::Register(1, 0),
        Step::Hide(true),
        Step::Push(0, 4, false),
        Step::Look,
        Step::Hide(false),
        Step::Look,
    ];
    play(host::Settings::roomy(), &steps);
}

#[test]
fn a_thousand_calls_over_a_hundred_instances_settle_once_each() {
    let mut host = Host::new(host::Settings::roomy());
    for instance in 0..100 {
        host.take(&Step::Register(0, instance));
    }
    for call in 0..1000_u32 {
        host.take(&Step::Invoke(step::Call {
            component: 0,
            instance: Some(u8::try_from(call % 100).expect("below 100")),
            capability: u8::try_from(call % 7).expect("below 7"),
            consumer: u8::try_from(call % 3).expect("below 3"),
            id: None,
            input: u8::try_from(call % 5).expect("below 5"),
            confirmation: None,
            stale: false,
        }));
    }
    for turn in 0..2000_u16 {
        host.take(&Step::Return(turn, turn % 7 == 0));
        host.check();
    }
    host.finish();
}
