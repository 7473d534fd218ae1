//! What must hold: after each step, while handlers run, in each snapshot, at the end.
//!
//! Changes nothing that the core could notice, but for `finish`. Called by `host.rs` and `model.rs`.

use std::collections::BTreeMap;

use agent_surface_core::message::{Input, Returned, Vote};
use agent_surface_core::{Answer, Question};

use crate::host::{CONSUMERS, Host, json};
use crate::reference::NAMES;

impl Host {
    /// At most one action of a registration runs at a time, but for two that may run side by side.
    pub fn check_places(&self) {
        let mut places = BTreeMap::<_, Vec<_>>::new();
        let running = self.calls.values().filter(|call| {
            call.started
                && !call.ended
                && call.result.is_none()
                && !["policed", "look"].contains(&NAMES[call.capability])
        });
        for call in running {
            places
                .entry(call.registration)
                .or_default()
                .push(NAMES[call.capability]);
        }
        for names in places.values() {
            let may = names.len() == 1 || names.len() == 2 && names.iter().all(|name| *name == "free");
            assert!(may, "too many at a time in one registration: {names:?}");
        }
    }

    /// Looks through the lasting view and a new one: both say the same, and what the reference says.
    pub fn look(&mut self) {
        let lasting = self.see(self.view);
        let stamp = self.core.view_stamp(self.view);
        let fresh = self.core.open_view(Vec::new(), true);
        let again = self.see(fresh);
        self.core.close_view(fresh);
        assert_eq!(
            without_time(&lasting),
            without_time(&again),
            "a lasting view differs from a new one"
        );
        assert_eq!(
            stamp == self.last.0,
            lasting == self.last.1,
            "same stamp, same snapshot"
        );
        self.last = (stamp, lasting.clone());
        let document = json(&lasting);
        let mut shown = Vec::new();
        for component in document.root().get("components").expect("components").items() {
            let text = |value: agent_surface_json::Value<'_>, name: &str| {
                value
                    .get(name)
                    .and_then(|text| text.as_str().map(std::borrow::Cow::into_owned))
                    .expect("a text")
            };
            for list in ["observations", "actions"] {
                for item in component.get(list).expect("a list").items() {
                    let available = item.get("available").and_then(agent_surface_json::Value::as_bool);
                    shown.push((
                        text(component, "type"),
                        text(component, "instanceId"),
                        text(item, "name"),
                        available.expect("a state"),
                    ));
                }
            }
        }
        assert_eq!(shown, self.reference.shown());
    }

    pub fn see(&mut self, view: u32) -> String {
        let now = self.at();
        assert!(self.core.look(now, view));
        while let Some(question) = self.core.next_question(view) {
            let answer = match question {
                Question::Discovery(..) if self.reference.hidden => Answer::Vote(Vote::Hide),
                Question::Discovery(..) => Answer::Vote(Vote::Expose),
                Question::When(_) => Answer::When(Some(self.reference.when)),
                _ => Answer::Text(None),
            };
            self.core.answer(view, answer);
        }
        self.core.snapshot_json(view)
    }

    /// What must hold after each step.
    pub fn check(&mut self) {
        assert_eq!(self.core.version(), self.reference.version);
        for live in self.reference.live.values() {
            assert!(self.core.is_live(live.slot, live.generation));
            assert_eq!(self.core.registration_id(live.slot), Some(live.id.as_str()));
        }
        let now = self.at();
        let pending = json(&self.core.pending_confirmations(now)).root().len();
        assert!(pending <= usize::try_from(self.settings.pending).expect("small"));
        let cache = usize::try_from(self.settings.cache).expect("small");
        let open = self.calls.values().filter(|call| call.result.is_none()).count();
        assert!(
            self.calls.len() <= open + 2 * cache,
            "calls that nobody can ask for are kept"
        );
        let tombstones = usize::try_from(self.settings.tombstones).expect("small");
        assert!(self.registrations.len() <= self.reference.live.len() + tombstones);
        let approved = self.asked.iter().filter(|one| one.approved).count();
        let most = usize::try_from(self.settings.pending).expect("small");
        assert!(self.timers.len() <= open + most + approved);
        let waiting = self
            .calls
            .values()
            .filter(|call| call.result.is_none() && !call.started)
            .count();
        let policies = self.calls.values().filter(|call| !call.frames.is_empty()).count();
        let registrations = self.reference.live.len();
        assert!(
            waiting <= policies + 2 * registrations + 8 * CONSUMERS.len(),
            "queues are bounded"
        );
    }

    /// The end: everything settles, nothing stays armed.
    pub fn finish(&mut self) {
        self.disposed = true;
        let now = self.at();
        self.core.dispose(now);
        self.drain();
        assert!(
            self.calls.values().all(|call| call.result.is_some()),
            "a call that never settled"
        );
        assert!(self.timers.is_empty(), "timers of a registry that is gone");
        let calls: Vec<u32> = self
            .calls
            .values()
            .filter(|call| call.started && !call.ended)
            .map(|call| call.id.slot)
            .collect();
        for slot in calls {
            let id = self.calls.get(&slot).map(|call| call.id);
            if let Some(id) = id {
                self.input(Input::HandlerDone(id, Returned::Threw));
                self.drain();
            }
        }
    }
}

fn without_time(snapshot: &str) -> String {
    let (before, rest) = snapshot.split_once("\"capturedAt\":").expect("a time");
    let (_, after) = rest.split_once(',').expect("more");
    format!("{before}{after}")
}
