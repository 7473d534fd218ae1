//! How far a look has come, and what one capability has to be asked next.
//!
//! Asks nothing itself. The looking and its cells move it.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use super::Row;
use super::budget::Budget;
use super::state::State;
use crate::definition::{PolicyRef, Reason};
use crate::message::Target;
use crate::registration::{Member, Registration};

/// What a capability was asked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Votes(usize),
    When,
    Reason,
    Note,
}

/// A look under way.
#[derive(Debug)]
pub(super) struct Cursor {
    pub(super) plan: Vec<u32>,
    pub(super) at: usize,
    /// Which capability of the registration at `at` is being asked about.
    pub(super) member: usize,
    pub(super) phase: Phase,
    pub(super) state: State,
    /// Of those before it that are not plain, with their positions.
    pub(super) states: Vec<(usize, State)>,
    /// What is found so far.
    pub(super) rows: Vec<Row>,
    pub(super) asks: bool,
    /// What is left of the view's budget.
    pub(super) left: Budget,
    /// Components for which nothing was left.
    pub(super) dropped: u64,
    pub(super) route_asked: bool,
    pub(super) version: u64,
    pub(super) pass: Pass,
    /// How many of the view's `whens` this pass has come past.
    pub(super) whens: usize,
}

/// What a look goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pass {
    /// What changed since the last look; the other rows stand.
    Changes,
    All,
    /// All, once more: a closure changed the registry meanwhile.
    Again,
}

impl Cursor {
    /// The capability that is being asked about.
    pub(super) fn target(&self) -> Target {
        Target {
            registration: self.plan.get(self.at).copied().unwrap_or(u32::MAX),
            capability: u32::try_from(self.member).unwrap_or(u32::MAX),
        }
    }

    /// What the capability's `when` said: `None` where it threw.
    pub(super) fn hear(&mut self, answer: Option<bool>) {
        self.whens += 1;
        self.state.available = answer == Some(true);
        if answer.is_none() {
            self.state.reason = Some(String::from("when-error"));
        }
        self.phase = Phase::Reason;
    }

    /// Nothing more is to be asked about the capability.
    pub(super) fn advance(&mut self) {
        if !self.state.is_plain() {
            let state = core::mem::replace(&mut self.state, State::new(true));
            self.states.push((self.member, state));
        }
        self.member += 1;
        self.phase = Phase::Votes(0);
    }

    /// Nor about the registration, whatever was found.
    pub(super) fn leave(&mut self) {
        self.at += 1;
        self.member = 0;
        self.phase = Phase::Votes(0);
        self.state = State::new(true);
        self.states.clear();
    }
}

/// What a capability has to be asked.
pub(super) enum Asks {
    Vote(u32),
    When,
    Reason,
    Note,
}

/// Moves one capability on to its next question, or to where there is none.
pub(super) fn step(cursor: &mut Cursor, member: &Member, registration: &Registration) -> Option<Asks> {
    let (at, phase, state) = (cursor.member, &mut cursor.phase, &mut cursor.state);
    if let Phase::Votes(asked) = *phase {
        if !state.visible {
            return None;
        }
        let mut votes = member.chain.iter().enumerate().skip(asked);
        if let Some((at, policy)) = votes.find(|(_, policy)| policy.has(PolicyRef::ON_DISCOVERY)) {
            *phase = Phase::Votes(at);
            return Some(Asks::Vote(policy.reference));
        }
        let reason = if registration.enabled {
            registration.pushed(at)
        } else {
            Some("component-disabled")
        };
        if state.available && reason.is_some() {
            state.available = false;
            state.reason = reason.map(str::to_owned);
        }
        *phase = if state.available && member.capability.has_when {
            Phase::When
        } else {
            Phase::Note
        };
    }
    if *phase == Phase::When {
        return Some(Asks::When);
    }
    if *phase == Phase::Reason {
        if !state.available && state.reason.is_none() {
            state.reason = match &member.capability.reason {
                Reason::Function => return Some(Asks::Reason),
                Reason::Text(text) => Some(text.clone()),
            };
        }
        *phase = Phase::Note;
    }
    member.capability.has_describe.then_some(Asks::Note)
}
