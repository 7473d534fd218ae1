//! Phases 4 and 5: availability, and the effective input that policies, people and the handler see.
//!
//! Runs no `when`, no `bind` and no author's schema itself; it asks the driver. Called by the pipeline in `policy`.

use std::borrow::Cow;
use std::rc::Rc;

use agent_surface_json::schema::Issue;
use agent_surface_json::{Bounds, Document, Value, write_string};

use crate::call::{Origin, Sent, Step};
use crate::core::Core;
use crate::definition::{Capability, Reason};
use crate::effect::Kind;
use crate::error::{Code, Failure, Retry};
use crate::message::{CallId, Checked, InputRef, Outcome, Output};

/// What `unavailableReason` says when nobody gave a reason.
pub(crate) const NO_REASON: &str = "Currently unavailable";

impl Core {
    fn refuse(&mut self, slot: u32, failure: Failure) {
        self.settle(slot, Outcome::Failed(failure));
    }

    pub(crate) fn availability(&mut self, slot: u32) {
        let id = self.call_id(slot);
        let Some(call) = self.calls.get(slot) else { return };
        let Some(target) = call.target else { return };
        let Some(registration) = self.registrations.get(target.registration) else {
            return;
        };
        let Some(member) = registration.member(target.capability) else {
            return;
        };
        let reason = if let Some(reason) = call
            .votes
            .candidates
            .first()
            .and_then(|one| one.disabled.as_deref())
        {
            Some(reason)
        } else if !registration.enabled {
            Some("component-disabled")
        } else {
            member.pushed.as_deref()
        };
        if let Some(reason) = reason {
            let failure = Failure::not_available(reason);
            self.refuse(slot, failure);
        } else if member.capability.has_when {
            if let Some(call) = self.calls.get_mut(slot) {
                call.step = Step::When;
            }
            self.ask(slot, Output::AskWhen(id, target));
        } else if let Some(call) = self.calls.get_mut(slot) {
            call.step = Step::AgentInput;
        }
    }

    pub(crate) fn when_is(&mut self, id: CallId, answer: Option<bool>) {
        let Some(call) = self.call_mut(id) else { return };
        let (Step::When, true, Some(target)) = (&call.step, call.waits, call.target) else {
            return;
        };
        match answer {
            Some(true) => self.go_on(id.slot, Step::AgentInput),
            None => self.refuse(id.slot, Failure::not_available("when-error")),
            Some(false) => match call.capability.as_ref().map(|capability| &capability.reason) {
                Some(Reason::Text(text)) => {
                    let failure = Failure::not_available(text);
                    self.refuse(id.slot, failure);
                }
                Some(Reason::Function) => {
                    call.step = Step::Reason(NO_REASON);
                    self.ask(id.slot, Output::AskReason(id, target));
                }
                _ => self.refuse(id.slot, Failure::not_available(NO_REASON)),
            },
        }
    }

    pub(crate) fn reason_is(&mut self, id: CallId, reason: Option<&str>) {
        let Some(call) = self.call_mut(id) else { return };
        if let (Step::Reason(fallback), true) = (&call.step, call.waits) {
            let failure = Failure::not_available(reason.unwrap_or(fallback));
            self.refuse(id.slot, failure);
        }
    }

    /// Locked fields, then the agent's own fields against what it was shown.
    pub(crate) fn agent_input(&mut self, slot: u32) {
        self.null_as_absent(slot);
        match self.agent_value(slot) {
            Err(failure) => self.refuse(slot, failure),
            Ok(step) => {
                if let Some(call) = self.calls.get_mut(slot) {
                    call.step = step;
                }
            }
        }
    }

