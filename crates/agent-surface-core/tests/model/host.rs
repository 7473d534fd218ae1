//! The model's host: runs the core's outputs, keeps the reference beside it and asserts.
//!
//! Every closure answers from the reference's two switches; handlers and policies wait for a step. Called by
//! `model.rs`; what the page does is in `act.rs`, what must hold in `check.rs`.

use std::collections::{BTreeMap, BTreeSet};

use agent_surface_core::error::Code;
use agent_surface_core::limits::Limits;
use agent_surface_core::message::{CallId, Evidence, Input, Outcome, Output, Target, Vote};
use agent_surface_core::time::Millis;
use agent_surface_core::{Budget, Config, Consumer, Core, OnDuplicate, ToolsetConfig};
use agent_surface_json::{Bounds, Document};
use proptest::prelude::*;

use crate::reference::{NAMES, Reference};
use crate::step::{Call, Step};

const BOUNDS: Bounds = Bounds {
    max_bytes: 1 << 20,
    max_depth: 64,
    lone_surrogates: false,
};

pub fn json(text: &str) -> Document {
    Document::parse(text, BOUNDS).expect("JSON")
}

/// How small the collections are.
#[derive(Clone, Debug)]
pub struct Settings {
    pub cache: u32,
    pub tombstones: u32,
    pub pending: u32,
    /// The second registration of an instance replaces the first.
    pub replaces: bool,
}

impl Settings {
    pub fn roomy() -> Self {
        Self {
            cache: 2000,
            tombstones: 2000,
            pending: 32,
            replaces: false,
        }
    }
}

