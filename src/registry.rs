//! The exported registry: components, invocations, snapshots.
//!
//! Each export is synchronous, takes `&self`, mutates the core and drains. Decides nothing. Called by the facade
//! with numbers and texts; every text was checked with `isWellFormed()` on its way.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, Ref, RefCell, RefMut};

use agent_surface_core::definition::parse_policies;
use agent_surface_core::error::DefinitionError;
use agent_surface_core::limits::Limits;
use agent_surface_core::message::Input;
use agent_surface_core::time::Millis;
use agent_surface_core::{Admitted, Config, Core, OnCollision, OnDuplicate, Route, Sent};
use agent_surface_json::{Bounds, Document, Value, concat, write_string, write_u64};
use wasm_bindgen::prelude::*;

use crate::convert::{Host, definition_error, error_json, misuse};

/// Bytes asked of `getrandom` at a time: it costs microseconds, whatever the number.
const ENTROPY: usize = 2048;

/// Bounds of the facade's own texts (configuration, scopes, availability).
pub(crate) const OWN_BOUNDS: Bounds = Bounds {
    max_bytes: 262_144,
    max_depth: 64,
    lone_surrogates: false,
};

/// One registry of the page. Its objects in JavaScript are plain; this handle is the facade's alone.
#[wasm_bindgen]
pub struct Registry {
    pub(crate) core: RefCell<Core>,
    pub(crate) host: Host,
    pub(crate) draining: Cell<bool>,
    /// What calls name by number.
    pub(crate) routes: Cell<Vec<Rc<Route>>>,
    /// When the clock was looked at last.
    time: Cell<f64>,
    /// The text that belongs to the answer a host function is about to give.
    text: Cell<String>,
    max_input_bytes: usize,
    max_depth: usize,
}

impl core::fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("Registry")
    }
}

fn random(bytes: &mut [u8]) -> Result<(), JsValue> {
    getrandom::fill(bytes).map_err(|error| misuse(&concat(&["no cryptographic randomness: ", &code(error)])))
}

fn code(error: getrandom::Error) -> String {
    let mut out = String::new();
    write_u64(
        &mut out,
        u64::from(error.raw_os_error().unwrap_or(0).unsigned_abs()),
    );
    out
}

/// A broken invariant, said without the formatting that `RefCell` has for it.
#[cold]
fn in_use() -> ! {
    wasm_bindgen::throw_str("panic: the core is in use")
}

pub(crate) fn parse(text: String) -> Result<Document, JsValue> {
    Document::parse(text, OWN_BOUNDS).map_err(|error| misuse(&error.message()))
}

#[wasm_bindgen]
impl Registry {
    /// From `{ limits, policies, onDuplicate, refusesCollisions?, requireApprover, hasRoute }` as JSON text. Throws the JSON text of a
    /// definition error.
    #[wasm_bindgen(constructor)]
    pub fn new(host: Host, config: String) -> Result<Registry, JsValue> {
        let document = parse(config)?;
        let root = document.root();
        let limits = root.get("limits").map(Limits::from_json).transpose();
        let limits = limits
            .map_err(|error| definition_error(&error))?
            .unwrap_or_default();
        let policies = root
            .get("policies")
            .map(|list| parse_policies(list, "the registry"));
        let policies = policies.transpose().map_err(|error| definition_error(&error))?;
        let flag = |name: &str| root.get(name).and_then(Value::as_bool) == Some(true);
        let replaces = root
            .get("onDuplicate")
            .is_some_and(|value| value.is_str("replace"));
        let (max_input_bytes, max_depth) = (limits.max_input_bytes as usize, limits.max_value_depth as usize);
        let config = Config {
            limits: Box::new(limits),
            policies: policies.unwrap_or_default(),
            on_duplicate: if replaces {
                OnDuplicate::Replace
            } else {
                OnDuplicate::Reject
            },
            on_collision: match root.get("refusesCollisions").and_then(Value::as_bool) {
                Some(true) => OnCollision::Refuse,
                Some(false) => OnCollision::Warn,
                None => OnCollision::Ignore,
            },
            require_approver: flag("requireApprover"),
            has_route: flag("hasRoute"),
        };
        let mut bytes = [0; ENTROPY];
        random(&mut bytes)?;
        let core = Core::new(config, &bytes).ok_or_else(|| misuse("not enough randomness"))?;
        Ok(Self {
            core: RefCell::new(core),
            host,
            draining: Cell::new(false),
            routes: Cell::new(Vec::new()),
            time: Cell::new(0.0),
            text: Cell::new(String::new()),
            max_input_bytes,
            max_depth,
        })
    }

    /// Gives the text of the answer that a host function is about to return.
    pub fn text(&self, text: String) {
        self.text.set(text);
    }

    /// Whether there is a procedure executor; `paths` is a JSON array of those it knows.
    #[wasm_bindgen(js_name = setExecutor)]
    pub fn set_executor(&self, present: bool, paths: Option<String>) -> Result<(), JsValue> {
        let paths = paths.map(texts).transpose()?;
        self.core_mut().set_executor(present.then_some(paths));
        Ok(())
    }

