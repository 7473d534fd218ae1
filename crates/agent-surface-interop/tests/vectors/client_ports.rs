//! A client's host with scripted replies: what `envelopes` and `adapters` drive a client with.
//!
//! It refuses nothing: it answers from its fields and notes what was sent. Other files here call it.

use crate::support::{Keys, accepts};
use agent_surface_interop::client::{self, Ports};
use agent_surface_interop::memory::MemoryOutbound;
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Client, Digest, Direction, Error, Exact, Identifier, Manifest, Operation, Request,
};
use serde_json::{Value, json};

/// What an endpoint answers.
type Reply<'a> = Box<dyn FnMut(&Request) -> Result<Exact, Error> + 'a>;

pub struct Host<'a> {
    pub client_id: &'a str,
    pub keys: &'a Keys,
    pub manifest: Exact,
    pub output_schema: Value,
    pub reply: Reply<'a>,
    pub outbound: MemoryOutbound,
    pub sent: Vec<String>,
    pub gated: Vec<Operation>,
}

impl<'a> Host<'a> {
    pub fn new(client_id: &'a str, keys: &'a Keys, manifest: &Exact) -> Self {
        Host {
            client_id,
            keys,
            manifest: manifest.clone(),
            output_schema: json!({ "mode": "any" }),
            reply: Box::new(|_| Err(Error::Host("nobody answers".to_owned()))),
            outbound: MemoryOutbound::default(),
            sent: Vec::new(),
            gated: Vec::new(),
        }
    }

    pub fn negotiate(&mut self) -> client::Negotiated {
        let mut client = Client::new(self.client_id, Some(self.client_id)).unwrap();
        let first = client::negotiate(&mut client, self).unwrap();
        // The second time it is known, and nothing is fetched.
        self.manifest = Exact::parse("null", 4).unwrap();
        let again = client::negotiate(&mut client, self).unwrap();
        assert_eq!(first.manifest(), again.manifest());
        first
    }
}

impl OutboundSequenceStore for Host<'_> {
    fn next(&mut self, allocation: &Allocation) -> Result<u64, Error> {
        self.outbound.next(allocation)
    }

    fn current(&mut self, issuer_id: &Identifier, session_id: &Identifier) -> Result<u64, Error> {
        self.outbound.current(issuer_id, session_id)
    }
}

impl Ports for Host<'_> {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        Ok(self.manifest.clone())
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        self.sent.push(request.text().to_owned());
        (self.reply)(request)
    }

    fn resolve(&mut self, _schema: Digest) -> bool {
        true
    }

    fn validate(&mut self, _: Digest, direction: Direction, _: Operation, payload: &Exact) -> bool {
        direction == Direction::Request || accepts(&self.output_schema, payload)
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        Ok(self.keys.private(self.client_id).sign(digest))
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.keys.public().verify(signer_id, digest, signature)
    }

    fn gate(&mut self, operation: Operation, _session_id: &str) -> Result<(), Error> {
        self.gated.push(operation);
        Ok(())
    }
}

/// A response to a request, as an endpoint without keys makes it: through a router of one handler.
pub fn answer_with(request: &Request, manifest: &Manifest, outcome: &Value) -> Exact {
    crate::router_ports::Script::constant(outcome).answer(request, manifest)
}