pub fn settings() -> impl Strategy<Value = Settings> {
    let sizes = prop_oneof![Just((2000, 2000, 32)), (0..4_u32, 0..3_u32, 0..3_u32),];
    (sizes, any::<bool>()).prop_map(|((cache, tombstones, pending), replaces)| Settings {
        cache,
        tombstones,
        pending,
        replaces,
    })
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct HostCall {
    pub id: CallId,
    pub consumer: String,
    pub name: String,
    pub capability: usize,
    pub input: String,
    pub expected: Option<Code>,
    pub registration: Option<(u32, u32)>,
    pub started: bool,
    pub ended: bool,
    pub voted_hidden: bool,
    pub frames: Vec<(u32, bool, bool)>,
    /// It waits for a person instead of being refused.
    pub waits: bool,
    pub result: Option<String>,
}

#[derive(Debug)]
pub struct Asked {
    pub id: String,
    pub consumer: String,
    pub input: String,
    pub at: f64,
    pub approved: bool,
    pub used: bool,
    /// The call that led to it.
    pub call: Call,
    /// The registration that the call meant.
    pub registration: Option<String>,
    /// The toolset that it came through.
    pub through: Option<u32>,
}

/// A view that lives as long as the model, with the stamp and text of the last look.
#[derive(Clone, Debug)]
pub struct Lasting {
    pub view: u32,
    pub scope: Vec<String>,
    pub all: bool,
    pub budget: Budget,
    /// It is looked through after each step.
    pub often: bool,
    pub last: (u64, String),
}

/// The views: everything twice, the available of one type, and some with budgets that bite.
fn views(core: &mut Core) -> Vec<Lasting> {
    let budget = |max_components, max_bytes| Budget {
        max_components,
        max_bytes,
    };
    let most = u32::MAX;
    let kinds = [
        ("", true, Budget::NONE, true),
        ("", true, Budget::NONE, false),
        ("t1", false, Budget::NONE, false),
        ("", true, budget(2, most), true),
        ("", true, budget(most, 4_000), true),
        ("", false, budget(3, 2_500), false),
        ("", true, budget(0, most), false),
    ];
    let open = |(scope, all, budget, often): (&str, bool, Budget, bool)| {
        let scope: Vec<String> = (!scope.is_empty())
            .then(|| scope.to_owned())
            .into_iter()
            .collect();
        Lasting {
            view: core.open_view(scope.clone(), all, budget),
            scope,
            all,
            budget,
            often,
            last: (0, String::new()),
        }
    };
    kinds.into_iter().map(open).collect()
}

#[derive(Debug)]
pub struct Host {
    pub core: Core,
    pub settings: Settings,
    pub reference: Reference,
    pub now: f64,
    pub clock: f64,
    pub timers: BTreeMap<u32, (u32, f64)>,
    pub calls: BTreeMap<u32, HostCall>,
    pub asked: Vec<Asked>,
    pub settled: BTreeSet<(u32, u32)>,
    /// Handlers that started, by consumer and invocation id.
    pub starts: BTreeSet<(String, String)>,
    pub registrations: BTreeSet<u32>,
    pub current: Option<Call>,
    /// The toolset of the current call.
    pub through: Option<u32>,
    pub views: Vec<Lasting>,
    pub scheduled: bool,
    pub disposed: bool,
    /// A call that must not be refused for want of an approval, and the last one that was.
    pub approved: Option<CallId>,
    pub refused: Option<CallId>,
    /// The call that its caller gave up.
    pub aborted: Option<CallId>,
}

pub const CONSUMERS: [&str; 3] = ["one", "two", "three"];

pub fn consumer(at: u8) -> Consumer {
    Consumer::new("test", CONSUMERS[usize::from(at)])
}

/// Bytes that never repeat a pattern: ids made of them differ, as those of a page do. (splitmix64)
fn noise(count: usize) -> Vec<u8> {
    let words = (1_u64..).flat_map(|at| {
        let mut word = at.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (word ^ (word >> 31)).to_le_bytes()
    });
    words.take(count).collect()
}

impl Host {
    pub fn new(settings: Settings) -> Self {
        let limits = format!(
            r#"{{"dedupeCacheSize":{},"dedupeCacheTtlMs":4000000000,"tombstoneSize":{},"tombstoneTtlMs":4000000000,"maxPendingConfirmations":{}}}"#,
            settings.cache, settings.tombstones, settings.pending
        );
        let config = Config {
            limits: Box::new(Limits::from_json(json(&limits).root()).expect("limits")),
            on_duplicate: if settings.replaces {
                OnDuplicate::Replace
            } else {
                OnDuplicate::Reject
            },
            ..Config::default()
        };
        let noise = noise(60_000);
        let mut core = Core::new(config, &noise).expect("enough randomness");
        core.set_audience(true, true, 1);
        core.set_executor(Some(None));
        for name in CONSUMERS {
            for waits in [false, true] {
                core.open_toolset(ToolsetConfig {
                    consumer: Consumer::new("test", name),
                    scope: Vec::new(),
                    waits,
                    wait_ms: None,
                    browser: false,
                    budget: Budget::NONE,
                });
            }
        }
        let views = views(&mut core);
        Self {
            core,
            settings,
            reference: Reference {
                when: true,
                ..Reference::default()
            },
            now: 0.0,
            clock: 0.0,
            timers: BTreeMap::new(),
            calls: BTreeMap::new(),
            asked: Vec::new(),
            settled: BTreeSet::new(),
            starts: BTreeSet::new(),
            registrations: BTreeSet::new(),
            current: None,
            through: None,
            views,
            scheduled: false,
            disposed: false,
            approved: None,
            refused: None,
            aborted: None,
        }
    }

    pub fn at(&self) -> Millis {
        Millis(self.now)
    }

    pub fn input(&mut self, input: Input) {
        let now = self.at();
        self.core.handle(now, input);
    }

    /// One step, and everything that follows from it.
    pub fn take(&mut self, step: &Step) {
        match step {
            Step::Register(component, instance) => self.register(*component, *instance),
            Step::Invoke(call) => self.invoke(call),
            Step::Execute(call, waits) => {
                let toolset = u32::from(call.consumer) * 2 + u32::from(*waits);
                self.send(call, Some(toolset));
            }
            Step::Repeat(at) => self.repeat(*at),
            Step::Redeem(at, id) => self.redeem(*at, *id),
            Step::Advance(ms) => self.advance(*ms),
            Step::Clock(ms) => self.now += f64::from(*ms),
            Step::Hide(hide) => self.reference.hidden = *hide,
            Step::When(when) => self.reference.when = *when,
            Step::Look => self.look(true),
            Step::Noise(at) => self.noise(usize::from(*at)),
            Step::Approve(at) | Step::Deny(at) => self.decide(*at, matches!(step, Step::Approve(_))),
            Step::Unregister(at) | Step::Enable(at, _) | Step::Push(at, _, _) | Step::Invalidate(at) => {
                self.change(*at, step);
            }
            Step::Return(at, _) | Step::Abort(at) | Step::Next(at) | Step::Done(at, _) => {
                self.act(usize::from(*at), step);
            }
        }
        self.drain();
        while self.scheduled {
            self.scheduled = false;
            self.input(Input::Tick);
            self.drain();
        }
        let approved = self.approved.take();
        assert!(
            approved.is_none() || approved != self.refused,
            "asked for an approval that is there"
        );
        if let Some(id) = self.aborted.take() {
            let call = self.calls.get(&id.slot).filter(|call| call.id == id);
            assert!(
                call.is_none_or(|call| call.result.is_some()),
                "aborted, and goes on"
            );
        }
    }

    pub fn drain(&mut self) {
        while let Some(output) = self.core.poll_output() {
            match output {
                Output::AskDiscovery(id, _, _) => {
                    let hidden = self.reference.hidden;
                    self.call(id).voted_hidden = hidden;
                    self.input(Input::Vote(id, if hidden { Vote::Hide } else { Vote::Expose }));
                }
                Output::AskWhen(id, _) => {
                    let when = self.reference.when;
                    self.input(Input::WhenIs(id, Some(when)));
                }
                Output::RunPolicy(id, _, frame, _) => self.call(id).frames.push((frame, false, false)),
                Output::ResumeNext(id, frame) => {
                    let open = self.call(id).frames.iter_mut().find(|open| open.0 == frame);
                    let open = open.expect("resumes what runs");
                    assert!(!std::mem::replace(&mut open.1, true), "resumed twice");
                }
                Output::CallHandler(id, target, evidence) => self.start(id, target, evidence),
                Output::Settled {
                    call,
                    outcome,
                    version,
                    ..
                } => {
                    assert_eq!(version, self.core.version());
                    self.settle(call, &outcome);
                }
                Output::Forget(slot) => {
                    let call = self.calls.remove(&slot).expect("forgets what is known");
                    assert!(call.result.is_some(), "forgotten before it settled");
                }
                Output::ForgetRegistration(slot) => {
                    assert!(self.registrations.remove(&slot), "forgets a registration twice");
                }
                Output::Arm {
                    timer,
                    generation,
                    ms,
                } => {
                    let due = self.clock + f64::from(ms);
                    let running = self.timers.entry(timer).or_insert((generation, due));
                    // Armed again, it runs on.
                    assert_eq!(running.0, generation, "armed over another one");
                }
                Output::Disarm(timer) => {
                    assert!(self.timers.remove(&timer).is_some(), "disarms what is not armed");
                }
                Output::Event(text) => self.hear(&text),
                Output::Schedule => {
                    assert!(!self.scheduled, "asks twice for one tick");
                    self.scheduled = true;
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, id: CallId) -> &mut HostCall {
        let call = self.calls.get_mut(&id.slot).expect("a call that the host knows");
        assert_eq!(call.id, id, "an output for an earlier user of the slot");
        call
    }

    fn start(&mut self, id: CallId, target: Target, evidence: Option<Evidence>) {
        let roomy = self.settings.cache >= 2000;
        let generation = self.core.registration_generation(target.registration);
        let now = self.now;
        let lives = self.core.is_live(target.registration, generation);
        assert!(lives, "a handler of a registration that ended");
        let call = self.call(id);
        assert!(
            !call.started && call.result.is_none(),
            "started twice, or after the end"
        );
        assert!(!call.voted_hidden, "hidden, and called all the same");
        assert_eq!(
            NAMES[call.capability],
            NAMES[usize::try_from(target.capability).expect("small")]
        );
        call.started = true;
        call.registration = Some((target.registration, generation));
        let (key, input, asks) = (
            (call.consumer.clone(), call.name.clone()),
            call.input.clone(),
            NAMES[call.capability] == "ask",
        );
        assert_eq!(asks, evidence.is_some(), "evidence where it belongs");
        if let Some(evidence) = evidence {
            let asked = self
                .asked
                .iter_mut()
                .find(|asked| asked.id == evidence.id)
                .expect("asked before");
            assert!(
                asked.approved && !asked.used,
                "evidence that nobody gave, or used twice"
            );
            assert!(now - asked.at <= 120_000.0, "evidence past its time");
            assert_eq!((&asked.consumer, &asked.input), (&key.0, &input));
            asked.used = true;
        }
        assert!(
            self.starts.insert(key) || !roomy,
            "a handler started twice for one id"
        );
        self.check_places();
    }

    fn settle(&mut self, id: CallId, outcome: &Outcome) {
        assert!(self.settled.insert((id.slot, id.generation)), "settled twice");
        let code = match outcome {
            Outcome::Done(_) => None,
            Outcome::Failed(failure) => Some(failure.code),
        };
        let disposed = self.disposed;
        let call = self.call(id);
        if let Some(expected) = call.expected.filter(|_| !disposed) {
            assert_eq!(code, Some(expected), "{call:?}");
        }
        call.result = Some(code.map_or("ok", Code::as_str).to_owned());
        let key = (call.consumer.clone(), call.name.clone());
        if code == Some(Code::ConfirmationRequired) {
            self.refused = Some(id);
        }
        if matches!(code, Some(Code::ConfirmationRequired | Code::RateLimited)) {
            self.reference.known.remove(&key);
        }
    }

    fn hear(&mut self, event: &str) {
        let event = json(event);
        let field = |name: &str| {
            let value = event.root().get(name)?;
            value.as_str().map(std::borrow::Cow::into_owned)
        };
        if field("type").as_deref() != Some("confirmation-requested") {
            return;
        }
        let id = field("confirmationId").expect("an id");
        let now = self.at();
        let pending = json(&self.core.pending_confirmations(now));
        let record = pending.root().items().find(|one| {
            let known = one
                .get("confirmationId")
                .and_then(agent_surface_json::Value::as_str);
            known.as_deref() == Some(&*id)
        });
        let record = record.expect("it is pending");
        let text = |name: &str| {
            record
                .get(name)
                .and_then(agent_surface_json::Value::as_str)
                .expect("a text")
        };
        self.asked.push(Asked {
            id,
            consumer: text("consumerKey").into_owned(),
            input: record.get("input").expect("an input").raw().to_owned(),
            at: self.now,
            approved: false,
            used: false,
            registration: text_or_none(record, "registrationId"),
            call: self.current.clone().expect("a call asked"),
            through: self.through,
        });
    }
}

fn text_or_none(record: agent_surface_json::Value<'_>, name: &str) -> Option<String> {
    let text = record.get(name)?.as_str()?;
    Some(text.into_owned())
}
