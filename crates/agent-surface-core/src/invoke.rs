//! Phase 1, identity: a call is new, the same as one before, or a conflict. And how calls are forgotten.
//!
//! Knows nothing of capabilities; that begins in `resolve`. Called through `Core` by the drivers and by toolsets.

use std::borrow::Cow;

use agent_surface_json::schema::Issue;
use agent_surface_json::{sip128, write_u64};

use crate::call::{Call, Origin, Request, Sent, Step, Votes};
use crate::core::Core;
use crate::error::{Failure, cut};
use crate::message::{CallId, Output};
use crate::table::hash;
use crate::time::Millis;

/// What an invocation turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// A new call; its result comes as `Output::Settled`.
    Fresh(CallId),
    /// The same request as this call, in flight or settled: it has the same result.
    Join(CallId),
}

impl Core {
    /// Takes a request in. The driver drains `poll_output` afterwards.
    pub fn invoke(&mut self, now: Millis, request: Request<'_>) -> Admitted {
        let fingerprint = self.fingerprint(&request);
        self.begin(now, request, fingerprint, Origin::Direct)
    }

    /// `fingerprint` is that of the request as its caller sent it.
    pub(crate) fn begin(
        &mut self,
        now: Millis,
        request: Request<'_>,
        fingerprint: u128,
        origin: Origin,
    ) -> Admitted {
        self.now = now;
        self.forget_aged();
        self.invoked += 1;
        let known = request
            .invocation_id
            .and_then(|id| self.known(&request.consumer.key, id));
        let refusal = match (known, request.invocation_id) {
            (Some(slot), _)
                if self
                    .calls
                    .get(slot)
                    .is_some_and(|call| call.fingerprint == fingerprint) =>
            {
                return Admitted::Join(self.call_id(slot));
            }
            (Some(_), _) => Some(Failure::conflict()),
            (None, Some(id)) => self.bad_invocation_id(id),
            (None, None) => None,
        };
        let refusal = if self.disposed {
            Some(Failure::disposed())
        } else {
            refusal
        };
        let aborted = request.aborted;
        let slot = self.insert_call(request, fingerprint, origin);
        if refusal.is_none() {
            self.remember_identity(slot);
            self.event_started(slot);
        }
        if let Some(call) = self.calls.get_mut(slot) {
            call.pending = refusal.or_else(|| aborted.then(Failure::cancelled));
        }
        // It moves with the next drain: until then its id and generation can be asked for.
        self.ready.push_back(slot);
        Admitted::Fresh(self.call_id(slot))
    }

    /// What generated invocation ids begin with; `_` and the number of the call follow.
    pub fn invocation_prefix(&self) -> &str {
        &self.invocation_prefix
    }

    /// How many calls came in.
    pub const fn invoked(&self) -> u64 {
        self.invoked
    }

    /// The generation of a call's slot.
    pub fn call_generation(&self, slot: u32) -> u32 {
        self.calls.generation(slot)
    }

    /// The invocation id of a call, given or generated.
    pub fn invocation_id(&self, slot: u32) -> Option<&str> {
        Some(&self.calls.get(slot)?.invocation_id)
    }

    /// What a call resolved to.
    pub fn call_target(&self, slot: u32) -> Option<crate::message::Target> {
        self.calls.get(slot)?.target
    }

    fn insert_call(&mut self, request: Request<'_>, fingerprint: u128, origin: Origin) -> u32 {
        let longest = usize::try_from(self.config.limits.max_invocation_id_length).unwrap_or(usize::MAX);
        let invocation_id = if let Some(id) = request.invocation_id {
            // One that is refused for its length must not read as another.
            let kept = cut(id, longest);
            let rest = if kept.len() < id.len() { "…" } else { "" };
            [kept, rest].concat()
        } else {
            let mut id = [self.invocation_prefix.as_str(), "_"].concat();
            write_u64(&mut id, self.invoked);
            id
        };
        self.calls.insert(Call {
            consumer: request.consumer,
            invocation_id,
            fingerprint,
            capability_id: request.capability_id.to_owned(),
            instance_id: request.instance_id.map(str::to_owned),
            registration_id: request.registration_id.map(str::to_owned),
            surface_version: request.surface_version.map(str::to_owned),
            confirmation_id: request.confirmation_id.map(str::to_owned),
            input: request.input,
            timeout_ms: request.timeout_ms,
            origin,
            step: Step::Resolve,
            waits: false,
            votes: Votes::default(),
            target: None,
            target_generation: 0,
            capability: None,
            chain: None,
            frames: Vec::new(),
            merged: None,
            effective: None,
            escalated: false,
            summary: None,
            evidence: None,
            used_evidence: None,
            group: None,
            pooled: false,
            timer: None,
            handler_started: false,
            handler_running: false,
            unmounted: false,
            outcome: None,
            output: None,
            asked: None,
            pending: None,
            announced: false,
            audited: false,
            remembered: false,
            lingers: false,
            leaving: false,
            began: self.now,
            queued: None,
            started: None,
            version: self.version,
        })
    }

