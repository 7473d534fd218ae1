//! Handshakes: who may ask to be let in, how often, and how long the page may think about it.
//!
//! It refuses to know who is let in: that is the page's answer, and it comes from outside. Called by `gate`.

use agent_surface_core::time::Millis;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use crate::rate::Rate;
use crate::session::is_over;

/// Handshakes that may be under way; no origin may have them all.
const MAX_UNDER_WAY: usize = 64;
const MAX_OF_ORIGIN: usize = 32;
/// Handshakes of one origin that may begin within a minute, however they end.
const MAX_A_MINUTE: u32 = 64;
const MINUTE: u32 = 60_000;
/// What is remembered, oldest forgotten first.
const MAX_NONCES: usize = 4096;
const MAX_ORIGINS: usize = 256;

/// What a greeting is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce<'a> {
    /// As it was sent.
    pub text: &'a str,
    /// The transport's own number for whoever sent it.
    pub source: u32,
}

/// What becomes of a greeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greeted {
    /// The page is to be asked; the handshake's number.
    Begin(u32),
    /// It was heard already, and the page is being asked.
    Repeat,
    /// The same sender repeats itself: its handshake is over.
    Late,
    /// Somebody else's nonce.
    Replay,
    /// Not 16 to 128 letters, digits, `-` or `_`.
    Malformed,
    /// Too many, or a clock without a time.
    TooMany,
}

#[derive(Debug)]
struct Handshake {
    number: u32,
    origin: String,
    ends_at: Millis,
}

#[derive(Debug)]
struct Known {
    text: String,
    source: u32,
    origin: String,
    handshake: u32,
}

/// The handshakes of one transport.
#[derive(Debug)]
pub(crate) struct Handshakes {
    wait: u32,
    /// Oldest first: all wait as long.
    under_way: Vec<Handshake>,
    /// These two oldest first, too.
    nonces: Vec<Known>,
    rates: Vec<(String, Rate)>,
    numbers: u32,
}

impl Handshakes {
    pub(crate) fn new(wait: u32) -> Handshakes {
        Handshakes {
            wait,
            under_way: Vec::new(),
            nonces: Vec::new(),
            rates: Vec::new(),
            numbers: 0,
        }
    }

    pub(crate) fn greet(&mut self, now: Millis, origin: &str, nonce: Option<Nonce<'_>>) -> Greeted {
        if let Some(nonce) = nonce {
            if !is_nonce(nonce.text) {
                return Greeted::Malformed;
            }
            if let Some(known) = self.nonces.iter().find(|known| known.text == nonce.text) {
                let is_same = known.source == nonce.source && known.origin == origin;
                return match (is_same, self.place(known.handshake)) {
                    (false, _) => Greeted::Replay,
                    (true, Some(_)) => Greeted::Repeat,
                    (true, None) => Greeted::Late,
                };
            }
        }
        let of_origin = self.under_way.iter().filter(|each| each.origin == origin);
        if self.under_way.len() >= MAX_UNDER_WAY
            || of_origin.count() >= MAX_OF_ORIGIN
            || !self.may_begin(now, origin)
        {
            return Greeted::TooMany;
        }
        self.numbers = self.numbers.wrapping_add(1);
        let number = self.numbers;
        self.under_way.push(Handshake {
            number,
            origin: origin.to_owned(),
            ends_at: now.plus(self.wait),
        });
        if let Some(nonce) = nonce {
            if self.nonces.len() >= MAX_NONCES {
                self.nonces.remove(0);
            }
            self.nonces.push(Known {
                text: nonce.text.to_owned(),
                source: nonce.source,
                origin: origin.to_owned(),
                handshake: number,
            });
        }
        Greeted::Begin(number)
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.under_way.iter().position(|each| each.number == number)
    }

    fn may_begin(&mut self, now: Millis, origin: &str) -> bool {
        if !now.0.is_finite() {
            return false;
        }
        if let Some((_, rate)) = self.rates.iter_mut().find(|(known, _)| known == origin) {
            return rate.take(now).is_ok();
        }
        if self.rates.len() >= MAX_ORIGINS {
            self.rates.remove(0);
        }
        let Some(mut rate) = Rate::new(MAX_A_MINUTE, MINUTE) else {
            return false;
        };
        let may = rate.take(now).is_ok();
        self.rates.push((origin.to_owned(), rate));
        may
    }

    /// The page has answered. Whether it was still waited for.
    pub(crate) fn end(&mut self, number: u32) -> bool {
        let place = self.place(number);
        if let Some(place) = place {
            self.under_way.remove(place);
        }
        place.is_some()
    }

