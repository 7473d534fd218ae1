//! The response envelope: checked against its request when it comes in, sealed when it goes out.
//!
//! It refuses a payload beside any status but `completed`. The router seals one and reads the ones it stored; the client
//! reads one.

use crate::check::{Identifier, Members, Token, decimal, quoted};
use crate::digest::{Digest, Domain};
use crate::envelope::{self, Fields};
use crate::error::{Error, Rule};
use crate::manifest::Manifest;
use crate::request::Request;
use crate::{PROTOCOL, SCHEMA_VERSION};
use agent_surface_json::exact::Exact;
use agent_surface_json::{Kind, Value};
use alloc::string::String;
use alloc::sync::Arc;

const DIGEST_MEMBER: &str = "responseDigest";

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Done; the payload is the result.
    Completed,
    /// Not done, and asking again will not help.
    Refused,
    /// Not done now; asking again may help.
    Deferred,
    /// Tried, and it failed.
    Failed,
}

impl Status {
    const ALL: [Status; 4] = [
        Status::Completed,
        Status::Refused,
        Status::Deferred,
        Status::Failed,
    ];

    /// Its text on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Status::Completed => "completed",
            Status::Refused => "refused",
            Status::Deferred => "deferred",
            Status::Failed => "failed",
        }
    }

    /// The status of this text.
    pub fn parse(text: &str) -> Option<Self> {
        Status::ALL.into_iter().find(|status| status.name() == text)
    }
}

/// A valid response. Immutable; a clone shares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response(Arc<Inner>);

#[derive(PartialEq, Eq, Debug)]
struct Inner {
    wire: Exact,
    status: Status,
    reason_code: Identifier,
    payload: Exact,
    digest: Digest,
    signature: Option<Token>,
}

impl Response {
    /// Checks everything but the truth of the signature and the size.
    pub(crate) fn read(wire: Exact, request: &Request, manifest: &Manifest) -> Result<Self, Error> {
        let value = wire.value();
        let members = Members(value);
        if !is_bound(members, request, manifest) {
            return Err(Rule::ResponseBinding.into());
        }
        let status = value.get("status").and_then(Value::as_str);
        let status = Status::parse(&status.unwrap_or_default()).ok_or(Rule::ResponseStatus)?;
        let payload = wire.member(envelope::PAYLOAD);
        let is_null = |payload: &Exact| payload.value().kind() == Kind::Null;
        if status != Status::Completed && !payload.as_ref().is_some_and(is_null) {
            return Err(Rule::ResponsePayload.into());
        }
        let is_whole = |payload: &Exact| {
            let found = Digest::of(Domain::ResponsePayload, payload.text());
            members.digest_if_any("payloadDigest") == Some(found)
        };
        let payload = payload.filter(is_whole).ok_or(Rule::ResponsePayloadDigest)?;
        let (digest, _) = envelope::digest_of(value, DIGEST_MEMBER, Domain::Response);
        if members.digest_if_any(DIGEST_MEMBER) != Some(digest) {
            return Err(Rule::ResponseDigest.into());
        }
        let reason_code = members.identifier_of("reasonCode", "responseReasonCode")?;
        let signature = members.token("signature", "responseSignature")?;
        if signature.is_some() && !manifest.signs_responses() {
            return Err(Rule::ResponseNotNegotiated.into());
        }
        Ok(Response(Arc::new(Inner {
            wire,
            status,
            reason_code,
            payload,
            digest,
            signature,
        })))
    }

    pub(crate) fn check_size(&self, manifest: &Manifest) -> Result<(), Error> {
        if envelope::size(self.text()) > manifest.max_response_bytes() {
            return Err(Rule::ResponseTooLarge.into());
        }
        Ok(())
    }

    /// Its canonical text: what goes over the wire and into a store.
    pub fn text(&self) -> &str {
        self.0.wire.text()
    }

    /// The whole envelope.
    pub fn wire(&self) -> &Exact {
        &self.0.wire
    }

    /// What became of the request.
    pub fn status(&self) -> Status {
        self.0.status
    }

