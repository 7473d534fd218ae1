//! The only Rust file that reads or makes JavaScript values.
//!
//! Declares what the facade offers (`Host`) and turns errors into values that the facade throws. Decides nothing.
//! Called by the exported classes and by the drain loop.

use agent_surface_core::error::{DefinitionError, ObjectWriter};
use alloc::string::String;
use wasm_bindgen::prelude::*;

/// What the facade does, and what it is asked: the number that crosses. `Host.act` knows them in this order.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Act {
    Handler,
    Done,
    Failed,
    Schedule,
    Forget,
    Arm,
    Disarm,
    When,
    Reason,
    Note,
    Route,
    Discovery,
    Key,
    Guard,
    RunPolicy,
    ResumeNext,
    Interim,
    Check,
    CheckOutput,
    Bind,
    Effective,
    Precondition,
    Abort,
    Event,
    Audit,
    Waits,
    ConfirmationResolved,
    Refresh,
    Unmounted,
    ForgetRegistration,
    ForgetSpec,
    Expose,
    Offer,
    Withdraw,
    ForgetComponent,
    Warn,
}

#[wasm_bindgen]
extern "C" {
    /// The facade's side of one registry. It catches whatever page code throws; `catch` is for the rest, such as a
    /// stack that ran out inside the facade itself.
    pub type Host;

    #[wasm_bindgen(method)]
    pub fn now(this: &Host) -> f64;
    /// A text that belongs to the next `act`.
    #[wasm_bindgen(method, catch)]
    pub fn say(this: &Host, text: &str) -> Result<(), JsValue>;
    /// One entry for all: each import costs bytes on both sides.
    #[wasm_bindgen(method, catch)]
    pub fn act(
        this: &Host,
        act: u32,
        call: u32,
        generation: u32,
        registration: u32,
        capability: u32,
        x: u32,
        y: u32,
    ) -> Result<u32, JsValue>;
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
