//! Confirmations: what a person is asked, and the single-use, expiring evidence that they approved.
//!
//! Nothing that an agent or an adapter reaches can resolve one; `resolve_confirmation` belongs to the page.

use agent_surface_json::concat;
use alloc::borrow::ToOwned as _;
use alloc::collections::VecDeque;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::admission::take_at;
use crate::call::{Call, Route, Sent, Step};
use crate::core::Core;
use crate::definition::Capability;
use crate::effect::Confirmation;
use crate::error::{Failure, ObjectWriter, is_blank};
use crate::message::{Evidence, Output};
use crate::table::Slab;
use crate::time::Millis;
use crate::timer::Owner;

/// Where a record stands.
#[derive(Clone, Debug)]
pub(crate) enum Status {
    Pending,
    /// When.
    Approved(Millis),
    /// The person's words.
    Denied(Option<String>),
    Expired,
    Consumed,
}

/// What evidence binds to, apart from the surface, which has its own records. It is compared whole, where a digest would
/// only stand for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binding {
    /// Capability, registration, consumer and effect, as JSON.
    subject: String,
    /// Canonical JSON of the exact effective input.
    input: String,
}

/// One question to a person.
#[derive(Debug)]
pub(crate) struct Record {
    pub id: String,
    pub capability: Rc<Capability>,
    /// Who asked.
    pub route: Rc<Route>,
    pub registration: u32,
    pub registration_generation: u32,
    pub registration_id: String,
    pub instance_id: String,
    /// A policy's words in place of the description.
    pub words: Option<String>,
    pub binding: Binding,
    pub requested: Millis,
    pub expires: Millis,
    pub status: Status,
    /// The call that holds the evidence until it starts or is refused.
    pub reserved_by: Option<u32>,
}

impl Record {
    /// What a person reads.
    fn summary(&self) -> &str {
        self.words.as_deref().unwrap_or(&self.capability.description)
    }
}

/// All questions of a registry.
#[derive(Debug)]
pub(crate) struct Confirmations {
    pub records: Slab<Record>,
    /// Slots of pending records, in order of arrival.
    pub pending: Vec<u32>,
    /// Slots of decided records, oldest first.
    pub decided: VecDeque<u32>,
    /// What is waited for, by the time of asking.
    expiries: Vec<Expiry>,
}

/// A timer that records of the same moment share.
#[derive(Debug)]
struct Expiry {
    at: Millis,
    timer: u32,
    /// How many records can still expire.
    waiting: u32,
}

impl Confirmations {
    pub const fn new() -> Self {
        Self {
            records: Slab::new(),
            pending: Vec::new(),
            decided: VecDeque::new(),
            expiries: Vec::new(),
        }
    }

    pub fn find(&self, id: &str) -> Option<u32> {
        // The youngest first: it is looked for the most.
        self.pending
            .iter()
            .chain(self.decided.iter().rev())
            .copied()
            .find(|&slot| self.records.get(slot).is_some_and(|record| record.id == id))
    }

    pub fn named(&self, id: &str) -> Option<&Record> {
        self.records.get(self.find(id)?)
    }
}

impl Core {
    /// Phase 6, after the chain: does a person have to approve, and did they?
    pub(crate) fn confirm(&mut self, call: &mut Call) {
        let Some(capability) = &call.capability else {
            return;
        };
        if !call.escalated && capability.confirmation != Confirmation::Required || !capability.acts() {
            call.step = Step::Precondition { before_record: false };
            return;
        }
        call.binding = self.binding(call);
        if call.confirmation_id.is_none() {
            call.confirmation_id = self.remembered_evidence(call);
        }
        if call.confirmation_id.is_some() {
            return match self.reserve(call) {
                Ok(()) => call.step = Step::Precondition { before_record: false },
                Err(failure) => self.fail(call, failure),
            };
        }
        if self.config.require_approver && self.approvers == 0 {
            return self.fail(call, Failure::approval_unavailable());
        }
        self.expire_due();
        let pending = &mut self.confirmations.pending.iter().copied();
        match self.record_of(call, pending, &|_| true) {
            Some(record) => {
                let failure = self.confirmation_required(call, record);
                self.fail(call, failure);
            }
            None => call.step = Step::Precondition { before_record: true },
        }
    }

    fn binding(&self, call: &Call) -> Option<Binding> {
        let capability = call.capability.as_ref()?;
        let input = match (&call.effective, &call.input) {
            (Some(document), _) | (None, Sent::Json(document)) => document.canonical().into_owned(),
            _ => String::from("{}"),
        };
        let registration_id = self.registration_id(call.target?.registration)?;
        let subject = ObjectWriter::new()
            .text("capabilityId", &capability.id)
            .text("consumerKey", &call.route.consumer.key)
            .text("effect", capability.effect.as_str())
            .text("registrationId", registration_id)
            .finish();
        Some(Binding { subject, input })
    }