    pub(crate) fn wait(&self) -> u32 {
        self.wait
    }

    pub(crate) fn due(&self) -> Option<Millis> {
        self.under_way.first().map(|first| first.ends_at)
    }

    /// The next one that is over.
    pub(crate) fn expire(&mut self, now: Millis) -> Option<u32> {
        let first = self.under_way.first()?;
        is_over(now, first.ends_at).then(|| self.under_way.remove(0).number)
    }
}

fn is_nonce(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (16..=128).contains(&text.len()) && text.bytes().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "https://a.example";
    const B: &str = "https://b.example";
    const AT: Millis = Millis(1000.0);

    fn nonce(text: &str, source: u32) -> Nonce<'_> {
        Nonce { text, source }
    }

    #[test]
    fn a_greeting_that_repeats_itself_is_one_handshake_and_somebody_elses_is_a_replay() {
        let mut handshakes = Handshakes::new(500);
        let text = "n".repeat(16);
        assert_eq!(handshakes.greet(AT, A, Some(nonce(&text, 1))), Greeted::Begin(1));
        assert_eq!(handshakes.greet(AT, A, Some(nonce(&text, 1))), Greeted::Repeat);
        assert_eq!(handshakes.greet(AT, A, Some(nonce(&text, 2))), Greeted::Replay);
        // Its frame went elsewhere.
        assert_eq!(handshakes.greet(AT, B, Some(nonce(&text, 1))), Greeted::Replay);
        assert!(handshakes.end(1) && !handshakes.end(1));
        assert_eq!(handshakes.greet(AT, A, Some(nonce(&text, 1))), Greeted::Late);
        for bad in [
            "short",
            "x".repeat(129).as_str(),
            "with a space in it",
            "äöüäöüäöüäöüäöüä",
        ] {
            assert_eq!(handshakes.greet(AT, A, Some(nonce(bad, 1))), Greeted::Malformed);
        }
    }

    #[test]
    fn no_origin_has_all_the_handshakes_nor_asks_without_end() {
        let mut handshakes = Handshakes::new(500);
        let begun = |handshakes: &mut Handshakes, now, origin, times| {
            let greet = |_: &usize| matches!(handshakes.greet(now, origin, None), Greeted::Begin(_));
            (0_usize..times).filter(greet).count()
        };
        assert_eq!(begun(&mut handshakes, AT, A, 40), MAX_OF_ORIGIN);
        assert_eq!(begun(&mut handshakes, AT, B, 40), MAX_OF_ORIGIN);
        assert_eq!(begun(&mut handshakes, AT, "https://c.example", 1), 0);
        for number in 1..=64 {
            assert!(handshakes.end(number));
        }
        // What was refused while too many were under way counts for nothing.
        assert_eq!(begun(&mut handshakes, AT, A, 32), 32);
        (65..=96).for_each(|number| assert!(handshakes.end(number)));
        assert_eq!(begun(&mut handshakes, AT, A, 32), 0);
        assert_eq!(begun(&mut handshakes, AT.plus(MINUTE / 2), A, 64), 32);
        assert_eq!(begun(&mut handshakes, Millis(f64::NAN), B, 1), 0);
    }

    #[test]
    fn a_page_that_does_not_answer_is_waited_for_as_long_as_was_said() {
        let mut handshakes = Handshakes::new(500);
        assert_eq!(handshakes.due(), None);
        assert_eq!(handshakes.greet(AT, A, None), Greeted::Begin(1));
        assert_eq!(handshakes.greet(AT.plus(100), A, None), Greeted::Begin(2));
        assert_eq!(
            (handshakes.due(), handshakes.expire(AT.plus(500))),
            (Some(AT.plus(500)), None)
        );
        assert_eq!(handshakes.expire(AT.plus(501)), Some(1));
        assert_eq!(
            (handshakes.expire(AT.plus(501)), handshakes.end(1)),
            (None, false)
        );
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut handshakes = Handshakes::new(500);
        for number in 0..5000_u32 {
            let text = format!("nonce-{number:016}");
            let origin = format!("https://{number}.example");
            assert_eq!(
                handshakes.greet(AT, &origin, Some(nonce(&text, 1))),
                Greeted::Begin(number + 1)
            );
            assert!(handshakes.end(number + 1));
        }
        assert_eq!(
            (handshakes.nonces.len(), handshakes.rates.len()),
            (MAX_NONCES, MAX_ORIGINS)
        );
    }
}
