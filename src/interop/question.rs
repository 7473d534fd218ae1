//! What a machine asks, in the form that the facade's ports take it: a number, and parts as JSON text.
//!
//! It refuses to answer. Called by `machine`.

use alloc::string::String;

use agent_surface_interop::client::{self, FetchManifest, Negotiation};
use agent_surface_interop::store::Reservation;
use agent_surface_interop::{Digest, Direction, Error, Exact, Grant, Operation, Response, Verdict, router};

use super::machine::Step;
use super::schemas::Schemas;
use super::write::{self, Object};

/// It is done; the subject is the response, or the manifest.
pub(super) const DONE: u32 = 0;
/// It has failed; the parts are the error.
pub(super) const FAILED: u32 = 1;
const MANIFEST: u32 = 2;
const RESOLVE: u32 = 3;
const GATE: u32 = 4;
const ALLOCATE: u32 = 5;
const VALIDATE: u32 = 6;
const SIGN: u32 = 7;
const EXCHANGE: u32 = 8;
const VERIFY: u32 = 9;
const ADMIT: u32 = 10;
const LOAD: u32 = 11;
const ADVANCE: u32 = 12;
const RESERVE: u32 = 13;
const RUN: u32 = 14;
const REVALIDATE: u32 = 15;
const COMMIT: u32 = 16;

pub(super) fn code(step: &Step) -> u32 {
    match step {
        Step::Negotiation(Negotiation::FetchManifest(_)) => MANIFEST,
        Step::Negotiation(Negotiation::Resolve(_)) => RESOLVE,
        Step::Client(client::Step::Gate(_)) => GATE,
        Step::Client(client::Step::Allocate(_)) => ALLOCATE,
        Step::Client(client::Step::Validate(_)) | Step::Router(router::Step::Validate(_)) => VALIDATE,
        Step::Client(client::Step::Sign(_)) | Step::Router(router::Step::Sign(_)) => SIGN,
        Step::Client(client::Step::Exchange(_)) => EXCHANGE,
        Step::Client(client::Step::Verify(_)) | Step::Router(router::Step::Verify(_)) => VERIFY,
        Step::Router(router::Step::Admit(_)) => ADMIT,
        Step::Router(router::Step::Load(_)) => LOAD,
        Step::Router(router::Step::Advance(_)) => ADVANCE,
        Step::Router(router::Step::Reserve(_)) => RESERVE,
        Step::Router(router::Step::Run(_)) => RUN,
        Step::Router(router::Step::Revalidate(_)) => REVALIDATE,
        Step::Router(router::Step::Commit(_)) => COMMIT,
        Step::Negotiation(Negotiation::Done(Ok(_)))
        | Step::Client(client::Step::Done(Ok(_)))
        | Step::Router(router::Step::Done(Ok(_))) => DONE,
        Step::Negotiation(Negotiation::Done(Err(_)))
        | Step::Client(client::Step::Done(Err(_)))
        | Step::Router(router::Step::Done(Err(_))) => FAILED,
    }
}

/// The most bytes of what comes over the wire.
pub(super) fn max_bytes(step: &Step) -> u64 {
    match step {
        Step::Negotiation(Negotiation::FetchManifest(_)) => FetchManifest::MAX_BYTES,
        Step::Client(client::Step::Exchange(ask)) => ask.question().max_bytes(),
        _ => 0,
    }
}

/// Whether it asks nothing any more.
pub(super) fn is_over(step: &Step) -> bool {
    code(step) <= FAILED
}

/// The parts of the question; of a response, its digest.
pub(super) fn parts(step: &Step) -> String {
    match step {
        Step::Negotiation(step) => match step {
            Negotiation::FetchManifest(_) | Negotiation::Done(Ok(_)) => String::new(),
            Negotiation::Resolve(ask) => ask.question().schema.text(),
            Negotiation::Done(Err(error)) => write::error(error),
        },
        Step::Client(step) => client_parts(step),
        Step::Router(step) => router_parts(step),
    }
}

fn client_parts(step: &client::Step) -> String {
    match step {
        client::Step::Gate(ask) => Object::new()
            .text("operation", ask.question().operation().name())
            .text("sessionId", ask.question().session_id())
            .end(),
        client::Step::Allocate(ask) => {
            let wanted = &ask.question().allocation;
            let mut object = Object::new()
                .text("issuerId", wanted.issuer_id.as_str())
                .text("sessionId", wanted.session_id.as_str())
                .number("maximumSequence", wanted.maximum);
            if let Some(key) = &wanted.idempotency_key {
                object = object.text("idempotencyKey", key.as_str());
            }
            object.end()
        }
        client::Step::Validate(ask) => {
            let check = ask.question();
            validation(check.schema, check.direction, check.operation)
        }
        client::Step::Sign(ask) => ask.question().digest().text(),
        client::Step::Exchange(_) => String::new(),
        client::Step::Verify(ask) => {
            let claim = ask.question();
            signature(claim.signer_id.as_str(), claim.digest, claim.signature.as_str())
        }
        client::Step::Done(result) => end(result),
    }
}

