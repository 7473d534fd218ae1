//! What goes into the core and what comes out of it: the two enums of the sans-IO grammar.
//!
//! Carries data only; decides nothing. Used by the drivers (the page's drain loop, the transcript runner) and by
//! every module of the core that asks the host for something.

use crate::error::Failure;
use crate::time::Millis;
use alloc::string::String;

/// A call in the core's table. The generation tells a late answer from one for the slot's next user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallId {
    /// Dense index, free for reuse after `Output::Forget`.
    pub slot: u32,
    /// How often the slot was used before.
    pub generation: u32,
}

/// Which of the two policy chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `onAuthorize`: sees no input.
    Authorize,
    /// `onInvoke`: sees the effective input.
    Invoke,
}

/// One capability of one registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Slot of the registration.
    pub registration: u32,
    /// Position in the registration's capabilities.
    pub capability: u32,
}

/// A discovery policy's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vote {
    /// Show it.
    Expose,
    /// As if it did not exist. Also what a throwing policy means.
    Hide,
    /// Listed, but not available. An empty reason is none.
    Disable(String),
}

/// What came back from a check that the host runs (an author's own schema).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The value as JSON text, as the schema gave it back.
    Value(String),
    /// JSON text of a list of issues.
    Issues(String),
}

/// How a handler ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Returned {
    /// With nothing, or with a value as JSON text.
    Value(Option<String>),
    /// With a value that is not JSON: where and why.
    NotJson {
        /// Dotted path.
        path: String,
        /// What was wrong there.
        message: String,
    },
    /// It threw something that names its own answer.
    Failure(Failure),
    /// It threw anything else.
    Threw,
}

/// Answers and requests that reach the core.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Answer to `AskDiscovery`.
    Vote(CallId, Vote),
    /// Answer to `AskWhen`: `None` when it threw.
    WhenIs(CallId, Option<bool>),
    /// Answer to `AskReason`: `None` when there is none.
    ReasonIs(CallId, Option<String>),
    /// Answer to `AskKey`: the concurrency key, `None` when it threw.
    KeyIs(CallId, Option<String>),
    /// Answer to `Guard`: `Some` refuses.
    Verdict(CallId, Option<Failure>),
    /// A policy called `next`.
    PolicyNext(CallId, u32),
    /// A policy wants a person to approve, with this summary.
    Escalate(CallId, Option<String>),
    /// A policy wants the call on record, with its payload when that is said.
    Audit(CallId, bool),
    /// A policy's function ended; `Some` when it threw.
    PolicyDone(CallId, u32, Option<Failure>),
    /// Answer to `Check`.
    Checked(CallId, Checked),
    /// Answer to `Bind`: the bound fields as one JSON object, `Err` with the field's name when that failed.
    Bound(CallId, Result<String, Option<String>>),
    /// Answer to `CheckPrecondition`; `Some` refuses.
    PreconditionDone(CallId, Option<Failure>),
    /// The handler or the procedure executor ended.
    HandlerDone(CallId, Returned),
    /// The caller gave up.
    Abort(CallId),
    /// An armed timer fired; it is believed whatever `now` says.
    DeadlineReached {
        /// The timer of `Output::Arm`.
        timer: u32,
        /// Its generation.
        generation: u32,
    },
    /// The microtask that `Output::Schedule` asked for.
    Tick,
}

impl Input {
    /// The call that it belongs to.
    pub(crate) const fn call(&self) -> Option<CallId> {
        match self {
            Self::Vote(id, _)
            | Self::WhenIs(id, _)
            | Self::ReasonIs(id, _)
            | Self::KeyIs(id, _)
            | Self::Verdict(id, _)
            | Self::PolicyNext(id, _)
            | Self::Escalate(id, _)
            | Self::Audit(id, _)
            | Self::PolicyDone(id, _, _)
            | Self::Checked(id, _)
            | Self::Bound(id, _)
            | Self::PreconditionDone(id, _)
            | Self::HandlerDone(id, _)
            | Self::Abort(id) => Some(*id),
            Self::DeadlineReached { .. } | Self::Tick => None,
        }
    }
}

