//! The request envelope: checked when it comes in, sealed when it goes out.
//!
//! It refuses to exist unchecked: a `Request` keeps every rule of section 5 but its signature's truth. The client seals
//! one, the router reads one.

use crate::check::{Identifier, LogicalTime, MAX_SAFE, Members, Token, decimal, quoted};
use crate::digest::{Digest, Domain};
use crate::envelope::{self, Fields};
use crate::error::{Error, Rule};
use crate::manifest::Manifest;
use crate::operation::Operation;
use crate::{PROTOCOL, SCHEMA_VERSION};
use agent_surface_json::exact::Exact;
use alloc::string::String;
use alloc::sync::Arc;

const DIGEST_MEMBER: &str = "requestDigest";

/// What a client asks for. The payload is canonical already.
#[derive(Clone, Debug)]
pub struct Call {
    /// Names this request.
    pub request_id: String,
    /// Names the effect: a retry has the same key and the same content.
    pub idempotency_key: String,
    /// Names the session that `sequence` counts in.
    pub session_id: String,
    /// What to do.
    pub operation: Operation,
    /// 1 to the manifest's highest.
    pub sequence: u64,
    /// Not before this time of the endpoint.
    pub logical_time: LogicalTime,
    /// Before this time of the endpoint.
    pub deadline: LogicalTime,
    /// What the input schema describes.
    pub payload: Exact,
}

/// A valid request. Immutable; a clone shares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request(Arc<Inner>);

#[derive(PartialEq, Eq, Debug)]
struct Inner {
    wire: Exact,
    parts: Parts,
    payload: Exact,
    digest: Digest,
    signature: Option<Token>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Parts {
    request_id: Identifier,
    idempotency_key: Identifier,
    issuer_id: Identifier,
    session_id: Identifier,
    operation: Operation,
    sequence: u64,
    logical_time: LogicalTime,
    deadline: LogicalTime,
}

impl Request {
    /// Checks an envelope from the wire against the manifest it was made for.
    pub fn read(wire: Exact, manifest: &Manifest) -> Result<Self, Error> {
        let value = wire.value();
        let members = Members(value);
        if !members.is_raw("schemaVersion", SCHEMA_VERSION)
            || !members.is_str("protocol", PROTOCOL)
            || !members.is_str("endpointId", manifest.endpoint_id().as_str())
        {
            return Err(Rule::RequestBinding.into());
        }
        let signature = members.token("signature", "requestSignature")?;
        let max_bytes = manifest.max_request_bytes();
        if envelope::size(wire.text()) > max_bytes {
            return Err(Rule::RequestTooLarge.into());
        }
        let parts = Parts::read(members, manifest)?;
        let payload = wire.member(envelope::PAYLOAD);
        let (digest, bytes) = envelope::digest_of(value, DIGEST_MEMBER, Domain::Request);
        if bytes > max_bytes {
            return Err(Rule::RequestTooLarge.into());
        }
        let payload_digest = payload
            .as_ref()
            .map(|payload| Digest::of(Domain::RequestPayload, payload.text()));
        let is_whole = payload_digest == members.digest_if_any("payloadDigest")
            && members.digest_if_any(DIGEST_MEMBER) == Some(digest);
        let payload = payload.filter(|_| is_whole).ok_or(Rule::RequestDigest)?;
        Ok(Request(Arc::new(Inner {
            wire,
            parts,
            payload,
            digest,
            signature,
        })))
    }

    /// Its canonical text: what goes over the wire.
    pub fn text(&self) -> &str {
        self.0.wire.text()
    }

    /// Names this request.
    pub fn request_id(&self) -> &Identifier {
        &self.0.parts.request_id
    }

    /// Names the effect.
    pub fn idempotency_key(&self) -> &Identifier {
        &self.0.parts.idempotency_key
    }

    /// Who asks, and whose signature it carries.
    pub fn issuer_id(&self) -> &Identifier {
        &self.0.parts.issuer_id
    }

    /// In which session.
    pub fn session_id(&self) -> &Identifier {
        &self.0.parts.session_id
    }

    /// What is asked for.
    pub fn operation(&self) -> Operation {
        self.0.parts.operation
    }

    /// Its number in the session.
    pub fn sequence(&self) -> u64 {
        self.0.parts.sequence
    }

    /// Not before this time.
    pub fn logical_time(&self) -> LogicalTime {
        self.0.parts.logical_time
    }

    /// Before this time.
    pub fn deadline(&self) -> LogicalTime {
        self.0.parts.deadline
    }

    /// What the input schema describes.
    pub fn payload(&self) -> &Exact {
        &self.0.payload
    }

