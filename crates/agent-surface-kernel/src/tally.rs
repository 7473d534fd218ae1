//! What is told once and counted from then on: what anybody can cause at will must not fill an audit, nor be lost in it.
//!
//! It refuses to keep what is told: only how often, by key. Called by `gate`.

use agent_surface_core::time::Millis;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use crate::session::is_over;

/// Milliseconds in which the same is told once.
pub(crate) const WINDOW: u32 = 10_000;
/// Keys that are counted apart; what comes beyond them is counted together.
const MAX_KEYS: usize = 64;

/// What becomes of one that is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// It is told at once.
    Tell,
    /// It is counted under its own key.
    Hold,
    /// It is counted under the key of the rest.
    HoldWithRest,
}

#[derive(Debug)]
struct Entry {
    key: String,
    held: u32,
    until: Millis,
}

/// Counts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    entries: Vec<Entry>,
}

impl Tally {
    pub(crate) fn note(&mut self, now: Millis, key: &str, rest: &str) -> Noted {
        self.entries
            .retain(|entry| entry.held > 0 || !is_over(now, entry.until));
        if self.hold(key) {
            return Noted::Hold;
        }
        let is_full = self.entries.len() >= MAX_KEYS;
        if is_full && self.hold(rest) {
            return Noted::HoldWithRest;
        }
        self.entries.push(Entry {
            key: (if is_full { rest } else { key }).to_owned(),
            held: u32::from(is_full),
            until: now.plus(WINDOW),
        });
        if is_full { Noted::HoldWithRest } else { Noted::Tell }
    }

    fn hold(&mut self, key: &str) -> bool {
        let entry = self.entries.iter_mut().find(|entry| entry.key == key);
        entry.is_some_and(|entry| {
            entry.held = entry.held.saturating_add(1);
            true
        })
    }

    pub(crate) fn due(&self) -> Option<Millis> {
        let held = self.entries.iter().filter(|entry| entry.held > 0);
        held.map(|entry| entry.until)
            .reduce(|first, other| if other < first { other } else { first })
    }

    /// The next key whose time is over, with what was counted. From now on it is counted anew.
    pub(crate) fn take(&mut self, now: Millis) -> Option<(String, u32)> {
        let is_due = |entry: &&mut Entry| entry.held > 0 && is_over(now, entry.until);
        let entry = self.entries.iter_mut().find(is_due)?;
        entry.until = now.plus(WINDOW);
        Some((entry.key.clone(), core::mem::take(&mut entry.held)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told_once_and_then_as_a_number() {
        let mut tally = Tally::default();
        let at = Millis(1000.0);
        assert_eq!(tally.note(at, "a", "rest"), Noted::Tell);
        assert_eq!(tally.due(), None);
        for _ in 0..500 {
            assert_eq!(tally.note(at.plus(9), "a", "rest"), Noted::Hold);
        }
        assert_eq!(tally.note(at.plus(9), "b", "rest"), Noted::Tell);
        assert_eq!(
            (tally.due(), tally.take(at.plus(WINDOW))),
            (Some(at.plus(WINDOW)), None)
        );
        let later = at.plus(WINDOW + 1);
        assert_eq!(tally.take(later), Some((String::from("a"), 500)));
        assert_eq!((tally.take(later), tally.due()), (None, None));
        // It goes on, and is not told anew each time.
        assert_eq!(tally.note(later.plus(WINDOW), "a", "rest"), Noted::Hold);
        assert_eq!(tally.take(later.plus(WINDOW + 1)), Some((String::from("a"), 1)));
        // After a while without any it is news.
        assert_eq!(tally.note(later.plus(3 * WINDOW), "a", "rest"), Noted::Tell);
    }

    #[test]
    fn the_number_of_keys_is_bounded_and_nothing_goes_uncounted() {
        let mut tally = Tally::default();
        let at = Millis(1000.0);
        let mut told = 0_u32;
        for number in 0..1000_u32 {
            told += u32::from(tally.note(at, &number.to_string(), "rest") == Noted::Tell);
        }
        assert_eq!((told, tally.entries.len()), (64, MAX_KEYS + 1));
        assert_eq!(tally.take(at.plus(WINDOW + 1)), Some((String::from("rest"), 936)));
    }
}
