//! The exports of a registry that take numbers alone: one for each kind of answer, and what is wanted by its number.
//!
//! An export costs the module and its glue more than a line in a `match` does. Decides nothing. Called by the facade
//! with the numbers of `codes`; an unknown one does nothing and answers with nothing.

use agent_surface_core::Registered;
use agent_surface_core::message::Target;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use wasm_bindgen::prelude::*;

use crate::codes;
use crate::registry::Registry;

#[wasm_bindgen]
impl Registry {
    /// A number, or 1 and 0 for yes and no.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a version or stamp past 2^53 would take centuries of changes"
    )]
    pub fn number(&self, what: u32, a: u32, b: u32) -> f64 {
        let flag = match what {
            codes::LOOK => return self.look(a),
            codes::PREPARE_AGAIN => {
                self.core_mut().prepare_again(a);
                true
            }
            codes::COMMIT => return f64::from(self.commit(a, b != 0)),
            codes::BUILD_TOOLS => self.build_tools(a),
            codes::IS_IDLE => !self.draining.get(),
            codes::IS_LIVE => self.core().is_live(a, b),
            codes::GENERATION => return f64::from(self.core().registration_generation(a)),
            codes::CALL_GENERATION => return f64::from(self.core().call_generation(a)),
            codes::NAMES_STAMP => return self.core().names_stamp(a) as f64,
            codes::REGISTERED => return self.core().registered() as f64,
            codes::VERSION => return self.core().version() as f64,
            _ => false,
        };
        f64::from(u8::from(flag))
    }

    /// Changes something and drains. Whether there was what was to be changed.
    pub fn change(&self, what: u32, a: u32, b: u32, c: u32) -> bool {
        let now = self.now();
        let mut done = true;
        match what {
            codes::CLOSE_VIEW => done = self.core_mut().close_view(a),
            codes::CLOSE_TOOLSET => self.core_mut().close_toolset(now, a),
            codes::WATCH_TOOLSET => self.core_mut().watch_toolset(a, b != 0),
            codes::RECONCILE => self.reconcile(a, b != 0),
            codes::ACCEPT_OFFER => self.core_mut().offer_accepted(a, b, c),
            codes::UNREGISTER => done = self.core_mut().unregister(now, a, b),
            codes::INVALIDATE => done = self.core_mut().invalidate(now, a, b),
            codes::RELEASE_SPEC => self.core_mut().release_spec(a),
            codes::SET_AUDIENCE => self.core_mut().set_audience(a != 0, b != 0, c),
            codes::END => self.core_mut().dispose(now),
            codes::RECOVERED => self.core_mut().recovered(a),
            _ => done = false,
        }
        self.drain();
        done
    }

    /// A text, most of them JSON.
    pub fn read(&self, what: u32, a: u32, b: u32, c: u32) -> Option<String> {
        if what == codes::TAKEN_TEXT {
            return Some(self.take_text());
        }
        if what == codes::VIEW_NEWS {
            return Some(self.core_mut().view_news(a));
        }
        if what == codes::PENDING_CONFIRMATIONS {
            let now = self.now();
            return Some(self.core_mut().pending_confirmations(now));
        }
        let core = self.core();
        match what {
            codes::SURFACE_ID => Some(core.surface_id().to_owned()),
            codes::MARK => Some(core.mark().to_owned()),
            codes::REGISTRATION_HEAD => core.registration_head(a),
            codes::SPEC_DESCRIPTOR => core.spec_descriptor(a),
            codes::VIEW_CELL => Some(core.view_cell(a, b)),
            codes::TOOL_NAMES => Some(core.tool_names(a)),
            codes::TOOL_STATE => {
                let (registration, capability) = (b, c);
                let target = Target {
                    registration,
                    capability,
                };
                Some(core.tool_state(a, target))
            }
            codes::TOOL_LABEL => Some(core.tool_label(a)),
            codes::OFFERED_TOOL => core.offered_tool(a, b),
            codes::BROWSER_STATUS => core.browser_status(a),
            _ => None,
        }
    }

    /// Numbers, as the core's method of that name puts them; an offered tool's target is slot and capability, and
    /// empty when the offer is gone.
    pub fn rows(&self, what: u32, a: u32, b: u32) -> Vec<u32> {
        let core = self.core();
        match what {
            codes::TOOL_ROWS => core.tool_rows(a),
            codes::OFFERED_TARGET => match core.offered_target(a, b) {
                Some(target) => vec![target.registration, target.capability],
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The slot of the registration; -1 for a definition error, which `takeText` gives, -2 for a duplicate, -3 when the
    /// guard refused. Does not drain: the facade first keeps the closures under the slot, then `go`.
    fn commit(&self, prepared: u32, accept: bool) -> i32 {
        let now = self.now();
        match self.core_mut().commit(now, prepared, accept) {
            Registered::Live(slot) => i32::try_from(slot).unwrap_or(i32::MAX),
            Registered::Duplicate => -2,
            Registered::Guarded => -3,
            Registered::Refused(error) => self.number_of(Err(error)),
        }
    }
}
