//! What changed lately, so that a look costs what changed and not what is there.
//!
//! Decides nothing. Noted whenever the version moves, read by the looking.

use super::View;
use alloc::vec::Vec;

/// Changes that are remembered: a look after more of them goes through everything.
const MOST: usize = 16;

/// The registrations of the last versions: each of them moved by a change of one.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// The version before the first of them.
    from: u64,
    slots: Vec<u32>,
}

impl Touched {
    /// The version has moved to this one, because a single registration changed or for any other reason.
    pub fn note(&mut self, changed: Option<u32>, version: u64) {
        match changed {
            Some(slot) if self.slots.len() < MOST => self.slots.push(slot),
            _ => {
                self.slots.clear();
                self.from = version;
            }
        }
    }

    /// All that changed since a version, where that is known.
    pub fn since(&self, version: u64) -> Option<&[u32]> {
        let at = version.checked_sub(self.from)?;
        self.slots.get(usize::try_from(at).ok()?..)
    }
}

impl View {
    /// Puts what was found into the rows there are. False where a registration came, went, or is shown in another way.
    pub(super) fn patch(&mut self) -> bool {
        let Some(cursor) = &mut self.cursor else {
            return false;
        };
        for (slot, stamp, listed) in core::mem::take(&mut cursor.rows) {
            let cell = usize::try_from(slot).ok().and_then(|at| self.cells.get(at));
            let shown = listed || cell.is_some_and(|cell| cell.refers);
            match self.rows.iter_mut().find(|row| row.0 == slot) {
                Some(row) if shown && row.2 == listed => row.1 = stamp,
                None if !shown => {}
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Touched};

    #[test]
    fn what_changed_since_a_version_is_known_until_something_else_moves_it() {
        let mut touched = Touched::default();
        touched.note(None, 1);
        touched.note(Some(7), 2);
        touched.note(Some(9), 3);
        assert_eq!(touched.since(0), None);
        assert_eq!(touched.since(1), Some(&[7, 9][..]));
        assert_eq!(touched.since(2), Some(&[9][..]));
        assert_eq!(touched.since(3), Some(&[][..]));
        assert_eq!(touched.since(4), None);
        touched.note(None, 4);
        assert_eq!(touched.since(3), None);
        assert_eq!(touched.since(4), Some(&[][..]));
    }

    #[test]
    fn no_more_is_remembered_than_its_bound() {
        let mut touched = Touched::default();
        for version in 1..=100 {
            touched.note(Some(1), version);
            assert!(touched.slots.len() <= MOST);
        }
        assert_eq!(touched.since(0), None);
        assert_eq!(touched.since(100), Some(&[][..]));
    }
}
