//! Discovery votes and the two policy chains (phases 3 and 6).
//!
//! A policy's function is a frame on the call: its `next` is an input, the inner result an output. A guard gives a
//! verdict at once and has no frame. Nothing here runs a policy; the driver does.

use crate::call::{Candidate, Frame, Step, Votes};
use crate::core::Core;
use crate::definition::PolicyRef;
use crate::error::Failure;
use crate::message::{CallId, Outcome, Output, Stage, Verdict, Vote};

const ON_DISCOVERY: u8 = PolicyRef::ON_DISCOVERY;
const ON_AUTHORIZE: u8 = PolicyRef::ON_AUTHORIZE;
const ON_INVOKE: u8 = PolicyRef::ON_INVOKE;

impl Core {
    /// Asks the next vote, or goes on when all are in.
    pub(crate) fn ask_votes(&mut self, slot: u32) {
        let Some(call) = self.calls.get(slot) else { return };
        let mut cursor = (call.votes.candidate, call.votes.policy);
        while let Some(candidate) = call.votes.candidates.get(cursor.0) {
            let member = self
                .registrations
                .get(candidate.target.registration)
                .and_then(|registration| registration.member(candidate.target.capability));
            let next = member.and_then(|member| {
                member
                    .chain
                    .iter()
                    .enumerate()
                    .skip(cursor.1)
                    .find(|(_, policy)| {
                        policy.hooks & ON_DISCOVERY != 0
                            && (call.votes.all || policy.hooks & ON_AUTHORIZE == 0)
                            && !candidate.hidden
                    })
            });
            if let Some((at, policy)) = next {
                let output = Output::AskDiscovery(self.call_id(slot), candidate.target, policy.reference);
                let at_candidate = cursor.0;
                if let Some(call) = self.calls.get_mut(slot) {
                    call.votes.candidate = at_candidate;
                    call.votes.policy = at;
                }
                return self.ask(slot, output);
            }
            cursor = (cursor.0 + 1, 0);
        }
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        if matches!(call.step, Step::Votes) {
            call.step = Step::Choose;
        } else if call
            .votes
            .candidates
            .first()
            .is_some_and(|candidate| candidate.undisclosed)
        {
            self.settle(slot, Outcome::Failed(Failure::not_found()));
        } else {
            call.step = Step::Availability;
        }
    }

    pub(crate) fn vote(&mut self, id: CallId, vote: Vote) {
        let Some(call) = self.calls.get(id.slot) else {
            return;
        };
        if !call.waits || !matches!(call.step, Step::Votes | Step::VotesAgain) {
            return;
        }
        let Votes {
            candidate,
            policy: at,
            ..
        } = call.votes;
        let answers_for_itself = call
            .votes
            .candidates
            .get(candidate)
            .and_then(|one| {
                self.registrations
                    .get(one.target.registration)?
                    .member(one.target.capability)
            })
            .and_then(|member| member.chain.get(at))
            .is_some_and(|policy| policy.hooks & ON_AUTHORIZE != 0);
        let Some(call) = self.call_mut(id) else { return };
        call.waits = false;
        call.votes.policy = at + 1;
        if let Some(one) = call.votes.candidates.get_mut(candidate) {
            match vote {
                Vote::Expose => {}
                Vote::Hide => {
                    one.undisclosed = true;
                    one.hidden |= !answers_for_itself;
                }
                Vote::Disable(reason) => {
                    one.disabled.get_or_insert(reason);
                }
            }
        }
        self.ready.push_back(id.slot);
    }

    /// The chain's next policy with a hook for this stage.
    pub(crate) fn chain_step(&mut self, slot: u32, stage: Stage, at: usize) {
        let hook = if stage == Stage::Authorize {
            ON_AUTHORIZE
        } else {
            ON_INVOKE
        };
        let id = self.call_id(slot);
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let Some(chain) = &call.chain else { return };
        let next = chain
            .iter()
            .enumerate()
            .skip(at)
            .find(|(_, policy)| policy.hooks & hook != 0);
        let Some((at, policy)) = next else {
            return match stage {
                Stage::Authorize => self.authorized(slot),
                Stage::Invoke => call.step = Step::Confirm,
            };
        };
        let reference = policy.reference;
        let step = if stage == Stage::Authorize {
            Step::Authorize(at)
        } else {
            Step::Invoke(at)
        };
        if policy.guard {
            call.step = step;
            return self.ask(slot, Output::Guard(id, stage, reference));
        }
        let frame = Frame {
            chain: at,
            stage,
            name: policy.name.clone(),
            nexts: 0,
            done: false,
            resumed: false,
        };
        call.step = step;
        call.frames.push(frame);
        let frame = u32::try_from(call.frames.len() - 1).unwrap_or(u32::MAX);
        self.ask(slot, Output::RunPolicy(id, stage, frame, reference));
    }

