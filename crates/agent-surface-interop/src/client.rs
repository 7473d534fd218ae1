//! The client: it negotiates with an endpoint once, then makes requests and checks what comes back.
//!
//! It refuses to retry, to time out and to call an endpoint that it has not negotiated with. Hosts call it through a
//! driver; `drive` is the synchronous one, `agent` and `environment` name the calls.

mod drive;
pub(crate) mod invoke;
mod members;
mod negotiate;

pub use drive::{Ports, drive, negotiate};
pub use invoke::{Allocate, Check, Exchange, Gate, SignRequest, Step, VerifyResponse};
pub use negotiate::{FetchManifest, Negotiation, Resolve};

use crate::check::Identifier;
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::manifest::Manifest;
use crate::request::Call;
use agent_surface_json::exact::Exact;
use alloc::string::String;
use alloc::sync::Arc;

/// What came over the wire, unless it is longer than that.
fn read_wire(wire: String, max_bytes: u64, too_large: Rule) -> Result<Exact, Error> {
    if wire.len() as u64 > max_bytes {
        return Err(too_large.into());
    }
    Ok(Exact::parse(wire, usize::MAX)?)
}

/// Somebody who makes requests.
#[derive(Debug)]
pub struct Client {
    id: Identifier,
    can_sign: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Fresh,
    Negotiating,
    Ready(Negotiated),
}

/// How to come to a negotiated endpoint.
#[derive(Debug)]
pub enum Approach {
    /// It is known already.
    Known(Negotiated),
    /// Take these steps and tell `Client::negotiated` how they ended, also when they are given up.
    Negotiate(Negotiation),
    /// Somebody else's steps are under way: wait for them, then approach again.
    Wait,
}

impl Client {
    /// `signer_id` is whom the host signs and verifies as, if it can: the client itself.
    pub fn new(client_id: &str, signer_id: Option<&str>) -> Result<Self, Error> {
        let id = Identifier::parse(client_id, "clientId")?;
        if signer_id.is_some_and(|signer| signer != client_id) {
            return Err(Rule::ClientIdentity.into());
        }
        Ok(Client {
            id,
            can_sign: signer_id.is_some(),
            state: State::Fresh,
        })
    }

    /// Its id: the issuer of its requests.
    pub fn id(&self) -> &Identifier {
        &self.id
    }

    /// Negotiates unless that is done or being done.
    pub fn approach(&mut self) -> Approach {
        match &self.state {
            State::Ready(negotiated) => Approach::Known(negotiated.clone()),
            State::Negotiating => Approach::Wait,
            State::Fresh => {
                self.state = State::Negotiating;
                Approach::Negotiate(negotiate::begin(self.id.clone(), self.can_sign))
            }
        }
    }

    /// The endpoint, once it is negotiated.
    pub fn negotiated_endpoint(&self) -> Option<Negotiated> {
        match &self.state {
            State::Ready(negotiated) => Some(negotiated.clone()),
            _ => None,
        }
    }

    /// Remembers how a negotiation ended; one that failed is forgotten, so that a later call tries again.
    pub fn negotiated(&mut self, result: &Result<Negotiated, Error>) {
        self.state = match result {
            Ok(negotiated) => State::Ready(negotiated.clone()),
            Err(_) => State::Fresh,
        };
    }
}

/// An endpoint that a client has negotiated with. Immutable; a clone shares it.
#[derive(Clone, Debug)]
pub struct Negotiated(Arc<Endpoint>);

#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) manifest: Manifest,
    pub(crate) client_id: Identifier,
}

impl Negotiated {
    /// What the endpoint promises.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Makes a request. `expected_manifest` is the digest of the manifest that the call was made for, if that matters.
    pub fn invoke(&self, call: Call, expected_manifest: Option<Digest>) -> Step {
        invoke::begin(Arc::clone(&self.0), call, expected_manifest)
    }

    /// Numbers a call first; `key` gets the same number again. With a gate, it is asked before.
    pub(crate) fn invoke_numbered(&self, plan: invoke::Plan) -> Step {
        invoke::begin_numbered(Arc::clone(&self.0), plan)
    }
}
