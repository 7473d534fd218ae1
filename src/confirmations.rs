//! The exported part of a registry that concerns confirmations. Only the page's own objects reach `resolve`.
//!
//! Same rules as in `registry`. Called by the facade's `registry.confirmations` and by the approval element.

#![expect(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses as an owned one: wasm-bindgen has no `Option<&str>` argument"
)]

use wasm_bindgen::prelude::*;

use crate::registry::Registry;

#[wasm_bindgen]
impl Registry {
    /// The person's decision. False when there is nothing to decide any more.
    #[wasm_bindgen(js_name = resolveConfirmation)]
    pub fn resolve_confirmation(&self, id: &str, approved: bool, note: Option<String>) -> bool {
        self.refill();
        let now = self.now();
        let resolved = self
            .core_mut()
            .resolve_confirmation(now, id, approved, note.as_deref());
        self.drain();
        resolved
    }

    /// `pending`, `approved`, `denied` or `expired`.
    #[wasm_bindgen(js_name = confirmationStatus)]
    pub fn confirmation_status(&self, id: &str) -> String {
        let now = self.now();
        let status = self.core_mut().confirmation_status(now, id);
        self.drain();
        status.to_owned()
    }

    /// What an approval element shows beside the record, as JSON text.
    #[wasm_bindgen(js_name = describeConfirmation)]
    pub fn describe_confirmation(&self, id: &str) -> Option<String> {
        self.core().describe_confirmation(id)
    }

    /// Something other than a person's own gesture tried to decide.
    #[wasm_bindgen(js_name = gestureRefused)]
    pub fn gesture_refused(&self, id: &str, how: &str) {
        let now = self.now();
        self.core_mut().gesture_refused(now, id, how);
        self.drain();
    }
}
