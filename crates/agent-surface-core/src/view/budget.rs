//! Budgets: how much of the components a view lists, and what that drops.
//!
//! Drops from the end of a snapshot's order, never in between and never a procedure. Called while a view is looked
//! through.

use super::cell::Cell;
use super::cursor::Cursor;
use crate::effect::Kind;
use crate::error::ObjectWriter;
use crate::registration::Registration;

/// How much of the components a view lists; their procedures are never dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How many.
    pub max_components: u32,
    /// UTF-8 bytes of their list as JSON.
    pub max_bytes: u32,
}

impl Budget {
    /// All of them.
    pub const NONE: Self = Self {
        max_components: u32::MAX,
        max_bytes: u32::MAX,
    };

    /// What is left for components: each comes with its comma, or with the list's last bracket.
    pub(super) const fn list(mut self) -> Self {
        self.max_bytes = self.max_bytes.saturating_sub(1);
        self
    }
}

impl Cursor {
    /// Whether one more component of this size may be listed; after one that may not, none may.
    pub(super) const fn affords(&mut self, bytes: u32) -> bool {
        let left = &mut self.left;
        if left.max_components > 0 && bytes < left.max_bytes {
            left.max_components -= 1;
            left.max_bytes -= bytes + 1;
            return true;
        }
        left.max_components = 0;
        self.dropped += 1;
        false
    }
}

impl Cell {
    /// UTF-8 bytes of the component's descriptor as JSON; measured once for each content.
    pub(super) fn measure(&mut self, registration: &Registration, include_unavailable: bool) -> u32 {
        if self.bytes == 0 {
            let head = registration.component.header.base_descriptor(&registration.id);
            let mut bytes = head.len() + ",\"observations\":[],\"actions\":[]".len();
            let (mut after_observations, mut after_actions) = (0, 0);
            for (at, member) in registration.component.members.iter().enumerate() {
                let state = self.state(at);
                let last = match member.capability.kind {
                    _ if !state.is_shown(include_unavailable) => continue,
                    Kind::Procedure => continue,
                    Kind::Action => &mut after_actions,
                    Kind::Observation => &mut after_observations,
                };
                *last = 1;
                let mut own = ObjectWriter::new();
                state.write_members(&mut own);
                // A brace of each makes room for the comma between them, and for one after.
                bytes += member.capability.base_descriptor().len() + own.finish().len();
            }
            // The last item of a list has none after it.
            self.bytes = u32::try_from(bytes - after_observations - after_actions).unwrap_or(u32::MAX);
        }
        self.bytes
    }
}