    /// Tool callers say `null` for no arguments: that is no input, where the schema's root is an object.
    fn null_as_absent(&mut self, slot: u32) {
        let id = self.call_id(slot);
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let is_null = matches!(&call.input, Sent::Json(document) if document.root().kind() == agent_surface_json::Kind::Null);
        let takes_object = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.input.as_ref().is_none_or(|input| input.object_root));
        if is_null && takes_object && matches!(call.origin, Origin::Toolset(_)) {
            call.input = Sent::Absent;
            self.emit(Output::Effective(id, String::from("{}")));
        }
    }

    fn agent_value(&self, slot: u32) -> Result<Step, Failure> {
        let call = self.calls.get(slot).ok_or_else(Failure::not_found)?;
        let capability = call.capability.as_ref().ok_or_else(Failure::not_found)?;
        let document = match &call.input {
            Sent::Bad(issues) => return Err(bad_input(issues)),
            Sent::Json(document) => Some(document),
            Sent::Absent => None,
        };
        let Some(schema) = &capability.input else {
            let empty = document.is_none_or(|document| is_empty_object(document.root()));
            return if empty {
                Ok(Step::Invoke(0))
            } else {
                Err(takes_no_input())
            };
        };
        if document.is_none() && !schema.object_root {
            return Err(Failure::invalid_input(&[issue("", "expected a value")]));
        }
        if capability.bound.is_empty() {
            return Ok(Step::FullInput);
        }
        let locked: Vec<String> = capability
            .bound
            .iter()
            .filter(|bound| bound.locked)
            .filter(|bound| document.is_some_and(|document| document.root().get(&bound.field).is_some()))
            .map(|bound| bound.field.clone())
            .collect();
        if !locked.is_empty() {
            return Err(Failure::locked_fields(&locked));
        }
        if let Some(reduced) = capability
            .reduced
            .as_ref()
            .and_then(|reduced| reduced.compiled.as_ref())
        {
            let empty = self.reparse("{}")?;
            let issues = reduced.validate(document.map_or_else(|| empty.root(), |document| document.root()));
            if !issues.is_empty() {
                return Err(Failure::invalid_input(&issues));
            }
        }
        Ok(Step::Bind)
    }

    /// The agent's fields, with the bound ones where there are any, under the full schema.
    pub(crate) fn full_input(&mut self, slot: u32) {
        let id = self.call_id(slot);
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let (Some(capability), Some(target)) = (call.capability.clone(), call.target) else {
            return;
        };
        let own = capability
            .input
            .as_ref()
            .is_some_and(|schema| schema.compiled.is_none());
        let merged = call.merged.take();
        let changed = merged.is_some();
        let text = merged.or_else(|| matches!(call.input, Sent::Absent).then(|| String::from("{}")));
        if own {
            call.step = Step::FullChecked;
            let input = match text {
                Some(text) => InputRef::Text(text),
                None => InputRef::Retained,
            };
            return self.ask(slot, Output::Check(id, target, input));
        }
        let document = match (&call.input, text) {
            (Sent::Json(document), None) => Rc::clone(document),
            (_, text) => match self.reparse(text.as_deref().unwrap_or("{}")) {
                Ok(document) => Rc::new(document),
                Err(failure) => return self.refuse(slot, failure),
            },
        };
        self.validate_full(slot, &capability, document, changed);
    }

    fn validate_full(&mut self, slot: u32, capability: &Capability, document: Rc<Document>, changed: bool) {
        let Some(schema) = capability
            .input
            .as_ref()
            .and_then(|schema| schema.compiled.as_ref())
        else {
            return;
        };
        let mut effective = document;
        let mut changed = changed;
        if schema.has_defaults()
            && let Some(filled) = schema.fill_defaults(effective.root())
        {
            match self.reparse(&filled) {
                Ok(document) => effective = Rc::new(document),
                Err(failure) => return self.refuse(slot, failure),
            }
            changed = true;
        }
        let missing = capability
            .bound
            .iter()
            .find(|bound| effective.root().get(&bound.field).is_none());
        if let Some(missing) = missing {
            return self.refuse(slot, Failure::binding_failed(Some(&missing.field)));
        }
        let issues = schema.validate(effective.root());
        if issues.is_empty() {
            return self.take_effective(slot, effective, changed);
        }
        let guilty = self.guilty(
            slot,
            &mut issues.iter().map(|issue| Cow::Borrowed(issue.pointer.as_str())),
        );
        let failure = match guilty {
            Some(field) => Failure::binding_failed(Some(&field)),
            None => Failure::invalid_input(&issues),
        };
        self.refuse(slot, failure);
    }

    /// The bound field that one of these places lies in, when the agent did not send it: what `bind` gave is not the
    /// agent's fault.
    fn guilty(&self, slot: u32, places: &mut dyn Iterator<Item = Cow<'_, str>>) -> Option<String> {
        let call = self.calls.get(slot)?;
        let bound = &call.capability.as_ref()?.bound;
        for place in places {
            let Some(first) = place.strip_prefix('/').and_then(|rest| rest.split('/').next()) else {
                continue;
            };
            let field = first.replace("~1", "/").replace("~0", "~");
            let from_agent = matches!(&call.input, Sent::Json(sent) if sent.root().get(&field).is_some());
            if !from_agent && bound.iter().any(|one| one.field == field) {
                return Some(field);
            }
        }
        None
    }

    /// What the author's own schema said against the input.
    fn own_issues(&self, slot: u32, issues: &str) -> Failure {
        let guilty = self.reparse(issues).ok().and_then(|list| {
            let mut pointers = list
                .root()
                .items()
                .filter_map(|issue| issue.get("pointer")?.as_str());
            self.guilty(slot, &mut pointers)
        });
        match guilty {
            Some(field) => Failure::binding_failed(Some(&field)),
            None => bad_input(issues),
        }
    }

    fn take_effective(&mut self, slot: u32, document: Rc<Document>, changed: bool) {
        let id = self.call_id(slot);
        let text = changed.then(|| document.text().to_owned());
        if let Some(call) = self.calls.get_mut(slot) {
            call.effective = Some(document);
            call.step = Step::Invoke(0);
            call.waits = false;
        }
        if let Some(text) = text {
            self.emit(Output::Effective(id, text));
        }
    }

    pub(crate) fn checked(&mut self, id: CallId, checked: Checked) {
        let Some(call) = self.call_mut(id) else { return };
        match (&call.step, call.waits) {
            (Step::CheckingOutput, true) => return self.output_checked(id.slot, checked),
            (Step::FullChecked, true) => {}
            _ => return,
        }
        match checked {
            Checked::Issues(issues) => {
                let failure = self.own_issues(id.slot, &issues);
                self.refuse(id.slot, failure);
            }
            Checked::Value(text) => match self.reparse(&text) {
                Err(failure) => self.refuse(id.slot, failure),
                Ok(document) => {
                    self.take_effective(id.slot, Rc::new(document), true);
                    self.ready.push_back(id.slot);
                }
            },
        }
    }

    pub(crate) fn ask_bind(&mut self, slot: u32) {
        let id = self.call_id(slot);
        if let Some(target) = self.calls.get(slot).and_then(|call| call.target) {
            self.ask(slot, Output::Bind(id, target));
        }
    }

    pub(crate) fn bound(&mut self, id: CallId, bound: Result<String, Option<String>>) {
        let Some(call) = self.call_mut(id) else { return };
        let (Step::Bind, true, Some(capability)) = (&call.step, call.waits, call.capability.clone()) else {
            return;
        };
        let input = call.input.clone();
        let merged = match bound {
            Err(field) => Err(field),
            Ok(text) => match self.reparse(&text) {
                Ok(document) => merge(&capability, &input, document.root()),
                Err(_) => Err(None),
            },
        };
        match merged {
            Ok(text) => {
                if let Some(call) = self.calls.get_mut(id.slot) {
                    call.merged = Some(text);
                }
                self.go_on(id.slot, Step::FullInput);
            }
            Err(field) => self.refuse(id.slot, Failure::binding_failed(field.as_deref())),
        }
    }

    /// A text that the library or the page made of the input, within the same bounds.
    pub(crate) fn reparse(&self, text: &str) -> Result<Document, Failure> {
        let limits = &self.config.limits;
        let bounds = Bounds {
            max_bytes: usize::try_from(limits.max_input_bytes).unwrap_or(usize::MAX),
            max_depth: usize::try_from(limits.max_value_depth).unwrap_or(usize::MAX),
            lone_surrogates: false,
        };
        Document::parse(text, bounds).map_err(|error| Failure::invalid_input(&[issue("", &error.message())]))
    }
}

