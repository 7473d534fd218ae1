//! What a store decides: whether a run may begin, what a commit does, where a claim stands, which number is next.
//!
//! It refuses to store anything: a store of the page calls this inside its own transaction, so that stores hold no rule.
//! Called by the facade's `interop-rules.js`.

use alloc::borrow::Cow;
use alloc::string::String;

use agent_surface_interop::store::{Allocation, Claim, Commit, Place, Record};
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
    let found = value.get(name).and_then(Value::as_f64);
    found.and_then(whole).unwrap_or(u64::MAX)
}

pub(super) fn text<'a>(value: Value<'a>, name: &str) -> Cow<'a, str> {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn thrown<T>(result: Result<T, Error>) -> Result<T, String> {
    result.map_err(|error| write::error(&error))
}

/// The run that a caller wants: what is wrong with it is the caller's.
fn run(text: &str) -> Result<Record, String> {
    thrown(Record::read(text).map_err(|error| match error {
        Error::Internal(inner) => *inner,
        error => error,
    }))
}

fn record(text: Option<&str>) -> Result<Option<Record>, String> {
    thrown(text.map(Record::read).transpose())
}

/// Whether the run may begin that `wanted` is the text of.
///
/// # Errors
/// The key is another request's, or a text is not as it must be.
#[wasm_bindgen(js_name = mayReserve)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses as one of its own"
)]
pub fn may_reserve(stored: Option<String>, wanted: String) -> Result<bool, String> {
    let stored = record(stored.as_deref())?;
    let run = run(&wanted)?;
    let now = number(values::parse(wanted)?.value(), "logicalTimeMs");
    thrown(LogicalTime::new(now).and_then(|now| Record::reserve(stored.as_ref(), &run.reservation, now)))
        .map(|record| record.is_some())
}

/// What a commit does: 0 refuse, 1 write, 2 keep. Responses are objects with their digest alone.
///
/// # Errors
/// A text is not as it must be.
#[wasm_bindgen(js_name = whatToCommit)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "an optional text crosses as one of its own"
)]
pub fn what_to_commit(stored: Option<String>, commit: &str) -> Result<u32, String> {
    let stored = record(stored.as_deref())?;
    let run = thrown(Record::read(commit))?;
    let response = run.response.unwrap_or(values::parse(String::from("null"))?);
    Ok(
        match Record::commit(stored.as_ref(), &run.reservation, &response) {
            Commit::Refuse => 0,
            Commit::Write(_) => 1,
            Commit::Keep => 2,
        },
    )
}

/// Where a claim stands below the highest so far: 0 advanced, 1 duplicate, 2 stale, 3 conflict.
///
/// # Errors
/// A part is not as it must be.
#[wasm_bindgen(js_name = placeOf)]
pub fn place_of(sequence: f64, digest: Option<String>, claim: String) -> Result<u32, String> {
    let head = digest.and_then(|digest| Some((whole(sequence)?, Digest::parse(&digest)?)));
    let claim = thrown(claim_of(&values::parse(claim)?))?;
    Ok(match Place::of(head, &claim) {
        Place::Advanced => 0,
        Place::Duplicate => 1,
        Place::Stale => 2,
        Place::Conflict => 3,
    })
}

fn claim_of(claim: &Exact) -> Result<Claim, Error> {
    let value = claim.value();
    let sequence = number(value, "sequence");
    if !(1..=MAX_SAFE).contains(&sequence) {
        return Err(Error::OutOfRange("sequence"));
    }
    Ok(Claim {
        issuer_id: Identifier::parse(&text(value, "issuerId"), "issuerId")?,
        session_id: Identifier::parse(&text(value, "sessionId"), "sessionId")?,
        operation: Operation::parse(&text(value, "operation")).ok_or(Error::Invalid("operation"))?,
        sequence,
        request_digest: Digest::parse(&text(value, "requestDigest"))
            .ok_or(Error::Invalid("requestDigest"))?,
    })
}

/// The number of an allocation, given the one that its key has already and the highest so far.
///
/// # Errors
/// There are no more, or a part is not as it must be.
#[wasm_bindgen(js_name = numberFor)]
pub fn number_for(allocation: String, allocated: Option<f64>, head: f64) -> Result<f64, String> {
    let wanted = values::parse(allocation)?;
    let value = wanted.value();
    let key = value.get("idempotencyKey").map(|_| text(value, "idempotencyKey"));
    let made = Allocation::new(
        &text(value, "issuerId"),
        &text(value, "sessionId"),
        number(value, "maximumSequence"),
        key.as_deref(),
    );
    let head = whole(head).unwrap_or(MAX_SAFE);
    thrown(made.and_then(|allocation| allocation.number(allocated.and_then(whole), head))).map(double)
}
