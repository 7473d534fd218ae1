//! The one drain loop: polls the core's outputs and calls the facade with numbers; never nests.
//!
//! Holds no rule. No JavaScript runs while the core is borrowed; whatever page code a facade function calls may
//! call back into any export, which then mutates the core and leaves the draining to the loop that runs already.

use agent_surface_core::error::Failure;
use agent_surface_core::message::{
    CallId, Checked, Evidence, Input, InputRef, Outcome, Output, Returned, Stage, Target, Vote,
};
use agent_surface_core::time::Millis;
use agent_surface_json::{Bounds, Document};
use alloc::string::String;
use wasm_bindgen::JsValue;

use crate::convert::Act;
use crate::registry::Registry;

/// Bounds of an author's payload before it is read: the core drops details past 4,096 bytes.
const PAYLOAD_BOUNDS: Bounds = Bounds {
    max_bytes: 65_536,
    max_depth: 64,
    lone_surrogates: false,
};

/// The last millisecond that a `Date` can tell.
const LATEST: u64 = 8_640_000_000_000_000;

/// No answer of the facade's.
const FAILED: u32 = u32::MAX;

/// For what is about no capability.
pub(crate) const NOWHERE: Target = Target {
    registration: u32::MAX,
    capability: u32::MAX,
};

/// For what is about no call.
pub(crate) const NOBODY: CallId = CallId {
    slot: u32::MAX,
    generation: 0,
};

