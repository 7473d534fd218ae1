//! The synchronous driver of a client, for hosts whose transport answers at once, and for tests.
//!
//! It refuses to decide anything. Native tools call it; a page has its own, which waits.

use super::invoke::Step;
use super::negotiate::Negotiation;
use super::{Approach, Client, Negotiated};
use crate::digest::Digest;
use crate::error::Error;
use crate::operation::Operation;
use crate::request::Request;
use crate::response::Response;
use crate::schema::Direction;
use crate::store::OutboundSequenceStore;
use agent_surface_json::exact::Exact;
use alloc::borrow::ToOwned;
use alloc::string::String;

/// What a client needs of its host.
pub trait Ports: OutboundSequenceStore {
    /// The endpoint's manifest.
    fn fetch_manifest(&mut self) -> Result<Exact, Error>;
    /// The endpoint's answer.
    fn exchange(&mut self, request: &Request) -> Result<Exact, Error>;
    /// Whether there is a validator of the schema with this digest.
    fn resolve(&mut self, schema: Digest) -> bool;
    /// Whether that schema accepts the payload.
    fn validate(
        &mut self,
        schema: Digest,
        direction: Direction,
        operation: Operation,
        payload: &Exact,
    ) -> bool;
    /// The client's signature over the digest's text.
    fn sign(&mut self, digest: Digest) -> Result<String, Error>;
    /// Whether `signature` is the signer's over the digest's text.
    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool;
    /// Whatever governs the session lets the call pass, or says why not.
    fn gate(&mut self, operation: Operation, session_id: &str) -> Result<(), Error>;
}

/// Negotiates unless that is done.
pub fn negotiate(client: &mut Client, ports: &mut impl Ports) -> Result<Negotiated, Error> {
    let mut step = match client.approach() {
        Approach::Known(negotiated) => return Ok(negotiated),
        Approach::Negotiate(step) => step,
        Approach::Wait => return Err(Error::Host("expected no negotiation under way".to_owned())),
    };
    loop {
        step = match step {
            Negotiation::FetchManifest(ask) => {
                let manifest = ports.fetch_manifest();
                ask.settle(manifest)
            }
            Negotiation::Resolve(ask) => {
                let is_there = ports.resolve(ask.question().schema);
                ask.answer(is_there)
            }
            Negotiation::Done(result) => {
                client.negotiated(&result);
                return result;
            }
        };
    }
}

/// Answers whatever is asked until the invocation ends.
pub fn drive(mut step: Step, ports: &mut impl Ports) -> Result<Response, Error> {
    loop {
        step = match step {
            Step::Gate(ask) => {
                let question = ask.question();
                let passes = ports.gate(question.operation(), question.session_id());
                ask.settle(passes)
            }
            Step::Allocate(ask) => {
                let number = ports.next(&ask.question().allocation);
                ask.settle(number)
            }
            Step::Validate(ask) => {
                let asked = ask.question();
                let is_valid = ports.validate(asked.schema, asked.direction, asked.operation, &asked.payload);
                ask.answer(is_valid.into())
            }
            Step::Sign(ask) => {
                let signature = ports.sign(ask.question().digest());
                ask.settle(signature)
            }
            Step::Exchange(ask) => {
                let reply = ports.exchange(&ask.question().request);
                ask.settle(reply)
            }
            Step::Verify(ask) => {
                let question = ask.question();
                let signer = question.signer_id.as_str();
                let is_valid = ports.verify(signer, question.digest, question.signature.as_str());
                ask.answer(is_valid)
            }
            Step::Done(result) => return result,
        };
    }
}
