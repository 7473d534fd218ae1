//! The contract of the stores, outcome by outcome, over the stores in memory.
//!
//! It refuses to go through a router, which hides what a store alone must refuse. The test runner calls it.
#![expect(
    clippy::unwrap_used,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

use agent_surface_interop::memory::{MemoryIdempotency, MemoryInbound, MemoryOutbound};
use agent_surface_interop::store::{
    Allocation, Claim, IdempotencyStore, InboundSequenceStore, OutboundSequenceStore, Place, Reservation,
};
use agent_surface_interop::{Digest, Error, Exact, Identifier, LogicalTime, Operation, Rule};

fn digest(digit: char) -> Digest {
    Digest::parse(&format!("sha256:{}", String::from(digit).repeat(64))).unwrap()
}

fn name(text: &str) -> Identifier {
    Identifier::parse(text, "name").unwrap()
}

fn at(milliseconds: u64) -> LogicalTime {
    LogicalTime::new(milliseconds).unwrap()
}

fn run(request: char, id: &str, until: u64) -> Reservation {
    Reservation {
        request_digest: digest(request),
        reservation_id: name(id),
        reserved_until: at(until),
    }
}

fn response(digit: char, more: &str) -> Exact {
    let text = format!("{{\"responseDigest\":\"{}\"{more}}}", digest(digit).text());
    Exact::parse(text, 999).unwrap()
}

#[test]
fn a_reservation_holds_to_its_last_millisecond_and_for_its_request() {
    let mut store = MemoryIdempotency::default();
    assert_eq!(store.load("k"), Ok(None));
    assert_eq!(store.reserve("k", &run('a', "r:1", 130), at(100)), Ok(true));
    assert_eq!(
        store.load("k").unwrap().unwrap().reservation,
        run('a', "r:1", 130)
    );
    let reused = Err(Error::from(Rule::KeyReused));
    assert_eq!(store.reserve("k", &run('b', "r:2", 160), at(130)), reused);
    assert_eq!(store.reserve("k", &run('b', "r:2", 161), at(131)), reused);
    assert_eq!(store.reserve("k", &run('a', "r:2", 160), at(130)), Ok(false));
    assert_eq!(store.reserve("k", &run('a', "r:2", 161), at(131)), Ok(true));
    assert_eq!(
        store.load("k").unwrap().unwrap().reservation,
        run('a', "r:2", 161)
    );
    assert_eq!(store.reserve("other", &run('b', "r:3", 161), at(131)), Ok(true));
}

#[test]
fn one_run_commits_one_response_and_nothing_runs_after_it() {
    let mut store = MemoryIdempotency::default();
    let first = response('c', "");
    assert_eq!(store.commit("k", &run('a', "r:1", 130), &first), Ok(false));
    assert_eq!(store.reserve("k", &run('a', "r:1", 130), at(100)), Ok(true));
    assert_eq!(store.commit("k", &run('b', "r:1", 130), &first), Ok(false));
    assert_eq!(store.commit("k", &run('a', "r:2", 130), &first), Ok(false));
    assert_eq!(store.load("k").unwrap().unwrap().response, None);
    assert_eq!(store.commit("k", &run('a', "r:1", 130), &first), Ok(true));
    // The same by its digest is the same; another one comes too late.
    assert_eq!(
        store.commit("k", &run('a', "r:1", 130), &response('c', ",\"x\":1")),
        Ok(true)
    );
    assert_eq!(
        store.commit("k", &run('a', "r:1", 130), &response('d', "")),
        Ok(false)
    );
    assert_eq!(store.load("k").unwrap().unwrap().response, Some(first));
    assert_eq!(store.reserve("k", &run('a', "r:2", 999), at(900)), Ok(false));
    let reused = Err(Error::from(Rule::KeyReused));
    assert_eq!(store.reserve("k", &run('b', "r:2", 999), at(900)), reused);
}

#[test]
fn a_place_belongs_to_one_request_of_one_operation() {
    let mut store = MemoryInbound::default();
    let claim = |session: &str, operation, sequence, request| Claim {
        issuer_id: name("i"),
        session_id: name(session),
        operation,
        sequence,
        request_digest: digest(request),
    };
    let step = Operation::AgentStep;
    for (claim, place) in [
        (claim("s", step, 3, 'a'), Place::Advanced),
        (claim("s", step, 3, 'a'), Place::Duplicate),
        (claim("s", step, 3, 'b'), Place::Conflict),
        (claim("s", step, 2, 'b'), Place::Stale),
        (claim("s", step, 2, 'a'), Place::Stale),
        (claim("s", step, 9, 'b'), Place::Advanced),
        (claim("s", step, 3, 'a'), Place::Stale),
        (claim("s", Operation::EnvironmentAct, 1, 'a'), Place::Advanced),
        (claim("t", step, 1, 'a'), Place::Advanced),
        (claim("s", step, 9, 'b'), Place::Duplicate),
    ] {
        assert_eq!(store.advance(&claim), Ok(place), "{claim:?}");
    }
}

#[test]
fn there_is_no_number_after_the_last_one() {
    let allocation = Allocation::new("i", "s", u64::MAX >> 11, None).unwrap();
    for head in [u64::MAX >> 11, u64::MAX] {
        assert!(allocation.number(None, head).is_err(), "{head}");
    }
}

#[test]
fn a_key_keeps_its_number_and_a_refused_one_takes_none() {
    let mut store = MemoryOutbound::default();
    let mut next = |session: &str, maximum, key: Option<&str>| {
        let number = store.next(&Allocation::new("i", session, maximum, key).unwrap());
        (number, store.current(&name("i"), &name(session)).unwrap())
    };
    let over = || Err(Error::from(Rule::OutboundCapacity));
    assert_eq!(next("s", 9, Some("k")), (Ok(1), 1));
    assert_eq!(next("s", 9, None), (Ok(2), 2));
    assert_eq!(next("s", 9, Some("k")), (Ok(1), 2));
    assert_eq!(next("s", 2, Some("l")), (over(), 2));
    assert_eq!(next("s", 3, Some("l")), (Ok(3), 3));
    assert_eq!(next("s", 2, Some("l")), (over(), 3));
    assert_eq!(next("t", 9, Some("k")), (Ok(1), 1));
    assert_eq!(store.current(&name("other"), &name("s")), Ok(0));
}