    fn bad_invocation_id(&self, id: &str) -> Option<Failure> {
        let longest = self.config.limits.max_invocation_id_length;
        let length = u32::try_from(id.chars().count()).unwrap_or(u32::MAX);
        if length > 0 && length <= longest {
            return None;
        }
        let mut message = String::from("expected 1 to ");
        write_u64(&mut message, u64::from(longest));
        message.push_str(" characters");
        Some(Failure::invalid_input(&[Issue {
            path: String::from("invocationId"),
            pointer: String::from("/invocationId"),
            message,
        }]))
    }

    /// A keyed hash over capability, instance, canonical input and confirmation id, each with its length before it.
    pub(crate) fn fingerprint(&self, request: &Request<'_>) -> u128 {
        let (marker, input) = match &request.input {
            Sent::Absent => ("-", Cow::Borrowed("")),
            Sent::Json(document) => ("=", document.canonical()),
            Sent::Bad(issues) => ("!", Cow::Borrowed(issues.as_str())),
        };
        let mut text = String::with_capacity(input.len() + 160);
        for part in [
            Some(request.capability_id),
            request.instance_id,
            request.confirmation_id,
            Some(marker),
        ] {
            match part {
                Some(part) => {
                    write_u64(&mut text, part.len() as u64);
                    text.push(':');
                    text.push_str(part);
                }
                None => text.push('-'),
            }
        }
        text.push_str(&input);
        sip128(self.seed, text.as_bytes())
    }

    fn known(&self, consumer: &str, invocation_id: &str) -> Option<u32> {
        self.identities
            .find(hash(self.seed, &[consumer, invocation_id]), &mut |slot| {
                self.calls.get(slot).is_some_and(|call| {
                    &*call.consumer.key == consumer && call.invocation_id == invocation_id
                })
            })
    }

    fn remember_identity(&mut self, slot: u32) {
        if let Some(call) = self.calls.get(slot) {
            let key = hash(self.seed, &[&call.consumer.key, &call.invocation_id]);
            self.identities.insert(key, slot);
        }
    }

    fn forget_identity(&mut self, slot: u32) {
        if let Some(call) = self.calls.get(slot) {
            let key = hash(self.seed, &[&call.consumer.key, &call.invocation_id]);
            self.identities.remove(key, slot);
        }
    }

    /// Keeps a settled call for replays, or lets it go.
    pub(crate) fn keep_settled(&mut self, slot: u32, remember: bool) {
        if remember {
            if let Some(call) = self.calls.get_mut(slot) {
                call.remembered = true;
            }
            self.settled.push_back((slot, self.now));
            self.forget_aged();
        } else {
            self.forget_identity(slot);
            self.release_call(slot);
        }
    }

    fn forget_aged(&mut self) {
        let (size, ttl) = (
            self.config.limits.dedupe_cache_size,
            self.config.limits.dedupe_cache_ttl_ms,
        );
        while let Some(&(slot, at)) = self.settled.front() {
            let too_many = u32::try_from(self.settled.len()).unwrap_or(u32::MAX) > size;
            if !too_many && self.now.since(at) <= u64::from(ttl) {
                break;
            }
            self.settled.pop_front();
            self.forget_identity(slot);
            if let Some(call) = self.calls.get_mut(slot) {
                call.remembered = false;
            }
            self.release_call(slot);
        }
    }

    /// Frees the slot, unless a policy or a handler of the call is still running: then it lingers for its late
    /// end, as one of at most as many as the replay cache holds.
    pub(crate) fn release_call(&mut self, slot: u32) {
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        if call.remembered || call.leaving || !call.is_settled() {
            return;
        }
        if call.handler_running || call.frames.iter().any(|frame| !frame.done) {
            if !call.lingers {
                call.lingers = true;
                self.lingering.push_back(slot);
            }
            let most = usize::try_from(self.config.limits.dedupe_cache_size).unwrap_or(usize::MAX);
            if self.lingering.len() > most
                && let Some(oldest) = self.lingering.pop_front()
            {
                self.free_call(oldest);
            }
            return;
        }
        if call.lingers {
            self.lingering.retain(|&other| other != slot);
        }
        self.free_call(slot);
    }

    fn free_call(&mut self, slot: u32) {
        if let Some(call) = self.calls.get_mut(slot) {
            call.leaving = true;
            self.emit(Output::Forget(slot));
        }
    }
}
