//! Phase 2, resolution: which registration a call means, as far as its consumer may see.
//!
//! Refuses to disclose: what discovery policies hide counts neither as a candidate nor as a tombstone. Called by
//! the pipeline in `policy`.

use alloc::borrow::ToOwned as _;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::write_u64;

use crate::call::{Call, Candidate, Step, Votes};
use crate::core::Core;
use crate::definition::PolicyRef;
use crate::effect::Kind;
use crate::error::{Code, Failure, ObjectWriter};
use crate::id::{CapabilityId, parse};
use crate::message::Target;
use crate::registration::{Component, Registration};
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
        let component_type = &registration.component.header.component_type;
        registration.name = change(&mut self.names, self.seed, false, component_type, whole);
        for (at, member) in (0_u32..).zip(&registration.component.members) {
            if member.capability.kind == Kind::Procedure {
                let target = Target {
                    registration: slot,
                    capability: at,
                };
                change(&mut self.names, self.seed, true, &member.capability.name, target);
            }
        }
    }

    /// Whether the other plane knows an id's name, too: by a live registration but `except`, in the component itself, or
    /// by the procedure executor. Of what lives already nothing is said again.
    pub(crate) fn collides(&self, id: &str, twin: &str, component: &Component, except: Option<u32>) -> bool {
        let lives = |id: &str| {
            self.known_by(id).1.iter().any(|target| {
                let registration = self.registrations.get(target.registration);
                Some(target.registration) != except
                    && registration.is_some_and(|it| it.position(id).is_some())
            })
        };
        let path = twin.strip_prefix("domain:");
        let paths = self
            .executor
            .as_ref()
            .and_then(Option::as_deref)
            .unwrap_or_default();
        let is_known = path.is_some_and(|path| {
            let mut own = component.members.iter();
            own.any(|member| member.capability.id == twin) || paths.iter().any(|known| known == path)
        });
        (is_known || lives(twin)) && !lives(id)
    }

    /// What a capability is called by: the entry of its type or of its path.
    pub(crate) fn name_of(&self, target: Target) -> u32 {
        let Some(registration) = self.registrations.get(target.registration) else {
            return 0;
        };
        let Some(member) = registration.member(target.capability) else {
            return 0;
        };
        if member.capability.kind == Kind::Procedure {
            let found = self.names.find(self.seed, true, &member.capability.name);
            return found.unwrap_or(0);
        }
        registration.name
    }

    /// Live registrations by what an id names: its type, or (true) its path.
    fn known_by(&self, capability_id: &str) -> (bool, &[Target]) {
        let (domain, text) = match parse(capability_id) {
            Some(CapabilityId::View { component_type, .. }) => (false, component_type),
            Some(CapabilityId::Domain { path }) => (true, path),
            None => return (false, &[]),
        };
        (domain, self.names.members(self.seed, domain, text))
    }

    /// Live registrations that hold the capability, of this instance when one is named.
    fn add_live(&self, call: &Call, found: &mut Vec<Candidate>) {
        let (domain, targets) = self.known_by(&call.route.capability_id);
        for &target in targets {
            let at = domain.then_some(target.capability);
            found.extend(self.candidate(call, target.registration, at));
        }
    }

    /// A registration that holds what the call names, there or wherever it stands; none when the call names another
    /// instance.
    fn candidate(&self, call: &Call, slot: u32, at: Option<u32>) -> Option<Candidate> {
        let registration = self.registrations.get(slot)?;
        let header = &registration.component.header;
        if let Some(instance) = &call.instance_id
            && *instance != header.instance_id
        {
            return None;
        }
        // Whatever a toolset's caller names, it reaches no further than its tools do.
        if let Some(toolset) = self.toolset_of(call)
            && !self.is_in_scope(toolset.view, &header.component_type)
        {
            return None;
        }
        let capability = match at {
            Some(at) => at,
            None => registration.position(&call.route.capability_id)?,
        };
        Some(Candidate {
            target: Target {
                registration: slot,
                capability,
            },
            generation: self.registrations.generation(slot),
            hidden: false,
            undisclosed: false,
            disabled: None,
        })
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

    /// The registration, live or dead, that the call's token names and that holds the capability.
    fn named(&self, call: &Call) -> Option<Candidate> {
        let token = call.registration_id.as_deref()?;
        let slot = self.ids.find(hash(self.seed, &[token]), &mut |slot| {
            self.registrations
                .get(slot)
                .is_some_and(|registration| registration.id == token)
        })?;
        self.candidate(call, slot, None)
    }

    fn lives(&self, candidate: &Candidate) -> bool {
        self.is_live(candidate.target.registration, candidate.generation)
    }

    /// Collects what the call could mean and goes on to the votes.
    pub(crate) fn resolve(&mut self, call: &mut Call) {
        if let Some(failure) = call.pending.take() {
            return self.fail(call, failure);
        }
        self.sweep_tombstones();
        let mut found = Vec::new();
        // Whatever resolution says must be what this consumer could see: then policies that answer for themselves
        // in phase 3 vote here, too.
        let mut all = self.version_differs(call);
        let named = self.named(call);
        let dead = call.registration_id.is_some();
        match named {
            Some(named) if self.lives(&named) => found.push(named),
            named => {
                self.add_live(call, &mut found);
                all |= dead;
                found.extend(named);
            }
        }
        if found.is_empty() && !dead {
            return self.look_among_the_dead(call);
        }
        all |= found.len() > 1;
        vote_on(call, found, all, dead);
    }

    /// Nothing that lives can be what the call means: is there a tombstone that its consumer could see? The youngest
    /// first; none older than one that nobody can hide.
    fn look_among_the_dead(&self, call: &mut Call) {
        let mut found = Vec::new();
        for &slot in self.tombstones.iter().rev() {
            if let Some(dead) = self.candidate(call, slot, None) {
                let last = !self.may_hide(dead.target);
                found.push(dead);
                if last {
                    break;
                }
            }
        }
        vote_on(call, found, true, true);
    }

    /// The token of the call named a live registration that its consumer cannot see, and nothing else was asked.
    fn names_one_hidden(&self, call: &Call) -> bool {
        let [one] = call.votes.candidates.as_slice() else {
            return false;
        };
        let named = self.registration_id(one.target.registration);
        named.is_some() && named == call.registration_id.as_deref()
    }

    /// Such a token is worth what an unknown one is: whatever else lives decides.
    fn look_past_the_hidden(&self, call: &mut Call) {
        let hidden = call.votes.candidates.first().map(|one| one.target);
        let mut found = Vec::new();
        self.add_live(call, &mut found);
        found.retain(|one| Some(one.target) != hidden);
        vote_on(call, found, true, true);
    }

    /// Decides what the call means, after the votes.
    pub(crate) fn choose(&mut self, call: &mut Call) {
        let at = match self.choice(call) {
            Ok(at) => at,
            Err(failure) if failure.code != Code::CapabilityNotFound => return self.fail(call, failure),
            Err(_) if !call.votes.dead => return self.look_among_the_dead(call),
            Err(_) if self.names_one_hidden(call) => return self.look_past_the_hidden(call),
            Err(failure) => return self.fail(call, failure),
        };
        // Nobody asks for the others any more.
        let candidates = &mut call.votes.candidates;
        candidates.truncate(at + 1);
        let Some(chosen) = candidates.pop() else { return };
        candidates.clear();
        let member = self
            .registrations
            .get(chosen.target.registration)
            .and_then(|registration| registration.member(chosen.target.capability));
        let Some(member) = member else { return };
        // To whom the capability is hidden, its version says nothing: phase 3 answers.
        let dangerous = !chosen.undisclosed && member.capability.effect.is_dangerous();
        call.target = Some(chosen.target);
        call.target_generation = chosen.generation;
        call.capability = Some(Rc::clone(&member.capability));
        call.chain = Some(Rc::clone(&member.chain));
        candidates.push(chosen);
        call.step = Step::Authorize(0);
        self.audit_started(call);
        if dangerous && self.version_differs(call) {
            self.fail(call, Failure::stale("surface-version-mismatch", None));
        }
    }

    /// The position of the candidate that the call means.
    fn choice(&self, call: &Call) -> Result<usize, Failure> {
        let votes = &call.votes.candidates;
        let token = call.registration_id.as_deref();
        let (mut visible, mut first, mut answered, mut dead) = (0, None, None, None);
        let mut named = None;
        for (at, one) in votes.iter().enumerate() {
            if !self.lives(one) {
                if !one.undisclosed && dead.is_none() {
                    dead = Some(one);
                }
                continue;
            }
            let is_named = token.is_some() && self.registration_id(one.target.registration) == token;
            if !one.undisclosed {
                visible += 1;
                first = first.or(Some(at));
                if is_named && named.is_none() {
                    named = Some(at);
                }
            } else if !one.hidden {
                answered = answered.or(Some((at, is_named)));
            }
        }
        // Where only policies that answer for themselves stand in the way, one of them will, in phase 3.
        let answered = answered.filter(|_| visible == 0);
        if token.is_some() {
            if let Some(at) = named.or(answered.filter(|&(_, is_named)| is_named).map(|(at, _)| at)) {
                return Ok(at);
            }
            if let Some(dead) = dead {
                return Err(match self.successor(dead, votes) {
                    Some(id) => Failure::stale("registration-replaced", Some(id)),
                    None => Failure::unmounted("resolve"),
                });
            }
        }
        match (first, answered) {
            (Some(at), _) if token.is_some() => {
                let live = votes
                    .get(at)
                    .and_then(|one| self.registration_id(one.target.registration));
                Err(Failure::stale("surface-reloaded", live))
            }
            (Some(at), _) if visible == 1 => Ok(at),
            (Some(_), _) => Err(Failure::ambiguous(&self.instances(votes))),
            (None, Some((at, _))) => Ok(at),
            (None, None) if token.is_none() && dead.is_some() => Err(Failure::unmounted("resolve")),
            (None, None) => Err(Failure::not_found()),
        }
    }

    /// What lives among the candidates and may be seen.
    fn visible<'a>(&'a self, candidates: &'a [Candidate]) -> impl Iterator<Item = &'a Registration> {
        candidates
            .iter()
            .filter(|one| !one.undisclosed && self.lives(one))
            .filter_map(|one| self.registrations.get(one.target.registration))
    }

    /// The live registration that took the place of a dead one.
    fn successor<'a>(&'a self, dead: &Candidate, candidates: &'a [Candidate]) -> Option<&'a str> {
        let dead = &self.registrations.get(dead.target.registration)?.component.header;
        self.visible(candidates)
            .find(|live| {
                live.component.header.component_type == dead.component_type
                    && live.component.header.instance_id == dead.instance_id
            })
            .map(|live| live.id.as_str())
    }

    fn instances(&self, candidates: &[Candidate]) -> String {
        let mut out = String::from("[");
        let mut object = ObjectWriter::new();
        for registration in self.visible(candidates).take(MOST_INSTANCES) {
            if out.len() > 1 {
                out.push(',');
            }
            object
                .text("instanceId", &registration.component.header.instance_id)
                .text("registrationId", &registration.id)
                .text("description", &registration.component.header.description);
            out.push_str(&object.finish());
        }
        out.push(']');
        out
    }

    /// The call was made from another version of the surface, and no evidence, which is stricter, goes with it.
    fn version_differs(&self, call: &Call) -> bool {
        let Some(named) = &call.surface_version else {
            return false;
        };
        let mut version = String::new();
        write_u64(&mut version, self.version);
        *named != version && call.confirmation_id.is_none()
    }
}

fn vote_on(call: &mut Call, candidates: Vec<Candidate>, all: bool, dead: bool) {
    call.votes = Votes {
        candidates,
        candidate: 0,
        policy: 0,
        all,
        dead,
    };
    call.step = Step::Votes;
}
