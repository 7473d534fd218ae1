//! What the host does with each output of the core: answers questions, keeps timers, writes lines.
//!
//! Decides nothing that the transcript did not say. Called by the loop in `world`.

use agent_surface_core::error::{Code, Failure};
use agent_surface_core::message::{CallId, Evidence, Input, InputRef, Outcome, Output, Stage, Target};

use crate::call::{self, Frame};
use crate::json;
use crate::policy::Runs;
use crate::world::{Armed, World};

fn stage_word(stage: Stage) -> &'static str {
    match stage {
        Stage::Authorize => "authorize",
        Stage::Invoke => "invoke",
    }
}

impl World {
    pub fn run(&mut self, output: Output) -> Result<(), String> {
        match output {
            Output::AskDiscovery(id, target, policy) => {
                self.check_known(id);
                let vote = self.ask_vote(target, policy)?;
                self.input(Input::Vote(id, vote))
            }
            Output::AskWhen(id, target) => {
                self.check_known(id);
                let answer = self.ask_when(target)?;
                self.input(Input::WhenIs(id, answer))
            }
            Output::AskReason(id, target) => {
                let answer = self.ask_text("reason", target)?;
                self.input(Input::ReasonIs(id, answer))
            }
            Output::AskKey(id, target) => {
                let input = self.input_of(id);
                let answer = self.ask_key(target, &input)?;
                self.input(Input::KeyIs(id, answer))
            }
            Output::Guard(id, _, policy) => {
                self.check_known(id);
                let verdict = self.ask_guard(id, policy)?;
                self.input(Input::Verdict(id, verdict))
            }
            Output::Bind(id, target) => {
                let bound = self.ask_bind(target)?;
                self.input(Input::Bound(id, bound))
            }
            Output::RunPolicy(id, stage, frame, policy) => self.run_policy(id, stage, frame, policy),
            Output::ResumeNext(id, frame) => self.resume_next(id, frame),
            Output::Interim(id, failure) => {
                let name = self.names.call(id);
                self.line(
                    "effect",
                    &format!("effect interim {name} {}", failure.code.as_str()),
                );
                Ok(())
            }
            Output::Check(id, target, input) => self.check_input(id, target, input),
            Output::CheckOutput(id, target) => self.check_output(id, target),
            Output::CheckPrecondition(id, target) => self.check_precondition(id, target),
            Output::CallHandler(id, target, evidence) => self.call_handler(id, target, evidence),
            Output::Settled {
                call,
                outcome,
                version,
                changed,
            } => self.settle(call, outcome, version, changed),
            other => self.run_quiet(other),
        }
    }

    /// Outputs that ask for no answer.
    fn run_quiet(&mut self, output: Output) -> Result<(), String> {
        match output {
            Output::Effective(id, text) => {
                let name = self.names.call(id);
                self.line("effective", &format!("effective {name} {text}"));
                if let Some(call) = self.calls.get_mut(&id.slot) {
                    call.input = text;
                }
            }
            Output::AbortHandler(id) => {
                let name = self.names.call(id);
                self.line("abort", &format!("effect abort {name}"));
            }
            Output::Arm {
                timer,
                generation,
                ms,
            } => {
                let mut armed = self.timers.iter();
                if armed.any(|armed| (armed.timer, armed.generation) == (timer, generation)) {
                    return Ok(());
                }
                self.line("timer", &format!("timer {ms}"));
                let due = self.clock + f64::from(ms);
                self.timers.push(Armed {
                    timer,
                    generation,
                    due,
                });
            }
            Output::Disarm(timer) => {
                self.line("timer", "timer off");
                self.timers.retain(|armed| armed.timer != timer);
            }
            Output::Forget(slot) => {
                if let Some(call) = self.calls.remove(&slot) {
                    self.line("forget", &format!("forget {}", call.name));
                    if call.result.is_none() {
                        self.breach("forgotten before it settled", call.id);
                    }
                }
            }
            Output::Event(text) => self.line("event", &format!("event {text}")),
            Output::Audit(text, call) => self.audit(&text, call)?,
            Output::ConfirmationResolved(id, outcome) => {
                self.line("resolved", &format!("resolved {id} {outcome}"));
            }
            Output::Schedule => {
                self.scheduled = true;
                self.line("schedule", "schedule");
            }
            Output::Refresh(toolset) => self.refresh(toolset),
            Output::ForgetRegistration(slot) => self.line("forget", &format!("forget registration {slot}")),
            Output::Unmounted(slot) => self.line("forget", &format!("unmounted {slot}")),
            // Each registration of a transcript has a component of its own.
            Output::ForgetComponent(_) => {}
            Output::ForgetSpec(spec) => {
                self.line("forget", &format!("forget spec {spec}"));
                self.specs.retain(|_, known| *known != spec);
            }
            Output::Offer(toolset, entry, generation) => self.offer(toolset, entry, generation)?,
            Output::Withdraw(toolset, entry, generation) => self.withdraw(toolset, entry, generation),
            Output::Warn(text) | Output::Collision(text) => self.line("warn", &format!("warn {text}")),
            other => return Err(format!("an output that this host does not know: {other:?}")),
        }
        Ok(())
    }

