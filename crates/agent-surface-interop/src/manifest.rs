//! The manifest: what an endpoint is, which operations it has, which payload schemas, signatures and limits it keeps to.
//!
//! It refuses a manifest whose digest does not cover every member. Clients read one from the wire, servers make one.

use crate::check::{Identifier, Members, found, quoted, whole};
use crate::digest::{Digest, Domain};
use crate::error::{Error, Rule};
use crate::operation::Operation;
use crate::{PROTOCOL, SCHEMA_VERSION};
use agent_surface_json::exact::{self, Exact};
use agent_surface_json::{Kind, Value};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The least and the most bytes of an envelope that a manifest may allow.
pub const ENVELOPE_BYTES: (u64, u64) = (1024, 67_108_864);
/// How much longer than its canonical text an envelope may be on the wire. A writer that escapes all but ASCII takes three
/// times the bytes (`\u00e9` for two, a pair of escapes for four); the fourth time is for spaces between tokens.
const WIRE_FACTOR: u64 = 4;
/// The most steps of a session that a manifest may allow; the least is 1.
const MAX_STEPS: u64 = 10_000_000;
const DIGEST_MEMBER: &str = "manifestDigest";
const FLAGS: [&str; 5] = [
    "supportsCancellation",
    "supportsDeterministicReplay",
    "supportsCheckpoint",
    REQUIRES_REQUEST_SIGNATURE,
    SIGNS_RESPONSES,
];
const REQUIRES_REQUEST_SIGNATURE: &str = "requiresRequestSignature";
const SIGNS_RESPONSES: &str = "signsResponses";
/// Members that a manifest has besides its flags.
const OTHER_MEMBERS: [&str; 13] = [
    "schemaVersion",
    "protocol",
    "endpointId",
    "endpointVersion",
    "implementationId",
    "endpointKind",
    "operations",
    "inputSchemaDigest",
    "outputSchemaDigest",
    "maximumRequestBytes",
    "maximumResponseBytes",
    "maximumStepsPerSession",
    DIGEST_MEMBER,
];

/// A valid manifest. Immutable; a clone shares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest(Arc<Inner>);

#[derive(PartialEq, Eq, Debug)]
struct Inner {
    wire: Exact,
    endpoint_id: Identifier,
    operations: Vec<Operation>,
    input_schema: Digest,
    output_schema: Digest,
    max_request_bytes: u64,
    max_response_bytes: u64,
    max_steps: u64,
    digest: Digest,
}

impl Manifest {
    /// Reads one from the wire. As the protocol's other implementation does, it takes the version and the protocol for
    /// granted, and more members as long as the digest covers them.
    pub fn read(wire: &Exact) -> Result<Self, Error> {
        let digest = Members(wire.value()).digest_if_any(DIGEST_MEMBER);
        Manifest::assemble(wire, digest)
    }

    /// Makes one from all its members but version, protocol and digest.
    pub fn create(body: &Exact) -> Result<Self, Error> {
        let digest = Digest::of(Domain::Manifest, &body_text(body.value()));
        Manifest::assemble(body, Some(digest))
    }

    fn assemble(source: &Exact, expected: Option<Digest>) -> Result<Self, Error> {
        let value = source.value();
        if value.kind() != Kind::Object {
            return Err(Rule::ManifestSchema.into());
        }
        let body = body_text(value);
        let members = Members(value);
        let endpoint_id = members.identifier("endpointId")?;
        members.identifier("implementationId")?;
        check_identity(value)?;
        let operations = operations(value)?;
        let input_schema = members.digest("inputSchemaDigest")?;
        let output_schema = members.digest("outputSchemaDigest")?;
        let is_other = |name: &&&str| value.get(name).map(Value::kind) != Some(Kind::Bool);
        if let Some(name) = FLAGS.iter().find(is_other) {
            return Err(wrong(Rule::ManifestFlags, value, name, "`true` or `false`"));
        }
        let (min, max) = ENVELOPE_BYTES;
        let max_request_bytes = members.integer("maximumRequestBytes", min, max)?;
        let max_response_bytes = members.integer("maximumResponseBytes", min, max)?;
        let max_steps = members.integer("maximumStepsPerSession", 1, MAX_STEPS)?;
        let digest = Digest::of(Domain::Manifest, &body);
        if expected != Some(digest) {
            return Err(Rule::ManifestDigest.into());
        }
        Ok(Manifest(Arc::new(Inner {
            wire: with_digest(&body, digest)?,
            endpoint_id,
            operations,
            input_schema,
            output_schema,
            max_request_bytes,
            max_response_bytes,
            max_steps,
            digest,
        })))
    }

    /// Whether it has the members of this version and no others; a router's own has.
    pub(crate) fn is_plain(&self) -> bool {
        exact::raw_members(self.0.wire.value())
            .all(|(key, _)| OTHER_MEMBERS.contains(&key) || FLAGS.contains(&key))
    }

