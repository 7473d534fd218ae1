//! The exported part of a registry that concerns confirmations. Only the page's own objects reach `resolve`.
//!
//! Same rules as in `registry`. Called by the facade's `registry.confirmations` and by the approval element.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use wasm_bindgen::prelude::*;

use crate::codes;
use crate::registry::Registry;

#[wasm_bindgen]
impl Registry {
    /// About a confirmation: its status, `pending`, `approved`, `denied` or `expired`; or what an approval element shows
    /// beside the record, as JSON text. Or the person's decision with a note, `text`: nothing when there was nothing to
    /// decide any more. Or takes note that something other than a person's own gesture, `text`, tried to decide.
    pub fn confirmation(&self, what: u32, id: &str, text: Option<String>) -> Option<String> {
        self.refill();
        let now = self.now();
        let answer = match what {
            codes::STATUS => Some(self.core_mut().confirmation_status(now, id).to_owned()),
            codes::DESCRIPTION => self.core().describe_confirmation(id),
            codes::GESTURE_REFUSED => {
                let how = text.unwrap_or_default();
                self.core_mut().gesture_refused(now, id, &how);
                None
            }
            codes::APPROVE | codes::DENY => {
                let mut core = self.core_mut();
                let decided = core.resolve_confirmation(now, id, what == codes::APPROVE, text.as_deref());
                decided.then(String::new)
            }
            _ => None,
        };
        self.drain();
        answer
    }
}
