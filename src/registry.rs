//! The exported registry: components, invocations, snapshots.
//!
//! Each export is synchronous, takes `&self`, mutates the core and drains. Decides nothing. Called by the facade
//! with numbers and texts; every text was checked with `isWellFormed()` on its way.

use std::cell::{Cell, RefCell};

use agent_surface_core::definition::parse_policies;
use agent_surface_core::limits::Limits;
use agent_surface_core::message::{CallId, Input, Target};
use agent_surface_core::time::Millis;
use agent_surface_core::{
    Admitted, Answer, Config, Consumer, Core, OnDuplicate, Question, Registered, Request, Sent,
};
use agent_surface_json::{Bounds, Document, write_string, write_u64};
use wasm_bindgen::prelude::*;

use crate::convert::{Host, definition_error, misuse};
use crate::drain;

/// Bytes asked of `getrandom` at a time: it costs microseconds, whatever the number.
const ENTROPY: usize = 2048;

/// Bounds of the facade's own texts (configuration, scopes, availability).
const OWN_BOUNDS: Bounds = Bounds {
    max_bytes: 262_144,
    max_depth: 64,
    lone_surrogates: false,
};

/// One registry of the page. Its objects in JavaScript are plain; this handle is the facade's alone.
#[wasm_bindgen]
pub struct Registry {
    pub(crate) core: RefCell<Core>,
    pub(crate) host: Host,
    pub(crate) draining: Cell<bool>,
    /// The text that belongs to the answer a host function is about to give.
    text: RefCell<String>,
    max_input_bytes: usize,
    max_depth: usize,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Registry")
    }
}

fn random(bytes: &mut [u8]) -> Result<(), JsValue> {
    getrandom::fill(bytes).map_err(|error| misuse(&["no cryptographic randomness: ", &code(error)].concat()))
}

fn code(error: getrandom::Error) -> String {
    let mut out = String::new();
    write_u64(
        &mut out,
        u64::from(error.raw_os_error().unwrap_or(0).unsigned_abs()),
    );
    out
}

pub(crate) fn parse(text: String) -> Result<Document, JsValue> {
    Document::parse(text, OWN_BOUNDS).map_err(|error| misuse(&error.message()))
}