    /// The first record of these that is about exactly the same call, and so.
    pub(crate) fn record_of(
        &self,
        call: &Call,
        records: &mut dyn Iterator<Item = u32>,
        so: &dyn Fn(&Record) -> bool,
    ) -> Option<u32> {
        let binding = call.binding.as_ref()?;
        for slot in records {
            let record = self.confirmations.records.get(slot);
            if record.is_some_and(|record| *binding == record.binding && so(record)) {
                return Some(slot);
            }
        }
        None
    }

    /// Takes the evidence that the call names, or says what is wrong with it.
    fn reserve(&mut self, call: &mut Call) -> Result<(), Failure> {
        let mismatch = || Failure::confirmation_invalid("mismatch", None);
        let named = call.confirmation_id.as_deref().unwrap_or_default();
        let record_slot = self.confirmations.find(named).ok_or_else(mismatch)?;
        let record = self.confirmations.records.get(record_slot).ok_or_else(mismatch)?;
        if call.binding.as_ref() != Some(&record.binding) {
            return Err(mismatch());
        }
        self.expire_if_due(record_slot);
        let record = self
            .confirmations
            .records
            .get_mut(record_slot)
            .ok_or_else(mismatch)?;
        if matches!(record.status, Status::Pending) {
            return Err(self.confirmation_required(call, record_slot));
        }
        match &record.status {
            Status::Denied(note) => Err(Failure::confirmation_invalid("denied", note.as_deref())),
            Status::Pending | Status::Expired => Err(Failure::confirmation_invalid("expired", None)),
            Status::Consumed => Err(Failure::confirmation_invalid("consumed", None)),
            Status::Approved(_) if record.reserved_by.is_some() => {
                Err(Failure::confirmation_invalid("consumed", None))
            }
            Status::Approved(_) => {
                record.reserved_by = Some(call.id.slot);
                call.evidence = Some(record_slot);
                Ok(())
            }
        }
    }

    /// Uses up the evidence as the handler starts. `Err` when it expired meanwhile.
    pub(crate) fn consume(&mut self, call: &mut Call) -> Result<Option<Evidence>, Failure> {
        let Some(record_slot) = call.evidence.take() else {
            return Ok(None);
        };
        self.expire_if_due(record_slot);
        let record = self
            .confirmations
            .records
            .get_mut(record_slot)
            .filter(|record| record.reserved_by == Some(call.id.slot));
        let Some(record) = record else {
            return Err(Failure::confirmation_invalid("mismatch", None));
        };
        record.reserved_by = None;
        let Status::Approved(at) = record.status else {
            return Err(Failure::confirmation_invalid("expired", None));
        };
        let used = Evidence {
            id: record.id.clone(),
            named: call.names_evidence,
            at,
        };
        record.status = Status::Consumed;
        self.ends(record_slot);
        self.audit_confirmation(record_slot, "confirmation-consumed", None);
        Ok(Some(used))
    }

    /// Evidence of a call that was refused after all serves another call.
    pub(crate) fn give_back(&mut self, call: &mut Call) {
        if let Some(record) = call.evidence.take()
            && let Some(record) = self.confirmations.records.get_mut(record)
            && record.reserved_by == Some(call.id.slot)
        {
            record.reserved_by = None;
        }
    }

    /// Makes the record that a person decides on, and settles the call with its id.
    pub(crate) fn request_confirmation(&mut self, call: &mut Call) {
        let limits = &self.config.limits;
        let (most, ttl) = (limits.max_pending_confirmations, limits.confirmation_ttl_ms);
        if u32::try_from(self.confirmations.pending.len()).unwrap_or(u32::MAX) >= most {
            return self.fail(call, Failure::queue_full(1000));
        }
        let Some(random) = self.entropy.base62(22) else {
            return self.fail(call, Failure::execution_failed(None));
        };
        let (Some(capability), Some(target)) = (&call.capability, call.target) else {
            return;
        };
        let Some(registration) = self.registrations.get(target.registration) else {
            return;
        };
        let Some(binding) = call.binding.take() else {
            return;
        };
        let record = self.confirmations.records.insert(Record {
            id: concat(&["cnf_", &random]),
            capability: Rc::clone(capability),
            route: Rc::clone(&call.route),
            registration: target.registration,
            registration_generation: call.target_generation,
            registration_id: registration.id.clone(),
            instance_id: registration.component.header.instance_id.clone(),
            words: call.summary.take(),
            binding,
            requested: self.now,
            expires: self.now.plus(ttl),
            status: Status::Pending,
            reserved_by: None,
        });
        self.await_expiry(self.now.plus(ttl), ttl);
        self.confirmations.pending.push(record);
        self.event_confirmation_requested(record);
        self.audit_confirmation(record, "confirmation-requested", None);
        let failure = self.confirmation_required(call, record);
        self.fail(call, failure);
    }

