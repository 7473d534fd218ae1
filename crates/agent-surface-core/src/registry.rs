//! Registrations: prepare and commit, update, unregister, tombstones.
//!
//! Changes the surface and says so; runs no guard and no handler itself. Called through `Core` by the drivers.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::{Bounds, Document, Value, compare_numbers, concat};

use crate::core::{Core, OnCollision, OnDuplicate};
use crate::definition::{COMPONENT_TYPE, PolicyRef, parse_capability, parse_header};
use crate::effect::Kind;
use crate::error::{DefinitionCode, DefinitionError, cut};
use crate::id;
use crate::message::Output;
use crate::registration::{Component, Member, Prepared, Registration, Spec};
use crate::table::hash;
use crate::time::Millis;
use crate::wire::own_name;

/// Bounds of one definition text: two schemas of 16 kB as JSON strings, escaped, and room for the rest.
const DEFINITION_BOUNDS: Bounds = Bounds {
    max_bytes: 262_144,
    max_depth: 64,
    lone_surrogates: false,
};

/// What became of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registered {
    /// It lives, in this slot.
    Live(u32),
    /// Another one holds this instance.
    Duplicate,
    /// The page's guard said no.
    Guarded,
    /// A name of it stands in the other plane, where that is a defect.
    Refused(DefinitionError),
}

impl Core {
    /// The spec of a capability, compiled once for equal texts by the caller's own table. It lives while a
    /// component uses it, or until `release_spec`.
    pub fn spec(&mut self, component_type: &str, text: &str) -> Result<u32, DefinitionError> {
        if !id::is_component_type(component_type) {
            return Err(DefinitionError::new(
                DefinitionCode::InvalidId,
                &[
                    "`type` must be ",
                    COMPONENT_TYPE,
                    ", found `",
                    cut(component_type, 60),
                    "`",
                ],
            ));
        }
        let document = definition(text)?;
        let capability = parse_capability(&document, component_type, &self.config.limits)?;
        if capability.kind == Kind::Procedure {
            self.check_executor(&capability.name)?;
        }
        let (wire_name, has_exact_name) = own_name(&capability.id);
        Ok(self.specs.insert(Spec {
            capability,
            wire_name: Rc::new(wire_name),
            has_exact_name,
            uses: 0,
            leaving: false,
        }))
    }

    fn check_executor(&self, path: &str) -> Result<(), DefinitionError> {
        let text = match &self.executor {
            None => "`registry.setProcedureExecutor` must be called before a procedure registers",
            Some(Some(paths)) if !paths.iter().any(|known| known == path) => {
                "the procedure executor does not know this path; name it in its `paths`"
            }
            Some(_) => return Ok(()),
        };
        let pieces = ["`domain:", path, "`: ", text];
        Err(DefinitionError::new(DefinitionCode::PlaneViolation, &pieces))
    }

    /// Drops a spec that no component uses.
    pub fn release_spec(&mut self, id: u32) {
        if let Some(spec) = self.specs.get_mut(id)
            && spec.uses == 0
            && !spec.leaving
        {
            spec.leaving = true;
            self.emit(Output::ForgetSpec(id));
        }
    }

    /// Whether nobody used the spec again while its end was on the way.
    pub(crate) fn forget_spec(&mut self, id: u32) -> bool {
        let Some(spec) = self.specs.get_mut(id) else {
            return false;
        };
        spec.leaving = false;
        spec.uses == 0 && self.specs.discard(id)
    }

    /// Validates a component. What comes back waits for `commit`, so that the page's guard can be asked between. It
    /// lives until a `ForgetComponent`, and `prepare_again` makes it wait for another `commit`.
    pub fn prepare(&mut self, header: &str, specs: &[u32]) -> Result<u32, DefinitionError> {
        let header = parse_header(&definition(header)?, &self.config.limits)?;
        for (at, &id) in specs.iter().enumerate() {
            let Some(spec) = self.specs.get(id) else { continue };
            let capability = &spec.capability;
            let is_same = |&earlier: &u32| {
                let earlier = self.specs.get(earlier);
                earlier.is_some_and(|earlier| earlier.capability.id == capability.id)
            };
            if specs.iter().take(at).any(is_same) {
                return Err(DefinitionError::new(
                    DefinitionCode::DuplicateCapability,
                    &["`", &capability.id, "` is declared twice"],
                ));
            }
            if capability.kind == Kind::Procedure {
                self.check_executor(&capability.name)?;
            }
        }
        let outer: Rc<Vec<PolicyRef>> = joined(&self.registry_chain, &header.policies);
        let mut members = Vec::with_capacity(specs.len());
        for &id in specs {
            if let Some(spec) = self.specs.get_mut(id) {
                spec.uses += 1;
                let capability = Rc::clone(&spec.capability);
                let chain = joined(&outer, &capability.policies);
                let votes = chain.iter().any(|policy| policy.has(PolicyRef::ON_DISCOVERY));
                members.push(Member {
                    spec: id,
                    asks: votes || capability.has_when || capability.has_describe,
                    capability,
                    chain,
                });
            }
        }
        let component = Rc::new(Component {
            key: self.key_of(&header.component_type, &header.instance_id),
            header,
            members,
        });
        Ok(self.prepared.insert(Prepared { component, uses: 1 }))
    }

