//! How many requests a session may make: a token bucket of constant cost.
//!
//! It refuses to remember single requests. Called by `kernel`.

use agent_surface_core::time::Millis;

/// A bucket that holds `limit` requests and refills within `window` milliseconds, evenly.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    limit: u64,
    window: u64,
    /// In `window`-ths of a request.
    level: u64,
    filled_at: Millis,
}

impl Rate {
    /// A full bucket; nothing where either number is zero.
    pub fn new(limit: u32, window: u32) -> Option<Rate> {
        (limit > 0 && window > 0).then(|| Rate {
            limit: u64::from(limit),
            window: u64::from(window),
            level: u64::from(limit) * u64::from(window),
            filled_at: Millis(0.0),
        })
    }

    /// Takes one request out. Where there is none, the milliseconds until there is.
    pub(crate) fn take(&mut self, now: Millis) -> Result<(), u64> {
        let passed = now.since(self.filled_at);
        if passed > 0 {
            self.filled_at = now;
        }
        let full = self.limit * self.window;
        self.level = self
            .level
            .saturating_add(passed.saturating_mul(self.limit))
            .min(full);
        match self.level.checked_sub(self.window) {
            Some(rest) => {
                self.level = rest;
                Ok(())
            }
            None => Err((self.window - self.level).div_ceil(self.limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_refills_evenly_and_says_when() {
        let mut rate = Rate::new(2, 1000).unwrap();
        let mut at = |now: u32| rate.take(Millis(now.into()));
        assert_eq!(
            [at(10), at(10), at(10), at(509), at(510), at(510)],
            [Ok(()), Ok(()), Err(500), Err(1), Ok(()), Err(500)]
        );
        assert_eq!([at(9000), at(9000), at(9000)], [Ok(()), Ok(()), Err(500)]);
    }

    #[test]
    fn a_clock_that_goes_back_gives_nothing() {
        let mut rate = Rate::new(1, 1000).unwrap();
        assert_eq!(rate.take(Millis(5000.0)), Ok(()));
        assert_eq!(rate.take(Millis(0.0)), Err(1000));
        assert_eq!(rate.take(Millis(5000.0)), Err(1000));
        assert!(Rate::new(0, 5).is_none());
    }
}
