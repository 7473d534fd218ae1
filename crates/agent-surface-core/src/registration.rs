//! One mount lifetime of one component instance, and the capability specs that registrations share.
//!
//! Holds data and answers questions about it; changes nothing elsewhere. Owned by `Core`.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::definition::{Capability, Header, PolicyRef};
use crate::time::Millis;

/// A capability spec, shared by every registration that declares the same text.
#[derive(Debug)]
pub(crate) struct Spec {
    pub capability: Rc<Capability>,
    /// Its tool's name where no other registration has the capability.
    pub wire_name: Rc<String>,
    /// `wire_name` reads back, so that it differs from all that do.
    pub has_exact_name: bool,
    /// How many live or remembered registrations use it.
    pub uses: u32,
    /// The driver is about to hear that nobody uses it.
    pub leaving: bool,
}

/// One capability of a component.
#[derive(Debug)]
pub(crate) struct Member {
    pub spec: u32,
    pub capability: Rc<Capability>,
    /// Registry, component and capability policies, outermost first.
    pub chain: Rc<Vec<PolicyRef>>,
    /// A look has to ask about it each time.
    pub asks: bool,
}

/// A component that passed validation, shared by every registration that the driver says has the same definition.
#[derive(Debug)]
pub(crate) struct Component {
    pub header: Box<Header>,
    pub members: Vec<Member>,
    /// The hash of its type and instance.
    pub key: u64,
}

/// A component with how many live or remembered registrations use it, or are about to.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub component: Rc<Component>,
    pub uses: u32,
}

/// Calls of one concurrency group; exists only while one runs or waits.
#[derive(Debug)]
pub(crate) struct Group {
    pub key: GroupKey,
    pub running: u32,
    /// The least bound of those that run: calls of one group may have different ones.
    pub bound: u32,
    /// In order of arrival.
    pub waiting: Vec<u32>,
}

impl Group {
    /// Whether there was room for a call that runs beside at most `max - 1` others.
    pub fn takes(&mut self, max: u32) -> bool {
        let bound = if self.running == 0 {
            max
        } else {
            max.min(self.bound)
        };
        let has_room = self.running < bound;
        if has_room {
            self.running += 1;
            self.bound = bound;
        }
        has_room
    }
}

/// What makes two calls of one registration wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GroupKey {
    Instance,
    Capability(u32),
    Key(u32, String),
}

/// One mount lifetime.
#[derive(Debug)]
pub(crate) struct Registration {
    pub id: String,
    pub component: Rc<Component>,
    /// By which the driver knows the component.
    pub component_id: u32,
    /// What the page pushed through `handle.update({ availability })`: capabilities by position, and why they are not
    /// available, if so.
    pub pushed: Vec<(usize, Option<String>)>,
    pub enabled: bool,
    /// False once unregistered: it is then a tombstone.
    pub live: bool,
    /// When it was unregistered.
    pub ended: Millis,
    /// Moves with every change of what a snapshot could show of it.
    pub revision: u64,
    pub groups: Vec<Group>,
    /// The entry of its type among the names of live registrations.
    pub name: u32,
}

impl Registration {
    /// Whether nothing speaks against any capability of it.
    pub fn is_plain(&self) -> bool {
        self.enabled && self.pushed.iter().all(|(_, reason)| reason.is_none())
    }

    /// Why the page pushed the capability at this position as not available.
    pub fn pushed(&self, at: usize) -> Option<&str> {
        let pushed = self.pushed.iter().find(|(other, _)| *other == at);
        pushed?.1.as_deref()
    }

    /// Position of the capability with this full id.
    pub fn position(&self, capability_id: &str) -> Option<u32> {
        let at = self
            .component
            .members
            .iter()
            .position(|member| member.capability.id == capability_id)?;
        u32::try_from(at).ok()
    }

    /// The capability at this position.
    pub fn member(&self, capability: u32) -> Option<&Member> {
        self.component.members.get(usize::try_from(capability).ok()?)
    }

    /// The group of this key, made when there is none: always one.
    pub fn group(&mut self, key: &GroupKey) -> Option<&mut Group> {
        if !self.groups.iter().any(|group| group.key == *key) {
            self.groups.push(Group {
                key: key.clone(),
                running: 0,
                bound: 0,
                waiting: Vec::new(),
            });
        }
        self.groups.iter_mut().find(|group| group.key == *key)
    }

    /// Drops the group when nothing runs or waits in it.
    pub fn drop_idle(&mut self, key: &GroupKey) {
        self.groups
            .retain(|group| group.key != *key || group.running > 0 || !group.waiting.is_empty());
    }
}
