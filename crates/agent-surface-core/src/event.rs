//! Events for the page's listeners and records for its audit, as JSON text.
//!
//! Builds nothing that nobody reads. Called by every module that changes something.

use agent_surface_json::{write_string, write_u64};

use crate::call::Call;
use crate::confirmation::text_field;
use crate::core::Core;
use crate::definition::Header;
use crate::effect::Audit;
use crate::error::Code;
use crate::message::Output;

/// Bytes of an audit payload; a larger one is named by its size instead.
const PAYLOAD_BYTES: usize = 8_192;

fn opened(kind: &str) -> String {
    let mut out = String::with_capacity(160);
    out.push('{');
    text_field(&mut out, "type", kind);
    out
}

fn number_field(out: &mut String, name: &str, value: u64) {
    out.push(',');
    write_string(out, name);
    out.push(':');
    write_u64(out, value);
}

impl Core {
    fn publish(&mut self, mut event: String) {
        event.push('}');
        self.emit(Output::Event(event));
    }

    fn record(&mut self, mut record: String, call: Option<u32>) {
        record.push('}');
        self.emit(Output::Audit(record, call));
    }

    fn audit_opened(&self, kind: &str) -> String {
        let mut out = opened(kind);
        text_field(&mut out, "at", &self.now.iso());
        text_field(&mut out, "surfaceId", &self.surface_id);
        out
    }

    pub(crate) fn event_surface_changed(&mut self) {
        if self.has_listeners {
            let mut event = opened("surface-changed");
            let mut version = String::new();
            write_u64(&mut version, self.version);
            text_field(&mut event, "surfaceVersion", &version);
            self.publish(event);
        }
    }

    pub(crate) fn event_registered(&mut self, slot: u32) {
        self.registration_event(slot, "component-registered", "registration");
    }

    pub(crate) fn event_unregistered(&mut self, slot: u32) {
        self.registration_event(slot, "component-unregistered", "unregistration");
    }

    fn registration_event(&mut self, slot: u32, event_type: &str, audit_type: &str) {
        let Some(registration) = self.registrations.get(slot) else {
            return;
        };
        let write = |out: &mut String| {
            text_field(out, "registrationId", &registration.id);
            text_field(out, "componentType", &registration.header.component_type);
            text_field(out, "instanceId", &registration.header.instance_id);
        };
        let event = self.has_listeners.then(|| {
            let mut event = opened(event_type);
            write(&mut event);
            event
        });
        let audit = self.has_audit.then(|| {
            let mut audit = self.audit_opened(audit_type);
            write(&mut audit);
            audit
        });
        if let Some(event) = event {
            self.publish(event);
        }
        if let Some(audit) = audit {
            self.record(audit, None);
        }
    }

    pub(crate) fn event_rejected(&mut self, header: &Header, guarded: bool) {
        let reason = if guarded { "guard" } else { "duplicate" };
        let write = |out: &mut String| {
            text_field(out, "componentType", &header.component_type);
            text_field(out, "instanceId", &header.instance_id);
            text_field(out, "reason", reason);
        };
        if self.has_listeners {
            let mut event = opened("component-rejected");
            write(&mut event);
            self.publish(event);
        }
        if self.has_audit {
            let mut audit = self.audit_opened("registration-rejected");
            write(&mut audit);
            self.record(audit, None);
        }
    }

    pub(crate) fn event_availability(&mut self, slot: u32, capability: usize) {
        if self.has_listeners
            && let Some(registration) = self.registrations.get(slot)
            && let Some(member) = registration.members.get(capability)
        {
            let mut event = opened("availability-changed");
            text_field(&mut event, "registrationId", &registration.id);
            text_field(&mut event, "capabilityId", &member.capability.id);
            event.push_str(if member.pushed.is_none() {
                ",\"available\":true"
            } else {
                ",\"available\":false"
            });
            self.publish(event);
        }
    }

    pub(crate) fn event_started(&mut self, slot: u32) {
        if let Some(call) = self.calls.get_mut(slot) {
            call.announced = true;
            call.audited = false;
        }
        if self.has_listeners
            && let Some(call) = self.calls.get(slot)
        {
            let mut event = opened("invocation-started");
            text_field(&mut event, "invocationId", &call.invocation_id);
            text_field(&mut event, "capabilityId", &call.capability_id);
            text_field(&mut event, "consumerId", call.consumer.id());
            self.publish(event);
        }
    }

    /// The audit notes a start once it knows what started: `audit: "none"` leaves no trace.
    pub(crate) fn audit_started(&mut self, slot: u32) {
        if !self.audits(slot) {
            return;
        }
        let Some(call) = self.calls.get_mut(slot).filter(|call| call.announced) else {
            return;
        };
        if std::mem::replace(&mut call.audited, true) {
            return;
        }
        if let Some(call) = self.calls.get(slot) {
            let mut audit = self.audit_opened("invocation-started");
            self.name_call(&mut audit, call);
            self.record(audit, None);
        }
    }

    fn audits(&self, slot: u32) -> bool {
        self.has_audit
            && self.calls.get(slot).is_some_and(|call| {
                call.capability
                    .as_ref()
                    .is_none_or(|capability| capability.audit != Audit::None)
            })
    }

