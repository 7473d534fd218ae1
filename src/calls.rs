//! The exported part of a registry that concerns calls: taking them in, and what comes back from page code.
//!
//! Same rules as in `registry`. Called by the facade's `invoke`, its toolsets and its host.

#![expect(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses as an owned one: wasm-bindgen has no `Option<&str>` argument"
)]

use alloc::rc::Rc;
use alloc::string::String;

use agent_surface_core::error::Failure;
use agent_surface_core::message::{CallId, Input};
use agent_surface_core::{Consumer, Request, Route};
use wasm_bindgen::prelude::*;

use crate::codes;
use crate::drain;
use crate::registry::{Registry, slot_of};

#[wasm_bindgen]
impl Registry {
    /// What calls of this capability by this consumer name by a number of the facade's choice, until it gives the number
    /// to another pair.
    pub fn route(&self, number: u32, capability_id: &str, kind: &str, id: &str) {
        let route = Route::new(capability_id, Consumer::new(kind, id));
        let mut routes = self.routes.take();
        let at = number as usize;
        if at >= routes.len() {
            routes.resize(at + 1, Rc::clone(&route));
        }
        if let Some(place) = routes.get_mut(at) {
            *place = route;
        }
        self.routes.set(routes);
    }

    /// Takes a call in. The slot of the call, or -1 - slot when it joins one. `kind`: 0 no input, 1 JSON text, 2
    /// not JSON (`text` is the list of issues), 3 `{}`, 4 JSON text of a string whose own content as JSON text `text` was
    /// given, 5 no request at all (a list of issues); 8 more for a caller that may only read. Does not drain: the facade
    /// keeps its entry first, then `go`.
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
        let routes = self.routes.take();
        let known = routes.get(route as usize).cloned();
        self.routes.set(routes);
        let route = known.unwrap_or_else(|| Route::new("", Consumer::new("", "")));
        let request = Request {
            route,
            instance_id: instance_id.as_deref(),
            registration_id: registration_id.as_deref(),
            surface_version: surface_version.as_deref(),
            invocation_id: invocation_id.as_deref(),
            confirmation_id: confirmation_id.as_deref(),
            input: self.sent(kind & 7, text),
            timeout_ms: u32::try_from(timeout_ms).ok(),
            aborted,
            reads_only: kind & 8 != 0,
        };
        let now = self.now();
        let mut core = self.core_mut();
        let admitted = match u32::try_from(toolset) {
            Ok(toolset) => core.execute(now, toolset, request),
            Err(_) => core.invoke(now, request),
        };
        slot_of(admitted)
    }

    /// Drains what `invoke` or a commit left.
    pub fn go(&self) {
        self.drain();
    }

    /// How many calls came in: the end of the id that was generated last.
    #[expect(clippy::cast_precision_loss, reason = "2^53 calls would take centuries")]
    pub fn invoked(&self) -> f64 {
        self.core().invoked() as f64
    }

    /// What reaches the core on its own, as `codes` names it. Of a timer, its number and generation; `number` is the frame of
    /// a policy, or how a check, a precondition or a handler ended, as when they end at once.
    pub fn answer(&self, what: u32, slot: u32, generation: u32, number: u32, text: Option<String>) {
        self.refill();
        let call = CallId { slot, generation };
        self.enter(match what {
            codes::TICK => Input::Tick,
            codes::DEADLINE => Input::DeadlineReached {
                timer: slot,
                generation,
            },
            codes::ABORT => Input::Abort(call),
            codes::NEXT => Input::PolicyNext(call, number),
            codes::ESCALATE => Input::Escalate(call, text),
            codes::AUDIT_CALL => Input::Audit(call, number != 0),
            codes::CHECKED => Input::Checked(call, drain::checked(number, text.unwrap_or_default())),
            codes::PRECONDITION_DONE => {
                Input::PreconditionDone(call, self.refusal(number, &text.unwrap_or_default()))
            }
            codes::HANDLER_DONE => Input::HandlerDone(call, self.returned(number, text.unwrap_or_default())),
            codes::POLICY_DONE => Input::PolicyDone(call, number, None),
            codes::POLICY_REFUSED => {
                Input::PolicyDone(call, number, Some(self.author_failure(&text.unwrap_or_default())))
            }
            codes::POLICY_FAILED => Input::PolicyDone(call, number, Some(Failure::execution_failed(None))),
            _ => return,
        });
    }
}
