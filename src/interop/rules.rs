//! What a store decides: whether a run may begin, what a commit does, where a claim stands, which number is next.
//!
//! It refuses to store anything: a store of the page calls this inside its own transaction, so that stores hold no rule.
//! Called by the facade's `interop-rules.js`.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;

use agent_surface_interop::store::{Allocation, Claim, Commit, Place, Record, Reservation};
use agent_surface_interop::{Digest, Error, Exact, Identifier, LogicalTime, MAX_SAFE, Operation, Value};
use wasm_bindgen::prelude::*;

use super::{values, write};

/// A safe integer that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "a safe integer survives the way there and back, and nothing else does"
)]
pub(super) fn whole(number: f64) -> Option<u64> {
    let whole = number as u64;
    (whole as f64 == number && whole <= MAX_SAFE).then_some(whole)
}

/// A safe integer as JavaScript has it.
#[expect(clippy::cast_precision_loss, reason = "it is a safe integer")]
pub(super) fn double(number: u64) -> f64 {
    number as f64
}

/// The whole number of a member; what is none is past every range.
pub(super) fn number(value: Value<'_>, name: &str) -> u64 {
    number_or(value, name, u64::MAX)
}

pub(super) fn number_or(value: Value<'_>, name: &str, otherwise: u64) -> u64 {
    let found = value.get(name).and_then(Value::as_f64);
    found.and_then(whole).unwrap_or(otherwise)
}

pub(super) fn text<'a>(value: Value<'a>, name: &str) -> Cow<'a, str> {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn thrown<T>(result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| write::error(&error))
}

/// What a store holds is not what was put there: taken for nothing, it would let an effect happen again.
fn broken(error: &Error) -> Error {
    let text = ["what the store holds is broken: ", &error.message()].concat();
    Error::Internal(Box::new(Error::Host(text)))
}

fn digest(value: Value<'_>, name: &'static str) -> Result<Digest, Error> {
    Digest::parse(&text(value, name)).ok_or(Error::Invalid(name))
}

/// Who runs, from members of `value`.
fn run(value: Value<'_>, reserved_until: u64) -> Result<Reservation, Error> {
    Ok(Reservation {
        request_digest: digest(value, "requestDigest")?,
        reservation_id: Identifier::parse(&text(value, "reservationId"), "reservationId")?,
        reserved_until: LogicalTime::new(reserved_until)
            .map_err(|_time| Error::OutOfRange("reservedUntilLogicalMs"))?,
    })
}

/// What a store holds under a key.
fn record(text: Option<String>) -> Result<Option<Record>, Error> {
    let read = |text| {
        let wire = Exact::parse(text, values::MAX_BYTES)?;
        let value = wire.value().get("run").ok_or(Error::Invalid("record"))?;
        let reservation = run(value, number(value, "reservedUntilLogicalMs"))?;
        let response = wire
            .member("response")
            .filter(|response| response.text() != "null");
        if let Some(response) = &response {
            digest(response.value(), "responseDigest")?;
        }
        Ok(Record {
            reservation,
            response,
        })
    };
    text.map(read).transpose().map_err(|error| broken(&error))
}

/// Whether the run may begin that `wanted` is the text of.
///
/// # Errors
/// The key is another request's, or a text is not as it must be.
#[wasm_bindgen(js_name = mayReserve)]
pub fn may_reserve(stored: Option<String>, wanted: String) -> Result<bool, String> {
    let wanted = values::parse(wanted)?;
    thrown(record(stored).and_then(|stored| {
        let value = wanted.value();
        let run = run(value, number(value, "reservedUntilLogicalMs"))?;
        let now = LogicalTime::new(number(value, "logicalTimeMs"))?;
        Ok(Record::reserve(stored.as_ref(), &run, now)?.is_some())
    }))
}

/// What a commit does: 0 refuse, 1 write, 2 keep. Responses are their digests alone.
///
/// # Errors
/// A text is not as it must be.
#[wasm_bindgen(js_name = whatToCommit)]
pub fn what_to_commit(stored: Option<String>, commit: String) -> Result<u32, String> {
    let commit = values::parse(commit)?;
    thrown(record(stored).and_then(|stored| {
        digest(commit.value(), "responseDigest")?;
        let run = run(commit.value(), 0)?;
        Ok(match Record::commit(stored.as_ref(), &run, &commit) {
            Commit::Refuse => 0,
            Commit::Write(_) => 1,
            Commit::Keep => 2,
        })
    }))
}

/// Where a claim stands below the highest so far: 0 advanced, 1 duplicate, 2 stale, 3 conflict.
///
/// # Errors
/// A part is not as it must be, of what is stored as well.
#[wasm_bindgen(js_name = placeOf)]
pub fn place_of(head: Option<String>, claim: String) -> Result<u32, String> {
    let head = head.map(values::parse).transpose()?;
    let claim = values::parse(claim)?;
    let read = |head: &Exact| Ok((sequence(head.value())?, digest(head.value(), "requestDigest")?));
    let head = head
        .as_ref()
        .map(read)
        .transpose()
        .map_err(|error| broken(&error));
    thrown(head.and_then(|head| {
        Ok(match Place::of(head, &claim_of(claim.value())?) {
            Place::Advanced => 0,
            Place::Duplicate => 1,
            Place::Stale => 2,
            Place::Conflict => 3,
        })
    }))
}

fn sequence(value: Value<'_>) -> Result<u64, Error> {
    let sequence = number(value, "sequence");
    if (1..=MAX_SAFE).contains(&sequence) {
        return Ok(sequence);
    }
    Err(Error::OutOfRange("sequence"))
}

fn claim_of(value: Value<'_>) -> Result<Claim, Error> {
    Ok(Claim {
        issuer_id: Identifier::parse(&text(value, "issuerId"), "issuerId")?,
        session_id: Identifier::parse(&text(value, "sessionId"), "sessionId")?,
        operation: Operation::parse(&text(value, "operation")).ok_or(Error::Invalid("operation"))?,
        sequence: sequence(value)?,
        request_digest: digest(value, "requestDigest")?,
    })
}

/// The number of an allocation. `known` has, where they are, the one that its key has already and the highest so far.
///
/// # Errors
/// There are no more, or a part is not as it must be, of what is stored as well.
#[wasm_bindgen(js_name = numberFor)]
pub fn number_for(allocation: String, known: String) -> Result<f64, String> {
    let (wanted, known) = (values::parse(allocation)?, values::parse(known)?);
    let value = wanted.value();
    let key = value.get("idempotencyKey").map(|_| text(value, "idempotencyKey"));
    let made = Allocation::new(
        &text(value, "issuerId"),
        &text(value, "sessionId"),
        number(value, "maximumSequence"),
        key.as_deref(),
    );
    let stored = |name| match known.value().get(name) {
        None => Ok(None),
        Some(found) => match found.as_f64().and_then(whole) {
            Some(number) if number > 0 => Ok(Some(number)),
            _ => Err(broken(&Error::OutOfRange(name))),
        },
    };
    thrown(made.and_then(|allocation| {
        let (allocated, head) = (stored("allocated")?, stored("head")?);
        allocation.number(allocated, head.unwrap_or(0))
    }))
    .map(double)
}
