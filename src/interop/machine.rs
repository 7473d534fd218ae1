//! One request under way, of a client or a router: it says what it asks, by a number, and goes on with the answer.
//!
//! It refuses an answer of the wrong kind: that ends it. No borrow is held between two calls. Called by the facade's
//! `interop-drive.js`, which knows the numbers.

use alloc::rc::Rc;
use alloc::string::String;
use core::cell::RefCell;

use agent_surface_interop::client::{self, Negotiation};
use agent_surface_interop::store::{Place, Record};
use agent_surface_interop::{Admission, Ask, Client, Error, Exact, Outcome, Question, Signal, router};
use wasm_bindgen::prelude::*;

use super::rules::whole;
use super::schemas::Schemas;
use super::{question, values};

/// What is under way.
#[derive(Debug)]
pub(super) enum Step {
    Negotiation(Negotiation),
    Client(client::Step),
    Router(router::Step),
}

/// What an answer is.
enum Answer {
    Yes(bool),
    Text(Option<String>),
    Number(f64),
    Outcome(Outcome),
}

/// A request under way.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Machine {
    step: RefCell<Option<Step>>,
    signal: Signal,
    /// Who is told how the negotiation ends.
    client: Option<Rc<RefCell<Client>>>,
}

impl Machine {
    pub(super) fn new(step: Step, signal: Signal, client: Option<Rc<RefCell<Client>>>) -> Self {
        let machine = Machine {
            step: RefCell::new(Some(step)),
            signal,
            client,
        };
        machine.tell();
        machine
    }

    fn tell(&self) {
        if let (Some(client), Some(Step::Negotiation(Negotiation::Done(result)))) =
            (&self.client, &*self.step.borrow())
        {
            client.borrow_mut().negotiated(result);
        }
    }

    fn go(&self, next: impl FnOnce(Step) -> Step) -> u32 {
        let step = self.step.borrow_mut().take();
        if let Some(step) = step {
            *self.step.borrow_mut() = Some(next(step));
            self.tell();
        }
        self.ask()
    }

    fn with<T>(&self, look: impl FnOnce(&Step) -> T) -> Option<T> {
        self.step.borrow().as_ref().map(look)
    }
}

#[wasm_bindgen]
impl Machine {
    /// What it asks: a number that `question` lists.
    pub fn ask(&self) -> u32 {
        self.with(question::code).unwrap_or(question::FAILED)
    }

    /// The parts of the question, as text; of what has failed, the error.
    pub fn question(&self) -> String {
        self.with(question::parts).unwrap_or_default()
    }

    /// The payload or the envelope that it is about.
    pub fn text(&self) -> String {
        self.with(|step| String::from(question::subject(step)))
            .unwrap_or_default()
    }

    /// UTF-16 units of the envelope before its payload.
    pub fn before(&self) -> u32 {
        self.with(|step| question::around_payload(step).0).unwrap_or(0)
    }

    /// UTF-16 units of the envelope behind its payload.
    pub fn behind(&self) -> u32 {
        self.with(|step| question::around_payload(step).1).unwrap_or(0)
    }

    /// The caller has given up.
    pub fn abort(&self) {
        self.signal.abort();
    }

    /// Yes or no.
    pub fn yes(&self, is_yes: bool) -> u32 {
        self.go(|step| answer(step, Answer::Yes(is_yes)))
    }

    /// A text, or that there is none.
    pub fn say(&self, text: Option<String>) -> u32 {
        self.go(|step| answer(step, Answer::Text(text)))
    }

    /// A number.
    pub fn number(&self, number: f64) -> u32 {
        self.go(|step| answer(step, Answer::Number(number)))
    }

    /// What a handler says; its payload as JSON text.
    pub fn outcome(&self, status: String, reason_code: String, payload: String) -> u32 {
        self.go(|step| match Exact::parse(payload, values::MAX_BYTES) {
            Ok(payload) => {
                let outcome = Outcome {
                    status,
                    reason_code,
                    payload,
                };
                answer(step, Answer::Outcome(outcome))
            }
            Err(error) => fail(step, error.into(), true),
        })
    }

    /// Whether schemas of the package's own accept the payload that it asks about.
    pub fn validate(&self, schemas: &Schemas) -> u32 {
        let is_valid = self.with(|step| question::is_accepted(step, schemas));
        self.yes(is_valid == Some(true))
    }

    /// The host tried and failed.
    pub fn fail(&self) -> u32 {
        self.go(|step| fail(step, Error::Host(String::from("the host failed")), false))
    }

    /// What the host got was no answer.
    pub fn abandon(&self) -> u32 {
        let error = || Error::Host(String::from("the host's answer was none"));
        self.go(|step| fail(step, error(), true))
    }
}

fn mismatch() -> Error {
    Error::Host(String::from("expected an answer of the kind that was asked for"))
}

fn parse(text: String) -> Result<Exact, Error> {
    Ok(Exact::parse(text, values::MAX_BYTES)?)
}

fn settle<Q: Question>(ask: Ask<Q>, answer: Option<Q::Answer>) -> Q::Step {
    match answer {
        Some(answer) => ask.answer(answer),
        None => ask.abandon(mismatch()),
    }
}