fn router_parts(step: &router::Step) -> String {
    match step {
        router::Step::Verify(ask) => {
            let claim = ask.question();
            signature(claim.signer_id.as_str(), claim.digest, claim.signature.as_str())
        }
        router::Step::Validate(ask) => {
            let check = ask.question();
            validation(check.schema, check.direction, check.operation)
        }
        router::Step::Admit(_) => String::new(),
        router::Step::Load(ask) => ask.question().key.clone(),
        router::Step::Advance(ask) => {
            let claim = &ask.question().claim;
            Object::new()
                .text("issuerId", claim.issuer_id.as_str())
                .text("sessionId", claim.session_id.as_str())
                .text("operation", claim.operation.name())
                .number("sequence", claim.sequence)
                .text("requestDigest", &claim.request_digest.text())
                .end()
        }
        router::Step::Reserve(ask) => {
            let wanted = ask.question();
            run(&wanted.key, &wanted.wanted)
                .number("logicalTimeMs", wanted.now.as_u64())
                .number("reservedUntilLogicalMs", wanted.wanted.reserved_until.as_u64())
                .end()
        }
        router::Step::Run(ask) => granted(ask.question().grant.as_ref()),
        router::Step::Revalidate(ask) => granted(ask.question().grant.as_ref()),
        router::Step::Sign(ask) => ask.question().digest().text(),
        router::Step::Commit(ask) => {
            let commit = ask.question();
            let parts = run(&commit.key, &commit.reservation)
                .text("responseDigest", &commit.response.digest().text());
            match &commit.fault {
                Some(fault) => parts.text("fault", &write::error(fault)).end(),
                None => parts.end(),
            }
        }
        router::Step::Done(result) => end(result),
    }
}

fn granted(grant: Option<&Grant>) -> String {
    String::from(grant.map_or("null", |grant| grant.wire().text()))
}

fn validation(schema: Digest, direction: Direction, operation: Operation) -> String {
    Object::new()
        .text("schemaDigest", &schema.text())
        .text("operation", operation.name())
        .text("direction", direction.name())
        .end()
}

fn signature(signer_id: &str, digest: Digest, signature: &str) -> String {
    Object::new()
        .text("signerId", signer_id)
        .text("digest", &digest.text())
        .text("signature", signature)
        .end()
}

fn run(key: &str, run: &Reservation) -> Object {
    Object::new()
        .text("idempotencyKey", key)
        .text("requestDigest", &run.request_digest.text())
        .text("reservationId", run.reservation_id.as_str())
}

fn end(result: &Result<Response, Error>) -> String {
    match result {
        Ok(response) => response.digest().text(),
        Err(error) => write::error(error),
    }
}

/// The payload that is asked about, the envelope that is sent, admitted or committed, or what came of it all.
pub(super) fn subject(step: &Step) -> &str {
    match step {
        Step::Negotiation(Negotiation::Done(Ok(negotiated))) => negotiated.manifest().text(),
        Step::Client(client::Step::Validate(ask)) => ask.question().payload.text(),
        Step::Client(client::Step::Exchange(ask)) => ask.question().request.text(),
        Step::Client(client::Step::Done(Ok(response))) | Step::Router(router::Step::Done(Ok(response))) => {
            response.text()
        }
        Step::Router(router::Step::Validate(ask)) => ask.question().payload.text(),
        Step::Router(router::Step::Admit(ask)) => ask.question().request.text(),
        Step::Router(router::Step::Commit(ask)) => ask.question().response.text(),
        _ => "",
    }
}

/// UTF-16 units of the envelope before and behind its payload.
pub(super) fn around_payload(step: &Step) -> (u32, u32) {
    let (text, payload) = match step {
        Step::Client(client::Step::Done(Ok(response))) | Step::Router(router::Step::Done(Ok(response))) => {
            (response.text(), response.payload())
        }
        Step::Client(client::Step::Exchange(ask)) => {
            let request = &ask.question().request;
            (request.text(), request.payload())
        }
        Step::Router(router::Step::Admit(ask)) => {
            let request = &ask.question().request;
            (request.text(), request.payload())
        }
        _ => return (0, 0),
    };
    around(text, payload)
}

/// `payload` is a part of the document whose whole text is `text`.
fn around(text: &str, payload: &Exact) -> (u32, u32) {
    let payload = payload.text();
    let start = (payload.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let units = |part: Option<&str>| {
        let count = part.unwrap_or_default().encode_utf16().count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    (units(text.get(..start)), units(text.get(start + payload.len()..)))
}

pub(super) fn judge(step: &Step, schemas: &Schemas) -> Verdict {
    match step {
        Step::Client(client::Step::Validate(ask)) => {
            schemas.judge(ask.question().schema, ask.question().payload.value())
        }
        Step::Router(router::Step::Validate(ask)) => {
            schemas.judge(ask.question().schema, ask.question().payload.value())
        }
        _ => Verdict::from(false),
    }
}