#[wasm_bindgen]
impl Registry {
    /// From `{ limits, policies, onDuplicate, requireApprover, hasRoute }` as JSON text. Throws the JSON text of a
    /// definition error.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host, config: String) -> Result<Registry, JsValue> {
        let document = parse(config)?;
        let root = document.root();
        let limits = match root.get("limits") {
            None => Limits::default(),
            Some(value) => Limits::from_json(&parse(value.raw().to_owned())?)
                .map_err(|error| definition_error(&error))?,
        };
        let policies = match root.get("policies") {
            None => Vec::new(),
            Some(list) => parse_policies(list, "the registry").map_err(|error| definition_error(&error))?,
        };
        let flag = |name: &str| root.get(name).and_then(|value| value.as_bool()).unwrap_or(false);
        let replace = root
            .get("onDuplicate")
            .is_some_and(|value| value.is_str("replace"));
        let (max_input_bytes, max_depth) = (limits.max_input_bytes as usize, limits.max_value_depth as usize);
        let config = Config {
            limits,
            policies,
            on_duplicate: if replace {
                OnDuplicate::Replace
            } else {
                OnDuplicate::Reject
            },
            require_approver: flag("requireApprover"),
            has_route: flag("hasRoute"),
        };
        let mut bytes = [0; ENTROPY];
        random(&mut bytes)?;
        let core = Core::new(config, &bytes).ok_or_else(|| misuse("not enough randomness"))?;
        Ok(Self {
            core: RefCell::new(core),
            host,
            draining: Cell::new(false),
            text: RefCell::new(String::new()),
            max_input_bytes,
            max_depth,
        })
    }

    /// Gives the text of the answer that a host function is about to return.
    pub fn text(&self, text: String) {
        *self.text.borrow_mut() = text;
    }

    /// Whether no drain runs: only then may the handle be freed.
    #[wasm_bindgen(js_name = isIdle)]
    pub fn is_idle(&self) -> bool {
        !self.draining.get()
    }

    /// `srf_…`
    #[wasm_bindgen(js_name = surfaceId)]
    pub fn surface_id(&self) -> String {
        self.core.borrow().surface_id().to_owned()
    }

    /// The surface's version.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a version past 2^53 would take centuries of changes"
    )]
    pub fn version(&self) -> f64 {
        self.core.borrow().version() as f64
    }

    /// Who listens, and how many could approve.
    #[wasm_bindgen(js_name = setAudience)]
    pub fn set_audience(&self, listeners: bool, audit: bool, approvers: u32) {
        self.core.borrow_mut().set_audience(listeners, audit, approvers);
    }

    /// Whether there is a procedure executor; `paths` is a JSON array of those it knows.
    #[wasm_bindgen(js_name = setExecutor)]
    pub fn set_executor(&self, present: bool, paths: Option<String>) -> Result<(), JsValue> {
        let paths = paths.map(texts).transpose()?;
        self.core.borrow_mut().set_executor(present.then_some(paths));
        Ok(())
    }

    /// The spec of a capability text. Throws the JSON text of a definition error.
    pub fn spec(&self, component_type: &str, text: &str) -> Result<u32, JsValue> {
        self.core
            .borrow_mut()
            .spec(component_type, text)
            .map_err(|error| definition_error(&error))
    }

    /// Drops specs that no registration uses.
    #[wasm_bindgen(js_name = releaseSpecs)]
    pub fn release_specs(&self, specs: &[u32]) {
        self.core.borrow_mut().release_specs(specs);
        self.drain();
    }

    /// Validates a component. Throws the JSON text of a definition error.
    pub fn prepare(&self, header: &str, specs: &[u32]) -> Result<u32, JsValue> {
        self.refill()?;
        self.core
            .borrow_mut()
            .prepare(header, specs)
            .map_err(|error| definition_error(&error))
    }

    /// The slot of the registration; -1 for a duplicate, -2 when the guard refused. Does not drain: the facade
    /// first keeps the closures under the slot and then calls `settleEvents`.
    pub fn commit(&self, prepared: u32, accept: bool) -> i32 {
        let now = self.now();
        match self.core.borrow_mut().commit(now, prepared, accept) {
            Registered::Live(slot) => i32::try_from(slot).unwrap_or(i32::MAX),
            Registered::Duplicate => -1,
            Registered::Guarded => -2,
        }
    }

    /// Drains what `commit` left.
    #[wasm_bindgen(js_name = settleEvents)]
    pub fn settle_events(&self) {
        self.drain();
    }

    /// `reg_…`
    #[wasm_bindgen(js_name = registrationId)]
    pub fn registration_id(&self, slot: u32) -> String {
        self.core
            .borrow()
            .registration_id(slot)
            .unwrap_or_default()
            .to_owned()
    }

    /// The component's descriptor without its capabilities, as JSON text.
    #[wasm_bindgen(js_name = registrationHead)]
    pub fn registration_head(&self, slot: u32) -> String {
        self.core
            .borrow()
            .registration_head(slot)
            .unwrap_or_else(|| String::from("{}"))
    }

    /// The generation of a registration's slot.
    #[wasm_bindgen(js_name = registrationGeneration)]
    pub fn registration_generation(&self, slot: u32) -> u32 {
        self.core.borrow().registration_generation(slot)
    }

    /// A capability's descriptor without its state, as JSON text.
    #[wasm_bindgen(js_name = specDescriptor)]
    pub fn spec_descriptor(&self, spec: u32) -> String {
        self.core
            .borrow()
            .spec_descriptor(spec)
            .unwrap_or_else(|| String::from("{}"))
    }

    /// `enabled`: 0, 1, or -1 for no change; `availability` as JSON text. Whether the registration still lives.
    pub fn update(
        &self,
        slot: u32,
        generation: u32,
        enabled: i32,
        availability: Option<String>,
    ) -> Result<bool, JsValue> {
        let availability = availability.map(parse).transpose()?;
        let enabled = (enabled >= 0).then_some(enabled == 1);
        let now = self.now();
        let updated = self
            .core
            .borrow_mut()
            .update(now, slot, generation, enabled, availability.as_ref());
        self.drain();
        updated.map_err(|error| definition_error(&error))
    }

    /// Whether the registration still lives; its surface counts as changed.
    pub fn invalidate(&self, slot: u32, generation: u32) -> bool {
        let now = self.now();
        let live = self.core.borrow_mut().invalidate(now, slot, generation);
        self.drain();
        live
    }

    /// Whether the registration lived until now.
    pub fn unregister(&self, slot: u32, generation: u32) -> bool {
        let now = self.now();
        let live = self.core.borrow_mut().unregister(now, slot, generation);
        self.drain();
        live
    }

    /// Whether the registration lives.
    #[wasm_bindgen(js_name = isLive)]
    pub fn is_live(&self, slot: u32, generation: u32) -> bool {
        self.core.borrow().is_live(slot, generation)
    }

    /// Takes a call in. The slot of the call, or -1 - slot when it joins one. `kind`: 0 no input, 1 JSON text, 2
    /// not JSON (`text` is the list of issues). Does not drain: the facade keeps its entry first, then `go`.
    #[expect(
        clippy::too_many_arguments,
        reason = "arguments cross separately, never framed by a separator"
    )]
    pub fn invoke(
        &self,
        toolset: i32,
        capability_id: &str,
        instance_id: Option<String>,
        registration_id: Option<String>,
        surface_version: Option<String>,
        invocation_id: Option<String>,
        confirmation_id: Option<String>,
        consumer_kind: &str,
        consumer_id: &str,
        kind: u32,
        text: Option<String>,
        timeout_ms: i32,
        aborted: bool,
    ) -> Result<i32, JsValue> {
        self.refill()?;
        let request = Request {
            capability_id,
            instance_id: instance_id.as_deref(),
            registration_id: registration_id.as_deref(),
            surface_version: surface_version.as_deref(),
            invocation_id: invocation_id.as_deref(),
            confirmation_id: confirmation_id.as_deref(),
            consumer: Consumer::new(consumer_kind, consumer_id),
            input: self.sent(kind, text),
            timeout_ms: u32::try_from(timeout_ms).ok(),
            aborted,
        };
        let now = self.now();
        let mut core = self.core.borrow_mut();
        let admitted = match u32::try_from(toolset) {
            Ok(toolset) => core.execute(now, toolset, request),
            Err(_) => core.invoke(now, request),
        };
        Ok(slot_of(admitted))
    }

    /// Drains what `invoke` left.
    pub fn go(&self) {
        self.drain();
    }

    /// The generation of a call's slot.
    #[wasm_bindgen(js_name = callGeneration)]
    pub fn call_generation(&self, slot: u32) -> u32 {
        self.core.borrow().call_generation(slot)
    }

    /// What generated invocation ids begin with.
    #[wasm_bindgen(js_name = invocationPrefix)]
    pub fn invocation_prefix(&self) -> String {
        self.core.borrow().invocation_prefix().to_owned()
    }

    /// How many calls came in: the end of the id that was generated last.
    #[expect(clippy::cast_precision_loss, reason = "2^53 calls would take centuries")]
    pub fn invoked(&self) -> f64 {
        self.core.borrow().invoked() as f64
    }

    /// The capability that a call resolved to.
    #[wasm_bindgen(js_name = callCapability)]
    pub fn call_capability(&self, slot: u32) -> String {
        self.core
            .borrow()
            .call_capability(slot)
            .unwrap_or_default()
            .to_owned()
    }

    /// The caller gave up.
    pub fn abort(&self, slot: u32, generation: u32) {
        self.input(Input::Abort(CallId { slot, generation }));
        self.drain();
    }

    /// The microtask that `schedule` asked for.
    pub fn tick(&self) -> Result<(), JsValue> {
        self.refill()?;
        self.input(Input::Tick);
        self.drain();
        Ok(())
    }

    /// A timer fired.
    pub fn deadline(&self, timer: u32, generation: u32) {
        self.input(Input::DeadlineReached { timer, generation });
        self.drain();
    }

    /// A policy called `next`.
    #[wasm_bindgen(js_name = policyNext)]
    pub fn policy_next(&self, slot: u32, generation: u32, frame: u32) {
        self.input(Input::PolicyNext(CallId { slot, generation }, frame));
        self.drain();
    }

    /// A policy that is no guard wants a person to approve.
    pub fn escalate(&self, slot: u32, generation: u32, summary: Option<String>) {
        self.input(Input::Escalate(CallId { slot, generation }, summary));
        self.drain();
    }

    /// A policy ended: 0 normally, 1 threw a payload, 2 threw something unknown.
    #[wasm_bindgen(js_name = policyDone)]
    pub fn policy_done(&self, slot: u32, generation: u32, frame: u32, ended: u32, text: &str) {
        let threw = match ended {
            0 => None,
            1 => Some(self.author_failure(text)),
            _ => Some(agent_surface_core::error::Failure::execution_failed(None)),
        };
        self.input(Input::PolicyDone(CallId { slot, generation }, frame, threw));
        self.drain();
    }

    /// An asynchronous check ended: 1 with a value, 2 with issues.
    pub fn checked(&self, slot: u32, generation: u32, answer: u32, text: String) {
        self.input(Input::Checked(
            CallId { slot, generation },
            drain::checked(answer, text),
        ));
        self.drain();
    }

    /// An asynchronous precondition ended, as in `Host.precondition`.
    #[wasm_bindgen(js_name = preconditionDone)]
    pub fn precondition_done(&self, slot: u32, generation: u32, answer: u32, text: &str) {
        let refusal = self.refusal(answer, text);
        self.input(Input::PreconditionDone(CallId { slot, generation }, refusal));
        self.drain();
    }

    /// An asynchronous handler ended, as in `Host.handler`.
    #[wasm_bindgen(js_name = handlerDone)]
    pub fn handler_done(&self, slot: u32, generation: u32, answer: u32, text: String) {
        let returned = self.returned(answer, text);
        self.input(Input::HandlerDone(CallId { slot, generation }, returned));
        self.drain();
    }

    /// A view for a consumer; `scope` is a JSON array of prefixes.
    #[wasm_bindgen(js_name = openView)]
    pub fn open_view(
        &self,
        kind: &str,
        id: &str,
        scope: Option<String>,
        include_unavailable: bool,
    ) -> Result<u32, JsValue> {
        let scope = scope.map(texts).transpose()?.unwrap_or_default();
        Ok(self
            .core
            .borrow_mut()
            .open_view(Consumer::new(kind, id), scope, include_unavailable))
    }

    /// Drops a view.
    #[wasm_bindgen(js_name = closeView)]
    pub fn close_view(&self, view: u32) {
        self.core.borrow_mut().close_view(view);
    }

    /// Looks through a view, asking whatever has to be asked. The stamp of its content; -1 while a look through it
    /// is under way.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a stamp past 2^53 would take centuries of changes"
    )]
    pub fn look(&self, view: u32) -> f64 {
        let now = self.now();
        if !self.core.borrow_mut().look(now, view) {
            return -1.0;
        }
        loop {
            let question = self.core.borrow_mut().next_question(view);
            let Some(question) = question else { break };
            let answer = self.ask(question);
            self.core.borrow_mut().answer(view, answer);
        }
        self.core.borrow().view_stamp(view) as f64
    }

    /// `[version, capturedAt, route | null]` as JSON text.
    #[wasm_bindgen(js_name = viewHead)]
    pub fn view_head(&self, view: u32) -> String {
        let core = self.core.borrow();
        let Some((version, captured, route)) = core.view_head(view) else {
            return String::from("[0,\"\",null]");
        };
        let mut out = String::from("[\"");
        write_u64(&mut out, version);
        out.push_str("\",");
        write_string(&mut out, &captured);
        out.push(',');
        match route {
            Some(route) => write_string(&mut out, route),
            None => out.push_str("null"),
        }
        out.push(']');
        out
    }

    /// Three numbers for each registration in the view: slot, stamp, listed as a component.
    #[wasm_bindgen(js_name = viewRows)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "stamps are compared for equality with recent ones only"
    )]
    pub fn view_rows(&self, view: u32) -> Vec<u32> {
        let core = self.core.borrow();
        let rows = core.view_rows(view);
        let mut out = Vec::with_capacity(rows.len() * 3);
        for &(slot, stamp, listed) in rows {
            out.extend([slot, stamp as u32, u32::from(listed)]);
        }
        out
    }

    /// What the view shows of one registration, as JSON text.
    #[wasm_bindgen(js_name = viewCell)]
    pub fn view_cell(&self, view: u32, slot: u32) -> String {
        self.core.borrow().view_cell(view, slot)
    }

    /// Settles and empties everything. Safe to repeat.
    pub fn dispose(&self) {
        let now = self.now();
        self.core.borrow_mut().dispose(now);
        self.drain();
    }
}

