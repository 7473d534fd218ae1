//! The synchronous driver of an exchange, for hosts whose stores and handlers answer at once, and for tests.
//!
//! It refuses to decide anything. Native hosts call it; a page has its own, which waits.

use super::exchange::Step;
use super::questions::{Admit, Revalidate, Run};
use crate::digest::Digest;
use crate::error::Error;
use crate::grant::Admission;
use crate::operation::Operation;
use crate::response::{Outcome, Response};
use crate::schema::Direction;
use crate::store::{IdempotencyStore, InboundSequenceStore};
use agent_surface_json::exact::Exact;
use alloc::string::String;

/// What an exchange needs of its host.
pub trait Ports: IdempotencyStore + InboundSequenceStore {
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
    /// Runs the handler. An error means that it threw.
    fn run(&mut self, question: &Run) -> Result<Outcome, Error>;
}

/// Answers whatever is asked until the exchange ends.
pub fn drive(mut step: Step, ports: &mut impl Ports) -> Result<Response, Error> {
    loop {
        step = match step {
            Step::Done(result) => return result,
            step => answer(step, ports),
        };
    }
}

/// Answers one question; what ended stays as it is.
pub fn answer(step: Step, ports: &mut impl Ports) -> Step {
    match step {
        Step::Verify(ask) => {
            let question = ask.question();
            let signer = question.signer_id.as_str();
            let is_valid = ports.verify(signer, question.digest, question.signature.as_str());
            ask.answer(is_valid)
        }
        Step::Validate(ask) => {
            let asked = ask.question();
            let is_valid = ports.validate(asked.schema, asked.direction, asked.operation, &asked.payload);
            ask.answer(is_valid)
        }
        Step::Admit(ask) => {
            let admission = ports.admit(ask.question());
            ask.settle(admission)
        }
        Step::Load(ask) => {
            let record = ports.load(&ask.question().key);
            ask.settle(record)
        }
        Step::Advance(ask) => {
            let place = ports.advance(&ask.question().claim);
            ask.settle(place)
        }
        Step::Reserve(ask) => {
            let question = ask.question();
            let is_reserved = ports.reserve(&question.key, &question.wanted, question.now);
            ask.settle(is_reserved)
        }
        Step::Run(ask) => {
            let outcome = ports.run(ask.question());
            ask.settle(outcome)
        }
        Step::Revalidate(ask) => {
            let is_current = ports.revalidate(ask.question());
            ask.settle(is_current)
        }
        Step::Sign(ask) => {
            let signature = ports.sign(ask.question().digest());
            ask.settle(signature)
        }
        Step::Commit(ask) => {
            let question = ask.question();
            let response = question.response.wire();
            let is_committed = ports.commit(&question.key, &question.reservation, response);
            ask.settle(is_committed)
        }
        Step::Done(result) => Step::Done(result),
    }
}
