//! The steps of a call, in their fixed order: which phase comes next, and what it means to wait.
//!
//! Whoever works on a call has it out of its slab meanwhile, so that nothing looks it up twice. Decides nothing about
//! a call itself; each phase does, in the file of its name. Called by `Core` whenever something reached a call.

use crate::call::{Call, Step};
use crate::core::Core;
use crate::error::Failure;
use crate::message::{Outcome, Output, Stage};
use crate::timer::Owner;

impl Core {
    /// Has the call in a slot worked on, when there is one.
    pub(crate) fn with_call(&mut self, slot: u32, work: &mut dyn FnMut(&mut Self, &mut Call)) {
        if let Some(mut call) = self.calls.lend(slot) {
            work(self, &mut call);
            self.calls.bring(slot, call);
        }
    }

    /// Moves every call that has something to do until it waits.
    pub(crate) fn run(&mut self) {
        while let Some(slot) = self.ready.pop_front() {
            self.with_call(slot, &mut Self::advance);
        }
    }

    /// Moves one call on until it waits or is settled.
    fn advance(&mut self, call: &mut Call) {
        while !call.waits {
            let before = core::mem::discriminant(&call.step);
            match call.step {
                Step::Resolve => self.resolve(call),
                Step::Votes | Step::VotesAgain => self.ask_votes(call),
                Step::Choose => self.choose(call),
                Step::Authorize(at) => self.chain_step(call, Stage::Authorize, at),
                Step::Availability => self.availability(call),
                Step::AgentInput => self.agent_input(call),
                Step::Bind => self.ask_about(call, Output::Bind),
                Step::FullInput => self.full_input(call),
                Step::Invoke(at) => self.chain_step(call, Stage::Invoke, at),
                Step::Confirm => self.confirm(call),
                Step::Precondition { before_record } => self.precondition(call, before_record),
                Step::Key => self.ask_about(call, Output::AskKey),
                Step::Admit => self.admit(call),
                Step::Start => self.start(call),
                Step::When
                | Step::Reason
                | Step::FullChecked
                | Step::Queued
                | Step::Running
                | Step::CheckingOutput
                | Step::Fixed
                | Step::Person
                | Step::Settled => return,
            }
            // A call that neither moved nor waits would do so for ever: what it stands on is gone, which must not happen.
            if !call.waits && core::mem::discriminant(&call.step) == before {
                self.fail(call, Failure::execution_failed(None));
            }
        }
    }

    /// The call goes on at `step` when the driver next runs the ready ones.
    pub(crate) fn go_on(&mut self, call: &mut Call, step: Step) {
        call.step = step;
        call.waits = false;
        self.ready.push_back(call.id.slot);
    }

    /// Asks the host something that belongs to phases 3 to 7, which together are bounded in time.
    pub(crate) fn ask(&mut self, call: &mut Call, output: Output) {
        call.waits = true;
        if call.timer.is_none() {
            let ms = self.config.limits.policy_timeout_ms;
            call.timer = Some(self.timers.start(Owner::Policies(call.id.slot), ms));
        }
        self.emit(output);
    }

    /// The same, about what the call was resolved to.
    pub(crate) fn ask_about(
        &mut self,
        call: &mut Call,
        question: fn(crate::message::CallId, crate::message::Target) -> Output,
    ) {
        if let Some(target) = call.target {
            self.ask(call, question(call.id, target));
        }
    }

    /// Ends a call that is refused or failed.
    pub(crate) fn fail(&mut self, call: &mut Call, failure: Failure) {
        self.settle(call, Outcome::Failed(failure));
    }

    pub(crate) fn policies_timed_out(&mut self, call: &mut Call) {
        let ms = self.config.limits.policy_timeout_ms;
        self.fail(call, Failure::timeout(ms, true));
    }
}
