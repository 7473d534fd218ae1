//! The kernel of one session: requests in, what is to be done out.
//!
//! It refuses to execute, to confirm and to remember a session beyond its end. Refusals are decided in one order: size,
//! shape, protocol, session, exposure, scope, rate, replay. Called by the boundary, or by a native host.

use agent_surface_core::time::Millis;
use agent_surface_json::{Document, Kind, Value, write_u64};
use alloc::borrow::ToOwned as _;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use crate::catalog::{self, Catalog, TRUSTED};
use crate::config::Config;
use crate::error::{Code, Refusal};
use crate::exchange::Exchange;
use crate::expose::Exposure;
use crate::memory::{Answer, Memory, Recall};
use crate::pending::{Outcome, Pending, Pendings, Stage};
use crate::request::{self, Method, Request};
use crate::session::{Standing, is_over};
use crate::write;

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Settle what waits under `token` with a response.
    Respond {
        /// As it was given with the request.
        token: u32,
        /// JSON.
        text: String,
        /// For an audit.
        exchange: Exchange,
    },
    /// Call [`Kernel::handle_described`] with at most `limit` records.
    Describe {
        /// Which request.
        call: u32,
        /// Records.
        limit: u32,
    },
    /// Execute, then call [`Kernel::handle_result`].
    Invoke {
        /// Which request.
        call: u32,
        /// Place in the allowlist.
        exposure: usize,
        /// The invocation's id: the request's.
        id: String,
        /// JSON, where there is any.
        input: String,
        /// Evidence that a person was asked for.
        confirmation: Option<String>,
    },
    /// Wait until a person has decided, then call [`Kernel::handle_decided`].
    Wait {
        /// Which request.
        call: u32,
        /// What is to be decided.
        confirmation: String,
    },
    /// Whoever asked is gone: abort the execution.
    Abort {
        /// Which request.
        call: u32,
    },
    /// Nobody waits for the decision: take the request for approval back.
    Withdraw {
        /// What was to be decided.
        confirmation: String,
        /// Why, in words for the audit.
        reason: &'static str,
    },
}

const SESSION_ENDED: &str = "the agent's session ended";

/// One peer's surface.
#[derive(Debug)]
pub struct Kernel {
    config: Config,
    standing: Standing,
    pendings: Pendings,
    memory: Memory,
    /// What each of those who wait asked for.
    asked: Vec<(u32, Exchange)>,
    /// What was described last, and what was last told to be new.
    catalog: Option<Catalog>,
    announced: Option<String>,
    outputs: VecDeque<Output>,
}

impl Kernel {
    /// A kernel for a live session.
    pub fn new(config: Config) -> Kernel {
        Kernel {
            config,
            standing: Standing::Live,
            pendings: Pendings::default(),
            memory: Memory::default(),
            asked: Vec::new(),
            catalog: None,
            announced: None,
            outputs: VecDeque::new(),
        }
    }

    /// The allowlist.
    pub fn exposures(&self) -> &[Exposure] {
        &self.config.exposures
    }

    /// Where its session stands. What is over stays over.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// What is to be done next.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Kernel::handle_timeout`] is due; nothing while nobody waits.
    pub fn poll_timeout(&self) -> Option<Millis> {
        (!self.pendings.is_empty()).then_some(self.config.session.expires_at)
    }

    /// A request as it came.
    pub fn handle_request(&mut self, now: Millis, token: u32, text: &str) {
        let (exchange, request) = request::read(text, self.config.max_bytes);
        self.asked.push((token, exchange));
        match request {
            Err((id, refusal)) => self.refuse(token, id.as_deref(), &refusal),
            Ok(request) => self.take(now, token, request),
        }
    }

    /// A request that could not even be written as text.
    pub fn handle_unreadable(&mut self, token: u32, id: Option<&str>, is_too_large: bool, problem: &str) {
        let code = if is_too_large {
            Code::RequestTooLarge
        } else {
            Code::InvalidRequest
        };
        let mut message = String::from("a request ");
        message.push_str(problem);
        self.asked.push((token, Exchange::of(id)));
        self.refuse(token, id, &Refusal { code, message });
    }

