//! Phases 7 and 8: the precondition, then a place among the running calls.
//!
//! Actions and procedures wait in groups of their registration, observations in one pool; a group exists only while
//! it holds a call. Starts nothing itself; `execution` does.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::call::Step;
use crate::core::Core;
use crate::definition::{Capability, Concurrency};
use crate::effect::Kind;
use crate::error::Failure;
use crate::message::{CallId, Outcome, Output, Target};
use crate::registration::GroupKey;
use crate::timer::Owner;

/// Milliseconds after which a refused caller may find room.
const RETRY_AFTER_MS: u32 = 250;

/// Running and waiting observations.
#[derive(Debug)]
pub(crate) struct Observations {
    running: Vec<(Rc<str>, u32)>,
    total: u32,
    waiting: VecDeque<(u32, Rc<str>)>,
}

impl Observations {
    pub const fn new() -> Self {
        Self {
            running: Vec::new(),
            total: 0,
            waiting: VecDeque::new(),
        }
    }

    fn of(&self, consumer: &str) -> u32 {
        self.running
            .iter()
            .find(|(key, _)| &**key == consumer)
            .map_or(0, |(_, count)| *count)
    }

    fn add(&mut self, consumer: &Rc<str>) {
        self.total += 1;
        match self.running.iter_mut().find(|(key, _)| key == consumer) {
            Some((_, count)) => *count += 1,
            None => self.running.push((Rc::clone(consumer), 1)),
        }
    }

    fn remove(&mut self, consumer: &str) {
        self.total = self.total.saturating_sub(1);
        if let Some((_, count)) = self.running.iter_mut().find(|(key, _)| &**key == consumer) {
            *count = count.saturating_sub(1);
        }
        self.running.retain(|(_, count)| *count > 0);
    }
}

impl Core {
    pub(crate) fn precondition(&mut self, slot: u32, before_record: bool) {
        let id = self.call_id(slot);
        let Some(call) = self.calls.get(slot) else { return };
        let (Some(capability), Some(target)) = (&call.capability, call.target) else {
            return;
        };
        if capability.has_precondition {
            return self.ask(slot, Output::CheckPrecondition(id, target));
        }
        self.after_precondition(slot, before_record);
    }

    pub(crate) fn precondition_done(&mut self, id: CallId, refusal: Option<Failure>) {
        let Some(call) = self.call_mut(id) else { return };
        let (Step::Precondition { before_record }, true) = (&call.step, call.waits) else {
            return;
        };
        let before_record = *before_record;
        call.waits = false;
        if let Some(failure) = refusal {
            return self.settle(id.slot, Outcome::Failed(failure));
        }
        self.after_precondition(id.slot, before_record);
        self.ready.push_back(id.slot);
    }