    /// Has a component that the driver was not told to forget wait for another `commit`.
    pub fn prepare_again(&mut self, id: u32) {
        if let Some(prepared) = self.prepared.get_mut(id) {
            prepared.uses += 1;
        }
    }

    /// Lets a prepared component in, or not.
    pub fn commit(&mut self, now: Millis, id: u32, accept: bool) -> Registered {
        self.now = now;
        let Some(prepared) = self.prepared.get(id) else {
            return Registered::Guarded;
        };
        let component = Rc::clone(&prepared.component);
        let header = &component.header;
        let first = self.live(&header.component_type, &header.instance_id);
        let refusal = match (accept, first, self.config.on_duplicate) {
            (false, ..) => Registered::Guarded,
            (true, Some(_), OnDuplicate::Reject) => Registered::Duplicate,
            _ => {
                if let Err(error) = self.check_planes(&component, first) {
                    self.release_component(id);
                    return Registered::Refused(error);
                }
                if let Some(first) = first {
                    self.unmount(first);
                }
                let slot = self.insert(component, id);
                self.event_registered(slot);
                if first.is_none() {
                    self.move_version(None);
                }
                self.run();
                return Registered::Live(slot);
            }
        };
        self.release_component(id);
        self.event_rejected(header, refusal == Registered::Guarded);
        refusal
    }

    /// One name in both planes misleads whoever reads ids: a defect, or something to be told.
    fn check_planes(&mut self, component: &Component, except: Option<u32>) -> Result<(), DefinitionError> {
        if self.executor.is_none() || self.config.on_collision == OnCollision::Ignore {
            return Ok(());
        }
        for Member { capability, .. } in &component.members {
            let id = &*capability.id;
            let is_domain = capability.kind == Kind::Procedure;
            let (plane, from) = if is_domain { ("view", 6) } else { ("domain", 4) };
            let twin = concat(&[plane, id.get(from..).unwrap_or_default()]);
            if self.collides(id, &twin, component, except) {
                let pieces = ["`", id, "` stands beside `", &twin, "`"];
                let error = DefinitionError::new(DefinitionCode::DuplicateCapability, &pieces);
                if self.config.on_collision == OnCollision::Refuse {
                    return Err(error);
                }
                let (view, domain) = if is_domain { (&*twin, id) } else { (id, &*twin) };
                self.event_collision(view, domain);
                self.emit(Output::Collision(error.message));
            }
        }
        Ok(())
    }

    /// A registration of a component, which a `prepare` counted.
    fn insert(&mut self, component: Rc<Component>, component_id: u32) -> u32 {
        self.registered += 1;
        let mut id = String::from("reg_");
        agent_surface_json::write_u64(&mut id, self.registered);
        id.push('_');
        id.push_str(&self.mark);
        let id_hash = hash(self.seed, &[&id]);
        let (enabled, key) = (component.header.enabled, component.key);
        let revision = self.next_revision();
        let slot = self.registrations.insert(Registration {
            id,
            component,
            component_id,
            pushed: Vec::new(),
            enabled,
            live: true,
            ended: Millis(0.0),
            revision,
            groups: Vec::new(),
            name: 0,
        });
        self.ids.insert(id_hash, slot);
        self.keys.insert(key, slot);
        self.order_insert(slot);
        self.name_members(slot, true);
        slot
    }