    /// No word may be about a call that the host was told to forget.
    fn check_known(&mut self, id: CallId) {
        if self.calls.get(&id.slot).is_none_or(|call| call.id != id) {
            self.breach("an output for a call that the host does not know", id);
        } else if self.settled.contains(&(id.slot, id.generation)) {
            self.breach("a question for a call that was settled", id);
        }
    }

    fn input_of(&self, id: CallId) -> String {
        self.calls
            .get(&id.slot)
            .map_or_else(|| String::from("{}"), |call| call.input.clone())
    }

    fn run_policy(&mut self, id: CallId, stage: Stage, frame: u32, policy: u32) -> Result<(), String> {
        self.check_known(id);
        let Some(found) = self.policies.get(policy).cloned() else {
            return Err(format!("no policy {policy}"));
        };
        let name = self.names.call(id);
        let word = stage_word(stage);
        self.line(
            "effect",
            &format!("effect run_policy {name} {word} {}", found.name),
        );
        if let Some(call) = self.calls.get_mut(&id.slot) {
            call.frames.push(Frame {
                number: frame,
                stage,
                policy: found.name,
            });
        }
        match found.runs {
            Runs::Waits => Ok(()),
            Runs::Passes => self.input(Input::PolicyNext(id, frame)),
            Runs::Twice => {
                self.input(Input::PolicyNext(id, frame))?;
                self.input(Input::PolicyNext(id, frame))
            }
            Runs::Ends => self.input(Input::PolicyDone(id, frame, None)),
            Runs::Throws(code) => {
                let failure = call::failure(&mut crate::words::Words::new(&code))?;
                self.input(Input::PolicyDone(id, frame, Some(failure)))
            }
            Runs::Escalates(summary) => {
                self.input(Input::Escalate(id, summary))?;
                self.input(Input::PolicyNext(id, frame))
            }
        }
    }

    fn resume_next(&mut self, id: CallId, frame: u32) -> Result<(), String> {
        let name = self.names.call(id);
        let found = self
            .calls
            .get(&id.slot)
            .and_then(|call| call.frames.iter().find(|open| open.number == frame))
            .cloned();
        let Some(open) = found else {
            self.breach("resumes a policy that does not run", id);
            return Ok(());
        };
        let word = stage_word(open.stage);
        self.line(
            "effect",
            &format!("effect resume_next {name} {word} {}", open.policy),
        );
        let ends = self
            .policies
            .by_name(&open.policy)
            .is_some_and(|policy| policy.runs != Runs::Waits);
        if ends {
            self.input(Input::PolicyDone(id, frame, None))?;
        }
        Ok(())
    }

    fn check_input(&mut self, id: CallId, target: Target, input: InputRef) -> Result<(), String> {
        self.check_known(id);
        let text = match input {
            InputRef::Retained => self.input_of(id),
            InputRef::Text(text) => text,
        };
        let name = self.names.call(id);
        self.line("effect", &format!("effect check {name} {text}"));
        let subjects = self.subjects(target);
        if let Some(mut answer) = self.ask("check", &subjects)? {
            let checked = call::checked(&mut answer)?;
            return self.input(Input::Checked(id, checked));
        }
        Ok(())
    }

