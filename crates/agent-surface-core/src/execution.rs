//! Phase 9 and the end of a handler: start, timeout, abort, unmount, output.
//!
//! Calls no handler; `Output::CallHandler` does. What a handler does after its call was settled changes nothing.

use std::rc::Rc;

use agent_surface_json::{Bounds, Document};

use crate::call::Step;
use crate::core::Core;
use crate::effect::{Effect, Kind};
use crate::error::Failure;
use crate::message::{CallId, Checked, Outcome, Output, Returned};
use crate::timer::Owner;

impl Core {
    pub(crate) fn start(&mut self, slot: u32) {
        if let Err(failure) = self.consume(slot) {
            return self.settle(slot, Outcome::Failed(failure));
        }
        let id = self.call_id(slot);
        let limits = &self.config.limits;
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let (Some(capability), Some(target)) = (&call.capability, call.target) else {
            return;
        };
        let default = match capability.kind {
            Kind::Observation => limits.observation_timeout_ms,
            Kind::Action => limits.action_timeout_ms,
            Kind::Procedure => limits.procedure_timeout_ms,
        };
        let ms = call.timeout_ms.or(capability.timeout_ms).unwrap_or(default);
        call.timeout_ms = Some(ms);
        call.started = Some(self.now);
        call.step = Step::Running;
        call.handler_started = true;
        call.handler_running = true;
        let evidence = call.used_evidence.clone();
        let timer = self.timers.start(Owner::Handler(slot), ms);
        call.timer = Some(timer);
        self.emit(Output::CallHandler(id, target, evidence));
    }

