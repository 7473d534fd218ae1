//! The synchronous driver of an exchange, for hosts whose stores and handlers answer at once, and for tests.
//!
//! It refuses to decide anything. Native hosts call it; a page has its own, which waits.

use super::exchange::Step;
use super::questions::{Admit, Revalidate, Run};
use crate::ask::Ask;
use crate::digest::Digest;
use crate::error::Error;
use crate::grant::Admission;
use crate::operation::Operation;
use crate::response::{Outcome, Response};
use crate::schema::Direction;
use crate::store::{IdempotencyStore, InboundSequenceStore};
use agent_surface_json::exact::Exact;
use alloc::string::String;

/// What an exchange needs of its host besides the handler: everything that answers at once.
pub trait Host {
    /// Keeps what became of requests.
    type Idempotency: IdempotencyStore;
    /// Keeps the places of sequences.
    type Inbound: InboundSequenceStore;

    /// The store of what became of requests.
    fn idempotency(&mut self) -> &mut Self::Idempotency;
    /// The store of places.
    fn inbound(&mut self) -> &mut Self::Inbound;
    /// Whether `signature` is the signer's over the digest's text. Never an error: what cannot be verified is not valid.
    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool;
    /// The endpoint's signature over the digest's text.
    fn sign(&mut self, digest: Digest) -> Result<String, Error>;
    /// Whether the schema of this digest exists and accepts the payload.
    fn validate(
        &mut self,
        schema: Digest,
        direction: Direction,
        operation: Operation,
        payload: &Exact,
    ) -> bool;
    /// Whether the request may be handled.
    fn admit(&mut self, question: &Admit) -> Result<Admission, Error>;
    /// Whether its admission still holds.
    fn revalidate(&mut self, question: &Revalidate) -> Result<bool, Error>;
}

/// A host whose handlers answer at once, too.
pub trait Ports: Host {
    /// Runs the handler. An error means that it threw.
    fn run(&mut self, question: &Run) -> Result<Outcome, Error>;
}

/// Where an exchange stops for its caller.
#[derive(Debug)]
pub enum Pause {
    /// The handler is to run.
    Run(Ask<Run>),
    /// It has ended.
    Done(Result<Response, Error>),
}

/// Answers whatever is asked until the exchange ends.
pub fn drive(mut step: Step, ports: &mut impl Ports) -> Result<Response, Error> {
    loop {
        step = match advance(step, ports) {
            Pause::Done(result) => return result,
            Pause::Run(ask) => {
                let outcome = ports.run(ask.question());
                ask.settle(outcome)
            }
        };
    }
}

/// Answers whatever is asked until the handler is to run, or the exchange ends.
pub fn advance(mut step: Step, host: &mut impl Host) -> Pause {
    loop {
        step = match step {
            Step::Run(ask) => return Pause::Run(ask),
            Step::Done(result) => return Pause::Done(result),
            step => answer(step, host),
        };
    }
}

/// Answers one question; the handler's and an end stay as they are.
pub fn answer(step: Step, host: &mut impl Host) -> Step {
    match step {
        Step::Verify(ask) => {
            let question = ask.question();
            let signer = question.signer_id.as_str();
            let is_valid = host.verify(signer, question.digest, question.signature.as_str());
            ask.answer(is_valid)
        }
        Step::Validate(ask) => {
            let asked = ask.question();
            let is_valid = host.validate(asked.schema, asked.direction, asked.operation, &asked.payload);
            ask.answer(is_valid.into())
        }
        Step::Admit(ask) => {
            let admission = host.admit(ask.question());
            ask.settle(admission)
        }
        Step::Load(ask) => {
            let record = host.idempotency().load(&ask.question().key);
            ask.settle(record)
        }
        Step::Advance(ask) => {
            let place = host.inbound().advance(&ask.question().claim);
            ask.settle(place)
        }
        Step::Reserve(ask) => {
            let question = ask.question();
            let is_reserved = host
                .idempotency()
                .reserve(&question.key, &question.wanted, question.now);
            ask.settle(is_reserved)
        }
        Step::Revalidate(ask) => {
            let is_current = host.revalidate(ask.question());
            ask.settle(is_current)
        }
        Step::Sign(ask) => {
            let signature = host.sign(ask.question().digest());
            ask.settle(signature)
        }
        Step::Commit(ask) => {
            let question = ask.question();
            let response = question.response.wire();
            let is_committed = host
                .idempotency()
                .commit(&question.key, &question.reservation, response);
            ask.settle(is_committed)
        }
        Step::Run(_) | Step::Done(_) => step,
    }
}
