//! What the model's page does: registers, changes, calls, answers, decides, lets time pass.
//!
//! Each act is told to the reference, too. Called by `host.rs`.

use std::rc::Rc;

use agent_surface_core::error::{Code, Failure};
use agent_surface_core::message::{CallId, Checked, Input, Returned, Vote};
use agent_surface_core::{Admitted, Registered, Request, Route, Sent};

use crate::host::{Host, HostCall, consumer, json};
use crate::reference::{Identity, Live, NAMES};
use crate::step::{Call, Step};

fn capability(name: &str) -> String {
    let common = format!(r#""name":"{name}","description":"{name}""#);
    let policy = |name: &str, reference: u32, hooks: u8| {
        format!(r#","policies":[{{"ref":{reference},"name":"{name}","hooks":{hooks},"guard":false}}]"#)
    };
    if name == "look" {
        return format!(
            r#"{{"kind":"observation",{common},"output":{{"text":"{{}}","own":false}},"read":1}}"#
        );
    }
    let effect = if name == "go" { "navigation" } else { "local-state" };
    let more = match name {
        "run" => String::from(r#","when":1"#),
        "ask" => String::from(r#","confirmation":"required""#),
        "free" => String::from(r#","concurrency":{"mode":"instance","max":2}"#),
        "secret" => policy("hider", 0, 1),
        "policed" => policy("gate", 1, 4) + r#","concurrency":{"mode":"parallel"}"#,
        _ => String::new(),
    };
    format!(
        r#"{{"kind":"action",{common},"effect":"{effect}","input":{{"text":"{{}}","own":false}},"execute":1{more}}}"#
    )
}

/// What every component refers to, and nobody calls: snapshots list it.
const PROCEDURE: &str = r#"{"kind":"procedure","path":"x.do","description":"d","effect":"server-query","input":{"text":"{}","own":false}}"#;

fn component_name(at: u8) -> String {
    format!("t{at}")
}

fn instance_name(at: u8) -> String {
    format!("i{at:02}")
}

impl Host {
    pub fn register(&mut self, component: u8, instance: u8) {
        let (component, instance) = (component_name(component), instance_name(instance));
        let texts = NAMES.iter().map(|name| capability(name));
        let specs: Vec<u32> = texts
            .chain([PROCEDURE.to_owned()])
            .map(|text| self.core.spec(&component, &text).expect("a capability"))
            .collect();
        let header = format!(r#"{{"type":"{component}","instanceId":"{instance}","description":"d"}}"#);
        let prepared = self.core.prepare(&header, &specs).expect("a component");
        let now = self.at();
        let key = (component, instance);
        match self.core.commit(now, prepared, true) {
            Registered::Live(slot) => {
                let live = Live {
                    slot,
                    generation: self.core.registration_generation(slot),
                    id: self.core.registration_id(slot).expect("an id").to_owned(),
                    enabled: true,
                    pushed: [true; 7],
                };
                assert!(
                    self.registrations.insert(slot),
                    "a slot was used before it was forgotten"
                );
                if self.reference.live.insert(key.clone(), live).is_some() {
                    assert!(self.settings.replaces, "a duplicate was let in");
                    self.reference.ended.push(key);
                }
                self.reference.version += 1;
            }
            other => {
                assert_eq!(other, Registered::Duplicate);
                assert!(
                    self.reference.live.contains_key(&key) && !self.settings.replaces,
                    "refused without a first one"
                );
            }
        }
    }

    pub fn change(&mut self, at: u16, step: &Step) {
        let now = self.at();
        let count = self.reference.live.len();
        if count == 0 {
            return;
        }
        let key = self
            .reference
            .live
            .keys()
            .nth(usize::from(at) % count)
            .expect("one")
            .clone();
        let live = self.reference.live.get_mut(&key).expect("one");
        let (slot, generation) = (live.slot, live.generation);
        let moved = match step {
            Step::Enable(_, on) => {
                let moved = std::mem::replace(&mut live.enabled, *on) != *on;
                assert_eq!(self.core.update(now, slot, generation, Some(*on), None), Ok(true));
                moved
            }
            Step::Push(_, capability, on) => {
                let capability = usize::from(*capability);
                let moved = std::mem::replace(&mut live.pushed[capability], *on) != *on;
                let update = json(&format!(r#"{{"{}":{{"available":{on}}}}}"#, NAMES[capability]));
                assert_eq!(
                    self.core.update(now, slot, generation, None, Some(&update)),
                    Ok(true)
                );
                moved
            }
            Step::Invalidate(_) => self.core.invalidate(now, slot, generation),
            _ => {
                self.reference.live.remove(&key);
                self.reference.ended.push(key);
                assert!(self.core.unregister(now, slot, generation));
                assert!(!self.core.unregister(now, slot, generation), "it ended twice");
                true
            }
        };
        self.reference.version += u64::from(moved);
    }

    pub fn redeem(&mut self, at: u16, id: Option<u8>) {
        if let Some(at) = self.latest(at) {
            let asked = &self.asked[at];
            let call = Call {
                id,
                confirmation: Some(u8::try_from(at).expect("few")),
                ..asked.call.clone()
            };
            self.invoke(&call);
        }
    }

    /// What nobody asked for, or asked an earlier user of the slot, changes nothing.
    pub fn noise(&mut self, at: usize) {
        let count = self.calls.len();
        let known = self.calls.values().nth(at % (count + 1)).map(|call| call.id);
        let id = known.unwrap_or(CallId {
            slot: u32::try_from(at).expect("small"),
            generation: 9_999,
        });
        let stale = CallId {
            generation: id.generation.wrapping_sub(1),
            ..id
        };
        for id in [id, stale] {
            self.input(Input::Vote(id, Vote::Hide));
            self.input(Input::WhenIs(id, None));
            self.input(Input::ReasonIs(id, None));
            self.input(Input::KeyIs(id, None));
            self.input(Input::Verdict(id, Some(Failure::not_found())));
            self.input(Input::Checked(id, Checked::Issues(String::from("[]"))));
            self.input(Input::Bound(id, Err(None)));
            self.input(Input::PreconditionDone(id, Some(Failure::not_found())));
            self.input(Input::PolicyNext(id, 77));
            self.input(Input::PolicyDone(id, 77, None));
        }
        self.input(Input::Abort(stale));
        self.input(Input::Audit(stale, true));
        self.input(Input::HandlerDone(stale, Returned::Threw));
        self.input(Input::PolicyNext(stale, 0));
        self.input(Input::PolicyDone(stale, 0, None));
        self.input(Input::DeadlineReached {
            timer: stale.slot,
            generation: 9_999,
        });
        assert_eq!(
            self.core.poll_output(),
            None,
            "an answer that nobody waited for had an effect"
        );
    }

    /// One of the latest questions.
    fn latest(&self, at: u16) -> Option<usize> {
        let count = self.asked.len();
        let back = usize::from(at) % count.clamp(1, 4);
        count.checked_sub(1 + back)
    }

    pub fn invoke(&mut self, call: &Call) {
        self.send(call, None);
    }

    /// Repeats the call of a question. When a person approved it and nothing changed since, it needs no other.
    pub fn repeat(&mut self, at: u16) {
        let Some(at) = self.latest(at) else { return };
        let asked = &self.asked[at];
        let call = Call {
            id: None,
            confirmation: None,
            stale: false,
            ..asked.call.clone()
        };
        let component = component_name(call.component);
        let instance = call.instance.map(instance_name);
        let resolved = self
            .reference
            .resolve(&component, instance.as_deref(), usize::from(call.capability));
        let is_same = resolved.is_ok_and(|live| Some(&live.id) == asked.registration.as_ref());
        let holds = is_same && asked.approved && !asked.used && self.now - asked.at <= 120_000.0;
        // Another call may have the approval reserved.
        let is_free = self
            .calls
            .values()
            .all(|other| other.result.is_some() || NAMES[other.capability] != "ask");
        let is_asked_through_it = asked.through == Some(u32::from(call.consumer) * 2);
        let id = self.send(&call, Some(u32::from(call.consumer) * 2));
        if holds && is_free && is_asked_through_it && self.settings.cache >= 2000 {
            self.approved = id;
        }
    }

    /// Calls, through a toolset when one is named: the call, unless it joins another.
    pub fn send(&mut self, call: &Call, toolset: Option<u32>) -> Option<CallId> {
        self.current = Some(call.clone());
        self.through = toolset;
        let waits = toolset.is_some_and(|toolset| toolset % 2 == 1);
        let component = component_name(call.component);
        let instance = call.instance.map(instance_name);
        let at = usize::from(call.capability);
        let capability_id = format!("view:{component}.{}", NAMES[at]);
        let input = if at == 0 {
            String::from("{}")
        } else {
            format!(r#"{{"n":{}}}"#, call.input)
        };
        let confirmation = call
            .confirmation
            .and_then(|at| self.asked.get(usize::from(at) % self.asked.len().max(1)))
            .map(|asked| asked.id.clone());
        let name = call.id.map(|id| format!("c{id}"));
        let who = consumer(call.consumer);
        let key = String::from(&*who.key);
        let content = (
            capability_id.clone(),
            instance.clone(),
            input.clone(),
            confirmation.clone(),
        );
        let identity = self.reference.identity(&key, name.as_deref(), &content);
        let resolved = self.reference.resolve(&component, instance.as_deref(), at);
        let expected = match (identity, &resolved) {
            (Identity::Conflict, _) => Some(Code::InvocationConflict),
            (_, Err(code)) if !call.stale => Some(*code),
            _ => None,
        };
        let now = self.at();
        let request = Request {
            route: Route::new(&capability_id, who),
            instance_id: instance.as_deref(),
            registration_id: call.stale.then_some("reg_0_never"),
            surface_version: None,
            invocation_id: name.as_deref(),
            confirmation_id: confirmation.as_deref(),
            input: Sent::Json(Rc::new(json(&input))),
            timeout_ms: None,
            aborted: false,
            reads_only: false,
        };
        let admitted = match toolset {
            Some(toolset) => self.core.execute(now, toolset, request),
            None => self.core.invoke(now, request),
        };
        let roomy = self.settings.cache >= 2000;
        match admitted {
            Admitted::Join(id) => {
                assert!(identity == Identity::Same || !roomy, "joined another request");
                let known = self
                    .calls
                    .get(&id.slot)
                    .expect("a join to a call that the host knows");
                assert_eq!(known.id, id);
                None
            }
            Admitted::Fresh(id) => {
                assert!(identity != Identity::Same || !roomy, "the same request ran again");
                let generated = self.core.invocation_id(id.slot).expect("a name").into_owned();
                let name = name.unwrap_or(generated);
                if identity == Identity::New {
                    self.reference.known.insert((key.clone(), name.clone()), content);
                }
                let before = self.calls.insert(
                    id.slot,
                    HostCall {
                        id,
                        consumer: key,
                        name,
                        capability: at,
                        input,
                        expected: expected.filter(|_| roomy),
                        registration: None,
                        started: false,
                        ended: false,
                        voted_hidden: false,
                        frames: Vec::new(),
                        waits,
                        result: None,
                    },
                );
                assert!(before.is_none(), "a slot was used before it was forgotten");
                Some(id)
            }
        }
    }

    pub fn act(&mut self, at: usize, step: &Step) {
        let is_policy = matches!(step, Step::Next(_) | Step::Done(..));
        let open: Vec<(CallId, u32)> = self
            .calls
            .values()
            .flat_map(|call| {
                let frames = call
                    .frames
                    .iter()
                    .filter(|(_, _, done)| !done)
                    .map(|(frame, _, _)| *frame);
                let handler = (call.started && !call.ended).then_some(0);
                let any: Vec<u32> = match step {
                    _ if is_policy => frames.collect(),
                    Step::Abort(_) => vec![0],
                    _ => handler.into_iter().collect(),
                };
                any.into_iter().map(|frame| (call.id, frame))
            })
            .collect();
        if open.is_empty() {
            return;
        }
        let (id, frame) = open[at % open.len()];
        match step {
            Step::Abort(_) => {
                self.aborted = Some(id);
                self.input(Input::Abort(id));
            }
            Step::Next(_) => self.input(Input::PolicyNext(id, frame)),
            Step::Done(_, throws) => {
                let call = self.calls.get_mut(&id.slot).expect("known");
                for open in call.frames.iter_mut().filter(|(number, _, _)| *number == frame) {
                    open.2 = true;
                }
                let threw = throws.then(|| Failure::not_authorized("client"));
                self.input(Input::PolicyDone(id, frame, threw));
            }
            Step::Return(_, throws) => {
                self.calls.get_mut(&id.slot).expect("known").ended = true;
                let returned = if *throws {
                    Returned::Threw
                } else {
                    Returned::Value(Some(String::from("1")))
                };
                self.input(Input::HandlerDone(id, returned));
            }
            _ => {}
        }
    }

    pub fn decide(&mut self, at: u16, approved: bool) {
        let now = self.at();
        let Some(at) = self.latest(at) else { return };
        let asked = &mut self.asked[at];
        let id = asked.id.clone();
        if self.core.resolve_confirmation(now, &id, approved, None) {
            assert!(self.now - asked.at <= 120_000.0, "decided after its time");
            assert!(!asked.approved, "decided twice");
            asked.approved = approved;
        }
    }

    pub fn advance(&mut self, ms: u32) {
        let end = self.clock + f64::from(ms);
        loop {
            let due = self
                .timers
                .iter()
                .filter(|(_, (_, due))| *due <= end)
                .min_by(|a, b| a.1.1.total_cmp(&b.1.1))
                .map(|(timer, (generation, due))| (*timer, *generation, *due));
            let to = due.map_or(end, |(_, _, due)| due.max(self.clock));
            self.now += to - self.clock;
            self.clock = to;
            let Some((timer, generation, _)) = due else { return };
            self.timers.remove(&timer);
            self.input(Input::DeadlineReached { timer, generation });
            self.drain();
        }
    }
}
