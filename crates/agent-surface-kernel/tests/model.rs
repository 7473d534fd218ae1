//! A small model beside the kernel: random requests, results, decisions, departures and ends. After each step every request
//! has at most one answer, at the end exactly one; nothing is run twice, and nothing once the session is over.
//!
//! It refuses to know how the kernel keeps its books.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use agent_surface_core::time::Millis;
use agent_surface_kernel::{Config, Kernel, Outcome, Output};
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
enum Step {
    Request { id: u8, input: u8 },
    Result { nth: usize, asks: bool },
    Decide { nth: usize, over: bool },
    Leave { nth: usize },
    Pass { ms: u16 },
    Revoke,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..6, 0_u8..2).prop_map(|(id, input)| Step::Request { id, input }),
        4 => (0_usize..4, any::<bool>()).prop_map(|(nth, asks)| Step::Result { nth, asks }),
        3 => (0_usize..4, any::<bool>()).prop_map(|(nth, over)| Step::Decide { nth, over }),
        2 => (0_usize..8).prop_map(|nth| Step::Leave { nth }),
        1 => (0_u16..300).prop_map(|ms| Step::Pass { ms }),
        1 => Just(Step::Revoke),
    ]
}

const END: f64 = 1000.0;

struct Model {
    kernel: Kernel,
    now: f64,
    is_over: bool,
    tokens: u32,
    /// Whether each request was answered.
    answers: BTreeMap<u32, String>,
    left: BTreeSet<u32>,
    executing: Vec<(u32, String)>,
    waiting: Vec<(u32, String)>,
    /// Executions that ended without asking a person, by id.
    done: BTreeSet<String>,
    /// Content of each id that the kernel took.
    contents: BTreeMap<String, String>,
    withdrawn: BTreeSet<String>,
    questions: u32,
}

impl Model {
    fn new() -> Model {
        let config = json!({ "app": "a", "expose": ["do.it"], "scope": ["do.it"], "recordLimit": 1, "maxBytes": 1000, "maxInFlight": 1000 });
        Model {
            kernel: Kernel::new(Config::read(&config.to_string(), Millis(END)).unwrap()),
            now: 0.0,
            is_over: false,
            tokens: 0,
            answers: BTreeMap::new(),
            left: BTreeSet::new(),
            executing: Vec::new(),
            waiting: Vec::new(),
            done: BTreeSet::new(),
            contents: BTreeMap::new(),
            withdrawn: BTreeSet::new(),
            questions: 0,
        }
    }

    fn drain(&mut self) {
        while let Some(output) = self.kernel.poll_output() {
            match output {
                Output::Respond { token, text, .. } => {
                    let known = self.answers.insert(token, text);
                    assert!(known.is_none(), "request {token} was answered twice");
                }
                Output::Invoke {
                    call,
                    id,
                    input,
                    confirmation,
                    ..
                } => {
                    assert!(!self.is_over, "something runs after the session's end");
                    assert!(!self.done.contains(&id), "`{id}` runs twice");
                    assert!(
                        self.executing.iter().all(|(_, other)| *other != id),
                        "`{id}` runs beside itself"
                    );
                    assert!(confirmation.is_none_or(|evidence| !self.withdrawn.contains(&evidence)));
                    let content = self.contents.entry(id.clone()).or_insert_with(|| input.clone());
                    assert_eq!(
                        *content, input,
                        "another input under the id of one that was taken"
                    );
                    self.executing.push((call, id));
                }
                Output::Wait { call, confirmation } => self.waiting.push((call, confirmation)),
                Output::Withdraw { confirmation, .. } => {
                    self.withdrawn.insert(confirmation);
                }
                Output::Abort { .. } => {}
                Output::Describe { .. } => panic!("nobody asked"),
            }
        }
        for token in 1..=self.tokens {
            let is_answered = self.answers.contains_key(&token);
            assert!(
                is_answered || !self.is_over,
                "request {token} is open after the end"
            );
            assert!(is_answered || !self.left.contains(&token));
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Request { id, input } => {
                self.tokens += 1;
                let text = json!({ "protocol": "agent-surface/1", "id": format!("r{id}"), "method": "invoke", "capability": "do.it", "input": input });
                self.is_over |= self.now > END;
                self.kernel
                    .handle_request(Millis(self.now), self.tokens, &text.to_string());
            }
            Step::Result { nth, asks } if nth < self.executing.len() => {
                let (call, id) = self.executing.remove(nth);
                let result = if asks {
                    self.questions += 1;
                    json!({ "error": { "code": "CONFIRMATION_REQUIRED", "details": { "confirmationId": format!("cnf_{}", self.questions) } } })
                } else {
                    self.done.insert(id);
                    json!({ "output": call })
                };
                self.kernel.handle_result(call, &result.to_string());
            }
            Step::Decide { nth, over } if nth < self.waiting.len() => {
                let (call, _) = self.waiting.remove(nth);
                self.is_over |= self.now > END;
                let outcome = if over { Outcome::Expired } else { Outcome::Decided };
                self.kernel.handle_decided(Millis(self.now), call, outcome);
            }
            Step::Leave { nth } => {
                let token = u32::try_from(nth).unwrap() + 1;
                if token <= self.tokens {
                    self.left.insert(token);
                    self.kernel.handle_left(token);
                }
            }
            Step::Pass { ms } => {
                self.now += f64::from(ms);
                if self.now > END && self.kernel.poll_timeout().is_some() {
                    self.is_over = true;
                    self.kernel.handle_timeout();
                }
            }
            Step::Revoke => {
                self.is_over = true;
                self.kernel.handle_revoked();
            }
            Step::Result { .. } | Step::Decide { .. } => {}
        }
        self.drain();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_run_twice_or_run_after_the_end(steps in prop::collection::vec(step(), 1..60)) {
        let mut model = Model::new();
        let decisive = steps.iter().any(|step| matches!(step, Step::Revoke));
        for step in &steps {
            // Mostly a session lives to the end of the steps.
            if decisive && matches!(step, Step::Revoke) && steps.len() % 4 != 0 {
                continue;
            }
            model.step(step);
        }
        // Whatever is open ends: executions answer, nobody decides any more.
        while !model.executing.is_empty() || !model.waiting.is_empty() {
            model.step(&Step::Result { nth: 0, asks: false });
            model.step(&Step::Decide { nth: 0, over: true });
        }
        for token in 1..=model.tokens {
            let text = model.answers.get(&token);
            prop_assert!(text.is_some(), "request {} was lost", token);
            let answer: Value = serde_json::from_str(text.unwrap()).unwrap();
            prop_assert!(answer["id"].is_string());
        }
    }
}
