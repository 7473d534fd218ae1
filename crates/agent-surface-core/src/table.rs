//! A small open-addressing index, and (in `slab`) values under dense, reused ids.
//!
//! They stand where the standard hash map would, which costs the module too many bytes. The index refuses to own
//! keys: it holds hashes and ids, its caller keeps the keys and compares them. Called by `wire`, the registry and
//! every bounded collection of the core.

use alloc::vec;
use alloc::vec::Vec;
mod slab;

pub use slab::Slab;

/// Marks a free slot; never a caller's id.
const FREE: u32 = u32::MAX;
const SMALLEST: usize = 8;

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u64,
    id: u32,
}

const EMPTY: Slot = Slot { hash: 0, id: FREE };

/// An index from 64-bit hashes to ids. Several ids may share a hash. The id `u32::MAX` is reserved.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// A power of two of slots, or none at all.
    slots: Vec<Slot>,
    len: usize,
}

impl Table {
    /// An empty index; allocates with the first insert.
    pub const fn new() -> Self {
        Self {
            slots: Vec::new(),
            len: 0,
        }
    }

    /// An empty index that takes `ids` ids before it grows.
    pub fn with_room(ids: usize) -> Self {
        let mut table = Self::new();
        if ids > 0 {
            let slots = (ids + ids / 3 + 1).next_power_of_two().max(SMALLEST);
            table.slots.resize(slots, EMPTY);
        }
        table
    }

    /// How many ids it holds.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds nothing.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Drops every id and keeps the room.
    pub fn clear(&mut self) {
        self.slots.fill(EMPTY);
        self.len = 0;
    }

    /// The first id under `hash` whose key the caller recognises.
    pub fn find(&self, hash: u64, eq: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        self.locate(hash, eq).map(|(_, id)| id)
    }

    /// Adds an id; whether the same key is there already is the caller's business.
    pub fn insert(&mut self, hash: u64, id: u32) {
        // Three quarters full at most: probes stay short and always meet a free slot.
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.place(Slot { hash, id });
        self.len += 1;
    }

    /// Takes an id out; `false` when it was not there under this hash.
    pub fn remove(&mut self, hash: u64, id: u32) -> bool {
        let Some((found, _)) = self.locate(hash, &mut |other| other == id) else {
            return false;
        };
        let mask = self.slots.len() - 1;
        // Later slots of the same run move up, so that no tombstones pile up.
        let mut hole = found;
        let mut at = found;
        loop {
            at = (at + 1) & mask;
            let slot = self.slots.get(at).copied().unwrap_or(EMPTY);
            if slot.id == FREE {
                break;
            }
            let distance = at.wrapping_sub(home(slot.hash, mask)) & mask;
            let gap = at.wrapping_sub(hole) & mask;
            if distance >= gap {
                self.set(hole, slot);
                hole = at;
            }
        }
        self.set(hole, EMPTY);
        self.len -= 1;
        true
    }

    fn locate(&self, hash: u64, eq: &mut dyn FnMut(u32) -> bool) -> Option<(usize, u32)> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = home(hash, mask);
        loop {
            let slot = self.slots.get(at)?;
            if slot.id == FREE {
                return None;
            }
            if slot.hash == hash && eq(slot.id) {
                return Some((at, slot.id));
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let room = (self.slots.len() * 2).max(SMALLEST);
        let old = core::mem::replace(&mut self.slots, vec![EMPTY; room]);
        for slot in old {
            if slot.id != FREE {
                self.place(slot);
            }
        }
    }

    fn place(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = home(slot.hash, mask);
        while self.slots.get(at).is_some_and(|taken| taken.id != FREE) {
            at = (at + 1) & mask;
        }
        self.set(at, slot);
    }

    fn set(&mut self, at: usize, slot: Slot) {
        if let Some(place) = self.slots.get_mut(at) {
            *place = slot;
        }
    }
}

/// Where the search for a hash begins. The halves are folded, so that hashes good in either half spread.
#[expect(
    clippy::cast_possible_truncation,
    reason = "only as many low bits as the mask has are kept anyway"
)]
const fn home(hash: u64, mask: usize) -> usize {
    (hash ^ (hash >> 32)) as usize & mask
}