fn fail(step: Step, error: Error, is_end: bool) -> Step {
    fn end<Q: Question>(ask: Ask<Q>, error: Error, is_end: bool) -> Q::Step {
        if is_end {
            ask.abandon(error)
        } else {
            ask.fail(error)
        }
    }
    match step {
        Step::Negotiation(step) => Step::Negotiation(match step {
            Negotiation::FetchManifest(ask) => end(ask, error, is_end),
            Negotiation::Resolve(ask) => end(ask, error, is_end),
            done @ Negotiation::Done(_) => done,
        }),
        Step::Client(step) => Step::Client(match step {
            client::Step::Gate(ask) => end(ask, error, is_end),
            client::Step::Allocate(ask) => end(ask, error, is_end),
            client::Step::Validate(ask) => end(ask, error, is_end),
            client::Step::Sign(ask) => end(ask, error, is_end),
            client::Step::Exchange(ask) => end(ask, error, is_end),
            client::Step::Verify(ask) => end(ask, error, is_end),
            done @ client::Step::Done(_) => done,
        }),
        Step::Router(step) => Step::Router(match step {
            router::Step::Verify(ask) => end(ask, error, is_end),
            router::Step::Validate(ask) => end(ask, error, is_end),
            router::Step::Admit(ask) => end(ask, error, is_end),
            router::Step::Load(ask) => end(ask, error, is_end),
            router::Step::Advance(ask) => end(ask, error, is_end),
            router::Step::Reserve(ask) => end(ask, error, is_end),
            router::Step::Run(ask) => end(ask, error, is_end),
            router::Step::Revalidate(ask) => end(ask, error, is_end),
            router::Step::Sign(ask) => end(ask, error, is_end),
            router::Step::Commit(ask) => end(ask, error, is_end),
            done @ router::Step::Done(_) => done,
        }),
    }
}

fn answer(step: Step, answer: Answer) -> Step {
    match step {
        Step::Negotiation(step) => Step::Negotiation(negotiate(step, answer)),
        Step::Client(step) => Step::Client(answer_client(step, answer)),
        Step::Router(step) => Step::Router(answer_router(step, answer)),
    }
}

fn negotiate(step: Negotiation, answer: Answer) -> Negotiation {
    match (step, answer) {
        (Negotiation::FetchManifest(ask), Answer::Text(Some(text))) => ask.settle(parse(text)),
        (Negotiation::FetchManifest(ask), _) => ask.abandon(mismatch()),
        (Negotiation::Resolve(ask), answer) => settle(ask, answer.yes()),
        (done @ Negotiation::Done(_), _) => done,
    }
}

fn answer_client(step: client::Step, answer: Answer) -> client::Step {
    match step {
        client::Step::Gate(ask) => settle(ask, answer.yes().filter(|yes| *yes).map(|_| ())),
        client::Step::Allocate(ask) => settle(ask, answer.number()),
        client::Step::Validate(ask) => settle(ask, answer.yes()),
        client::Step::Sign(ask) => settle(ask, answer.text()),
        client::Step::Exchange(ask) => match answer.text() {
            Some(text) => ask.settle(parse(text)),
            None => ask.abandon(mismatch()),
        },
        client::Step::Verify(ask) => settle(ask, answer.yes()),
        done @ client::Step::Done(_) => done,
    }
}

fn answer_router(step: router::Step, answer: Answer) -> router::Step {
    match step {
        router::Step::Verify(ask) => settle(ask, answer.yes()),
        router::Step::Validate(ask) => settle(ask, answer.yes()),
        router::Step::Admit(ask) => match answer {
            Answer::Yes(true) => ask.answer(Admission::Admit),
            Answer::Yes(false) => ask.answer(Admission::Refuse),
            Answer::Text(Some(grant)) => ask.settle(parse(grant).map(Admission::Grant)),
            _ => ask.abandon(mismatch()),
        },
        router::Step::Load(ask) => match answer {
            Answer::Text(record) => ask.settle(record.map(|text| Record::read(&text)).transpose()),
            _ => ask.abandon(mismatch()),
        },
        router::Step::Advance(ask) => {
            let place = match answer.number() {
                Some(0) => Some(Place::Advanced),
                Some(1) => Some(Place::Duplicate),
                Some(2) => Some(Place::Stale),
                Some(3) => Some(Place::Conflict),
                _ => None,
            };
            settle(ask, place)
        }
        router::Step::Reserve(ask) => settle(ask, answer.yes()),
        router::Step::Run(ask) => match answer {
            Answer::Outcome(outcome) => ask.answer(outcome),
            _ => ask.abandon(mismatch()),
        },
        router::Step::Revalidate(ask) => settle(ask, answer.yes()),
        router::Step::Sign(ask) => settle(ask, answer.text()),
        router::Step::Commit(ask) => settle(ask, answer.yes()),
        done @ router::Step::Done(_) => done,
    }
}

impl Answer {
    fn yes(self) -> Option<bool> {
        match self {
            Answer::Yes(is_yes) => Some(is_yes),
            _ => None,
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Answer::Text(text) => text,
            _ => None,
        }
    }

    fn number(self) -> Option<u64> {
        match self {
            Answer::Number(number) => whole(number),
            _ => None,
        }
    }
}