/// The agent's fields and the bound ones as one object; `Err` names the locked field that `bind` left out.
fn merge(capability: &Capability, input: &Sent, bound: Value<'_>) -> Result<String, Option<String>> {
    let agent = match input {
        Sent::Json(document) => Some(document.root()),
        _ => None,
    };
    let mut out = String::from("{");
    if let Some(agent) = agent {
        for (key, value) in agent.entries() {
            field(&mut out, &key, value);
        }
    }
    for declared in &capability.bound {
        if agent.is_some_and(|agent| agent.get(&declared.field).is_some()) {
            continue;
        }
        match bound.get(&declared.field) {
            Some(value) => field(&mut out, &declared.field, value),
            None if declared.locked => return Err(Some(declared.field.clone())),
            // Its default is next.
            None => {}
        }
    }
    out.push('}');
    Ok(out)
}

fn field(out: &mut String, key: &str, value: Value<'_>) {
    if out.len() > 1 {
        out.push(',');
    }
    write_string(out, key);
    out.push(':');
    out.push_str(value.raw());
}

fn is_empty_object(value: Value<'_>) -> bool {
    value.kind() == agent_surface_json::Kind::Object && value.is_empty()
}

fn issue(path: &str, message: &str) -> Issue {
    Issue {
        path: path.to_owned(),
        pointer: path.to_owned(),
        message: message.to_owned(),
    }
}

fn takes_no_input() -> Failure {
    Failure::invalid_input(&[issue("", "an observation takes no input; send `{}` or nothing")])
}

/// `INVALID_INPUT` with a list of issues that is JSON already.
fn bad_input(issues: &str) -> Failure {
    Failure {
        code: Code::InvalidInput,
        message: "Correct the input as `details.issues` says, and call again.".into(),
        retry: Retry::WithChanges,
        details: Some(["{\"issues\":", issues, "}"].concat()),
    }
}

impl Capability {
    /// Whether the call of this capability changes something.
    pub(crate) fn acts(&self) -> bool {
        self.kind != Kind::Observation
    }
}
