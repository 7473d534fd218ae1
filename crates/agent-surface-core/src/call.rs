//! One invocation as the core remembers it, and the step it stands at.
//!
//! Data and small questions only; the phases live in `invoke`, `resolve`, `policy`, `effective`, `admission`,
//! `execution` and `settlement`.

use alloc::borrow::ToOwned as _;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use agent_surface_json::{Document, concat};

use crate::confirmation::Binding;
use crate::definition::{Capability, PolicyRef};
use crate::effect::Audit;
use crate::error::Failure;
use crate::message::{CallId, Outcome, Target};
use crate::registration::GroupKey;
use crate::time::Millis;

/// Who calls, in the three spellings that the contract asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumer {
    /// `kind:id`: the namespace of invocation ids, evidence and limits.
    pub key: Rc<String>,
    /// Length of the kind in `key`.
    kind: usize,
}

impl Consumer {
    /// From a kind (`embedded`, `webmcp`, …) and an id.
    pub fn new(kind: &str, id: &str) -> Self {
        Self {
            key: Rc::new(concat(&[kind, ":", id])),
            kind: kind.len(),
        }
    }

    /// The id alone, as events carry it.
    pub fn id(&self) -> &str {
        self.key.get(self.kind + 1..).unwrap_or_default()
    }

    /// The kind alone.
    pub fn kind(&self) -> &str {
        self.key.get(..self.kind).unwrap_or_default()
    }
}

/// A capability as one consumer calls it. A driver keeps it from call to call, so that none of them copies its texts.
#[derive(Debug)]
pub struct Route {
    /// Full id; need not be grammatical, then it is not found.
    pub capability_id: String,
    /// Who calls.
    pub consumer: Consumer,
    /// The fingerprint of a request with no input, or `{}`, and nothing else.
    pub(crate) plain: Cell<Option<u128>>,
}

impl Route {
    /// From a capability's id and who calls it.
    pub fn new(capability_id: &str, consumer: Consumer) -> Rc<Self> {
        Rc::new(Self {
            capability_id: capability_id.to_owned(),
            consumer,
            plain: Cell::new(None),
        })
    }
}

/// What the caller sent as input.
#[derive(Clone, Debug)]
pub enum Sent {
    /// Nothing: `{}` where the schema's root is an object.
    Absent,
    /// JSON within the bounds.
    Json(Rc<Document>),
    /// A text, and the object that it is the JSON text of, which is meant where the schema's root is an object.
    Encoded(Rc<Document>, Rc<Document>),
    /// Not JSON, or past the bounds: the issues as JSON text.
    Bad(String),
    /// The request itself is none: its issues, before anything is looked for.
    Refused(String),
}

/// A request to invoke a capability. The tokens are optional.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What is called, and who calls.
    pub route: Rc<Route>,
    /// Which instance, when the caller knows.
    pub instance_id: Option<&'a str>,
    /// Staleness token.
    pub registration_id: Option<&'a str>,
    /// Staleness token, decimal.
    pub surface_version: Option<&'a str>,
    /// Identity within the consumer; generated when absent.
    pub invocation_id: Option<&'a str>,
    /// Evidence.
    pub confirmation_id: Option<&'a str>,
    /// The input.
    pub input: Sent,
    /// Milliseconds for the handler, instead of the capability's own.
    pub timeout_ms: Option<u32>,
    /// The caller's signal was aborted before the call.
    pub aborted: bool,
    /// The caller may only read: whatever changes something is refused.
    pub reads_only: bool,
}

/// How a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `registry.invoke`.
    Direct,
    /// A tool of this toolset.
    Toolset(u32),
}

/// A capability that a call could mean, and what discovery policies said of it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub target: Target,
    pub generation: u32,
    /// Hidden by a policy that has no `onAuthorize` to answer for it.
    pub hidden: bool,
    /// Hidden by any policy.
    pub undisclosed: bool,
    /// First reason of a `disable` vote.
    pub disabled: Option<String>,
}

/// Where the votes stand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Votes {
    pub candidates: Vec<Candidate>,
    pub candidate: usize,
    pub policy: usize,
    /// Ask also the policies that have an `onAuthorize`.
    pub all: bool,
    /// Tombstones were looked at, too.
    pub dead: bool,
}

/// A policy's function that is running: its `next` is open or answered.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Position in the chain.
    pub chain: usize,
    pub stage: crate::message::Stage,
    pub name: String,
    /// How often `next` was called.
    pub nexts: u32,
    /// Its function ended.
    pub done: bool,
    /// Its `next` was resolved.
    pub resumed: bool,
}

