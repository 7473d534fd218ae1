//! The endpoint of the grid world: who may call, what its schemas are, its sessions, and what each operation does.
//!
//! It refuses signatures of anybody but the issuer: an issuer's id is its public key (`key:` and 43 characters of
//! base64url), so that no list of keys is needed and no session can be taken over. The example serves it, and the
//! host's tests call it.

use crate::walk::{Stop, Walk, tick_of};
use crate::world::Direction as Way;
use agent_surface_host::Endpoint;
use agent_surface_interop::ed25519::{PrivateKey, PublicKey};
use agent_surface_interop::memory::{MemoryIdempotency, MemoryInbound};
use agent_surface_interop::router::{Admit, Durability, Host, Revalidate, Run, Settings};
use agent_surface_interop::{
    Admission, Digest, Direction, Error, Exact, Identifier, LogicalTime, Manifest, Operation, Outcome,
    Router, decode_base64url,
};
use agent_surface_json::schema::{Schema, SchemaLimits};
use agent_surface_json::{Bounds, Document, hex, sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

pub const ENDPOINT_ID: &str = "endpoint:grid-world";
/// What the id of an issuer begins with; its public key follows.
pub const ISSUER_PREFIX: &str = "key:";
const OPERATIONS: &[Operation] = &[
    Operation::EnvironmentAct,
    Operation::EnvironmentClose,
    Operation::EnvironmentObserve,
    Operation::EnvironmentReset,
    Operation::EnvironmentRestore,
    Operation::EnvironmentSnapshot,
];
const LIMITS: SchemaLimits = SchemaLimits {
    max_bytes: 65_536,
    max_depth: 16,
};
// The page has the same files.
const INPUT: &str = include_str!("../../../../www/grid/schemas/input.json");
const OUTPUT: &str = include_str!("../../../../www/grid/schemas/output.json");

/// A schema, and the SHA-256 of its canonical text.
struct Agreed {
    schema: Schema,
    digest: String,
}

impl Agreed {
    fn read(text: &str) -> Result<Self, Error> {
        let bounds = Bounds {
            max_bytes: LIMITS.max_bytes,
            max_depth: 64,
            lone_surrogates: false,
        };
        let document = Document::parse(text, bounds).map_err(|error| Error::Host(error.message()))?;
        let schema = Schema::compile(&document, LIMITS)
            .map_err(|error| Error::Host(format!("the schema is none: {error:?}")))?;
        let canonical = Exact::parse(text, LIMITS.max_bytes)?;
        let digest = ["sha256:", &hex(&sha256(canonical.text().as_bytes()))].concat();
        Ok(Agreed { schema, digest })
    }
}

fn manifest(input: &Agreed, output: &Agreed) -> Result<Manifest, Error> {
    let operations: Vec<String> = OPERATIONS
        .iter()
        .map(|operation| format!("\"{}\"", operation.name()))
        .collect();
    let body = format!(
        "{{\"endpointId\":\"{ENDPOINT_ID}\",\"endpointVersion\":\"1.0.0\",\"implementationId\":\"impl:agent-surface-host\",\
         \"endpointKind\":\"environment\",\"operations\":[{}],\"inputSchemaDigest\":\"{}\",\"outputSchemaDigest\":\"{}\",\
         \"supportsCancellation\":false,\"supportsDeterministicReplay\":true,\"supportsCheckpoint\":true,\
         \"requiresRequestSignature\":true,\"signsResponses\":true,\"maximumRequestBytes\":16384,\
         \"maximumResponseBytes\":65536,\"maximumStepsPerSession\":10000}}",
        operations.join(","),
        input.digest,
        output.digest,
    );
    Manifest::create(&Exact::parse(body, usize::MAX)?)
}

/// Everything but the walks.
pub struct Gate {
    key: PrivateKey,
    input: Agreed,
    output: Agreed,
    idempotency: MemoryIdempotency,
    inbound: MemoryInbound,
}

/// The public key that an issuer's id is.
fn key_of(issuer_id: &str) -> Option<PublicKey> {
    let bytes = decode_base64url(issuer_id.strip_prefix(ISSUER_PREFIX)?)?;
    PublicKey::from_bytes(&<[u8; 32]>::try_from(bytes).ok()?)
}

impl Host for Gate {
    type Idempotency = MemoryIdempotency;
    type Inbound = MemoryInbound;

    fn idempotency(&mut self) -> &mut MemoryIdempotency {
        &mut self.idempotency
    }

    fn inbound(&mut self) -> &mut MemoryInbound {
        &mut self.inbound
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        if signer_id == ENDPOINT_ID {
            return self.key.public_key().verify(digest, signature);
        }
        key_of(signer_id).is_some_and(|key| key.verify(digest, signature))
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.key.sign(digest))
    }

    fn validate(&mut self, schema: Digest, _: Direction, _: Operation, payload: &Exact) -> bool {
        [&self.input, &self.output]
            .into_iter()
            .find(|agreed| agreed.digest == schema.text())
            .is_some_and(|agreed| agreed.schema.validate(payload.value()).is_empty())
    }

    fn admit(&mut self, _: &Admit) -> Result<Admission, Error> {
        Ok(Admission::Admit)
    }

    fn revalidate(&mut self, _: &Revalidate) -> Result<bool, Error> {
        Ok(true)
    }
}

