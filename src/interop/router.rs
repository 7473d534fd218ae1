//! Routers: an endpoint's side, which makes a machine of each request.
//!
//! It refuses a request before it is parsed, if it is too large. Called by the facade's `interop-router.js`.

use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_interop::router::{Durability, Settings};
use agent_surface_interop::{
    Error, Exact, LogicalTime, Manifest, Operation, Router, Rule, Signal, Value, http,
};
use wasm_bindgen::prelude::*;

use super::machine::{Machine, Step};
use super::rules::{double, number, number_or, text, whole};
use super::{values, write};

/// A router.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RouterCore {
    router: Router,
    max_bytes: usize,
}

#[wasm_bindgen]
impl RouterCore {
    /// From a manifest and settings, as texts.
    ///
    /// # Errors
    /// The parts do not fit each other.
    #[wasm_bindgen(constructor)]
    pub fn new(manifest: String, settings: String) -> Result<RouterCore, String> {
        let (manifest, settings) = (values::parse(manifest)?, values::parse(settings)?);
        make(&manifest, settings.value()).map_err(|error| write::error(&error))
    }

    /// What it promises: the manifest's text.
    pub fn manifest(&self) -> String {
        String::from(self.router.manifest().text())
    }

    /// Bytes of a request on the wire, at most.
    #[wasm_bindgen(js_name = maxBytes)]
    pub fn max_bytes(&self) -> f64 {
        double(self.max_bytes as u64)
    }

    /// Takes the text of a request in.
    ///
    /// # Errors
    /// It is too large, or no JSON, or the time is none.
    pub fn handle(&self, request: String, now: f64) -> Result<Machine, String> {
        let request = Exact::parse(request, self.max_bytes).map_err(Error::from);
        self.begin(request, now)
    }

    /// The same, of UTF-8.
    ///
    /// # Errors
    /// It is too large, or no JSON in UTF-8, or the time is none.
    #[wasm_bindgen(js_name = handleBytes)]
    pub fn handle_bytes(&self, request: Vec<u8>, now: f64) -> Result<Machine, String> {
        self.begin(http::read_request(request, self.max_bytes), now)
    }
}

impl RouterCore {
    fn begin(&self, request: Result<Exact, Error>, now: f64) -> Result<Machine, String> {
        let begun = request.and_then(|request| {
            let now = LogicalTime::new(whole(now).unwrap_or(u64::MAX))?;
            let signal = Signal::default();
            let step = self.router.handle(request, now, signal.clone());
            Ok(Machine::new(Step::Router(step), signal, None))
        });
        begun.map_err(|error| write::error(&error))
    }
}

fn make(manifest: &Exact, settings: Value<'_>) -> Result<RouterCore, Error> {
    let manifest = Manifest::read(manifest)?;
    let part = |name| settings.get(name).ok_or(Error::Invalid(name));
    let (options, found) = (part("options")?, part("found")?);
    let operations = part("operations")?.items();
    let operations: Result<Vec<Operation>, Error> = operations
        .map(|name| {
            let name = name.as_str().unwrap_or_default();
            Operation::parse(&name).ok_or_else(|| {
                Error::from(Rule::RouterHandlers).because(["`", &name, "` is no operation"].concat())
            })
        })
        .collect();
    let is_so = |name| found.get(name).and_then(Value::as_bool) == Some(true);
    let signer_id = found.get("signerId").and_then(Value::as_str);
    // What is no number of bytes holds nothing.
    let held = || number_or(found, "maximumResponseBytes", 0);
    let durability = Durability::of(is_so("isLocalOnly"), is_so("isDurable").then(held))?;
    let max_bytes = match options.get("maximumWireBytes") {
        Some(_) => number(options, "maximumWireBytes"),
        None => manifest.max_request_wire_bytes(),
    };
    let max_bytes = usize::try_from(max_bytes)
        .ok()
        .filter(|bytes| *bytes <= values::MAX_BYTES)
        .ok_or(Error::OutOfRange("maximumWireBytes"))?;
    let router = Router::new(Settings {
        instance_id: &text(options, "routerInstanceId"),
        manifest,
        operations: &operations?,
        revalidates: is_so("revalidates"),
        signer_id: signer_id.as_deref(),
        durability,
        lease: options
            .get("reservationLeaseMs")
            .map(|_| number_or(options, "reservationLeaseMs", 0)),
    })?;
    Ok(RouterCore { router, max_bytes })
}
