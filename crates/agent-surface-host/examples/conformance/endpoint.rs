//! What the conformance profile says: schemas, admission, time, keys and handlers.
//!
//! It refuses nothing of its own. The example serves it, and the host's tests call it.

use agent_surface_host::{Endpoint, Handler};
use agent_surface_interop::ed25519::{Keyring, PrivateKey, PublicKey};
use agent_surface_interop::memory::{MemoryIdempotency, MemoryInbound};
use agent_surface_interop::router::{Admit, Durability, Host, Revalidate, Run, Settings};
use agent_surface_interop::{
    Admission, Digest, Direction, Error, Exact, LogicalTime, Manifest, Operation, Outcome, Router,
};
use axum::http::HeaderMap;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const ENDPOINT_ID: &str = "endpoint:conformance";
const TIME_HEADER: &str = "x-interop-test-logical-time";
const MAX_SLEEP: u64 = 2000;

/// Which envelopes are signed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    None,
    Request,
    Response,
    Both,
}

impl Sign {
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "none" => Sign::None,
            "request" => Sign::Request,
            "response" => Sign::Response,
            "both" => Sign::Both,
            _ => return None,
        })
    }
}

pub fn manifest(sign: Sign) -> Result<Manifest, Error> {
    let operations: Vec<String> = Operation::ALL
        .iter()
        .map(|operation| format!("\"{}\"", operation.name()))
        .collect();
    let body = format!(
        "{{\"endpointId\":\"{ENDPOINT_ID}\",\"endpointVersion\":\"1.0.0\",\"implementationId\":\"impl:agentplat-peer\",\
         \"endpointKind\":\"hybrid\",\"operations\":[{}],\
         \"inputSchemaDigest\":\"sha256:cef167fc46578f5d8bf8242fc49a91ec0424d3567bc2520c0703891e3ea26e64\",\
         \"outputSchemaDigest\":\"sha256:9566e65e5df00eaf5473dda3a385bc1a7fe52b2ae54a21b3756d4f160dedda78\",\
         \"supportsCancellation\":true,\"supportsDeterministicReplay\":true,\"supportsCheckpoint\":true,\
         \"requiresRequestSignature\":{},\"signsResponses\":{},\"maximumRequestBytes\":2097152,\
         \"maximumResponseBytes\":65536,\"maximumStepsPerSession\":1000}}",
        operations.join(","),
        matches!(sign, Sign::Request | Sign::Both),
        matches!(sign, Sign::Response | Sign::Both),
    );
    Manifest::create(&Exact::parse(body, usize::MAX)?)
}

/// The profile's keys: `conformance-keys.json` in the folder `INTEROP_VECTORS`, or in the workspace's copy.
pub fn keys() -> Result<serde_json::Value, Error> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/interop");
    let folder = std::env::var_os("INTEROP_VECTORS").map_or(default, PathBuf::from);
    let path = folder.join("conformance-keys.json");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::Host(format!("{}: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| Error::Host(error.to_string()))
}

fn bytes(key: &serde_json::Value, name: &str) -> Result<[u8; 32], Error> {
    let hex = key
        .get(name)
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default();
    let digits: Option<Vec<u32>> = hex.chars().map(|digit| digit.to_digit(16)).collect();
    let pairs = digits.unwrap_or_default();
    let bytes: Vec<u8> = pairs
        .as_chunks::<2>()
        .0
        .iter()
        .filter_map(|[high, low]| u8::try_from(high * 16 + low).ok())
        .collect();
    bytes
        .try_into()
        .map_err(|_short| Error::Host(format!("expected 32 bytes in `{name}`")))
}

pub fn private_key(keys: &serde_json::Value, owner: &str) -> Result<PrivateKey, Error> {
    let key = keys
        .get("keys")
        .and_then(|keys| keys.get(owner))
        .unwrap_or(&serde_json::Value::Null);
    Ok(PrivateKey::from_seed(&bytes(key, "seedHex")?))
}

pub fn keyring(keys: &serde_json::Value) -> Result<Keyring, Error> {
    let mut ring = Keyring::default();
    for (owner, key) in keys
        .get("keys")
        .and_then(serde_json::Value::as_object)
        .into_iter()
        .flatten()
    {
        let public = PublicKey::from_bytes(&bytes(key, "publicRawHex")?);
        ring.add(
            owner,
            public.ok_or_else(|| Error::Host(format!("no key of `{owner}`")))?,
        )?;
    }
    Ok(ring)
}

/// Everything but the handlers.
pub struct Conformance {
    key: PrivateKey,
    ring: Keyring,
    idempotency: MemoryIdempotency,
    inbound: MemoryInbound,
}

/// Whether the profile's schema of this direction accepts a payload.
pub fn accepts(direction: Direction, payload: &Exact) -> bool {
    let is_object = payload.text().starts_with('{');
    is_object
        && match direction {
            Direction::Request => payload.member("rejectInput").is_none(),
            Direction::Response => payload.member("invalid").is_none_or(|flag| flag.text() != "true"),
        }
}

impl Host for Conformance {
    type Idempotency = MemoryIdempotency;
    type Inbound = MemoryInbound;

    fn idempotency(&mut self) -> &mut MemoryIdempotency {
        &mut self.idempotency
    }

    fn inbound(&mut self) -> &mut MemoryInbound {
        &mut self.inbound
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.ring.verify(signer_id, digest, signature)
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.key.sign(digest))
    }

    fn validate(&mut self, _schema: Digest, direction: Direction, _: Operation, payload: &Exact) -> bool {
        accepts(direction, payload)
    }

    fn admit(&mut self, question: &Admit) -> Result<Admission, Error> {
        let session = question.request.session_id().as_str();
        Ok(if session.starts_with("session:denied") {
            Admission::Refuse
        } else {
            Admission::Admit
        })
    }

    fn revalidate(&mut self, question: &Revalidate) -> Result<bool, Error> {
        Ok(!question
            .request
            .session_id()
            .as_str()
            .starts_with("session:expiring"))
    }
}

