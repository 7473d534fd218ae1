//! Values of the protocol without a machine: canonical texts, digests, manifests, the alphabet of signatures.
//!
//! It refuses what the protocol refuses, with its words. Called by the facade's `interop-values.js`.

use alloc::string::String;
use alloc::vec::Vec;

use agent_surface_interop::{
    Digest, Domain, Error, Exact, Identifier, Manifest, decode_base64url, encode_base64url,
};
use wasm_bindgen::prelude::*;

use super::write;

/// No value, manifest or text that is looked at by itself is larger: four times the largest envelope of a manifest.
pub(super) const MAX_BYTES: usize = 268_435_456;

pub(super) fn parse(text: String) -> Result<Exact, String> {
    Exact::parse(text, MAX_BYTES).map_err(|error| write::error(&Error::from(error)))
}

/// The canonical text of a JSON text.
///
/// # Errors
/// It has none.
#[wasm_bindgen]
pub fn canonical(text: String) -> Result<String, String> {
    parse(text).map(|value| String::from(value.text()))
}

/// The digest of a JSON text in a domain; undefined for an unknown domain.
///
/// # Errors
/// The text has no canonical form.
#[wasm_bindgen(js_name = digestOf)]
pub fn digest_of(domain: &str, text: String) -> Result<Option<String>, String> {
    let value = parse(text)?;
    let domain = Domain::ALL.into_iter().find(|known| known.name() == domain);
    Ok(domain.map(|domain| Digest::of(domain, value.text()).text()))
}

/// The manifest with these members: its text.
///
/// # Errors
/// One of them is not as it must be.
#[wasm_bindgen(js_name = createManifest)]
pub fn create_manifest(text: String) -> Result<String, String> {
    let made = Manifest::create(&parse(text)?);
    made.map(|manifest| String::from(manifest.text()))
        .map_err(|error| write::error(&error))
}

/// A manifest as it is read from the wire: its text.
///
/// # Errors
/// It is none.
#[wasm_bindgen(js_name = readManifest)]
pub fn read_manifest(text: String) -> Result<String, String> {
    let read = Manifest::read(&parse(text)?);
    read.map(|manifest| String::from(manifest.text()))
        .map_err(|error| write::error(&error))
}

/// Whether it is a digest's text.
#[wasm_bindgen(js_name = isDigest)]
pub fn is_digest(text: &str) -> bool {
    Digest::parse(text).is_some()
}

/// Whether it is an identifier.
#[wasm_bindgen(js_name = isIdentifier)]
pub fn is_identifier(text: &str) -> bool {
    Identifier::parse(text, "identifier").is_ok()
}

/// Bytes of a signature (RFC 8032, section 5.1.6).
const SIGNATURE_BYTES: usize = 64;

/// The bytes of a signature's text; undefined where it is none.
#[wasm_bindgen(js_name = decodeSignature)]
pub fn decode_signature(text: &str) -> Option<Vec<u8>> {
    decode_base64url(text).filter(|bytes| bytes.len() == SIGNATURE_BYTES)
}

/// The text of a signature.
#[wasm_bindgen(js_name = encodeSignature)]
pub fn encode_signature(bytes: &[u8]) -> String {
    encode_base64url(bytes)
}
