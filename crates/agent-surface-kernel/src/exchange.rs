//! What was asked and what became of it, for an audit: in the words of the peer, cut short.
//!
//! It refuses to hold an input or an output. Made by `request`, completed by `kernel`.

use agent_surface_json::Value;
use alloc::string::String;

/// Characters that are kept of what a peer wrote.
const MAX_WORD: usize = 128;

/// One request and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// As the peer wrote it, however wrong.
    pub request_id: Option<String>,
    /// The same.
    pub method: Option<String>,
    /// The same.
    pub capability: Option<String>,
    /// Whether the exchange succeeded.
    pub is_ok: bool,
    /// Of the refusal, or of the error that the action came to.
    pub code: Option<String>,
}

impl Exchange {
    /// Of which nothing but an id could be read.
    pub(crate) fn of(id: Option<&str>) -> Exchange {
        Exchange {
            request_id: id.map(String::from),
            ..Exchange::default()
        }
    }

    pub(crate) fn read(root: Value<'_>) -> Exchange {
        let word = |key| {
            let text = root.get(key).and_then(Value::as_str)?;
            Some(text.chars().take(MAX_WORD).collect())
        };
        Exchange {
            request_id: word("id"),
            method: word("method"),
            capability: word("capability"),
            ..Exchange::default()
        }
    }
}
