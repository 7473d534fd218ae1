//! The exported part of a registry that toolsets use.
//!
//! Same rules as in `registry`. Called by the facade's toolset and by its `WebMCP` adapter.

use agent_surface_core::{Budget, Consumer, Exposure, ToolsetConfig};
use alloc::string::String;
use alloc::vec::Vec;
use wasm_bindgen::prelude::*;

use crate::convert::Act;
use crate::drain::NOBODY;
use crate::registry::{Registry, texts};

#[wasm_bindgen]
impl Registry {
    /// Opens a toolset. `wait_ms` below 0: without a bound.
    #[wasm_bindgen(js_name = openToolset)]
    #[expect(
        clippy::too_many_arguments,
        reason = "numbers cross cheaply, an object does not"
    )]
    pub fn open_toolset(
        &self,
        kind: &str,
        id: &str,
        scope: Option<String>,
        waits: bool,
        wait_ms: i32,
        browser: bool,
        max_components: u32,
        max_bytes: u32,
    ) -> Result<u32, JsValue> {
        let scope = scope.map(texts).transpose()?.unwrap_or_default();
        let config = ToolsetConfig {
            consumer: Consumer::new(kind, id),
            scope,
            budget: Budget {
                max_components,
                max_bytes,
            },
            waits,
            wait_ms: u32::try_from(wait_ms).ok(),
            browser,
        };
        Ok(self.core_mut().open_toolset(config))
    }

    /// The browser refused it. True when it should be offered again a little later.
    #[wasm_bindgen(js_name = offerRejected)]
    pub fn offer_rejected(&self, toolset: u32, entry: u32, generation: u32, reason: &str) -> bool {
        self.core_mut().offer_rejected(toolset, entry, generation, reason)
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
        let mut core = self.core_mut();
        core.execute_offered(now, toolset, entry, generation, input, aborted)
            .map(crate::registry::slot_of)
    }
}

impl Registry {
    /// Looks and builds. True when the tools differ from the last time.
    pub(crate) fn build_tools(&self, toolset: u32) -> bool {
        let view = self.core().toolset_view(toolset);
        let Some(view) = view else { return false };
        if self.look(view) < 0.0 {
            return false;
        }
        self.core_mut().build_tools(toolset)
    }

    /// Brings the browser's tools in line. `asks`: there is an `exposeCapability` to ask.
    pub(crate) fn reconcile(&self, toolset: u32, asks: bool) {
        self.build_tools(toolset);
        let mut exposures = Vec::new();
        if asks {
            let targets = self.core().offerable(toolset);
            for target in targets {
                let exposure = match self.ask(Act::Expose, NOBODY, target, toolset, 0) {
                    0 => Exposure::Plain,
                    1 => Exposure::With(self.take_text()),
                    _ => Exposure::Skip,
                };
                exposures.push((target, exposure));
            }
        }
        self.core_mut().reconcile(toolset, &exposures);
    }
}
