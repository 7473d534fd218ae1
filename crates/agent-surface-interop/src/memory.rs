//! Stores in memory, bounded: for tests, demos and endpoints that say that their exchanges need not outlive them.
//!
//! It refuses what is past the bound, before anything ran, and never makes room by forgetting. Drivers and tests call it.

use crate::check::{Identifier, LogicalTime};
use crate::digest::Digest;
use crate::error::{Error, Rule};
use crate::operation::Operation;
use crate::store::{
    Allocation, Claim, Commit, IdempotencyStore, InboundSequenceStore, OutboundSequenceStore, Place, Record,
    Reservation,
};
use agent_surface_json::exact::Exact;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;

/// Entries of a store unless it says otherwise.
const DEFAULT_ENTRIES: usize = 100_000;
/// Bytes of a store of responses unless it says otherwise.
const DEFAULT_BYTES: usize = 268_435_456;

/// At most `max_entries`, in order of their keys.
#[derive(Clone, Debug)]
struct Bounded<K, V> {
    entries: BTreeMap<K, V>,
    max_entries: usize,
}

impl<K: Ord, V> Bounded<K, V> {
    fn new(max_entries: usize) -> Self {
        Bounded {
            entries: BTreeMap::new(),
            max_entries,
        }
    }

    fn make_sure_of_room(&self, key: &K) -> Result<(), Error> {
        if self.entries.len() >= self.max_entries && !self.entries.contains_key(key) {
            return Err(Rule::StoreFull.into());
        }
        Ok(())
    }

    fn put(&mut self, key: K, value: V) -> Result<(), Error> {
        self.make_sure_of_room(&key)?;
        self.entries.insert(key, value);
        Ok(())
    }
}

/// What became of requests.
#[derive(Clone, Debug)]
pub struct MemoryIdempotency {
    records: Bounded<String, Record>,
    bytes: usize,
    max_bytes: usize,
}

impl MemoryIdempotency {
    /// A store of at most so many records, and of so many bytes: those of the records, their keys and their responses'
    /// texts. Once they are used up no run begins. What runs already is kept all the same, as its effect has happened: the
    /// bytes may be exceeded by the responses of as many runs as there are at once.
    pub fn new(max_entries: usize, max_bytes: usize) -> Self {
        MemoryIdempotency {
            records: Bounded::new(max_entries),
            bytes: 0,
            max_bytes,
        }
    }

    fn put(&mut self, key: &str, record: Record) -> Result<(), Error> {
        let old = self.records.entries.get(key).map_or(0, |old| bytes(key, old));
        let new = bytes(key, &record);
        self.records.put(key.to_owned(), record)?;
        self.bytes = self.bytes.saturating_sub(old).saturating_add(new);
        Ok(())
    }
}

fn bytes(key: &str, record: &Record) -> usize {
    let response = record.response.as_ref().map_or(0, |wire| wire.text().len());
    size_of::<Record>() + key.len() + response
}

/// 100,000 records and 256 MiB.
impl Default for MemoryIdempotency {
    fn default() -> Self {
        MemoryIdempotency::new(DEFAULT_ENTRIES, DEFAULT_BYTES)
    }
}

impl IdempotencyStore for MemoryIdempotency {
    fn load(&mut self, key: &str) -> Result<Option<Record>, Error> {
        Ok(self.records.entries.get(key).cloned())
    }

    fn reserve(&mut self, key: &str, wanted: &Reservation, now: LogicalTime) -> Result<bool, Error> {
        let Some(record) = Record::reserve(self.records.entries.get(key), wanted, now)? else {
            return Ok(false);
        };
        if self.bytes >= self.max_bytes {
            return Err(Rule::StoreFull.into());
        }
        self.put(key, record)?;
        Ok(true)
    }

    fn commit(&mut self, key: &str, run: &Reservation, response: &Exact) -> Result<bool, Error> {
        match Record::commit(self.records.entries.get(key), run, response) {
            Commit::Write(record) => self.put(key, record)?,
            Commit::Keep => {}
            Commit::Refuse => return Ok(false),
        }
        Ok(true)
    }
}

/// The highest place of each sequence.
#[derive(Clone, Debug)]
pub struct MemoryInbound(Bounded<(Identifier, Identifier, Operation), (u64, Digest)>);

impl MemoryInbound {
    /// A store of at most so many sequences.
    pub fn new(max_entries: usize) -> Self {
        MemoryInbound(Bounded::new(max_entries))
    }
}

