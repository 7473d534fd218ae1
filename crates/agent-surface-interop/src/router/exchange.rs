//! One exchange, from the request to its response: the steps of section 7 up to the handler, in their order.
//!
//! It refuses to skip one: each step is reached from the answer to the one before. The router begins it; `questions` hands
//! it the answers.

use super::Shared;
use super::questions::{
    Admit, Advance, Checked, CommitResponse, Load, Loaded, Reserve, Revalidate, Run, Sign, Validate,
    Verified, Verify,
};
use super::settle::Then;
use crate::ask::{Ask, Ended, Signal};
use crate::check::LogicalTime;
use crate::error::{Error, Rule};
use crate::grant::{Admission, Grant};
use crate::request::Request;
use crate::response::{Response, Status};
use crate::schema::Direction;
use crate::store::{Claim, Place, Record, Reservation, key_of};
use agent_surface_json::exact::Exact;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

/// What the router needs to go on, or the end.
#[derive(Debug)]
pub enum Step {
    /// A signature is to be verified.
    Verify(Ask<Verify>),
    /// A payload is to be compared with its schema.
    Validate(Ask<Validate>),
    /// Admission is to decide.
    Admit(Ask<Admit>),
    /// The idempotency store is to be read.
    Load(Ask<Load>),
    /// The sequence store is to admit.
    Advance(Ask<Advance>),
    /// The idempotency store is to reserve the run.
    Reserve(Ask<Reserve>),
    /// The handler is to run.
    Run(Ask<Run>),
    /// Admission is to decide whether it still holds.
    Revalidate(Ask<Revalidate>),
    /// A response is to be signed.
    Sign(Ask<Sign>),
    /// The idempotency store is to commit the response.
    Commit(Ask<CommitResponse>),
    /// The response, or why there is none.
    Done(Result<Response, Error>),
}

impl Ended for Step {
    fn ended(error: Error) -> Self {
        Step::Done(Err(error))
    }
}

/// An exchange under way.
#[derive(Debug)]
pub struct Exchange {
    pub(super) router: Arc<Shared>,
    pub(super) request: Request,
    pub(super) now: LogicalTime,
    pub(super) signal: Signal,
    pub(super) grant: Option<Grant>,
    pub(super) key: String,
    /// What was wrong with the handler's outcome.
    pub(super) fault: Option<Error>,
}

type Next = Result<Step, Error>;

pub(super) fn begin(router: Arc<Shared>, wire: Exact, now: LogicalTime, signal: Signal) -> Step {
    let begun = Request::read(wire, &router.manifest).and_then(|request| {
        let key = key_of(&request, router.manifest.endpoint_id());
        let exchange = Exchange {
            router,
            request,
            now,
            signal,
            grant: None,
            key,
            fault: None,
        };
        Box::new(exchange).check_signature()
    });
    begun.unwrap_or_else(Step::ended)
}

impl Exchange {
    fn check_signature(self: Box<Self>) -> Next {
        let is_required = self.router.manifest.requires_request_signature();
        match self.request.signature() {
            Some(_) if !is_required => Err(Rule::RequestNotNegotiated.into()),
            None if is_required => Err(Rule::RequestSignature.into()),
            None => Ok(self.check_payload()),
            Some(signature) => {
                let question = Verify {
                    signer_id: self.request.issuer_id().clone(),
                    digest: self.request.digest(),
                    signature: signature.clone(),
                    then: Verified::Request,
                };
                Ok(Step::Verify(Ask::new(question, self)))
            }
        }
    }

    pub(super) fn check_payload(self: Box<Self>) -> Step {
        let question = Validate {
            direction: Direction::Request,
            schema: self.router.manifest.input_schema(),
            operation: self.request.operation(),
            payload: self.request.payload().clone(),
            then: Checked::Request,
        };
        Step::Validate(Ask::new(question, self))
    }

    pub(super) fn admit(self: Box<Self>) -> Next {
        if self.now < self.request.logical_time() {
            return self.respond_with(Status::Deferred, "interop_request_not_yet_valid", Then::Return);
        }
        let request = self.request.clone();
        Ok(Step::Admit(Ask::new(Admit { request }, self)))
    }

    pub(super) fn admitted(mut self: Box<Self>, admission: Admission) -> Next {
        match admission {
            Admission::Refuse => {
                return self.respond_with(Status::Refused, "interop_request_not_admitted", Then::Return);
            }
            Admission::Admit => {}
            Admission::Grant(wire) => {
                self.grant = Some(Grant::read(wire, &self.request).map_err(Error::internal)?);
            }
        }
        Ok(self.load(Loaded::Before))
    }

