//! The exported part of a registry that concerns calls: taking them in, and what comes back from page code.
//!
//! Same rules as in `registry`. Called by the facade's `invoke`, its toolsets and its host.

#![expect(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses as an owned one: wasm-bindgen has no `Option<&str>` argument"
)]

use std::rc::Rc;

use agent_surface_core::error::Failure;
use agent_surface_core::message::{CallId, Input};
use agent_surface_core::{Consumer, Request, Route};
use wasm_bindgen::prelude::*;

use crate::drain;
use crate::registry::{Registry, slot_of};

#[wasm_bindgen]
impl Registry {
    /// What calls of this capability by this consumer name by a number of the facade's choice, until it gives the number
    /// to another pair.
    pub fn route(&self, number: u32, capability_id: &str, kind: &str, id: &str) {
        let route = Route::new(capability_id, Consumer::new(kind, id));
        let mut routes = self.routes.borrow_mut();
        let at = number as usize;
        if at >= routes.len() {
            routes.resize(at + 1, Rc::clone(&route));
        }
        if let Some(place) = routes.get_mut(at) {
            *place = route;
        }
    }

    /// Takes a call in. The slot of the call, or -1 - slot when it joins one. `kind`: 0 no input, 1 JSON text, 2
    /// not JSON (`text` is the list of issues), 3 `{}`. Does not drain: the facade keeps its entry first, then `go`.
    #[expect(
        clippy::too_many_arguments,
        reason = "arguments cross separately, never framed by a separator"
    )]
    pub fn invoke(
        &self,
        route: u32,
        toolset: i32,
        kind: u32,
        text: Option<String>,
        timeout_ms: i32,
        aborted: bool,
        instance_id: Option<String>,
        registration_id: Option<String>,
        surface_version: Option<String>,
        invocation_id: Option<String>,
        confirmation_id: Option<String>,
    ) -> i32 {
        self.refill();
        let known = self.routes.borrow().get(route as usize).cloned();
        let route = known.unwrap_or_else(|| Route::new("", Consumer::new("", "")));
        let request = Request {
            route,
            instance_id: instance_id.as_deref(),
            registration_id: registration_id.as_deref(),
            surface_version: surface_version.as_deref(),
            invocation_id: invocation_id.as_deref(),
            confirmation_id: confirmation_id.as_deref(),
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
        slot_of(admitted)
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

    /// The random characters in the ids of calls and registrations.
    pub fn mark(&self) -> String {
        self.core.borrow().mark().to_owned()
    }

    /// How many calls came in: the end of the id that was generated last.
    #[expect(clippy::cast_precision_loss, reason = "2^53 calls would take centuries")]
    pub fn invoked(&self) -> f64 {
        self.core.borrow().invoked() as f64
    }

    /// The caller gave up.
    pub fn abort(&self, slot: u32, generation: u32) {
        self.enter(Input::Abort(CallId { slot, generation }));
    }

    /// The microtask that `schedule` asked for.
    pub fn tick(&self) {
        self.refill();
        self.enter(Input::Tick);
    }

    /// A timer fired.
    pub fn deadline(&self, timer: u32, generation: u32) {
        self.enter(Input::DeadlineReached { timer, generation });
    }

    /// A policy called `next`.
    #[wasm_bindgen(js_name = policyNext)]
    pub fn policy_next(&self, slot: u32, generation: u32, frame: u32) {
        self.enter(Input::PolicyNext(CallId { slot, generation }, frame));
    }

    /// A policy that is no guard wants a person to approve.
    pub fn escalate(&self, slot: u32, generation: u32, summary: Option<String>) {
        self.enter(Input::Escalate(CallId { slot, generation }, summary));
    }

    /// A policy ended: 0 normally, 1 threw a payload, 2 threw something unknown.
    #[wasm_bindgen(js_name = policyDone)]
    pub fn policy_done(&self, slot: u32, generation: u32, frame: u32, ended: u32, text: &str) {
        let threw = match ended {
            0 => None,
            1 => Some(self.author_failure(text)),
            _ => Some(Failure::execution_failed(None)),
        };
        self.enter(Input::PolicyDone(CallId { slot, generation }, frame, threw));
    }

    /// An asynchronous check ended: 1 with a value, 2 with issues.
    pub fn checked(&self, slot: u32, generation: u32, answer: u32, text: String) {
        self.enter(Input::Checked(
            CallId { slot, generation },
            drain::checked(answer, text),
        ));
    }

    /// An asynchronous precondition ended, as in `Host.precondition`.
    #[wasm_bindgen(js_name = preconditionDone)]
    pub fn precondition_done(&self, slot: u32, generation: u32, answer: u32, text: &str) {
        let refusal = self.refusal(answer, text);
        self.enter(Input::PreconditionDone(CallId { slot, generation }, refusal));
    }

    /// An asynchronous handler ended, as in `Host.handler`.
    #[wasm_bindgen(js_name = handlerDone)]
    pub fn handler_done(&self, slot: u32, generation: u32, answer: u32, text: String) {
        let returned = self.returned(answer, text);
        self.enter(Input::HandlerDone(CallId { slot, generation }, returned));
    }
}