impl Registry {
    pub(crate) fn now(&self) -> Millis {
        Millis(self.host.now())
    }

    /// One input, without a drain.
    pub(crate) fn input(&self, input: Input) {
        let now = self.now();
        self.core.borrow_mut().handle(now, input);
    }

    pub(crate) fn take_text(&self) -> String {
        std::mem::take(&mut *self.text.borrow_mut())
    }

    pub(crate) fn text_if(&self, given: bool) -> Option<String> {
        given.then(|| self.take_text())
    }

    pub(crate) fn refill(&self) -> Result<(), JsValue> {
        if self.core.borrow().needs_entropy() {
            let mut bytes = [0; ENTROPY];
            random(&mut bytes)?;
            self.core.borrow_mut().add_entropy(&bytes);
        }
        Ok(())
    }

    pub(crate) fn sent(&self, kind: u32, text: Option<String>) -> Sent {
        match (kind, text) {
            (1, Some(text)) => {
                let bounds = Bounds {
                    max_bytes: self.max_input_bytes,
                    max_depth: self.max_depth,
                    lone_surrogates: false,
                };
                match Document::parse(text, bounds) {
                    Ok(document) => Sent::Json(std::rc::Rc::new(document)),
                    Err(error) => {
                        let mut issues = String::from("[{\"path\":\"\",\"pointer\":\"\",\"message\":");
                        write_string(&mut issues, &error.message());
                        issues.push_str("}]");
                        Sent::Bad(issues)
                    }
                }
            }
            (2, Some(issues)) => Sent::Bad(issues),
            _ => Sent::Absent,
        }
    }

