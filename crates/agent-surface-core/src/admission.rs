//! Phases 7 and 8: the precondition, then a place among the running calls.
//!
//! Actions and procedures wait in groups of their registration, observations in one pool; a group exists only while
//! it holds a call. Starts nothing itself; `execution` does.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::call::{Call, Step};
use crate::core::Core;
use crate::definition::Concurrency;
use crate::error::Failure;
use crate::message::Output;
use crate::registration::GroupKey;
use crate::timer::Owner;

/// Milliseconds after which a refused caller may find room.
const RETRY_AFTER_MS: u32 = 250;

/// Running and waiting observations.
#[derive(Debug)]
pub(crate) struct Observations {
    running: Vec<(Rc<String>, u32)>,
    total: u32,
    /// In order of arrival.
    waiting: Vec<(u32, Rc<String>)>,
}

impl Observations {
    pub const fn new() -> Self {
        Self {
            running: Vec::new(),
            total: 0,
            waiting: Vec::new(),
        }
    }

    fn of(&self, consumer: &str) -> u32 {
        self.running
            .iter()
            .find(|(key, _)| **key == consumer)
            .map_or(0, |(_, count)| *count)
    }

    fn add(&mut self, consumer: &Rc<String>) {
        self.total += 1;
        match self.running.iter_mut().find(|(key, _)| key == consumer) {
            Some((_, count)) => *count += 1,
            None => self.running.push((Rc::clone(consumer), 1)),
        }
    }

    fn remove(&mut self, consumer: &str) {
        self.total = self.total.saturating_sub(1);
        if let Some(at) = self.running.iter().position(|(key, _)| **key == consumer)
            && let Some((_, count)) = self.running.get_mut(at)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                take_at(&mut self.running, at);
            }
        }
    }
}

