//! What must hold: after each step, while handlers run, in each snapshot, at the end.
//!
//! Changes nothing that the core could notice, but for `finish`. Called by `host.rs` and `model.rs`.

use std::collections::BTreeMap;

use agent_surface_core::message::{Input, Returned, Vote};
use agent_surface_core::{Answer, Budget, Question};
use agent_surface_json::{Document, Value};

use crate::host::{CONSUMERS, Host, Lasting, json};
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

    /// Looks through the lasting views: each says what a new one says, and what the reference says. Some are looked
    /// through only now and then, so that more than one change lies between.
    pub fn look(&mut self, at_all: bool) {
        for at in 0..self.views.len() {
            if at_all || self.views[at].often {
                self.look_through(at);
            }
        }
    }

    fn look_through(&mut self, at: usize) {
        let lasting = self.views[at].clone();
        let seen = self.see(lasting.view);
        let fresh = self.see_new(&lasting, lasting.budget);
        assert_eq!(
            without_time(&seen),
            without_time(&fresh),
            "a lasting view differs from a new one"
        );
        let stamp = self.core.view_stamp(lasting.view);
        let is_same = seen == lasting.last.1;
        // What changes of a component that a budget dropped may be told, and need not.
        assert!(
            stamp == lasting.last.0 && is_same
                || stamp != lasting.last.0 && (!is_same || lasting.budget != Budget::NONE),
            "same stamp, same snapshot"
        );
        if lasting.budget == Budget::NONE {
            assert_eq!(shown(&seen), self.reference.shown(&lasting.scope, lasting.all));
        } else {
            let whole = self.see_new(&lasting, Budget::NONE);
            check_budget(&json(&whole), &json(&seen), lasting.budget);
        }
        self.views[at].last = (stamp, seen);
    }

    fn see_new(&mut self, like: &Lasting, budget: Budget) -> String {
        let view = self.core.open_view(like.scope.clone(), like.all, budget);
        let seen = self.see(view);
        self.core.close_view(view);
        seen
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
            .filter(|call| call.result.is_none() && !call.started && !call.waits)
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

/// Component, instance, capability, available of each action and observation in a snapshot.
fn shown(snapshot: &str) -> Vec<(String, String, String, bool)> {
    let document = json(snapshot);
    let text = |value: Value<'_>, name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .expect("a text")
            .into_owned()
    };
    let mut shown = Vec::new();
    for component in document.root().get("components").expect("components").items() {
        for list in ["observations", "actions"] {
            for item in component.get(list).expect("a list").items() {
                let available = item.get("available").and_then(Value::as_bool);
                shown.push((
                    text(component, "type"),
                    text(component, "instanceId"),
                    text(item, "name"),
                    available.expect("a state"),
                ));
            }
        }
    }
    shown
}

/// The budget keeps as many components as fit, from the beginning, says how many it drops, and drops nothing else.
fn check_budget(whole: &Document, seen: &Document, budget: Budget) {
    let list = |document: &Document, name: &str| -> Vec<String> {
        let list = document.root().get(name).expect("a list");
        list.items().map(|item| item.raw().to_owned()).collect()
    };
    let (all, kept) = (list(whole, "components"), list(seen, "components"));
    assert_eq!(kept, all[..kept.len()], "others than the first are kept");
    let fits = |count: usize| {
        let bytes = format!("[{}]", all[..count].join(",")).len();
        count <= usize::try_from(budget.max_components).expect("small")
            && bytes <= usize::try_from(budget.max_bytes).expect("small")
    };
    assert!(kept.is_empty() || fits(kept.len()), "past the budget");
    assert!(
        kept.len() == all.len() || !fits(kept.len() + 1),
        "one more would fit"
    );
    assert_eq!(list(whole, "procedures"), list(seen, "procedures"));
    let dropped = all.len() - kept.len();
    let said = seen
        .root()
        .get("truncated")
        .map(|truncated| truncated.raw().to_owned());
    let expected = (dropped > 0).then(|| format!(r#"{{"droppedComponents":{dropped}}}"#));
    assert_eq!(said, expected);
}

fn without_time(snapshot: &str) -> String {
    let (before, rest) = snapshot.split_once("\"capturedAt\":").expect("a time");
    let (_, after) = rest.split_once(',').expect("more");
    format!("{before}{after}")
}
