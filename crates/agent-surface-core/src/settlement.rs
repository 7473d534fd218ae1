//! Phase 10, settlement: the one place where a call gets its result.
//!
//! Exactly one settlement per call: everything that ends one comes through `settle`. Called by every phase.

use crate::call::{Origin, Step};
use crate::confirmation::Status;
use crate::core::Core;
use crate::error::Code;
use crate::message::{Outcome, Output};
use crate::timer::Owner;

impl Core {
    /// Ends a call with this outcome. A call that was settled before stays as it was.
    pub(crate) fn settle(&mut self, slot: u32, outcome: Outcome) {
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        if call.is_settled() {
            return;
        }
        let timer = call.timer.take();
        let was_waiting = matches!(call.step, Step::Person);
        self.stop_timer(timer);
        self.release_place(slot);
        self.give_back(slot);
        let code = match &outcome {
            Outcome::Failed(failure) => Some(failure.code),
            Outcome::Done(_) => None,
        };
        if code == Some(Code::ConfirmationRequired) {
            // A caller that waits is answered by the decision itself; what it stopped waiting for, it has to ask anew.
            if !was_waiting && self.waits_for_person(slot) {
                return self.wait_for_person(slot, outcome);
            }
            self.remember_evidence(slot);
        } else if !was_waiting {
            self.evidence_settled(slot);
        }
        self.finish(slot, outcome, code, !was_waiting);
    }

    fn finish(&mut self, slot: u32, outcome: Outcome, code: Option<Code>, announce: bool) {
        let id = self.call_id(slot);
        let version = self.version;
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        call.step = Step::Settled;
        call.waits = false;
        let changed = call.version != version;
        let outcome = match outcome {
            Outcome::Failed(failure) => Outcome::Failed(self.worded(slot, failure)),
            done @ Outcome::Done(_) => done,
        };
        self.emit(Output::Settled {
            call: id,
            outcome,
            version,
            changed,
        });
        if announce {
            self.event_settled(slot, code);
        }
        // What a handler itself answers with such a code is a result like any other: it ran, and must not run again.
        let (has_identity, started) = self
            .calls
            .get(slot)
            .map_or((false, false), |call| (call.announced, call.handler_started));
        let forgotten = !started
            && matches!(
                code,
                Some(Code::ConfirmationRequired | Code::RateLimited | Code::InvocationConflict)
            );
        self.drop_payload(slot);
        self.resume_frames(slot);
        self.keep_settled(slot, has_identity && !forgotten && !self.disposed);
        self.look_again = true;
        if !self.toolsets.is_empty() {
            self.schedule();
        }
    }

    /// A settled call is kept for its replay, not for its texts.
    fn drop_payload(&mut self, slot: u32) {
        if let Some(call) = self.calls.get_mut(slot) {
            call.input = crate::call::Sent::Absent;
            call.effective = None;
            call.output = None;
            call.pending = None;
            call.summary = None;
        }
    }

    /// The call stays open for its caller while a person decides; its frames and its place are gone.
    fn wait_for_person(&mut self, slot: u32, outcome: Outcome) {
        self.event_settled(slot, Some(Code::ConfirmationRequired));
        let wait_ms = self.toolset_of(slot).and_then(|toolset| toolset.wait_ms);
        let timer = wait_ms.map(|ms| self.timers.start(Owner::Person(slot), ms));
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let Outcome::Failed(failure) = outcome else { return };
        call.step = Step::Person;
        call.waits = true;
        call.timer = timer;
        call.pending = Some(failure.clone());
        let mut open = Vec::new();
        for (at, frame) in (0_u32..).zip(&mut call.frames) {
            if !frame.done && frame.nexts > 0 && !frame.resumed {
                open.push(at);
            }
            frame.done = true;
        }
        let id = self.call_id(slot);
        if !open.is_empty() {
            self.emit(Output::Interim(id, failure));
        }
        for frame in open.into_iter().rev() {
            self.emit(Output::ResumeNext(id, frame));
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
        let slots = self.waiting_for(&id);
        for slot in slots {
            let Some(call) = self.calls.get_mut(slot) else {
                continue;
            };
            let timer = call.timer.take();
            call.confirmation_id = Some(id.clone());
            call.asked = None;
            call.pending = None;
            call.effective = None;
            call.escalated = false;
            call.summary = None;
            self.stop_timer(timer);
            self.event_started(slot);
            self.go_on(slot, Step::Resolve);
        }
    }

    fn waiting_for(&self, confirmation_id: &str) -> Vec<u32> {
        self.calls
            .iter()
            .filter(|(_, call)| {
                matches!(call.step, Step::Person) && call.asked.as_deref() == Some(confirmation_id)
            })
            .map(|(slot, _)| slot)
            .collect()
    }

    /// Whether nobody waits for the decision although the caller's toolset does wait.
    pub(crate) fn caller_left(&self, record: u32) -> bool {
        let Some(record) = self.confirmations.records.get(record) else {
            return true;
        };
        let waits = self
            .toolsets
            .iter()
            .any(|(_, toolset)| toolset.waits && toolset.consumer.key == record.consumer.key && toolset.open);
        waits && self.waiting_for(&record.id).is_empty()
    }

    /// The agent waited long enough: the answer is what a two-phase call gets.
    pub(crate) fn person_timed_out(&mut self, slot: u32) {
        if let Some(call) = self.calls.get_mut(slot) {
            call.timer = None;
        }
        self.stop_waiting(slot);
    }

    /// Ends the wait for a person with the pending result as it is.
    pub(crate) fn stop_waiting(&mut self, slot: u32) {
        let pending = self.calls.get_mut(slot).and_then(|call| call.pending.take());
        if let Some(failure) = pending {
            self.settle(slot, Outcome::Failed(failure));
        }
    }

    /// Whether a decision will come that goes on with the call: what page code refuses in these words has no record.
    fn waits_for_person(&self, slot: u32) -> bool {
        !self.disposed
            && self
                .toolset_of(slot)
                .is_some_and(|toolset| toolset.waits && toolset.open)
            && self
                .calls
                .get(slot)
                .and_then(|call| self.confirmations.find(call.asked.as_deref()?))
                .and_then(|record| self.confirmations.records.get(record))
                .is_some_and(|record| record.status == Status::Pending)
    }

    pub(crate) fn toolset_of(&self, slot: u32) -> Option<&crate::toolset::Toolset> {
        match self.calls.get(slot)?.origin {
            Origin::Toolset(toolset) => self.toolsets.get(toolset),
            Origin::Direct => None,
        }
    }
}