    /// The live registration of an instance.
    pub(crate) fn live(&self, component_type: &str, instance_id: &str) -> Option<u32> {
        let is_it = &mut |slot| {
            self.registrations.get(slot).is_some_and(|registration| {
                registration.component.header.component_type == component_type
                    && registration.component.header.instance_id == instance_id
            })
        };
        self.keys.find(self.key_of(component_type, instance_id), is_it)
    }

    fn key_of(&self, component_type: &str, instance_id: &str) -> u64 {
        hash(self.seed, &[component_type, instance_id])
    }

    /// Where a registration stands in a snapshot: priority (high first), type, instance.
    fn order_insert(&mut self, slot: u32) {
        let Some(new) = self.registrations.get(slot) else {
            return;
        };
        let at = self.order.partition_point(|&other| {
            self.registrations.get(other).is_some_and(|other| {
                let (a, b) = (&other.component.header, &new.component.header);
                compare_numbers(&b.priority, &a.priority)
                    .then_with(|| a.component_type.cmp(&b.component_type))
                    .then_with(|| a.instance_id.cmp(&b.instance_id))
                    .is_lt()
            })
        });
        if at <= self.order.len() {
            self.order.insert(at, slot);
        }
    }

    /// Changes `enabled` and what the page pushes about single capabilities; `availability` is a JSON object whose
    /// keys are names, procedure paths or full ids and whose values are `{ available, reason? }`. Whether the
    /// registration still lives.
    pub fn update(
        &mut self,
        now: Millis,
        slot: u32,
        generation: u32,
        enabled: Option<bool>,
        availability: Option<&Document>,
    ) -> Result<bool, DefinitionError> {
        self.now = now;
        if !self.is_live(slot, generation) {
            return Ok(false);
        }
        let changes = match availability {
            Some(document) => self.read_availability(slot, document)?,
            None => Vec::new(),
        };
        let Some(registration) = self.registrations.get_mut(slot) else {
            return Ok(false);
        };
        let before = registration.enabled;
        registration.enabled = enabled.unwrap_or(before);
        let mut moved = registration.enabled != before;
        let mut flipped = Vec::new();
        for (at, pushed) in changes {
            if registration.pushed(at) != pushed.as_deref() {
                let known = registration.pushed.iter_mut().find(|(other, _)| *other == at);
                match known {
                    Some(known) => known.1 = pushed,
                    None => registration.pushed.push((at, pushed)),
                }
                flipped.push(at);
                moved = true;
            }
        }
        if moved {
            self.touch(slot);
        }
        for at in flipped {
            self.event_availability(slot, at);
        }
        Ok(true)
    }

    /// Position of each capability that is named, and why it is not available.
    fn read_availability(
        &self,
        slot: u32,
        document: &Document,
    ) -> Result<Vec<(usize, Option<String>)>, DefinitionError> {
        let mut changes = Vec::new();
        let Some(registration) = self.registrations.get(slot) else {
            return Ok(changes);
        };
        for (key, value) in document.root().entries() {
            let mut members = registration.component.members.iter();
            let at = members
                .position(|Member { capability, .. }| capability.name == *key || capability.id == *key);
            let available = value
                .as_bool()
                .or_else(|| value.get("available").and_then(Value::as_bool));
            let (Some(at), Some(available)) = (at, available) else {
                return Err(DefinitionError::invalid(&[
                    "`availability.",
                    cut(&key, 60),
                    "` must name a capability of this component and be `{ available: boolean, reason?: string }`",
                ]));
            };
            let reason = value.get("reason").and_then(Value::as_str);
            let reason = reason.map_or_else(|| String::from("unavailable"), Cow::into_owned);
            // What is pushed as available is what it would be without a push.
            changes.push((at, (!available).then_some(reason)));
        }
        Ok(changes)
    }

    /// The page says that something changed which the registry cannot see: the version moves on.
    pub fn invalidate(&mut self, now: Millis, slot: u32, generation: u32) -> bool {
        self.now = now;
        let live = self.is_live(slot, generation);
        if live {
            self.touch(slot);
        }
        live
    }

    /// Ends a registration; false when it has ended before.
    pub fn unregister(&mut self, now: Millis, slot: u32, generation: u32) -> bool {
        self.now = now;
        let live = self.is_live(slot, generation);
        if live {
            self.unmount(slot);
            self.run();
        }
        live
    }

    /// Whether the slot still holds that registration, alive.
    pub fn is_live(&self, slot: u32, generation: u32) -> bool {
        self.registrations.generation(slot) == generation
            && self
                .registrations
                .get(slot)
                .is_some_and(|registration| registration.live)
    }

