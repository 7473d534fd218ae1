//! Events for the page's listeners and records for its audit, as JSON text.
//!
//! Builds nothing that nobody reads. Called by every module that changes something.

use crate::call::Call;
use crate::core::Core;
use crate::definition::Header;
use crate::effect::Audit;
use crate::error::{Code, ObjectWriter, decimal};
use crate::message::Output;
use agent_surface_json::concat;

/// Bytes of an audit payload; a larger one is named by its size instead.
const PAYLOAD_BYTES: usize = 8_192;

impl Core {
    /// An event with these members, when somebody listens.
    #[inline(never)]
    fn publish(&mut self, kind: &str, members: &str) {
        if self.has_listeners {
            let event = ObjectWriter::new()
                .text("type", kind)
                .members_of(members)
                .finish();
            self.emit(Output::Event(event));
        }
    }

    /// An audit record with these members, when somebody reads it.
    #[inline(never)]
    fn record(&mut self, kind: &str, members: &str, call: Option<u32>) {
        if self.has_audit {
            let record = ObjectWriter::new()
                .text("type", kind)
                .text("at", &self.now.iso())
                .text("surfaceId", &self.surface_id)
                .members_of(members)
                .finish();
            self.emit(Output::Audit(record, call));
        }
    }

    const fn is_heard(&self) -> bool {
        self.has_listeners || self.has_audit
    }

    pub(crate) fn event_surface_changed(&mut self) {
        if self.has_listeners {
            let version = decimal(self.version);
            let members = ObjectWriter::new().text("surfaceVersion", &version).finish();
            self.publish("surface-changed", &members);
        }
    }

    pub(crate) fn event_registered(&mut self, slot: u32) {
        self.registration_event(slot, "component-registered", "registration");
    }

    pub(crate) fn event_unregistered(&mut self, slot: u32) {
        self.registration_event(slot, "component-unregistered", "unregistration");
    }

    fn registration_event(&mut self, slot: u32, event: &str, audit: &str) {
        if self.is_heard()
            && let Some(registration) = self.registrations.get(slot)
        {
            let members = ObjectWriter::new()
                .text("registrationId", &registration.id)
                .text("componentType", &registration.component.header.component_type)
                .text("instanceId", &registration.component.header.instance_id)
                .finish();
            self.publish(event, &members);
            self.record(audit, &members, None);
        }
    }

    pub(crate) fn event_rejected(&mut self, header: &Header, guarded: bool) {
        if self.is_heard() {
            let members = ObjectWriter::new()
                .text("componentType", &header.component_type)
                .text("instanceId", &header.instance_id)
                .text("reason", if guarded { "guard" } else { "duplicate" })
                .finish();
            self.publish("component-rejected", &members);
            self.record("registration-rejected", &members, None);
        }
    }

    pub(crate) fn event_collision(&mut self, view: &str, domain: &str) {
        if self.is_heard() {
            let members = ObjectWriter::new()
                .text("viewCapabilityId", view)
                .text("domainProcedureId", domain)
                .finish();
            self.publish("collision-suspected", &members);
            self.record("collision-suspected", &members, None);
        }
    }

    pub(crate) fn event_availability(&mut self, slot: u32, capability: usize) {
        if self.has_listeners
            && let Some(registration) = self.registrations.get(slot)
            && let Some(member) = registration.component.members.get(capability)
        {
            let members = ObjectWriter::new()
                .text("registrationId", &registration.id)
                .text("capabilityId", &member.capability.id)
                .flag("available", registration.pushed(capability).is_none())
                .finish();
            self.publish("availability-changed", &members);
        }
    }

    pub(crate) fn event_started(&mut self, call: &mut Call) {
        call.announced = true;
        call.audited = false;
        if self.has_listeners {
            let members = ObjectWriter::new()
                .text("invocationId", &self.name_of_call(call))
                .text("capabilityId", &call.route.capability_id)
                .text("consumerId", call.route.consumer.id())
                .finish();
            self.publish("invocation-started", &members);
        }
    }

    /// The audit notes a start once it knows what started: `audit: "none"` leaves no trace.
    pub(crate) fn audit_started(&mut self, call: &mut Call) {
        if self.audits(call) && call.announced && !core::mem::replace(&mut call.audited, true) {
            let members = self.named_call(call).finish();
            self.record("invocation-started", &members, None);
        }
    }

    /// A policy raises the level of a call; the sinks of policies are told of its start, too.
    pub(crate) fn raise_audit(&mut self, call: &mut Call, full: bool) {
        if call.is_settled() {
            return;
        }
        call.audit = call.audit.max(if full { Audit::Full } else { Audit::Metadata });
        self.audit_started(call);
        let members = self.named_call(call).finish();
        self.record("invocation-started", &members, Some(call.id.slot));
    }

