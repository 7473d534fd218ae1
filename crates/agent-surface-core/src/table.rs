//! A small open-addressing index and a slab with dense, reused ids.
//!
//! They stand where the standard hash map would, which costs the module too many bytes. The index refuses to own
//! keys: it holds hashes and ids, its caller keeps the keys and compares them. Called by `wire`, the registry and
//! every bounded collection of the core.

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
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; room]);
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

#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    value: Option<T>,
}

/// Values under dense ids. A freed id is used again, under the next generation.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    entries: Vec<Entry<T>>,
    free: Vec<u32>,
    /// The id that a new entry gets: `entries.len()` in the width of an id.
    next: u32,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slab<T> {
    /// An empty slab.
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
            free: Vec::new(),
            next: 0,
        }
    }

    /// Keeps a value; the id is the one freed last, or a new one.
    pub fn insert(&mut self, value: T) -> u32 {
        while let Some(id) = self.free.pop() {
            if let Some(entry) = self.entry_mut(id) {
                entry.value = Some(value);
                return id;
            }
        }
        let id = self.next;
        self.entries.push(Entry {
            generation: 1,
            value: Some(value),
        });
        self.next += 1;
        id
    }

    /// The value under an id.
    pub fn get(&self, id: u32) -> Option<&T> {
        self.entry(id)?.value.as_ref()
    }

    /// The value under an id, to change it.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        self.entry_mut(id)?.value.as_mut()
    }

    /// Takes a value out and frees its id; the slot's generation moves.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        let entry = self.entry_mut(id)?;
        let value = entry.value.take()?;
        // Generation 0 stays what an unknown id answers.
        entry.generation = entry.generation.wrapping_add(1).max(1);
        self.free.push(id);
        Some(value)
    }

    /// The generation of a slot, at least 1; 0 for an id that was never given out.
    pub fn generation(&self, id: u32) -> u32 {
        self.entry(id).map_or(0, |entry| entry.generation)
    }

    /// Every value with its id, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..self.next)
            .zip(&self.entries)
            .filter_map(|(id, entry)| Some((id, entry.value.as_ref()?)))
    }

    /// Every value with its id, in the order of ids, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        (0..self.next)
            .zip(&mut self.entries)
            .filter_map(|(id, entry)| Some((id, entry.value.as_mut()?)))
    }

    /// How many values it holds.
    pub const fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Whether it holds nothing.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn entry(&self, id: u32) -> Option<&Entry<T>> {
        self.entries.get(usize::try_from(id).ok()?)
    }

    fn entry_mut(&mut self, id: u32) -> Option<&mut Entry<T>> {
        self.entries.get_mut(usize::try_from(id).ok()?)
    }
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
    fn a_freed_id_comes_back_with_the_next_generation() {
        let mut slab = Slab::new();
        let first = slab.insert("a");
        let second = slab.insert("b");
        assert_eq!((first, second, slab.generation(first)), (0, 1, 1));
        assert_eq!(slab.remove(first), Some("a"));
        assert_eq!(slab.remove(first), None);
        assert_eq!(slab.get(first), None);
        let third = slab.insert("c");
        assert_eq!((third, slab.generation(third)), (0, 2));
        assert_eq!(slab.len(), 2);
    }

    #[test]
    fn an_unknown_id_has_generation_zero() {
        let mut slab: Slab<u8> = Slab::new();
        assert_eq!((slab.generation(0), slab.generation(u32::MAX)), (0, 0));
        assert_eq!(slab.remove(5), None);
        assert!(slab.is_empty() && slab.get_mut(5).is_none());
    }

    #[test]
    fn values_come_in_the_order_of_ids() {
        let mut slab = Slab::new();
        for value in 0..5 {
            slab.insert(value);
        }
        slab.remove(1);
        slab.remove(3);
        for (_, value) in slab.iter_mut() {
            *value *= 10;
        }
        assert_eq!(slab.iter().collect::<Vec<_>>(), [(0, &0), (2, &20), (4, &40)]);
    }
}
