//! Phase 1, identity: a call is new, the same as one before, or a conflict. And how calls are forgotten.
//!
//! Knows nothing of capabilities; that begins in `resolve`. Called through `Core` by the drivers and by toolsets.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned as _;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::{characters, concat, sip128, write_u64};

use crate::admission::{first_of, take_out};
use crate::call::{Call, Origin, Request, Sent, Step, Votes};
use crate::core::Core;
use crate::effect::Audit;
use crate::effective::{bad_input, issue};
use crate::error::{Failure, cut};
use crate::id::{CapabilityId, parse};
use crate::message::{CallId, Output};
use crate::table::hash;
use crate::time::Millis;

/// Bytes of an input above which the canonical text costs more than it is worth where no id was given: who repeats the
/// call by the id that was made up sends the same text again, or is refused as a conflict.
const LARGE_INPUT: usize = 1_024;

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
        self.begin(now, request, Origin::Direct)
    }

    pub(crate) fn begin(&mut self, now: Millis, request: Request<'_>, origin: Origin) -> Admitted {
        self.now = now;
        self.forget_aged();
        self.invoked += 1;
        let mut refusal = None;
        let mut as_sent = matches!(&request.input, Sent::Json(input) if input.text().len() > LARGE_INPUT);
        if let Some(id) = request.invocation_id {
            as_sent = false;
            if let Some(known) = self.known(&request.route.consumer.key, id) {
                // What can be no id crosses without its text: it names nothing, and nothing is the same as it.
                let names_something = !request.route.capability_id.is_empty();
                let is_same =
                    names_something && known.fingerprint == self.fingerprint(&request, known.as_sent);
                if is_same && self.reaches(origin, known) {
                    return Admitted::Join(known.id);
                }
                refusal = Some(if is_same {
                    Failure::not_found()
                } else {
                    Failure::conflict()
                });
            } else {
                refusal = self.bad_invocation_id(id);
            }
        }
        if self.disposed {
            refusal = Some(Failure::disposed());
        }
        let is_known = refusal.is_none();
        if is_known && request.aborted {
            refusal = Some(Failure::cancelled());
        }
        if let (None, Sent::Refused(issues)) = (&refusal, &request.input) {
            refusal = Some(bad_input(issues));
        }
        let fingerprint = self.fingerprint(&request, as_sent);
        let slot = self.insert_call(request, fingerprint, as_sent, origin, refusal);
        let mut id = CallId { slot, generation: 0 };
        self.with_call(slot, &mut |core, call| {
            if is_known {
                core.remember_identity(call);
                core.event_started(call);
            }
            // It moves with the next drain: until then its id and generation can be asked for.
            core.ready.push_back(slot);
            id = call.id;
        });
        Admitted::Fresh(id)
    }

    /// Whether a call lies in the scope of whoever repeats it: its result says no more than a new call would.
    fn reaches(&self, origin: Origin, known: &Call) -> bool {
        let Origin::Toolset(toolset) = origin else {
            return true;
        };
        let component_type = match parse(&known.route.capability_id) {
            Some(CapabilityId::View { component_type, .. }) => component_type,
            Some(CapabilityId::Domain { .. }) => known
                .target
                .filter(|target| {
                    self.registrations.generation(target.registration) == known.target_generation
                })
                .and_then(|target| self.registrations.get(target.registration))
                .map_or("", |registration| &registration.component.header.component_type),
            None => return true,
        };
        let is_own = origin == known.origin;
        let found = self.toolsets.get(toolset);
        is_own || found.is_none_or(|found| self.is_in_scope(found.view, component_type))
    }

    /// The random characters in the ids `inv_<mark>_<number of the call>` and `reg_<number of the registration>_<mark>`.
    pub fn mark(&self) -> &str {
        &self.mark
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
    pub fn invocation_id(&self, slot: u32) -> Option<Cow<'_, str>> {
        Some(self.name_of_call(self.calls.get(slot)?))
    }

    /// The same of a call that is worked on.
    pub(crate) fn name_of_call<'a>(&self, call: &'a Call) -> Cow<'a, str> {
        match &call.invocation_id {
            Some(id) => Cow::Borrowed(id),
            None => Cow::Owned(self.generated_id(call.number)),
        }
    }

    fn generated_id(&self, number: u64) -> String {
        let mut id = concat(&["inv_", &self.mark, "_"]);
        write_u64(&mut id, number);
        id
    }

    /// What a call resolved to.
    pub fn call_target(&self, slot: u32) -> Option<crate::message::Target> {
        self.calls.get(slot)?.target
    }

    fn insert_call(
        &mut self,
        request: Request<'_>,
        fingerprint: u128,
        as_sent: bool,
        origin: Origin,
        pending: Option<Failure>,
    ) -> u32 {
        let longest = usize::try_from(self.config.limits.max_invocation_id_length).unwrap_or(usize::MAX);
        let invocation_id = request.invocation_id.map(|id| {
            // One that is refused for its length must not read as another.
            let kept = cut(id, longest);
            let rest = if kept.len() < id.len() { "…" } else { "" };
            concat(&[kept, rest])
        });
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let slot = self.calls.insert(Call {
            id: CallId {
                slot: 0,
                generation: 0,
            },
            route: request.route,
            invocation_id,
            number: self.invoked,
            fingerprint,
            as_sent,
            instance_id: owned(request.instance_id),
            registration_id: owned(request.registration_id),
            surface_version: owned(request.surface_version),
            confirmation_id: owned(request.confirmation_id),
            names_evidence: request.confirmation_id.is_some(),
            input: request.input,
            reads_only: request.reads_only,
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
            binding: None,
            evidence: None,
            group: None,
            pooled: false,
            timer: None,
            handler_started: false,
            handler_running: false,
            unmounted: false,
            outcome: None,
            output: None,
            asked: None,
            pending,
            announced: false,
            audited: false,
            audit: Audit::None,
            known: false,
            remembered: None,
            lingers: false,
            leaving: false,
            began: self.now,
            queued: None,
            started: None,
            version: self.version,
        });
        let generation = self.calls.generation(slot);
        if let Some(call) = self.calls.get_mut(slot) {
            call.id = CallId { slot, generation };
        }
        slot
    }

    fn bad_invocation_id(&self, id: &str) -> Option<Failure> {
        let longest = self.config.limits.max_invocation_id_length;
        let length = u32::try_from(characters(id)).unwrap_or(u32::MAX);
        if length > 0 && length <= longest {
            return None;
        }
        let mut message = String::from("expected 1 to ");
        write_u64(&mut message, u64::from(longest));
        message.push_str(" characters");
        Some(Failure::invalid_input(&[issue("invocationId", &message)]))
    }

    /// A keyed hash over capability, instance, input (canonical, or as its sender wrote it) and confirmation id, each with
    /// its length before it. That of a request with none of them is kept with its route.
    fn fingerprint(&self, request: &Request<'_>, as_sent: bool) -> u128 {
        let (marker, input, plain) = match &request.input {
            // What no input stands for: a transport may write it out when it repeats the call.
            Sent::Absent => ("=", Cow::Borrowed("{}"), true),
            Sent::Json(document) | Sent::Encoded(document, _) => {
                let plain = Rc::ptr_eq(document, &self.empty);
                let text = if as_sent {
                    Cow::Borrowed(document.text())
                } else {
                    document.canonical()
                };
                ("=", text, plain)
            }
            Sent::Bad(issues) | Sent::Refused(issues) => ("!", Cow::Borrowed(issues.as_str()), false),
        };
        let plain = plain && request.instance_id.is_none() && request.confirmation_id.is_none();
        if let Some(known) = request.route.plain.get().filter(|_| plain) {
            return known;
        }
        let mut text = String::with_capacity(input.len() + 160);
        for part in [
            Some(request.route.capability_id.as_str()),
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
        let fingerprint = sip128(self.seed, text.as_bytes());
        if plain {
            request.route.plain.set(Some(fingerprint));
        }
        fingerprint
    }

    /// The call that an id stands for. Only ids that callers gave are in the table: a generated one tells its number.
    fn known(&self, consumer: &str, invocation_id: &str) -> Option<&Call> {
        let is_of = |call: &Call| call.known && *call.route.consumer.key == consumer;
        if invocation_id.starts_with("inv_") {
            let generated = |call: &Call| {
                is_of(call) && call.invocation_id.is_none() && self.generated_id(call.number) == invocation_id
            };
            if let Some((_, call)) = self.calls.iter().find(|(_, call)| generated(call)) {
                return Some(call);
            }
        }
        let key = hash(self.seed, &[consumer, invocation_id]);
        let slot = self.identities.find(key, &mut |slot| {
            self.calls
                .get(slot)
                .is_some_and(|call| is_of(call) && call.invocation_id.as_deref() == Some(invocation_id))
        })?;
        self.calls.get(slot)
    }

    fn remember_identity(&mut self, call: &mut Call) {
        call.known = true;
        if let Some(key) = self.identity_key(call) {
            self.identities.insert(key, call.id.slot);
        }
    }

    fn forget_identity(&mut self, call: &mut Call) {
        if core::mem::take(&mut call.known)
            && let Some(key) = self.identity_key(call)
        {
            self.identities.remove(key, call.id.slot);
        }
    }

    fn identity_key(&self, call: &Call) -> Option<u64> {
        let id = call.invocation_id.as_deref()?;
        Some(hash(self.seed, &[&call.route.consumer.key, id]))
    }

    /// Keeps a settled call for replays, or lets it go.
    pub(crate) fn keep_settled(&mut self, call: &mut Call, remember: bool) {
        if remember && self.config.limits.dedupe_cache_size > 0 {
            call.remembered = Some(self.now);
            self.settled.push_back(call.id.slot);
            self.forget_aged();
        } else {
            self.forget_identity(call);
            self.release_call(call);
        }
    }

    fn forget_aged(&mut self) {
        let (size, ttl) = (
            self.config.limits.dedupe_cache_size,
            self.config.limits.dedupe_cache_ttl_ms,
        );
        while let Some(&slot) = self.settled.front() {
            let settled = self.calls.get(slot).and_then(|call| call.remembered);
            let age = settled.map_or(0, |at| self.now.since(at));
            let too_many = u32::try_from(self.settled.len()).unwrap_or(u32::MAX) > size;
            if !too_many && age <= u64::from(ttl) {
                break;
            }
            self.settled.pop_front();
            self.with_call(slot, &mut |core, call| {
                core.forget_identity(call);
                call.remembered = None;
                core.release_call(call);
            });
        }
    }

    /// Frees the slot, unless a policy or a handler of the call is still running: then it lingers for its late
    /// end, as one of at most as many as the replay cache holds.
    pub(crate) fn release_call(&mut self, call: &mut Call) {
        if call.remembered.is_some() || call.leaving || !call.is_settled() {
            return;
        }
        if call.handler_running || call.frames.iter().any(|frame| !frame.done) {
            if !call.lingers {
                call.lingers = true;
                self.lingering.push(call.id.slot);
            }
            let most = usize::try_from(self.config.limits.dedupe_cache_size).unwrap_or(usize::MAX);
            if self.lingering.len() > most
                && let Some(oldest) = first_of(&mut self.lingering)
            {
                if oldest == call.id.slot {
                    self.free_call(call);
                } else {
                    self.with_call(oldest, &mut Self::free_call);
                }
            }
            return;
        }
        if call.lingers {
            take_out(&mut self.lingering, call.id.slot);
        }
        self.free_call(call);
    }

    fn free_call(&mut self, call: &mut Call) {
        call.leaving = true;
        self.emit(Output::Forget(call.id.slot));
    }
}
