//! The host of the fuzzed core: runs its outputs, answers its questions by bytes and asserts.

use std::collections::{BTreeMap, BTreeSet};

use agent_surface_core::definition::parse_policies;
use agent_surface_core::error::Failure;
use agent_surface_core::limits::Limits;
use agent_surface_core::message::{CallId, Checked, Input, Output, Returned, Vote};
use agent_surface_core::time::Millis;
use agent_surface_core::{Config, Core, OnCollision, OnDuplicate};
use agent_surface_json::{Bounds, Document};

use crate::bytes::Bytes;

pub(super) const JSON: [&str; 9] = [
    "{}",
    "null",
    "{\"n\":1}",
    "{\"n\":\"x\",\"m\":[1,2,3]}",
    "[]",
    "\"text\"",
    "{\"message\":\"no\",\"details\":{\"a\":1}}",
    "{\"code\":\"RATE_LIMITED\",\"message\":\"m\",\"retry\":\"no\",\"details\":{\"retryAfterMs\":5}}",
    "1e400",
];

/// Outputs of one drain, far above what any act can cause.
const MOST_OUTPUTS: usize = 200_000;

/// What waits for an answer that may come at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Policy(u32),
    Check,
    Precondition,
    Handler,
}

#[derive(Debug)]
pub(super) struct Host {
    pub core: Core,
    pub now: f64,
    pub mounted: Vec<(u32, u32)>,
    pub open: Vec<(CallId, Open)>,
    pub calls: BTreeMap<u32, CallId>,
    pub settled: BTreeSet<(u32, u32)>,
    pub started: BTreeSet<(u32, u32)>,
    pub timers: BTreeMap<u32, u32>,
    pub asked: Vec<String>,
    pub toolsets: Vec<u32>,
    pub views: Vec<u32>,
    pub offers: Vec<(u32, u32, u32)>,
    pub components: Vec<u32>,
    pub scheduled: bool,
}

pub(super) fn json(text: &str) -> Option<Document> {
    let bounds = Bounds {
        max_bytes: 1 << 16,
        max_depth: 64,
        lone_surrogates: false,
    };
    Document::parse(text, bounds).ok()
}

