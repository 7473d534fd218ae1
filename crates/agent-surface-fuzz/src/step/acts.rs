//! What happens to the fuzzed core, one act after another. Called by `step`.

use std::rc::Rc;

use agent_surface_core::message::{CallId, Input};
use agent_surface_core::{
    Admitted, Answer, Budget, Consumer, Exposure, Question, Registered, Request, Route, Sent, ToolsetConfig,
};

use super::host::{Host, JSON, Open, checked, json, refusal, returned, vote};
use crate::bytes::Bytes;

const HEADERS: [&str; 4] = [
    r#"{"type":"a","description":"d"}"#,
    r#"{"type":"a","instanceId":"x","description":"d","priority":2}"#,
    r#"{"type":"b.c","description":"d","enabled":false,"internal":1,"meta":{"m":[1]}}"#,
    r#"{"type":"a","instanceId":"y","description":"d","policies":[{"ref":3,"name":"p","hooks":7,"guard":false}]}"#,
];

const CAPABILITIES: [&str; 9] = [
    r#"{"kind":"observation","name":"look","description":"d","output":{"text":"{}","own":false},"read":1}"#,
    r#"{"kind":"action","name":"go","description":"d","effect":"local-state","input":{"text":"{\"type\":\"object\",\"properties\":{\"n\":{\"default\":1}}}","own":false},"execute":1}"#,
    r#"{"kind":"action","name":"ask","description":"d","effect":"local-state","confirmation":"required","input":{"text":"{}","own":false},"execute":1,"precondition":1}"#,
    r#"{"kind":"action","name":"nav","description":"d","effect":"navigation","when":1,"unavailableReason":1,"input":{"text":"{}","own":true},"execute":1,"output":{"text":"{}","own":true}}"#,
    r#"{"kind":"action","name":"key","description":"d","effect":"local-state","concurrency":{"mode":"key","key":1,"queueDepth":1},"input":{"text":"{}","own":false},"execute":1,"audit":"full"}"#,
    r#"{"kind":"action","name":"par","description":"d","effect":"local-state","concurrency":{"mode":"parallel","max":2},"input":{"text":"{}","own":false},"execute":1,"timeoutMs":5}"#,
    r#"{"kind":"procedure","id":"domain:p.q","path":"p.q","description":"d","effect":"destructive","input":{"text":"{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"number\"}}}","own":false},"boundFields":["n"],"bind":1,"describe":1}"#,
    r#"{"kind":"procedure","id":"domain:r_s","path":"r_s","description":"d","effect":"server-query","input":{"text":"{}","own":false},"boundFields":[]}"#,
    r#"{"kind":"action","name":"pol","description":"d","effect":"local-state","policies":[{"ref":1,"name":"p","hooks":7,"guard":false},{"ref":2,"name":"g","hooks":6,"guard":true}],"input":{"text":"{}","own":false},"execute":1}"#,
];

const IDS: [&str; 10] = [
    "view:a.look",
    "view:a.go",
    "view:a.ask",
    "view:a.nav",
    "view:a.key",
    "view:a.par",
    "view:a.pol",
    "domain:p.q",
    "domain:r_s",
    "view:b.c.ask",
];

impl Host {
    pub fn act(&mut self, bytes: &mut Bytes<'_>) {
        if self.core.needs_entropy() {
            self.core.add_entropy(&[7; 2048]);
        }
        match bytes.byte() % 20 {
            0..=2 => self.register(bytes),
            3 => self.change(bytes),
            4..=8 => self.invoke(bytes),
            9 | 10 => self.end_what_is_open(bytes),
            11 => self.resolve(bytes),
            12 => self.fire(bytes),
            13 => self.noise(bytes),
            14 => self.look(bytes),
            15 => self.toolset(bytes),
            16 => self.offers(bytes),
            17 => self.now += f64::from(bytes.number() % 700_000),
            18 => self.core.set_executor(
                bytes
                    .flag()
                    .then(|| bytes.flag().then(|| vec![bytes.word(&["p.q"])])),
            ),
            _ => {
                if std::mem::take(&mut self.scheduled) {
                    self.input(Input::Tick);
                }
            }
        }
    }