    /// Its canonical text: what `GET manifest` answers.
    pub fn text(&self) -> &str {
        self.0.wire.text()
    }

    /// Any member, to read.
    pub fn member(&self, name: &str) -> Option<Value<'_>> {
        self.0.wire.value().get(name)
    }

    /// Whom requests are for and responses are from.
    pub fn endpoint_id(&self) -> &Identifier {
        &self.0.endpoint_id
    }

    /// In canonical order, each once.
    pub fn operations(&self) -> &[Operation] {
        &self.0.operations
    }

    /// The schema of request payloads.
    pub fn input_schema(&self) -> Digest {
        self.0.input_schema
    }

    /// The schema of completed responses' payloads.
    pub fn output_schema(&self) -> Digest {
        self.0.output_schema
    }

    /// Whether every request is signed; otherwise none is.
    pub fn requires_request_signature(&self) -> bool {
        self.flag(REQUIRES_REQUEST_SIGNATURE)
    }

    /// Whether every response is signed; otherwise none is.
    pub fn signs_responses(&self) -> bool {
        self.flag(SIGNS_RESPONSES)
    }

    /// One of the five flags; `false` for other names.
    pub fn flag(&self, name: &str) -> bool {
        self.member(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The most canonical bytes of a request envelope, 1,024 to 67,108,864.
    pub fn max_request_bytes(&self) -> u64 {
        self.0.max_request_bytes
    }

    /// The most canonical bytes of a response envelope, in the same range.
    pub fn max_response_bytes(&self) -> u64 {
        self.0.max_response_bytes
    }

    /// The most bytes of a request envelope as it comes in.
    pub fn max_request_wire_bytes(&self) -> u64 {
        self.0.max_request_bytes * WIRE_FACTOR
    }

    /// The most bytes of a response envelope as it comes in.
    pub fn max_response_wire_bytes(&self) -> u64 {
        self.0.max_response_bytes * WIRE_FACTOR
    }

    /// The highest sequence number of a session.
    pub fn max_steps(&self) -> u64 {
        self.0.max_steps
    }

    /// Its digest.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }
}

/// The hashed text: all members but the digest, with the constants of this version.
fn body_text(value: Value<'_>) -> String {
    let protocol = quoted(PROTOCOL);
    let constants = [("protocol", protocol.as_str()), ("schemaVersion", SCHEMA_VERSION)];
    exact::object(Some(value), &[DIGEST_MEMBER], &constants)
}

fn with_digest(body: &str, digest: Digest) -> Result<Exact, Error> {
    let body = Exact::parse(body, usize::MAX)?;
    let text = quoted(&digest.text());
    let whole = exact::object(Some(body.value()), &[], &[(DIGEST_MEMBER, &text)]);
    Ok(Exact::parse(whole, usize::MAX)?)
}

/// ECMAScript's truth of a value.
fn is_truthy(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null => false,
        Kind::Bool => value.as_bool() == Some(true),
        Kind::Number => whole(value.raw()) != Some(0),
        Kind::String => value.raw() != "\"\"",
        Kind::Array | Kind::Object => true,
    }
}

fn wrong(rule: Rule, value: Value<'_>, name: &str, expected: &str) -> Error {
    let found = found(value.get(name));
    Error::from(rule).because(["expected `", name, "` to be ", expected, ", found ", &found].concat())
}

fn check_identity(value: Value<'_>) -> Result<(), Error> {
    let rule = Rule::ManifestIdentity;
    if !value.get("endpointVersion").is_some_and(is_truthy) {
        return Err(wrong(rule, value, "endpointVersion", "a text"));
    }
    let is_kind = |kind: &&str| Members(value).is_str("endpointKind", kind);
    if !["agent", "environment", "hybrid"].iter().any(is_kind) {
        let kinds = "`agent`, `environment` or `hybrid`";
        return Err(wrong(rule, value, "endpointKind", kinds));
    }
    Ok(())
}

/// The operations, each once, if the list begins with them in canonical order and has nothing else behind.
fn operations(value: Value<'_>) -> Result<Vec<Operation>, Error> {
    let mut given = Vec::new();
    for item in value.get("operations").into_iter().flat_map(Value::items) {
        let operation = item.as_str().and_then(|name| Operation::parse(&name));
        given.push(operation.ok_or_else(|| unsupported("this version has no ", &found(Some(item))))?);
    }
    let unique: Vec<Operation> = Operation::ALL
        .iter()
        .copied()
        .filter(|operation| given.contains(operation))
        .collect();
    if unique.is_empty() {
        return Err(unsupported("expected at least one", ""));
    }
    match unique.iter().zip(&given).find(|(unique, given)| unique != given) {
        Some((first, _)) => Err(unsupported("out of order, expected next ", first.name())),
        None => Ok(unique),
    }
}

fn unsupported(what: &str, which: &str) -> Error {
    Error::from(Rule::ManifestOperations).because([what, which].concat())
}
