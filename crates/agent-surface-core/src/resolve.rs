//! Phase 2, resolution: which registration a call means, as far as its consumer may see.
//!
//! Refuses to disclose: what discovery policies hide counts neither as a candidate nor as a tombstone. Called by
//! the pipeline in `policy`.

use agent_surface_json::{write_string, write_u64};

use crate::call::{Call, Candidate, Step, Votes};
use crate::core::Core;
use crate::definition::PolicyRef;
use crate::error::{Code, Failure};
use crate::id::{CapabilityId, parse};
use crate::message::{Outcome, Target};
use crate::table::{Slab, Table, hash};

/// Instances that `AMBIGUOUS_INSTANCE` lists: enough to choose from, and a refusal stays small.
const MOST_INSTANCES: usize = 32;

/// Live registrations by what they are called by: a component type, or a procedure path.
#[derive(Debug)]
pub(crate) struct Names {
    names: Slab<Name>,
    index: Table,
}

#[derive(Debug)]
struct Name {
    domain: bool,
    text: String,
    members: Vec<Target>,
}

impl Names {
    pub const fn new() -> Self {
        Self {
            names: Slab::new(),
            index: Table::new(),
        }
    }

    fn find(&self, seed: [u64; 2], domain: bool, text: &str) -> Option<u32> {
        self.index.find(key(seed, domain, text), &mut |id| {
            self.names
                .get(id)
                .is_some_and(|name| name.domain == domain && name.text == text)
        })
    }

    fn members(&self, seed: [u64; 2], domain: bool, text: &str) -> &[Target] {
        self.find(seed, domain, text)
            .and_then(|id| self.names.get(id))
            .map_or(&[], |name| name.members.as_slice())
    }

    fn add(&mut self, seed: [u64; 2], domain: bool, text: &str, target: Target) -> u32 {
        let id = self.find(seed, domain, text).unwrap_or_else(|| {
            let id = self.names.insert(Name {
                domain,
                text: text.to_owned(),
                members: Vec::new(),
            });
            self.index.insert(key(seed, domain, text), id);
            id
        });
        if let Some(name) = self.names.get_mut(id) {
            name.members.push(target);
        }
        id
    }

    fn remove(&mut self, seed: [u64; 2], domain: bool, text: &str, target: Target) -> u32 {
        let Some(id) = self.find(seed, domain, text) else {
            return 0;
        };
        let Some(name) = self.names.get_mut(id) else {
            return 0;
        };
        name.members.retain(|&other| other != target);
        if name.members.is_empty() {
            self.names.remove(id);
            self.index.remove(key(seed, domain, text), id);
        }
        id
    }
}

fn key(seed: [u64; 2], domain: bool, text: &str) -> u64 {
    hash(seed, &[if domain { "domain" } else { "view" }, text])
}

impl Core {
    /// Lets a registration be found by its type and by the paths of its procedures, or no longer.
    pub(crate) fn name_members(&mut self, slot: u32, named: bool) {
        let Some(registration) = self.registrations.get_mut(slot) else {
            return;
        };
        let change = if named { Names::add } else { Names::remove };
        let whole = Target {
            registration: slot,
            capability: u32::MAX,
        };
        let component_type = &registration.header.component_type;
        registration.name = change(&mut self.names, self.seed, false, component_type, whole);
        for (at, member) in (0_u32..).zip(&registration.members) {
            if member.capability.kind == crate::effect::Kind::Procedure {
                let target = Target {
                    registration: slot,
                    capability: at,
                };
                change(&mut self.names, self.seed, true, &member.capability.name, target);
            }
        }
    }

    /// What a capability is called by: the entry of its type or of its path.
    pub(crate) fn name_of(&self, target: Target) -> u32 {
        let Some(registration) = self.registrations.get(target.registration) else {
            return 0;
        };
        let Some(member) = registration.member(target.capability) else {
            return 0;
        };
        if member.capability.kind == crate::effect::Kind::Procedure {
            let found = self.names.find(self.seed, true, &member.capability.name);
            return found.unwrap_or(0);
        }
        registration.name
    }

    /// Live registrations that hold the capability, of this instance when one is named.
    fn live_targets(&self, capability_id: &str, instance_id: Option<&str>) -> Vec<Target> {
        let (domain, text) = match parse(capability_id) {
            Some(CapabilityId::View { component_type, .. }) => (false, component_type),
            Some(CapabilityId::Domain { path }) => (true, path),
            None => return Vec::new(),
        };
        self.names
            .members(self.seed, domain, text)
            .iter()
            .filter_map(|&target| {
                let registration = self.registrations.get(target.registration)?;
                if instance_id.is_some_and(|id| id != registration.header.instance_id) {
                    return None;
                }
                if domain {
                    return Some(target);
                }
                let capability = registration.position(capability_id)?;
                Some(Target {
                    registration: target.registration,
                    capability,
                })
            })
            .collect()
    }