    fn after_precondition(&mut self, slot: u32, before_record: bool) {
        if before_record {
            return self.request_confirmation(slot);
        }
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let timer = call.timer.take();
        let keyed = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.concurrency.mode == Concurrency::Key);
        call.step = if keyed { Step::Key } else { Step::Admit };
        self.stop_timer(timer);
    }

    pub(crate) fn ask_key(&mut self, slot: u32) {
        let id = self.call_id(slot);
        if let Some(target) = self.calls.get(slot).and_then(|call| call.target) {
            self.ask(slot, Output::AskKey(id, target));
        }
    }

    pub(crate) fn key_is(&mut self, id: CallId, key: Option<String>) {
        let Some(call) = self.call_mut(id) else { return };
        let (Step::Key, true, Some(target)) = (&call.step, call.waits, call.target) else {
            return;
        };
        let timer = call.timer.take();
        match key {
            None => self.settle(
                id.slot,
                Outcome::Failed(Failure::execution_failed(Some("handler-error"))),
            ),
            Some(key) => {
                call.group = Some(GroupKey::Key(target.capability, key));
                self.go_on(id.slot, Step::Admit);
            }
        }
        self.stop_timer(timer);
    }

    /// A place now, a place in the queue, or `RATE_LIMITED`.
    pub(crate) fn admit(&mut self, slot: u32) {
        let Some(call) = self.calls.get(slot) else { return };
        let (Some(capability), Some(target)) = (call.capability.clone(), call.target) else {
            return;
        };
        let admitted = if capability.kind == Kind::Observation {
            self.admit_observation(slot)
        } else {
            self.admit_to_group(slot, &capability, target)
        };
        let ms = self.config.limits.max_queue_wait_ms;
        match admitted {
            Admission::Now => self.set_step(slot, Step::Start),
            Admission::Full => self.settle(slot, Outcome::Failed(Failure::queue_full(RETRY_AFTER_MS))),
            Admission::Queued => {
                let timer = self.timers.start(Owner::Queue(slot), ms);
                let now = self.now;
                if let Some(call) = self.calls.get_mut(slot) {
                    call.step = Step::Queued;
                    call.queued = Some(now);
                    call.timer = Some(timer);
                }
            }
        }
    }

    fn admit_observation(&mut self, slot: u32) -> Admission {
        let limits = &self.config.limits;
        let Some(call) = self.calls.get_mut(slot) else {
            return Admission::Full;
        };
        let consumer = Rc::clone(&call.consumer.key);
        let pool = &mut self.observations;
        let room = pool.total < limits.max_concurrent_observations_total
            && pool.of(&consumer) < limits.max_concurrent_observations_per_consumer;
        if room {
            pool.add(&consumer);
            call.pooled = true;
            return Admission::Now;
        }
        let waiting = pool.waiting.iter().filter(|(_, key)| *key == consumer).count();
        if u32::try_from(waiting).unwrap_or(u32::MAX) >= limits.max_queued_observations_per_consumer {
            return Admission::Full;
        }
        pool.waiting.push_back((slot, consumer));
        Admission::Queued
    }

    fn admit_to_group(&mut self, slot: u32, capability: &Capability, target: Target) -> Admission {
        let rule = &capability.concurrency;
        let depth = rule.queue_depth.unwrap_or(self.config.limits.action_queue_depth);
        let unlimited = rule.mode == Concurrency::Parallel && rule.max.is_none();
        if unlimited {
            return Admission::Now;
        }
        let most = rule.max.unwrap_or(1);
        let Some(call) = self.calls.get_mut(slot) else {
            return Admission::Full;
        };
        let key = call.group.clone().unwrap_or(match (rule.mode, capability.kind) {
            (Concurrency::Instance, Kind::Action) => GroupKey::Instance,
            _ => GroupKey::Capability(target.capability),
        });
        let Some(registration) = self.registrations.get_mut(target.registration) else {
            return Admission::Full;
        };
        let group = registration.group(&key);
        if group.running < most {
            group.running += 1;
            call.group = Some(key);
            return Admission::Now;
        }
        if u32::try_from(group.waiting.len()).unwrap_or(u32::MAX) >= depth {
            call.group = None;
            return Admission::Full;
        }
        group.waiting.push_back(slot);
        call.group = Some(key);
        Admission::Queued
    }

    pub(crate) fn queue_timed_out(&mut self, slot: u32) {
        if let Some(call) = self.calls.get_mut(slot) {
            call.timer = None;
            self.settle(slot, Outcome::Failed(Failure::queue_full(RETRY_AFTER_MS)));
        }
    }

    /// The call leaves the queue or gives its place to the next one.
    pub(crate) fn release_place(&mut self, slot: u32) {
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let queued = matches!(call.step, Step::Queued);
        let observes = call
            .capability
            .as_ref()
            .is_some_and(|capability| !capability.acts());
        let consumer = Rc::clone(&call.consumer.key);
        let group = call.group.take();
        let (target, generation) = (call.target, call.target_generation);
        if observes {
            let pooled = std::mem::take(&mut call.pooled);
            if queued {
                self.observations.waiting.retain(|(other, _)| *other != slot);
            } else if pooled {
                self.observations.remove(&consumer);
                self.admit_waiting_observations();
            }
            return;
        }
        let (Some(key), Some(target)) = (group, target) else {
            return;
        };
        if self.registrations.generation(target.registration) != generation {
            return;
        }
        let Some(registration) = self.registrations.get_mut(target.registration) else {
            return;
        };
        let group = registration.group(&key);
        let mut next = None;
        if queued {
            group.waiting.retain(|&other| other != slot);
        } else {
            next = group.waiting.pop_front();
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
            let Some((slot, consumer)) = next.and_then(|at| pool.waiting.remove(at)) else {
                return;
            };
            pool.add(&consumer);
            if let Some(call) = self.calls.get_mut(slot) {
                call.pooled = true;
            }
            self.leave_queue(slot);
        }
    }

    fn leave_queue(&mut self, slot: u32) {
        let timer = self.calls.get_mut(slot).and_then(|call| call.timer.take());
        self.stop_timer(timer);
        self.go_on(slot, Step::Start);
    }
}

enum Admission {
    Now,
    Queued,
    Full,
}
