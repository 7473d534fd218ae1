//! What requests and responses have in common: members in canonical order, and the text from which both are hashed.
//!
//! It refuses to know any rule of either. `request` and `response` call it.

use crate::check::Token;
use crate::digest::{Digest, Domain};
use crate::error::Error;
use agent_surface_json::Value;
use agent_surface_json::exact::{self, Exact};
use alloc::string::String;
use alloc::vec::Vec;

/// The member that is as large as its sender likes.
pub(crate) const PAYLOAD: &str = "payload";

/// Members of an envelope, in UTF-16 order, with their canonical texts; what they have for the payload is not looked at.
pub(crate) type Fields = Vec<(&'static str, String)>;

fn around<'a>(fields: &'a Fields, payload: &'a str) -> Vec<(&'a str, &'a str)> {
    let text = |name: &str, own: &'a String| if name == PAYLOAD { payload } else { own.as_str() };
    fields
        .iter()
        .map(|(name, own)| (*name, text(name, own)))
        .collect()
}

/// The digest of an envelope, over all but that digest and the signature, and how many bytes that is.
pub(crate) fn digest(fields: &Fields, payload: &str, digest_name: &str, domain: Domain) -> (Digest, u64) {
    let mut kept = around(fields, payload);
    kept.retain(|(name, _)| *name != digest_name && *name != "signature");
    Digest::of_pieces(domain, &|take| exact::object_pieces(None, &[], &kept, take))
}

/// The same, of an envelope from the wire.
pub(crate) fn digest_of(value: Value<'_>, digest_name: &str, domain: Domain) -> (Digest, u64) {
    let drop = [digest_name, "signature"];
    Digest::of_pieces(domain, &|take| {
        exact::object_pieces(Some(value), &drop, &[], take);
    })
}

/// The whole, around a payload that has been read already.
pub(crate) fn whole(fields: &Fields, payload: &Exact) -> Result<Exact, Error> {
    Ok(Exact::object_around(&around(fields, ""), PAYLOAD, payload)?)
}

/// `null` or the signature as a literal.
pub(crate) fn signature_text(signature: Option<&Token>) -> String {
    signature.map_or_else(
        || String::from("null"),
        |token| crate::check::quoted(token.as_str()),
    )
}

/// Bytes as the manifest counts them.
pub(crate) fn size(text: &str) -> u64 {
    text.len() as u64
}
