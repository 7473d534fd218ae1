//! One request under way, of a client or a router: it says what it asks, by a number, and goes on with the answer.
//!
//! It refuses to wait: what it asks, the host answers. No borrow is held between two calls. Called by the facade's
//! `interop-drive.js`, which knows the numbers.

use alloc::rc::Rc;
use alloc::string::String;
use core::cell::RefCell;

use agent_surface_interop::client::{self, Negotiation};
use agent_surface_interop::store::{Place, Record};
use agent_surface_interop::{Admission, Client, Ended, Error, Exact, Outcome, Signal, Verdict, router};
use wasm_bindgen::prelude::*;

use super::http::HttpReply;
use super::rules::{double, whole};
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
    Verdict(Verdict),
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

    /// The most bytes of what came over the wire, where it asks for that.
    #[wasm_bindgen(js_name = maxBytes)]
    pub fn max_bytes(&self) -> f64 {
        double(self.with(question::max_bytes).unwrap_or(0))
    }

    /// What came over the wire, as the HTTP transport of the package has it.
    pub fn receive(&self, reply: &HttpReply) -> u32 {
        self.say(reply.take_text())
    }

    /// A number.
    pub fn number(&self, number: f64) -> u32 {
        self.go(|step| answer(step, Answer::Number(number)))
    }

    /// What a handler says; its payload as JSON text.
    pub fn outcome(&self, status: String, reason_code: String, payload: String) -> u32 {
        self.go(|step| match parse(payload) {
            Ok(payload) => {
                let outcome = Outcome {
                    status,
                    reason_code,
                    payload,
                };
                answer(step, Answer::Outcome(outcome))
            }
            Err(error) => fail(step, error, true),
        })
    }

    /// Whether schemas of the package's own accept the payload that it asks about.
    pub fn validate(&self, schemas: &Schemas) -> u32 {
        let verdict = self.with(|step| question::judge(step, schemas));
        self.go(|step| answer(step, Answer::Verdict(verdict.unwrap_or(false.into()))))
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

fn parse(text: String) -> Result<Exact, Error> {
    Ok(Exact::parse(text, values::MAX_BYTES)?)
}

/// Of a handler that is an outcome, unless the host's answer was none; of all else it is the end.
fn fail(step: Step, error: Error, is_end: bool) -> Step {
    if question::is_over(&step) {
        return step;
    }
    match step {
        Step::Router(router::Step::Run(ask)) if !is_end => Step::Router(ask.fail(error)),
        Step::Router(_) => Step::Router(router::Step::ended(error)),
        Step::Client(_) => Step::Client(client::Step::ended(error)),
        Step::Negotiation(_) => Step::Negotiation(Negotiation::ended(error)),
    }
}

fn answer(step: Step, answer: Answer) -> Step {
    match step {
        Step::Negotiation(step) => Step::Negotiation(match step {
            Negotiation::FetchManifest(ask) => {
                let wire = ask.question().read(answer.text());
                ask.settle(wire)
            }
            Negotiation::Resolve(ask) => ask.answer(answer.is_yes()),
            done @ Negotiation::Done(_) => done,
        }),
        Step::Client(step) => Step::Client(answer_client(step, answer)),
        Step::Router(step) => Step::Router(answer_router(step, answer)),
    }
}

fn answer_client(step: client::Step, answer: Answer) -> client::Step {
    match step {
        // A gate says no by failing.
        client::Step::Gate(ask) => ask.answer(()),
        // What is no number is past every range.
        client::Step::Allocate(ask) => ask.answer(answer.number().unwrap_or(u64::MAX)),
        client::Step::Validate(ask) => ask.answer(answer.verdict()),
        client::Step::Sign(ask) => ask.answer(answer.text()),
        client::Step::Exchange(ask) => {
            let wire = ask.question().read(answer.text());
            ask.settle(wire)
        }
        client::Step::Verify(ask) => ask.answer(answer.is_yes()),
        done @ client::Step::Done(_) => done,
    }
}

fn answer_router(step: router::Step, answer: Answer) -> router::Step {
    match step {
        router::Step::Verify(ask) => ask.answer(answer.is_yes()),
        router::Step::Validate(ask) => ask.answer(answer.verdict()),
        router::Step::Admit(ask) => match answer {
            Answer::Yes(true) => ask.answer(Admission::Admit),
            Answer::Yes(false) => ask.answer(Admission::Refuse),
            answer => ask.settle(parse(answer.text()).map(Admission::Grant)),
        },
        router::Step::Load(ask) => match answer {
            Answer::Text(Some(record)) => ask.settle(Record::read(&record).map(Some)),
            _ => ask.answer(None),
        },
        router::Step::Advance(ask) => match answer.number() {
            Some(0) => ask.answer(Place::Advanced),
            Some(1) => ask.answer(Place::Duplicate),
            Some(2) => ask.answer(Place::Stale),
            Some(3) => ask.answer(Place::Conflict),
            _ => ask.abandon(Error::Host(String::from("expected a place in a sequence"))),
        },
        router::Step::Reserve(ask) => ask.answer(answer.is_yes()),
        router::Step::Run(ask) => match answer {
            Answer::Outcome(outcome) => ask.answer(outcome),
            _ => ask.abandon(Error::Host(String::from("expected an outcome"))),
        },
        router::Step::Revalidate(ask) => ask.answer(answer.is_yes()),
        router::Step::Sign(ask) => ask.answer(answer.text()),
        router::Step::Commit(ask) => ask.answer(answer.is_yes()),
        done @ router::Step::Done(_) => done,
    }
}

/// What is of another kind is no, nothing and no number: the facade knows what was asked.
impl Answer {
    fn is_yes(&self) -> bool {
        matches!(self, Answer::Yes(true))
    }

    fn verdict(self) -> Verdict {
        match self {
            Answer::Verdict(verdict) => verdict,
            answer => answer.is_yes().into(),
        }
    }

    fn text(self) -> String {
        match self {
            Answer::Text(Some(text)) => text,
            _ => String::new(),
        }
    }

    fn number(&self) -> Option<u64> {
        match self {
            Answer::Number(number) => whole(*number),
            _ => None,
        }
    }
}
