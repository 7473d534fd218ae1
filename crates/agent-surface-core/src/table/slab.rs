//! Values under dense ids, in the order in which slots were made.
//!
//! It refuses to let a late answer meet a slot's next user: each reuse is a new generation. Called by every collection
//! of the core whose members the host names by number.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::ManuallyDrop;

#[derive(Clone, Debug)]
struct Entry<T> {
    generation: u32,
    /// Boxed, so that slabs of every type share their machine code. Whoever takes it drops it, and the slab what is left:
    /// so each type has one place where values are dropped.
    value: Option<ManuallyDrop<Box<T>>>,
}

impl<T> Entry<T> {
    /// Fills an entry that is empty.
    const fn fill(&mut self, value: Box<T>) {
        self.value = Some(ManuallyDrop::new(value));
    }

    fn take(&mut self) -> Option<Box<T>> {
        self.value.take().map(ManuallyDrop::into_inner)
    }
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

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        for id in 0..self.next {
            self.discard(id);
        }
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
        self.keep(Box::new(value))
    }

    #[inline(never)]
    fn keep(&mut self, value: Box<T>) -> u32 {
        while let Some(id) = self.free.pop() {
            if let Some(entry) = self.entry_mut(id) {
                entry.fill(value);
                return id;
            }
        }
        let id = self.next;
        self.entries.push(Entry {
            generation: 1,
            value: Some(ManuallyDrop::new(value)),
        });
        self.next += 1;
        id
    }

    /// The value under an id.
    #[inline(never)]
    pub fn get(&self, id: u32) -> Option<&T> {
        self.entry(id)?.value.as_ref().map(|value| &***value)
    }

    /// The value under an id, to change it.
    #[inline(never)]
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        self.entry_mut(id)?.value.as_mut().map(|value| &mut ***value)
    }

    /// Takes a value out and frees its id; the slot's generation moves.
    #[inline(never)]
    pub fn remove(&mut self, id: u32) -> Option<Box<T>> {
        let entry = self.entry_mut(id)?;
        let value = entry.take()?;
        // Generation 0 stays what an unknown id answers.
        entry.generation = entry.generation.wrapping_add(1).max(1);
        self.free.push(id);
        Some(value)
    }

    /// Drops a value and frees its id. False when there was none.
    #[inline(never)]
    pub fn discard(&mut self, id: u32) -> bool {
        self.remove(id).is_some()
    }

    /// Takes a value out while somebody works on it; its id stays taken. `bring` puts it back.
    #[inline(never)]
    pub fn lend(&mut self, id: u32) -> Option<Box<T>> {
        self.entry_mut(id)?.take()
    }

    /// Puts back what `lend` gave.
    #[inline(never)]
    pub fn bring(&mut self, id: u32, value: Box<T>) {
        if let Some(entry) = self.entry_mut(id) {
            entry.fill(value);
        }
    }

    /// The generation of a slot, at least 1; 0 for an id that was never given out.
    pub fn generation(&self, id: u32) -> u32 {
        self.entry(id).map_or(0, |entry| entry.generation)
    }

    /// Every value with its id, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..self.next)
            .zip(&self.entries)
            .filter_map(|(id, entry)| Some((id, &***entry.value.as_ref()?)))
    }

    /// Every value with its id, in the order of ids, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut T)> {
        (0..self.next)
            .zip(&mut self.entries)
            .filter_map(|(id, entry)| Some((id, &mut ***entry.value.as_mut()?)))
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

    #[test]
    fn a_freed_id_comes_back_with_the_next_generation() {
        let mut slab = Slab::new();
        let first = slab.insert("a");
        let second = slab.insert("b");
        assert_eq!((first, second, slab.generation(first)), (0, 1, 1));
        assert_eq!(slab.remove(first).as_deref(), Some(&"a"));
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
    fn a_lent_value_keeps_its_id() {
        let mut slab = Slab::new();
        let id = slab.insert("a");
        let value = slab.lend(id).expect("it is there");
        assert_eq!((slab.get(id), slab.generation(id)), (None, 1));
        assert_ne!(slab.insert("b"), id);
        slab.bring(id, value);
        assert_eq!(slab.get(id), Some(&"a"));
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
