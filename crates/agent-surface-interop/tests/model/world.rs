//! Two routers that share a store of texts, clients, and a clock: every exchange is answered question by question.
//!
//! It refuses to keep anything but texts in the store, so that a restart has nothing else. `model` calls it.

use crate::books::Books;
use agent_surface_interop::router::{self, Admit, Durability, Host, Ports, Revalidate, Run, Settings};
use agent_surface_interop::store::{
    Allocation, Claim, Commit, IdempotencyStore, InboundSequenceStore, OutboundSequenceStore, Place, Record,
    Reservation, idempotency_key,
};
use agent_surface_interop::{
    Admission, Call, Client, Digest, Direction, Error, Exact, Identifier, LogicalTime, Manifest, Operation,
    Outcome, Request, Response, Router, Signal, client,
};
use std::collections::{BTreeMap, BTreeSet};

const LEASE: u64 = 30;
const OPERATIONS: [Operation; 2] = [Operation::AgentStep, Operation::EnvironmentAct];

/// What a client asks, and of which router.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub issuer: u8,
    pub session: u8,
    pub operation: u8,
    pub key: u8,
    pub content: u8,
    pub sequence: u64,
    pub router: u8,
}

#[derive(Clone, Debug)]
pub enum Step {
    Send(Asked),
    Retry(proptest::sample::Index, u8),
    Answer(usize, usize),
    Finish(usize),
    Throw(usize),
    Fail(usize),
    Abort(usize),
    Lose(usize),
    Crash(u8),
    Wait(u64),
    Revoke(u8),
    Admit(u8),
}

/// An exchange under way.
struct Under {
    step: Option<router::Step>,
    request: Request,
    router: u8,
    signal: Signal,
}

/// What outlives every router.
#[derive(Default)]
struct Durable {
    records: BTreeMap<String, String>,
    heads: BTreeMap<String, (u64, String)>,
    books: Books,
    revoked: BTreeSet<String>,
}

pub struct World {
    manifest: Manifest,
    routers: Vec<Router>,
    starts: u64,
    durable: Durable,
    under: Vec<Under>,
    sent: Vec<Asked>,
    now: u64,
}

fn manifest() -> Manifest {
    let digest = "sha256:ac495e08acd8dbeaa713c340bbf43b0af6cf723d0903ec32699dbbc1044a1377";
    let body = format!(
        "{{\"endpointId\":\"endpoint:m\",\"endpointVersion\":\"1\",\"implementationId\":\"impl:m\",\
         \"endpointKind\":\"hybrid\",\"operations\":[\"agent.step\",\"environment.act\"],\
         \"inputSchemaDigest\":\"{digest}\",\"outputSchemaDigest\":\"{digest}\",\"supportsCancellation\":true,\
         \"supportsDeterministicReplay\":true,\"supportsCheckpoint\":true,\"requiresRequestSignature\":false,\
         \"signsResponses\":false,\"maximumRequestBytes\":4096,\"maximumResponseBytes\":4096,\
         \"maximumStepsPerSession\":100}}"
    );
    Manifest::create(&Exact::parse(body, 4096).unwrap()).unwrap()
}

fn is_own(response: &Response) -> bool {
    response.reason_code().as_str().starts_with("interop_")
}

impl World {
    pub fn new() -> Self {
        let mut world = World {
            manifest: manifest(),
            routers: Vec::new(),
            starts: 0,
            durable: Durable::default(),
            under: Vec::new(),
            sent: Vec::new(),
            now: 1000,
        };
        world.routers = vec![world.start(), world.start()];
        world
    }

    fn start(&mut self) -> Router {
        self.starts += 1;
        let instance_id = format!("router:{}", self.starts);
        Router::new(Settings {
            instance_id: &instance_id,
            manifest: self.manifest.clone(),
            operations: &OPERATIONS,
            revalidates: true,
            signer_id: None,
            durability: Durability::Restart {
                max_response_bytes: 4096,
            },
            lease: Some(LEASE),
        })
        .unwrap()
    }

    pub fn runs(&self) -> u64 {
        self.durable.books.runs
    }

    fn key(&self, request: &Request) -> String {
        idempotency_key(
            self.manifest.endpoint_id().as_str(),
            request.issuer_id().as_str(),
            request.session_id().as_str(),
            request.idempotency_key().as_str(),
        )
    }

    fn send(&mut self, asked: Asked) -> usize {
        let mut sender = Sender::new(&self.manifest, asked.issuer);
        let request = sender.request(asked);
        self.durable.books.owned(&self.key(&request), &request);
        let signal = Signal::default();
        let now = LogicalTime::new(self.now).unwrap();
        let wire = Exact::parse(request.text(), 4096).unwrap();
        let step = self.routers[usize::from(asked.router)].handle(wire, now, signal.clone());
        let step = Some(step);
        self.under.push(Under {
            step,
            request,
            router: asked.router,
            signal,
        });
        self.under.len() - 1
    }

