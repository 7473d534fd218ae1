//! Digests: SHA-256 (FIPS 180-4) over the protocol's name, a domain and canonical text, and their text `sha256:…`.
//!
//! It refuses to hash what is not canonical: callers hand over texts of `Exact`. Envelopes, the manifest, the stores' keys
//! and later the governed records call it.

use agent_surface_json::hex;
use alloc::string::String;
use sha2::Digest as _;

const PROTOCOL_PREFIX: &str = "agentplat-interop-v1";
const TEXT_PREFIX: &str = "sha256:";
/// Pieces of fewer bytes are hashed together.
const SMALL_BYTES: usize = 4096;

/// Takes the next piece of a text.
pub(crate) type Take<'a> = &'a mut dyn FnMut(&str);

/// What a hashed text is; a digest of one domain never passes for one of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each is named for the one thing it hashes")]
pub enum Domain {
    Manifest,
    RequestPayload,
    Request,
    ResponsePayload,
    Response,
    CapabilityProfile,
    RoleProfile,
    GovernedSessionRecord,
    GovernedRequestAdmission,
    GovernedEffect,
}

impl Domain {
    /// All of them.
    pub const ALL: [Domain; 10] = [
        Domain::Manifest,
        Domain::RequestPayload,
        Domain::Request,
        Domain::ResponsePayload,
        Domain::Response,
        Domain::CapabilityProfile,
        Domain::RoleProfile,
        Domain::GovernedSessionRecord,
        Domain::GovernedRequestAdmission,
        Domain::GovernedEffect,
    ];

    /// Its name in the hashed bytes.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Manifest => "manifest",
            Domain::RequestPayload => "request-payload",
            Domain::Request => "request",
            Domain::ResponsePayload => "response-payload",
            Domain::Response => "response",
            Domain::CapabilityProfile => "capability-profile",
            Domain::RoleProfile => "role-profile",
            Domain::GovernedSessionRecord => "governed-session-record",
            Domain::GovernedRequestAdmission => "governed-request-admission",
            Domain::GovernedEffect => "governed-effect",
        }
    }
}

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl core::fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(&self.text())
    }
}

impl Digest {
    /// The digest of a canonical text in a domain.
    pub fn of(domain: Domain, canonical: &str) -> Self {
        Digest::of_parts(PROTOCOL_PREFIX, &[domain.name(), canonical])
    }

    /// The digest of a canonical text that comes in pieces, and its bytes.
    pub(crate) fn of_pieces(domain: Domain, write: &dyn Fn(Take<'_>)) -> (Self, u64) {
        let (mut hasher, mut small, mut bytes) = (sha2::Sha256::new(), String::new(), 0);
        for part in [PROTOCOL_PREFIX, "\0", domain.name(), "\0"] {
            small.push_str(part);
        }
        write(&mut |piece| {
            bytes += piece.len() as u64;
            if piece.len() < SMALL_BYTES {
                small.push_str(piece);
            } else {
                hasher.update(&small);
                hasher.update(piece);
                small.clear();
            }
        });
        hasher.update(&small);
        (Digest(hasher.finalize().into()), bytes)
    }

    /// The digest of texts with U+0000 between them.
    pub(crate) fn of_parts(first: &str, rest: &[&str]) -> Self {
        let mut hasher = sha2::Sha256::new();
        hasher.update(first);
        for part in rest {
            hasher.update([0]);
            hasher.update(part);
        }
        Digest(hasher.finalize().into())
    }

    /// Reads `sha256:` and 64 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(TEXT_PREFIX)?.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.as_chunks::<2>().0) {
            for digit in pair {
                let value = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return None,
                };
                *byte = (*byte << 4) | value;
            }
        }
        Some(Digest(bytes))
    }

    /// Its text, 71 characters: what is signed and what stands in envelopes.
    pub fn text(&self) -> String {
        [TEXT_PREFIX, &hex(&self.0)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, Domain};

    #[test]
    fn a_digest_reads_back_and_only_its_own_form_is_read() {
        let digest = Digest::of(Domain::Manifest, "null");
        let text = digest.text();
        assert_eq!(
            text,
            "sha256:f5ff162985db74f7ef2b407f55c093eea5721a3f75594fa4676ec06df5830ba7"
        );
        assert_eq!(Digest::parse(&text), Some(digest));
        let (_, hex_part) = text.split_at(7);
        for wrong in [
            text.to_uppercase(),
            hex_part.to_owned(),
            format!("sha256:{}", hex_part.to_uppercase()),
            format!("{text}0"),
            format!(" {text}"),
        ] {
            assert_eq!(Digest::parse(&wrong), None, "{wrong}");
        }
    }
}