    fn take(&mut self, now: Millis, token: u32, request: Request) {
        if let Err(refusal) = self.admit(now, &request) {
            return self.refuse(token, Some(&request.id), &refusal);
        }
        let known = match self.memory.recall(&request.id, &request.content) {
            Recall::Answer(answer) => {
                let answer = answer.clone();
                return self.respond(token, true, answer);
            }
            Recall::New => None,
            Recall::Forgotten => Some("the answer to this request is no longer kept: use a new id"),
            Recall::Other => Some("the id belongs to another request: use a new one"),
        };
        let other = match (known, self.pendings.named(&request.id)) {
            (Some(message), _) => Some(message),
            (None, Some(pending)) if pending.content == request.content => {
                return pending.tokens.push(token);
            }
            (None, Some(_)) => Some("the id belongs to another request: use a new one"),
            (None, None) => None,
        };
        match other {
            Some(message) => self.refuse(
                token,
                Some(&request.id),
                &Refusal::new(Code::ReplayedRequest, message),
            ),
            None => self.begin(token, request),
        }
    }

    /// Session, exposure, scope, rate.
    fn admit(&mut self, now: Millis, request: &Request) -> Result<(), Refusal> {
        self.check_time(now);
        if let Some(refusal) = ended(self.standing) {
            return Err(refusal);
        }
        if let Method::Invoke { capability, .. } = &request.method {
            if self.place(capability).is_none() {
                let message = "nothing of this name is published: `describe` lists what is";
                return Err(Refusal::new(Code::CapabilityNotExposed, message));
            }
            if !self.config.session.scope.contains(capability) {
                let message = "this session's scope does not have it: `describe` lists what it has";
                return Err(Refusal::new(Code::ScopeDenied, message));
            }
        }
        if self.pendings.in_flight() >= self.config.max_in_flight {
            let message = "too many requests are under way: wait for an answer";
            return Err(Refusal::new(Code::RateLimited, message));
        }
        let taken = self.config.rate.as_mut().map_or(Ok(()), |rate| rate.take(now));
        taken.map_err(|rest| {
            let mut message = String::from("too many requests: try again in ");
            write_u64(&mut message, rest);
            message.push_str(" ms");
            Refusal {
                code: Code::RateLimited,
                message,
            }
        })
    }

    fn place(&self, published: &str) -> Option<usize> {
        self.config
            .exposures
            .iter()
            .position(|exposure| exposure.id == published)
    }

    fn begin(&mut self, token: u32, request: Request) {
        let number = self.pendings.next_number();
        let (stage, target) = match request.method {
            Method::Describe { limit } => {
                let limit = limit.unwrap_or(u32::MAX).min(self.config.record_limit);
                (Stage::Describing { limit }, (0, String::new()))
            }
            Method::Invoke { capability, input } => {
                let place = self.place(&capability).unwrap_or_default();
                (Stage::Executing, (place, input.unwrap_or_default()))
            }
        };
        let pending = Pending {
            number,
            id: request.id,
            content: request.content,
            tokens: alloc::vec![token],
            stage,
            target,
        };
        let output = match pending.stage {
            Stage::Describing { limit } => Output::Describe { call: number, limit },
            _ => invoke(&pending, None),
        };
        self.pendings.push(pending);
        self.outputs.push_back(output);
    }

    /// What a description is made from: the snapshot's text, or nothing where it is the same as last time; the records
    /// that were asked for, as a JSON array, and how many there are. Without records the page failed to give them.
    pub fn handle_described(&mut self, call: u32, snapshot: Option<&str>, records: Option<&str>, total: u32) {
        let Some(pending) = self.pendings.numbered(call) else {
            return;
        };
        let Stage::Describing { limit } = pending.stage else {
            return;
        };
        if let Some(snapshot) = snapshot {
            self.catalog = self.catalog_of(snapshot);
        }
        let records = records.and_then(|text| Document::parse(text, TRUSTED).ok());
        let (Some(catalog), Some(records)) = (&self.catalog, records) else {
            return self.fail(
                call,
                "EXECUTION_FAILED",
                "The page could not describe itself.",
                "no",
                None,
            );
        };
        let result = catalog::describe(&self.config.app, catalog, &records, limit, total);
        self.finish(call, &result, None);
    }

    /// Whether what would be described differs from the last time this was asked. The first time it does not.
    pub fn handle_look(&mut self, snapshot: &str) -> bool {
        let capabilities = self.catalog_of(snapshot).map(|catalog| catalog.capabilities);
        let is_new = self.announced.is_some() && self.announced != capabilities;
        self.announced = capabilities;
        is_new
    }