    pub fn take(&mut self, step: &Step) {
        match *step {
            Step::Send(asked) => {
                self.sent.push(asked);
                self.send(asked);
            }
            Step::Retry(ref which, router) => {
                if !self.sent.is_empty() {
                    let asked = *which.get(&self.sent);
                    self.send(Asked { router, ..asked });
                }
            }
            Step::Answer(at, count) => {
                for _ in 0..count {
                    self.answer(at);
                }
            }
            Step::Finish(at) => {
                while self.under.get(at).is_some_and(|under| under.step.is_some()) {
                    self.answer(at);
                }
            }
            Step::Throw(at) => self.replace(at, |step| match step {
                router::Step::Run(ask) => ask.fail(Error::Host("thrown".to_owned())),
                step => step,
            }),
            Step::Fail(at) => self.replace(at, |step| match step {
                router::Step::Load(ask) => ask.fail(Error::Host("store".to_owned())),
                router::Step::Reserve(ask) => ask.fail(Error::Host("store".to_owned())),
                router::Step::Commit(ask) => ask.fail(Error::Host("store".to_owned())),
                step => step,
            }),
            Step::Abort(at) => {
                if let Some(under) = self.under.get(at) {
                    under.signal.abort();
                }
            }
            Step::Lose(at) => {
                if at < self.under.len() {
                    self.under.remove(at);
                }
            }
            Step::Crash(router) => {
                self.under.retain(|under| under.router != router);
                self.routers[usize::from(router)] = self.start();
            }
            Step::Wait(milliseconds) => self.now += milliseconds,
            Step::Revoke(issuer) => drop(self.durable.revoked.insert(format!("client:{issuer}"))),
            Step::Admit(issuer) => drop(self.durable.revoked.remove(&format!("client:{issuer}"))),
        }
        // Who is done makes room for others.
        self.under.retain(|under| under.step.is_some());
    }

    fn replace(&mut self, at: usize, change: impl FnOnce(router::Step) -> router::Step) {
        let Some(under) = self.under.get_mut(at) else {
            return;
        };
        under.step = under.step.take().map(change);
        self.note(at);
    }

    fn answer(&mut self, at: usize) {
        let Some(under) = self.under.get_mut(at) else {
            return;
        };
        if let Some(step) = under.step.take() {
            under.step = Some(match step {
                router::Step::Run(ask) => {
                    let outcome = self.durable.run(ask.question());
                    ask.settle(outcome)
                }
                step => router::answer(step, &mut self.durable),
            });
            self.note(at);
        }
    }

    /// If the exchange ended: what its caller got is allowed.
    fn note(&mut self, at: usize) {
        let under = &mut self.under[at];
        let Some(router::Step::Done(result)) = &under.step else {
            return;
        };
        if let Ok(response) = result {
            let key = idempotency_key(
                "endpoint:m",
                under.request.issuer_id().as_str(),
                under.request.session_id().as_str(),
                under.request.idempotency_key().as_str(),
            );
            let known = self.durable.books.committed_for(&key, &under.request);
            if !is_own(response) {
                assert_eq!(known, Some(response.text()), "delivered and not committed");
            }
        }
        under.step = None;
    }

    /// Whatever is in the store is what was committed.
    pub fn check(&mut self) {
        let records = &self.durable.records;
        let load = |key: &str| records.get(key).map(|text| Record::read(text).unwrap());
        self.durable.books.compare(load);
    }

    /// In the end everybody is admitted, every lease is over, and every client retries: whoever owns its key gets the
    /// committed response, for ever the same; whoever reused one is told.
    pub fn settle(&mut self) {
        self.durable.revoked.clear();
        self.now += LEASE + 1;
        self.under.clear();
        for router in [0, 1] {
            self.take(&Step::Crash(router));
        }
        for asked in self.sent.clone() {
            let request = Sender::new(&self.manifest, asked.issuer).request(asked);
            let key = self.key(&request);
            let before = self.durable.load(&key).unwrap();
            let is_reused =
                before.is_some_and(|record| record.reservation.request_digest != request.digest());
            let known = self
                .durable
                .books
                .committed_for(&key, &request)
                .map(str::to_owned);
            let first = self.ask(asked);
            match (known, first) {
                (Some(known), Ok(response)) => assert_eq!(response.text(), known),
                (None, Ok(response)) => assert!(
                    is_own(&response)
                        || self.durable.books.committed_for(&key, &request) == Some(response.text())
                ),
                (known, Err(error)) => {
                    // Reuse of a key, or of a place in the sequence.
                    assert_eq!((known, error.status()), (None, 409), "{error:?}");
                    assert!(is_reused || error.code() == "SEQUENCE_EQUIVOCATION", "{error:?}");
                }
            }
            if is_reused {
                assert_eq!(self.ask(asked).unwrap_err().code(), "IDEMPOTENCY_KEY_REUSED");
            }
            self.check();
        }
    }

