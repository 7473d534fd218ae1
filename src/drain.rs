//! The one drain loop: polls the core's outputs and calls the facade with numbers; never nests.
//!
//! Holds no rule. No JavaScript runs while the core is borrowed; whatever page code a facade function calls may
//! call back into any export, which then mutates the core and leaves the draining to the loop that runs already.

use agent_surface_core::error::Failure;
use agent_surface_core::message::{
    CallId, Checked, Input, InputRef, Outcome, Output, Returned, Stage, Target, Verdict, Vote,
};
use agent_surface_json::{Bounds, Document};
use wasm_bindgen::JsValue;

use crate::registry::Registry;

/// Bounds of an author's payload before it is read: the core drops details past 4,096 bytes.
const PAYLOAD_BOUNDS: Bounds = Bounds {
    max_bytes: 65_536,
    max_depth: 64,
    lone_surrogates: false,
};

impl Registry {
    /// Drains to the end, unless a drain further out does it.
    pub(crate) fn drain(&self) {
        if self.draining.replace(true) {
            return;
        }
        loop {
            let output = self.core.borrow_mut().poll_output();
            let Some(output) = output else { break };
            if let Err(cause) = self.run(output) {
                // The facade itself failed (its stack ran out): it hears of it and the loop goes on.
                if self.host.fault(cause).is_err() {
                    break;
                }
            }
        }
        self.draining.set(false);
    }

    fn run(&self, output: Output) -> Result<(), JsValue> {
        match output {
            Output::Settled {
                call,
                outcome,
                version,
                changed,
            } => self.settled(call, outcome, version, changed),
            Output::CallHandler(call, target, evidence) => {
                let (slot, generation) = (call.slot, call.generation);
                let answer = match evidence {
                    None => self
                        .host
                        .handler(slot, generation, target.registration, target.capability),
                    Some((id, at)) => self.host.handler_with_evidence(
                        slot,
                        generation,
                        target.registration,
                        target.capability,
                        &id,
                        &at,
                    ),
                };
                let answer = answer.unwrap_or(4);
                if answer != 0 {
                    self.now();
                    let returned = self.returned(answer, self.take_text());
                    self.input(Input::HandlerDone(call, returned));
                }
                Ok(())
            }
            Output::AskDiscovery(call, target, policy) => {
                let answer = self.host.discovery(
                    i32::try_from(call.slot).unwrap_or(-1),
                    target.registration,
                    target.capability,
                    policy,
                );
                let vote = self.vote(answer.unwrap_or(1));
                self.input(Input::Vote(call, vote));
                Ok(())
            }
            Output::AskWhen(call, target) => {
                let answer = when(
                    self.host
                        .when(target.registration, target.capability)
                        .unwrap_or(2),
                );
                self.input(Input::WhenIs(call, answer));
                Ok(())
            }
            Output::AskReason(call, target) => {
                let answer = self
                    .host
                    .reason(target.registration, target.capability)
                    .unwrap_or(0);
                let text = self.text_if(answer != 0);
                self.input(Input::ReasonIs(call, text));
                Ok(())
            }
            Output::AskKey(call, target) => {
                let answer = self
                    .host
                    .key(call.slot, target.registration, target.capability)
                    .unwrap_or(0);
                let text = self.text_if(answer != 0);
                self.input(Input::KeyIs(call, text));
                Ok(())
            }
            Output::Guard(call, stage, policy) => {
                let target = self.target(call);
                let answer = self
                    .host
                    .guard(
                        call.slot,
                        stage == Stage::Invoke,
                        policy,
                        target.registration,
                        target.capability,
                    )
                    .unwrap_or(4);
                let verdict = self.verdict(answer);
                self.input(Input::Verdict(call, verdict));
                Ok(())
            }
            Output::RunPolicy(call, stage, frame, policy) => {
                let target = self.target(call);
                self.host.run_policy(
                    call.slot,
                    call.generation,
                    stage == Stage::Invoke,
                    frame,
                    policy,
                    target.registration,
                    target.capability,
                )
            }
            Output::ResumeNext(call, frame) => self.host.resume_next(call.slot, frame),
            Output::Interim(call, failure) => self.host.interim(call.slot, &failure.to_json()),
            other => self.run_rare(other),
        }
    }

