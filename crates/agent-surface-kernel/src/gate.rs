//! The gate of a transport: which greetings the page is asked about, and what of those that are refused is told.
//!
//! It refuses to let anybody in. Time comes in, and what is due goes out as [`GateOutput`]. Called by the boundary, or by a
//! native host.

use agent_surface_core::time::Millis;
use alloc::string::String;

use crate::handshake::{Greeted, Handshakes, Nonce};
use crate::tally::{self, Noted, Tally};

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateOutput {
    /// The page has not answered in time: whoever waits is refused.
    GiveUp(u32),
    /// What was noted under `key` is told, once for all of it.
    Tell {
        /// As it was given, or that of the rest.
        key: String,
        /// How often.
        count: u32,
    },
}

/// The gate of one transport.
#[derive(Debug)]
pub struct Gate {
    handshakes: Handshakes,
    tally: Tally,
    /// Up to here everything is over.
    now: Millis,
}

impl Gate {
    /// The page may think for `wait` milliseconds about each handshake.
    pub fn new(wait: u32) -> Gate {
        Gate {
            handshakes: Handshakes::new(wait),
            tally: Tally::default(),
            now: Millis(f64::NEG_INFINITY),
        }
    }

    /// Somebody who was proved to be of `origin` greets. A transport without nonces proves in another way that a greeting is
    /// no repeated one.
    pub fn handle_greeting(&mut self, now: Millis, origin: &str, nonce: Option<Nonce<'_>>) -> Greeted {
        self.handshakes.greet(now, origin, nonce)
    }

    /// The page has answered about a handshake. Whether that was still waited for.
    pub fn handle_answer(&mut self, number: u32) -> bool {
        self.handshakes.end(number)
    }

    /// Something is to be told that may come a thousand times. Where there are too many keys it is counted under `rest`.
    pub fn handle_note(&mut self, now: Millis, key: &str, rest: &str) -> Noted {
        self.tally.note(now, key, rest)
    }

    /// When [`Gate::handle_timeout`] is due.
    pub fn poll_timeout(&self) -> Option<Millis> {
        match (self.handshakes.due(), self.tally.due()) {
            (Some(one), Some(other)) => Some(if other < one { other } else { one }),
            (one, other) => one.or(other),
        }
    }

    /// The milliseconds until then, but no more than anything waits here: a clock that is set back makes nobody wait for longer.
    /// None are left on a clock without a time.
    pub fn poll_rest(&self, now: Millis) -> Option<f64> {
        let rest = self.poll_timeout()?.0 - now.0;
        let longest = self.handshakes.wait().max(tally::WINDOW);
        Some(rest.max(0.0).min(f64::from(longest)))
    }

    /// The timer of [`Gate::poll_timeout`] fired. It is believed, whatever the clock says. Drain [`Gate::poll_output`] then.
    pub fn handle_timeout(&mut self, now: Millis) {
        // The end itself still belongs to what ends.
        let due = self.poll_timeout().map_or(now, |due| due.plus(1));
        self.now = if now > due { now } else { due };
    }

    /// What is due next.
    pub fn poll_output(&mut self) -> Option<GateOutput> {
        if let Some(number) = self.handshakes.expire(self.now) {
            return Some(GateOutput::GiveUp(number));
        }
        let (key, count) = self.tally.take(self.now)?;
        Some(GateOutput::Tell { key, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_fires_is_believed_whatever_the_clock_says() {
        let mut gate = Gate::new(500);
        let at = Millis(1000.0);
        assert_eq!(gate.poll_timeout(), None);
        assert_eq!(
            gate.handle_greeting(at, "https://a.example", None),
            Greeted::Begin(1)
        );
        assert_eq!(
            gate.handle_greeting(at.plus(200), "https://a.example", None),
            Greeted::Begin(2)
        );
        assert_eq!(
            (gate.poll_output(), gate.poll_timeout()),
            (None, Some(at.plus(500)))
        );
        // A clock that stands, and then one that has no time.
        gate.handle_timeout(at);
        assert_eq!(
            (gate.poll_output(), gate.poll_output()),
            (Some(GateOutput::GiveUp(1)), None)
        );
        assert!(!gate.handle_answer(1) && gate.poll_timeout() == Some(at.plus(700)));
        gate.handle_timeout(Millis(f64::NAN));
        assert_eq!(
            (gate.poll_output(), gate.poll_timeout()),
            (Some(GateOutput::GiveUp(2)), None)
        );
    }

    #[test]
    fn the_rest_of_a_wait_is_no_longer_than_the_wait() {
        let mut gate = Gate::new(50_000);
        let at = Millis(1000.0);
        assert_eq!(gate.poll_rest(at), None);
        assert_eq!(
            gate.handle_greeting(at, "https://a.example", None),
            Greeted::Begin(1)
        );
        let back = Millis(-9e9);
        let rest = |gate: &Gate, now| Millis(gate.poll_rest(now).unwrap());
        assert_eq!(
            [at, at.plus(20_000), at.plus(60_000), back, Millis(f64::NAN)].map(|now| rest(&gate, now)),
            [50_000.0, 30_000.0, 0.0, 50_000.0, 0.0].map(Millis)
        );
        // What is counted waits for its own time, however short the page may think.
        let mut gate = Gate::new(500);
        assert_eq!(gate.handle_note(at, "a", "rest"), Noted::Tell);
        assert_eq!(gate.handle_note(at, "a", "rest"), Noted::Hold);
        assert_eq!([at, back].map(|now| rest(&gate, now)), [Millis(10_000.0); 2]);
    }

    #[test]
    fn at_the_end_of_time_everything_is_told() {
        let mut gate = Gate::new(500);
        let at = Millis(1000.0);
        assert_eq!(gate.handle_note(at, "a", "rest"), Noted::Tell);
        assert_eq!(gate.handle_note(at, "a", "rest"), Noted::Hold);
        assert_eq!(
            gate.handle_greeting(at, "https://a.example", None),
            Greeted::Begin(1)
        );
        gate.handle_timeout(Millis(f64::INFINITY));
        let (key, count) = (String::from("a"), 1);
        assert_eq!(gate.poll_output(), Some(GateOutput::GiveUp(1)));
        assert_eq!(gate.poll_output(), Some(GateOutput::Tell { key, count }));
        assert_eq!(gate.poll_output(), None);
    }
}
