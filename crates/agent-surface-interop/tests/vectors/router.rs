//! `router.json`: transcripts of a router, played step by step.
//!
//! It refuses to skip a step: a slot that is not released fails the test. The test runner calls it.

use crate::router_ports::{Script, behave};
use crate::support::{assert_error, exact, list, text, vectors};
use agent_surface_interop::router::{Run, Step, answer};
use agent_surface_interop::{Ask, Error, Exact, LogicalTime, Manifest, Response, Router, Signal};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A handler that waits: for its release, or for its caller to give up.
struct Waiting {
    ask: Ask<Run>,
    behaviour: Value,
    signal: Signal,
}

struct Play {
    script: Script,
    router: Router,
    waiting: BTreeMap<String, Waiting>,
    about: String,
}

enum Came {
    Result(Result<Response, Error>),
    Waits(Ask<Run>, Value),
}

impl Play {
    fn new(transcript: &Value) -> Self {
        let script = Script::new(transcript);
        let manifest = Manifest::read(&exact(&transcript["manifest"])).unwrap();
        let lease = transcript
            .get("reservationLeaseMs")
            .map(|lease| lease.as_u64().unwrap());
        let router = script
            .router(&manifest, text(transcript, "routerInstanceId"), lease)
            .unwrap();
        Play {
            script,
            router,
            waiting: BTreeMap::new(),
            about: String::new(),
        }
    }

    /// Goes on until the exchange ends or its handler waits.
    fn go(&mut self, mut step: Step) -> Came {
        loop {
            step = match step {
                Step::Done(result) => return Came::Result(result),
                Step::Run(ask) => {
                    let behaviour = self.script.next_behaviour(ask.question().request.operation());
                    if matches!(text(&behaviour, "do"), "gate" | "waitAbortThenThrow") {
                        return Came::Waits(ask, behaviour);
                    }
                    let outcome = behave(&behaviour, ask.question());
                    ask.settle(outcome)
                }
                step => answer(step, &mut self.script),
            };
        }
    }

    fn begin(&mut self, step: &Value) -> Result<(Step, Signal), Error> {
        let raw = step["requestText"].as_str().map(str::to_owned);
        let wire = Exact::parse(raw.unwrap_or_else(|| step["request"].to_string()), usize::MAX)?;
        // What is no integer from 0 up is no logical time; a page's boundary says so in the same words.
        let now = step["logicalTimeMs"].as_u64().unwrap_or(u64::MAX);
        let now = LogicalTime::new(now)?;
        let signal = Signal::default();
        if step["aborted"] == json!(true) {
            signal.abort();
        }
        Ok((self.router.handle(wire, now, signal.clone()), signal))
    }

    fn take(&mut self, step: &Value) {
        let expected = &step["expect"];
        let came = match text(step, "type") {
            "handle" => match self.begin(step) {
                Ok((begun, _)) => self.go(begun),
                Err(error) => Came::Result(Err(error)),
            },
            "start" => {
                let (begun, signal) = self.begin(step).unwrap();
                let came = self.go(begun);
                let Came::Waits(ask, behaviour) = came else {
                    panic!("{}: does not wait", self.about);
                };
                assert_eq!(text(expected, "outcome"), "pending", "{}", self.about);
                let waiting = Waiting {
                    ask,
                    behaviour,
                    signal,
                };
                self.waiting.insert(text(step, "slot").to_owned(), waiting);
                return self.check_calls(expected);
            }
            kind => {
                let waiting = self.waiting.remove(text(step, "slot")).unwrap();
                if kind == "abort" {
                    waiting.signal.abort();
                }
                let then = waiting.behaviour.get("then").unwrap_or(&waiting.behaviour);
                let outcome = behave(then, waiting.ask.question());
                self.go(waiting.ask.settle(outcome))
            }
        };
        let Came::Result(result) = came else {
            panic!("{}: waits", self.about);
        };
        self.compare(&result, expected);
        self.check_calls(expected);
    }

    fn compare(&self, result: &Result<Response, Error>, expected: &Value) {
        let about = &self.about;
        match text(expected, "outcome") {
            "response" => {
                let raw = expected["responseText"].as_str().map(str::to_owned);
                let raw = raw.unwrap_or_else(|| expected["response"].to_string());
                let wanted = Exact::parse(raw, usize::MAX).unwrap();
                let response = result
                    .as_ref()
                    .unwrap_or_else(|error| panic!("{about}: {error:?}"));
                assert_eq!(response.text(), wanted.text(), "{about}");
            }
            "error" => assert_error(result.as_ref().expect_err(about), expected, about),
            other => panic!("{about}: no outcome `{other}`"),
        }
    }

    fn check_calls(&self, expected: &Value) {
        let calls = expected["handlerCalls"].as_u64().unwrap();
        assert_eq!(self.script.handler_calls, calls, "{}", self.about);
    }
}

#[test]
fn the_router_answers_as_in_the_transcripts() {
    let file = vectors("router.json");
    for transcript in list(&file, "transcripts") {
        let mut play = Play::new(transcript);
        for (at, step) in list(transcript, "steps").iter().enumerate() {
            play.about = format!("{} step {at}", text(transcript, "id"));
            play.take(step);
        }
        assert!(play.waiting.is_empty(), "{}", play.about);
    }
}
