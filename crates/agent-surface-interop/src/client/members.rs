//! A call whose members come as JSON, from a page: whatever they are, one by one they are what they must be or an error.
//!
//! It refuses to correct anything. The page's side calls it instead of `Negotiated::invoke`.

use super::{Negotiated, Step};
use crate::ask::Ended;
use crate::check::{LogicalTime, whole};
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::operation::Operation;
use crate::request::Call;
use agent_surface_json::Value;
use agent_surface_json::exact::Exact;
use alloc::borrow::Cow;
use alloc::string::String;

impl Negotiated {
    /// Makes a request of canonical `members`: those of a `Call` by their names on the wire, and `expectedManifestDigest`
    /// if that matters.
    pub fn invoke_members(&self, members: Value<'_>, payload: Exact) -> Step {
        let text = |name: &str| {
            let found = members.get(name).and_then(Value::as_str);
            found.map_or(String::new(), Cow::into_owned)
        };
        let expected = members.get("expectedManifestDigest").map(Value::as_str);
        let expected = match expected.map(|text| text.and_then(|text| Digest::parse(&text))) {
            None => None,
            Some(Some(digest)) => Some(digest),
            // What is no digest is not that of this manifest.
            Some(None) => return Step::ended(Rule::ClientManifest.into()),
        };
        let operation = text("operation");
        let is_expected = expected.is_none_or(|digest| digest == self.manifest().digest());
        let call = match Operation::parse(&operation) {
            None if is_expected => Err(Error::OperationUnavailable(operation)),
            None => Err(Rule::ClientManifest.into()),
            Some(operation) => times(members).map(|(logical_time, deadline)| Call {
                request_id: text("requestId"),
                idempotency_key: text("idempotencyKey"),
                session_id: text("sessionId"),
                operation,
                // No sequence is 0: it is refused in its turn.
                sequence: members
                    .get("sequence")
                    .and_then(|number| whole(number.raw()))
                    .unwrap_or(0),
                logical_time,
                deadline,
                payload,
            }),
        };
        match call {
            Ok(call) => self.invoke(call, expected),
            Err(error) => Step::ended(error),
        }
    }
}

fn times(members: Value<'_>) -> Result<(LogicalTime, LogicalTime), Error> {
    let time = |name: &'static str| {
        let number = members.get(name).and_then(|number| whole(number.raw()));
        LogicalTime::new(number.ok_or(Error::OutOfRange(name))?)
    };
    Ok((time("logicalTimeMs")?, time("deadlineLogicalMs")?))
}