    fn ask(&mut self, asked: Asked) -> Result<Response, Error> {
        let at = self.send(asked);
        let step = self.under.remove(at).step.unwrap();
        router::drive(step, &mut self.durable)
    }
}

impl IdempotencyStore for Durable {
    fn load(&mut self, key: &str) -> Result<Option<Record>, Error> {
        self.records.get(key).map(|text| Record::read(text)).transpose()
    }

    fn reserve(&mut self, key: &str, wanted: &Reservation, now: LogicalTime) -> Result<bool, Error> {
        let stored = self.load(key)?;
        let Some(record) = Record::reserve(stored.as_ref(), wanted, now)? else {
            return Ok(false);
        };
        self.books.reserved(key, wanted, now);
        self.records.insert(key.to_owned(), record.text());
        Ok(true)
    }

    fn commit(&mut self, key: &str, run: &Reservation, response: &Exact) -> Result<bool, Error> {
        match Record::commit(self.load(key)?.as_ref(), run, response) {
            Commit::Write(record) => drop(self.records.insert(key.to_owned(), record.text())),
            Commit::Keep => {}
            Commit::Refuse => return Ok(false),
        }
        self.books.committed(key, run, response.text());
        Ok(true)
    }
}

impl InboundSequenceStore for Durable {
    fn advance(&mut self, claim: &Claim) -> Result<Place, Error> {
        let (issuer, session) = (claim.issuer_id.as_str(), claim.session_id.as_str());
        let scope = format!("{issuer} {session} {}", claim.operation.name());
        let head = self.heads.get(&scope);
        let place = Place::of(
            head.map(|(at, digest)| (*at, Digest::parse(digest).unwrap())),
            claim,
        );
        self.books.placed(claim, place);
        if place == Place::Advanced {
            self.heads
                .insert(scope, (claim.sequence, claim.request_digest.text()));
        }
        Ok(place)
    }
}

impl Host for Durable {
    fn verify(&mut self, _: &str, _: Digest, _: &str) -> bool {
        false
    }

    fn sign(&mut self, _: Digest) -> Result<String, Error> {
        Err(Error::Host("no key".to_owned()))
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn admit(&mut self, question: &Admit) -> Result<Admission, Error> {
        let is_revoked = self.revoked.contains(question.request.issuer_id().as_str());
        Ok(if is_revoked {
            Admission::Refuse
        } else {
            Admission::Admit
        })
    }

    fn revalidate(&mut self, question: &Revalidate) -> Result<bool, Error> {
        Ok(!self.revoked.contains(question.request.issuer_id().as_str()))
    }
}

impl Ports for Durable {
    fn run(&mut self, _: &Run) -> Result<Outcome, Error> {
        self.books.runs += 1;
        Ok(Outcome {
            status: "completed".to_owned(),
            reason_code: "model:ran".to_owned(),
            // No two runs say the same.
            payload: Exact::parse(self.books.runs.to_string(), 99)?,
        })
    }
}

/// A client that only seals: its transport keeps the request.
struct Sender {
    manifest: Manifest,
    client_id: String,
    sealed: Option<Request>,
}

impl Sender {
    fn new(manifest: &Manifest, issuer: u8) -> Self {
        Sender {
            manifest: manifest.clone(),
            client_id: format!("client:{issuer}"),
            sealed: None,
        }
    }

    fn request(&mut self, asked: Asked) -> Request {
        let mut client = Client::new(&self.client_id, None).unwrap();
        let endpoint = client::negotiate(&mut client, self).unwrap();
        let call = Call {
            request_id: format!("request:{}", asked.content),
            idempotency_key: format!("key:{}", asked.key),
            session_id: format!("session:{}", asked.session),
            operation: OPERATIONS[usize::from(asked.operation)],
            sequence: asked.sequence,
            logical_time: LogicalTime::new(1000).unwrap(),
            deadline: LogicalTime::MAX,
            payload: Exact::parse(format!("{{\"content\":{}}}", asked.content), 99).unwrap(),
        };
        client::drive(endpoint.invoke(call, None), self).unwrap_err();
        self.sealed.take().unwrap()
    }
}

impl OutboundSequenceStore for Sender {
    fn next(&mut self, _: &Allocation) -> Result<u64, Error> {
        Ok(1)
    }

    fn current(&mut self, _: &Identifier, _: &Identifier) -> Result<u64, Error> {
        Ok(0)
    }
}

impl client::Ports for Sender {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        Ok(Exact::parse(self.manifest.text(), 4096)?)
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        self.sealed = Some(request.clone());
        Err(Error::Host("kept".to_owned()))
    }

    fn resolve(&mut self, _: Digest) -> bool {
        true
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn sign(&mut self, _: Digest) -> Result<String, Error> {
        Err(Error::Host("no key".to_owned()))
    }

    fn verify(&mut self, _: &str, _: Digest, _: &str) -> bool {
        false
    }

    fn gate(&mut self, _: Operation, _: &str) -> Result<(), Error> {
        Ok(())
    }
}
