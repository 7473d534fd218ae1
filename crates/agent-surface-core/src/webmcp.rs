//! What the browser's agent is offered: reconciles a toolset with the tools that the browser holds.
//!
//! Touches no browser API; it says what to offer and what to withdraw. Each offer has its generation, so that a
//! late answer never touches its successor. Called by the drivers.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned as _;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_json::{Bounds, Document, Value, concat};

use crate::call::{Request, Route, Sent};
use crate::core::Core;
use crate::definition::Capability;
use crate::error::{ObjectWriter, decimal};
use crate::invoke::Admitted;
use crate::message::{Output, Target};
use crate::table::{Slab, Table, hash};
use crate::time::Millis;
use crate::toolset::Tool;

/// Bounds of what a page says about its own tools.
const OWN_BOUNDS: Bounds = Bounds {
    max_bytes: 65_536,
    max_depth: 64,
    lone_surrogates: false,
};
/// How often an offer is made again when the browser frees a name late.
const MOST_ATTEMPTS: u32 = 5;

/// One tool that the browser was offered.
#[derive(Debug)]
struct Entry {
    name: Rc<String>,
    /// Kept in use, so that the same content is the same spec when it comes back.
    spec: u32,
    /// What `exposeCapability` said, as JSON text.
    overrides: Option<String>,
    target: Target,
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
            self.entries.get(id).is_some_and(|entry| *entry.name == name)
        })
    }

    /// Takes out what nobody marked as wanted: id, generation and spec.
    fn take_unseen(&mut self, seed: [u64; 2]) -> Vec<(u32, u32, u32)> {
        let mut gone = Vec::new();
        for (id, entry) in self.entries.iter_mut() {
            if !core::mem::take(&mut entry.seen) {
                self.index.remove(hash(seed, &[&entry.name]), id);
                gone.push((id, 0, entry.spec));
            }
        }
        for (id, generation, _) in &mut gone {
            *generation = self.entries.generation(*id);
            self.entries.discard(*id);
        }
        gone
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
        let mut targets = Vec::new();
        for tool in self.tools_of(toolset) {
            if self.why_left_out(tool).is_none() {
                targets.push(tool.target);
            }
        }
        targets
    }

    fn why_left_out(&self, tool: &Tool) -> Option<&'static str> {
        let spec = self.specs.get(tool.spec).filter(|_| tool.available);
        let Some(spec) = spec else {
            return Some("unavailable");
        };
        let input = spec.capability.input.as_ref();
        input
            .is_some_and(|input| !input.object_root)
            .then_some("the root of its input schema is not an object")
    }

    /// Brings what the browser holds in line with the built catalog: whatever is equal stays, the rest is
    /// withdrawn first and offered then. `exposures` has one answer for each of `offerable`, or is empty.
    pub fn reconcile(&mut self, toolset: u32, exposures: &[(Target, Exposure)]) {
        let Some(found) = self.toolsets.get_mut(toolset) else {
            return;
        };
        let Some(mut browser) = found.browser.take() else {
            return;
        };
        let (tools, names) = (
            core::mem::take(&mut found.tools),
            core::mem::take(&mut found.names),
        );
        browser.skipped.clear();
        browser.version = self.version;
        let mut missing = Vec::new();
        for (tool, name) in tools.iter().zip(&names) {
            if let Some(reason) = self.why_left_out(tool) {
                if tool.available
                    && let Some(spec) = self.specs.get(tool.spec)
                {
                    browser.skipped.push((spec.capability.id.clone(), reason));
                }
                continue;
            }
            let exposure = exposures.iter().find(|(target, _)| *target == tool.target);
            let overrides = match exposure {
                Some((_, Exposure::Skip)) => continue,
                Some((_, Exposure::With(text))) => Some(text),
                _ => None,
            };
            let known = browser.find(self.seed, name);
            match known.and_then(|id| browser.entries.get_mut(id)) {
                Some(entry) if entry.spec == tool.spec && entry.overrides.as_ref() == overrides => {
                    entry.target = tool.target;
                    entry.seen = true;
                }
                _ => missing.push(Entry {
                    name: Rc::clone(name),
                    spec: tool.spec,
                    overrides: overrides.cloned(),
                    target: tool.target,
                    seen: false,
                    rejected: None,
                    attempts: 1,
                }),
            }
        }
        self.withdraw(toolset, &mut browser);
        for entry in missing {
            if let Some(spec) = self.specs.get_mut(entry.spec) {
                spec.uses += 1;
            }
            let key = hash(self.seed, &[&entry.name]);
            let id = browser.entries.insert(entry);
            browser.index.insert(key, id);
            self.emit(Output::Offer(toolset, id, browser.entries.generation(id)));
        }
        if let Some(found) = self.toolsets.get_mut(toolset) {
            found.tools = tools;
            found.names = names;
            found.browser = Some(browser);
        }
    }

    /// Withdraws what is not marked as wanted.
    fn withdraw(&mut self, toolset: u32, browser: &mut Browser) {
        for (id, generation, spec) in browser.take_unseen(self.seed) {
            self.emit(Output::Withdraw(toolset, id, generation));
            self.drop_use(spec);
        }
    }

    pub(crate) fn withdraw_all(&mut self, toolset: u32) {
        let found = self.toolsets.get_mut(toolset);
        if let Some(mut browser) = found.and_then(|found| found.browser.take()) {
            self.withdraw(toolset, &mut browser);
        }
    }

    fn offered(&self, toolset: u32, entry: u32) -> Option<&Entry> {
        let browser = self.toolsets.get(toolset)?.browser.as_ref()?;
        browser.entries.get(entry)
    }

    /// The entry of an offer, as long as it stands.
    fn offer_mut(&mut self, toolset: u32, entry: u32, generation: u32) -> Option<&mut Entry> {
        let browser = self.toolsets.get_mut(toolset)?.browser.as_mut()?;
        let stands = browser.entries.generation(entry) == generation;
        browser.entries.get_mut(entry).filter(|_| stands)
    }

    /// The definition of an offered tool as JSON text: name, title, description, inputSchema,
    /// annotations.
    pub fn offered_tool(&self, toolset: u32, entry: u32) -> Option<String> {
        let entry = self.offered(toolset, entry)?;
        let capability = &self.specs.get(entry.spec)?.capability;
        let overrides = entry.overrides.as_deref().and_then(own_document);
        let given = |key| overrides.as_ref()?.root().get(key);
        let text_or = |key, otherwise| match given(key).and_then(Value::as_str) {
            Some(text) => text,
            None => Cow::Owned(otherwise),
        };
        let described = concat(&[&self.tool_label(entry.spec), " ", &capability.description]);
        let schema = capability.reduced.as_ref().or(capability.input.as_ref());
        let mut out = ObjectWriter::new();
        out.text("name", &entry.name)
            .text("title", &text_or("title", title(&capability.id)))
            .text("description", &text_or("description", described))
            .raw("inputSchema", schema.map_or(NO_INPUT, |schema| &schema.text))
            .open("annotations", "{");
        annotate(&mut out, capability, given("annotations"));
        Some(out.close("}").finish())
    }

    /// What an offered tool calls.
    pub fn offered_target(&self, toolset: u32, entry: u32) -> Option<Target> {
        Some(self.offered(toolset, entry)?.target)
    }

    /// The browser refused a tool. True when it should be offered again a little later, because the name may be
    /// freed late.
    pub fn offer_rejected(&mut self, toolset: u32, entry: u32, generation: u32, reason: &str) -> bool {
        let Some(entry) = self.offer_mut(toolset, entry, generation) else {
            return false;
        };
        entry.rejected = Some(reason.to_owned());
        entry.attempts += 1;
        entry.attempts <= MOST_ATTEMPTS
    }

    /// The browser took a tool.
    pub fn offer_accepted(&mut self, toolset: u32, entry: u32, generation: u32) {
        if let Some(entry) = self.offer_mut(toolset, entry, generation) {
            entry.rejected = None;
        }
    }

    /// What a browser toolset holds, as JSON text: `{ tools: [names], skipped: [{capabilityId, reason}], rejected:
    /// [{name, capabilityId, reason}] }`.
    pub fn browser_status(&self, toolset: u32) -> Option<String> {
        let browser = self.toolsets.get(toolset)?.browser.as_ref()?;
        let mut out = ObjectWriter::new();
        out.open("tools", "[");
        for (_, entry) in browser.entries.iter() {
            if entry.rejected.is_none() {
                out.item(Some(&entry.name));
            }
        }
        out.close("]").open("skipped", "[");
        for (id, reason) in &browser.skipped {
            out.open_item("{")
                .text("capabilityId", id)
                .text("reason", reason)
                .close("}");
        }
        out.close("]").open("rejected", "[");
        for (_, entry) in browser.entries.iter() {
            if let (Some(reason), Some(spec)) = (&entry.rejected, self.specs.get(entry.spec)) {
                out.open_item("{")
                    .text("name", &entry.name)
                    .text("capabilityId", &spec.capability.id)
                    .text("reason", reason)
                    .close("}");
            }
        }
        Some(out.close("]").finish())
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
        let version = decimal(browser.version);
        let capability_id = self.specs.get(offered.spec)?.capability.id.clone();
        let registration_id = self.registration_id(target.registration).map(str::to_owned);
        Some(self.execute(
            now,
            toolset,
            Request {
                route: Route::new(&capability_id, consumer),
                instance_id: None,
                registration_id: registration_id.as_deref(),
                surface_version: Some(&version),
                invocation_id: None,
                confirmation_id: None,
                input,
                timeout_ms: None,
                aborted,
                reads_only: false,
            },
        ))
    }
}