    fn run_rare(&self, output: Output) -> Result<(), JsValue> {
        match output {
            Output::Check(call, target, input) => {
                let text = match input {
                    InputRef::Retained => None,
                    InputRef::Text(text) => Some(text),
                };
                let answer = self.host.check(
                    call.slot,
                    call.generation,
                    target.registration,
                    target.capability,
                    text,
                );
                self.checked_now(call, answer.unwrap_or(2));
                Ok(())
            }
            Output::CheckOutput(call, target) => {
                let answer = self.host.check_output(
                    call.slot,
                    call.generation,
                    target.registration,
                    target.capability,
                );
                self.checked_now(call, answer.unwrap_or(2));
                Ok(())
            }
            Output::Bind(call, target) => {
                let answer = self
                    .host
                    .bind(call.slot, target.registration, target.capability)
                    .unwrap_or(0);
                let text = self.take_text();
                let bound = match answer {
                    1 => Ok(text),
                    2 => Err(Some(text)),
                    _ => Err(None),
                };
                self.input(Input::Bound(call, bound));
                Ok(())
            }
            Output::CheckPrecondition(call, target) => {
                let answer = self.host.precondition(
                    call.slot,
                    call.generation,
                    target.registration,
                    target.capability,
                );
                let answer = answer.unwrap_or(4);
                if answer != 0 {
                    let refusal = self.refusal(answer, &self.take_text());
                    self.input(Input::PreconditionDone(call, refusal));
                }
                Ok(())
            }
            Output::Effective(call, text) => self.host.effective(call.slot, &text),
            Output::AbortHandler(call) => self.host.abort(call.slot),
            Output::Arm {
                timer,
                generation,
                ms,
            } => self.host.arm(timer, generation, ms),
            Output::Disarm(timer) => self.host.disarm(timer),
            Output::Forget(call) => self.host.forget(call),
            Output::Event(text) => self.host.event(&text),
            Output::Audit(text, call) => self.host.audit(
                &text,
                call.and_then(|call| i32::try_from(call).ok()).unwrap_or(-1),
            ),
            Output::ConfirmationResolved(id, outcome) => self.host.confirmation_resolved(&id, outcome),
            Output::Schedule => self.host.schedule(),
            Output::Refresh(toolset) => self.host.refresh(toolset),
            Output::Unmounted(slot) => self.host.unmounted(slot),
            Output::ForgetRegistration(slot) => self.host.forget_registration(slot),
            Output::ForgetSpec(spec) => self.host.forget_spec(spec),
            Output::Offer(toolset, entry, generation) => self.host.offer(toolset, entry, generation),
            Output::Withdraw(toolset, entry, generation) => self.host.withdraw(toolset, entry, generation),
            Output::Warn(text) => self.host.warn(&text),
            // These are run above; a new output is to be run somewhere.
            Output::Settled { .. }
            | Output::CallHandler(..)
            | Output::AskDiscovery(..)
            | Output::AskWhen(..)
            | Output::AskReason(..)
            | Output::AskKey(..)
            | Output::Guard(..)
            | Output::RunPolicy(..)
            | Output::ResumeNext(..)
            | Output::Interim(..) => Ok(()),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a version past 2^53 would take centuries of changes"
    )]
    fn settled(&self, call: CallId, outcome: Outcome, version: u64, changed: bool) -> Result<(), JsValue> {
        match outcome {
            Outcome::Done(text) => self.host.done(call.slot, version as f64, changed, text),
            Outcome::Failed(failure) => {
                self.host
                    .failed(call.slot, version as f64, changed, &failure.to_json())
            }
        }
    }

