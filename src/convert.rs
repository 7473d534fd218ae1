//! The only Rust file that reads or makes JavaScript values.
//!
//! Declares what the facade offers (`Host`) and turns errors into values that the facade throws. Decides nothing.
//! Called by the exported classes and by the drain loop.

use agent_surface_core::error::{DefinitionError, ObjectWriter};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The facade's side of one registry. Its functions catch whatever page code throws; `catch` is for the rest,
    /// such as a stack that ran out inside the facade itself.
    pub type Host;

    #[wasm_bindgen(method)]
    pub fn now(this: &Host) -> f64;
    #[wasm_bindgen(method, catch)]
    pub fn discovery(this: &Host, call: i32, slot: u32, capability: u32, policy: u32)
    -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn when(this: &Host, slot: u32, capability: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn reason(this: &Host, slot: u32, capability: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn note(this: &Host, slot: u32, capability: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn route(this: &Host) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn key(this: &Host, call: u32, slot: u32, capability: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn guard(
        this: &Host,
        call: u32,
        invokes: bool,
        policy: u32,
        slot: u32,
        capability: u32,
    ) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch, js_name = runPolicy)]
    pub fn run_policy(
        this: &Host,
        call: u32,
        generation: u32,
        invokes: bool,
        frame: u32,
        policy: u32,
        slot: u32,
        capability: u32,
    ) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = resumeNext)]
    pub fn resume_next(this: &Host, call: u32, frame: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn interim(this: &Host, call: u32, failure: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn check(
        this: &Host,
        call: u32,
        generation: u32,
        slot: u32,
        capability: u32,
        text: Option<String>,
    ) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch, js_name = checkOutput)]
    pub fn check_output(
        this: &Host,
        call: u32,
        generation: u32,
        slot: u32,
        capability: u32,
    ) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn bind(this: &Host, call: u32, slot: u32, capability: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn effective(this: &Host, call: u32, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn precondition(
        this: &Host,
        call: u32,
        generation: u32,
        slot: u32,
        capability: u32,
    ) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn handler(
        this: &Host,
        call: u32,
        generation: u32,
        slot: u32,
        capability: u32,
    ) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch, js_name = handlerWithEvidence)]
    pub fn handler_with_evidence(
        this: &Host,
        call: u32,
        generation: u32,
        slot: u32,
        capability: u32,
        id: &str,
        at: &str,
    ) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn abort(this: &Host, call: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn arm(this: &Host, timer: u32, generation: u32, ms: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn disarm(this: &Host, timer: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn done(
        this: &Host,
        call: u32,
        version: f64,
        changed: bool,
        output: Option<String>,
    ) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn failed(this: &Host, call: u32, version: f64, changed: bool, failure: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn forget(this: &Host, call: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn event(this: &Host, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn audit(this: &Host, text: &str, call: i32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = confirmationResolved)]
    pub fn confirmation_resolved(this: &Host, id: &str, outcome: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn schedule(this: &Host) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn refresh(this: &Host, toolset: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn unmounted(this: &Host, slot: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = forgetRegistration)]
    pub fn forget_registration(this: &Host, slot: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = forgetSpec)]
    pub fn forget_spec(this: &Host, spec: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn expose(this: &Host, toolset: u32, slot: u32, capability: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn offer(this: &Host, toolset: u32, entry: u32, generation: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn withdraw(this: &Host, toolset: u32, entry: u32, generation: u32) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn warn(this: &Host, text: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn fault(this: &Host, cause: JsValue) -> Result<(), JsValue>;
}

/// What the facade turns into an `AgentSurfaceDefinitionError`: `{code, message, keyword?, pointer?}` as JSON.
pub fn definition_error(error: &DefinitionError) -> JsValue {
    JsValue::from_str(&error_json(error))
}

/// The same as text.
pub fn error_json(error: &DefinitionError) -> String {
    ObjectWriter::new()
        .text("code", error.code.as_str())
        .text("message", &error.text())
        .text_if("keyword", error.keyword.as_deref())
        .text_if("pointer", error.pointer.as_deref())
        .finish()
}

/// An error for a broken precondition of the facade itself.
pub fn misuse(text: &str) -> JsValue {
    JsError::new(text).into()
}

#[wasm_bindgen]
extern "C" {
    /// The facade's side of a search.
    pub type Finder;

    #[wasm_bindgen(method)]
    pub fn found(this: &Finder, entry: &str, value: JsValue);

    #[wasm_bindgen(js_namespace = Reflect, catch)]
    fn get(target: &JsValue, name: &str) -> Result<Option<JsValue>, JsValue>;
}

/// A property of an object; `None` when it is absent or null, when its getter throws, or when there is no object.
pub fn property(object: &JsValue, name: &str) -> Option<JsValue> {
    get(object, name).unwrap_or_default()
}
