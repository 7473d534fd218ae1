//! Phase 9 and the end of a handler: start, timeout, abort, unmount, output.
//!
//! Calls no handler; `Output::CallHandler` does. What a handler does after its call was settled changes nothing.

use agent_surface_json::schema::Issue;
use agent_surface_json::{Bounds, Document, concat};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::call::{Call, Step};
use crate::core::Core;
use crate::effect::{Effect, Kind};
use crate::error::Failure;
use crate::message::{Checked, Outcome, Output, Returned};
use crate::timer::Owner;

impl Core {
    pub(crate) fn start(&mut self, call: &mut Call) {
        let evidence = match self.consume(call) {
            Ok(evidence) => evidence,
            Err(failure) => return self.fail(call, failure),
        };
        let limits = &self.config.limits;
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
        call.timer = Some(self.timers.start(Owner::Handler(call.id.slot), ms));
        self.emit(Output::CallHandler(call.id, target, evidence));
    }

    pub(crate) fn handler_timed_out(&mut self, call: &mut Call) {
        let idempotent = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.idempotent);
        self.warn_of_self_wait(call);
        self.emit(Output::AbortHandler(call.id));
        self.fail(call, Failure::timeout(call.timeout_ms.unwrap_or(0), idempotent));
    }

    /// An action that awaits another one of its own group waits for itself: the author should hear why it timed out.
    fn warn_of_self_wait(&mut self, call: &Call) {
        let (Some(key), Some(target)) = (&call.group, call.target) else {
            return;
        };
        let waiting = self
            .registrations
            .get(target.registration)
            .and_then(|registration| registration.groups.iter().find(|group| group.key == *key))
            .and_then(|group| group.waiting.first())
            .and_then(|&waiting| self.calls.get(waiting));
        let Some(waiting) = waiting else { return };
        let text = [
            "`",
            &call.route.capability_id,
            "` timed out while `",
            &waiting.route.capability_id,
            "` waited for it to end; if its handler awaits that call, it waits for itself",
        ];
        let warning = concat(&text);
        self.emit(Output::Warn(warning));
    }

    pub(crate) fn abort(&mut self, call: &mut Call) {
        match call.step {
            Step::Settled | Step::Fixed => return,
            Step::Running | Step::CheckingOutput => self.emit(Output::AbortHandler(call.id)),
            _ => {}
        }
        self.fail(call, Failure::cancelled());
    }

    /// The slots of the calls that are so.
    pub(crate) fn calls_that(&self, so: &dyn Fn(&Call) -> bool) -> Vec<u32> {
        let calls = self.calls.iter().filter(|(_, call)| so(call));
        calls.map(|(slot, _)| slot).collect()
    }

    /// What unmounting a registration means for its calls.
    pub(crate) fn unmount_calls(&mut self, registration: u32) {
        let generation = self.registrations.generation(registration);
        let slots = self.calls_that(&|call| {
            call.target
                .is_some_and(|target| target.registration == registration)
                && call.target_generation == generation
                && !matches!(call.step, Step::Settled | Step::Fixed)
        });
        for slot in slots {
            self.with_call(slot, &mut |core, call| {
                let started = matches!(call.step, Step::Running | Step::CheckingOutput);
                let navigates = call
                    .capability
                    .as_ref()
                    .is_some_and(|capability| capability.effect == Effect::Navigation);
                if started && !core::mem::replace(&mut call.unmounted, true) {
                    core.emit(Output::AbortHandler(call.id));
                }
                if !(started && navigates) {
                    core.fail(call, Failure::unmounted("mid-flight"));
                }
            });
        }
    }

    pub(crate) fn handler_done(&mut self, call: &mut Call, returned: Returned) {
        if !core::mem::take(&mut call.handler_running) {
            return;
        }
        if call.is_settled() {
            self.audit_late(call, !matches!(returned, Returned::Threw | Returned::Failure(_)));
            return self.release_call(call);
        }
        let failure = match returned {
            Returned::Value(text) => return self.take_output(call, text),
            Returned::NotJson { path, message } => Failure::output_invalid(&[Issue {
                pointer: String::new(),
                path,
                message,
            }]),
            Returned::Failure(_) | Returned::Threw if call.unmounted => Failure::cancelled(),
            Returned::Failure(failure) => failure,
            Returned::Threw => Failure::execution_failed(Some("handler-error")),
        };
        self.fix(call, Outcome::Failed(failure));
    }

    fn most_output(&self) -> usize {
        usize::try_from(self.config.limits.max_output_bytes).unwrap_or(usize::MAX)
    }

    fn take_output(&mut self, call: &mut Call, mut text: Option<String>) {
        let most = self.most_output();
        if text.as_ref().is_some_and(|text| text.len() > most) {
            return self.fix(call, too_large());
        }
        let mut outcome = Outcome::Done(None);
        if let (Some(capability), Some(target)) = (&call.capability, call.target)
            && let Some(schema) = &capability.output
        {
            let Some(compiled) = &schema.compiled else {
                call.output = text;
                call.step = Step::CheckingOutput;
                call.waits = true;
                return self.emit(Output::CheckOutput(call.id, target));
            };
            let bounds = Bounds {
                max_bytes: most,
                max_depth: usize::try_from(self.config.limits.max_value_depth).unwrap_or(usize::MAX),
                lone_surrogates: false,
            };
            // What the handler left out is there before anything is checked.
            let filled = text
                .as_deref()
                .filter(|_| compiled.has_defaults())
                .and_then(|text| compiled.fill_defaults(Document::parse(text, bounds).ok()?.root()));
            if let Some(filled) = filled {
                if filled.len() > most {
                    return self.fix(call, too_large());
                }
                outcome = Outcome::Done(Some(filled.clone()));
                text = Some(filled);
            }
            let issues = match &text {
                None => vec![not_json(String::from("expected a value, got nothing"))],
                Some(text) => match Document::parse(text.as_str(), bounds) {
                    Ok(document) => compiled.validate(document.root()),
                    Err(error) => vec![not_json(error.message())],
                },
            };
            if !issues.is_empty() {
                outcome = Outcome::Failed(Failure::output_invalid(&issues));
            }
        }
        call.output = text;
        self.fix(call, outcome);
    }

    pub(crate) fn output_checked(&mut self, call: &mut Call, checked: Checked) {
        let outcome = match checked {
            Checked::Issues(_) => Outcome::Failed(Failure::execution_failed(Some("output-invalid"))),
            Checked::Value(text) if text.len() > self.most_output() => too_large(),
            Checked::Value(text) => {
                call.output = Some(text.clone());
                Outcome::Done(Some(text))
            }
        };
        self.fix(call, outcome);
    }

    /// The outcome stands; it is delivered in the next tick.
    fn fix(&mut self, call: &mut Call, outcome: Outcome) {
        call.outcome = Some(outcome);
        self.stop_timer(call.timer.take());
        self.release_place(call);
        call.step = Step::Fixed;
        self.fixed.push(call.id.slot);
        self.schedule();
    }

    pub(crate) fn deliver(&mut self, call: &mut Call) {
        if matches!(call.step, Step::Fixed)
            && let Some(outcome) = call.outcome.take()
        {
            self.settle(call, outcome);
        }
    }

    /// The registry goes away: whatever has no outcome yet is cancelled.
    pub(crate) fn cancel_all(&mut self) {
        for slot in core::mem::take(&mut self.fixed) {
            self.with_call(slot, &mut Self::deliver);
        }
        for slot in self.calls_that(&|call| !call.is_settled()) {
            self.with_call(slot, &mut |core, call| {
                if call.handler_running {
                    core.emit(Output::AbortHandler(call.id));
                }
                core.fail(call, Failure::disposed());
            });
        }
    }
}

fn too_large() -> Outcome {
    Outcome::Failed(Failure::execution_failed(Some("output-too-large")))
}

fn not_json(message: String) -> Issue {
    Issue {
        path: String::new(),
        pointer: String::new(),
        message,
    }
}