/// A keyed hash of texts, each with its length before it, for tables that compare their keys: a collision costs a
/// comparison, nothing else. What an attacker picks and nobody compares is hashed by `sip128` instead.
pub fn hash(key: [u64; 2], parts: &[&str]) -> u64 {
    let mut state = key[0];
    for part in parts {
        state = mixed(state ^ part.len() as u64);
        for chunk in part.as_bytes().chunks(8) {
            let word = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
            state = mixed(state ^ word);
        }
    }
    mixed(state ^ key[1])
}

/// One multiplication by 2^64 over the golden ratio, and the high half, where its bits are good, into the low one.
const fn mixed(word: u64) -> u64 {
    let product = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 29 ^ product >> 47
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cheap generator of well-spread numbers (splitmix64), for tests only.
    fn scatter(seed: u64) -> u64 {
        let mixed =
            (seed.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 27)
    }

    fn is_there(table: &Table, hash: u64, id: u32) -> bool {
        table.find(hash, &mut |other| other == id).is_some()
    }

    #[test]
    fn an_empty_table_finds_and_removes_nothing() {
        let mut table = Table::new();
        assert!(!is_there(&table, 1, 1));
        assert!(!table.remove(1, 1));
        assert!(table.is_empty());
    }

    #[test]
    fn ids_with_one_hash_are_told_apart_by_the_caller() {
        let mut table = Table::new();
        for id in 0..20 {
            table.insert(7, id);
        }
        assert!((0..20).all(|id| is_there(&table, 7, id)));
        assert!(!is_there(&table, 8, 3) && !is_there(&table, 7, 20));
        assert!(table.remove(7, 3) && !table.remove(7, 3));
        assert_eq!(table.len(), 19);
        assert!((0..20).filter(|&id| id != 3).all(|id| is_there(&table, 7, id)));
    }

    #[test]
    fn it_agrees_with_a_plain_list_under_random_steps() {
        let mut table = Table::new();
        let mut list: Vec<(u64, u32)> = Vec::new();
        for step in 0..20_000_u32 {
            let random = scatter(u64::from(step));
            // Few distinct hashes with equal low bits: long runs that wrap around the end.
            let hash = (random % 40) << 33 | 6;
            if random % 7 < 4 || list.is_empty() {
                table.insert(hash, step);
                list.push((hash, step));
            } else {
                let index = usize::try_from(random >> 40).expect("24 bits") % list.len();
                let (hash, id) = list.swap_remove(index);
                assert!(table.remove(hash, id));
                assert!(!is_there(&table, hash, id));
            }
            if list.len() > 300 {
                for (hash, id) in list.drain(20..) {
                    assert!(table.remove(hash, id));
                }
            }
            assert_eq!(table.len(), list.len());
            if step % 50 == 0 {
                assert!(
                    list.iter().all(|&(hash, id)| is_there(&table, hash, id)),
                    "step {step}"
                );
            }
        }
    }

    #[test]
    fn a_cleared_table_is_empty_and_usable() {
        let mut table = Table::new();
        table.insert(1, 1);
        table.clear();
        assert!(table.is_empty() && !is_there(&table, 1, 1));
        table.insert(1, 2);
        assert!(is_there(&table, 1, 2));
    }

    #[test]
    fn a_hash_depends_on_the_key_and_on_where_texts_end() {
        let key = [1, 2];
        let hashes = [
            hash(key, &["ab", "c"]),
            hash(key, &["a", "bc"]),
            hash(key, &["abc"]),
            hash(key, &["abc", ""]),
            hash(key, &[]),
            hash([1, 3], &["ab", "c"]),
            hash([2, 2], &["ab", "c"]),
        ];
        let distinct: std::collections::BTreeSet<u64> = hashes.into_iter().collect();
        assert_eq!(distinct.len(), hashes.len());
        assert_eq!(hash(key, &["ab", "c"]), hashes[0]);
    }
}