    fn ask(&self, question: Question) -> Answer {
        match question {
            Question::Discovery(
                Target {
                    registration,
                    capability,
                },
                policy,
            ) => {
                let answer = self
                    .host
                    .discovery(-1, registration, capability, policy)
                    .unwrap_or(1);
                Answer::Vote(self.vote(answer))
            }
            Question::When(Target {
                registration,
                capability,
            }) => Answer::When(drain::when(self.host.when(registration, capability).unwrap_or(2))),
            Question::Reason(Target {
                registration,
                capability,
            }) => {
                let given = self.host.reason(registration, capability).unwrap_or(0);
                Answer::Text(self.text_if(given != 0))
            }
            Question::Note(Target {
                registration,
                capability,
            }) => {
                let given = self.host.note(registration, capability).unwrap_or(0);
                Answer::Text(self.text_if(given != 0))
            }
            Question::Route => {
                let given = self.host.route().unwrap_or(0);
                Answer::Text(self.text_if(given != 0))
            }
        }
    }
}

/// -1 - slot for a join.
pub(crate) fn slot_of(admitted: Admitted) -> i32 {
    match admitted {
        Admitted::Fresh(call) => i32::try_from(call.slot).unwrap_or(i32::MAX),
        Admitted::Join(call) => -1 - i32::try_from(call.slot).unwrap_or(i32::MAX - 1),
    }
}

/// The strings of a JSON array.
pub(crate) fn texts(text: String) -> Result<Vec<String>, JsValue> {
    let document = parse(text)?;
    let texts = document
        .root()
        .items()
        .filter_map(|item| item.as_str().map(std::borrow::Cow::into_owned))
        .collect();
    Ok(texts)
}
