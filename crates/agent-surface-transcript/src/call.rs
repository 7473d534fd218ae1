//! Calls as the page's side keeps them: what was sent, which policies run, what came out.
//!
//! Remembers and forgets as the core says. Called by `command`, `drain` and `tool`.

use std::rc::Rc;

use agent_surface_core::error::Failure;
use agent_surface_core::message::{CallId, Checked, Input, Returned, Stage};
use agent_surface_core::{Admitted, Consumer, Request, Route, Sent};

use crate::json;
use crate::words::Words;
use crate::world::World;

/// A policy's function that runs for a call.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub number: u32,
    pub stage: Stage,
    pub policy: String,
}

/// One call in the host's table.
#[derive(Clone, Debug)]
pub(crate) struct HostCall {
    pub id: CallId,
    /// The invocation id.
    pub name: String,
    /// The effective input so far, as JSON text.
    pub input: String,
    pub frames: Vec<Frame>,
    /// What the handler gave, until the call settles.
    pub output: Option<String>,
    /// How it ended, as a line without its first word.
    pub result: Option<String>,
}

/// A request as a transcript words it.
#[derive(Debug, Default)]
pub(crate) struct Wording {
    pub capability: String,
    pub instance: Option<String>,
    pub registration: Option<String>,
    pub version: Option<String>,
    pub id: Option<String>,
    pub confirmation: Option<String>,
    pub consumer: Option<Consumer>,
    pub input: Option<String>,
    pub issues: Option<String>,
    pub timeout: Option<u32>,
    pub aborted: bool,
    pub reads_only: bool,
    pub refused: Option<String>,
}

pub(crate) fn consumer(word: &str) -> Result<Consumer, String> {
    let (kind, id) = word
        .split_once(':')
        .ok_or_else(|| format!("`{word}` is no `kind:id`"))?;
    Ok(Consumer::new(kind, id))
}

impl Wording {
    /// `[@instance] [as kind:id] [id X] [registration R] [version N] [confirmation C] [timeout N] [aborted] [reads]
    /// [json]`
    pub fn read(words: &mut Words) -> Result<Self, String> {
        let mut wording = Self::default();
        loop {
            if let Some(input) = words.json() {
                wording.input = Some(input);
                continue;
            }
            let Some(word) = words.next() else {
                return Ok(wording);
            };
            match word.as_str() {
                "as" => wording.consumer = Some(consumer(&words.want("a consumer")?)?),
                "id" => wording.id = Some(words.want("an invocation id")?),
                "registration" => wording.registration = Some(words.want("a registration")?),
                "version" => wording.version = Some(words.want("a version")?),
                "confirmation" => wording.confirmation = Some(words.want("a confirmation")?),
                "timeout" => wording.timeout = Some(words.number()?),
                "bad" => wording.issues = Some(words.want("issues")?),
                "aborted" => wording.aborted = true,
                "reads" => wording.reads_only = true,
                "refused" => wording.refused = Some(words.want("issues")?),
                other => match other.strip_prefix('@') {
                    Some(instance) => wording.instance = Some(instance.to_owned()),
                    None => return Err(format!("`{other}` is not understood in a call")),
                },
            }
        }
    }

    pub fn sent(&self) -> Result<Sent, String> {
        match (&self.refused, &self.issues, &self.input) {
            (Some(issues), _, _) => Ok(Sent::Refused(issues.clone())),
            (None, Some(issues), _) => Ok(Sent::Bad(issues.clone())),
            (None, None, Some(text)) => Ok(Sent::Json(Rc::new(json::parse(text)?))),
            (None, None, None) => Ok(Sent::Absent),
        }
    }

    pub fn request(&self, consumer: &Consumer) -> Result<Request<'_>, String> {
        Ok(Request {
            route: Route::new(
                &self.capability,
                self.consumer.clone().unwrap_or_else(|| consumer.clone()),
            ),
            instance_id: self.instance.as_deref(),
            registration_id: self.registration.as_deref(),
            surface_version: self.version.as_deref(),
            invocation_id: self.id.as_deref(),
            confirmation_id: self.confirmation.as_deref(),
            input: self.sent()?,
            timeout_ms: self.timeout,
            aborted: self.aborted,
            reads_only: self.reads_only,
        })
    }
}

/// `CODE ["message"] [details]`, as an author throws it.
pub(crate) fn failure(words: &mut Words) -> Result<Failure, String> {
    let code = words.want("a code")?;
    let mut payload = format!("{{\"code\":{}", json::quoted(&code));
    if let Some(message) = words.text() {
        payload.extend([format!(",\"message\":{}", json::quoted(&message))]);
    }
    if let Some(details) = words.json() {
        payload.extend([format!(",\"details\":{details}")]);
    }
    payload.push('}');
    Ok(Failure::from_author(&json::parse(&payload)?).0)
}

