//! Phase 10, settlement: the one place where a call gets its result.
//!
//! Exactly one settlement per call: everything that ends one comes through `settle`. Called by every phase.

use crate::call::{Call, Origin, Sent, Step};
use crate::confirmation::Status;
use crate::core::Core;
use crate::error::{Code, Failure};
use crate::message::{Outcome, Output};
use crate::timer::Owner;
use alloc::vec::Vec;

impl Core {
    /// Ends a call with this outcome. A call that was settled before stays as it was.
    pub(crate) fn settle(&mut self, call: &mut Call, outcome: Outcome) {
        if call.is_settled() {
            return;
        }
        let was_waiting = matches!(call.step, Step::Person);
        self.stop_timer(call.timer.take());
        self.release_place(call);
        self.give_back(call);
        let code = match &outcome {
            Outcome::Failed(failure) => Some(failure.code),
            Outcome::Done(_) => None,
        };
        let outcome = match outcome {
            Outcome::Failed(failure) if failure.code == Code::ConfirmationRequired => {
                // A caller that waits is answered by the decision itself; what it stopped waiting for, it has to ask anew.
                if !was_waiting && self.waits_for_person(call) {
                    return self.wait_for_person(call, failure);
                }
                self.remember_evidence(call);
                Outcome::Failed(self.worded(call, failure))
            }
            outcome => {
                if !was_waiting {
                    self.evidence_settled(call);
                }
                outcome
            }
        };
        call.step = Step::Settled;
        call.waits = false;
        self.emit(Output::Settled {
            call: call.id,
            outcome,
            version: self.version,
            changed: call.version != self.version,
        });
        if !was_waiting {
            self.event_settled(call, code);
        }
        // A settled call is kept for its replay, not for its texts.
        call.input = Sent::Absent;
        call.effective = None;
        call.binding = None;
        call.output = None;
        call.pending = None;
        call.summary = None;
        self.resume_frames(call);
        // What a handler itself answers with such a code is a result like any other: it ran, and must not run again.
        let forgotten = !call.handler_started
            && matches!(
                code,
                Some(Code::ConfirmationRequired | Code::RateLimited | Code::InvocationConflict)
            );
        self.keep_settled(call, call.announced && !forgotten && !self.disposed);
        self.look_again = true;
        if !self.toolsets.is_empty() {
            self.schedule();
        }
    }

    /// The call stays open for its caller while a person decides; its frames and its place are gone.
    fn wait_for_person(&mut self, call: &mut Call, failure: Failure) {
        self.event_settled(call, Some(Code::ConfirmationRequired));
        let wait_ms = self.toolset_of(call).and_then(|toolset| toolset.wait_ms);
        call.timer = wait_ms.map(|ms| self.timers.start(Owner::Person(call.id.slot), ms));
        call.step = Step::Person;
        call.waits = true;
        let mut open = Vec::new();
        for (at, frame) in (0_u32..).zip(&mut call.frames) {
            if !frame.done && frame.nexts > 0 && !frame.resumed {
                open.push(at);
            }
            frame.done = true;
        }
        if !open.is_empty() {
            self.emit(Output::Interim(call.id, failure.clone()));
        }
        call.pending = Some(failure);
        for frame in open.into_iter().rev() {
            self.emit(Output::ResumeNext(call.id, frame));
        }
    }

    /// A person decided: the calls that waited for it go through all phases again, with the evidence.
    pub(crate) fn person_decided(&mut self, record: u32) {
        let Some(id) = self
            .confirmations
            .records
            .get(record)
            .map(|record| record.id.clone())
        else {
            return;
        };
        for slot in self.waiting_for(&id) {
            self.with_call(slot, &mut |core, call| {
                call.confirmation_id = Some(id.clone());
                call.asked = None;
                call.pending = None;
                call.effective = None;
                call.escalated = false;
                call.summary = None;
                core.stop_timer(call.timer.take());
                core.event_started(call);
                core.go_on(call, Step::Resolve);
            });
        }
    }

    fn waiting_for(&self, confirmation_id: &str) -> Vec<u32> {
        if self.toolsets.is_empty() {
            // Only their calls wait.
            return Vec::new();
        }
        self.calls_that(&|call| {
            matches!(call.step, Step::Person) && call.asked.as_deref() == Some(confirmation_id)
        })
    }

    /// Whether nobody waits for the decision although the caller's toolset does wait.
    pub(crate) fn caller_left(&self, record: u32) -> bool {
        let Some(record) = self.confirmations.records.get(record) else {
            return true;
        };
        let waits = self.toolsets.iter().any(|(_, toolset)| {
            toolset.waits && toolset.consumer.key == record.route.consumer.key && toolset.open
        });
        waits && self.waiting_for(&record.id).is_empty()
    }

    /// Ends the wait for a person with the pending result as it is: the answer is what a two-phase call gets.
    pub(crate) fn stop_waiting(&mut self, call: &mut Call) {
        if let Some(failure) = call.pending.take() {
            self.fail(call, failure);
        }
    }

    /// Whether a decision will come that goes on with the call: what page code refuses in these words has no record.
    fn waits_for_person(&self, call: &Call) -> bool {
        !self.disposed
            && self
                .toolset_of(call)
                .is_some_and(|toolset| toolset.waits && toolset.open)
            && call
                .asked
                .as_deref()
                .and_then(|id| self.confirmations.find(id))
                .and_then(|record| self.confirmations.records.get(record))
                .is_some_and(|record| matches!(record.status, Status::Pending))
    }

    pub(crate) fn toolset_of(&self, call: &Call) -> Option<&crate::toolset::Toolset> {
        match call.origin {
            Origin::Toolset(toolset) => self.toolsets.get(toolset),
            Origin::Direct => None,
        }
    }
}