    fn register(&mut self, bytes: &mut Bytes<'_>) {
        let header = bytes.word(&HEADERS);
        // Specs are made for the type of their component.
        let Some(document) = json(&header) else { return };
        let component_type = document
            .root()
            .get("type")
            .and_then(agent_surface_json::Value::as_str);
        let component_type = component_type.unwrap_or_default().into_owned();
        let mut specs = Vec::new();
        for _ in 0..bytes.below(5) {
            if let Ok(spec) = self.core.spec(&component_type, &bytes.word(&CAPABILITIES)) {
                specs.push(spec);
            }
        }
        let prepared = match bytes.pick(&self.components) {
            Some(known) if bytes.one_in(8) => {
                self.core.prepare_again(known);
                Ok(known)
            }
            _ => self.core.prepare(&header, &specs),
        };
        let Ok(prepared) = prepared else {
            for spec in specs {
                self.core.release_spec(spec);
            }
            return;
        };
        self.components.push(prepared);
        let now = self.at();
        if let Registered::Live(slot) = self.core.commit(now, prepared, !bytes.one_in(16)) {
            self.mounted.push((slot, self.core.registration_generation(slot)));
        }
    }

    fn change(&mut self, bytes: &mut Bytes<'_>) {
        let Some((slot, generation)) = bytes.pick(&self.mounted) else {
            return;
        };
        let now = self.at();
        let version = self.core.version();
        match bytes.byte() % 4 {
            0 => drop(self.core.invalidate(now, slot, generation)),
            1 => drop(self.core.unregister(now, slot, generation)),
            _ => {
                let update = json(&bytes.word(&[
                    r#"{"go":false}"#,
                    r#"{"look":{"available":false,"reason":"r"},"view:a.look":true}"#,
                ]));
                let enabled = bytes.pick(&[None, Some(false), Some(true)]).flatten();
                drop(self.core.update(now, slot, generation, enabled, update.as_ref()));
            }
        }
        assert!(self.core.version() >= version, "a version that shrinks");
    }

    fn invoke(&mut self, bytes: &mut Bytes<'_>) {
        let (id, instance, name) = (
            bytes.word(&IDS),
            bytes.word(&["x", "default"]),
            bytes.word(&["c1", "c2", "c3"]),
        );
        let kind = ["test", "webmcp"]
            .get(usize::from(bytes.flag()))
            .copied()
            .unwrap_or_default();
        let registration = bytes
            .pick(&self.mounted)
            .and_then(|(slot, _)| self.core.registration_id(slot).map(str::to_owned));
        let version = bytes.word(&["0", "1", "2"]);
        let at = bytes.below(self.asked.len());
        let confirmation = self.asked.get(at).cloned();
        let text = bytes.word(&JSON);
        let input = match (bytes.byte() % 8, json(&text)) {
            (0, _) => Sent::Absent,
            (1, _) => Sent::Bad(String::from("[]")),
            (2, _) => Sent::Refused(String::from("[]")),
            (3, Some(document)) => {
                let object = json("{}").map_or_else(|| Rc::new(document.clone()), Rc::new);
                Sent::Encoded(Rc::new(document), object)
            }
            (_, Some(document)) => Sent::Json(Rc::new(document)),
            (_, None) => self.core.empty_input(),
        };
        let request = Request {
            route: Route::new(&id, Consumer::new(kind, "c")),
            instance_id: bytes.flag().then_some(instance.as_str()),
            registration_id: registration.as_deref().filter(|_| bytes.one_in(4)),
            surface_version: Some(version.as_str()).filter(|_| bytes.one_in(4)),
            invocation_id: Some(name.as_str()).filter(|_| bytes.flag()),
            confirmation_id: confirmation.as_deref().filter(|_| bytes.flag()),
            input,
            timeout_ms: bytes.flag().then(|| bytes.number()),
            aborted: bytes.one_in(16),
            reads_only: bytes.one_in(16),
        };
        let now = self.at();
        let toolset = bytes.pick(&self.toolsets).filter(|_| bytes.flag());
        let admitted = match toolset {
            Some(toolset) => self.core.execute(now, toolset, request),
            None => self.core.invoke(now, request),
        };
        self.admit(admitted);
    }