impl Core {
    pub(crate) fn precondition(&mut self, call: &mut Call, before_record: bool) {
        let asks = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.has_precondition);
        if asks {
            self.ask_about(call, Output::CheckPrecondition);
        } else {
            self.after_precondition(call, before_record);
        }
    }

    pub(crate) fn precondition_done(&mut self, call: &mut Call, refusal: Option<Failure>) {
        let Step::Precondition { before_record } = call.step else {
            return;
        };
        if let Some(failure) = refusal {
            return self.fail(call, failure);
        }
        call.waits = false;
        self.after_precondition(call, before_record);
        self.ready.push_back(call.id.slot);
    }

    fn after_precondition(&mut self, call: &mut Call, before_record: bool) {
        if before_record {
            return self.request_confirmation(call);
        }
        let keyed = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.concurrency.mode == Concurrency::Key);
        call.step = if keyed { Step::Key } else { Step::Admit };
        self.stop_timer(call.timer.take());
    }

    pub(crate) fn key_is(&mut self, call: &mut Call, key: Option<String>) {
        let (Step::Key, Some(target)) = (call.step, call.target) else {
            return;
        };
        match key {
            None => self.fail(call, Failure::execution_failed(Some("handler-error"))),
            Some(key) => {
                call.group = Some(GroupKey::Key(target.capability, key));
                self.stop_timer(call.timer.take());
                self.go_on(call, Step::Admit);
            }
        }
    }

    /// A place now, a place in the queue, or `RATE_LIMITED`.
    pub(crate) fn admit(&mut self, call: &mut Call) {
        let admitted = if call.acts() {
            self.admit_to_group(call)
        } else {
            self.admit_observation(call)
        };
        match admitted {
            Admission::Now => call.step = Step::Start,
            Admission::Full => self.fail(call, Failure::queue_full(RETRY_AFTER_MS)),
            Admission::Queued => {
                let ms = self.config.limits.max_queue_wait_ms;
                call.step = Step::Queued;
                call.queued = Some(self.now);
                call.timer = Some(self.timers.start(Owner::Queue(call.id.slot), ms));
            }
        }
    }

    fn admit_observation(&mut self, call: &mut Call) -> Admission {
        let limits = &self.config.limits;
        let consumer = &call.route.consumer.key;
        let pool = &mut self.observations;
        let room = pool.total < limits.max_concurrent_observations_total
            && pool.of(consumer) < limits.max_concurrent_observations_per_consumer;
        if room {
            pool.add(consumer);
            call.pooled = true;
            return Admission::Now;
        }
        let waiting = pool.waiting.iter().filter(|(_, key)| key == consumer).count();
        if u32::try_from(waiting).unwrap_or(u32::MAX) >= limits.max_queued_observations_per_consumer {
            return Admission::Full;
        }
        pool.waiting.push((call.id.slot, Rc::clone(consumer)));
        Admission::Queued
    }

    fn admit_to_group(&mut self, call: &mut Call) -> Admission {
        let (Some(capability), Some(target)) = (&call.capability, call.target) else {
            return Admission::Full;
        };
        let rule = &capability.concurrency;
        if rule.mode == Concurrency::Parallel && rule.max.is_none() {
            return Admission::Now;
        }
        let depth = rule.queue_depth.unwrap_or(self.config.limits.action_queue_depth);
        let Some(registration) = self.registrations.get_mut(target.registration) else {
            return Admission::Full;
        };
        let key = call.group.take().unwrap_or(match rule.mode {
            Concurrency::Instance => GroupKey::Instance,
            _ => GroupKey::Capability(target.capability),
        });
        let Some(group) = registration.group(&key) else {
            return Admission::Full;
        };
        // Who comes later does not pass those that wait for more room.
        let admission = if group.waiting.is_empty() && group.takes(rule.max.unwrap_or(1)) {
            Admission::Now
        } else if u32::try_from(group.waiting.len()).unwrap_or(u32::MAX) < depth {
            group.waiting.push(call.id.slot);
            Admission::Queued
        } else {
            return Admission::Full;
        };
        call.group = Some(key);
        admission
    }

    pub(crate) fn queue_timed_out(&mut self, call: &mut Call) {
        self.fail(call, Failure::queue_full(RETRY_AFTER_MS));
    }

    /// The call leaves the queue or gives its place to the next one.
    pub(crate) fn release_place(&mut self, call: &mut Call) {
        let slot = call.id.slot;
        let queued = matches!(call.step, Step::Queued);
        if core::mem::take(&mut call.pooled) {
            self.observations.remove(&call.route.consumer.key);
            self.admit_waiting_observations();
            return;
        }
        let Some(key) = call.group.take() else {
            if queued {
                let waiting = &mut self.observations.waiting;
                if let Some(at) = waiting.iter().position(|(other, _)| *other == slot) {
                    take_at(waiting, at);
                }
            }
            return;
        };
        let Some(target) = call.target else { return };
        if self.registrations.generation(target.registration) != call.target_generation {
            return;
        }
        if let Some(registration) = self.registrations.get_mut(target.registration) {
            match registration.group(&key) {
                Some(group) if queued => take_out(&mut group.waiting, slot),
                Some(group) => group.running = group.running.saturating_sub(1),
                None => {}
            }
            self.admit_waiting(target.registration, &key);
        }
    }

    /// Starts those that there is room for, in order of arrival.
    fn admit_waiting(&mut self, registration: u32, key: &GroupKey) {
        while let Some(registration) = self.registrations.get_mut(registration) {
            let Some(group) = registration.group(key) else {
                return;
            };
            let first = group.waiting.first().and_then(|&slot| self.calls.get(slot));
            let rule = first.and_then(|call| call.capability.as_ref());
            if !group.takes(rule.map_or(0, |rule| rule.concurrency.max.unwrap_or(1))) {
                return registration.drop_idle(key);
            }
            if let Some(next) = first_of(&mut group.waiting) {
                self.leave_queue(next);
            }
        }
    }

    fn admit_waiting_observations(&mut self) {
        let limits = &self.config.limits;
        let (total, each) = (
            limits.max_concurrent_observations_total,
            limits.max_concurrent_observations_per_consumer,
        );
        loop {
            let pool = &mut self.observations;
            if pool.total >= total {
                return;
            }
            let next = pool
                .waiting
                .iter()
                .position(|(_, consumer)| pool.of(consumer) < each);
            let next = next.and_then(|at| take_at(&mut pool.waiting, at));
            let Some((slot, consumer)) = next else { return };
            pool.add(&consumer);
            self.leave_queue(slot);
        }
    }

    fn leave_queue(&mut self, slot: u32) {
        self.with_call(slot, &mut |core, call| {
            call.pooled = !call.acts();
            core.stop_timer(call.timer.take());
            core.go_on(call, Step::Start);
        });
    }
}

/// Takes the first one out of a short line.
pub(crate) fn first_of(line: &mut Vec<u32>) -> Option<u32> {
    take_at(line, 0)
}

