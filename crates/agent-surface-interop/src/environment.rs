//! The simulation environment client: the six calls of an environment behind an endpoint, as numbered requests.
//!
//! It refuses to make two calls of one operation at one logical time different: they are one call, and an exact retry if
//! their payloads are the same. Hosts call it and drive the step.

use crate::check::{LogicalTime, decimal, quoted};
use crate::client::invoke::{Names, Plan};
use crate::client::{Negotiated, Step};
use crate::error::Error;
use crate::operation::Operation;
use agent_surface_json::exact::{self, Exact};
use alloc::string::String;

/// What an environment is asked for.
#[derive(Clone, Debug)]
pub enum Action<'a> {
    /// Begin anew.
    Reset(&'a Exact),
    /// What can be seen from this cursor?
    Observe(&'a str),
    /// Do something.
    Act(&'a Exact),
    /// Keep the state.
    Snapshot,
    /// Go back to a kept state.
    Restore(&'a Exact),
    /// End.
    Close,
}

impl Action<'_> {
    fn operation(&self) -> Operation {
        match self {
            Action::Reset(_) => Operation::EnvironmentReset,
            Action::Observe(_) => Operation::EnvironmentObserve,
            Action::Act(_) => Operation::EnvironmentAct,
            Action::Snapshot => Operation::EnvironmentSnapshot,
            Action::Restore(_) => Operation::EnvironmentRestore,
            Action::Close => Operation::EnvironmentClose,
        }
    }

    fn payload(&self) -> Result<Exact, Error> {
        let text = match self {
            Action::Reset(payload) | Action::Act(payload) | Action::Restore(payload) => {
                return Ok((*payload).clone());
            }
            Action::Observe(cursor) => exact::object(None, &[], &[("cursor", &quoted(cursor))]),
            Action::Snapshot | Action::Close => String::from("{}"),
        };
        Ok(Exact::parse(text, usize::MAX)?)
    }

    /// The others hand out their response whatever its status.
    fn must_complete(&self) -> bool {
        matches!(self, Action::Observe(_) | Action::Act(_) | Action::Snapshot)
    }
}

/// Calls an environment. When `observe`, `act` or `snapshot` do not complete, that is the error `NotCompleted`.
pub fn call(
    endpoint: &Negotiated,
    session_id: &str,
    action: &Action<'_>,
    logical_time: LogicalTime,
) -> Result<Step, Error> {
    let operation = action.operation();
    let stem = [session_id, ":", operation.name(), ":"].concat();
    Ok(endpoint.invoke_numbered(Plan {
        operation,
        session_id: String::from(session_id),
        allocation_key: [&stem, decimal(logical_time.as_u64()).as_str()].concat(),
        names: Names::Numbered(stem),
        logical_time,
        payload: action.payload()?,
        is_gated: false,
        must_complete: action.must_complete(),
    }))
}