    /// Tombstones that held the capability, the youngest first; none older than one that nobody can hide.
    fn dead_targets(&self, capability_id: &str, instance_id: Option<&str>) -> Vec<Target> {
        let mut found = Vec::new();
        for &slot in self.tombstones.iter().rev() {
            let Some(registration) = self.registrations.get(slot) else {
                continue;
            };
            let Some(capability) = registration.position(capability_id) else {
                continue;
            };
            if instance_id.is_some_and(|id| id != registration.header.instance_id) {
                continue;
            }
            let target = Target {
                registration: slot,
                capability,
            };
            found.push(target);
            if !self.may_hide(target) {
                break;
            }
        }
        found
    }

    /// Whether a policy could hide the capability from somebody.
    fn may_hide(&self, target: Target) -> bool {
        self.registrations
            .get(target.registration)
            .and_then(|registration| registration.member(target.capability))
            .is_some_and(|member| {
                member
                    .chain
                    .iter()
                    .any(|policy| policy.has(PolicyRef::ON_DISCOVERY))
            })
    }

    /// The registration, live or dead, that a token names and that holds the capability.
    fn token_target(&self, token: &str, capability_id: &str, instance_id: Option<&str>) -> Option<Target> {
        let slot = self.ids.find(hash(self.seed, &[token]), &mut |slot| {
            self.registrations
                .get(slot)
                .is_some_and(|registration| registration.id == token)
        })?;
        let registration = self.registrations.get(slot)?;
        if instance_id.is_some_and(|id| id != registration.header.instance_id) {
            return None;
        }
        Some(Target {
            registration: slot,
            capability: registration.position(capability_id)?,
        })
    }

    /// Collects what the call could mean and goes on to the votes.
    pub(crate) fn resolve(&mut self, slot: u32) {
        if let Some(failure) = self.calls.get_mut(slot).and_then(|call| call.pending.take()) {
            return self.settle(slot, Outcome::Failed(failure));
        }
        self.sweep_tombstones();
        let Some(call) = self.calls.get(slot) else { return };
        let (id, instance) = (call.capability_id.as_str(), call.instance_id.as_deref());
        let token = call.registration_id.as_deref();
        let named = token.and_then(|token| self.token_target(token, id, instance));
        let is_live = |target: &Target| {
            self.registrations
                .get(target.registration)
                .is_some_and(|registration| registration.live)
        };
        let (targets, dead) = match named {
            Some(target) if is_live(&target) => (vec![target], true),
            Some(target) => ([self.live_targets(id, instance), vec![target]].concat(), true),
            None => (self.live_targets(id, instance), token.is_some()),
        };
        if targets.is_empty() && !dead {
            return self.look_among_the_dead(slot);
        }
        // Whatever resolution says must be what this consumer could see: then policies that answer for themselves
        // in phase 3 vote here, too.
        let all = targets.len() > 1 || (token.is_some() && targets.first() != named.as_ref());
        let all = all || named.is_some_and(|target| !is_live(&target)) || self.version_differs(call);
        self.vote_on(slot, targets, all, dead);
    }

    /// Nothing that lives can be what the call means: is there a tombstone that its consumer could see?
    fn look_among_the_dead(&mut self, slot: u32) {
        let Some(call) = self.calls.get(slot) else { return };
        let targets = self.dead_targets(&call.capability_id, call.instance_id.as_deref());
        self.vote_on(slot, targets, true, true);
    }

    /// The token of the call named a live registration that its consumer cannot see, and nothing else was asked.
    fn names_one_hidden(&self, slot: u32) -> bool {
        let Some(call) = self.calls.get(slot) else {
            return false;
        };
        let [one] = call.votes.candidates.as_slice() else {
            return false;
        };
        let named = self.registration_id(one.target.registration);
        named.is_some() && named == call.registration_id.as_deref()
    }

    /// Such a token is worth what an unknown one is: whatever else lives decides.
    fn look_past_the_hidden(&mut self, slot: u32) {
        let Some(call) = self.calls.get(slot) else { return };
        let hidden = call.votes.candidates.first().map(|one| one.target);
        let mut targets = self.live_targets(&call.capability_id, call.instance_id.as_deref());
        targets.retain(|&target| Some(target) != hidden);
        self.vote_on(slot, targets, true, true);
    }

    fn vote_on(&mut self, slot: u32, targets: Vec<Target>, all: bool, dead: bool) {
        let candidates: Vec<Candidate> = targets
            .into_iter()
            .map(|target| Candidate {
                target,
                generation: self.registrations.generation(target.registration),
                hidden: false,
                undisclosed: false,
                disabled: None,
            })
            .collect();
        if let Some(call) = self.calls.get_mut(slot) {
            call.votes = Votes {
                candidates,
                candidate: 0,
                policy: 0,
                all,
                dead,
            };
            call.step = Step::Votes;
        }
    }

