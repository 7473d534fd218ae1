//! What a consumer sees of one registration, and working that out.
//!
//! Asks nothing itself: it says what has to be asked. The looking calls it.

use alloc::vec::Vec;

use super::cursor::{Asks, Cursor, step};
use super::state::{PLAIN, State};
use crate::effect::Kind;
use crate::registration::Registration;

/// What a consumer sees of one registration.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) generation: u32,
    /// The registration's, when it was looked at.
    pub(super) revision: u64,
    /// Some answer must be asked each time.
    pub(super) asks: bool,
    /// Moves when the states differ.
    pub(super) stamp: u64,
    /// Of the capabilities that are not plain, with their positions.
    pub(super) states: Vec<(usize, State)>,
    /// A procedure of it is shown.
    pub(super) refers: bool,
    /// It is shown as a component.
    pub(super) listed: bool,
    /// UTF-8 bytes of what is shown as a component, as JSON; 0 while nobody asked.
    pub(super) bytes: u32,
}

impl Cell {
    /// Works on its registration until that is known (`None`) or something has to be asked about a capability.
    pub(super) fn examine(
        &mut self,
        generation: u32,
        registration: &Registration,
        cursor: &mut Cursor,
    ) -> Option<Asks> {
        let members = &registration.component.members;
        if self.generation != generation {
            *self = Self {
                generation,
                asks: members.iter().any(|member| member.asks),
                ..Self::default()
            };
        }
        let is_plain = registration.is_plain();
        if !self.asks && (is_plain || self.revision == registration.revision) {
            return None;
        }
        // Whatever is asked is asked each time.
        self.revision = 0;
        while let Some(member) = members.get(cursor.member) {
            if is_plain && !member.asks {
                cursor.member += 1;
                continue;
            }
            if let Some(asks) = step(cursor, member, registration) {
                return Some(asks);
            }
            cursor.advance();
        }
        None
    }

    pub(super) fn state(&self, at: usize) -> &State {
        let found = self.states.binary_search_by_key(&at, |(other, _)| *other);
        let found = found.ok().and_then(|found| self.states.get(found));
        found.map_or(&PLAIN, |(_, state)| state)
    }

    /// Takes the states that were found.
    pub(super) fn take(
        &mut self,
        registration: &Registration,
        cursor: &mut Cursor,
        include_unavailable: bool,
        stamp: u64,
    ) {
        self.revision = registration.revision;
        // Why a capability is not shown is no content of the view.
        for (_, state) in &mut cursor.states {
            if !state.is_shown(include_unavailable) {
                *state = State::new(false);
            }
        }
        if self.stamp != 0 && self.states == cursor.states {
            return;
        }
        (self.stamp, self.bytes) = (stamp, 0);
        self.states = core::mem::take(&mut cursor.states);
        (self.refers, self.listed) = (false, registration.component.members.is_empty());
        for (at, member) in registration.component.members.iter().enumerate() {
            if self.state(at).is_shown(include_unavailable) {
                let is_procedure = member.capability.kind == Kind::Procedure;
                self.refers |= is_procedure;
                self.listed |= !is_procedure;
            }
        }
    }
}