    fn target(&self, call: CallId) -> Target {
        self.core.borrow().call_target(call.slot).unwrap_or(Target {
            registration: u32::MAX,
            capability: u32::MAX,
        })
    }

    fn checked_now(&self, call: CallId, answer: u32) {
        if answer != 0 {
            let checked = checked(answer, self.take_text());
            self.input(Input::Checked(call, checked));
        }
    }

    /// 0 expose, 1 hide, 2 disable with the reason as text.
    pub(crate) fn vote(&self, answer: u32) -> Vote {
        match answer {
            0 => Vote::Expose,
            2 => Vote::Disable(self.take_text()),
            _ => Vote::Hide,
        }
    }

    /// 0 pass, 1 refuse with a payload, 2 confirm, 3 confirm with a summary, 4 threw something unknown.
    fn verdict(&self, answer: u32) -> Verdict {
        match answer {
            0 => Verdict::Pass,
            1 => Verdict::Refuse(self.author_failure(&self.take_text())),
            2 => Verdict::Confirm(None),
            3 => Verdict::Confirm(Some(self.take_text())),
            _ => Verdict::Refuse(Failure::execution_failed(None)),
        }
    }

    /// 1 nothing, 2 a value, 3 an author's payload, 5 not JSON (`{path, message}`), 6 too large, 7 a backend that may
    /// be there again, else threw something unknown.
    pub(crate) fn returned(&self, answer: u32, text: String) -> Returned {
        match answer {
            1 => Returned::Value(None),
            2 => Returned::Value(Some(text)),
            3 => Returned::Failure(self.author_failure(&text)),
            5 => {
                let document = Document::parse(text, PAYLOAD_BOUNDS).ok();
                let field = |name: &str| {
                    let value = document.as_ref()?.root().get(name)?;
                    value.as_str().map(std::borrow::Cow::into_owned)
                };
                let path = field("path").unwrap_or_default();
                let message = field("message").unwrap_or_else(|| String::from("not JSON"));
                Returned::NotJson { path, message }
            }
            6 => Returned::Failure(Failure::execution_failed(Some("output-too-large"))),
            7 => Returned::Failure(Failure::transport_transient()),
            _ => Returned::Threw,
        }
    }

    /// 1 passed, 2 refused by the author (`{message, details?}`), 3 an author's payload, else threw.
    pub(crate) fn refusal(&self, answer: u32, text: &str) -> Option<Failure> {
        match answer {
            1 => None,
            2 => match Document::parse(text, PAYLOAD_BOUNDS) {
                Ok(document) => Some(self.warned(Failure::from_precondition(&document))),
                Err(_) => Some(Failure::precondition(None, None)),
            },
            3 => Some(self.author_failure(text)),
            _ => Some(Failure::execution_failed(None)),
        }
    }

    /// What a handler or policy threw on purpose.
    pub(crate) fn author_failure(&self, text: &str) -> Failure {
        match Document::parse(text, PAYLOAD_BOUNDS) {
            Ok(document) => self.warned(Failure::from_author(&document)),
            Err(_) => Failure::execution_failed(Some("handler-error")),
        }
    }

    fn warned(&self, (failure, warning): (Failure, Option<&'static str>)) -> Failure {
        if let Some(warning) = warning {
            // A console that throws is the page's own doing and changes no answer.
            self.host.warn(warning).unwrap_or_default();
        }
        failure
    }
}

/// 0 no, 1 yes, 2 threw.
pub(crate) fn when(answer: u32) -> Option<bool> {
    match answer {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// 1 a value, else issues.
pub(crate) fn checked(answer: u32, text: String) -> Checked {
    if answer == 1 {
        Checked::Value(text)
    } else if text.is_empty() {
        Checked::Issues(String::from("[]"))
    } else {
        Checked::Issues(text)
    }
}
