//! A client that only seals: its transport keeps the request.
//!
//! It refuses to hear an answer. `world` and the numbering test call it for requests that are what clients send.

use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Call, Client, Digest, Direction, Error, Exact, Identifier, Manifest, Operation, Request, client,
};

/// Of which client, of which endpoint.
pub struct Sender {
    manifest: Manifest,
    client_id: String,
    sealed: Option<Request>,
}

impl Sender {
    pub fn new(manifest: &Manifest, client_id: &str) -> Self {
        Sender {
            manifest: manifest.clone(),
            client_id: client_id.to_owned(),
            sealed: None,
        }
    }

    pub fn request(&mut self, call: Call) -> Request {
        let mut client = Client::new(&self.client_id, None).unwrap();
        let endpoint = client::negotiate(&mut client, self).unwrap();
        client::drive(endpoint.invoke(call, None), self).unwrap_err();
        self.sealed.take().unwrap()
    }
}

impl OutboundSequenceStore for Sender {
    fn next(&mut self, _: &Allocation) -> Result<u64, Error> {
        Ok(1)
    }

    fn current(&mut self, _: &Identifier, _: &Identifier) -> Result<u64, Error> {
        Ok(0)
    }
}

impl client::Ports for Sender {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        Ok(Exact::parse(self.manifest.text(), 4096)?)
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        self.sealed = Some(request.clone());
        Err(Error::Host("kept".to_owned()))
    }

    fn resolve(&mut self, _: Digest) -> bool {
        true
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn sign(&mut self, _: Digest) -> Result<String, Error> {
        Err(Error::Host("no key".to_owned()))
    }

    fn verify(&mut self, _: &str, _: Digest, _: &str) -> bool {
        false
    }

    fn gate(&mut self, _: Operation, _: &str) -> Result<(), Error> {
        Ok(())
    }
}
