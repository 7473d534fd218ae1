//! The portable agent adapter: the five calls of an agent that lives behind an endpoint, as numbered requests.
//!
//! It refuses to look into an input beyond the members that name the call; the payload is the whole input. Hosts call it
//! with what they were asked for and drive the step.

use crate::check::{LogicalTime, MAX_SAFE, whole};
use crate::client::invoke::{Names, Plan};
use crate::client::{Negotiated, Step};
use crate::error::Error;
use crate::operation::Operation;
use agent_surface_json::exact::Exact;
use agent_surface_json::{Kind, Value};
use alloc::string::String;

/// What an agent is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// One step of a session.
    Step,
    /// Keep the session's state.
    Checkpoint,
    /// Go on from a kept state. The response has nothing to say.
    Restore,
    /// Hand a kept state out.
    ExportCheckpoint,
    /// Take another session's kept state in.
    ImportCheckpoint,
}

/// How the names of a call come from its input: `{a.b}` is the member `b` of the member `a`.
struct Shape {
    operation: Operation,
    session_id: &'static str,
    request_id: &'static str,
    idempotency_key: &'static str,
    logical_time: &'static str,
}

impl Method {
    fn shape(self) -> Shape {
        match self {
            Method::Step => Shape {
                operation: Operation::AgentStep,
                session_id: "{sessionId}",
                request_id: "{request.stepId}",
                idempotency_key: "{sessionId}:step:{stepSequence}",
                logical_time: "request.logicalTimeMs",
            },
            Method::Checkpoint => Shape {
                operation: Operation::AgentCheckpoint,
                session_id: "{sessionId}",
                request_id: "{sessionId}:checkpoint:{throughStepSequence}",
                idempotency_key: "{sessionId}:checkpoint:{throughStepSequence}",
                logical_time: "throughStepSequence",
            },
            Method::Restore => Shape {
                operation: Operation::AgentRestore,
                session_id: "{sessionId}",
                request_id: "{sessionId}:restore:{checkpoint.checkpointId}",
                idempotency_key: "{sessionId}:restore:{checkpoint.stateDigest}",
                logical_time: "checkpoint.throughStepSequence",
            },
            Method::ExportCheckpoint => Shape {
                operation: Operation::AgentCheckpointExport,
                session_id: "{sessionId}",
                request_id: "{sessionId}:export:{checkpoint.checkpointId}",
                idempotency_key: "{sessionId}:export:{checkpoint.stateDigest}",
                logical_time: "checkpoint.throughStepSequence",
            },
            Method::ImportCheckpoint => Shape {
                operation: Operation::AgentCheckpointImport,
                session_id: "{targetSessionId}",
                request_id: "{targetSessionId}:import:{transfer.checkpoint.stateDigest}",
                idempotency_key: "{targetSessionId}:import:{transfer.checkpoint.stateDigest}",
                logical_time: "transfer.sourceSessionRevision",
            },
        }
    }
}

/// Calls an agent. A response that is not completed is the error `NotCompleted`. With `is_gated`, whatever governs the
/// session is asked first.
pub fn call(endpoint: &Negotiated, method: Method, input: &Exact, is_gated: bool) -> Result<Step, Error> {
    let shape = method.shape();
    let value = input.value();
    let time = member(value, shape.logical_time).and_then(|time| whole(time.raw()));
    let time = time.filter(|time| *time <= MAX_SAFE);
    let idempotency_key = fill(shape.idempotency_key, value, "idempotencyKey")?;
    Ok(endpoint.invoke_numbered(Plan {
        operation: shape.operation,
        session_id: fill(shape.session_id, value, "sessionId")?,
        allocation_key: idempotency_key.clone(),
        names: Names::Fixed {
            request_id: fill(shape.request_id, value, "requestId")?,
            idempotency_key,
        },
        logical_time: LogicalTime::new(time.ok_or(Error::OutOfRange("logicalTimeMs"))?)?,
        payload: input.clone(),
        is_gated,
        must_complete: true,
    }))
}

/// The member at a path.
fn member<'a>(value: Value<'a>, path: &str) -> Option<Value<'a>> {
    path.split('.').try_fold(value, Value::get)
}

fn fill(template: &str, value: Value<'_>, label: &'static str) -> Result<String, Error> {
    let mut out = String::new();
    for piece in template.split('}') {
        let (text, path) = piece.split_once('{').unwrap_or((piece, ""));
        out.push_str(text);
        if !path.is_empty() {
            let found = member(value, path).ok_or(Error::Invalid(label))?;
            match found.kind() {
                Kind::Number => out.push_str(found.raw()),
                _ => out.push_str(&found.as_str().ok_or(Error::Invalid(label))?),
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{Error, Exact, fill};

    #[test]
    fn names_are_filled_from_members_of_members() {
        let value = Exact::parse("{\"a\":\"x\",\"b\":{\"c\":7}}", 99).unwrap();
        assert_eq!(fill("{a}:step:{b.c}", value.value(), "x").unwrap(), "x:step:7");
        assert!(fill("{b.d}", value.value(), "x").is_err());
        for odd in ["null", "true", "[]", "{}"] {
            let value = Exact::parse(["{\"a\":", odd, "}"].concat(), 99).unwrap();
            assert_eq!(fill("{a}", value.value(), "x"), Err(Error::Invalid("x")), "{odd}");
        }
    }
}
