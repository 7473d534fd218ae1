//! A model of exchanges: many clients, retries, reused keys, jumps in sequences, crashes at any point, ended leases,
//! revoked admission, in any order, and what must hold after each step.
//!
//! It refuses to know how the router does it: `model/world.rs` drives it question by question, `model/exchange.rs` and
//! `model/books.rs` say in a few lines what is promised. `model/numbering.rs` is the same for the clients' numbers. The
//! test runner calls it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

#[path = "model/books.rs"]
mod books;
#[path = "model/durable.rs"]
mod durable;
#[path = "model/exchange.rs"]
mod exchange;
#[path = "model/numbering.rs"]
mod numbering;
#[path = "model/sender.rs"]
mod sender;
#[path = "model/world.rs"]
mod world;

use proptest::collection::vec;
use proptest::prelude::*;
use world::{Asked, Step, World};

/// Few keys, and of each mostly the same request: what collides is what matters.
fn asked() -> impl Strategy<Value = Asked> {
    let rarely = |odds: f64| prop::bool::weighted(odds).prop_map(u8::from);
    let sequence = prop_oneof![8 => Just(None), 1 => (1..6_u64).prop_map(Some)];
    (
        0..2_u8,
        rarely(0.2),
        rarely(0.1),
        0..3_u8,
        rarely(0.1),
        sequence,
        0..2_u8,
    )
        .prop_map(
            |(issuer, session, operation, key, content, sequence, router)| Asked {
                issuer,
                session,
                operation,
                key,
                content,
                sequence: sequence.unwrap_or(u64::from(key) + 1),
                router,
            },
        )
}

fn steps() -> impl Strategy<Value = Step> {
    let slot = 0..4_usize;
    let count = 1..7_usize;
    prop_oneof![
        4 => asked().prop_map(Step::Send),
        // The same again is what a client does that heard nothing.
        8 => (any::<prop::sample::Index>(), 0..2_u8).prop_map(|(which, router)| Step::Retry(which, router)),
        16 => (slot.clone(), count).prop_map(|(at, count)| Step::Answer(at, count)),
        4 => slot.clone().prop_map(Step::Finish),
        1 => slot.clone().prop_map(Step::Throw),
        1 => slot.clone().prop_map(Step::Fail),
        2 => slot.clone().prop_map(Step::LoseAnswer),
        1 => slot.clone().prop_map(Step::Abort),
        2 => slot.clone().prop_map(Step::GiveUp),
        2 => slot.prop_map(Step::Lose),
        1 => (0..2_u8).prop_map(Step::Crash),
        1 => Just(Step::Reopen),
        4 => (10..50_u64).prop_map(Step::Wait),
        1 => (0..2_u8).prop_map(Step::Revoke),
        3 => (0..2_u8).prop_map(Step::Admit),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_effect_is_committed_once_and_every_retry_gets_it(
        revalidates in prop::bool::weighted(0.8),
        steps in vec(steps(), 1..160),
    ) {
        let mut world = World::new(revalidates);
        for step in &steps {
            world.take(step);
            world.check();
        }
        world.settle();
    }
}

#[test]
fn a_run_that_lost_its_lease_cannot_commit_over_the_one_that_has_it() {
    let asked = Asked {
        issuer: 0,
        session: 0,
        operation: 0,
        key: 0,
        content: 0,
        sequence: 1,
        router: 0,
    };
    let mut world = World::new(true);
    for step in [
        Step::Send(asked),
        // Schema, admission, load, sequence, reservation: now its handler is to run.
        Step::Answer(0, 5),
        Step::Wait(31),
        Step::Send(Asked { router: 1, ..asked }),
        Step::Answer(1, 5),
        Step::Finish(0),
        Step::Finish(0),
    ] {
        world.take(&step);
        world.check();
    }
    assert_eq!(world.runs(), 2);
    world.settle();
}
