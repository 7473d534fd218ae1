//! What a consumer sees of one capability, and how a descriptor says it.
//!
//! Decides nothing: the looking fills it. Used by views, snapshots and toolsets.

use alloc::string::String;

use crate::error::ObjectWriter;
use crate::error::reason_or_default;

/// What a consumer sees of one capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub visible: bool,
    pub available: bool,
    pub reason: Option<String>,
    pub note: Option<String>,
}

/// What there is to see where nothing speaks against it.
pub(super) static PLAIN: State = State::new(true);

impl State {
    /// With nothing to say but whether it is there to see at all.
    pub const fn new(visible: bool) -> Self {
        Self {
            visible,
            available: true,
            reason: None,
            note: None,
        }
    }

    /// Whether there is nothing to say about it.
    pub const fn is_plain(&self) -> bool {
        self.visible && self.available && self.reason.is_none() && self.note.is_none()
    }

    fn said_reason(&self) -> Option<&str> {
        let reason = self.reason.as_deref().unwrap_or_default();
        (!self.available).then(|| reason_or_default(reason))
    }

    /// The members of a descriptor that say whether it is available.
    pub fn write_members(&self, out: &mut ObjectWriter) {
        out.flag("available", self.available)
            .text_if("unavailableReason", self.said_reason());
    }

    /// Why it is not available, null where it is, and the note, as items of a list.
    pub fn write(&self, out: &mut ObjectWriter) {
        out.item(self.said_reason()).item(self.note.as_deref());
    }

    /// Whether a view lists it.
    pub const fn is_shown(&self, include_unavailable: bool) -> bool {
        self.visible && (include_unavailable || self.available)
    }
}
