//! The command's client: one endpoint, one exchange, keys from files.
//!
//! It refuses an endpoint that signs unless it has its key, and one that does not if it has. `main` calls it.

use agent_surface_host::Transport;
use agent_surface_interop::client::{self, Ports};
use agent_surface_interop::ed25519::{Keyring, PrivateKey, PublicKey};
use agent_surface_interop::memory::MemoryOutbound;
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Call, Client, Digest, Direction, Error, Exact, Identifier, Manifest, Operation, Request, Response,
    decode_base64url,
};

/// Who asks.
pub(crate) struct Party {
    client_id: String,
    transport: Transport,
    private: Option<PrivateKey>,
    endpoint_key: Option<PublicKey>,
    ring: Keyring,
    outbound: MemoryOutbound,
}

impl Party {
    pub(crate) fn new(
        base_url: &str,
        client_id: String,
        seed: Option<&str>,
        endpoint_key: Option<&str>,
    ) -> Result<Self, Error> {
        Ok(Party {
            client_id,
            transport: Transport::new(base_url, &[])?,
            private: seed.map(read_seed).transpose()?,
            endpoint_key: endpoint_key.map(read_key).transpose()?,
            ring: Keyring::default(),
            outbound: MemoryOutbound::default(),
        })
    }

    pub(crate) fn ask(&mut self, call: Call) -> Result<Response, Error> {
        let has_keys = self.private.is_some() || self.endpoint_key.is_some();
        let client_id = self.client_id.clone();
        let mut client = Client::new(&client_id, has_keys.then_some(&client_id))?;
        let endpoint = client::negotiate(&mut client, self)?;
        client::drive(endpoint.invoke(call, None), self)
    }
}

fn read_seed(path: &str) -> Result<PrivateKey, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::Host(format!("`{path}`: {error}")))?;
    let digits: Option<Vec<u32>> = text.trim().chars().map(|digit| digit.to_digit(16)).collect();
    let bytes: Option<Vec<u8>> = digits.and_then(|digits| {
        let (pairs, rest) = digits.as_chunks::<2>();
        let byte = |[high, low]: &[u32; 2]| u8::try_from(high * 16 + low).ok();
        rest.is_empty().then(|| pairs.iter().map(byte).collect())?
    });
    let seed = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    seed.map(|seed| PrivateKey::from_seed(&seed))
        .ok_or_else(|| Error::Host(format!("expected 64 hexadecimal digits in `{path}`")))
}

fn read_key(text: &str) -> Result<PublicKey, Error> {
    decode_base64url(text)
        .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok())
        .and_then(|bytes| PublicKey::from_bytes(&bytes))
        .ok_or_else(|| Error::Host("expected a public key of 43 characters of base64url".to_owned()))
}

impl OutboundSequenceStore for Party {
    fn next(&mut self, allocation: &Allocation) -> Result<u64, Error> {
        self.outbound.next(allocation)
    }

    fn current(&mut self, issuer_id: &Identifier, session_id: &Identifier) -> Result<u64, Error> {
        self.outbound.current(issuer_id, session_id)
    }
}

impl Ports for Party {
    fn fetch_manifest(&mut self) -> Result<Exact, Error> {
        let wire = self.transport.manifest()?;
        if let Some(key) = self.endpoint_key {
            let manifest = Manifest::read(&wire)?;
            // The manifest itself is not signed: somebody in between could take the promise out of it.
            if !manifest.signs_responses() {
                let expected = "expected an endpoint that signs its responses: `--endpoint-key` is given";
                return Err(Error::Host(expected.to_owned()));
            }
            self.ring.add(manifest.endpoint_id().as_str(), key)?;
        }
        Ok(wire)
    }

    fn exchange(&mut self, request: &Request) -> Result<Exact, Error> {
        self.transport.exchange(request)
    }

    fn resolve(&mut self, _schema: Digest) -> bool {
        true
    }

    fn validate(&mut self, _: Digest, _: Direction, _: Operation, _: &Exact) -> bool {
        true
    }

    fn sign(&mut self, digest: Digest) -> Result<String, Error> {
        let key = self.private.as_ref();
        key.map(|key| key.sign(digest))
            .ok_or_else(|| Error::Host("expected `--seed`: the endpoint wants signed requests".to_owned()))
    }

    fn verify(&mut self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        self.ring.verify(signer_id, digest, signature)
    }

    fn gate(&mut self, _: Operation, _: &str) -> Result<(), Error> {
        Ok(())
    }
}
