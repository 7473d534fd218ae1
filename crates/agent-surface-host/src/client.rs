//! The command's client: one endpoint, one exchange, keys from files.
//!
//! It refuses an endpoint that signs unless it has its key, and one that does not if it has. `main` calls it.

use agent_surface_host::{Route, Transport};
use agent_surface_interop::client::{self, Ports};
use agent_surface_interop::ed25519::{Keyring, PrivateKey, PublicKey};
use agent_surface_interop::memory::MemoryOutbound;
use agent_surface_interop::store::{Allocation, OutboundSequenceStore};
use agent_surface_interop::{
    Call, Client, Digest, Direction, Error, Exact, Identifier, Manifest, Operation, Request, Response,
    decode_base64url,
};
use std::fs::File;
use std::io::Read;
use zeroize::Zeroizing;

/// More than 64 digits and the space around them.
const SEED_FILE_BYTES: usize = 256;

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
        route: &Route,
        client_id: String,
        seed: Option<&str>,
        endpoint_key: Option<&str>,
    ) -> Result<Self, Error> {
        Ok(Party {
            client_id,
            transport: Transport::new(base_url, &[], route)?,
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

/// Whatever held the key is wiped, and nothing that grew has left a copy behind.
fn read_seed(path: &str) -> Result<PrivateKey, Error> {
    let failed = |error: std::io::Error| Error::Host(format!("`{path}`: {error}"));
    let mut text = Zeroizing::new(Vec::with_capacity(SEED_FILE_BYTES));
    let file = File::open(path).map_err(failed)?;
    file.take(SEED_FILE_BYTES as u64)
        .read_to_end(&mut text)
        .map_err(failed)?;
    let mut seed = Zeroizing::new([0; 32]);
    let is_whole = text.len() < SEED_FILE_BYTES && fill(&mut seed, text.trim_ascii());
    is_whole
        .then(|| PrivateKey::from_seed(&seed))
        .ok_or_else(|| Error::Host(format!("expected 64 hexadecimal digits in `{path}`")))
}

/// Whether `digits` were as many as fill `seed`, and all of them hexadecimal.
fn fill(seed: &mut [u8; 32], digits: &[u8]) -> bool {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(high)? * 16 + digit(low)?).ok();
    let (pairs, rest) = digits.as_chunks::<2>();
    let mut is_whole = rest.is_empty() && pairs.len() == seed.len();
    for (place, pair) in seed.iter_mut().zip(pairs) {
        match byte(pair) {
            Some(byte) => *place = byte,
            None => is_whole = false,
        }
    }
    is_whole
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