    fn audits(&self, call: &Call) -> bool {
        self.has_audit && call.audit_level() != Audit::None
    }

    /// Which call, of whom.
    fn named_call(&self, call: &Call) -> ObjectWriter {
        let registration = call
            .target
            .filter(|target| self.registrations.generation(target.registration) == call.target_generation)
            .and_then(|target| self.registration_id(target.registration));
        let mut members = ObjectWriter::new();
        members
            .text("invocationId", &self.name_of_call(call))
            .text("capabilityId", &call.route.capability_id)
            .text_if("registrationId", registration)
            .text("consumerId", &call.route.consumer.key);
        members
    }

    pub(crate) fn event_settled(&mut self, call: &mut Call, code: Option<Code>) {
        if !self.is_heard() {
            return;
        }
        self.audit_started(call);
        let duration = self.now.since(call.began);
        let status = if code.is_some() { "error" } else { "ok" };
        let code = code.map(Code::as_str);
        if self.audits(call) {
            let mut members = self.named_call(call);
            members
                .text("status", status)
                .text_if("code", code)
                .number("durationMs", duration);
            self.write_times(&mut members, call);
            self.record("invocation-settled", &members.finish(), Some(call.id.slot));
        }
        // A refused identity is a defect of the caller: the audit hears of it, listeners saw no start.
        if call.announced {
            let members = ObjectWriter::new()
                .text("invocationId", &self.name_of_call(call))
                .text("capabilityId", &call.route.capability_id)
                .text("status", status)
                .text_if("code", code)
                .number("durationMs", duration)
                .finish();
            self.publish("invocation-settled", &members);
        }
    }

    /// How long a call waited and ran, and at level `full` what went in and out.
    fn write_times(&self, members: &mut ObjectWriter, call: &Call) {
        let until = call.started.unwrap_or(self.now);
        let waited = call.queued.map_or(0, |queued| until.since(queued));
        let ran = call.started.map_or(0, |started| self.now.since(started));
        members.number("queueWaitMs", waited).number("executionMs", ran);
        if call.audit_level() == Audit::Full {
            let input = call.effective.as_ref().map(|document| document.text());
            members.open("payload", "{");
            for (key, text) in [("input", input), ("output", call.output.as_deref())] {
                match text {
                    None => {}
                    Some(text) if text.len() <= PAYLOAD_BYTES => {
                        members.raw(key, text);
                    }
                    Some(text) => {
                        members
                            .open(key, "{")
                            .number("omittedBytes", text.len() as u64)
                            .close("}");
                    }
                }
            }
            members.close("}");
        }
    }

    pub(crate) fn audit_late(&mut self, call: &Call, ok: bool) {
        if self.audits(call) {
            let duration = self.now.since(call.began);
            let members = self
                .named_call(call)
                .text("status", if ok { "ok" } else { "error" })
                .number("durationMs", duration)
                .finish();
            self.record("late-settlement", &members, Some(call.id.slot));
        }
    }

    /// Something about a policy that changes no outcome but that its author should see.
    pub(crate) fn audit_policy(&mut self, call: &Call, what: &str, policy: &str) {
        if self.has_audit {
            let members = self
                .named_call(call)
                .text("policy", policy)
                .text("code", what)
                .finish();
            self.record("late-settlement", &members, Some(call.id.slot));
        }
        self.emit(Output::Warn(concat(&["policy `", policy, "`: ", what])));
    }

    pub(crate) fn event_confirmation_requested(&mut self, record: u32) {
        if self.has_listeners
            && let Some(record) = self.confirmations.records.get(record)
        {
            let members = ObjectWriter::new()
                .text("confirmationId", &record.id)
                .text("capabilityId", &record.capability.id)
                .text("expiresAt", &record.expires.iso())
                .finish();
            self.publish("confirmation-requested", &members);
        }
    }

    pub(crate) fn event_confirmation_resolved(&mut self, id: &str, outcome: &str) {
        if self.has_listeners {
            let members = ObjectWriter::new()
                .text("confirmationId", id)
                .text("outcome", outcome)
                .finish();
            self.publish("confirmation-resolved", &members);
        }
    }

    pub(crate) fn audit_confirmation(&mut self, record: u32, kind: &str, note: Option<&str>) {
        if self.has_audit
            && let Some(record) = self.confirmations.records.get(record)
        {
            let members = ObjectWriter::new()
                .text("confirmationId", &record.id)
                .text("capabilityId", &record.capability.id)
                .text("registrationId", &record.registration_id)
                .text("consumerId", &record.route.consumer.key)
                .text_if("note", note)
                .finish();
            self.record(kind, &members, None);
        }
    }
}
