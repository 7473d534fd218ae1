//! What the router asks of its host, and where each answer leads.
//!
//! It refuses any answer but a plain yes to count as yes. Drivers read the questions; `Ask` brings the answers back.

use super::exchange::{Exchange, Step};
use super::settle::Then;
use crate::ask::{Question, Signal};
use crate::check::{Identifier, LogicalTime, Token};
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::grant::{Admission, Grant};
use crate::operation::Operation;
use crate::request::Request;
use crate::response::{Outcome, Response, Unsigned};
use crate::schema::{Direction, Verdict};
use crate::store::{Claim, Place, Record, Reservation};
use agent_surface_json::exact::Exact;
use alloc::boxed::Box;
use alloc::string::String;

/// Whose signature is verified.
#[derive(Debug)]
pub(super) enum Verified {
    Request,
    Stored(Option<Record>, Response, Loaded),
}

/// Which payload is compared.
#[derive(Debug)]
pub(super) enum Checked {
    Request,
    Stored(Option<Record>, Response, Loaded),
    Outcome(Outcome, Reservation),
}

/// Why the store is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loaded {
    Before,
    NotReserved,
    NotCommitted,
}

/// What waits for admission to hold still.
#[derive(Debug)]
pub(super) enum Revalidated {
    Settle(Response, Reservation),
    Deliver(Response),
}

/// Is this the signer's signature over the digest's text?
#[derive(Debug)]
pub struct Verify {
    /// Whose key.
    pub signer_id: Identifier,
    /// What is signed.
    pub digest: Digest,
    /// The signature.
    pub signature: Token,
    pub(super) then: Verified,
}

impl Question for Verify {
    type Machine = Exchange;
    type Answer = bool;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, is_valid: bool) -> Result<Step, Error> {
        match self.then {
            Verified::Request if is_valid => Ok(exchange.check_payload()),
            Verified::Request => Err(Rule::RequestSignature.into()),
            Verified::Stored(record, response, then) if is_valid => {
                exchange.check_stored_payload(record, response, then)
            }
            Verified::Stored(..) => Err(Rule::CachedSignature.into()),
        }
    }
}

/// Does the schema of this digest exist, and accept the payload?
#[derive(Debug)]
pub struct Validate {
    /// Which way it goes.
    pub direction: Direction,
    /// Which schema.
    pub schema: Digest,
    /// Of which operation.
    pub operation: Operation,
    /// What to compare.
    pub payload: Exact,
    pub(super) then: Checked,
}

impl Question for Validate {
    type Machine = Exchange;
    type Answer = Verdict;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, verdict: Verdict) -> Result<Step, Error> {
        match (self.then, verdict) {
            (Checked::Request, Verdict::Accept) => exchange.admit(),
            (Checked::Request, Verdict::Refuse(detail)) => {
                Err(Error::from(Rule::RequestSchema).because(detail))
            }
            (Checked::Stored(record, response, then), Verdict::Accept) => {
                exchange.loaded(record, Some(response), then)
            }
            (Checked::Stored(..), Verdict::Refuse(_)) => Err(Rule::CachedSchema.into()),
            (Checked::Outcome(outcome, reservation), verdict) => {
                exchange.checked(&outcome, verdict, reservation)
            }
        }
    }
}

/// May this request be handled?
#[derive(Debug)]
pub struct Admit {
    /// The request, its signature verified.
    pub request: Request,
}

impl Question for Admit {
    type Machine = Exchange;
    type Answer = Admission;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, admission: Admission) -> Result<Step, Error> {
        exchange.admitted(admission)
    }
}

/// What does the idempotency store have under this key?
#[derive(Debug)]
pub struct Load {
    /// The key.
    pub key: String,
    pub(super) then: Loaded,
}

impl Question for Load {
    type Machine = Exchange;
    type Answer = Option<Record>;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, record: Option<Record>) -> Result<Step, Error> {
        exchange.check_record(record, self.then)
    }
}

/// Where does this claim stand in its sequence?
#[derive(Debug)]
pub struct Advance {
    /// The claim.
    pub claim: Claim,
}

impl Question for Advance {
    type Machine = Exchange;
    type Answer = Place;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, place: Place) -> Result<Step, Error> {
        exchange.placed(place)
    }
}

/// May the run begin?
#[derive(Debug)]
pub struct Reserve {
    /// Under which key.
    pub key: String,
    /// The reservation.
    pub wanted: Reservation,
    /// The endpoint's logical time.
    pub now: LogicalTime,
}

impl Question for Reserve {
    type Machine = Exchange;
    type Answer = bool;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, is_reserved: bool) -> Result<Step, Error> {
        Ok(if is_reserved {
            exchange.run(self.wanted)
        } else {
            exchange.load(Loaded::NotReserved)
        })
    }
}

/// What does the handler of the request's operation say? If the host finds that what it said is no outcome at all, it
/// abandons; if the handler threw, it fails.
#[derive(Debug)]
pub struct Run {
    /// What to do.
    pub request: Request,
    /// The admission's grant, if it gave one.
    pub grant: Option<Grant>,
    /// Whether the caller has given up.
    pub signal: Signal,
    pub(super) reservation: Reservation,
}

impl Question for Run {
    type Machine = Exchange;
    type Answer = Outcome;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, outcome: Outcome) -> Result<Step, Error> {
        exchange.ran(outcome, self.reservation)
    }

    fn failed(self, exchange: Box<Exchange>, error: Error) -> Result<Step, Error> {
        exchange.threw(error, self.reservation)
    }
}

/// Does the admission of this request still hold?
#[derive(Debug)]
pub struct Revalidate {
    /// The request.
    pub request: Request,
    /// Its grant, if it has one.
    pub grant: Option<Grant>,
    pub(super) then: Revalidated,
}

impl Question for Revalidate {
    type Machine = Exchange;
    type Answer = bool;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, is_current: bool) -> Result<Step, Error> {
        exchange.revalidated(is_current, self.then)
    }
}

/// What is the endpoint's signature over the digest's text?
#[derive(Debug)]
pub struct Sign {
    pub(super) unsigned: Unsigned,
    pub(super) then: Then,
}

impl Sign {
    /// What is signed.
    pub fn digest(&self) -> Digest {
        self.unsigned.digest()
    }
}

impl Question for Sign {
    type Machine = Exchange;
    type Answer = String;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, signature: String) -> Result<Step, Error> {
        exchange.signed(self.unsigned, &signature, self.then)
    }
}

/// Is this response the one under the key?
#[derive(Debug)]
pub struct CommitResponse {
    /// Under which key.
    pub key: String,
    /// The run that it comes from.
    pub reservation: Reservation,
    /// The response.
    pub response: Response,
    /// What was wrong with the handler's outcome, if the response says that it was: for the endpoint's own side, never for
    /// the caller.
    pub fault: Option<Error>,
}

impl Question for CommitResponse {
    type Machine = Exchange;
    type Answer = bool;
    type Step = Step;

    fn resume(self, exchange: Box<Exchange>, is_committed: bool) -> Result<Step, Error> {
        Ok(if is_committed {
            exchange.deliver(self.response)
        } else {
            exchange.load(Loaded::NotCommitted)
        })
    }
}