impl Default for MemoryInbound {
    fn default() -> Self {
        MemoryInbound::new(DEFAULT_ENTRIES)
    }
}

impl InboundSequenceStore for MemoryInbound {
    fn advance(&mut self, claim: &Claim) -> Result<Place, Error> {
        let key = (claim.issuer_id.clone(), claim.session_id.clone(), claim.operation);
        let place = Place::of(self.0.entries.get(&key).copied(), claim);
        if place == Place::Advanced {
            self.0.put(key, (claim.sequence, claim.request_digest))?;
        }
        Ok(place)
    }
}

/// Who counts, in which session.
type Scope = (Identifier, Identifier);

/// Numbers of a client's requests.
#[derive(Clone, Debug)]
pub struct MemoryOutbound {
    heads: Bounded<Scope, u64>,
    allocated: Bounded<(Scope, Identifier), u64>,
}

impl MemoryOutbound {
    /// A store of at most so many sessions, and so many keys in all of them.
    pub fn new(max_entries: usize) -> Self {
        MemoryOutbound {
            heads: Bounded::new(max_entries),
            allocated: Bounded::new(max_entries),
        }
    }
}

impl Default for MemoryOutbound {
    fn default() -> Self {
        MemoryOutbound::new(DEFAULT_ENTRIES)
    }
}

impl OutboundSequenceStore for MemoryOutbound {
    fn next(&mut self, allocation: &Allocation) -> Result<u64, Error> {
        let scope = (allocation.issuer_id.clone(), allocation.session_id.clone());
        let key = allocation.idempotency_key.clone().map(|key| (scope.clone(), key));
        let known = key
            .as_ref()
            .and_then(|key| self.allocated.entries.get(key))
            .copied();
        let head = self.heads.entries.get(&scope).copied().unwrap_or(0);
        let number = allocation.number(known, head)?;
        if known.is_none() {
            // Both or neither.
            self.heads.make_sure_of_room(&scope)?;
            if let Some(key) = key {
                self.allocated.put(key, number)?;
            }
            self.heads.put(scope, number)?;
        }
        Ok(number)
    }

    fn current(&mut self, issuer_id: &Identifier, session_id: &Identifier) -> Result<u64, Error> {
        let scope = (issuer_id.clone(), session_id.clone());
        Ok(self.heads.entries.get(&scope).copied().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_store_refuses_what_is_new_and_keeps_what_it_has() {
        let allocation = |session, key| Allocation::new("i", session, 9, Some(key)).unwrap();
        let mut store = MemoryOutbound::new(2);
        assert_eq!(store.next(&allocation("s", "k:1")), Ok(1));
        assert_eq!(store.next(&allocation("s", "k:2")), Ok(2));
        assert_eq!(store.next(&allocation("s", "k:3")), Err(Rule::StoreFull.into()));
        assert_eq!(store.next(&allocation("s", "k:1")), Ok(1));
        assert_eq!(store.next(&Allocation::new("i", "s", 9, None).unwrap()), Ok(3));
    }
    #[test]
    fn a_store_of_responses_begins_no_run_past_its_bytes_and_keeps_what_ran() {
        let run = |id| Reservation {
            request_digest: Digest::of_parts("test", &[id]),
            reservation_id: Identifier::parse(id, "reservationId").unwrap(),
            reserved_until: LogicalTime::new(9).unwrap(),
        };
        let response = Exact::parse("\"0123456789\"", usize::MAX).unwrap();
        let (now, later) = (LogicalTime::new(0).unwrap(), LogicalTime::new(10).unwrap());
        let two = 2 * (size_of::<Record>() + "a".len()) + response.text().len();
        let mut store = MemoryIdempotency::new(9, two);
        assert_eq!(store.reserve("a", &run("a"), now), Ok(true));
        assert_eq!(store.reserve("b", &run("b"), now), Ok(true));
        assert_eq!(store.commit("a", &run("a"), &response), Ok(true));
        // Full: neither a new run nor one whose reservation has ended; what ran is written.
        let full = Err(Rule::StoreFull.into());
        assert_eq!(store.reserve("c", &run("c"), now), full);
        assert_eq!(store.reserve("b", &run("b"), later), full);
        assert_eq!(store.commit("b", &run("b"), &response), Ok(true));
        assert_eq!(store.reserve("a", &run("a"), later), Ok(false));
        assert_eq!(store.load("b").unwrap().unwrap().response, Some(response));
    }
}