    /// `CONFIRMATION_REQUIRED` for this record; the call remembers which one it was.
    fn confirmation_required(&self, call: &mut Call, record: u32) -> Failure {
        match self.confirmations.records.get(record) {
            Some(record) => {
                call.asked = Some(record.id.clone());
                Failure::confirmation_required(
                    &record.id,
                    record.summary(),
                    &record.expires.iso(),
                    record.capability.effect.as_str(),
                    "client",
                )
            }
            None => Failure::confirmation_invalid("expired", None),
        }
    }

    /// The person's decision. False when there is nothing to decide any more.
    pub fn resolve_confirmation(
        &mut self,
        now: Millis,
        id: &str,
        approved: bool,
        note: Option<&str>,
    ) -> bool {
        self.now = now;
        let Some(slot) = self.confirmations.find(id) else {
            return false;
        };
        self.expire_if_due(slot);
        let Some(record) = self.confirmations.records.get(slot) else {
            return false;
        };
        let pending = matches!(record.status, Status::Pending);
        if pending {
            let (status, outcome, kind) = if approved {
                (Status::Approved(now), "approved", "confirmation-approved")
            } else {
                self.ends(slot);
                let note = note.filter(|note| !is_blank(note)).map(str::to_owned);
                (Status::Denied(note), "denied", "confirmation-denied")
            };
            self.decide(slot, status, outcome);
            self.audit_confirmation(slot, kind, note);
        }
        self.run();
        pending
    }

    fn decide(&mut self, slot: u32, status: Status, outcome: &'static str) {
        let Some(record) = self.confirmations.records.get_mut(slot) else {
            return;
        };
        record.status = status;
        let id = record.id.clone();
        self.confirmations.pending.retain(|&other| other != slot);
        self.confirmations.decided.push_back(slot);
        self.event_confirmation_resolved(&id, outcome);
        self.emit(Output::ConfirmationResolved(id, outcome));
        self.person_decided(slot);
        self.forget_decided();
    }

    /// Decided records are kept as long as the replay cache keeps calls, the oldest out first.
    fn forget_decided(&mut self) {
        let most = usize::try_from(self.config.limits.dedupe_cache_size).unwrap_or(usize::MAX);
        while self.confirmations.decided.len() > most {
            let Some(slot) = self.confirmations.decided.pop_front() else {
                return;
            };
            let record = self.confirmations.records.get(slot);
            if record.is_some_and(|record| matches!(record.status, Status::Approved(_))) {
                self.ends(slot);
            }
            self.confirmations.records.discard(slot);
        }
    }

    /// Waits for a record to expire. A timer that nothing waits for any more runs on until the next one starts, and serves
    /// what is asked at the same time: to start and stop one for each question would cost a page more than the call does.
    fn await_expiry(&mut self, at: Millis, ttl: u32) {
        if let Some(last) = self.confirmations.expiries.last_mut()
            && last.at == at
        {
            last.waiting += 1;
            return self.timers.again(last.timer);
        }
        let is_idle = |expiry: &Expiry| expiry.waiting == 0;
        while let Some(place) = self.confirmations.expiries.iter().position(is_idle) {
            let idle = take_at(&mut self.confirmations.expiries, place);
            self.stop_timer(idle.map(|idle| idle.timer));
        }
        let timer = self.timers.start(Owner::Confirmations, ttl.saturating_add(1));
        let waiting = 1;
        self.confirmations.expiries.push(Expiry { at, timer, waiting });
    }

    /// The record cannot expire any more.
    fn ends(&mut self, slot: u32) {
        let Confirmations {
            records, expiries, ..
        } = &mut self.confirmations;
        if let Some(record) = records.get(slot)
            && let Some(expiry) = expiries.iter_mut().find(|expiry| expiry.at == record.expires)
        {
            expiry.waiting = expiry.waiting.saturating_sub(1);
        }
    }

    /// What a timer waited for has expired, whatever the clock says.
    pub(crate) fn confirmations_timed_out(&mut self, timer: u32) {
        let mut at = None;
        self.confirmations.expiries.retain(|expiry| {
            let waits = expiry.timer != timer;
            if !waits {
                at = Some(expiry.at);
            }
            waits
        });
        let due = |record: &Record| at == Some(record.expires);
        // Those that were decided first: pending ones join them as they expire.
        for place in 0..self.confirmations.decided.len() {
            if let Some(&slot) = self.confirmations.decided.get(place) {
                self.expire_when(slot, &due);
            }
        }
        self.expire_pending(&due);
    }

