//! The reference: what the contract promises, in as few lines as it takes.
//!
//! Knows registrations, ids and evidence, and no pipeline. Called by `host.rs`.

use std::collections::BTreeMap;

use agent_surface_core::error::Code;

/// Names of the seven capabilities of every component, in order.
pub const NAMES: [&str; 7] = ["look", "run", "ask", "free", "secret", "go", "policed"];

#[derive(Clone, Debug)]
pub struct Live {
    pub slot: u32,
    pub generation: u32,
    pub id: String,
    pub enabled: bool,
    pub pushed: [bool; 7],
}

/// What a request is, apart from its freshness tokens.
pub type Content = (String, Option<String>, String, Option<String>);

#[derive(Debug, Default)]
pub struct Reference {
    pub version: u64,
    pub live: BTreeMap<(String, String), Live>,
    /// Instances that ever ended, by type; tombstones as long as none is forgotten.
    pub ended: Vec<(String, String)>,
    pub hidden: bool,
    pub when: bool,
    /// Calls by consumer and id that are in flight or remembered.
    pub known: BTreeMap<(String, String), Content>,
}

/// What identity makes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    New,
    Same,
    Conflict,
}

impl Reference {
    pub fn identity(&self, consumer: &str, id: Option<&str>, content: &Content) -> Identity {
        let known = id.and_then(|id| self.known.get(&(consumer.to_owned(), id.to_owned())));
        match known {
            None => Identity::New,
            Some(known) if known == content => Identity::Same,
            Some(_) => Identity::Conflict,
        }
    }

    /// How phases 2 to 4 end for a call without a token: an error, or the instance that it means.
    pub fn resolve(&self, component: &str, instance: Option<&str>, capability: usize) -> Result<&Live, Code> {
        let fits = |key: &&(String, String)| key.0 == component && instance.is_none_or(|one| key.1 == one);
        if self.hidden && NAMES[capability] == "secret" {
            return Err(Code::CapabilityNotFound);
        }
        let found: Vec<&Live> = self
            .live
            .iter()
            .filter(|(key, _)| fits(key))
            .map(|(_, live)| live)
            .collect();
        match found.as_slice() {
            [] if self.ended.iter().any(|key| fits(&key)) => Err(Code::ComponentUnmounted),
            [] => Err(Code::CapabilityNotFound),
            [one] if self.available(one, capability) => Ok(one),
            [_] => Err(Code::CapabilityNotAvailable),
            _ => Err(Code::AmbiguousInstance),
        }
    }

    pub fn available(&self, live: &Live, capability: usize) -> bool {
        live.enabled && live.pushed[capability] && (self.when || NAMES[capability] != "run")
    }

    /// What a snapshot of these types, `all` or what is available, shows: component, instance, capability, available; in
    /// its order.
    pub fn shown(&self, scope: &[String], all: bool) -> Vec<(String, String, String, bool)> {
        let mut out = Vec::new();
        for (key, live) in &self.live {
            if !scope.is_empty() && !scope.contains(&key.0) {
                continue;
            }
            for (at, name) in NAMES.iter().enumerate() {
                let state = self.available(live, at);
                if !(self.hidden && *name == "secret") && (all || state) {
                    out.push((key.0.clone(), key.1.clone(), (*name).to_owned(), state));
                }
            }
        }
        out
    }
}
