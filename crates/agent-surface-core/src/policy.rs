//! Discovery votes and the two policy chains (phases 3 and 6).
//!
//! A policy's function is a frame on the call: its `next` is an input, the inner result an output. A guard gives a
//! verdict at once and has no frame. Nothing here runs a policy; the driver does.

use crate::call::{Call, Frame, Step};
use crate::core::Core;
use crate::definition::PolicyRef;
use crate::error::Failure;
use crate::message::{Output, Stage, Target, Vote};
use alloc::string::String;

const ON_DISCOVERY: u8 = PolicyRef::ON_DISCOVERY;
const ON_AUTHORIZE: u8 = PolicyRef::ON_AUTHORIZE;
const ON_INVOKE: u8 = PolicyRef::ON_INVOKE;

impl Core {
    fn chain_of(&self, target: Target) -> &[PolicyRef] {
        self.registrations
            .get(target.registration)
            .and_then(|registration| registration.member(target.capability))
            .map_or(&[], |member| &member.chain)
    }

    /// Asks the next vote, or goes on when all are in.
    pub(crate) fn ask_votes(&mut self, call: &mut Call) {
        let votes = &mut call.votes;
        while let Some(candidate) = votes.candidates.get(votes.candidate) {
            if let Some(policy) = self.chain_of(candidate.target).get(votes.policy) {
                let asked =
                    policy.has(ON_DISCOVERY) && (votes.all || !policy.has(ON_AUTHORIZE)) && !candidate.hidden;
                if asked {
                    let output = Output::AskDiscovery(call.id, candidate.target, policy.reference);
                    return self.ask(call, output);
                }
                votes.policy += 1;
            } else {
                votes.candidate += 1;
                votes.policy = 0;
            }
        }
        if matches!(call.step, Step::Votes) {
            call.step = Step::Choose;
        } else if call.votes.candidates.first().is_some_and(|one| one.undisclosed) {
            self.fail(call, Failure::not_found());
        } else {
            call.step = Step::Availability;
        }
    }

    pub(crate) fn vote(&mut self, call: &mut Call, vote: Vote) {
        if !matches!(call.step, Step::Votes | Step::VotesAgain) {
            return;
        }
        let votes = &mut call.votes;
        if let Some(one) = votes.candidates.get_mut(votes.candidate) {
            match vote {
                Vote::Expose => {}
                Vote::Hide => {
                    let policy = self.chain_of(one.target).get(votes.policy);
                    one.undisclosed = true;
                    one.hidden |= !policy.is_some_and(|policy| policy.has(ON_AUTHORIZE));
                }
                Vote::Disable(reason) => {
                    keep_first(&mut one.disabled, reason);
                }
            }
        }
        votes.policy += 1;
        self.go_on(call, call.step);
    }

    /// The chain's next policy with a hook for this stage.
    pub(crate) fn chain_step(&mut self, call: &mut Call, stage: Stage, at: usize) {
        let (hook, step): (_, fn(usize) -> Step) = match stage {
            Stage::Authorize => (ON_AUTHORIZE, Step::Authorize),
            Stage::Invoke => (ON_INVOKE, Step::Invoke),
        };
        let Some(chain) = &call.chain else { return };
        let mut policies = chain.iter().enumerate().skip(at);
        let Some((at, policy)) = policies.find(|(_, policy)| policy.has(hook)) else {
            match stage {
                Stage::Authorize => authorized(call),
                Stage::Invoke => call.step = Step::Confirm,
            }
            return;
        };
        let reference = policy.reference;
        call.step = step(at);
        if policy.guard {
            return self.ask(call, Output::Guard(call.id, stage, reference));
        }
        let frame = u32::try_from(call.frames.len()).unwrap_or(u32::MAX);
        call.frames.push(Frame {
            chain: at,
            stage,
            name: policy.name.clone(),
            nexts: 0,
            done: false,
            resumed: false,
        });
        self.ask(call, Output::RunPolicy(call.id, stage, frame, reference));
    }

