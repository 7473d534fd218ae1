//! Toolsets: one consumer's catalog as tools with wire names, and the evidence that lets two-phase calls complete.
//!
//! The page's own copilot, a remote loop and the browser's agent share it; what the browser needs besides is in
//! `webmcp`. Approves nothing: it remembers ids and attaches them. Called by the drivers.

use agent_surface_json::concat;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::admission::take_at;
use crate::call::{Call, Consumer, Origin, Request};
use crate::confirmation::Status;
use crate::core::Core;
use crate::effect::{Confirmation, Kind};
use crate::error::{Failure, ObjectWriter};
use crate::invoke::Admitted;
use crate::message::{Output, Target};
use crate::time::Millis;
use crate::view::Budget;
use crate::webmcp::Browser;
use crate::wire::{NameRequest, assign_with_owners};

/// How a toolset is made.
#[derive(Clone, Debug)]
pub struct ToolsetConfig {
    /// Whose tools they are.
    pub consumer: Consumer,
    /// Component-type prefixes; empty means all.
    pub scope: Vec<String>,
    /// How much of the components it has.
    pub budget: Budget,
    /// A call waits for the person instead of asking its caller to repeat it.
    pub waits: bool,
    /// The longest wait in milliseconds; `None` waits until expiry.
    pub wait_ms: Option<u32>,
    /// The tools go to the browser: only available ones, annotated.
    pub browser: bool,
}

/// One tool of a built catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    pub target: Target,
    pub generation: u32,
    pub spec: u32,
    pub available: bool,
}

/// One consumer's tools.
#[derive(Debug)]
pub struct Toolset {
    pub(crate) consumer: Consumer,
    pub(crate) view: u32,
    pub(crate) waits: bool,
    pub(crate) wait_ms: Option<u32>,
    pub(crate) open: bool,
    pub(crate) tools: Vec<Tool>,
    pub(crate) names: Vec<Rc<String>>,
    /// Moves when a name does; 0 while every tool has the name of its spec.
    names_stamp: u64,
    stamp: u64,
    /// Ids of the questions that its calls were refused for.
    evidence: Vec<String>,
    /// Somebody wants to hear of changes.
    watched: bool,
    pub(crate) browser: Option<Browser>,
}

impl Core {
    /// Opens a toolset; closed by `close_toolset`.
    pub fn open_toolset(&mut self, config: ToolsetConfig) -> u32 {
        let view = self.open_view(config.scope, true, config.budget);
        self.toolsets.insert(Toolset {
            consumer: config.consumer,
            view,
            waits: config.waits,
            wait_ms: config.wait_ms,
            open: true,
            tools: Vec::new(),
            names: Vec::new(),
            names_stamp: 0,
            stamp: 0,
            evidence: Vec::new(),
            watched: config.browser,
            browser: config.browser.then(Browser::new),
        })
    }

    /// Ends the waits of a toolset with the result they have, and drops it.
    pub fn close_toolset(&mut self, now: Millis, toolset: u32) {
        self.now = now;
        // Calls that nothing looked at yet are resolved within its scope.
        self.run();
        if let Some(found) = self.toolsets.get_mut(toolset) {
            found.open = false;
        }
        let waiting =
            self.calls_that(&|call| call.origin == Origin::Toolset(toolset) && call.pending.is_some());
        for slot in waiting {
            self.with_call(slot, &mut Self::stop_waiting);
        }
        self.withdraw_all(toolset);
        if let Some(found) = self.toolsets.remove(toolset) {
            self.views.discard(found.view);
        }
        // Calls in flight belong to no toolset now: a later one in the same slot must not adopt them.
        for (_, call) in self.calls.iter_mut() {
            if call.origin == Origin::Toolset(toolset) {
                call.origin = Origin::Direct;
            }
        }
        self.run();
    }

    /// The toolset's view, to be looked through before `build_tools`.
    pub fn toolset_view(&self, toolset: u32) -> Option<u32> {
        Some(self.toolsets.get(toolset)?.view)
    }

    /// Whether somebody wants `Output::Refresh` when the surface may have changed.
    pub fn watch_toolset(&mut self, toolset: u32, watched: bool) {
        if let Some(toolset) = self.toolsets.get_mut(toolset) {
            toolset.watched = watched;
        }
    }