    /// Why, for programs.
    pub fn reason_code(&self) -> &Identifier {
        &self.0.reason_code
    }

    /// The result; `null` unless completed.
    pub fn payload(&self) -> &Exact {
        &self.0.payload
    }

    /// Its digest: what is signed.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// The endpoint's signature; whoever handed the response out has verified it.
    pub fn signature(&self) -> Option<&Token> {
        self.0.signature.as_ref()
    }
}

/// Whether the envelope answers this request.
fn is_bound(members: Members<'_>, request: &Request, manifest: &Manifest) -> bool {
    members.is_raw("schemaVersion", SCHEMA_VERSION)
        && members.is_str("protocol", PROTOCOL)
        && members.digest_if_any("requestDigest") == Some(request.digest())
        && members.is_str("endpointId", manifest.endpoint_id().as_str())
        && members.is_str("sessionId", request.session_id().as_str())
        && members.is_str("operation", request.operation().name())
        && members.is_raw("sequence", &decimal(request.sequence()))
}

/// What a handler says became of a request. The router checks it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One of the four.
    pub status: String,
    /// An identifier.
    pub reason_code: String,
    /// `null` unless completed.
    pub payload: Exact,
}

/// A response that only lacks its signature.
#[derive(Debug)]
pub(crate) struct Unsigned {
    manifest: Manifest,
    request: Request,
    status: Status,
    reason_code: Identifier,
    payload: Exact,
    payload_digest: Digest,
    digest: Digest,
}

impl Unsigned {
    pub(crate) fn new(outcome: &Outcome, request: &Request, manifest: &Manifest) -> Result<Self, Error> {
        let status = Status::parse(&outcome.status).ok_or(Rule::ResponseStatus)?;
        if status != Status::Completed && outcome.payload.value().kind() != Kind::Null {
            return Err(Rule::ResponsePayload.into());
        }
        let reason_code = Identifier::parse(&outcome.reason_code, "reasonCode")?;
        if envelope::size(outcome.payload.text()) > manifest.max_response_bytes() {
            return Err(Rule::ResponseTooLarge.into());
        }
        let mut unsigned = Unsigned {
            payload_digest: Digest::of(Domain::ResponsePayload, outcome.payload.text()),
            payload: outcome.payload.clone(),
            manifest: manifest.clone(),
            request: request.clone(),
            status,
            reason_code,
            digest: request.digest(),
        };
        let (fields, payload) = (unsigned.fields(None), unsigned.payload.text());
        (unsigned.digest, _) = envelope::digest(&fields, payload, DIGEST_MEMBER, Domain::Response);
        Ok(unsigned)
    }

    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    pub(crate) fn sign(self, signature: Option<Token>) -> Result<Response, Error> {
        let wire = envelope::whole(&self.fields(signature.as_ref()), &self.payload)?;
        if envelope::size(wire.text()) > self.manifest.max_response_bytes() {
            return Err(Rule::ResponseTooLarge.into());
        }
        Ok(Response(Arc::new(Inner {
            payload: wire.member(envelope::PAYLOAD).unwrap_or(self.payload),
            wire,
            status: self.status,
            reason_code: self.reason_code,
            digest: self.digest,
            signature,
        })))
    }

    fn fields(&self, signature: Option<&Token>) -> Fields {
        let digest = |digest: Digest| quoted(&digest.text());
        alloc::vec![
            ("endpointId", quoted(self.manifest.endpoint_id().as_str())),
            ("operation", quoted(self.request.operation().name())),
            (envelope::PAYLOAD, String::new()),
            ("payloadDigest", digest(self.payload_digest)),
            ("protocol", quoted(PROTOCOL)),
            ("reasonCode", quoted(self.reason_code.as_str())),
            ("requestDigest", digest(self.request.digest())),
            (DIGEST_MEMBER, digest(self.digest)),
            ("schemaVersion", String::from(SCHEMA_VERSION)),
            ("sequence", decimal(self.request.sequence())),
            ("sessionId", quoted(self.request.session_id().as_str())),
            ("signature", envelope::signature_text(signature)),
            ("status", quoted(self.status.name())),
        ]
    }
}
