//! A model of exchanges: many clients, retries, reused keys, jumps in sequences, crashes at any point, ended leases,
//! revoked admission, in any order, and what must hold after each step.
//!
//! It refuses to know how the router does it: `model/world.rs` drives it question by question, `model/books.rs` says in a
//! few lines what is promised. The test runner calls it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

#[path = "model/books.rs"]
mod books;
#[path = "model/world.rs"]
mod world;

use proptest::collection::vec;
use proptest::prelude::*;
use world::{Asked, Step, World};

fn asked() -> impl Strategy<Value = Asked> {
    (0..2_u8, 0..2_u8, 0..2_u8, 0..3_u8, 0..2_u8, 1..6_u64, 0..2_u8).prop_map(
        |(issuer, session, operation, key, content, sequence, router)| Asked {
            issuer,
            session,
            operation,
            key,
            content,
            sequence,
            router,
        },
    )
}

fn steps() -> impl Strategy<Value = Step> {
    let slot = 0..6_usize;
    prop_oneof![
        6 => asked().prop_map(Step::Send),
        // The same again is what a client does that heard nothing.
        6 => any::<prop::sample::Index>().prop_map(Step::Retry),
        12 => slot.clone().prop_map(Step::Answer),
        8 => slot.clone().prop_map(Step::Finish),
        2 => slot.clone().prop_map(Step::Throw),
        2 => slot.clone().prop_map(Step::Fail),
        2 => slot.clone().prop_map(Step::Abort),
        2 => slot.prop_map(Step::Lose),
        2 => (0..2_u8).prop_map(Step::Crash),
        3 => (1..40_u64).prop_map(Step::Wait),
        1 => (0..2_u8).prop_map(Step::Revoke),
        2 => (0..2_u8).prop_map(Step::Admit),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_effect_is_committed_once_and_every_retry_gets_it(steps in vec(steps(), 1..120)) {
        let mut world = World::new();
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
    let mut world = World::new();
    let take = |world: &mut World, step: Step| {
        world.take(&step);
        world.check();
    };
    take(&mut world, Step::Send(asked));
    // Signatures are none here: schema, admission, load, sequence, reservation; then the handler runs.
    for _ in 0..5 {
        take(&mut world, Step::Answer(0));
    }
    take(&mut world, Step::Wait(31));
    take(&mut world, Step::Send(Asked { router: 1, ..asked }));
    take(&mut world, Step::Finish(1));
    take(&mut world, Step::Finish(0));
    assert_eq!(world.runs(), 2);
    world.settle();
}