    pub(crate) fn verdict(&mut self, call: &mut Call, refusal: Option<Failure>) {
        let (at, next) = match call.step {
            Step::Authorize(at) => (at, Step::Authorize(at + 1)),
            Step::Invoke(at) => (at, Step::Invoke(at + 1)),
            _ => return,
        };
        let asked = call.chain.as_ref().and_then(|chain| chain.get(at));
        if !asked.is_some_and(|policy| policy.guard) {
            return;
        }
        match refusal {
            None => self.go_on(call, next),
            Some(failure) => self.fail(call, failure),
        }
    }

    pub(crate) fn policy_next(&mut self, call: &mut Call, frame: u32) {
        let (id, settled) = (call.id, call.is_settled());
        let Some(open) = usize::try_from(frame).ok().and_then(|at| call.frames.get_mut(at)) else {
            return;
        };
        open.nexts += 1;
        if open.nexts > 1 {
            let name = open.name.clone();
            return self.audit_policy(call, "next-called-twice", &name);
        }
        if settled {
            open.resumed = true;
            return self.emit(Output::ResumeNext(id, frame));
        }
        let next = match (open.stage, call.step) {
            (Stage::Authorize, Step::Authorize(now)) if now == open.chain => Step::Authorize(now + 1),
            (Stage::Invoke, Step::Invoke(now)) if now == open.chain => Step::Invoke(now + 1),
            _ => return,
        };
        self.go_on(call, next);
    }

    pub(crate) fn policy_done(&mut self, call: &mut Call, frame: u32, threw: Option<Failure>) {
        let (settled, started) = (call.is_settled(), call.handler_started);
        let Some(open) = usize::try_from(frame).ok().and_then(|at| call.frames.get_mut(at)) else {
            return;
        };
        if core::mem::replace(&mut open.done, true) {
            return;
        }
        match threw {
            Some(failure) if !settled && !started => self.fail(call, failure),
            // Before the start it is what a call that is over does to its policies.
            Some(_) if started => {
                let name = open.name.clone();
                self.audit_policy(call, "threw-after-start", &name);
            }
            None if !settled && open.nexts == 0 => self.fail(call, Failure::policy_defect()),
            _ => {}
        }
        self.resume_frames(call);
        self.release_call(call);
    }

    /// Gives the result to the innermost policy that still waits for it; the next one out follows when that one
    /// is done.
    pub(crate) fn resume_frames(&mut self, call: &mut Call) {
        if !call.is_settled() {
            return;
        }
        let innermost = (0_u32..)
            .zip(&mut call.frames)
            .filter(|(_, frame)| !frame.done && frame.nexts > 0)
            .last();
        if let Some((at, frame)) = innermost
            && !frame.resumed
        {
            frame.resumed = true;
            self.emit(Output::ResumeNext(call.id, at));
        }
    }
}

/// The first reason that says something stands.
#[inline(never)]
pub(crate) fn keep_first(kept: &mut Option<String>, reason: String) {
    if kept.as_deref().unwrap_or_default().is_empty() {
        *kept = Some(reason);
    }
}

/// The authorize chain let it pass: what its policies hide is hidden all the same.
fn authorized(call: &mut Call) {
    let hides = |policy: &PolicyRef| policy.has(ON_DISCOVERY | ON_AUTHORIZE);
    if !call.chain.as_ref().is_some_and(|chain| chain.iter().any(hides)) {
        call.step = Step::Availability;
        return;
    }
    let votes = &mut call.votes;
    for one in &mut votes.candidates {
        one.hidden = false;
        one.undisclosed = false;
        one.disabled = None;
    }
    votes.candidate = 0;
    votes.policy = 0;
    votes.all = true;
    votes.dead = true;
    call.step = Step::VotesAgain;
}

/// A person has to approve; the first summary stands. No effect on observations, nor once the chain is through.
pub(crate) fn escalate(call: &mut Call, summary: Option<String>) {
    if call.acts() && matches!(call.step, Step::Invoke(_)) {
        call.escalated = true;
        if call.summary.is_none() {
            call.summary = summary;
        }
    }
}