    /// The spec of a capability text; -1 for a definition error, which `takeText` gives.
    pub fn spec(&self, component_type: &str, text: &str) -> i32 {
        let spec = self.core_mut().spec(component_type, text);
        self.number_of(spec)
    }

    /// Validates a component: what `commit` takes, or -1 for a definition error, which `takeText` gives.
    pub fn prepare(&self, header: &str, specs: &[u32]) -> i32 {
        let prepared = self.core_mut().prepare(header, specs);
        self.number_of(prepared)
    }

    /// `enabled`: 0, 1, or -1 for no change; `availability` as JSON text. 1 when the registration still lives, 0 when
    /// it does not, -1 for a definition error, which `takeText` gives.
    pub fn update(&self, slot: u32, generation: u32, enabled: i32, availability: Option<String>) -> i32 {
        let parsed = availability
            .map(|text| Document::parse(text, OWN_BOUNDS))
            .transpose();
        let Ok(availability) = parsed else { return 0 };
        let enabled = (enabled >= 0).then_some(enabled == 1);
        let now = self.now();
        let updated = self
            .core_mut()
            .update(now, slot, generation, enabled, availability.as_ref());
        let updated = self.number_of(updated.map(u32::from));
        self.drain();
        updated
    }
}

impl Registry {
    /// The core, to read. In one place, as `core_mut` is: each borrow names its place in the module.
    #[inline(never)]
    pub(crate) fn core(&self) -> Ref<'_, Core> {
        self.core.try_borrow().unwrap_or_else(|_| in_use())
    }

    /// The core, to change; never held while JavaScript runs.
    #[inline(never)]
    pub(crate) fn core_mut(&self) -> RefMut<'_, Core> {
        self.core.try_borrow_mut().unwrap_or_else(|_| in_use())
    }

    /// Looks at the clock. Within a drain the time stands, but for what handlers took.
    pub(crate) fn now(&self) -> Millis {
        let now = self.host.now();
        self.time.set(now);
        Millis(now)
    }

    /// One answer within a drain.
    pub(crate) fn input(&self, input: Input) {
        self.core_mut().handle(Millis(self.time.get()), input);
    }

    /// One input from outside, and what follows from it.
    pub(crate) fn enter(&self, input: Input) {
        let now = self.now();
        self.core_mut().handle(now, input);
        self.drain();
    }

    pub(crate) fn take_text(&self) -> String {
        self.text.take()
    }

    /// Gives the core randomness before it runs dry. Where the page has none, the core refuses what needs it.
    pub(crate) fn refill(&self) {
        if self.core().needs_entropy() {
            let mut bytes = [0; ENTROPY];
            if random(&mut bytes).is_ok() {
                self.core_mut().add_entropy(&bytes);
            }
        }
    }

    /// A number that is no error, or -1 and the error's text for `takeText`.
    pub(crate) fn number_of(&self, result: Result<u32, DefinitionError>) -> i32 {
        match result {
            Ok(number) => i32::try_from(number).unwrap_or(i32::MAX),
            Err(error) => {
                self.text.set(error_json(&error));
                -1
            }
        }
    }

    pub(crate) fn sent(&self, kind: u32, text: Option<String>) -> Sent {
        let bounds = Bounds {
            max_bytes: self.max_input_bytes,
            max_depth: self.max_depth,
            lone_surrogates: false,
        };
        match (kind, text) {
            (1 | 4, Some(text)) => match Document::parse(text, bounds) {
                Ok(document) if kind == 4 => match Document::parse(self.take_text(), bounds) {
                    Ok(object) => Sent::Encoded(Rc::new(document), Rc::new(object)),
                    Err(_) => Sent::Json(Rc::new(document)),
                },
                Ok(document) => Sent::Json(Rc::new(document)),
                Err(error) => Sent::Bad(whole_issue(&error.message())),
            },
            (2, Some(issues)) => Sent::Bad(issues),
            (5, Some(issues)) => Sent::Refused(issues),
            (3, _) => self.core().empty_input(),
            _ => Sent::Absent,
        }
    }
}

/// A list with one issue, about the value as a whole, as JSON text.
pub(crate) fn whole_issue(message: &str) -> String {
    let mut issues = String::from("[{\"path\":\"\",\"pointer\":\"\",\"message\":");
    write_string(&mut issues, message);
    issues.push_str("}]");
    issues
}

/// -1 - slot for a join.
pub(crate) fn slot_of(admitted: Admitted) -> i32 {
    match admitted {
        Admitted::Fresh(call) => i32::try_from(call.slot).unwrap_or(i32::MAX),
        Admitted::Join(call) => -1 - i32::try_from(call.slot).unwrap_or(i32::MAX - 1),
    }
}

/// The strings of a JSON array.
pub(crate) fn texts(text: String) -> Result<Vec<String>, JsValue> {
    let document = parse(text)?;
    let texts = document
        .root()
        .items()
        .filter_map(|item| item.as_str().map(alloc::borrow::Cow::into_owned))
        .collect();
    Ok(texts)
}