/// splitmix64
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
    pub fn new(bytes: &mut Bytes<'_>) -> Option<Self> {
        let limits = bytes.word(&[
            "{}",
            r#"{"dedupeCacheSize":2,"tombstoneSize":1,"maxPendingConfirmations":2,"actionQueueDepth":1}"#,
            r#"{"dedupeCacheSize":0,"tombstoneSize":0,"maxPendingConfirmations":0,"confirmationTtlMs":10,"policyTimeoutMs":5}"#,
        ]);
        let limits = Limits::from_json(json(&limits)?.root()).ok()?;
        let policies = bytes.word(&[
            "[]",
            r#"[{"ref":0,"name":"gate","hooks":7,"guard":false}]"#,
            r#"[{"ref":0,"name":"g","hooks":6,"guard":true},{"ref":1,"name":"p","hooks":5,"guard":false}]"#,
        ]);
        let replaces = bytes.flag();
        let config = Config {
            limits: Box::new(limits),
            policies: parse_policies(json(&policies)?.root(), "the registry").ok()?,
            on_duplicate: if replaces {
                OnDuplicate::Replace
            } else {
                OnDuplicate::Reject
            },
            on_collision: if replaces {
                OnCollision::Refuse
            } else {
                OnCollision::Warn
            },
            require_approver: bytes.flag(),
            has_route: bytes.flag(),
        };
        let mut core = Core::new(config, &noise(20_000))?;
        core.set_audience(bytes.flag(), bytes.flag(), u32::from(bytes.byte() % 2));
        Some(Self {
            core,
            now: 0.0,
            mounted: Vec::new(),
            open: Vec::new(),
            calls: BTreeMap::new(),
            settled: BTreeSet::new(),
            started: BTreeSet::new(),
            timers: BTreeMap::new(),
            asked: Vec::new(),
            toolsets: Vec::new(),
            views: Vec::new(),
            offers: Vec::new(),
            components: Vec::new(),
            scheduled: false,
        })
    }

    pub const fn at(&self) -> Millis {
        Millis(self.now)
    }

    pub fn input(&mut self, input: Input) {
        let now = self.at();
        self.core.handle(now, input);
    }

    pub fn drain(&mut self, bytes: &mut Bytes<'_>) {
        for _ in 0..MOST_OUTPUTS {
            let Some(output) = self.core.poll_output() else {
                return;
            };
            if let Some(order) = self.answer(output, bytes) {
                self.obey(order);
            }
        }
        assert!(self.core.poll_output().is_none(), "a drain that does not end");
    }

    /// Questions that are answered at once. What is none comes back.
    fn answer(&mut self, output: Output, bytes: &mut Bytes<'_>) -> Option<Output> {
        let input = match output {
            Output::AskDiscovery(id, ..) => Input::Vote(id, vote(bytes)),
            Output::AskWhen(id, _) => {
                Input::WhenIs(id, bytes.pick(&[Some(true), Some(true), Some(false), None])?)
            }
            Output::AskReason(id, _) => Input::ReasonIs(id, bytes.flag().then(|| bytes.text())),
            Output::AskKey(id, _) => Input::KeyIs(id, bytes.flag().then(|| bytes.word(&["a", "b"]))),
            Output::Guard(id, ..) => Input::Verdict(id, refusal(bytes)),
            Output::Bind(id, _) => {
                let bound = bytes.word(&["{\"n\":1}", "{}", "{\"n\":[]}"]);
                Input::Bound(
                    id,
                    if bytes.one_in(4) {
                        Err(bytes.flag().then_some(bound))
                    } else {
                        Ok(bound)
                    },
                )
            }
            Output::RunPolicy(id, _, frame, _) => return self.later(id, Open::Policy(frame)),
            Output::Check(id, ..) | Output::CheckOutput(id, _) => {
                if bytes.flag() {
                    return self.later(id, Open::Check);
                }
                Input::Checked(id, checked(bytes))
            }
            Output::CheckPrecondition(id, _) => {
                if bytes.flag() {
                    return self.later(id, Open::Precondition);
                }
                Input::PreconditionDone(id, refusal(bytes))
            }
            Output::CallHandler(id, target, _) => {
                assert!(self.started.insert((id.slot, id.generation)), "started twice");
                assert!(
                    !self.settled.contains(&(id.slot, id.generation)),
                    "started after the end"
                );
                let generation = self.core.registration_generation(target.registration);
                assert!(
                    self.core.is_live(target.registration, generation),
                    "of a registration that ended"
                );
                if bytes.flag() {
                    return self.later(id, Open::Handler);
                }
                Input::HandlerDone(id, returned(bytes))
            }
            order => return Some(order),
        };
        self.input(input);
        None
    }

    fn later(&mut self, id: CallId, open: Open) -> Option<Output> {
        self.open.push((id, open));
        None
    }

    fn obey(&mut self, order: Output) {
        match order {
            Output::Settled { call, version, .. } => {
                assert_eq!(
                    self.calls.get(&call.slot),
                    Some(&call),
                    "the end of a call that nobody made"
                );
                assert!(self.settled.insert((call.slot, call.generation)), "settled twice");
                assert_eq!(version, self.core.version());
            }
            Output::Forget(slot) => {
                let id = self.calls.remove(&slot);
                let is_over = id.is_some_and(|id| self.settled.contains(&(id.slot, id.generation)));
                assert!(is_over, "forgotten before it settled");
                self.open.retain(|(open, _)| Some(*open) != id);
            }
            Output::Arm {
                timer, generation, ..
            } => {
                let running = self.timers.insert(timer, generation);
                assert!(
                    running.is_none_or(|running| running == generation),
                    "armed over another one"
                );
            }
            Output::Disarm(timer) => {
                assert!(self.timers.remove(&timer).is_some(), "disarms what is not armed");
            }
            Output::Event(text) => {
                let event = json(&text);
                assert!(event.is_some(), "an event that is no JSON: {text}");
                let id = event
                    .as_ref()
                    .and_then(|event| event.root().get("confirmationId"));
                self.asked
                    .extend(id.and_then(|id| id.as_str().map(std::borrow::Cow::into_owned)));
            }
            Output::Audit(text, _) | Output::Effective(_, text) => {
                assert!(json(&text).is_some(), "no JSON: {text}");
            }
            Output::Schedule => {
                assert!(!self.scheduled, "asks twice for one tick");
                self.scheduled = true;
            }
            Output::ForgetRegistration(slot) => self.mounted.retain(|(mounted, _)| *mounted != slot),
            Output::ForgetComponent(id) => self.components.retain(|known| *known != id),
            Output::Offer(toolset, entry, generation) => self.offers.push((toolset, entry, generation)),
            _ => {}
        }
    }

    pub fn finish(&mut self, bytes: &mut Bytes<'_>) {
        let now = self.at();
        self.core.dispose(now);
        self.drain(bytes);
        while std::mem::take(&mut self.scheduled) {
            self.input(Input::Tick);
            self.drain(bytes);
        }
        for id in self.calls.values() {
            assert!(
                self.settled.contains(&(id.slot, id.generation)),
                "a call that never settled"
            );
        }
        assert!(self.timers.is_empty(), "timers of a registry that is gone");
    }
}

pub(super) fn vote(bytes: &mut Bytes<'_>) -> Vote {
    match bytes.byte() % 4 {
        0 => Vote::Hide,
        1 => Vote::Disable(bytes.text()),
        _ => Vote::Expose,
    }
}

pub(super) fn refusal(bytes: &mut Bytes<'_>) -> Option<Failure> {
    match bytes.byte() % 4 {
        0 => Some(Failure::not_authorized("client")),
        1 => json(&bytes.word(&JSON)).map(|document| Failure::from_author(&document).0),
        _ => None,
    }
}

pub(super) fn checked(bytes: &mut Bytes<'_>) -> Checked {
    if bytes.one_in(4) {
        Checked::Issues(bytes.word(&["[]", "[{\"path\":\"a\",\"pointer\":\"/a\",\"message\":\"m\"}]"]))
    } else {
        Checked::Value(bytes.word(&JSON))
    }
}

pub(super) fn returned(bytes: &mut Bytes<'_>) -> Returned {
    match bytes.byte() % 8 {
        0 => Returned::Threw,
        1 => Returned::NotJson {
            path: bytes.text(),
            message: bytes.text(),
        },
        2 => refusal(bytes).map_or(Returned::Threw, Returned::Failure),
        3 => Returned::Value(None),
        _ => Returned::Value(Some(bytes.word(&JSON))),
    }
}