impl Registry {
    /// Drains to the end, unless a drain further out does it.
    pub(crate) fn drain(&self) {
        if self.draining.replace(true) {
            return;
        }
        loop {
            let output = self.core_mut().poll_output();
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

    /// Has the facade do something, or asks it: the answer is a number, whose text `take_text` gives.
    fn act(&self, act: Act, call: CallId, target: Target, x: u32, y: u32) -> Result<u32, JsValue> {
        self.host.act(
            act as u32,
            call.slot,
            call.generation,
            target.registration,
            target.capability,
            x,
            y,
        )
    }

    /// What the facade answers; `FAILED` when it broke.
    pub(crate) fn ask(&self, act: Act, call: CallId, target: Target, x: u32, y: u32) -> u32 {
        self.act(act, call, target, x, y).unwrap_or(FAILED)
    }

    /// The same of a question whose answer is a text, or nothing.
    pub(crate) fn ask_text(&self, act: Act, call: CallId, target: Target) -> Option<String> {
        (self.ask(act, call, target, 0, 0) == 1).then(|| self.take_text())
    }

    /// Has it do something about the call alone.
    fn tell(&self, act: Act, call: CallId, x: u32) -> Result<u32, JsValue> {
        self.act(act, call, NOWHERE, x, 0)
    }

    /// Has it do something by these numbers.
    fn tell_of(&self, act: Act, slot: u32, generation: u32, x: u32) -> Result<u32, JsValue> {
        self.tell(act, CallId { slot, generation }, x)
    }

    fn run(&self, output: Output) -> Result<u32, JsValue> {
        match output {
            Output::Settled {
                call,
                outcome,
                version,
                changed,
            } => {
                let (act, text) = match outcome {
                    Outcome::Done(text) => (Act::Done, text),
                    Outcome::Failed(failure) => (Act::Failed, Some(failure.to_json())),
                };
                let said = self.say_if(text.as_deref())?;
                let (high, low) = halves(version);
                let (slot, generation) = (call.slot, call.generation);
                return self
                    .host
                    .act(act as u32, slot, generation, high, low, changed.into(), said);
            }
            Output::CallHandler(call, target, evidence) => {
                let mut approved = (0, 0);
                if let Some(Evidence { id, named, at }) = &evidence {
                    if !named {
                        self.host.say(id)?;
                    }
                    let (high, low) = halves(at.since(Millis::default()).min(LATEST));
                    approved = (high + 1, low);
                }
                let answer = self.ask(Act::Handler, call, target, approved.0, approved.1);
                if answer != 0 {
                    self.now();
                    let returned = self.returned(answer, self.take_text());
                    self.input(Input::HandlerDone(call, returned));
                }
            }
            Output::AskDiscovery(call, target, policy) => {
                let vote = self.vote(self.ask(Act::Discovery, call, target, policy, 0));
                self.input(Input::Vote(call, vote));
            }
            Output::AskWhen(call, target) => {
                let answer = when(self.ask(Act::When, call, target, 0, 0));
                self.input(Input::WhenIs(call, answer));
            }
            Output::AskReason(call, target) => {
                let reason = self.ask_text(Act::Reason, call, target);
                self.input(Input::ReasonIs(call, reason));
            }
            Output::AskKey(call, target) => {
                let key = self.ask_text(Act::Key, call, target);
                self.input(Input::KeyIs(call, key));
            }
            Output::Guard(call, stage, policy) => {
                let answer = self.ask(
                    Act::Guard,
                    call,
                    self.target(call),
                    policy,
                    (stage == Stage::Invoke).into(),
                );
                let verdict = self.verdict(answer);
                self.input(Input::Verdict(call, verdict));
            }
            Output::RunPolicy(call, stage, frame, policy) => {
                let stage = u32::from(stage == Stage::Invoke);
                return self.act(Act::RunPolicy, call, self.target(call), policy, frame * 2 + stage);
            }
            Output::Check(call, target, input) => {
                let text = match input {
                    InputRef::Retained => None,
                    InputRef::Text(text) => Some(text),
                };
                let said = self.say_if(text.as_deref())?;
                self.checked_now(call, self.ask(Act::Check, call, target, said, 0));
            }
            Output::CheckOutput(call, target) => {
                self.checked_now(call, self.ask(Act::CheckOutput, call, target, 0, 0));
            }
            Output::Bind(call, target) => {
                let answer = self.ask(Act::Bind, call, target, 0, 0);
                let text = self.take_text();
                let bound = match answer {
                    1 => Ok(text),
                    2 => Err(Some(text)),
                    _ => Err(None),
                };
                self.input(Input::Bound(call, bound));
            }
            Output::CheckPrecondition(call, target) => {
                let answer = self.ask(Act::Precondition, call, target, 0, 0);
                if answer != 0 {
                    let refusal = self.refusal(answer, &self.take_text());
                    self.input(Input::PreconditionDone(call, refusal));
                }
            }
            order => return self.order(order),
        }
        Ok(0)
    }

    /// 1 when there is a text, which is said.
    fn say_if(&self, text: Option<&str>) -> Result<u32, JsValue> {
        if let Some(text) = text {
            self.host.say(text)?;
        }
        Ok(text.is_some().into())
    }

    /// What is to be done, and answered by nobody.
    fn order(&self, output: Output) -> Result<u32, JsValue> {
        match output {
            Output::ResumeNext(call, frame) => self.tell(Act::ResumeNext, call, frame),
            Output::Interim(call, failure) => {
                self.host.say(&failure.to_json())?;
                self.tell(Act::Interim, call, 0)
            }
            Output::Effective(call, text) => {
                self.host.say(&text)?;
                self.tell(Act::Effective, call, 0)
            }
            Output::AbortHandler(call) => self.tell(Act::Abort, call, 0),
            Output::Arm {
                timer,
                generation,
                ms,
            } => self.tell_of(Act::Arm, timer, generation, ms),
            Output::Disarm(timer) => self.tell_of(Act::Disarm, timer, 0, 0),
            Output::Forget(slot) => self.tell_of(Act::Forget, slot, 0, 0),
            Output::Event(text) => {
                self.host.say(&text)?;
                self.tell_of(Act::Event, 0, 0, 0)
            }
            Output::Audit(text, call) => {
                self.host.say(&text)?;
                self.tell_of(Act::Audit, call.unwrap_or(u32::MAX), 0, 0)
            }
            Output::ConfirmationResolved(id, outcome) => {
                if self.tell_of(Act::Waits, 0, 0, 0)? != 1 {
                    return Ok(0);
                }
                self.host.say(&id)?;
                self.host.say(outcome)?;
                self.tell_of(Act::ConfirmationResolved, 0, 0, 0)
            }
            Output::Schedule => self.tell_of(Act::Schedule, 0, 0, 0),
            Output::Refresh(toolset) => self.tell_of(Act::Refresh, toolset, 0, 0),
            Output::Unmounted(slot) => self.tell_of(Act::Unmounted, slot, 0, 0),
            Output::ForgetRegistration(slot) => self.tell_of(Act::ForgetRegistration, slot, 0, 0),
            Output::ForgetComponent(id) => self.tell_of(Act::ForgetComponent, id, 0, 0),
            Output::ForgetSpec(spec) => self.tell_of(Act::ForgetSpec, spec, 0, 0),
            Output::Offer(toolset, entry, generation) => self.tell_of(Act::Offer, toolset, generation, entry),
            Output::Withdraw(toolset, entry, generation) => {
                self.tell_of(Act::Withdraw, toolset, generation, entry)
            }
            Output::Warn(text) => {
                self.host.say(&text)?;
                self.tell_of(Act::Warn, 0, 0, 0)
            }
            Output::Collision(text) => {
                self.host.say(&text)?;
                self.tell_of(Act::Warn, 0, 0, 1)
            }
            // These are run above; a new output is to be run somewhere.
            Output::Settled { .. }
            | Output::CallHandler(..)
            | Output::AskDiscovery(..)
            | Output::AskWhen(..)
            | Output::AskReason(..)
            | Output::AskKey(..)
            | Output::Guard(..)
            | Output::RunPolicy(..)
            | Output::Check(..)
            | Output::CheckOutput(..)
            | Output::Bind(..)
            | Output::CheckPrecondition(..) => Ok(0),
        }
    }

    fn target(&self, call: CallId) -> Target {
        self.core().call_target(call.slot).unwrap_or(NOWHERE)
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

    /// 0 pass, 1 refuse with a payload, else threw something unknown.
    fn verdict(&self, answer: u32) -> Option<Failure> {
        match answer {
            0 => None,
            1 => Some(self.author_failure(&self.take_text())),
            _ => Some(Failure::execution_failed(None)),
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
                    value.as_str().map(alloc::borrow::Cow::into_owned)
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
            let said = self.host.say(warning);
            said.and_then(|()| self.tell_of(Act::Warn, 0, 0, 0))
                .unwrap_or_default();
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

/// A version or time crosses as two numbers.
#[expect(clippy::cast_possible_truncation, reason = "the halves are taken apart")]
const fn halves(version: u64) -> (u32, u32) {
    ((version >> 32) as u32, version as u32)
}