    /// Strictly after `expires` a record that was not used is expired.
    fn expire_if_due(&mut self, slot: u32) {
        let now = self.now;
        self.expire_when(slot, &|record| now > record.expires);
    }

    fn expire_when(&mut self, slot: u32, so: &dyn Fn(&Record) -> bool) {
        if self.confirmations.records.get(slot).is_some_and(so) {
            self.expire(slot);
        }
    }

    fn expire(&mut self, slot: u32) {
        let status = self.confirmations.records.get(slot).map(|record| &record.status);
        let is_pending = matches!(status, Some(Status::Pending));
        if !is_pending && !matches!(status, Some(Status::Approved(_))) {
            return;
        }
        self.ends(slot);
        if is_pending {
            self.decide(slot, Status::Expired, "expired");
        } else if let Some(record) = self.confirmations.records.get_mut(slot) {
            record.status = Status::Expired;
        }
        self.audit_confirmation(slot, "confirmation-expired", None);
    }

    pub(crate) fn withdraw_confirmations(&mut self, registration: u32) {
        let generation = self.registrations.generation(registration);
        self.expire_pending(&|record| {
            record.registration == registration && record.registration_generation == generation
        });
    }

    /// Pending records whose time is up although no timer has fired yet.
    fn expire_due(&mut self) {
        let now = self.now;
        self.expire_pending(&|record| now > record.expires);
    }

    pub(crate) fn expire_all_confirmations(&mut self) {
        self.expire_pending(&|_| true);
        for expiry in core::mem::take(&mut self.confirmations.expiries) {
            self.stop_timer(Some(expiry.timer));
        }
    }

    /// Expires the pending records that are so.
    fn expire_pending(&mut self, so: &dyn Fn(&Record) -> bool) {
        for slot in self.confirmations.pending.clone() {
            self.expire_when(slot, so);
        }
    }

    /// `pending`, `approved`, `denied` or `expired`; a used or unknown one is `expired`.
    pub fn confirmation_status(&mut self, now: Millis, id: &str) -> &'static str {
        self.now = now;
        let Some(slot) = self.confirmations.find(id) else {
            return "expired";
        };
        self.expire_if_due(slot);
        match self.confirmations.records.get(slot).map(|record| &record.status) {
            Some(Status::Pending) => "pending",
            Some(Status::Approved(_) | Status::Consumed) => "approved",
            Some(Status::Denied(_)) => "denied",
            _ => "expired",
        }
    }

    /// What is pending, as a JSON array in order of arrival.
    pub fn pending_confirmations(&mut self, now: Millis) -> String {
        self.now = now;
        let mut list = ObjectWriter::new();
        list.open_item("[");
        for &slot in &self.confirmations.pending {
            // Reading tells nobody that something expired: pages read while they render.
            let record = self.confirmations.records.get(slot);
            if let Some(record) = record.filter(|record| now <= record.expires) {
                list.open_item("{")
                    .text("confirmationId", &record.id)
                    .text("capabilityId", &record.capability.id)
                    .text("registrationId", &record.registration_id)
                    .text("consumerKey", &record.route.consumer.key)
                    .text("effect", record.capability.effect.as_str())
                    .text("summary", record.summary())
                    .raw("input", &record.binding.input)
                    .text("requestedAt", &record.requested.iso())
                    .text("expiresAt", &record.expires.iso())
                    .close("}");
            }
        }
        list.close("]").take()
    }

    /// What an approval element shows beside the record: `{ description, consumer, instanceId, callerGone }`.
    pub fn describe_confirmation(&self, id: &str) -> Option<String> {
        let slot = self.confirmations.find(id)?;
        let record = self.confirmations.records.get(slot)?;
        let text = ObjectWriter::new()
            .text("description", &record.capability.description)
            .text("instanceId", &record.instance_id)
            .open("consumer", "{")
            .text("id", record.route.consumer.id())
            .text("kind", record.route.consumer.kind())
            .close("}")
            .flag("callerGone", self.caller_left(slot))
            .finish();
        Some(text)
    }

    /// Notes that something other than a person's own gesture tried to decide.
    pub fn gesture_refused(&mut self, now: Millis, id: &str, how: &str) {
        self.now = now;
        if let Some(slot) = self.confirmations.find(id) {
            self.audit_confirmation(slot, "gesture-refused", Some(how));
        }
    }
}
