//! A router's host that follows a transcript's script: admission, handlers, schemas, keys, stores in memory.
//!
//! It refuses behaviour that the vectors' README does not name. `router` and `envelopes` call it.

use crate::support::{Keys, accepts, exact, text};
use agent_surface_interop::memory::{MemoryIdempotency, MemoryInbound};
use agent_surface_interop::router::{Admit, Durability, Host, Ports, Revalidate, Run, Settings, drive};
use agent_surface_interop::store::{
    Claim, IdempotencyStore, InboundSequenceStore, Place, Record, Reservation,
};
use agent_surface_interop::{
    Admission, Digest, Direction, Error, Exact, LogicalTime, Manifest, Operation, Outcome, Request, Router,
    Signal,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A list of answers: each is used once, the last for ever.
#[derive(Clone)]
struct Answers {
    items: Vec<Value>,
    used: usize,
}

impl Answers {
    fn new(items: &Value) -> Self {
        Answers {
            items: items.as_array().cloned().unwrap(),
            used: 0,
        }
    }

    fn next(&mut self) -> Value {
        let at = self.used.min(self.items.len() - 1);
        self.used += 1;
        self.items[at].clone()
    }
}

pub struct Script {
    pub keys: Keys,
    schemas: Value,
    admit: Answers,
    revalidate: Option<Answers>,
    handlers: BTreeMap<String, Answers>,
    seeds: BTreeMap<String, Record>,
    idempotency: MemoryIdempotency,
    inbound: MemoryInbound,
    endpoint_id: String,
    pub handler_calls: u64,
}

impl Script {
    pub fn new(transcript: &Value) -> Self {
        let admission = &transcript["admission"];
        let handlers = transcript["handlers"].as_object().unwrap();
        let seeds = transcript["seedIdempotency"].as_array().into_iter().flatten();
        let seed = |seed: &Value| {
            let part = |name: &str| text(seed, name);
            let (endpoint, issuer) = (part("endpointId"), part("issuerId"));
            let key = agent_surface_interop::store::idempotency_key(
                endpoint,
                issuer,
                part("sessionId"),
                part("idempotencyKey"),
            );
            (key, Record::read(&seed["record"].to_string()).unwrap())
        };
        Script {
            keys: Keys::read(&transcript["keys"]),
            schemas: transcript["schemas"].clone(),
            admit: Answers::new(&admission["admit"]),
            revalidate: admission.get("revalidate").map(Answers::new),
            handlers: handlers
                .iter()
                .map(|(operation, list)| (operation.clone(), Answers::new(list)))
                .collect(),
            seeds: seeds.map(seed).collect(),
            idempotency: MemoryIdempotency::default(),
            inbound: MemoryInbound::default(),
            endpoint_id: text(&transcript["manifest"], "endpointId").to_owned(),
            handler_calls: 0,
        }
    }

    /// One whose handlers all say the same.
    pub fn constant(outcome: &Value) -> Self {
        let mut said = outcome.clone();
        said["do"] = json!("return");
        let handlers: serde_json::Map<String, Value> = Operation::ALL
            .iter()
            .map(|operation| (operation.name().to_owned(), json!([said])))
            .collect();
        Script::new(&json!({
            "keys": {},
            "schemas": { "input": { "mode": "any" }, "output": { "mode": "any" } },
            "admission": { "admit": [true] },
            "handlers": handlers,
            "manifest": { "endpointId": "" },
        }))
    }

    pub fn router(
        &self,
        manifest: &Manifest,
        instance_id: &str,
        lease: Option<u64>,
    ) -> Result<Router, Error> {
        Router::new(Settings {
            instance_id,
            manifest: manifest.clone(),
            operations: manifest.operations(),
            revalidates: self.revalidate.is_some(),
            signer_id: self
                .keys
                .has(manifest.endpoint_id().as_str())
                .then(|| manifest.endpoint_id().as_str()),
            durability: Durability::LocalOnly,
            lease,
        })
    }

    pub fn answer(mut self, request: &Request, manifest: &Manifest) -> Exact {
        manifest.endpoint_id().as_str().clone_into(&mut self.endpoint_id);
        let router = self.router(manifest, "router:constant", None).unwrap();
        let wire = Exact::parse(request.text(), usize::MAX).unwrap();
        let step = router.handle(wire, request.logical_time(), Signal::default());
        drive(step, &mut self).unwrap().wire().clone()
    }

    /// What the next call of an operation's handler does.
    pub fn next_behaviour(&mut self, operation: Operation) -> Value {
        self.handler_calls += 1;
        self.handlers.get_mut(operation.name()).unwrap().next()
    }
}

/// What a behaviour says of a request, or the error that it throws.
pub fn behave(behaviour: &Value, run: &Run) -> Result<Outcome, Error> {
    let reason = |default: &str| behaviour["reasonCode"].as_str().unwrap_or(default).to_owned();
    let completed = |reason_code: String, payload: String| {
        Ok(Outcome {
            status: "completed".to_owned(),
            reason_code,
            payload: Exact::parse(payload, usize::MAX).unwrap(),
        })
    };
    match text(behaviour, "do") {
        "return" => Ok(Outcome {
            status: text(behaviour, "status").to_owned(),
            reason_code: text(behaviour, "reasonCode").to_owned(),
            payload: exact(&behaviour["payload"]),
        }),
        "echo" => completed(
            reason("echoed"),
            format!("{{\"echo\":{}}}", run.request.payload().text()),
        ),
        "blob" => {
            let length = usize::try_from(behaviour["length"].as_u64().unwrap()).unwrap();
            completed(reason("blob"), format!("{{\"blob\":\"{}\"}}", "x".repeat(length)))
        }
        "grant" => {
            let grant = run.grant.as_ref().map_or("null", |grant| grant.wire().text());
            completed(reason("grant"), format!("{{\"grant\":{grant}}}"))
        }
        "throw" => Err(Error::Host("scripted failure".to_owned())),
        "waitAbortThenThrow" => Err(Error::Host("scripted abort failure".to_owned())),
        other => panic!("no behaviour `{other}`"),
    }
}

impl IdempotencyStore for Script {
    fn load(&mut self, key: &str) -> Result<Option<Record>, Error> {
        match self.seeds.get(key) {
            Some(record) => Ok(Some(record.clone())),
            None => self.idempotency.load(key),
        }
    }

    fn reserve(&mut self, key: &str, wanted: &Reservation, now: LogicalTime) -> Result<bool, Error> {
        self.idempotency.reserve(key, wanted, now)
    }

    fn commit(&mut self, key: &str, run: &Reservation, response: &Exact) -> Result<bool, Error> {
        self.idempotency.commit(key, run, response)
    }
}

impl InboundSequenceStore for Script {
    fn advance(&mut self, claim: &Claim) -> Result<Place, Error> {
        self.inbound.advance(claim)
    }
}

impl Host for Script {
    type Idempotency = Self;
    type Inbound = Self;

    fn idempotency(&mut self) -> &mut Self {
        self
    }

    fn inbound(&mut self) -> &mut Self {
        self
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.keys.public().verify(signer_id, digest, signature)
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.keys.private(&self.endpoint_id).sign(digest))
    }

    fn validate(&mut self, _: Digest, direction: Direction, _: Operation, payload: &Exact) -> bool {
        let name = match direction {
            Direction::Request => "input",
            Direction::Response => "output",
        };
        accepts(&self.schemas[name], payload)
    }

    fn admit(&mut self, question: &Admit) -> Result<Admission, Error> {
        let answer = self.admit.next();
        Ok(match answer.get("grant") {
            None if answer == json!(true) => Admission::Admit,
            None if answer == json!(false) => Admission::Refuse,
            None => Admission::Grant(exact(&answer)),
            Some(grant) => {
                let mut grant = grant.clone();
                if grant.get("requestDigest") == Some(&json!("$request")) {
                    grant["requestDigest"] = json!(question.request.digest().text());
                }
                Admission::Grant(exact(&grant))
            }
        })
    }

    fn revalidate(&mut self, _question: &Revalidate) -> Result<bool, Error> {
        Ok(self.revalidate.as_mut().unwrap().next() == json!(true))
    }
}

impl Ports for Script {
    fn run(&mut self, question: &Run) -> Result<Outcome, Error> {
        let behaviour = self.next_behaviour(question.request.operation());
        behave(&behaviour, question)
    }
}
