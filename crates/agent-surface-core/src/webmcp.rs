//! What the browser's agent is offered: reconciles a toolset with the tools that the browser holds.
//!
//! Touches no browser API; it says what to offer and what to withdraw. Each offer has its generation, so that a
//! late answer never touches its successor. Called by the drivers.

use agent_surface_json::{Bounds, Document, write_string};

use crate::call::{Request, Sent};
use crate::confirmation::text_field;
use crate::core::Core;
use crate::definition::Capability;
use crate::effect::{Effect, Kind};
use crate::id::{CapabilityId, parse};
use crate::invoke::Admitted;
use crate::message::{Output, Target};
use crate::table::{Slab, Table, hash};
use crate::time::Millis;
use crate::toolset::{Tool, Toolset};

/// How often an offer is made again when the browser frees a name late.
const MOST_ATTEMPTS: u32 = 5;

/// One tool that the browser was offered.
#[derive(Debug)]
struct Entry {
    name: String,
    spec: u32,
    spec_generation: u32,
    /// What `exposeCapability` said, as JSON text.
    overrides: Option<String>,
    target: Target,
    target_generation: u32,
    seen: bool,
    rejected: Option<String>,
    attempts: u32,
}

/// The browser's side of a toolset.
#[derive(Debug)]
pub(crate) struct Browser {
    entries: Slab<Entry>,
    index: Table,
    /// Capability id and reason of what is left out.
    skipped: Vec<(String, &'static str)>,
    version: u64,
}

impl Browser {
    pub const fn new() -> Self {
        Self {
            entries: Slab::new(),
            index: Table::new(),
            skipped: Vec::new(),
            version: 0,
        }
    }

    fn find(&self, seed: [u64; 2], name: &str) -> Option<u32> {
        self.index.find(hash(seed, &[name]), &mut |id| {
            self.entries.get(id).is_some_and(|entry| entry.name == name)
        })
    }

    fn remove(&mut self, seed: [u64; 2], id: u32) -> Option<Entry> {
        let entry = self.entries.remove(id)?;
        self.index.remove(hash(seed, &[&entry.name]), id);
        Some(entry)
    }
}

/// What the page's `exposeCapability` says of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// As it is.
    Plain,
    /// With these overrides: a JSON object of `title`, `description`, `annotations`.
    With(String),
    /// Not at all.
    Skip,
}

impl Core {
    /// The tools that a browser toolset would offer, to be asked about before `reconcile`.
    pub fn offerable(&self, toolset: u32) -> Vec<Target> {
        let tools = self
            .toolsets
            .get(toolset)
            .map_or(&[][..], |toolset| toolset.tools.as_slice());
        tools
            .iter()
            .filter(|tool| self.why_left_out(tool).is_none())
            .map(|tool| tool.target)
            .collect()
    }

    fn capability_of(&self, target: Target) -> Option<&Capability> {
        let member = self
            .registrations
            .get(target.registration)?
            .member(target.capability)?;
        Some(&member.capability)
    }