    pub(super) fn load(self: Box<Self>, then: Loaded) -> Step {
        let key = self.key.clone();
        Step::Load(Ask::new(Load { key, then }, self))
    }

    /// A record was found: its response is checked as if it came from the wire, against the present request.
    pub(super) fn check_record(self: Box<Self>, record: Option<Record>, then: Loaded) -> Next {
        let Some(stored) = record.as_ref().and_then(|record| record.response.clone()) else {
            return self.loaded(record, None, then);
        };
        let manifest = &self.router.manifest;
        let is_reused = crate::check::Members(stored.value()).digest_if_any("requestDigest")
            != Some(self.request.digest());
        let response = Response::read(stored, &self.request, manifest)
            .and_then(|response| response.check_size(manifest).map(|()| response))
            .map_err(|error| match error {
                Error::Rule(Rule::ResponseBinding) if is_reused => Rule::CommittedKeyReused.into(),
                error => error.internal(),
            })?;
        if !manifest.signs_responses() {
            return self.check_stored_payload(record, response, then);
        }
        let signature = response.signature().ok_or(Rule::CachedSignature)?.clone();
        let question = Verify {
            signer_id: manifest.endpoint_id().clone(),
            digest: response.digest(),
            signature,
            then: Verified::Stored(record, response, then),
        };
        Ok(Step::Verify(Ask::new(question, self)))
    }

    pub(super) fn check_stored_payload(
        self: Box<Self>,
        record: Option<Record>,
        response: Response,
        then: Loaded,
    ) -> Next {
        if response.status() != Status::Completed {
            return self.loaded(record, Some(response), then);
        }
        let question = Validate {
            direction: Direction::Response,
            schema: self.router.manifest.output_schema(),
            operation: self.request.operation(),
            payload: response.payload().clone(),
            then: Checked::Stored(record, response, then),
        };
        Ok(Step::Validate(Ask::new(question, self)))
    }

    pub(super) fn loaded(
        self: Box<Self>,
        record: Option<Record>,
        response: Option<Response>,
        then: Loaded,
    ) -> Next {
        let is_same = |record: &Record| record.reservation.request_digest == self.request.digest();
        let is_usable = record.as_ref().is_some_and(is_same);
        let missing = match then {
            Loaded::Before => record.as_ref().map(|_| Rule::PendingKeyReused),
            Loaded::NotReserved => Some(Rule::ReservationConflict),
            Loaded::NotCommitted => Some(Rule::CommitConflict),
        };
        if let Some(rule) = missing.filter(|_| !is_usable) {
            return Err(rule.into());
        }
        if let Some(response) = response {
            return Ok(self.deliver(response));
        }
        match (then, record) {
            (Loaded::Before, Some(record)) if record.reservation.reserved_until < self.now => {
                self.check_time()
            }
            (Loaded::Before, None) => self.check_time(),
            (Loaded::NotCommitted, _) => Err(Rule::CommitConflict.into()),
            _ => self.respond_with(Status::Deferred, "interop_request_in_progress", Then::Deliver),
        }
    }

    fn check_time(self: Box<Self>) -> Next {
        if self.now >= self.request.deadline() {
            return self.respond_with(
                Status::Deferred,
                "interop_request_deadline_elapsed",
                Then::Deliver,
            );
        }
        if self.signal.is_aborted() {
            return self.respond_with(Status::Deferred, "interop_request_aborted", Then::Deliver);
        }
        let claim = Claim {
            issuer_id: self.request.issuer_id().clone(),
            session_id: self.request.session_id().clone(),
            operation: self.request.operation(),
            sequence: self.request.sequence(),
            request_digest: self.request.digest(),
        };
        Ok(Step::Advance(Ask::new(Advance { claim }, self)))
    }

    pub(super) fn placed(self: Box<Self>, place: Place) -> Next {
        match place {
            Place::Stale => {
                self.respond_with(Status::Refused, "interop_request_sequence_stale", Then::Deliver)
            }
            Place::Conflict => Err(Rule::Equivocation.into()),
            Place::Advanced | Place::Duplicate => self.reserve(),
        }
    }

    fn reserve(self: Box<Self>) -> Next {
        let wanted = Reservation {
            request_digest: self.request.digest(),
            reservation_id: self.router.next_reservation_id()?,
            reserved_until: self.router.lease_from(self.now),
        };
        let question = Reserve {
            key: self.key.clone(),
            wanted,
            now: self.now,
        };
        Ok(Step::Reserve(Ask::new(question, self)))
    }

    pub(super) fn run(self: Box<Self>, reservation: Reservation) -> Step {
        let question = Run {
            request: self.request.clone(),
            grant: self.grant.clone(),
            signal: self.signal.clone(),
            reservation,
        };
        Step::Run(Ask::new(question, self))
    }
}
