//! What requests and responses have in common: members in canonical order, and the text from which both are hashed.
//!
//! It refuses to know any rule of either. `request` and `response` call it.

use crate::check::Token;
use agent_surface_json::exact;
use alloc::string::String;
use alloc::vec::Vec;

/// Members of an envelope, in UTF-16 order, with their canonical texts.
pub(crate) type Fields<'a> = Vec<(&'a str, &'a str)>;

/// The hashed text of an envelope: without its digest and its signature.
pub(crate) fn body(fields: &Fields<'_>, digest_name: &str) -> String {
    let kept: Fields<'_> = fields
        .iter()
        .copied()
        .filter(|(name, _)| *name != digest_name && *name != "signature")
        .collect();
    exact::object(None, &[], &kept)
}

/// The whole.
pub(crate) fn whole(fields: &Fields<'_>) -> String {
    exact::object(None, &[], fields)
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