    /// Decides what the call means, after the votes.
    pub(crate) fn choose(&mut self, slot: u32) {
        let unseen = |core: &Self| core.calls.get(slot).is_some_and(|call| !call.votes.dead);
        match self.choice(slot) {
            Err(failure) if failure.code == Code::CapabilityNotFound && unseen(self) => {
                self.look_among_the_dead(slot);
            }
            Err(failure) if failure.code == Code::CapabilityNotFound && self.names_one_hidden(slot) => {
                self.look_past_the_hidden(slot);
            }
            Err(failure) => self.settle(slot, Outcome::Failed(failure)),
            Ok(candidate) => {
                let target = candidate.target;
                let member = self
                    .registrations
                    .get(target.registration)
                    .and_then(|registration| registration.member(target.capability))
                    .map(|member| {
                        (
                            std::rc::Rc::clone(&member.capability),
                            std::rc::Rc::clone(&member.chain),
                        )
                    });
                let (Some((capability, chain)), Some(call)) = (member, self.calls.get_mut(slot)) else {
                    return;
                };
                // To whom the capability is hidden, its version says nothing: phase 3 answers.
                let dangerous = !candidate.undisclosed && capability.effect.is_dangerous();
                call.target = Some(target);
                call.target_generation = candidate.generation;
                call.capability = Some(capability);
                call.chain = Some(chain);
                call.votes.candidates = vec![candidate];
                call.step = Step::Authorize(0);
                self.audit_started(slot);
                let differs = self
                    .calls
                    .get(slot)
                    .is_some_and(|call| self.version_differs(call));
                if dangerous && differs {
                    self.settle(
                        slot,
                        Outcome::Failed(Failure::stale("surface-version-mismatch", None)),
                    );
                }
            }
        }
    }

    fn choice(&self, slot: u32) -> Result<Candidate, Failure> {
        let Some(call) = self.calls.get(slot) else {
            return Err(Failure::not_found());
        };
        let live = |candidate: &&Candidate| {
            self.registrations.generation(candidate.target.registration) == candidate.generation
                && self
                    .registrations
                    .get(candidate.target.registration)
                    .is_some_and(|reg| reg.live)
        };
        let votes = &call.votes.candidates;
        let visible: Vec<&Candidate> = votes.iter().filter(live).filter(|one| !one.undisclosed).collect();
        // Where only policies that answer for themselves stand in the way, one of them will, in phase 3.
        let answered = visible
            .is_empty()
            .then(|| votes.iter().filter(live).find(|one| !one.hidden))
            .flatten();
        let dead = votes.iter().find(|one| !live(one) && !one.undisclosed);
        if let Some(token) = call.registration_id.as_deref() {
            let is_named = |one: &&Candidate| self.registration_id(one.target.registration) == Some(token);
            if let Some(named) = visible.iter().copied().chain(answered).find(is_named) {
                return Ok(named.clone());
            }
            if let Some(dead) = dead {
                return Err(match self.successor(dead, &visible) {
                    Some(id) => Failure::stale("registration-replaced", Some(id)),
                    None => Failure::unmounted("resolve"),
                });
            }
        }
        let first_live = visible
            .first()
            .and_then(|one| self.registration_id(one.target.registration));
        match (call.registration_id.is_some(), visible.as_slice(), answered, dead) {
            (true, [_, ..], _, _) => Err(Failure::stale("surface-reloaded", first_live)),
            (false, [one], _, _) => Ok((*one).clone()),
            (false, several @ [_, ..], _, _) => Err(Failure::ambiguous(&self.instances(several))),
            (_, [], Some(one), _) => Ok(one.clone()),
            (false, [], None, Some(_)) => Err(Failure::unmounted("resolve")),
            (_, [], None, _) => Err(Failure::not_found()),
        }
    }

    /// The live registration that took the place of a dead one.
    fn successor(&self, dead: &Candidate, visible: &[&Candidate]) -> Option<&str> {
        let dead = &self.registrations.get(dead.target.registration)?.header;
        visible.iter().find_map(|one| {
            let live = self.registrations.get(one.target.registration)?;
            let same = live.header.component_type == dead.component_type
                && live.header.instance_id == dead.instance_id;
            same.then_some(live.id.as_str())
        })
    }

    fn instances(&self, candidates: &[&Candidate]) -> String {
        let mut out = String::from("[");
        for candidate in candidates.iter().take(MOST_INSTANCES) {
            let Some(registration) = self.registrations.get(candidate.target.registration) else {
                continue;
            };
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str("{\"instanceId\":");
            write_string(&mut out, &registration.header.instance_id);
            out.push_str(",\"registrationId\":");
            write_string(&mut out, &registration.id);
            out.push_str(",\"description\":");
            write_string(&mut out, &registration.header.description);
            out.push('}');
        }
        out.push(']');
        out
    }

    /// The call was made from another version of the surface, and no evidence, which is stricter, goes with it.
    fn version_differs(&self, call: &Call) -> bool {
        let Some(named) = call.surface_version.as_ref() else {
            return false;
        };
        let mut version = String::new();
        write_u64(&mut version, self.version);
        *named != version && call.confirmation_id.is_none()
    }
}
