//! Two routers that share a store, clients, and a clock: every exchange is answered question by question.
//!
//! It refuses to look into a router: what it asks and what its callers get is all there is. `model` calls it.

use crate::durable::{Durable, Told};
use crate::exchange::{Under, fail, reason};
use crate::sender::Sender;
use agent_surface_interop::router::{self, Durability, Ports, Settings};
use agent_surface_interop::store::idempotency_key;
use agent_surface_interop::{
    Call, Error, Exact, LogicalTime, Manifest, Operation, Request, Response, Router, Signal,
};

pub const LEASE: u64 = 30;
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
    LoseAnswer(usize),
    Abort(usize),
    GiveUp(usize),
    Lose(usize),
    Crash(u8),
    Reopen,
    Wait(u64),
    Revoke(u8),
    Admit(u8),
}

pub struct World {
    manifest: Manifest,
    routers: Vec<Router>,
    starts: u64,
    /// Of the routers: whether they ask again whether admission still holds.
    revalidates: bool,
    durable: Durable,
    under: Vec<Under>,
    sent: Vec<Asked>,
    now: u64,
}

pub fn manifest() -> Manifest {
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

impl Asked {
    /// What identifies a request follows from the key and the content alone.
    fn call(self) -> Call {
        let is_urgent = self.key == 2;
        let deadline = LogicalTime::new(1060).unwrap();
        Call {
            request_id: format!("request:{}", self.content),
            idempotency_key: format!("key:{}", self.key),
            session_id: format!("session:{}", self.session),
            operation: OPERATIONS[usize::from(self.operation)],
            sequence: self.sequence,
            logical_time: LogicalTime::new(1000 + 20 * u64::from(self.content)).unwrap(),
            deadline: if is_urgent { deadline } else { LogicalTime::MAX },
            payload: Exact::parse(format!("{{\"content\":{}}}", self.content), 99).unwrap(),
        }
    }

    fn request(self, manifest: &Manifest) -> Request {
        Sender::new(manifest, &format!("client:{}", self.issuer)).request(self.call())
    }
}

impl World {
    pub fn new(revalidates: bool) -> Self {
        let mut world = World {
            manifest: manifest(),
            routers: Vec::new(),
            starts: 0,
            revalidates,
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
            revalidates: self.revalidates,
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

    fn send(&mut self, asked: Asked) -> usize {
        let request = asked.request(&self.manifest);
        self.durable.books.owned(&key_of(&request), &request);
        let signal = Signal::default();
        let now = LogicalTime::new(self.now).unwrap();
        let wire = Exact::parse(request.text(), 4096).unwrap();
        let step = self.routers[usize::from(asked.router)].handle(wire, now, signal.clone());
        self.under.push(Under {
            step: Some(step),
            result: None,
            request,
            router: asked.router,
            signal,
            now: self.now,
            revalidates: self.revalidates,
            told: Told::default(),
        });
        let at = self.under.len() - 1;
        self.note(at);
        at
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
            Step::Throw(at) => self.throw(at),
            Step::Fail(at) => self.replace(at, |step, _| fail(step)),
            Step::LoseAnswer(at) => self.replace(at, |step, durable| {
                durable.write(&step);
                fail(step)
            }),
            Step::Abort(at) => self.abort(at),
            Step::GiveUp(at) => {
                self.abort(at);
                self.throw(at);
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
            Step::Reopen => self.durable.reopen(),
            Step::Wait(milliseconds) => self.now += milliseconds,
            Step::Revoke(issuer) => drop(self.durable.revoked.insert(format!("client:{issuer}"))),
            Step::Admit(issuer) => drop(self.durable.revoked.remove(&format!("client:{issuer}"))),
        }
        // Who is done makes room for others.
        self.under.retain(|under| under.step.is_some());
    }

    fn abort(&self, at: usize) {
        if let Some(under) = self.under.get(at) {
            under.signal.abort();
        }
    }

    /// Only a handler throws.
    fn throw(&mut self, at: usize) {
        let under = self.under.get_mut(at);
        let is_run = |step: &mut router::Step| matches!(step, router::Step::Run(_));
        if let Some(under) = under
            && let Some(step) = under.step.take_if(is_run)
        {
            under.step = Some(under.throw(step));
            self.note(at);
        }
    }

    fn replace(&mut self, at: usize, change: impl FnOnce(router::Step, &mut Durable) -> router::Step) {
        let Some(under) = self.under.get_mut(at) else {
            return;
        };
        if let Some(step) = under.step.take() {
            self.durable.told = under.told.clone();
            under.step = Some(change(step, &mut self.durable));
            under.told = self.durable.told.clone();
            self.note(at);
        }
    }

    fn answer(&mut self, at: usize) {
        self.replace(at, |step, durable| match step {
            router::Step::Run(ask) => {
                let outcome = durable.run(ask.question());
                ask.settle(outcome)
            }
            step => router::answer(step, durable),
        });
    }

    /// What the exchange asks for now is allowed, by what it was told; if it ended, so is what its caller got.
    fn note(&mut self, at: usize) {
        let under = &mut self.under[at];
        under.check_question();
        if let Some(router::Step::Done(result)) =
            under.step.take_if(|step| matches!(step, router::Step::Done(_)))
        {
            if let Ok(response) = &result {
                let key = key_of(&under.request);
                let known = self.durable.books.committed_for(&key, &under.request);
                under.check_response(response, known);
            }
            under.result = Some(result);
        }
    }

    /// Whatever is in the store is what was committed.
    pub fn check(&self) {
        self.durable.books.compare(|key| self.durable.record(key));
    }

    /// In the end everybody is admitted, every lease is over, the store and the routers start again, and every client
    /// retries: whoever owns its key gets the committed response, for ever the same; whoever reused one is told.
    pub fn settle(&mut self) {
        self.durable.revoked.clear();
        self.now += LEASE + 1;
        self.under.clear();
        self.durable.reopen();
        for router in [0, 1] {
            self.take(&Step::Crash(router));
        }
        for asked in self.sent.clone() {
            let request = asked.request(&self.manifest);
            let key = key_of(&request);
            let before = self.durable.record(&key);
            let is_reused =
                before.is_some_and(|record| record.reservation.request_digest != request.digest());
            let known = self
                .durable
                .books
                .committed_for(&key, &request)
                .map(str::to_owned);
            match (known, self.ask(asked)) {
                (Some(known), Ok(response)) => assert_eq!(response.text(), known),
                // It ran now, or never may.
                (None, Ok(response)) => assert!(matches!(
                    reason(&response),
                    "model:ran" | "interop_request_sequence_stale" | "interop_request_deadline_elapsed"
                )),
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
        while self.under[at].step.is_some() {
            self.answer(at);
        }
        self.under.remove(at).result.unwrap()
    }
}

fn key_of(request: &Request) -> String {
    idempotency_key(
        "endpoint:m",
        request.issuer_id().as_str(),
        request.session_id().as_str(),
        request.idempotency_key().as_str(),
    )
}