    fn why_left_out(&self, tool: &Tool) -> Option<&'static str> {
        let Some(capability) = self.capability_of(tool.target) else {
            return Some("gone");
        };
        if !tool.available {
            return Some("unavailable");
        }
        capability
            .input
            .as_ref()
            .is_some_and(|input| !input.object_root)
            .then_some("the root of its input schema is not an object")
    }

    /// Brings what the browser holds in line with the built catalog: whatever is equal stays, the rest is
    /// withdrawn first and offered then. `exposures` has one answer for each of `offerable`, or is empty.
    pub fn reconcile(&mut self, toolset: u32, exposures: &[(Target, Exposure)]) {
        let Some(found) = self.toolsets.get(toolset) else {
            return;
        };
        let wanted: Vec<(Tool, String)> = found
            .tools
            .iter()
            .cloned()
            .zip(found.names.iter().cloned())
            .collect();
        let mut skipped = Vec::new();
        let mut missing = Vec::new();
        for (tool, name) in wanted {
            if let Some(reason) = self.why_left_out(&tool) {
                if let (true, Some(capability)) = (reason != "unavailable", self.capability_of(tool.target)) {
                    skipped.push((capability.id.clone(), reason));
                }
                continue;
            }
            let exposure = exposures
                .iter()
                .find(|(target, _)| *target == tool.target)
                .map(|(_, exposure)| exposure);
            let overrides = match exposure {
                Some(Exposure::Skip) => continue,
                Some(Exposure::With(text)) => Some(text.clone()),
                _ => None,
            };
            if let Some(entry) = self.matching(toolset, &tool, name, overrides) {
                missing.push(entry);
            }
        }
        self.withdraw_unseen(toolset);
        let (seed, version) = (self.seed, self.version);
        let Some(browser) = browser_of(&mut self.toolsets, toolset) else {
            return;
        };
        browser.skipped = skipped;
        browser.version = version;
        let mut offers = Vec::new();
        for entry in missing {
            // What is offered keeps its spec, so that the same content is the same spec when it comes back.
            if let Some(spec) = self.specs.get_mut(entry.spec) {
                spec.uses += 1;
            }
            let key = hash(seed, &[&entry.name]);
            let id = browser.entries.insert(entry);
            browser.index.insert(key, id);
            offers.push(Output::Offer(toolset, id, browser.entries.generation(id)));
        }
        for offer in offers {
            self.emit(offer);
        }
    }

    /// Marks the equal entry as wanted, or makes the one to offer.
    fn matching(
        &mut self,
        toolset: u32,
        tool: &Tool,
        name: String,
        overrides: Option<String>,
    ) -> Option<Entry> {
        let (seed, spec_generation) = (self.seed, self.specs.generation(tool.spec));
        let browser = self.toolsets.get_mut(toolset)?.browser.as_mut()?;
        if let Some(entry) = browser
            .find(seed, &name)
            .and_then(|id| browser.entries.get_mut(id))
        {
            let same = entry.spec == tool.spec
                && entry.spec_generation == spec_generation
                && entry.overrides == overrides;
            if same {
                entry.target = tool.target;
                entry.target_generation = tool.generation;
                entry.seen = true;
                return None;
            }
        }
        Some(Entry {
            name,
            spec: tool.spec,
            spec_generation,
            overrides,
            target: tool.target,
            target_generation: tool.generation,
            seen: false,
            rejected: None,
            attempts: 1,
        })
    }

    fn withdraw_unseen(&mut self, toolset: u32) {
        let seed = self.seed;
        let Some(browser) = browser_of(&mut self.toolsets, toolset) else {
            return;
        };
        let mut gone = Vec::new();
        for (id, entry) in browser.entries.iter_mut() {
            if !std::mem::take(&mut entry.seen) {
                gone.push(id);
            }
        }
        let mut outputs = Vec::with_capacity(gone.len());
        let mut specs = Vec::with_capacity(gone.len());
        for id in gone {
            let generation = browser.entries.generation(id);
            if let Some(entry) = browser.remove(seed, id) {
                outputs.push(Output::Withdraw(toolset, id, generation));
                specs.push(entry.spec);
            }
        }
        for output in outputs {
            self.emit(output);
        }
        self.drop_uses(&specs);
    }

    pub(crate) fn withdraw_all(&mut self, toolset: u32) {
        self.withdraw_unseen(toolset);
    }

    /// The definition of an offered tool as JSON text: name, title, description, inputSchema,
    /// annotations.
    pub fn offered_tool(&self, toolset: u32, entry: u32) -> Option<String> {
        let entry = self.toolsets.get(toolset)?.browser.as_ref()?.entries.get(entry)?;
        let capability = &self.specs.get(entry.spec)?.capability;
        let bounds = Bounds {
            max_bytes: 65_536,
            max_depth: 64,
            lone_surrogates: false,
        };
        let overrides = entry
            .overrides
            .as_deref()
            .and_then(|text| Document::parse(text, bounds).ok());
        let text_of = |key: &str| {
            let value = overrides.as_ref()?.root().get(key)?;
            value.as_str().map(std::borrow::Cow::into_owned)
        };
        let mut out = String::from("{");
        text_field(&mut out, "name", &entry.name);
        text_field(
            &mut out,
            "title",
            &text_of("title").unwrap_or_else(|| title(&capability.id)),
        );
        let described = [&self.tool_label(entry.spec), " ", &capability.description].concat();
        text_field(
            &mut out,
            "description",
            &text_of("description").unwrap_or(described),
        );
        out.push_str(",\"inputSchema\":");
        match capability.reduced.as_ref().or(capability.input.as_ref()) {
            Some(schema) => out.push_str(&schema.text),
            None => out.push_str("{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"),
        }
        out.push_str(",\"annotations\":");
        let given = overrides
            .as_ref()
            .and_then(|overrides| overrides.root().get("annotations"));
        annotations(&mut out, capability, given);
        out.push('}');
        Some(out)
    }

    /// What an offered tool calls.
    pub fn offered_target(&self, toolset: u32, entry: u32) -> Option<Target> {
        let browser = self.toolsets.get(toolset)?.browser.as_ref()?;
        Some(browser.entries.get(entry)?.target)
    }

    /// The browser refused a tool. True when it should be offered again a little later, because the name may be
    /// freed late.
    pub fn offer_rejected(&mut self, toolset: u32, entry: u32, generation: u32, reason: &str) -> bool {
        let Some(browser) = browser_of(&mut self.toolsets, toolset) else {
            return false;
        };
        if browser.entries.generation(entry) != generation {
            return false;
        }
        let Some(entry) = browser.entries.get_mut(entry) else {
            return false;
        };
        entry.rejected = Some(reason.to_owned());
        entry.attempts += 1;
        entry.attempts <= MOST_ATTEMPTS
    }

    /// The browser took a tool.
    pub fn offer_accepted(&mut self, toolset: u32, entry: u32, generation: u32) {
        if let Some(browser) = browser_of(&mut self.toolsets, toolset)
            && browser.entries.generation(entry) == generation
            && let Some(entry) = browser.entries.get_mut(entry)
        {
            entry.rejected = None;
        }
    }

    /// What a browser toolset holds, as JSON text: `{ tools: [names], skipped: [{capabilityId, reason}], rejected:
    /// [{name, capabilityId, reason}] }`.
    pub fn browser_status(&self, toolset: u32) -> Option<String> {
        let browser = self.toolsets.get(toolset)?.browser.as_ref()?;
        let (mut tools, mut rejected, mut skipped) = (String::new(), String::new(), String::new());
        for (_, entry) in browser.entries.iter() {
            let Some(reason) = &entry.rejected else {
                comma(&mut tools);
                write_string(&mut tools, &entry.name);
                continue;
            };
            comma(&mut rejected);
            rejected.push('{');
            text_field(&mut rejected, "name", &entry.name);
            if let Some(spec) = self.specs.get(entry.spec) {
                text_field(&mut rejected, "capabilityId", &spec.capability.id);
            }
            text_field(&mut rejected, "reason", reason);
            rejected.push('}');
        }
        for (id, reason) in &browser.skipped {
            comma(&mut skipped);
            skipped.push('{');
            text_field(&mut skipped, "capabilityId", id);
            text_field(&mut skipped, "reason", reason);
            skipped.push('}');
        }
        Some(
            [
                "{\"tools\":[",
                &tools,
                "],\"skipped\":[",
                &skipped,
                "],\"rejected\":[",
                &rejected,
                "]}",
            ]
            .concat(),
        )
    }

    /// Runs an offered tool: capability, registration and version are those of the latest reconcile.
    pub fn execute_offered(
        &mut self,
        now: Millis,
        toolset: u32,
        entry: u32,
        generation: u32,
        input: Sent,
        aborted: bool,
    ) -> Option<Admitted> {
        let found = self.toolsets.get(toolset)?;
        let consumer = found.consumer.clone();
        let browser = found.browser.as_ref()?;
        let offered = browser
            .entries
            .get(entry)
            .filter(|_| browser.entries.generation(entry) == generation)?;
        let target = offered.target;
        let mut version = String::new();
        agent_surface_json::write_u64(&mut version, browser.version);
        let capability_id = self.specs.get(offered.spec)?.capability.id.clone();
        let registration_id = self.registration_id(target.registration).map(str::to_owned);
        Some(self.execute(
            now,
            toolset,
            Request {
                capability_id: &capability_id,
                instance_id: None,
                registration_id: registration_id.as_deref(),
                surface_version: Some(&version),
                invocation_id: None,
                confirmation_id: None,
                consumer,
                input,
                timeout_ms: None,
                aborted,
            },
        ))
    }
}