    fn catalog_of(&self, snapshot: &str) -> Option<Catalog> {
        let document = Document::parse(snapshot, TRUSTED).ok()?;
        let scope = &self.config.session.scope;
        Some(catalog::build(&document, &self.config.exposures, scope))
    }

    /// What an execution came to: the registry's result, or `{ output? }` or `{ error }`, as JSON.
    pub fn handle_result(&mut self, call: u32, text: &str) {
        let document = Document::parse(text, TRUSTED).ok();
        let root = document.as_ref().map(Document::root);
        let is_said = |error: &Value<'_>| error.kind() != Kind::Null;
        let error = root.and_then(|root| root.get("error")).filter(is_said);
        let details = error.and_then(|error| error.get("details"));
        let detail = |key| {
            details
                .and_then(|details| details.get(key))
                .and_then(Value::as_str)
        };
        let code = error.and_then(|error| error.get("code"));
        let is = |word| code.is_some_and(|code| code.is_str(word));
        let question = detail("confirmationId").filter(|_| is("CONFIRMATION_REQUIRED"));
        let question = question.map(alloc::borrow::Cow::into_owned);
        let Some(pending) = self.pendings.numbered(call) else {
            if let Some(confirmation) = question {
                let reason = SESSION_ENDED;
                self.outputs.push_back(Output::Withdraw { confirmation, reason });
            }
            return;
        };
        if pending.stage != Stage::Executing {
            return;
        }
        if let Some(confirmation) = question {
            if pending.tokens.is_empty() {
                return self.drop_question(call, confirmation);
            }
            pending.stage = Stage::Waiting(confirmation.clone());
            return self.outputs.push_back(Output::Wait { call, confirmation });
        }
        let Some(error) = error else {
            let output = root.and_then(|root| root.get("output")).map(Value::raw);
            let is_object = root.is_some_and(|root| root.kind() == Kind::Object);
            let result = match output {
                Some(output) => write::Object::new().raw("output", output).end(),
                None if is_object => String::from("{}"),
                None => {
                    let message = "The page's result is no object with `output` or `error`.";
                    return self.fail(call, "EXECUTION_FAILED", message, "no", None);
                }
            };
            return self.finish(call, &result, None);
        };
        if is("CONFIRMATION_INVALID") && detail("reason").as_deref() == Some("denied") {
            let (message, raw) = ("The person at the page refused.", details.map(Value::raw));
            return self.fail(call, "PERMISSION_DENIED", message, "no", raw);
        }
        let result = write::Object::new().raw("error", error.raw()).end();
        let code = code.and_then(Value::as_str);
        self.finish(call, &result, code.as_deref());
    }

