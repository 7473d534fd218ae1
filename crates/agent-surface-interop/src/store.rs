//! The stores that make an exchange happen once: their contracts, and what they hold.
//!
//! It refuses to evict: a forgotten key would let an effect happen twice. `memory` is one implementation; hosts have
//! durable ones. The router and the adapters ask them through their drivers.

use crate::check::{Identifier, LogicalTime, MAX_SAFE, Members, decimal, quoted};
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::operation::Operation;
use crate::request::Request;
use agent_surface_json::Kind;
use agent_surface_json::exact::{self, Exact};
use alloc::string::String;

/// Under which key a router keeps what became of a request: a digest of endpoint, issuer, session and idempotency key, so
/// that any store can hold it.
pub fn idempotency_key(endpoint_id: &str, issuer_id: &str, session_id: &str, key: &str) -> String {
    let parts = [endpoint_id, issuer_id, session_id, key];
    Digest::of_parts("agent-surface-interop/idempotency-key/1", &parts).text()
}

/// The key of a request.
pub(crate) fn key_of(request: &Request, endpoint_id: &Identifier) -> String {
    idempotency_key(
        endpoint_id.as_str(),
        request.issuer_id().as_str(),
        request.session_id().as_str(),
        request.idempotency_key().as_str(),
    )
}

/// Who may run an operation, and until when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reservation {
    /// The request it is for.
    pub request_digest: Digest,
    /// Names the run.
    pub reservation_id: Identifier,
    /// The last logical time at which nobody else may.
    pub reserved_until: LogicalTime,
}

/// What a store holds under a key: a reservation, and the response once there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The latest reservation.
    pub reservation: Reservation,
    /// The committed response, as it is on the wire.
    pub response: Option<Exact>,
}

impl Record {
    /// Reads the text of one. A store that keeps text need not look into it.
    pub fn read(text: &str) -> Result<Self, Error> {
        let wire = Exact::parse(text, usize::MAX).map_err(|error| Error::from(error).internal())?;
        Record::of(&wire).map_err(Error::internal)
    }

    fn of(wire: &Exact) -> Result<Self, Error> {
        let members = Members(wire.value());
        let reservation = Reservation {
            request_digest: members.digest("requestDigest")?,
            reservation_id: members.identifier("reservationId")?,
            reserved_until: LogicalTime::new(members.integer("reservedUntilLogicalMs", 0, MAX_SAFE)?)?,
        };
        let is_some = |response: &Exact| response.value().kind() != Kind::Null;
        Ok(Record {
            reservation,
            response: wire.member("response").filter(is_some),
        })
    }

    /// Its canonical text.
    pub fn text(&self) -> String {
        let Reservation {
            request_digest,
            reservation_id,
            reserved_until,
        } = &self.reservation;
        exact::object(
            None,
            &[],
            &[
                ("requestDigest", &quoted(&request_digest.text())),
                ("reservationId", &quoted(reservation_id.as_str())),
                ("reservedUntilLogicalMs", &decimal(reserved_until.as_u64())),
                ("response", self.response.as_ref().map_or("null", Exact::text)),
            ],
        )
    }

    /// What a store does to reserve: the new record if the run may begin, nothing if it may not.
    pub fn reserve(
        stored: Option<&Record>,
        wanted: &Reservation,
        now: LogicalTime,
    ) -> Result<Option<Record>, Error> {
        if let Some(record) = stored {
            if record.reservation.request_digest != wanted.request_digest {
                return Err(Rule::KeyReused.into());
            }
            if record.response.is_some() || record.reservation.reserved_until >= now {
                return Ok(None);
            }
        }
        Ok(Some(Record {
            reservation: wanted.clone(),
            response: None,
        }))
    }

    /// What a store does to commit.
    pub fn commit(stored: Option<&Record>, run: &Reservation, response: &Exact) -> Commit {
        let is_own = |record: &&Record| {
            record.reservation.request_digest == run.request_digest
                && record.reservation.reservation_id == run.reservation_id
        };
        let Some(record) = stored.filter(is_own) else {
            return Commit::Refuse;
        };
        let digest = |wire: &Exact| wire.member("responseDigest");
        match &record.response {
            Some(known) if digest(known) == digest(response) => Commit::Keep,
            Some(_) => Commit::Refuse,
            None => Commit::Write(Record {
                reservation: record.reservation.clone(),
                response: Some(response.clone()),
            }),
        }
    }
}

