//! The exported part of a registry that concerns confirmations. Only the page's own objects reach `resolve`.
//!
//! Same rules as in `registry`. Called by the facade's `registry.confirmations` and by the approval element.

#![expect(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses as an owned one: wasm-bindgen has no `Option<&str>` argument"
)]

use wasm_bindgen::prelude::*;

use crate::codes;
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

    /// About a confirmation: its status, `pending`, `approved`, `denied` or `expired`; or what an approval element shows
    /// beside the record, as JSON text. Or takes note that something other than a person's own gesture, `how`, tried to
    /// decide.
    pub fn confirmation(&self, what: u32, id: &str, how: Option<String>) -> Option<String> {
        let now = self.now();
        let answer = match what {
            codes::STATUS => Some(self.core_mut().confirmation_status(now, id).to_owned()),
            codes::DESCRIPTION => self.core().describe_confirmation(id),
            _ => {
                self.core_mut().gesture_refused(now, id, &how.unwrap_or_default());
                None
            }
        };
        self.drain();
        answer
    }
}