/// `value|nothing|throws|fails CODE…|not-json PATH MESSAGE`
pub(crate) fn returned(words: &mut Words) -> Result<Returned, String> {
    if let Some(value) = words.json() {
        return Ok(Returned::Value(Some(value)));
    }
    match words.want("an outcome")?.as_str() {
        "nothing" => Ok(Returned::Value(None)),
        "throws" => Ok(Returned::Threw),
        "fails" => Ok(Returned::Failure(failure(words)?)),
        "bytes" => {
            let length = usize::try_from(words.number()?).unwrap_or(0);
            Ok(Returned::Value(Some(json::quoted(
                &"x".repeat(length.saturating_sub(2)),
            ))))
        }
        "not-json" => Ok(Returned::NotJson {
            path: words.text().unwrap_or_default(),
            message: words.text().unwrap_or_default(),
        }),
        other => Err(format!("`{other}` is no outcome of a handler")),
    }
}

/// `passes` or `refuses ["message"] [details]`
pub(crate) fn precondition(words: &mut Words) -> Option<Failure> {
    if words.take("passes") {
        return None;
    }
    words.take("refuses");
    let message = words.text();
    let details = words.json();
    Some(Failure::precondition(message.as_deref(), details.as_deref()))
}

/// `value JSON` or `issues JSON`
pub(crate) fn checked(words: &mut Words) -> Result<Checked, String> {
    match words.want("`value` or `issues`")?.as_str() {
        "value" => Ok(Checked::Value(words.want("JSON")?)),
        "issues" => Ok(Checked::Issues(words.want("JSON")?)),
        other => Err(format!("`{other}` is no outcome of a check")),
    }
}

impl World {
    pub fn invoke(&mut self, words: &mut Words) -> Result<(), String> {
        let capability = words.want("a capability")?;
        let wording = Wording {
            capability,
            ..Wording::read(words)?
        };
        let now = self.at();
        let request = wording.request(&Consumer::new("embedded", "anonymous"))?;
        let admitted = self.core()?.invoke(now, request);
        self.admitted(admitted, &wording)
    }

    /// Keeps a new call, or says which one it joins.
    pub fn admitted(&mut self, admitted: Admitted, wording: &Wording) -> Result<(), String> {
        match admitted {
            Admitted::Fresh(id) => {
                let name = self
                    .core()?
                    .invocation_id(id.slot)
                    .unwrap_or_default()
                    .into_owned();
                self.names.hide(&name);
                let call = HostCall {
                    id,
                    name,
                    input: wording.input.clone().unwrap_or_else(|| String::from("{}")),
                    frames: Vec::new(),
                    output: None,
                    result: None,
                };
                self.calls.insert(id.slot, call);
            }
            Admitted::Join(id) => match self.calls.get(&id.slot).filter(|call| call.id == id).cloned() {
                None => self.breach("a join to a call that the host forgot", id),
                Some(call) => match call.result {
                    Some(result) => self.line("join", &format!("replay {} {result}", call.name)),
                    None => self.line("join", &format!("join {}", call.name)),
                },
            },
        }
        Ok(())
    }

    /// The call of `#n` or of an invocation id.
    pub fn call_named(&self, word: &str) -> Result<CallId, String> {
        if word.starts_with('#') {
            return self.names.call_of(word);
        }
        self.calls
            .values()
            .filter(|call| call.name == word)
            .max_by_key(|call| call.result.is_none())
            .map(|call| call.id)
            .ok_or_else(|| format!("no call `{word}`"))
    }

    /// The frame of `authorize POLICY` or `invoke POLICY`.
    fn frame(&self, id: CallId, words: &mut Words) -> Result<u32, String> {
        let stage = match words.want("a stage")?.as_str() {
            "authorize" => Stage::Authorize,
            "invoke" => Stage::Invoke,
            other => return Err(format!("`{other}` is no stage")),
        };
        let policy = words.want("a policy")?;
        self.calls
            .get(&id.slot)
            .and_then(|call| {
                call.frames
                    .iter()
                    .rev()
                    .find(|frame| frame.stage == stage && frame.policy == policy)
            })
            .map(|frame| frame.number)
            .ok_or_else(|| format!("no frame of `{policy}`"))
    }

    /// What a policy's function does next: `next|done|throws|escalates|audits CALL STAGE POLICY …`
    pub fn policy_acts(&mut self, verb: &str, words: &mut Words) -> Result<(), String> {
        let id = self.call_named(&words.want("a call")?)?;
        let frame = self.frame(id, words)?;
        match verb {
            "next" => self.input(Input::PolicyNext(id, frame)),
            "done" => self.input(Input::PolicyDone(id, frame, None)),
            "escalates" => {
                let summary = words.text();
                self.input(Input::Escalate(id, summary))
            }
            "audits" => {
                let full = words.take("full");
                self.input(Input::Audit(id, full))
            }
            _ => {
                let failure = failure(words)?;
                self.input(Input::PolicyDone(id, frame, Some(failure)))
            }
        }
    }

    pub fn handler_ended(&mut self, id: CallId, returned: Returned) -> Result<(), String> {
        if let (Some(call), Returned::Value(value)) = (self.calls.get_mut(&id.slot), &returned)
            && call.id == id
        {
            call.output.clone_from(value);
        }
        self.input(Input::HandlerDone(id, returned))
    }
}