    /// Builds the catalog from a complete view. False when it is what it was.
    pub fn build_tools(&mut self, toolset: u32) -> bool {
        let Some(found) = self.toolsets.get(toolset) else {
            return false;
        };
        let (view, stamp) = (found.view, self.view_stamp(found.view));
        if found.stamp == stamp {
            return false;
        }
        let mut tools = Vec::with_capacity(found.tools.len());
        for &(slot, _, listed) in self.shown_rows(view) {
            let generation = self.registrations.generation(slot);
            self.shown(view, slot, &mut |capability, member, state| {
                // A component that the budget dropped keeps its procedures.
                if !listed && member.capability.kind != Kind::Procedure {
                    return;
                }
                tools.push(Tool {
                    target: Target {
                        registration: slot,
                        capability,
                    },
                    generation,
                    spec: member.spec,
                    available: state.available,
                });
            });
        }
        let is_same = |(a, b): (&Tool, &Tool)| a.target == b.target && a.generation == b.generation;
        let renamed = if found.tools.len() == tools.len() && found.tools.iter().zip(&tools).all(is_same) {
            None
        } else {
            Some(self.name_tools(&tools))
        };
        let revision = self.next_revision();
        if let Some(found) = self.toolsets.get_mut(toolset) {
            found.stamp = stamp;
            found.tools = tools;
            if let Some((names, are_own)) = renamed {
                found.names = names;
                found.names_stamp = if are_own { 0 } else { revision };
            }
        }
        true
    }

    /// The names of tools, and whether each is that of its spec.
    fn name_tools(&self, tools: &[Tool]) -> (Vec<Rc<String>>, bool) {
        // How many registrations share a name, and the last one that was counted: those of one stand together.
        let mut counts: Vec<(u32, u32)> = Vec::new();
        let mut groups = Vec::with_capacity(tools.len());
        for tool in tools {
            let group = usize::try_from(self.name_of(tool.target)).unwrap_or(0);
            if counts.len() <= group {
                counts.resize(group + 1, (0, u32::MAX));
            }
            if let Some((count, last)) = counts.get_mut(group)
                && core::mem::replace(last, tool.target.registration) != tool.target.registration
            {
                *count += 1;
            }
            groups.push(group);
        }
        let is_shared = |group: usize| counts.get(group).is_some_and(|&(count, _)| count > 1);
        let mut names = Vec::with_capacity(tools.len());
        let mut are_own = true;
        for (tool, &group) in tools.iter().zip(&groups) {
            if let Some(spec) = self.specs.get(tool.spec) {
                are_own &= spec.has_exact_name && !is_shared(group);
                names.push(Rc::clone(&spec.wire_name));
            }
        }
        if are_own {
            return (names, true);
        }
        let (mut requests, mut owners) = (Vec::with_capacity(tools.len()), Vec::with_capacity(tools.len()));
        for (tool, &group) in tools.iter().zip(&groups) {
            if let (Some(spec), Some(registration)) = (
                self.specs.get(tool.spec),
                self.registrations.get(tool.target.registration),
            ) {
                let instance = is_shared(group).then_some(&*registration.component.header.instance_id);
                requests.push(NameRequest {
                    id: &spec.capability.id,
                    instance,
                });
                owners.push(&*registration.component.header.component_type);
            }
        }
        names.clear();
        for name in assign_with_owners(&requests, &owners) {
            names.push(Rc::new(name));
        }
        (names, false)
    }

    pub(crate) fn tools_of(&self, toolset: u32) -> &[Tool] {
        self.toolsets.get(toolset).map_or(&[], |toolset| &*toolset.tools)
    }

    /// The tools as numbers, four for each: registration slot, capability, spec, and the label's
    /// number (equal numbers, equal labels) times two plus available (1) or not (0).
    pub fn tool_rows(&self, toolset: u32) -> Vec<u32> {
        let tools = self.tools_of(toolset);
        let mut rows = Vec::with_capacity(tools.len() * 4);
        for tool in tools {
            let spec = self.specs.get(tool.spec);
            let label = spec.map_or(0, |spec| label_number(&spec.capability));
            let state = label * 2 + u32::from(tool.available);
            rows.extend_from_slice(&[tool.target.registration, tool.target.capability, tool.spec, state]);
        }
        rows
    }

    /// Moves when a wire name does; 0 while each tool has the one name that its spec has for all.
    pub fn names_stamp(&self, toolset: u32) -> u64 {
        self.toolsets
            .get(toolset)
            .map_or(0, |toolset| toolset.names_stamp)
    }

    /// The wire names in the order of `tool_rows`, joined by line feeds, which no wire name holds.
    pub fn tool_names(&self, toolset: u32) -> String {
        let mut out = String::new();
        for name in self
            .toolsets
            .get(toolset)
            .map_or(&[][..], |toolset| &*toolset.names)
        {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(name);
        }
        out
    }