/// Takes one out of a short line, wherever it stands.
pub(crate) fn take_out(line: &mut Vec<u32>, slot: u32) {
    if let Some(at) = line.iter().position(|&other| other == slot) {
        take_at(line, at);
    }
}

/// What stands at a place, taken out. (`remove` alone cannot but panic for a place that is not there.)
pub(crate) fn take_at<T>(line: &mut Vec<T>, at: usize) -> Option<T> {
    (at < line.len()).then(|| line.remove(at))
}

enum Admission {
    Now,
    Queued,
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sent;
    use crate::message::{CallId, Input, Returned};
    use crate::time::Millis;
    use crate::{Admitted, Config, Consumer, Request, Route};
    use alloc::vec;

    /// A registry with an action of each mode, and an observation.
    fn core() -> Core {
        let mut core = Core::new(Config::default(), &[7; 512]).expect("enough randomness");
        let act = |rule: &str, name: &str| {
            let input = r#""input":{"text":"{\"type\":\"object\"}","own":false}"#;
            [
                r#"{"kind":"action","name":""#,
                name,
                r#"","description":"d","effect":"local-state","execute":1,"#,
                input,
                r#","concurrency":{"mode":""#,
                rule,
                "}}",
            ]
            .concat()
        };
        let definitions = [
            act(r#"instance""#, "instance"),
            act(r#"capability""#, "capability"),
            act(r#"key","key":1"#, "key"),
            act(r#"parallel","max":2"#, "parallel"),
            String::from(
                r#"{"kind":"observation","name":"seen","description":"d","read":1,"output":{"text":"{}","own":false}}"#,
            ),
        ];
        let specs: Vec<u32> = definitions
            .iter()
            .map(|definition| core.spec("jobs", definition).expect("a capability"))
            .collect();
        let header = r#"{"type":"jobs","description":"d"}"#;
        let component = core.prepare(header, &specs).expect("a component");
        core.commit(Millis(0.0), component, true);
        core
    }

    fn invoke(core: &mut Core, name: &str) -> CallId {
        let id = ["view:jobs.", name].concat();
        let admitted = core.invoke(
            Millis(0.0),
            Request {
                route: Route::new(&id, Consumer::new("test", name)),
                instance_id: None,
                registration_id: None,
                surface_version: None,
                invocation_id: None,
                confirmation_id: None,
                input: Sent::Absent,
                timeout_ms: None,
                aborted: false,
                reads_only: false,
            },
        );
        drain(core);
        match admitted {
            Admitted::Fresh(id) | Admitted::Join(id) => id,
        }
    }

    fn drain(core: &mut Core) {
        while let Some(output) = core.poll_output() {
            match output {
                Output::AskKey(id, _) => core.handle(Millis(0.0), Input::KeyIs(id, Some(decimal_of(id)))),
                Output::Schedule => core.handle(Millis(0.0), Input::Tick),
                _ => {}
            }
        }
    }

    fn decimal_of(id: CallId) -> String {
        crate::error::decimal(u64::from(id.slot % 3))
    }

    #[test]
    fn nothing_is_kept_of_a_group_or_a_consumer_that_is_idle() {
        let mut core = core();
        let names = ["instance", "capability", "key", "parallel", "seen"];
        let mut calls = vec![];
        for round in 0..6 {
            for name in names {
                calls.push(invoke(&mut core, name));
            }
            assert!(round > 0 || core.observations.running.len() == 1);
        }
        let groups = |core: &Core| core.registrations.get(0).expect("it lives").groups.len();
        assert!(groups(&core) >= 4);
        for (at, id) in calls.into_iter().enumerate() {
            let end = if at % 4 == 3 {
                Input::Abort(id)
            } else {
                Input::HandlerDone(id, Returned::Value(None))
            };
            core.handle(Millis(0.0), end);
            drain(&mut core);
        }
        assert_eq!(groups(&core), 0);
        assert!(core.observations.running.is_empty() && core.observations.waiting.is_empty());
        assert_eq!(core.observations.total, 0);
    }

    #[test]
    fn room_is_what_the_strictest_of_those_that_run_leaves() {
        let mut group = crate::registration::Group {
            key: GroupKey::Instance,
            running: 0,
            bound: 0,
            waiting: Vec::new(),
        };
        assert!(group.takes(3) && group.takes(2) && !group.takes(3));
        group.running = 0;
        assert!(group.takes(1) && !group.takes(3));
        group.running = 0;
        assert!(group.takes(3) && group.takes(3) && !group.takes(1));
    }
}
