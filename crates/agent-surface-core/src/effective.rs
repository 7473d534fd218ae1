//! Phases 4 and 5: availability, and the effective input that policies, people and the handler see.
//!
//! Runs no `when`, no `bind` and no author's schema itself; it asks the driver. Called by the pipeline in `policy`.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned as _;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::schema::{Issue, push_token};
use agent_surface_json::{Bounds, Document, Kind as JsonKind, Value, concat, write_string};

use crate::call::{Call, Origin, Sent, Step};
use crate::core::Core;
use crate::definition::{Bound, Capability, Reason};
use crate::effect::Kind;
use crate::error::{Code, Failure};
use crate::message::{Checked, InputRef, Output};

impl Core {
    pub(crate) fn availability(&mut self, call: &mut Call) {
        let Some(target) = call.target else { return };
        let Some(registration) = self.registrations.get(target.registration) else {
            return;
        };
        let Some(member) = registration.member(target.capability) else {
            return;
        };
        if call.reads_only && !member.capability.effect.reads() {
            let changes = issue("capabilityId", "changes something: use `surface_act`");
            return self.fail(call, Failure::invalid_input(&[changes]));
        }
        let disabled = call
            .votes
            .candidates
            .first()
            .and_then(|one| one.disabled.as_deref());
        let reason = match (disabled, registration.pushed(target.capability as usize)) {
            (Some(reason), _) => reason,
            _ if !registration.enabled => "component-disabled",
            (_, Some(pushed)) => pushed,
            _ if member.capability.has_when => {
                call.step = Step::When;
                return self.ask(call, Output::AskWhen(call.id, target));
            }
            _ => {
                call.step = Step::AgentInput;
                return;
            }
        };
        let failure = Failure::not_available(reason);
        self.fail(call, failure);
    }

    pub(crate) fn when_is(&mut self, call: &mut Call, answer: Option<bool>) {
        if !matches!(call.step, Step::When) {
            return;
        }
        let reason = match (answer, &call.capability) {
            (Some(true), _) => return self.go_on(call, Step::AgentInput),
            (Some(false), Some(capability)) => match &capability.reason {
                Reason::Text(text) => text,
                Reason::Function => {
                    call.step = Step::Reason;
                    return self.ask_about(call, Output::AskReason);
                }
            },
            _ => "when-error",
        };
        let failure = Failure::not_available(reason);
        self.fail(call, failure);
    }

    pub(crate) fn reason_is(&mut self, call: &mut Call, reason: Option<&str>) {
        if matches!(call.step, Step::Reason) {
            self.fail(call, Failure::not_available(reason.unwrap_or_default()));
        }
    }

    /// Locked fields, then the agent's own fields against what it was shown.
    pub(crate) fn agent_input(&mut self, call: &mut Call) {
        self.read_tool_input(call);
        match self.agent_value(call) {
            Err(failure) => self.fail(call, failure),
            Ok(step) => call.step = step,
        }
    }

