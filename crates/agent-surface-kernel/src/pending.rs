//! What is under way: requests that wait for a description, an execution or a person.
//!
//! It refuses to decide what becomes of them. Called by `kernel`.

use alloc::string::String;
use alloc::vec::Vec;

/// How a wait for a person ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The registry knows what was decided, and is asked with the evidence.
    Decided,
    /// There will be no decision: time ran out, or what was to be decided is gone.
    Expired,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Describing {
        limit: u32,
    },
    Executing,
    /// For the decision about this request for approval.
    Waiting(String),
}

/// One request that is under way.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) number: u32,
    pub(crate) id: String,
    pub(crate) content: [u8; 32],
    /// Who waits: the request itself and those that joined it.
    pub(crate) tokens: Vec<u32>,
    pub(crate) stage: Stage,
    /// Place of what it invokes in the allowlist, and the input's text.
    pub(crate) target: (usize, String),
}

/// All of them; there are few.
#[derive(Debug, Default)]
pub(crate) struct Pendings {
    list: Vec<Pending>,
    numbers: u32,
}

impl Pendings {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many requests there are: each that waits, and each whose caller left while it still runs.
    pub(crate) fn in_flight(&self) -> usize {
        self.list.iter().map(|pending| pending.tokens.len().max(1)).sum()
    }

    pub(crate) fn next_number(&mut self) -> u32 {
        self.numbers = self.numbers.wrapping_add(1);
        self.numbers
    }

    pub(crate) fn push(&mut self, pending: Pending) {
        self.list.push(pending);
    }

    pub(crate) fn named(&mut self, id: &str) -> Option<&mut Pending> {
        self.list.iter_mut().find(|pending| pending.id == id)
    }

    pub(crate) fn numbered(&mut self, number: u32) -> Option<&mut Pending> {
        self.list.iter_mut().find(|pending| pending.number == number)
    }

    pub(crate) fn of_token(&mut self, token: u32) -> Option<&mut Pending> {
        self.list
            .iter_mut()
            .find(|pending| pending.tokens.contains(&token))
    }

    pub(crate) fn take(&mut self, number: u32) -> Option<Pending> {
        let at = self.list.iter().position(|pending| pending.number == number)?;
        Some(self.list.remove(at))
    }

    pub(crate) fn take_all(&mut self) -> Vec<Pending> {
        core::mem::take(&mut self.list)
    }
}