    /// Its digest: what is signed.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// The issuer's signature, unverified.
    pub fn signature(&self) -> Option<&Token> {
        self.0.signature.as_ref()
    }
}

impl Parts {
    fn read(members: Members<'_>, manifest: &Manifest) -> Result<Self, Error> {
        let request_id = members.identifier("requestId")?;
        let idempotency_key = members.identifier("idempotencyKey")?;
        let issuer_id = members.identifier("issuerId")?;
        let session_id = members.identifier("sessionId")?;
        let name = members
            .0
            .get("operation")
            .and_then(agent_surface_json::Value::as_str);
        let operation = Operation::parse(&name.unwrap_or_default())
            .filter(|operation| manifest.operations().contains(operation))
            .ok_or(Rule::RequestOperation)?;
        members.digest("payloadDigest")?;
        let sequence = members.integer("sequence", 1, manifest.max_steps())?;
        let logical_time = LogicalTime::new(members.integer("logicalTimeMs", 0, MAX_SAFE)?)?;
        let deadline = members.time("deadlineLogicalMs", logical_time)?;
        Ok(Parts {
            request_id,
            idempotency_key,
            issuer_id,
            session_id,
            operation,
            sequence,
            logical_time,
            deadline,
        })
    }

    fn of_call(call: &Call, issuer_id: &Identifier, manifest: &Manifest) -> Result<Self, Error> {
        let parts = Parts {
            request_id: Identifier::parse(&call.request_id, "requestId")?,
            idempotency_key: Identifier::parse(&call.idempotency_key, "idempotencyKey")?,
            issuer_id: issuer_id.clone(),
            session_id: Identifier::parse(&call.session_id, "sessionId")?,
            operation: call.operation,
            sequence: call.sequence,
            logical_time: call.logical_time,
            deadline: call.deadline,
        };
        if !(1..=manifest.max_steps()).contains(&call.sequence) {
            return Err(Error::OutOfRange("sequence"));
        }
        if call.deadline < call.logical_time {
            return Err(Error::OutOfRange("deadlineLogicalMs"));
        }
        Ok(parts)
    }
}

/// A request that only lacks its signature.
#[derive(Debug)]
pub(crate) struct Unsigned {
    manifest: Manifest,
    parts: Parts,
    payload: Exact,
    payload_digest: Digest,
    digest: Digest,
}

impl Unsigned {
    /// `call.operation` is one of the manifest's.
    pub(crate) fn new(call: Call, issuer_id: &Identifier, manifest: &Manifest) -> Result<Self, Error> {
        let mut unsigned = Unsigned {
            payload_digest: Digest::of(Domain::RequestPayload, call.payload.text()),
            parts: Parts::of_call(&call, issuer_id, manifest)?,
            payload: call.payload,
            manifest: manifest.clone(),
            digest: manifest.digest(),
        };
        let (fields, payload) = (unsigned.fields(None), unsigned.payload.text());
        let (digest, bytes) = envelope::digest(&fields, payload, DIGEST_MEMBER, Domain::Request);
        if bytes > manifest.max_request_bytes() {
            return Err(Rule::RequestTooLarge.into());
        }
        unsigned.digest = digest;
        Ok(unsigned)
    }

    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    pub(crate) fn sign(self, signature: Option<Token>) -> Result<Request, Error> {
        let wire = envelope::whole(&self.fields(signature.as_ref()), &self.payload)?;
        if envelope::size(wire.text()) > self.manifest.max_request_bytes() {
            return Err(Rule::RequestTooLarge.into());
        }
        Ok(Request(Arc::new(Inner {
            payload: wire.member(envelope::PAYLOAD).unwrap_or(self.payload),
            wire,
            parts: self.parts,
            digest: self.digest,
            signature,
        })))
    }

    fn fields(&self, signature: Option<&Token>) -> Fields {
        let parts = &self.parts;
        let text = |identifier: &Identifier| quoted(identifier.as_str());
        let digest = |digest: Digest| quoted(&digest.text());
        alloc::vec![
            ("deadlineLogicalMs", decimal(parts.deadline.as_u64())),
            ("endpointId", text(self.manifest.endpoint_id())),
            ("idempotencyKey", text(&parts.idempotency_key)),
            ("issuerId", text(&parts.issuer_id)),
            ("logicalTimeMs", decimal(parts.logical_time.as_u64())),
            ("operation", quoted(parts.operation.name())),
            (envelope::PAYLOAD, String::new()),
            ("payloadDigest", digest(self.payload_digest)),
            ("protocol", quoted(PROTOCOL)),
            (DIGEST_MEMBER, digest(self.digest)),
            ("requestId", text(&parts.request_id)),
            ("schemaVersion", String::from(SCHEMA_VERSION)),
            ("sequence", decimal(parts.sequence)),
            ("sessionId", text(&parts.session_id)),
            ("signature", envelope::signature_text(signature)),
        ]
    }
}
