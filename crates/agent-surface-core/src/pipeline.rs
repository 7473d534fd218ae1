//! The steps of a call, in their fixed order: which phase comes next, and what it means to wait.
//!
//! Decides nothing about a call itself; each phase does, in the file of its name. Called by `Core` whenever something
//! reached a call.

use crate::call::Step;
use crate::core::Core;
use crate::error::Failure;
use crate::message::{Outcome, Output, Stage};
use crate::timer::Owner;

impl Core {
    /// Moves one call on until it waits or is settled.
    pub(crate) fn advance(&mut self, slot: u32) {
        while let Some(call) = self.calls.get(slot) {
            if call.waits {
                return;
            }
            let before = std::mem::discriminant(&call.step);
            match call.step {
                Step::Resolve => self.resolve(slot),
                Step::Votes | Step::VotesAgain => self.ask_votes(slot),
                Step::Choose => self.choose(slot),
                Step::Authorize(at) => self.chain_step(slot, Stage::Authorize, at),
                Step::Availability => self.availability(slot),
                Step::AgentInput => self.agent_input(slot),
                Step::Bind => self.ask_bind(slot),
                Step::FullInput => self.full_input(slot),
                Step::Invoke(at) => self.chain_step(slot, Stage::Invoke, at),
                Step::Confirm => self.confirm(slot),
                Step::Precondition { before_record } => self.precondition(slot, before_record),
                Step::Key => self.ask_key(slot),
                Step::Admit => self.admit(slot),
                Step::Start => self.start(slot),
                Step::When
                | Step::Reason(_)
                | Step::FullChecked
                | Step::Queued
                | Step::Running
                | Step::CheckingOutput
                | Step::Fixed
                | Step::Person
                | Step::Settled => return,
            }
            self.fail_stuck(slot, before);
        }
    }

    /// A call that neither moved nor waits would do so for ever: what it stands on is gone, which must not happen.
    fn fail_stuck(&mut self, slot: u32, before: std::mem::Discriminant<Step>) {
        let stuck = self
            .calls
            .get(slot)
            .is_some_and(|call| !call.waits && std::mem::discriminant(&call.step) == before);
        if stuck {
            self.settle(slot, Outcome::Failed(Failure::execution_failed(None)));
        }
    }

    /// The call goes on at `step` when the driver next runs the ready ones.
    pub(crate) fn go_on(&mut self, slot: u32, step: Step) {
        if let Some(call) = self.calls.get_mut(slot) {
            call.step = step;
            call.waits = false;
            self.ready.push_back(slot);
        }
    }

    /// Asks the host something that belongs to phases 3 to 7, which together are bounded in time.
    pub(crate) fn ask(&mut self, slot: u32, output: Output) {
        let ms = self.config.limits.policy_timeout_ms;
        if let Some(call) = self.calls.get_mut(slot) {
            call.waits = true;
            if call.timer.is_none() {
                call.timer = Some(self.timers.start(Owner::Policies(slot), ms));
            }
        }
        self.emit(output);
    }

    pub(crate) fn policies_timed_out(&mut self, slot: u32) {
        let ms = self.config.limits.policy_timeout_ms;
        if let Some(call) = self.calls.get_mut(slot) {
            call.timer = None;
            self.settle(slot, Outcome::Failed(Failure::timeout(ms, true)));
        }
    }
}
