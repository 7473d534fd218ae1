//! The second half of an exchange: what the handler said becomes a response, which is committed and delivered once.
//!
//! It refuses to deliver what is not committed, but for what the router itself says about a request that did not run.
//! `exchange` and `questions` call it.

use super::exchange::{Exchange, Step};
use super::questions::{Checked, CommitResponse, Revalidate, Revalidated, Sign, Validate};
use crate::ask::Ask;
use crate::check::Token;
use crate::error::{Error, Rule};
use crate::response::{Outcome, Response, Status, Unsigned};
use crate::schema::{Direction, Verdict};
use crate::store::Reservation;
use agent_surface_json::exact::Exact;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;

const EXPIRED: &str = "interop_request_admission_expired";
const LIMIT_EXCEEDED: &str = "interop_response_limit_exceeded";

/// Where a response goes once it is sealed.
#[derive(Clone, Debug)]
pub(crate) enum Then {
    /// To the caller, whatever admission says now.
    Return,
    /// To the caller, if admission still holds.
    Deliver,
    /// To the store, if admission still holds; a response that is too large is replaced by one that says so.
    Settle(Reservation),
    /// The same, of the replacement.
    SettleLast(Reservation),
    /// To the store.
    Commit(Reservation),
}

type Next = Result<Step, Error>;

impl Exchange {
    /// Seals a response of the router's own.
    pub(super) fn respond_with(self: Box<Self>, status: Status, reason_code: &str, then: Then) -> Next {
        let outcome = Outcome {
            status: status.name().to_owned(),
            reason_code: reason_code.to_owned(),
            payload: Exact::parse("null", usize::MAX)?,
        };
        self.respond(&outcome, then)
    }

    fn respond(self: Box<Self>, outcome: &Outcome, then: Then) -> Next {
        let manifest = &self.router.manifest;
        let unsigned = match Unsigned::new(outcome, &self.request, manifest) {
            Ok(unsigned) => unsigned,
            Err(error) => return self.not_sealed(error, then),
        };
        if !manifest.signs_responses() {
            return self.seal(unsigned, None, then);
        }
        Ok(Step::Sign(Ask::new(Sign { unsigned, then }, self)))
    }

    /// `signature` is the signer's text.
    pub(super) fn signed(self: Box<Self>, unsigned: Unsigned, signature: &str, then: Then) -> Next {
        let token = Token::parse(signature, "responseSignature").map_err(Error::internal)?;
        self.seal(unsigned, Some(token), then)
    }

    fn seal(self: Box<Self>, unsigned: Unsigned, signature: Option<Token>, then: Then) -> Next {
        match unsigned.sign(signature) {
            Ok(response) => Ok(self.sealed(response, then)),
            Err(error) => self.not_sealed(error, then),
        }
    }

    fn not_sealed(mut self: Box<Self>, error: Error, then: Then) -> Next {
        match (error, then) {
            (error @ Error::Rule(Rule::ResponseTooLarge), Then::Settle(reservation)) => {
                self.fault = Some(error);
                self.respond_with(Status::Failed, LIMIT_EXCEEDED, Then::SettleLast(reservation))
            }
            (error, _) => Err(error.internal()),
        }
    }

    fn sealed(self: Box<Self>, response: Response, then: Then) -> Step {
        match then {
            Then::Return => Step::Done(Ok(response)),
            Then::Deliver => self.deliver(response),
            Then::Settle(reservation) | Then::SettleLast(reservation) if self.router.revalidates => {
                self.revalidate(Revalidated::Settle(response, reservation))
            }
            Then::Settle(reservation) | Then::SettleLast(reservation) | Then::Commit(reservation) => {
                self.commit(response, reservation)
            }
        }
    }

    /// The handler came back.
    pub(super) fn ran(self: Box<Self>, outcome: Outcome, reservation: Reservation) -> Next {
        if outcome.status != Status::Completed.name() {
            return self.respond(&outcome, Then::Settle(reservation));
        }
        let question = Validate {
            direction: Direction::Response,
            schema: self.router.manifest.output_schema(),
            operation: self.request.operation(),
            payload: outcome.payload.clone(),
            then: Checked::Outcome(outcome, reservation),
        };
        Ok(Step::Validate(Ask::new(question, self)))
    }

    pub(super) fn checked(
        mut self: Box<Self>,
        outcome: &Outcome,
        verdict: Verdict,
        reservation: Reservation,
    ) -> Next {
        let then = Then::Settle(reservation);
        match verdict {
            Verdict::Accept => self.respond(outcome, then),
            Verdict::Refuse(detail) => {
                self.fault = Some(Error::from(Rule::ResponseSchema).because(detail));
                self.respond_with(Status::Failed, "interop_response_schema_invalid", then)
            }
        }
    }

    /// The handler threw. When the caller has given up, the run stays reserved until its lease ends.
    pub(super) fn threw(self: Box<Self>, error: Error, reservation: Reservation) -> Next {
        if self.signal.is_aborted() {
            return Err(error);
        }
        self.respond_with(
            Status::Failed,
            "interop_handler_failed",
            Then::Settle(reservation),
        )
    }

    fn revalidate(self: Box<Self>, then: Revalidated) -> Step {
        let question = Revalidate {
            request: self.request.clone(),
            grant: self.grant.clone(),
            then,
        };
        Step::Revalidate(Ask::new(question, self))
    }

    pub(super) fn revalidated(self: Box<Self>, is_current: bool, then: Revalidated) -> Next {
        match then {
            Revalidated::Settle(response, reservation) if is_current => {
                Ok(self.commit(response, reservation))
            }
            Revalidated::Settle(_, reservation) => {
                self.respond_with(Status::Refused, EXPIRED, Then::Commit(reservation))
            }
            Revalidated::Deliver(response) if is_current => Ok(Step::Done(Ok(response))),
            Revalidated::Deliver(_) => self.respond_with(Status::Refused, EXPIRED, Then::Return),
        }
    }

    fn commit(mut self: Box<Self>, response: Response, reservation: Reservation) -> Step {
        let key = self.key.clone();
        let fault = self.fault.take();
        let question = CommitResponse {
            key,
            reservation,
            response,
            fault,
        };
        Step::Commit(Ask::new(question, self))
    }

    pub(super) fn deliver(self: Box<Self>, response: Response) -> Step {
        if !self.router.revalidates || response.reason_code().as_str() == EXPIRED {
            return Step::Done(Ok(response));
        }
        self.revalidate(Revalidated::Deliver(response))
    }
}