    fn check_output(&mut self, id: CallId, target: Target) -> Result<(), String> {
        let name = self.names.call(id);
        self.line("effect", &format!("effect check_output {name}"));
        let subjects = self.subjects(target);
        if let Some(mut answer) = self.ask("check-output", &subjects)? {
            let checked = call::checked(&mut answer)?;
            return self.input(Input::Checked(id, checked));
        }
        Ok(())
    }

    fn check_precondition(&mut self, id: CallId, target: Target) -> Result<(), String> {
        self.check_known(id);
        let name = self.names.call(id);
        self.line("effect", &format!("effect check_precondition {name}"));
        let subjects = self.subjects(target);
        if let Some(mut answer) = self.ask("precondition", &subjects)? {
            let refusal = call::precondition(&mut answer);
            return self.input(Input::PreconditionDone(id, refusal));
        }
        Ok(())
    }

    fn call_handler(&mut self, id: CallId, target: Target, evidence: Option<Evidence>) -> Result<(), String> {
        self.check_known(id);
        if !self.started.insert((id.slot, id.generation)) {
            self.breach("a handler started twice", id);
        }
        let name = self.names.call(id);
        let evidence = evidence.filter(|_| self.shown.contains("evidence"));
        let proof = evidence.map_or(String::new(), |it| format!(" evidence {} {}", it.id, it.at.iso()));
        let input = self.input_of(id);
        self.line("effect", &format!("effect call_handler {name} {input}{proof}"));
        let subjects = self.subjects(target);
        if let Some(mut answer) = self.ask("handler", &subjects)? {
            let returned = call::returned(&mut answer)?;
            return self.handler_ended(id, returned);
        }
        Ok(())
    }

    fn settle(&mut self, id: CallId, outcome: Outcome, version: u64, changed: bool) -> Result<(), String> {
        if !self.settled.insert((id.slot, id.generation)) {
            self.breach("settled twice", id);
        }
        let known = self.calls.get_mut(&id.slot).filter(|call| call.id == id);
        let Some((kept, name)) = known.map(|call| (call.output.take(), call.name.clone())) else {
            self.breach("settled without being known", id);
            return Ok(());
        };
        let mut result = match outcome {
            Outcome::Done(text) => text.or(kept).map_or(String::from("ok"), |text| {
                if text.len() > 1000 {
                    format!("ok {} bytes", text.len())
                } else {
                    format!("ok {text}")
                }
            }),
            Outcome::Failed(failure) if self.full_payloads => format!("error {}", failure.to_json()),
            Outcome::Failed(failure) => short(&failure)?,
        };
        if changed && self.shown.contains("changed") {
            result.extend([format!(" changed version={version}")]);
        }
        if let Some(call) = self.calls.get_mut(&id.slot) {
            call.result = Some(result.clone());
        }
        self.line("settled", &format!("settled {name} {result}"));
        Ok(())
    }

    /// Late settlements in short, unless whole records are shown.
    fn audit(&mut self, text: &str, call: Option<u32>) -> Result<(), String> {
        // A start that names its call is for the sink of a policy.
        let is_own = call.is_some() && text.starts_with(r#"{"type":"invocation-started""#);
        if self.shown.contains("audit") {
            let whose = if is_own { "policy-audit" } else { "audit" };
            self.line("audit", &format!("{whose} {text}"));
            return Ok(());
        }
        let record = json::parse(text)?;
        let field = |name: &str| {
            let value = record.root().get(name)?;
            value.as_str().map(std::borrow::Cow::into_owned)
        };
        if field("type").as_deref() == Some("late-settlement") {
            let mut line = format!(
                "audit late-settlement {}",
                field("invocationId").unwrap_or_default()
            );
            if let Some(policy) = field("policy") {
                line.extend([format!(" policy {policy} {}", field("code").unwrap_or_default())]);
            }
            self.line("late", &line);
        }
        Ok(())
    }
}

/// Code and details in one line; a confirmation by its id alone.
fn short(failure: &Failure) -> Result<String, String> {
    let code = failure.code.as_str();
    let Some(details) = &failure.details else {
        return Ok(format!("error {code}"));
    };
    if failure.code == Code::ConfirmationRequired {
        let document = json::parse(details)?;
        let id = document
            .root()
            .get("confirmationId")
            .and_then(agent_surface_json::Value::as_str);
        return Ok(format!("error {code} {}", id.unwrap_or_default()));
    }
    Ok(format!("error {code}{}", json::pairs(details)?))
}