    pub(crate) fn handler_timed_out(&mut self, slot: u32) {
        let id = self.call_id(slot);
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        call.timer = None;
        let idempotent = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.idempotent);
        let failure = Failure::timeout(call.timeout_ms.unwrap_or(0), idempotent);
        self.warn_of_self_wait(slot);
        self.emit(Output::AbortHandler(id));
        self.settle(slot, Outcome::Failed(failure));
    }

    /// An action that awaits another one of its own group waits for itself: the author should hear why it timed out.
    fn warn_of_self_wait(&mut self, slot: u32) {
        let Some(call) = self.calls.get(slot) else { return };
        let (Some(key), Some(target)) = (&call.group, call.target) else {
            return;
        };
        let waiting = self
            .registrations
            .get(target.registration)
            .and_then(|registration| registration.groups.iter().find(|group| group.key == *key))
            .and_then(|group| group.waiting.front())
            .and_then(|&waiting| self.calls.get(waiting));
        let Some(waiting) = waiting else { return };
        let text = [
            "`",
            &call.capability_id,
            "` timed out while `",
            &waiting.capability_id,
            "` waited for it to end; if its handler awaits that call, it waits for itself",
        ];
        let warning = text.concat();
        self.emit(Output::Warn(warning));
    }

    pub(crate) fn abort(&mut self, id: CallId) {
        let Some(call) = self.call_mut(id) else { return };
        match call.step {
            Step::Settled | Step::Fixed => return,
            Step::Running | Step::CheckingOutput => self.emit(Output::AbortHandler(id)),
            _ => {}
        }
        self.settle(id.slot, Outcome::Failed(Failure::cancelled()));
    }

    /// What unmounting a registration means for its calls.
    pub(crate) fn unmount_calls(&mut self, registration: u32) {
        let generation = self.registrations.generation(registration);
        let slots: Vec<u32> = self
            .calls
            .iter()
            .filter(|(_, call)| {
                call.target
                    .is_some_and(|target| target.registration == registration)
                    && call.target_generation == generation
                    && !matches!(call.step, Step::Settled | Step::Fixed)
            })
            .map(|(slot, _)| slot)
            .collect();
        for slot in slots {
            let id = self.call_id(slot);
            let Some(call) = self.calls.get_mut(slot) else {
                continue;
            };
            let started = matches!(call.step, Step::Running | Step::CheckingOutput);
            let navigates = call
                .capability
                .as_ref()
                .is_some_and(|capability| capability.effect == Effect::Navigation);
            if started && !call.unmounted {
                call.unmounted = true;
                self.emit(Output::AbortHandler(id));
            }
            if !(started && navigates) {
                self.settle(slot, Outcome::Failed(Failure::unmounted("mid-flight")));
            }
        }
    }

    pub(crate) fn handler_done(&mut self, id: CallId, returned: Returned) {
        let Some(call) = self.call_mut(id) else { return };
        if !call.handler_running {
            return;
        }
        call.handler_running = false;
        if call.is_settled() {
            self.audit_late(
                id.slot,
                !matches!(returned, Returned::Threw | Returned::Failure(_)),
            );
            return self.release_call(id.slot);
        }
        let cancelled = call.unmounted;
        match returned {
            Returned::Failure(_) | Returned::Threw if cancelled => {
                self.fix(id.slot, Outcome::Failed(Failure::cancelled()));
            }
            Returned::Failure(failure) => self.fix(id.slot, Outcome::Failed(failure)),
            Returned::Threw => {
                self.fix(
                    id.slot,
                    Outcome::Failed(Failure::execution_failed(Some("handler-error"))),
                );
            }
            Returned::NotJson { path, message } => {
                let issue = agent_surface_json::schema::Issue {
                    pointer: String::new(),
                    path,
                    message,
                };
                self.fix(id.slot, Outcome::Failed(Failure::output_invalid(&[issue])));
            }
            Returned::Value(text) => self.take_output(id, text),
        }
    }

    fn take_output(&mut self, id: CallId, text: Option<String>) {
        let most = usize::try_from(self.config.limits.max_output_bytes).unwrap_or(usize::MAX);
        let depth = usize::try_from(self.config.limits.max_value_depth).unwrap_or(usize::MAX);
        let Some(call) = self.call_mut(id) else { return };
        if text.as_ref().is_some_and(|text| text.len() > most) {
            let failure = Failure::execution_failed(Some("output-too-large"));
            return self.fix(id.slot, Outcome::Failed(failure));
        }
        let schema = call
            .capability
            .as_ref()
            .and_then(|capability| capability.output.as_ref());
        let (Some(schema), Some(target)) = (schema, call.target) else {
            call.output = text;
            return self.fix(id.slot, Outcome::Done(None));
        };
        let Some(compiled) = schema.compiled.as_ref().map(Rc::clone) else {
            call.output = text;
            call.step = Step::CheckingOutput;
            call.waits = true;
            return self.emit(Output::CheckOutput(id, target));
        };
        let bounds = Bounds {
            max_bytes: most,
            max_depth: depth,
            lone_surrogates: false,
        };
        let issues = match &text {
            None => vec![missing_output()],
            Some(text) => match Document::parse(text.as_str(), bounds) {
                Ok(document) => compiled.validate(document.root()),
                Err(error) => vec![not_json(error.message())],
            },
        };
        call.output = text;
        if issues.is_empty() {
            self.fix(id.slot, Outcome::Done(None));
        } else {
            self.fix(id.slot, Outcome::Failed(Failure::output_invalid(&issues)));
        }
    }

    pub(crate) fn output_checked(&mut self, slot: u32, checked: Checked) {
        match checked {
            Checked::Issues(_) => {
                self.fix(
                    slot,
                    Outcome::Failed(Failure::execution_failed(Some("output-invalid"))),
                );
            }
            Checked::Value(text) => {
                let most = usize::try_from(self.config.limits.max_output_bytes).unwrap_or(usize::MAX);
                if text.len() > most {
                    return self.fix(
                        slot,
                        Outcome::Failed(Failure::execution_failed(Some("output-too-large"))),
                    );
                }
                if let Some(call) = self.calls.get_mut(slot) {
                    call.output = Some(text.clone());
                }
                self.fix(slot, Outcome::Done(Some(text)));
            }
        }
    }

    /// The outcome stands; it is delivered in the next tick.
    fn fix(&mut self, slot: u32, outcome: Outcome) {
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        call.outcome = Some(outcome);
        let timer = call.timer.take();
        self.stop_timer(timer);
        self.release_place(slot);
        self.set_step(slot, Step::Fixed);
        self.fixed.push(slot);
        self.schedule();
    }

    pub(crate) fn deliver(&mut self, slot: u32) {
        let outcome = self
            .calls
            .get_mut(slot)
            .filter(|call| matches!(call.step, Step::Fixed))
            .and_then(|call| call.outcome.take());
        if let Some(outcome) = outcome {
            self.settle(slot, outcome);
        }
    }

    /// The registry goes away: whatever has no outcome yet is cancelled.
    pub(crate) fn cancel_all(&mut self) {
        let fixed = std::mem::take(&mut self.fixed);
        for slot in fixed {
            self.deliver(slot);
        }
        let open: Vec<u32> = self
            .calls
            .iter()
            .filter(|(_, call)| !call.is_settled())
            .map(|(slot, _)| slot)
            .collect();
        for slot in open {
            let id = self.call_id(slot);
            let running = self.calls.get(slot).is_some_and(|call| call.handler_running);
            if running {
                self.emit(Output::AbortHandler(id));
            }
            self.settle(slot, Outcome::Failed(Failure::disposed()));
        }
    }
}

fn missing_output() -> agent_surface_json::schema::Issue {
    not_json(String::from("expected a value, got nothing"))
}

fn not_json(message: String) -> agent_surface_json::schema::Issue {
    agent_surface_json::schema::Issue {
        path: String::new(),
        pointer: String::new(),
        message,
    }
}