    /// Tool callers say `null` for no arguments, or write the object as a text: that is no input, or that object, where
    /// the schema's root is an object.
    fn read_tool_input(&mut self, call: &mut Call) {
        let takes_object = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.input.as_ref().is_none_or(|input| input.object_root));
        match &call.input {
            Sent::Encoded(_, object) if takes_object => {
                call.merged = Some(object.text().to_owned());
                let id = &*call.route.capability_id;
                let warning = concat(&["the input of `", id, "` came as JSON text and was parsed"]);
                self.emit(Output::Warn(warning));
            }
            Sent::Encoded(text, _) => call.input = Sent::Json(Rc::clone(text)),
            Sent::Json(document)
                if takes_object
                    && document.root().kind() == JsonKind::Null
                    && matches!(call.origin, Origin::Toolset(_)) =>
            {
                call.input = Sent::Absent;
                self.emit(Output::Effective(call.id, String::from("{}")));
            }
            _ => {}
        }
    }

    fn agent_value(&self, call: &Call) -> Result<Step, Failure> {
        let capability = call.capability.as_ref().ok_or_else(Failure::not_found)?;
        let document = match &call.input {
            Sent::Bad(issues) | Sent::Refused(issues) => return Err(bad_input(issues)),
            Sent::Json(document) | Sent::Encoded(_, document) => Some(document.as_ref()),
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
        let sent = document.unwrap_or(&self.empty).root();
        let mut locked = Vec::new();
        for bound in &capability.bound {
            if bound.locked && sent.get(&bound.field).is_some() {
                locked.push(bound.field.clone());
            }
        }
        if !locked.is_empty() {
            return Err(Failure::locked_fields(&locked));
        }
        if let Some(reduced) = capability
            .reduced
            .as_ref()
            .and_then(|reduced| reduced.compiled.as_ref())
        {
            let issues = reduced.validate(sent);
            if !issues.is_empty() {
                return Err(Failure::invalid_input(&issues));
            }
        }
        Ok(Step::Bind)
    }

    /// The agent's fields, with the bound ones where there are any, under the full schema.
    pub(crate) fn full_input(&mut self, call: &mut Call) {
        let Some(capability) = call.capability.clone() else {
            return;
        };
        let Some(schema) = &capability.input else { return };
        let merged = call.merged.take();
        let Some(compiled) = &schema.compiled else {
            let absent = || matches!(call.input, Sent::Absent).then(|| String::from("{}"));
            let input = match merged.or_else(absent) {
                Some(text) => InputRef::Text(text),
                None => InputRef::Retained,
            };
            call.step = Step::FullChecked;
            if let Some(target) = call.target {
                self.ask(call, Output::Check(call.id, target, input));
            }
            return;
        };
        let mut changed = merged.is_some();
        let mut effective = match (merged, &call.input) {
            (Some(merged), _) => match self.reparse(&merged) {
                Ok(document) => Rc::new(document),
                Err(failure) => return self.fail(call, failure),
            },
            (None, Sent::Json(document)) => Rc::clone(document),
            (None, _) => Rc::clone(&self.empty),
        };
        if compiled.has_defaults()
            && let Some(filled) = compiled.fill_defaults(effective.root())
        {
            match self.reparse(&filled) {
                Ok(document) => effective = Rc::new(document),
                Err(failure) => return self.fail(call, failure),
            }
            changed = true;
        }
        let missing = capability
            .bound
            .iter()
            .find(|bound| effective.root().get(&bound.field).is_none());
        if let Some(missing) = missing {
            return self.fail(call, Failure::binding_failed(Some(&missing.field)));
        }
        let issues = compiled.validate(effective.root());
        if issues.is_empty() {
            return self.take_effective(call, effective, changed);
        }
        let guilty = guilty(
            call,
            &mut issues.iter().map(|issue| Cow::Borrowed(issue.pointer.as_str())),
        );
        let failure = match guilty {
            Some(field) => Failure::binding_failed(Some(&field)),
            None => Failure::invalid_input(&issues),
        };
        self.fail(call, failure);
    }

    /// What the author's own schema said against the input.
    fn own_issues(&self, call: &Call, issues: &str) -> Failure {
        let guilty = self.reparse(issues).ok().and_then(|list| {
            let mut pointers = list
                .root()
                .items()
                .filter_map(|issue| issue.get("pointer")?.as_str());
            guilty(call, &mut pointers)
        });
        match guilty {
            Some(field) => Failure::binding_failed(Some(&field)),
            None => bad_input(issues),
        }
    }

    fn take_effective(&mut self, call: &mut Call, document: Rc<Document>, changed: bool) {
        if changed {
            self.emit(Output::Effective(call.id, document.text().to_owned()));
        }
        call.effective = Some(document);
        call.step = Step::Invoke(0);
        call.waits = false;
    }

    pub(crate) fn checked(&mut self, call: &mut Call, checked: Checked) {
        match (call.step, checked) {
            (Step::CheckingOutput, checked) => self.output_checked(call, checked),
            (Step::FullChecked, Checked::Issues(issues)) => {
                let failure = self.own_issues(call, &issues);
                self.fail(call, failure);
            }
            (Step::FullChecked, Checked::Value(text)) => match self.reparse(&text) {
                Err(failure) => self.fail(call, failure),
                Ok(document) => {
                    self.take_effective(call, Rc::new(document), true);
                    self.ready.push_back(call.id.slot);
                }
            },
            _ => {}
        }
    }

    pub(crate) fn bound(&mut self, call: &mut Call, bound: Result<String, Option<String>>) {
        let (Step::Bind, Some(capability)) = (call.step, &call.capability) else {
            return;
        };
        let merged = bound.and_then(|text| {
            let document = self.reparse(&text).or(Err(None))?;
            merge(capability, &call.input, document.root())
        });
        match merged {
            Ok(text) => {
                call.merged = Some(text);
                self.go_on(call, Step::FullInput);
            }
            Err(field) => self.fail(call, Failure::binding_failed(field.as_deref())),
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

/// The bound field that one of these places lies in, when the agent did not send it: what `bind` gave is not the agent's
/// fault.
fn guilty(call: &Call, places: &mut dyn Iterator<Item = Cow<'_, str>>) -> Option<String> {
    let bound = &call.capability.as_ref()?.bound;
    for place in places {
        for Bound { field, .. } in bound {
            let mut within = String::new();
            push_token(&mut within, field);
            let is_there = place
                .strip_prefix(&*within)
                .is_some_and(|rest| matches!(rest.as_bytes().first(), None | Some(b'/')));
            if is_there && sent_fields(&call.input).is_none_or(|sent| sent.get(field).is_none()) {
                return Some(field.clone());
            }
        }
    }
    None
}

/// What the agent sent, when it is JSON.
fn sent_fields(input: &Sent) -> Option<Value<'_>> {
    match input {
        Sent::Json(document) | Sent::Encoded(_, document) => Some(document.root()),
        _ => None,
    }
}

/// The agent's fields and the bound ones as one object; `Err` names the locked field that `bind` left out.
fn merge(capability: &Capability, input: &Sent, bound: Value<'_>) -> Result<String, Option<String>> {
    let agent = sent_fields(input);
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
    value.kind() == JsonKind::Object && value.is_empty()
}

/// About the whole value, or about one property of it.
pub(crate) fn issue(name: &str, message: &str) -> Issue {
    Issue {
        path: name.to_owned(),
        pointer: concat(&[if name.is_empty() { "" } else { "/" }, name]),
        message: message.to_owned(),
    }
}

fn takes_no_input() -> Failure {
    Failure::invalid_input(&[issue("", "an observation takes no input; send `{}` or nothing")])
}

/// `INVALID_INPUT` with a list of issues that is JSON already.
pub(crate) fn bad_input(issues: &str) -> Failure {
    let message = "Correct the input as `details.issues` says, and call again.";
    let details = concat(&["{\"issues\":", issues, "}"]);
    Failure::new(Code::InvalidInput, message.into(), Some(details))
}

impl Capability {
    /// Whether the call of this capability changes something.
    pub(crate) fn acts(&self) -> bool {
        self.kind != Kind::Observation
    }
}