    /// The authorize chain let it pass: what its policies hide is hidden all the same.
    fn authorized(&mut self, slot: u32) {
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        let unasked = call
            .chain
            .iter()
            .flat_map(|chain| chain.iter())
            .any(|policy| policy.has(ON_DISCOVERY | ON_AUTHORIZE));
        if unasked {
            let candidates = call
                .votes
                .candidates
                .iter()
                .map(|one| Candidate {
                    hidden: false,
                    undisclosed: false,
                    disabled: None,
                    ..one.clone()
                })
                .collect();
            call.votes = Votes {
                candidates,
                candidate: 0,
                policy: 0,
                all: true,
                dead: true,
            };
            call.step = Step::VotesAgain;
        } else {
            call.step = Step::Availability;
        }
    }

    pub(crate) fn verdict(&mut self, id: CallId, verdict: Verdict) {
        let Some(call) = self.call_mut(id) else { return };
        if !call.waits {
            return;
        }
        let (at, next) = match call.step {
            Step::Authorize(at) => (at, Step::Authorize(at + 1)),
            Step::Invoke(at) => (at, Step::Invoke(at + 1)),
            _ => return,
        };
        let asked = call.chain.as_ref().and_then(|chain| chain.get(at));
        if !asked.is_some_and(|policy| policy.guard) {
            return;
        }
        match verdict {
            Verdict::Pass => self.go_on(id.slot, next),
            Verdict::Refuse(failure) => self.settle(id.slot, Outcome::Failed(failure)),
            Verdict::Confirm(summary) => {
                self.escalate(id, summary);
                self.go_on(id.slot, next);
            }
        }
    }

    /// A person has to approve; the first summary stands. No effect on observations, nor once the chain is through.
    pub(crate) fn escalate(&mut self, id: CallId, summary: Option<String>) {
        let Some(call) = self.call_mut(id) else { return };
        let acts = call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.acts());
        if acts && matches!(call.step, Step::Invoke(_)) {
            call.escalated = true;
            if call.summary.is_none() {
                call.summary = summary;
            }
        }
    }

    pub(crate) fn policy_next(&mut self, id: CallId, frame: u32) {
        let Some(call) = self.call_mut(id) else { return };
        let settled = call.is_settled();
        let Some(open) = usize::try_from(frame).ok().and_then(|at| call.frames.get_mut(at)) else {
            return;
        };
        open.nexts += 1;
        if open.nexts > 1 {
            let name = open.name.clone();
            return self.audit_policy(id.slot, "next-called-twice", &name);
        }
        if settled {
            open.resumed = true;
            return self.emit(Output::ResumeNext(id, frame));
        }
        let (stage, at) = (open.stage, open.chain);
        let next = match (stage, &call.step) {
            (Stage::Authorize, Step::Authorize(now)) if *now == at => Step::Authorize(at + 1),
            (Stage::Invoke, Step::Invoke(now)) if *now == at => Step::Invoke(at + 1),
            _ => return,
        };
        self.go_on(id.slot, next);
    }

    pub(crate) fn policy_done(&mut self, id: CallId, frame: u32, threw: Option<Failure>) {
        let Some(call) = self.call_mut(id) else { return };
        let (settled, started) = (call.is_settled(), call.handler_started);
        let Some(open) = usize::try_from(frame).ok().and_then(|at| call.frames.get_mut(at)) else {
            return;
        };
        if open.done {
            return;
        }
        open.done = true;
        let (called_next, name) = (open.nexts > 0, open.name.clone());
        match threw {
            Some(failure) if !settled && !started => self.settle(id.slot, Outcome::Failed(failure)),
            Some(_) => self.audit_policy(id.slot, "threw-after-start", &name),
            None if !settled && !called_next => {
                self.settle(id.slot, Outcome::Failed(Failure::policy_defect()));
            }
            None => {}
        }
        self.resume_frames(id.slot);
        self.release_call(id.slot);
    }

    /// Gives the result to the innermost policy that still waits for it; the next one out follows when that one
    /// is done.
    pub(crate) fn resume_frames(&mut self, slot: u32) {
        let id = self.call_id(slot);
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        if !call.is_settled() {
            return;
        }
        let innermost = (0_u32..)
            .zip(call.frames.iter_mut())
            .filter(|(_, frame)| !frame.done && frame.nexts > 0)
            .last();
        if let Some((at, frame)) = innermost
            && !frame.resumed
        {
            frame.resumed = true;
            self.emit(Output::ResumeNext(id, at));
        }
    }
}