    fn admit(&mut self, admitted: Admitted) {
        match admitted {
            Admitted::Fresh(call) => {
                assert!(
                    self.calls.insert(call.slot, call).is_none(),
                    "a slot was used before it was forgotten"
                );
            }
            Admitted::Join(call) => assert_eq!(self.calls.get(&call.slot), Some(&call)),
        }
    }

    fn end_what_is_open(&mut self, bytes: &mut Bytes<'_>) {
        let at = bytes.below(self.open.len());
        let Some((id, open)) = self.open.get(at).copied() else {
            return;
        };
        let mut stays = false;
        let input = match open {
            Open::Policy(frame) => match bytes.byte() % 4 {
                0 => Input::PolicyDone(id, frame, refusal(bytes)),
                1 => Input::Escalate(id, bytes.flag().then(|| bytes.text())),
                2 => Input::Audit(id, bytes.flag()),
                _ => Input::PolicyNext(id, frame),
            },
            Open::Check => Input::Checked(id, checked(bytes)),
            Open::Precondition => Input::PreconditionDone(id, refusal(bytes)),
            Open::Handler => Input::HandlerDone(id, returned(bytes)),
        };
        stays |= matches!(
            input,
            Input::PolicyNext(..) | Input::Escalate(..) | Input::Audit(..)
        );
        if !stays {
            self.open.remove(at);
        }
        self.input(input);
    }

    fn resolve(&mut self, bytes: &mut Bytes<'_>) {
        let at = bytes.below(self.asked.len());
        let id = self.asked.get(at).cloned().unwrap_or_else(|| bytes.text());
        let now = self.at();
        let note = bytes.flag().then(|| bytes.text());
        self.core
            .resolve_confirmation(now, &id, !bytes.one_in(4), note.as_deref());
        self.core.confirmation_status(now, &id);
        drop(self.core.describe_confirmation(&id));
        self.core.gesture_refused(now, &id, "click");
        let pending = self.core.pending_confirmations(now);
        assert!(json(&pending).is_some());
    }

    fn fire(&mut self, bytes: &mut Bytes<'_>) {
        let armed: Vec<(u32, u32)> = self
            .timers
            .iter()
            .map(|(timer, generation)| (*timer, *generation))
            .collect();
        if let Some((timer, generation)) = bytes.pick(&armed) {
            self.timers.remove(&timer);
            self.input(Input::DeadlineReached { timer, generation });
        }
    }

    /// Answers that nobody waits for, and aborts.
    fn noise(&mut self, bytes: &mut Bytes<'_>) {
        let slot = u32::from(bytes.byte() % 8);
        let generation = u32::from(bytes.byte() % 4);
        let known = self.calls.get(&slot).copied();
        let id = known
            .filter(|_| bytes.flag())
            .unwrap_or(CallId { slot, generation });
        let frame = bytes.number();
        let input = match bytes.byte() % 10 {
            0..=3 => Input::Abort(id),
            4 => Input::Vote(id, vote(bytes)),
            5 => Input::WhenIs(id, None),
            6 => Input::PolicyDone(id, frame, None),
            7 => Input::PolicyNext(id, frame),
            8 => Input::DeadlineReached {
                timer: slot,
                generation: 9_999,
            },
            _ => Input::Bound(id, Ok(bytes.word(&JSON))),
        };
        self.input(input);
    }