/// The browser's side of a toolset. It takes the toolsets alone, so that a caller may change the specs beside it.
fn browser_of(toolsets: &mut Slab<Toolset>, toolset: u32) -> Option<&mut Browser> {
    toolsets.get_mut(toolset)?.browser.as_mut()
}

fn comma(out: &mut String) {
    if !out.is_empty() {
        out.push(',');
    }
}

/// `view:devices.table.selectRows` reads as `Select rows`.
fn title(id: &str) -> String {
    let name = match parse(id) {
        Some(CapabilityId::View { name, .. }) => name,
        Some(CapabilityId::Domain { path }) => path.rsplit('.').next().unwrap_or(path),
        None => id,
    };
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if out.is_empty() {
            out.push(letter.to_ascii_uppercase());
        } else if letter.is_ascii_uppercase() {
            out.push(' ');
            out.push(letter.to_ascii_lowercase());
        } else {
            out.push(if letter == '_' || letter == '-' {
                ' '
            } else {
                letter
            });
        }
    }
    out
}

/// Hints from the contract; what the page gives comes on top, known or not.
fn annotations(out: &mut String, capability: &Capability, given: Option<agent_surface_json::Value<'_>>) {
    let reads = capability.kind == Kind::Observation || capability.effect == Effect::ServerQuery;
    let bounds = Bounds {
        max_bytes: 65_536,
        max_depth: 64,
        lone_surrogates: false,
    };
    let untrusted = capability
        .meta
        .as_deref()
        .and_then(|meta| Document::parse(meta, bounds).ok())
        .is_some_and(|meta| {
            meta.root()
                .get("untrustedContent")
                .and_then(agent_surface_json::Value::as_bool)
                == Some(true)
        });
    let hints = [
        ("readOnlyHint", reads),
        ("consequentialHint", capability.effect.is_dangerous()),
        ("untrustedContentHint", untrusted),
    ];
    out.push('{');
    let mut first = true;
    let mut put = |name: &str, value: &str| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        write_string(out, name);
        out.push(':');
        out.push_str(value);
    };
    for (name, holds) in hints {
        if given.is_none_or(|given| given.get(name).is_none()) {
            put(name, if holds { "true" } else { "false" });
        }
    }
    if let Some(given) = given {
        for (name, value) in given.entries() {
            put(&name, value.raw());
        }
    }
    out.push('}');
}
