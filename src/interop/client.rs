//! Clients: who negotiates and makes requests, each of them a machine.
//!
//! It refuses to make one before the negotiation is done. Called by the facade's `interop-client.js` and
//! `interop-adapters.js`.

use alloc::rc::Rc;
use alloc::string::String;
use core::cell::RefCell;

use agent_surface_interop::client::{Approach, Negotiated, Step as Invocation};
use agent_surface_interop::{
    Client, Ended, Error, LogicalTime, Signal, agent, client::Negotiation, environment,
};
use wasm_bindgen::prelude::*;

use super::machine::{Machine, Step};
use super::rules::whole;
use super::{values, write};

/// A client.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ClientCore(Rc<RefCell<Client>>);

#[wasm_bindgen]
impl ClientCore {
    /// By its id, and whom the host signs and verifies as.
    ///
    /// # Errors
    /// The id is none, or somebody else's.
    #[wasm_bindgen(constructor)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an optional text crosses as one of its own"
    )]
    pub fn new(client_id: &str, signer_id: Option<String>) -> Result<ClientCore, String> {
        Client::new(client_id, signer_id.as_deref())
            .map(|client| ClientCore(Rc::new(RefCell::new(client))))
            .map_err(|error| write::error(&error))
    }

    /// Begins a negotiation, if none is under way.
    pub fn negotiate(&self) -> Machine {
        let approach = self.0.borrow_mut().approach();
        let (negotiation, client) = match approach {
            Approach::Known(negotiated) => (Negotiation::Done(Ok(negotiated)), None),
            Approach::Negotiate(negotiation) => (negotiation, Some(Rc::clone(&self.0))),
            Approach::Wait => (Negotiation::ended(not_negotiated()), None),
        };
        Machine::new(Step::Negotiation(negotiation), Signal::default(), client)
    }

    /// Makes a request: its members but the payload, and the payload, as texts.
    ///
    /// # Errors
    /// A text is no JSON.
    pub fn invoke(&self, members: String, payload: String) -> Result<Machine, String> {
        let (members, payload) = (values::parse(members)?, values::parse(payload)?);
        Ok(self.begin(|endpoint| Ok(endpoint.invoke_members(members.value(), payload))))
    }

    /// Calls an agent, by the place of the method in the types, with the text of its input.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn agent(&self, method: u32, input: String, is_gated: bool) -> Result<Machine, String> {
        let input = values::parse(input)?;
        let method = match method {
            0 => agent::Method::Step,
            1 => agent::Method::Checkpoint,
            2 => agent::Method::Restore,
            3 => agent::Method::ExportCheckpoint,
            _ => agent::Method::ImportCheckpoint,
        };
        Ok(self.begin(|endpoint| agent::call(endpoint, method, &input, is_gated)))
    }

    /// Calls an environment, by the place of the method in the types, with the text of its input.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn environment(
        &self,
        session_id: &str,
        method: u32,
        input: String,
        logical_time: f64,
    ) -> Result<Machine, String> {
        let input = values::parse(input)?;
        let cursor = input.value().as_str();
        let action = match (method, cursor.as_deref()) {
            (0, _) => environment::Action::Reset(&input),
            (1, Some(cursor)) => environment::Action::Observe(cursor),
            (1, None) => return Err(write::error(&Error::Invalid("cursor"))),
            (2, _) => environment::Action::Act(&input),
            (3, _) => environment::Action::Snapshot,
            (4, _) => environment::Action::Restore(&input),
            _ => environment::Action::Close,
        };
        let time = whole(logical_time).unwrap_or(u64::MAX);
        Ok(self.begin(|endpoint| environment::call(endpoint, session_id, &action, LogicalTime::new(time)?)))
    }
}

impl ClientCore {
    fn begin(&self, make: impl FnOnce(&Negotiated) -> Result<Invocation, Error>) -> Machine {
        // Asked without beginning a negotiation.
        let negotiated = self.0.borrow().negotiated_endpoint();
        let step = negotiated
            .ok_or_else(not_negotiated)
            .and_then(|endpoint| make(&endpoint));
        Machine::new(
            Step::Client(step.unwrap_or_else(Invocation::ended)),
            Signal::default(),
            None,
        )
    }
}

fn not_negotiated() -> Error {
    Error::Host(String::from("expected a negotiated endpoint"))
}