/// The input schema of what takes none.
const NO_INPUT: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

fn own_document(text: &str) -> Option<Document> {
    Document::parse(text, OWN_BOUNDS).ok()
}

/// `view:devices.table.selectRows` reads as `Select rows`.
fn title(id: &str) -> String {
    let mut out = String::with_capacity(id.len() + 4);
    for byte in id.bytes() {
        match byte {
            b'.' | b':' => out.clear(),
            b'_' | b'-' if !out.is_empty() => out.push(' '),
            _ if out.is_empty() => out.push(char::from(byte.to_ascii_uppercase())),
            b'A'..=b'Z' => {
                out.push(' ');
                out.push(char::from(byte.to_ascii_lowercase()));
            }
            _ => out.push(char::from(byte)),
        }
    }
    out
}

/// Hints from the contract; what the page gives comes on top, known or not.
fn annotate(out: &mut ObjectWriter, capability: &Capability, given: Option<Value<'_>>) {
    let meta = capability.meta.as_deref().and_then(own_document);
    let untrusted = meta.and_then(|meta| meta.root().get("untrustedContent")?.as_bool());
    for (name, holds) in [
        ("readOnlyHint", capability.effect.reads()),
        ("consequentialHint", capability.effect.is_dangerous()),
        ("untrustedContentHint", untrusted == Some(true)),
    ] {
        if given.is_none_or(|given| given.get(name).is_none()) {
            out.flag(name, holds);
        }
    }
    if let Some(given) = given {
        for (name, value) in given.entries() {
            out.given(&name, value.raw());
        }
    }
}
