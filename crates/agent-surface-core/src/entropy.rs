//! A pool of random bytes that the host fills; the core has no randomness of its own.
//!
//! It refuses to stretch what it was given: a byte is used once, and a dry pool says so. Called by the registry and
//! the confirmations for their ids; filled by the boundary from the system's cryptographic source.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

const LOW: usize = 512;
/// Bytes past this are not kept, so that a host that fills without being asked costs no memory.
const MOST: usize = 65_536;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The greatest multiple of 62 that a byte can hold: bytes from here on would favour the first characters.
const FAIR: u8 = 248;

/// Random bytes waiting for use.
#[derive(Default)]
pub struct Entropy {
    pool: Vec<u8>,
}

/// Shows how much is left, never what.
impl fmt::Debug for Entropy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entropy")
            .field("left", &self.pool.len())
            .finish_non_exhaustive()
    }
}

impl Entropy {
    /// A dry pool.
    pub const fn new() -> Self {
        Self { pool: Vec::new() }
    }

    /// Adds random bytes, up to 65,536 in all.
    pub fn fill(&mut self, bytes: &[u8]) {
        let room = MOST.saturating_sub(self.pool.len());
        self.pool.extend(bytes.iter().take(room));
    }

    /// Whether fewer than 512 bytes are left, so that the host should fill soon.
    pub const fn is_low(&self) -> bool {
        self.pool.len() < LOW
    }

    /// `n` random characters of `0-9A-Za-z`, every one equally likely (5.95 bits each); `None` when the pool runs
    /// dry on the way.
    pub fn base62(&mut self, n: usize) -> Option<String> {
        let mut text = String::with_capacity(n.min(MOST));
        while text.len() < n {
            let byte = self.pool.pop()?;
            if byte < FAIR {
                text.push(char::from(*ALPHABET.get(usize::from(byte % 62))?));
            }
        }
        Some(text)
    }

    /// Eight random bytes as a number; `None` when fewer are left.
    pub fn u64(&mut self) -> Option<u64> {
        let mut number = 0;
        for _ in 0..8 {
            number = (number << 8) | u64::from(self.pool.pop()?);
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_pool_gives_nothing() {
        let mut pool = Entropy::new();
        assert!(pool.is_low());
        assert_eq!(pool.base62(1), None);
        assert_eq!(pool.u64(), None);
        pool.fill(&[1; 7]);
        assert_eq!(pool.u64(), None);
    }

    #[test]
    fn a_text_has_the_length_asked_for_and_skips_unfair_bytes() {
        let mut pool = Entropy::new();
        pool.fill(&[0, 61, 248, 255, 62]);
        assert_eq!(pool.base62(3).as_deref(), Some("0z0"));
        assert_eq!(pool.base62(1), None);
    }

    #[test]
    fn every_character_is_equally_likely() {
        let mut pool = Entropy::new();
        let all: Vec<u8> = (0..=255).collect();
        pool.fill(&all);
        let text = pool.base62(248).expect("248 of 256 bytes are fair");
        for &character in ALPHABET {
            assert_eq!(text.bytes().filter(|&byte| byte == character).count(), 4);
        }
    }

    #[test]
    fn a_byte_is_used_once() {
        let mut pool = Entropy::new();
        pool.fill(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
        let first = pool.u64();
        let second = pool.u64();
        assert!(first.is_some() && second.is_some() && first != second);
        assert_eq!(pool.u64(), None);
    }

    #[test]
    fn it_is_low_below_512_bytes_and_never_holds_more_than_its_bound() {
        let mut pool = Entropy::new();
        pool.fill(&[0; 511]);
        assert!(pool.is_low());
        pool.fill(&[0; 1]);
        assert!(!pool.is_low());
        for _ in 0..100 {
            pool.fill(&[0; 4096]);
        }
        assert_eq!(pool.pool.len(), MOST);
    }

    #[test]
    #[expect(
        clippy::disallowed_macros,
        reason = "this is about the form that formatting gives"
    )]
    fn its_debug_form_shows_no_bytes() {
        let mut pool = Entropy::new();
        pool.fill(&[77; 4]);
        let shown = format!("{pool:?}");
        assert!(shown.contains('4') && !shown.contains("77"), "{shown}");
    }
}