    /// Why one tool is not available, and what `describe` said of it: a list of two texts or nulls as JSON text.
    pub fn tool_state(&self, toolset: u32, target: Target) -> String {
        let mut out = ObjectWriter::new();
        out.open_item("[");
        if let Some(toolset) = self.toolsets.get(toolset) {
            self.shown(toolset.view, target.registration, &mut |at, _, state| {
                if at == target.capability {
                    state.write(&mut out);
                }
            });
        }
        out.close("]").take()
    }

    /// What stands before a tool's description: `[view · local-state]`.
    pub fn tool_label(&self, spec: u32) -> String {
        let Some(spec) = self.specs.get(spec) else {
            return String::new();
        };
        let capability = &spec.capability;
        let plane = if capability.kind == Kind::Procedure {
            "[domain · "
        } else {
            "[view · "
        };
        let confirms = if capability.confirmation == Confirmation::Required {
            " · requires confirmation]"
        } else {
            "]"
        };
        concat(&[plane, capability.effect.as_str(), confirms])
    }

    /// Invokes through a toolset.
    pub fn execute(&mut self, now: Millis, toolset: u32, request: Request<'_>) -> Admitted {
        self.begin(now, request, Origin::Toolset(toolset))
    }

    /// Keeps the id of a question for the repeat of the call.
    pub(crate) fn remember_evidence(&mut self, call: &Call) {
        let (Origin::Toolset(toolset), Some(id)) = (call.origin, call.asked.clone()) else {
            return;
        };
        let most = usize::try_from(self.config.limits.max_pending_confirmations).unwrap_or(usize::MAX);
        if let Some(toolset) = self.toolsets.get_mut(toolset) {
            toolset.evidence.retain(|other| *other != id);
            if toolset.evidence.len() >= most {
                take_at(&mut toolset.evidence, 0);
            }
            toolset.evidence.push(id);
        }
    }

    /// What a person decided about exactly this call when it was made before: the same capability, registration,
    /// consumer and effective input. A denial counts until it expires.
    pub(crate) fn remembered_evidence(&self, call: &Call) -> Option<String> {
        let Origin::Toolset(toolset) = call.origin else {
            return None;
        };
        let toolset = self.toolsets.get(toolset)?;
        let records = &mut toolset
            .evidence
            .iter()
            .filter_map(|id| self.confirmations.find(id));
        let decided = self.record_of(call, records, &|record| {
            self.now <= record.expires
                && record.reserved_by.is_none()
                && matches!(record.status, Status::Approved(_) | Status::Denied(_))
        });
        Some(self.confirmations.records.get(decided?)?.id.clone())
    }

    /// Evidence that was used up or expired is dropped.
    pub(crate) fn evidence_settled(&mut self, call: &Call) {
        let (Origin::Toolset(toolset), Some(id)) = (call.origin, call.confirmation_id.as_deref()) else {
            return;
        };
        let record = self.confirmations.named(id);
        let gone = record.is_none_or(|record| matches!(record.status, Status::Expired | Status::Consumed));
        if gone && let Some(toolset) = self.toolsets.get_mut(toolset) {
            toolset.evidence.retain(|evidence| evidence != id);
        }
    }

    /// A two-phase agent cannot name the evidence: it is told to repeat the call.
    pub(crate) fn worded(&self, call: &Call, mut failure: Failure) -> Failure {
        if self.toolset_of(call).is_some()
            && let Some(id) = call.asked.as_deref()
            && let Some(record) = self.confirmations.named(id)
        {
            failure.message = concat(&[
                "A person has to approve this first. Once they have decided, repeat this call with the same input, before ",
                &record.expires.iso(),
                ".",
            ])
            .into();
        }
        failure
    }

    /// The surface may have changed: everyone who watches looks again.
    pub(crate) fn refresh_toolsets(&mut self) {
        let watched: Vec<u32> = self
            .toolsets
            .iter()
            .filter(|(_, toolset)| toolset.watched)
            .map(|(id, _)| id)
            .collect();
        for id in watched {
            self.emit(Output::Refresh(id));
        }
    }
}

/// One number for each label there is.
fn label_number(capability: &crate::definition::Capability) -> u32 {
    let domain = u32::from(capability.kind == Kind::Procedure);
    let confirms = u32::from(capability.confirmation == Confirmation::Required);
    (capability.effect as u32) * 4 + domain * 2 + confirms
}