    fn name_call(&self, out: &mut String, call: &Call) {
        text_field(out, "invocationId", &call.invocation_id);
        text_field(out, "capabilityId", &call.capability_id);
        if let Some(id) = call
            .target
            .filter(|target| self.registrations.generation(target.registration) == call.target_generation)
            .and_then(|target| self.registration_id(target.registration))
        {
            text_field(out, "registrationId", id);
        }
        text_field(out, "consumerId", &call.consumer.key);
    }

    pub(crate) fn event_settled(&mut self, slot: u32, code: Option<Code>) {
        self.audit_started(slot);
        let Some(call) = self.calls.get(slot) else { return };
        let status = if code.is_some() { "error" } else { "ok" };
        let duration = self.now.since(call.began);
        // A refused identity is a defect of the caller: the audit hears of it, listeners saw no start.
        let event = (self.has_listeners && call.announced).then(|| {
            let mut event = opened("invocation-settled");
            text_field(&mut event, "invocationId", &call.invocation_id);
            text_field(&mut event, "capabilityId", &call.capability_id);
            text_field(&mut event, "status", status);
            if let Some(code) = code {
                text_field(&mut event, "code", code.as_str());
            }
            number_field(&mut event, "durationMs", duration);
            event
        });
        let audit = self
            .audits(slot)
            .then(|| self.audit_settled(call, status, code, duration));
        if let Some(event) = event {
            self.publish(event);
        }
        if let Some(audit) = audit {
            self.record(audit, Some(slot));
        }
    }

    fn audit_settled(&self, call: &Call, status: &str, code: Option<Code>, duration: u64) -> String {
        let mut audit = self.audit_opened("invocation-settled");
        self.name_call(&mut audit, call);
        text_field(&mut audit, "status", status);
        if let Some(code) = code {
            text_field(&mut audit, "code", code.as_str());
        }
        number_field(&mut audit, "durationMs", duration);
        let until = call.started.unwrap_or(self.now);
        number_field(
            &mut audit,
            "queueWaitMs",
            call.queued.map_or(0, |queued| until.since(queued)),
        );
        number_field(
            &mut audit,
            "executionMs",
            call.started.map_or(0, |started| self.now.since(started)),
        );
        if call
            .capability
            .as_ref()
            .is_some_and(|capability| capability.audit == Audit::Full)
        {
            audit.push_str(",\"payload\":{");
            let input = call.effective.as_ref().map(|document| document.text());
            payload_part(&mut audit, "input", input);
            payload_part(&mut audit, "output", call.output.as_deref());
            audit.push('}');
        }
        audit
    }

    pub(crate) fn audit_late(&mut self, slot: u32, ok: bool) {
        if self.audits(slot)
            && let Some(call) = self.calls.get(slot)
        {
            let mut audit = self.audit_opened("late-settlement");
            self.name_call(&mut audit, call);
            text_field(&mut audit, "status", if ok { "ok" } else { "error" });
            number_field(&mut audit, "durationMs", self.now.since(call.began));
            self.record(audit, Some(slot));
        }
    }

    /// Something about a policy that changes no outcome but that its author should see.
    pub(crate) fn audit_policy(&mut self, slot: u32, what: &str, policy: &str) {
        if self.has_audit
            && let Some(call) = self.calls.get(slot)
        {
            let mut audit = self.audit_opened("late-settlement");
            self.name_call(&mut audit, call);
            text_field(&mut audit, "policy", policy);
            text_field(&mut audit, "code", what);
            self.record(audit, Some(slot));
        }
        self.emit(Output::Warn(["policy `", policy, "`: ", what].concat()));
    }

    pub(crate) fn event_confirmation_requested(&mut self, record: u32) {
        if self.has_listeners
            && let Some(record) = self.confirmations.records.get(record)
        {
            let mut event = opened("confirmation-requested");
            text_field(&mut event, "confirmationId", &record.id);
            text_field(&mut event, "capabilityId", &record.capability_id);
            text_field(&mut event, "expiresAt", &record.expires.iso());
            self.publish(event);
        }
    }

    pub(crate) fn event_confirmation_resolved(&mut self, id: &str, outcome: &str) {
        if self.has_listeners {
            let mut event = opened("confirmation-resolved");
            text_field(&mut event, "confirmationId", id);
            text_field(&mut event, "outcome", outcome);
            self.publish(event);
        }
    }

    pub(crate) fn audit_confirmation(&mut self, record: u32, kind: &str, note: Option<&str>) {
        if self.has_audit
            && let Some(record) = self.confirmations.records.get(record)
        {
            let mut audit = self.audit_opened(kind);
            text_field(&mut audit, "confirmationId", &record.id);
            text_field(&mut audit, "capabilityId", &record.capability_id);
            text_field(&mut audit, "registrationId", &record.registration_id);
            text_field(&mut audit, "consumerId", &record.consumer.key);
            if let Some(note) = note {
                text_field(&mut audit, "note", note);
            }
            self.record(audit, None);
        }
    }
}

fn payload_part(out: &mut String, name: &str, text: Option<&str>) {
    let Some(text) = text else { return };
    if !out.ends_with('{') {
        out.push(',');
    }
    write_string(out, name);
    out.push(':');
    if text.len() <= PAYLOAD_BYTES {
        out.push_str(text);
    } else {
        out.push_str("{\"omittedBytes\":");
        write_u64(out, text.len() as u64);
        out.push('}');
    }
}
