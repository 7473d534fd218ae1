//! What a peer sends: bounded, parsed, its shape checked.
//!
//! It refuses every key that it does not know, and to look at what an action's input holds. Called by `kernel`.

use agent_surface_json::{Bounds, Document, Kind, ParseError, Value};
use alloc::borrow::ToOwned as _;
use alloc::string::String;

use crate::error::{Code, Refusal};
use crate::exchange::Exchange;

/// The protocol and its version, as every request names it.
pub const PROTOCOL: &str = "agent-surface/1";

/// Printable ASCII characters of a request's id.
const MAX_ID: usize = 128;
/// As deep as an action's input may be, and the envelope around it.
const MAX_DEPTH: usize = 65;

/// What a request asks for.
#[derive(Debug)]
pub(crate) enum Method {
    Describe {
        limit: Option<u32>,
    },
    Invoke {
        capability: String,
        input: Option<String>,
    },
}

/// A request that has the right shape.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) method: Method,
    /// The same for the same request, whatever the order of its keys.
    pub(crate) content: [u8; 32],
}

/// With the id, where there is one that can be repeated.
type Refused = (Option<String>, Refusal);

/// Reads a request of at most `max_bytes`, and what an audit says of it.
pub(crate) fn read(text: &str, max_bytes: usize) -> (Exchange, Result<Request, Refused>) {
    let bounds = Bounds {
        max_bytes,
        max_depth: MAX_DEPTH,
        lone_surrogates: false,
    };
    match Document::parse(text, bounds) {
        Ok(document) => (Exchange::read(document.root()), shape(&document)),
        Err(error) => (Exchange::default(), Err((None, no_document(error)))),
    }
}

fn shape(document: &Document) -> Result<Request, Refused> {
    let root = document.root();
    let id = root
        .get("id")
        .and_then(Value::as_str)
        .filter(|id| is_id(id))
        .map(alloc::borrow::Cow::into_owned);
    let refuse = |code, message| (id.clone(), Refusal::new(code, message));
    let is_known = |key: &str| matches!(key, "protocol" | "id" | "method" | "capability" | "input");
    if root.kind() != Kind::Object || !root.entries().all(|(key, _)| is_known(&key)) {
        let message = "a request is { protocol, id, method, capability?, input? } and has no other keys";
        return Err(refuse(Code::InvalidRequest, message));
    }
    let (Some(name), Some(protocol)) = (id.as_deref(), root.get("protocol").and_then(Value::as_str)) else {
        let message = "`protocol` must be a string, and `id` 1 to 128 printable ASCII characters";
        return Err(refuse(Code::InvalidRequest, message));
    };
    let method = method(root).map_err(|message| refuse(Code::InvalidRequest, message))?;
    if protocol != PROTOCOL {
        return Err(refuse(
            Code::ProtocolMismatch,
            "`protocol` must be `agent-surface/1`",
        ));
    }
    Ok(Request {
        id: name.to_owned(),
        method,
        content: agent_surface_json::sha256(document.canonical().as_bytes()),
    })
}

fn no_document(error: ParseError) -> Refusal {
    let code = match error {
        ParseError::TooLarge { .. } => Code::RequestTooLarge,
        _ => Code::InvalidRequest,
    };
    Refusal {
        code,
        message: error.message(),
    }
}

fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

fn method(root: Value<'_>) -> Result<Method, &'static str> {
    let Some(method) = root.get("method").and_then(Value::as_str) else {
        return Err("`method` must be `describe` or `invoke`");
    };
    let capability = root.get("capability");
    match &*method {
        "describe" if capability.is_none() => describe(root.get("input")),
        "describe" => Err("`describe` takes no `capability`"),
        "invoke" => match capability.and_then(Value::as_str) {
            Some(capability) => Ok(Method::Invoke {
                capability: capability.into_owned(),
                input: root.get("input").map(|input| input.raw().to_owned()),
            }),
            None => Err("`invoke` needs a `capability`"),
        },
        _ => Err("`method` must be `describe` or `invoke`"),
    }
}

fn describe(input: Option<Value<'_>>) -> Result<Method, &'static str> {
    let Some(input) = input.filter(|input| input.kind() != Kind::Null) else {
        return Ok(Method::Describe { limit: None });
    };
    let is_object = input.kind() == Kind::Object && input.entries().all(|(key, _)| key == "limit");
    let limit = input.get("limit").map(Value::as_u32);
    match limit {
        None if is_object => Ok(Method::Describe { limit: None }),
        Some(Some(limit)) if is_object => Ok(Method::Describe { limit: Some(limit) }),
        _ => Err("the input of `describe` is { limit? }, a whole number"),
    }
}