/// The input of a call as the handler gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputRef {
    /// What the caller sent, unchanged: the host still has it.
    Retained,
    /// The effective input as JSON text.
    Text(String),
}

/// That a person approved a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The confirmation's id.
    pub id: String,
    /// The caller named it, so that the host knows it.
    pub named: bool,
    /// When they did.
    pub at: Millis,
}

/// How a call ended, for the host.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The output is what the host kept from `HandlerDone`, or this text when the schema changed it.
    Done(Option<String>),
    /// Refused or failed.
    Failed(Failure),
}

/// What the core wants done. Questions (`Ask…`, `Guard`, `Bind`) are answered at once; the others when they are
/// ready.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Ask a policy's `onDiscovery` for this call.
    AskDiscovery(CallId, Target, u32),
    /// Ask the capability's `when`.
    AskWhen(CallId, Target),
    /// Ask the capability's reason function.
    AskReason(CallId, Target),
    /// Ask the action's concurrency key for the effective input.
    AskKey(CallId, Target),
    /// Ask a guard.
    Guard(CallId, Stage, u32),
    /// Run a policy's function with a `next` that answers `Input::PolicyNext` with this frame.
    RunPolicy(CallId, Stage, u32, u32),
    /// Resolve the promise that `next` gave in this frame with the call's result.
    ResumeNext(CallId, u32),
    /// What the policies of a call that goes on waiting for a person get as its result so far.
    Interim(CallId, Failure),
    /// Run the author's own input schema over this value.
    Check(CallId, Target, InputRef),
    /// Run the author's own output schema over what the handler returned.
    CheckOutput(CallId, Target),
    /// Read the bound fields.
    Bind(CallId, Target),
    /// The effective input differs from what the caller sent.
    Effective(CallId, String),
    /// Ask the action's precondition.
    CheckPrecondition(CallId, Target),
    /// Call the handler or the procedure executor. Evidence, when a person approved: id and time (ISO 8601).
    CallHandler(CallId, Target, Option<Evidence>),
    /// Abort the handler's signal.
    AbortHandler(CallId),
    /// Arm a timer. It is armed only when something really waits.
    Arm {
        /// The timer, dense.
        timer: u32,
        /// Its generation.
        generation: u32,
        /// From now, in milliseconds.
        ms: u32,
    },
    /// The timer is no longer wanted.
    Disarm(u32),
    /// The call's result; the version (and whether it moved since the call began) as read at delivery.
    Settled {
        /// Which call.
        call: CallId,
        /// How it ended.
        outcome: Outcome,
        /// The surface's version.
        version: u64,
        /// It is another one than when the call began.
        changed: bool,
    },
    /// Nobody can ask for this call any more; the slot is free.
    Forget(u32),
    /// An event for the page's listeners, as JSON text.
    Event(String),
    /// An audit record, as JSON text; the call, when there is one whose thrown cause belongs to it.
    Audit(String, Option<u32>),
    /// A confirmation reached its end (`approved`, `denied`, `expired`).
    ConfirmationResolved(String, &'static str),
    /// Call `Input::Tick` in the next microtask.
    Schedule,
    /// Look at this toolset again.
    Refresh(u32),
    /// A registration is gone for good.
    ForgetRegistration(u32),
    /// A registration ended; drop its closures.
    Unmounted(u32),
    /// No registration uses this component any more; drop its policies.
    ForgetComponent(u32),
    /// No component uses this capability spec any more.
    ForgetSpec(u32),
    /// Offer a tool to the browser: toolset, entry, generation.
    Offer(u32, u32, u32),
    /// Withdraw a tool from the browser: toolset, entry, generation.
    Withdraw(u32, u32, u32),
    /// Something a developer should know.
    Warn(String),
    /// A warning for the page in any environment.
    Collision(String),
}