/// Where a call stands. Steps that wait for the host say so in `Call::waits`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Phase 2.
    Resolve,
    Votes,
    Choose,
    /// Phase 3, at this position of the chain.
    Authorize(usize),
    VotesAgain,
    /// Phase 4.
    Availability,
    When,
    Reason,
    /// Phase 5.
    AgentInput,
    Bind,
    FullInput,
    FullChecked,
    /// Phase 6.
    Invoke(usize),
    Confirm,
    /// Phase 7; the flag says that a new confirmation record follows.
    Precondition {
        before_record: bool,
    },
    /// Phase 8.
    Key,
    Admit,
    Queued,
    /// Phase 9.
    Start,
    Running,
    CheckingOutput,
    /// Phase 10: the outcome is fixed and waits for delivery.
    Fixed,
    /// A person decides; the call goes on by itself.
    Person,
    Settled,
}

/// One invocation.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own: a handler may run on after its call was settled"
)]
pub struct Call {
    pub(crate) id: CallId,
    pub(crate) route: Rc<Route>,
    /// The id that its caller gave.
    pub(crate) invocation_id: Option<String>,
    /// Which one of the registry's calls: a generated id ends with it.
    pub(crate) number: u64,
    pub(crate) fingerprint: u128,
    /// The fingerprint is that of the input's text as it came, not of its canonical form.
    pub(crate) as_sent: bool,
    pub(crate) instance_id: Option<String>,
    pub(crate) registration_id: Option<String>,
    pub(crate) surface_version: Option<String>,
    pub(crate) confirmation_id: Option<String>,
    /// Its caller gave that id.
    pub(crate) names_evidence: bool,
    pub(crate) input: Sent,
    pub(crate) reads_only: bool,
    pub(crate) timeout_ms: Option<u32>,
    pub(crate) origin: Origin,

    pub(crate) step: Step,
    /// Waits for the host or for time; answers are taken only then.
    pub(crate) waits: bool,
    pub(crate) votes: Votes,
    pub(crate) target: Option<Target>,
    pub(crate) target_generation: u32,
    pub(crate) capability: Option<Rc<Capability>>,
    pub(crate) chain: Option<Rc<Vec<PolicyRef>>>,
    pub(crate) frames: Vec<Frame>,
    /// The agent's fields with the bound ones, until they are checked.
    pub(crate) merged: Option<String>,
    /// The effective input; `None` before phase 5 is through. The same document as `input` when nothing changed.
    pub(crate) effective: Option<Rc<Document>>,
    /// A policy raised the confirmation level; with the first summary.
    pub(crate) escalated: bool,
    pub(crate) summary: Option<String>,
    /// What a person would have to approve, while that is being found out.
    pub(crate) binding: Option<Binding>,
    /// Slot of the reserved confirmation record.
    pub(crate) evidence: Option<u32>,
    pub(crate) group: Option<GroupKey>,
    /// Counts among the running observations.
    pub(crate) pooled: bool,
    pub(crate) timer: Option<u32>,
    pub(crate) handler_started: bool,
    pub(crate) handler_running: bool,
    /// Its owner unmounted while a navigation ran.
    pub(crate) unmounted: bool,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) output: Option<String>,
    /// Id of the confirmation that the call was refused for.
    pub(crate) asked: Option<String>,
    /// The outcome that waiting for a person falls back to.
    pub(crate) pending: Option<Failure>,
    /// Its start was an event; a refused identity has none.
    pub(crate) announced: bool,
    /// Its start was audited.
    pub(crate) audited: bool,
    /// What policies want recorded of it at least.
    pub(crate) audit: Audit,
    /// Its identity stands for it: the same request again joins it.
    pub(crate) known: bool,
    /// Since when it is kept for replays.
    pub(crate) remembered: Option<Millis>,
    pub(crate) lingers: bool,
    /// The driver is about to hear that it may forget the call.
    pub(crate) leaving: bool,

    pub(crate) began: Millis,
    pub(crate) queued: Option<Millis>,
    pub(crate) started: Option<Millis>,
    pub(crate) version: u64,
}

impl Call {
    pub(crate) const fn is_settled(&self) -> bool {
        matches!(self.step, Step::Settled)
    }

    /// How much of it the audit records: all that is known of one that was not resolved.
    pub(crate) fn audit_level(&self) -> Audit {
        let own = self
            .capability
            .as_ref()
            .map_or(Audit::Metadata, |capability| capability.audit);
        own.max(self.audit)
    }

    /// Whether it changes something: nothing is known of a call that was not resolved.
    pub(crate) fn acts(&self) -> bool {
        self.capability
            .as_ref()
            .is_some_and(|capability| capability.acts())
    }
}
