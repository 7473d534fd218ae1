//! The steps of the model, and how often each is taken.
//!
//! Numbers point at whatever is there, by remainder, so that every step means something. Called by `model.rs`.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub struct Call {
    pub component: u8,
    pub instance: Option<u8>,
    pub capability: u8,
    pub consumer: u8,
    /// One of a few invocation ids, so that they meet again.
    pub id: Option<u8>,
    pub input: u8,
    /// The confirmation that was asked for the n-th time, as evidence.
    pub confirmation: Option<u8>,
    /// It names a registration that never was.
    pub stale: bool,
}

#[derive(Clone, Debug)]
pub enum Step {
    Register(u8, u8),
    Unregister(u16),
    Enable(u16, bool),
    Push(u16, u8, bool),
    Invalidate(u16),
    Invoke(Call),
    /// The n-th of the latest questions, as evidence for the call that led to it, under this id.
    Redeem(u16, Option<u8>),
    /// Through a toolset of its consumer: one whose calls wait for the person, or one whose calls are repeated.
    Execute(Call, bool),
    /// The call that led to the n-th of the latest questions, again, through a toolset whose calls are repeated.
    Repeat(u16),
    /// The n-th running handler returns, or throws.
    Return(u16, bool),
    Abort(u16),
    /// The n-th open policy calls `next`.
    Next(u16),
    /// The n-th open policy ends, or throws.
    Done(u16, bool),
    Approve(u16),
    Deny(u16),
    Advance(u32),
    /// The clock alone moves.
    Clock(u32),
    Hide(bool),
    When(bool),
    Look,
    /// Answers that nobody waits for, about the n-th call or about none.
    Noise(u16),
}

fn call() -> impl Strategy<Value = Call> {
    (
        0..2_u8,
        prop::option::of(0..2_u8),
        prop_oneof![3 => 0..7_u8, 1 => Just(2)],
        0..2_u8,
        prop::option::weighted(0.7, 0..6_u8),
        0..3_u8,
        prop::option::weighted(0.1, 0..4_u8),
        prop::bool::weighted(0.1),
    )
        .prop_map(
            |(component, instance, capability, consumer, id, input, confirmation, stale)| Call {
                component,
                instance,
                capability,
                consumer,
                id,
                input,
                confirmation,
                stale,
            },
        )
}

pub fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..2_u8, 0..2_u8).prop_map(|(component, instance)| Step::Register(component, instance)),
        2 => any::<u16>().prop_map(Step::Unregister),
        1 => (any::<u16>(), any::<bool>()).prop_map(|(at, on)| Step::Enable(at, on)),
        1 => (any::<u16>(), 0..7_u8, any::<bool>()).prop_map(|(at, one, on)| Step::Push(at, one, on)),
        1 => any::<u16>().prop_map(Step::Invalidate),
        20 => call().prop_map(Step::Invoke),
        5 => (any::<u16>(), prop::option::of(0..6_u8)).prop_map(|(at, id)| Step::Redeem(at, id)),
        8 => (call(), any::<bool>()).prop_map(|(call, waits)| Step::Execute(call, waits)),
        4 => any::<u16>().prop_map(Step::Repeat),
        8 => (any::<u16>(), prop::bool::weighted(0.2)).prop_map(|(at, throws)| Step::Return(at, throws)),
        2 => any::<u16>().prop_map(Step::Abort),
        3 => any::<u16>().prop_map(Step::Next),
        3 => (any::<u16>(), prop::bool::weighted(0.3)).prop_map(|(at, throws)| Step::Done(at, throws)),
        5 => any::<u16>().prop_map(Step::Approve),
        1 => any::<u16>().prop_map(Step::Deny),
        3 => (0..40_000_u32).prop_map(Step::Advance),
        1 => (0..130_000_u32).prop_map(Step::Clock),
        1 => any::<bool>().prop_map(Step::Hide),
        1 => any::<bool>().prop_map(Step::When),
        3 => Just(Step::Look),
        1 => any::<u16>().prop_map(Step::Noise),
    ]
}
