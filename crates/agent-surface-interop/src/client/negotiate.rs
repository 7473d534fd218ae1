//! Negotiation: the manifest, and whether the host has both payload schemas and the signatures it asks for.
//!
//! It refuses an endpoint of which any of them is missing. `Client::approach` begins it.

use super::{Endpoint, Negotiated, read_wire};
use crate::ask::{Ask, Ended, Question};
use crate::check::Identifier;
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::manifest::Manifest;
use agent_surface_json::exact::Exact;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

/// What the negotiation needs to go on, or its end.
#[derive(Debug)]
pub enum Negotiation {
    /// The manifest is to be fetched.
    FetchManifest(Ask<FetchManifest>),
    /// A schema is to be found.
    Resolve(Ask<Resolve>),
    /// What came of it.
    Done(Result<Negotiated, Error>),
}

impl Ended for Negotiation {
    fn ended(error: Error) -> Self {
        Negotiation::Done(Err(error))
    }
}

/// Who negotiates.
#[derive(Debug)]
pub struct Party {
    client_id: Identifier,
    can_sign: bool,
}

pub(super) fn begin(client_id: Identifier, can_sign: bool) -> Negotiation {
    let party = Box::new(Party { client_id, can_sign });
    Negotiation::FetchManifest(Ask::new(FetchManifest(()), party))
}

/// What is the endpoint's manifest?
#[derive(Debug)]
pub struct FetchManifest(());

impl FetchManifest {
    /// The most bytes of a manifest as it comes in: one with its eleven operations has not a thousandth of them.
    pub const MAX_BYTES: u64 = 1 << 20;

    /// Reads what came over the wire: size first, then depth, then content.
    pub fn read(&self, wire: String) -> Result<Exact, Error> {
        read_wire(wire, Self::MAX_BYTES, Rule::ManifestTooLarge)
    }
}

impl Question for FetchManifest {
    type Machine = Party;
    type Answer = Exact;
    type Step = Negotiation;

    fn resume(self, party: Box<Party>, wire: Exact) -> Result<Negotiation, Error> {
        let manifest = Manifest::read(&wire)?;
        let question = Resolve {
            schema: manifest.input_schema(),
            manifest,
            is_last: false,
        };
        Ok(Negotiation::Resolve(Ask::new(question, party)))
    }
}

/// Is there a validator of the schema with this digest?
#[derive(Debug)]
pub struct Resolve {
    /// Which schema.
    pub schema: Digest,
    manifest: Manifest,
    is_last: bool,
}

impl Question for Resolve {
    type Machine = Party;
    type Answer = bool;
    type Step = Negotiation;

    fn resume(self, party: Box<Party>, is_there: bool) -> Result<Negotiation, Error> {
        let manifest = self.manifest;
        if !is_there {
            return Err(Rule::ClientSchema.into());
        }
        if !self.is_last {
            let question = Resolve {
                schema: manifest.output_schema(),
                manifest,
                is_last: true,
            };
            return Ok(Negotiation::Resolve(Ask::new(question, party)));
        }
        if !party.can_sign && (manifest.requires_request_signature() || manifest.signs_responses()) {
            return Err(Rule::ClientAuthenticity.into());
        }
        Ok(Negotiation::Done(Ok(Negotiated(Arc::new(Endpoint {
            manifest,
            client_id: party.client_id,
        })))))
    }
}