/// What to do about a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Commit {
    /// Write this and answer yes.
    Write(Record),
    /// It is written already: answer yes.
    Keep,
    /// Answer no.
    Refuse,
}

/// Keeps what became of requests. Each method is atomic, also between processes that share the store.
pub trait IdempotencyStore {
    /// What is under the key.
    fn load(&mut self, key: &str) -> Result<Option<Record>, Error>;
    /// `Record::reserve`, and whether the run may begin.
    fn reserve(&mut self, key: &str, wanted: &Reservation, now: LogicalTime) -> Result<bool, Error>;
    /// `Record::commit`, and whether the response is the one under the key.
    fn commit(&mut self, key: &str, run: &Reservation, response: &Exact) -> Result<bool, Error>;
}

/// A place in a session's sequence that a request claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Whose session.
    pub issuer_id: Identifier,
    /// Which session.
    pub session_id: Identifier,
    /// Each operation has its own sequence.
    pub operation: Operation,
    /// The place.
    pub sequence: u64,
    /// The request.
    pub request_digest: Digest,
}

/// How a claim relates to the highest one so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Higher: it is the highest now. Gaps are fine.
    Advanced,
    /// The same request at the same place.
    Duplicate,
    /// Lower.
    Stale,
    /// Another request at the same place.
    Conflict,
}

impl Place {
    /// What a store does: only `Advanced` is written.
    pub fn of(head: Option<(u64, Digest)>, claim: &Claim) -> Self {
        match head {
            None => Place::Advanced,
            Some((sequence, _)) if claim.sequence > sequence => Place::Advanced,
            Some((sequence, _)) if claim.sequence < sequence => Place::Stale,
            Some((_, digest)) if digest == claim.request_digest => Place::Duplicate,
            Some(_) => Place::Conflict,
        }
    }
}

/// Keeps the highest place of each sequence. Its method is atomic.
pub trait InboundSequenceStore {
    /// `Place::of`, and writes it.
    fn advance(&mut self, claim: &Claim) -> Result<Place, Error>;
}

/// A number that a client wants for a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Whose session.
    pub issuer_id: Identifier,
    /// Which session; all its operations count together.
    pub session_id: Identifier,
    /// The highest number there may be.
    pub maximum: u64,
    /// The same key gets the same number again.
    pub idempotency_key: Option<Identifier>,
}

impl Allocation {
    /// Checks the parts.
    pub fn new(
        issuer_id: &str,
        session_id: &str,
        maximum: u64,
        idempotency_key: Option<&str>,
    ) -> Result<Self, Error> {
        let issuer_id = Identifier::parse(issuer_id, "issuerId")?;
        let session_id = Identifier::parse(session_id, "sessionId")?;
        if !(1..=MAX_SAFE).contains(&maximum) {
            return Err(Error::OutOfRange("maximumSequence"));
        }
        let key = idempotency_key.map(|key| Identifier::parse(key, "idempotencyKey"));
        Ok(Allocation {
            issuer_id,
            session_id,
            maximum,
            idempotency_key: key.transpose()?,
        })
    }

    /// What a store does: the number, given the one that the key has already and the highest so far.
    pub fn number(&self, allocated: Option<u64>, head: u64) -> Result<u64, Error> {
        let number = allocated.unwrap_or(head.saturating_add(1));
        if number > self.maximum {
            return Err(Rule::OutboundCapacity.into());
        }
        Ok(number)
    }
}

/// Numbers a client's requests. Each method is atomic.
pub trait OutboundSequenceStore {
    /// `Allocation::number`, and writes it.
    fn next(&mut self, allocation: &Allocation) -> Result<u64, Error>;
    /// The highest so far, or 0.
    fn current(&mut self, issuer_id: &Identifier, session_id: &Identifier) -> Result<u64, Error>;
}
