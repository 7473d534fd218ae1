//! Ed25519 (RFC 8032) for native endpoints and clients: the signed message is the digest's text.
//!
//! It refuses to show a private key: it cannot be printed, serialized or copied, and is zeroized when it is dropped.
//! Verification is strict: no scalar past the group's order, no point of small order. Native hosts call it.

use crate::base64;
use crate::check::Identifier;
use crate::digest::Digest;
use crate::error::Error;
use alloc::collections::BTreeMap;
use alloc::string::String;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

/// Signs digests.
pub struct PrivateKey(SigningKey);

impl core::fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("PrivateKey")
    }
}

impl PrivateKey {
    /// From the 32 bytes of a seed, which the caller wipes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        PrivateKey(SigningKey::from_bytes(seed))
    }

    /// The public half.
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The signature over the digest's text: 86 characters of base64url.
    pub fn sign(&self, digest: Digest) -> String {
        base64::encode(&self.0.sign(digest.text().as_bytes()).to_bytes())
    }
}

/// Verifies signatures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// From its 32 bytes, if they are a point of the curve.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        VerifyingKey::from_bytes(bytes).ok().map(PublicKey)
    }

    /// Its 32 bytes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// Whether `signature` is this key's over the digest's text.
    pub fn verify(&self, digest: Digest, signature: &str) -> bool {
        base64::decode(signature)
            .and_then(|bytes| Signature::from_slice(&bytes).ok())
            .is_some_and(|signature| self.0.verify_strict(digest.text().as_bytes(), &signature).is_ok())
    }
}

/// Public keys by signer.
#[derive(Clone, Default, Debug)]
pub struct Keyring(BTreeMap<Identifier, PublicKey>);

impl Keyring {
    /// Adds a signer's key, in place of the one before.
    pub fn add(&mut self, signer_id: &str, key: PublicKey) -> Result<(), Error> {
        self.0.insert(Identifier::parse(signer_id, "signerId")?, key);
        Ok(())
    }

    /// Whether the signature is the signer's over the digest's text. Unknown signers' are not.
    pub fn verify(&self, signer_id: &str, digest: Digest, signature: &str) -> bool {
        Identifier::parse(signer_id, "signerId")
            .is_ok_and(|id| self.0.get(&id).is_some_and(|key| key.verify(digest, signature)))
    }
}

#[cfg(test)]
mod tests {
    use super::PrivateKey;

    #[test]
    fn a_private_key_prints_nothing_of_itself() {
        assert_eq!(format!("{:?}", PrivateKey::from_seed(&[7; 32])), "PrivateKey");
    }
}