    fn look(&mut self, bytes: &mut Bytes<'_>) {
        if bytes.flag() {
            let scope = if bytes.flag() {
                Vec::new()
            } else {
                vec![bytes.word(&["a", "b"])]
            };
            // Not from the bytes: what the corpus has keeps its meaning.
            let budget = match self.views.len() % 3 {
                0 => Budget::NONE,
                1 => Budget {
                    max_components: 1,
                    ..Budget::NONE
                },
                _ => Budget {
                    max_bytes: 900,
                    ..Budget::NONE
                },
            };
            self.views.push(self.core.open_view(scope, bytes.flag(), budget));
        }
        if let Some(view) = bytes.pick(&self.views) {
            self.look_through(view, bytes);
            assert!(json(&self.core.view_news(view)).is_some());
            if bytes.one_in(8) {
                self.core.close_view(view);
                self.views.retain(|known| *known != view);
            }
        }
    }

    fn look_through(&mut self, view: u32, bytes: &mut Bytes<'_>) {
        let now = self.at();
        if !self.core.look(now, view) {
            return;
        }
        while let Some(question) = self.core.next_question(view) {
            let answer = match question {
                Question::Discovery(..) => Answer::Vote(vote(bytes)),
                Question::When(_) => Answer::When(Some(bytes.flag())),
                _ => Answer::Text(bytes.flag().then(|| bytes.text())),
            };
            // A closure may change the surface while it is asked.
            if bytes.byte() % 32 == 31 {
                self.change(bytes);
            }
            self.core.answer(view, answer);
        }
    }

    fn toolset(&mut self, bytes: &mut Bytes<'_>) {
        if bytes.flag() && self.toolsets.len() < 4 {
            let config = ToolsetConfig {
                consumer: Consumer::new("test", "c"),
                scope: Vec::new(),
                budget: Budget::NONE,
                waits: bytes.flag(),
                wait_ms: bytes.flag().then(|| bytes.number()),
                browser: bytes.flag(),
            };
            self.toolsets.push(self.core.open_toolset(config));
        }
        let Some(toolset) = bytes.pick(&self.toolsets) else {
            return;
        };
        let now = self.at();
        match bytes.byte() % 8 {
            0 => {
                self.core.close_toolset(now, toolset);
                self.toolsets.retain(|known| *known != toolset);
                self.offers.retain(|(known, ..)| *known != toolset);
            }
            1 => self.core.watch_toolset(toolset, bytes.flag()),
            _ => {
                if let Some(view) = self.core.toolset_view(toolset) {
                    self.look_through(view, bytes);
                }
                self.core.build_tools(toolset);
                let rows = self.core.tool_rows(toolset).len() / 4;
                let names = self.core.tool_names(toolset);
                let names: std::collections::BTreeSet<&str> =
                    names.split('\n').filter(|name| !name.is_empty()).collect();
                assert_eq!(names.len(), rows, "two tools of one name");
                let exposures: Vec<_> = self
                    .core
                    .offerable(toolset)
                    .into_iter()
                    .map(|target| (target, exposure(bytes)))
                    .collect();
                self.core.reconcile(toolset, &exposures);
            }
        }
    }

    fn offers(&mut self, bytes: &mut Bytes<'_>) {
        let Some((toolset, entry, generation)) = bytes.pick(&self.offers) else {
            return;
        };
        let now = self.at();
        match bytes.byte() % 4 {
            0 => drop(
                self.core
                    .offer_rejected(toolset, entry, generation, &bytes.text()),
            ),
            1 => self.core.offer_accepted(toolset, entry, generation),
            _ => {
                let input =
                    json(&bytes.word(&JSON)).map_or(Sent::Absent, |document| Sent::Json(Rc::new(document)));
                let called = self
                    .core
                    .execute_offered(now, toolset, entry, generation, input, false);
                if let Some(admitted) = called {
                    self.admit(admitted);
                }
            }
        }
        let texts = [
            self.core.offered_tool(toolset, entry),
            self.core.browser_status(toolset),
        ];
        for text in texts.iter().flatten() {
            assert!(json(text).is_some(), "no JSON: {text}");
        }
    }
}

fn exposure(bytes: &mut Bytes<'_>) -> Exposure {
    match bytes.byte() % 4 {
        0 => Exposure::Skip,
        1 => Exposure::With(bytes.word(&[r#"{"title":"t"}"#, r#"{"annotations":{"a":1}}"#])),
        _ => Exposure::Plain,
    }
}