    /// A person decided, or nobody will. What was decided the registry knows.
    pub fn handle_decided(&mut self, now: Millis, call: u32, outcome: Outcome) {
        self.check_time(now);
        let Some(pending) = self.pendings.numbered(call) else {
            return;
        };
        let Stage::Waiting(confirmation) = core::mem::replace(&mut pending.stage, Stage::Executing) else {
            return;
        };
        if outcome == Outcome::Expired {
            let message = "Nobody answered the request for approval in time. Call again to ask anew.";
            let details = Some(r#"{"reason":"expired"}"#);
            return self.fail(
                call,
                "CONFIRMATION_INVALID",
                message,
                "with-confirmation",
                details,
            );
        }
        let output = invoke(pending, Some(confirmation));
        self.outputs.push_back(output);
    }

    /// Whoever waited under `token` is gone. Before a decision nothing runs any more; what runs is told to stop.
    pub fn handle_left(&mut self, token: u32) {
        let Some(pending) = self.pendings.of_token(token) else {
            return;
        };
        pending.tokens.retain(|other| *other != token);
        let (number, is_last, id) = (pending.number, pending.tokens.is_empty(), pending.id.clone());
        let stage = pending.stage.clone();
        self.respond(token, true, Answer::of(&id, &cancelled(), Some(CANCELLED)));
        match stage {
            Stage::Waiting(confirmation) if is_last => self.drop_question(number, confirmation),
            Stage::Executing if is_last => self.stop(number),
            _ => {}
        }
    }

    /// Nobody waits for an execution any more. One that was not handed out yet never begins.
    fn stop(&mut self, call: u32) {
        let is_it = |output: &Output| matches!(output, Output::Invoke { call: other, .. } if *other == call);
        if let Some(at) = self.outputs.iter().position(is_it) {
            self.outputs.remove(at);
            return self.finish(call, &cancelled(), Some(CANCELLED));
        }
        self.outputs.push_back(Output::Abort { call });
    }

    /// Nobody waits for the decision any more.
    fn drop_question(&mut self, call: u32, confirmation: String) {
        let reason = "the agent no longer waits";
        self.outputs.push_back(Output::Withdraw { confirmation, reason });
        self.finish(call, &cancelled(), Some(CANCELLED));
    }

    /// The session was ended: nothing of it goes on.
    pub fn handle_revoked(&mut self) {
        self.end(Standing::Revoked);
    }

    /// The timer of [`Kernel::poll_timeout`] fired. It is believed, whatever a clock says.
    pub fn handle_timeout(&mut self) {
        self.end(Standing::Expired);
    }

    fn check_time(&mut self, now: Millis) {
        if is_over(now, self.config.session.expires_at) {
            self.end(Standing::Expired);
        }
    }

    fn end(&mut self, standing: Standing) {
        if self.standing != Standing::Live {
            return;
        }
        self.standing = standing;
        let Some(refusal) = ended(standing) else { return };
        // What was not handed out yet is not begun any more.
        self.outputs.retain(|output| {
            matches!(
                output,
                Output::Respond { .. } | Output::Abort { .. } | Output::Withdraw { .. }
            )
        });
        for pending in self.pendings.take_all() {
            match pending.stage {
                Stage::Describing { .. } => {}
                Stage::Executing => self.outputs.push_back(Output::Abort { call: pending.number }),
                Stage::Waiting(confirmation) => {
                    let reason = SESSION_ENDED;
                    self.outputs.push_back(Output::Withdraw { confirmation, reason });
                }
            }
            for token in pending.tokens {
                self.refuse(token, Some(&pending.id), &refusal);
            }
        }
        self.memory = Memory::default();
        self.catalog = None;
    }

    fn refuse(&mut self, token: u32, id: Option<&str>, refusal: &Refusal) {
        let text = write::refused(id, refusal);
        let code = Some(refusal.code.as_str().to_owned());
        self.respond(token, false, Answer { text, code });
    }

    fn respond(&mut self, token: u32, is_ok: bool, answer: Answer) {
        let place = self.asked.iter().position(|(other, _)| *other == token);
        let asked = place.map(|place| self.asked.swap_remove(place).1);
        let exchange = Exchange {
            is_ok,
            code: answer.code,
            ..asked.unwrap_or_default()
        };
        let text = answer.text;
        self.outputs.push_back(Output::Respond {
            token,
            text,
            exchange,
        });
    }

    fn fail(&mut self, call: u32, code: &str, message: &str, retry: &str, details: Option<&str>) {
        let result = write::failed(code, message, retry, details);
        self.finish(call, &result, Some(code));
    }

    /// `code`: of the error that the result is.
    fn finish(&mut self, call: u32, result: &str, code: Option<&str>) {
        let Some(pending) = self.pendings.take(call) else {
            return;
        };
        let answer = Answer::of(&pending.id, result, code);
        for token in pending.tokens {
            self.respond(token, true, answer.clone());
        }
        self.memory.remember(&pending.id, pending.content, answer);
    }
}

const CANCELLED: &str = "CANCELLED";

fn cancelled() -> String {
    write::failed(CANCELLED, "The call was cancelled.", "yes", None)
}

fn ended(standing: Standing) -> Option<Refusal> {
    match standing {
        Standing::Live => None,
        Standing::Expired => Some(Refusal::new(
            Code::SessionExpired,
            "the session's time is over: connect again",
        )),
        Standing::Revoked => Some(Refusal::new(
            Code::SessionRevoked,
            "the session was ended by the page",
        )),
    }
}

fn invoke(pending: &Pending, confirmation: Option<String>) -> Output {
    let (exposure, input) = pending.target.clone();
    Output::Invoke {
        call: pending.number,
        exposure,
        id: pending.id.clone(),
        input,
        confirmation,
    }
}
