//! The exported part of a registry that toolsets use.
//!
//! Same rules as in `registry`. Called by the facade's toolset and by its `WebMCP` adapter.

use agent_surface_core::message::Target;
use agent_surface_core::{Consumer, Exposure, ToolsetConfig};
use wasm_bindgen::prelude::*;

use crate::convert::Act;
use crate::drain::NOBODY;
use crate::registry::{Registry, texts};

#[wasm_bindgen]
impl Registry {
    /// Opens a toolset. `wait_ms` below 0: without a bound.
    #[wasm_bindgen(js_name = openToolset)]
    pub fn open_toolset(
        &self,
        kind: &str,
        id: &str,
        scope: Option<String>,
        waits: bool,
        wait_ms: i32,
        browser: bool,
    ) -> Result<u32, JsValue> {
        let scope = scope.map(texts).transpose()?.unwrap_or_default();
        let config = ToolsetConfig {
            consumer: Consumer::new(kind, id),
            scope,
            waits,
            wait_ms: u32::try_from(wait_ms).ok(),
            browser,
        };
        Ok(self.core.borrow_mut().open_toolset(config))
    }

    /// Ends its waits and drops it.
    #[wasm_bindgen(js_name = closeToolset)]
    pub fn close_toolset(&self, toolset: u32) {
        let now = self.now();
        self.core.borrow_mut().close_toolset(now, toolset);
        self.drain();
    }

    /// Whether `Host.refresh` should be called when the surface may have changed.
    #[wasm_bindgen(js_name = watchToolset)]
    pub fn watch_toolset(&self, toolset: u32, watched: bool) {
        self.core.borrow_mut().watch_toolset(toolset, watched);
    }

    /// Looks and builds. True when the tools differ from the last time.
    #[wasm_bindgen(js_name = buildTools)]
    pub fn build_tools(&self, toolset: u32) -> bool {
        let view = self.core.borrow().toolset_view(toolset);
        let Some(view) = view else { return false };
        if self.look(view) < 0.0 {
            return false;
        }
        self.core.borrow_mut().build_tools(toolset)
    }

    /// Four numbers for each tool: registration slot, capability, spec, label number times two plus available.
    #[wasm_bindgen(js_name = toolRows)]
    pub fn tool_rows(&self, toolset: u32) -> Vec<u32> {
        self.core.borrow().tool_rows(toolset)
    }

    /// Moves when a wire name does; 0 while each tool has the one name that its spec has in every toolset.
    #[wasm_bindgen(js_name = namesStamp)]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a stamp past 2^53 would take centuries of changes"
    )]
    pub fn names_stamp(&self, toolset: u32) -> f64 {
        self.core.borrow().names_stamp(toolset) as f64
    }

    /// The wire names in the order of the rows, one a line.
    #[wasm_bindgen(js_name = toolNames)]
    pub fn tool_names(&self, toolset: u32) -> String {
        self.core.borrow().tool_names(toolset)
    }

    /// `[unavailableReason | null, note | null]` as JSON text.
    #[wasm_bindgen(js_name = toolState)]
    pub fn tool_state(&self, toolset: u32, registration: u32, capability: u32) -> String {
        let target = Target {
            registration,
            capability,
        };
        self.core.borrow().tool_state(toolset, target)
    }

    /// What stands before a tool's description.
    #[wasm_bindgen(js_name = toolLabel)]
    pub fn tool_label(&self, spec: u32) -> String {
        self.core.borrow().tool_label(spec)
    }

    /// Brings the browser's tools in line. `asks`: there is an `exposeCapability` to ask.
    pub fn reconcile(&self, toolset: u32, asks: bool) {
        self.build_tools(toolset);
        let mut exposures = Vec::new();
        if asks {
            let targets = self.core.borrow().offerable(toolset);
            for target in targets {
                let exposure = match self.ask(Act::Expose, NOBODY, target, toolset, 0) {
                    0 => Exposure::Plain,
                    1 => Exposure::With(self.take_text()),
                    _ => Exposure::Skip,
                };
                exposures.push((target, exposure));
            }
        }
        self.core.borrow_mut().reconcile(toolset, &exposures);
        self.drain();
    }

    /// The definition of an offered tool, as JSON text.
    #[wasm_bindgen(js_name = offeredTool)]
    pub fn offered_tool(&self, toolset: u32, entry: u32) -> Option<String> {
        self.core.borrow().offered_tool(toolset, entry)
    }

    /// Registration slot and capability that an offered tool calls; empty when the offer is gone.
    #[wasm_bindgen(js_name = offeredTarget)]
    pub fn offered_target(&self, toolset: u32, entry: u32) -> Vec<u32> {
        match self.core.borrow().offered_target(toolset, entry) {
            Some(target) => vec![target.registration, target.capability],
            None => Vec::new(),
        }
    }

    /// The browser took it.
    #[wasm_bindgen(js_name = offerAccepted)]
    pub fn offer_accepted(&self, toolset: u32, entry: u32, generation: u32) {
        self.core.borrow_mut().offer_accepted(toolset, entry, generation);
    }

    /// The browser refused it. True when it should be offered again a little later.
    #[wasm_bindgen(js_name = offerRejected)]
    pub fn offer_rejected(&self, toolset: u32, entry: u32, generation: u32, reason: &str) -> bool {
        self.core
            .borrow_mut()
            .offer_rejected(toolset, entry, generation, reason)
    }

    /// What the browser holds, as JSON text.
    #[wasm_bindgen(js_name = browserStatus)]
    pub fn browser_status(&self, toolset: u32) -> Option<String> {
        self.core.borrow().browser_status(toolset)
    }

    /// Runs an offered tool, as `invoke` does; `None` when the offer no longer stands.
    #[wasm_bindgen(js_name = invokeOffered)]
    pub fn invoke_offered(
        &self,
        toolset: u32,
        entry: u32,
        generation: u32,
        kind: u32,
        text: Option<String>,
        aborted: bool,
    ) -> Option<i32> {
        self.refill();
        let input = self.sent(kind, text);
        let now = self.now();
        let mut core = self.core.borrow_mut();
        core.execute_offered(now, toolset, entry, generation, input, aborted)
            .map(crate::registry::slot_of)
    }
}
