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
use crate::effect::Kind;
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
                self.running.swap_remove(at);
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
        let key = call.group.take().unwrap_or(match (rule.mode, capability.kind) {
            (Concurrency::Instance, Kind::Action) => GroupKey::Instance,
            _ => GroupKey::Capability(target.capability),
        });
        let group = registration.group(&key);
        let admission = if group.running < rule.max.unwrap_or(1) {
            group.running += 1;
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
                    waiting.remove(at);
                }
            }
            return;
        };
        let Some(target) = call.target else { return };
        if self.registrations.generation(target.registration) != call.target_generation {
            return;
        }
        let Some(registration) = self.registrations.get_mut(target.registration) else {
            return;
        };
        let group = registration.group(&key);
        let mut next = None;
        if queued {
            take_out(&mut group.waiting, slot);
        } else {
            next = first_of(&mut group.waiting);
            if next.is_none() {
                group.running = group.running.saturating_sub(1);
            }
        }
        registration.drop_idle(&key);
        if let Some(next) = next {
            self.leave_queue(next);
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
            let Some(at) = next else { return };
            let (slot, consumer) = pool.waiting.remove(at);
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
    (!line.is_empty()).then(|| line.remove(0))
}

/// Takes one out of a short line, wherever it stands.
pub(crate) fn take_out(line: &mut Vec<u32>, slot: u32) {
    if let Some(at) = line.iter().position(|&other| other == slot) {
        line.remove(at);
    }
}

enum Admission {
    Now,
    Queued,
    Full,
}