/// Walks by issuer and session, at most so many: the one that was used longest ago makes room.
pub struct Walks {
    by_session: BTreeMap<(Identifier, Identifier), (u64, Walk)>,
    max: usize,
    uses: u64,
}

impl Walks {
    pub fn new(max: usize) -> Self {
        Walks {
            by_session: BTreeMap::new(),
            max,
            uses: 0,
        }
    }

    fn put(&mut self, session: (Identifier, Identifier), walk: Walk) {
        self.uses += 1;
        if self.by_session.len() >= self.max && !self.by_session.contains_key(&session) {
            let oldest = self.by_session.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.by_session.remove(&key);
            }
        }
        self.by_session.insert(session, (self.uses, walk));
    }

    fn walk(&mut self, session: &(Identifier, Identifier)) -> Option<&mut Walk> {
        self.uses += 1;
        let (used, walk) = self.by_session.get_mut(session)?;
        *used = self.uses;
        Some(walk)
    }

    /// What an operation does. A payload that fits the schema and not its operation is refused.
    fn run(&mut self, run: &Run) -> Result<Outcome, Error> {
        let request = &run.request;
        let session = (request.issuer_id().clone(), request.session_id().clone());
        let payload = request.payload();
        match request.operation() {
            Operation::EnvironmentReset => {
                let member = |name| payload.value().get(name)?.as_u32();
                let walk = member("seed")
                    .zip(member("size"))
                    .and_then(|(seed, size)| Walk::new(seed, usize::try_from(size).ok()?));
                self.begin(session, walk, "grid:reset", "grid:other-payload")
            }
            Operation::EnvironmentRestore => {
                let walk = Walk::restore(payload.value());
                self.begin(session, walk, "grid:restored", "grid:other-snapshot")
            }
            Operation::EnvironmentClose => match self.by_session.remove(&session) {
                Some(_) => completed("grid:closed", "{\"closed\":true}".to_owned()),
                None => refused("grid:no-session"),
            },
            operation => match self.walk(&session) {
                Some(walk) => go_on(walk, operation, payload),
                None => refused("grid:no-session"),
            },
        }
    }

    fn begin(
        &mut self,
        session: (Identifier, Identifier),
        walk: Option<Walk>,
        begun: &str,
        other: &str,
    ) -> Result<Outcome, Error> {
        let Some(walk) = walk else {
            return refused(other);
        };
        let payload = walk.begun();
        self.put(session, walk);
        completed(begun, payload)
    }
}

fn go_on(walk: &mut Walk, operation: Operation, payload: &Exact) -> Result<Outcome, Error> {
    match operation {
        Operation::EnvironmentSnapshot => completed("grid:snapshot", walk.snapshot()),
        Operation::EnvironmentObserve => {
            let seen = walk.observation(tick_of(payload));
            completed("grid:observed", format!("{{{seen}}}"))
        }
        _ => {
            let wanted = payload.value().get("move");
            let is_it = |way: &Way| wanted.is_some_and(|wanted| wanted.is_str(way.name()));
            let Some(way) = Way::ALL.into_iter().find(is_it) else {
                return refused("grid:other-payload");
            };
            match walk.act(way) {
                Ok(event) => completed(&format!("grid:{}", event.name()), walk.stepped(event)),
                Err(Stop::Finished) => refused("grid:finished"),
                Err(Stop::OutOfActions) => refused("grid:out-of-actions"),
            }
        }
    }
}

fn completed(reason_code: &str, payload: String) -> Result<Outcome, Error> {
    outcome("completed", reason_code, payload)
}

fn refused(reason_code: &str) -> Result<Outcome, Error> {
    outcome("refused", reason_code, "null".to_owned())
}

fn outcome(status: &str, reason_code: &str, payload: String) -> Result<Outcome, Error> {
    Ok(Outcome {
        status: status.to_owned(),
        reason_code: reason_code.to_owned(),
        payload: Exact::parse(payload, usize::MAX)?,
    })
}

/// Milliseconds since 1970: the endpoint's logical time.
fn now() -> Result<LogicalTime, Error> {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_err(|error| Error::Host(error.to_string()))?;
    LogicalTime::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The endpoint with this key, and at most so many walks.
pub fn endpoint(key: PrivateKey, max_walks: usize) -> Result<Endpoint<Gate>, Error> {
    let (input, output) = (Agreed::read(INPUT)?, Agreed::read(OUTPUT)?);
    let router = Router::new(Settings {
        instance_id: "router:grid-world",
        manifest: manifest(&input, &output)?,
        operations: OPERATIONS,
        revalidates: false,
        signer_id: Some(ENDPOINT_ID),
        durability: Durability::LocalOnly,
        lease: None,
    })?;
    let gate = Gate {
        key,
        input,
        output,
        idempotency: MemoryIdempotency::default(),
        inbound: MemoryInbound::default(),
    };
    let walks = Arc::new(Mutex::new(Walks::new(max_walks)));
    Ok(Endpoint::new(
        router,
        gate,
        |_, _| now(),
        move |run| {
            let said = walks.lock().unwrap_or_else(PoisonError::into_inner).run(run);
            Box::pin(async move { said })
        },
    ))
}
