//! Verdicts already found, so that a recursive schema costs what its pairs of schema and value are.
//!
//! It refuses to forget: one validation fills it, then it is dropped. Validation calls it.

use alloc::vec;
use alloc::vec::Vec;
/// An open-addressing set of 64-bit entries: schema, value, mode and verdict in one; 0 is a free slot.
#[derive(Default)]
pub(crate) struct Memo {
    slots: Vec<u64>,
    used: usize,
}

const VERDICT: u64 = 1;

/// `mode` keeps verdicts with and without issues apart. Never 0, the lowest bit is free.
fn key(schema: u32, value: u32, mode: bool) -> u64 {
    (u64::from(schema) << 33) | (u64::from(value) << 3) | (u64::from(mode) << 2) | 2
}

impl Memo {
    /// The verdict on this pair, if it is known.
    pub(crate) fn find(&self, schema: u32, value: u32, mode: bool) -> Option<bool> {
        let wanted = key(schema, value, mode);
        let found = self.slots.get(self.slot(wanted)?).copied()?;
        (found & !VERDICT == wanted).then_some(found & VERDICT != 0)
    }

    pub(crate) fn insert(&mut self, schema: u32, value: u32, mode: bool, verdict: bool) {
        if (self.used + 1) * 2 > self.slots.len() {
            let grown = vec![0; (self.slots.len() * 2).max(64)];
            for entry in core::mem::replace(&mut self.slots, grown) {
                self.put(entry);
            }
        }
        self.used += 1;
        self.put(key(schema, value, mode) | u64::from(verdict));
    }

    fn put(&mut self, entry: u64) {
        if entry != 0
            && let Some(slot) = self.slot(entry & !VERDICT)
            && let Some(place) = self.slots.get_mut(slot)
        {
            *place = entry;
        }
    }

    /// Where the key is, or the free slot where it would go; the table is never full.
    fn slot(&self, key: u64) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let mut at = usize::try_from(hash).unwrap_or(0) & mask;
        loop {
            let entry = self.slots.get(at).copied()?;
            if entry == 0 || entry & !VERDICT == key {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Memo;

    #[test]
    fn verdicts_are_found_again_by_schema_value_and_mode() {
        let mut memo = Memo::default();
        assert_eq!(memo.find(0, 0, false), None);
        for value in 0..1000 {
            memo.insert(3, value, value % 2 == 0, value % 3 == 0);
        }
        for value in 0..1000 {
            assert_eq!(memo.find(3, value, value % 2 == 0), Some(value % 3 == 0));
            assert_eq!(memo.find(3, value, value % 2 != 0), None);
            assert_eq!(memo.find(4, value, value % 2 == 0), None);
        }
    }
}
