//! The reference: what was committed, who ran when, who claimed which place.
//!
//! It refuses to be told twice: whatever contradicts what it has fails the test. `world` calls it.

use agent_surface_interop::store::{Claim, Place, Record, Reservation};
use agent_surface_interop::{Digest, LogicalTime, Request};
use std::collections::BTreeMap;

/// What is known about a key of the store.
#[derive(Default)]
struct Entry {
    /// The text of the one committed response, and whose.
    committed: Option<(Digest, String)>,
    /// Every run that was let begin.
    runs: Vec<Reservation>,
    /// Issuer, session and idempotency key.
    owner: Option<[String; 3]>,
}

/// Issuer, session and operation.
type Scope = (String, String, &'static str);

#[derive(Default)]
pub struct Books {
    entries: BTreeMap<String, Entry>,
    places: BTreeMap<Scope, Vec<(u64, Digest)>>,
    pub runs: u64,
}

impl Books {
    /// A request has this key: nobody else's has.
    pub fn owned(&mut self, key: &str, request: &Request) {
        let owner = [
            request.issuer_id(),
            request.session_id(),
            request.idempotency_key(),
        ];
        let owner = owner.map(|part| part.as_str().to_owned());
        let entry = self.entries.entry(key.to_owned()).or_default();
        assert_eq!(
            *entry.owner.get_or_insert_with(|| owner.clone()),
            owner,
            "a shared key"
        );
    }

    /// A run was reserved: no other may still be under way by the time that its caller knows, and none committed.
    pub fn reserved(&mut self, key: &str, wanted: &Reservation, now: LogicalTime) {
        let entry = self.entries.entry(key.to_owned()).or_default();
        assert!(entry.committed.is_none(), "a run after the commit");
        let is_same = |run: &Reservation| run.request_digest == wanted.request_digest;
        assert!(entry.runs.iter().all(is_same), "a key for two requests");
        assert!(
            entry.runs.iter().all(|run| run.reserved_until < now),
            "two runs at once"
        );
        entry.runs.push(wanted.clone());
    }

    /// A commit was answered with yes.
    pub fn committed(&mut self, key: &str, run: &Reservation, response: &str) {
        let entry = self.entries.get_mut(key).unwrap();
        assert_eq!(
            entry.runs.last(),
            Some(run),
            "a commit of a run that lost its lease"
        );
        let request = run.request_digest;
        let (by, text) = entry
            .committed
            .get_or_insert_with(|| (request, response.to_owned()));
        assert_eq!((*by, text.as_str()), (request, response), "a second commit");
    }

    /// A place was answered: places go up, and each belongs to one request.
    pub fn placed(&mut self, claim: &Claim, place: Place) {
        let (issuer, session) = (claim.issuer_id.as_str(), claim.session_id.as_str());
        let scope = (issuer.to_owned(), session.to_owned(), claim.operation.name());
        let heads = self.places.entry(scope).or_default();
        let own = (claim.sequence, claim.request_digest);
        match place {
            Place::Advanced => {
                assert!(
                    heads.last().is_none_or(|head| head.0 < own.0),
                    "a place went down"
                );
                heads.push(own);
            }
            Place::Duplicate => assert_eq!(heads.last(), Some(&own)),
            Place::Stale => assert!(heads.last().unwrap().0 > own.0),
            Place::Conflict => assert!(heads.last().unwrap().0 == own.0 && heads.last() != Some(&own)),
        }
    }

    /// The committed response under a key, if it is this request's.
    pub fn committed_for(&self, key: &str, request: &Request) -> Option<&str> {
        let (by, text) = self.entries.get(key)?.committed.as_ref()?;
        (*by == request.digest()).then_some(text)
    }

    /// Nothing that was committed is gone from the store, or changed.
    pub fn compare(&self, load: impl Fn(&str) -> Option<Record>) {
        for (key, entry) in &self.entries {
            let record = load(key);
            let is_kept = |record: &Record| entry.runs.last() == Some(&record.reservation);
            assert!(
                record.as_ref().is_none_or(is_kept) && record.is_some() != entry.runs.is_empty(),
                "lost"
            );
            let response = record.and_then(|record| record.response);
            let stored = response.map(|wire| wire.text().to_owned());
            let committed = entry.committed.as_ref().map(|(_, text)| text.clone());
            assert_eq!(stored, committed, "lost or changed");
        }
    }
}