/// The time of the header, or the request's own.
fn now(headers: &HeaderMap, request: &Exact) -> Result<LogicalTime, Error> {
    let Some(value) = headers.get(TIME_HEADER) else {
        // What has no time of its own is refused for that later, in its order.
        let own = request
            .member("logicalTimeMs")
            .and_then(|time| time.text().parse().ok());
        return LogicalTime::new(own.unwrap_or(0));
    };
    let time = value.to_str().ok().and_then(|text| text.parse::<u64>().ok());
    LogicalTime::new(time.ok_or(Error::OutOfRange("logicalTimeMs"))?)
}

/// How often `count` ran, by session.
type Counts = Arc<Mutex<BTreeMap<String, u64>>>;

fn outcome(status: &str, reason_code: &str, payload: String) -> Result<Outcome, Error> {
    Ok(Outcome {
        status: status.to_owned(),
        reason_code: reason_code.to_owned(),
        payload: Exact::parse(payload, usize::MAX)?,
    })
}

fn number(run: &Run, name: &str) -> u64 {
    let member = run.request.payload().member(name);
    member.and_then(|member| member.text().parse().ok()).unwrap_or(0)
}

/// What the profile's handler says at once; `sleep` is waited for before.
fn handle(run: &Run, counts: &Counts) -> Result<Outcome, Error> {
    let request = &run.request;
    let wanted = request.payload().value();
    let wanted = wanted.get("do").and_then(agent_surface_interop::Value::as_str);
    match wanted.as_deref().unwrap_or_default() {
        "throw" => Err(Error::Host("asked to throw".to_owned())),
        "refuse" => outcome("refused", "driver:refused", "null".to_owned()),
        "defer" => outcome("deferred", "driver:deferred", "null".to_owned()),
        "fail" => outcome("failed", "driver:failed", "null".to_owned()),
        "blob" => {
            // More than any envelope holds says the same as the most.
            let length = number(run, "length").min(agent_surface_interop::ENVELOPE_BYTES.1);
            let blob = "x".repeat(usize::try_from(length).unwrap_or(0));
            outcome("completed", "driver:blob", format!("{{\"blob\":\"{blob}\"}}"))
        }
        "bad-output" => outcome("completed", "driver:bad", "{\"invalid\":true}".to_owned()),
        "count" => {
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts
                .entry(request.session_id().as_str().to_owned())
                .or_insert(0);
            *count += 1;
            outcome("completed", "driver:count", format!("{{\"count\":{count}}}"))
        }
        "sleep" => {
            let slept = number(run, "ms").min(MAX_SLEEP);
            outcome("completed", "driver:slept", format!("{{\"slept\":{slept}}}"))
        }
        _ => {
            let payload = format!(
                "{{\"echo\":{},\"operation\":\"{}\",\"sequence\":{}}}",
                request.payload().text(),
                request.operation().name(),
                request.sequence()
            );
            outcome("completed", "driver:echo", payload)
        }
    }
}

fn handler(run: &Run, counts: &Counts) -> Handler {
    let said = handle(run, counts);
    let is_sleep = said
        .as_ref()
        .is_ok_and(|outcome| outcome.reason_code == "driver:slept");
    let sleep = if is_sleep {
        number(run, "ms").min(MAX_SLEEP)
    } else {
        0
    };
    Box::pin(async move {
        if sleep > 0 {
            tokio::time::sleep(Duration::from_millis(sleep)).await;
        }
        said
    })
}

/// The profile's endpoint; `begins` is told of every run.
pub fn endpoint_that(
    sign: Sign,
    idempotency: MemoryIdempotency,
    begins: impl Fn() + Send + Sync + 'static,
) -> Result<Endpoint<Conformance>, Error> {
    let keys = keys()?;
    let manifest = manifest(sign)?;
    let router = Router::new(Settings {
        instance_id: "router:conformance",
        operations: Operation::ALL,
        revalidates: true,
        signer_id: Some(ENDPOINT_ID),
        durability: Durability::LocalOnly,
        lease: None,
        manifest,
    })?;
    let host = Conformance {
        key: private_key(&keys, ENDPOINT_ID)?,
        ring: keyring(&keys)?,
        idempotency,
        inbound: MemoryInbound::default(),
    };
    let counts = Counts::default();
    Ok(Endpoint::new(router, host, now, move |run| {
        begins();
        handler(run, &counts)
    }))
}