    /// The generation of a registration's slot.
    pub fn registration_generation(&self, slot: u32) -> u32 {
        self.registrations.generation(slot)
    }

    /// How many components registered: the number in the last one's id.
    pub const fn registered(&self) -> u64 {
        self.registered
    }

    /// The opaque id of a registration.
    pub fn registration_id(&self, slot: u32) -> Option<&str> {
        self.registrations
            .get(slot)
            .map(|registration| registration.id.as_str())
    }

    /// A component's descriptor without its capabilities, as JSON text.
    pub fn registration_head(&self, slot: u32) -> Option<String> {
        let registration = self.registrations.get(slot)?;
        Some(registration.component.header.base_descriptor(&registration.id))
    }

    /// A capability's descriptor without its state, as JSON text.
    pub fn spec_descriptor(&self, spec: u32) -> Option<String> {
        Some(self.specs.get(spec)?.capability.base_descriptor())
    }

    fn touch(&mut self, slot: u32) {
        let revision = self.next_revision();
        if let Some(registration) = self.registrations.get_mut(slot) {
            registration.revision = revision;
        }
        self.move_version(Some(slot));
    }

    /// What has not started ends now, pending confirmations are withdrawn, a tombstone stays.
    fn unmount(&mut self, slot: u32) {
        // First: the results of calls that end with it tell the version without it.
        self.move_version(None);
        let Some(registration) = self.registrations.get_mut(slot) else {
            return;
        };
        registration.live = false;
        registration.ended = self.now;
        self.keys.remove(registration.component.key, slot);
        self.order.retain(|&other| other != slot);
        self.name_members(slot, false);
        self.event_unregistered(slot);
        self.emit(Output::Unmounted(slot));
        self.unmount_calls(slot);
        self.withdraw_confirmations(slot);
        self.tombstones.push_back(slot);
        self.sweep_tombstones();
    }

    /// Forgets tombstones past their number or age.
    pub(crate) fn sweep_tombstones(&mut self) {
        let limits = &self.config.limits;
        let (size, ttl) = (limits.tombstone_size, limits.tombstone_ttl_ms);
        while let Some(&slot) = self.tombstones.front() {
            let ended = self
                .registrations
                .get(slot)
                .map_or(self.now, |registration| registration.ended);
            let too_many = u32::try_from(self.tombstones.len()).unwrap_or(u32::MAX) > size;
            if !too_many && self.now.since(ended) <= u64::from(ttl) {
                break;
            }
            self.tombstones.pop_front();
            self.forget_registration(slot);
        }
    }

    fn forget_registration(&mut self, slot: u32) {
        let Some(registration) = self.registrations.get(slot) else {
            return;
        };
        self.ids.remove(hash(self.seed, &[&registration.id]), slot);
        let component_id = registration.component_id;
        self.release_component(component_id);
        self.emit(Output::ForgetRegistration(slot));
    }

    fn release_component(&mut self, id: u32) {
        if let Some(prepared) = self.prepared.get_mut(id) {
            prepared.uses = prepared.uses.saturating_sub(1);
            if prepared.uses == 0 {
                self.emit(Output::ForgetComponent(id));
            }
        }
    }

    /// Whether nobody used the component again while its end was on the way.
    pub(crate) fn forget_component(&mut self, id: u32) -> bool {
        if self.prepared.get(id).is_none_or(|prepared| prepared.uses > 0) {
            return false;
        }
        let Some(prepared) = self.prepared.remove(id) else {
            return false;
        };
        for member in &prepared.component.members {
            self.drop_use(member.spec);
        }
        true
    }

    pub(crate) fn drop_use(&mut self, spec: u32) {
        if let Some(spec) = self.specs.get_mut(spec) {
            spec.uses = spec.uses.saturating_sub(1);
        }
        self.release_spec(spec);
    }
}

fn definition(text: &str) -> Result<Document, DefinitionError> {
    Document::parse(text, DEFINITION_BOUNDS).map_err(|error| {
        DefinitionError::invalid(&["the definition is not bounded JSON: ", &error.message()])
    })
}

fn joined(outer: &Rc<Vec<PolicyRef>>, inner: &[PolicyRef]) -> Rc<Vec<PolicyRef>> {
    if inner.is_empty() {
        return Rc::clone(outer);
    }
    let mut all = Vec::clone(outer);
    all.extend_from_slice(inner);
    Rc::new(all)
}
