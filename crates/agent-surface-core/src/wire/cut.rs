//! Names that end in digits of a hash: how much is kept, what the hash covers, how it is spelled.
//!
//! It refuses to choose a level: `wire` does, when names collide.

use super::NameRequest;
use agent_surface_json::concat;
use alloc::string::String;

const HEAD: usize = 56;
const DIGITS: usize = 7;
/// At this level the whole name is hash.
pub(super) const LAST_LEVEL: usize = HEAD / 2;
/// From this level on the position in the list joins the hash: two requests equal in everything still part.
const POSITION_LEVEL: usize = 4;

/// What the hash of a cut name covers.
pub(super) struct Cut<'a> {
    pub request: NameRequest<'a>,
    pub level: usize,
    /// Only where names collided.
    pub owner: Option<&'a str>,
    /// Place in the list.
    pub position: usize,
}

impl Cut<'_> {
    /// What is kept of the plain name, and the hash.
    pub fn name(&self, plain: &str) -> String {
        let kept = plain.get(..HEAD.saturating_sub(2 * self.level));
        let mut name = concat(&[kept.unwrap_or(plain), "_"]);
        let mut left = DIGITS + 2 * self.level;
        let mut chunk = 0;
        while left > 0 {
            // Twelve digits of base 36 are what 64 bits fill.
            let digits = left.min(12);
            push_base36(&mut name, self.hash(chunk), digits);
            left -= digits;
            chunk += 1;
        }
        name
    }

    fn hash(&self, chunk: u8) -> u64 {
        let mut hash = OFFSET;
        // The level goes first: after equal states a later difference would be the same for both.
        if self.level > 0 {
            hash = fnv(hash, &[u8::try_from(self.level).unwrap_or(u8::MAX), chunk]);
        }
        hash = fnv(hash, self.request.id.as_bytes());
        if let Some(instance) = self.request.instance {
            hash = fnv(fnv(hash, &[0]), instance.as_bytes());
        }
        if let Some(owner) = self.owner {
            hash = fnv(fnv(hash, &[1]), owner.as_bytes());
        }
        if self.level >= POSITION_LEVEL {
            let position = u32::try_from(self.position).unwrap_or(u32::MAX);
            hash = fnv(fnv(hash, &[2]), &position.to_le_bytes());
        }
        hash
    }
}

/// The lowest `digits` (at most 12) base-36 digits of a number, highest first.
fn push_base36(name: &mut String, number: u64, digits: usize) {
    let mut divisor = 1;
    for _ in 1..digits {
        divisor *= 36;
    }
    while divisor > 0 {
        let digit = u32::try_from(number / divisor % 36).unwrap_or_default();
        name.extend(char::from_digit(digit, 36));
        divisor /= 36;
    }
}

/// FNV-1a, 64 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>).
pub(super) const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

pub(super) fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    for &byte in bytes {
        hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_level_fills_64_characters_of_a_long_id() {
        let id = "p".repeat(128);
        let names: BTreeSet<String> = (0..=LAST_LEVEL)
            .map(|level| {
                let request = NameRequest {
                    id: &id,
                    instance: None,
                };
                Cut {
                    request,
                    level,
                    owner: None,
                    position: 0,
                }
                .name(&"p".repeat(128))
            })
            .collect();
        assert_eq!(names.len(), LAST_LEVEL + 1);
        assert!(names.iter().all(|name| name.len() == 64 && name.is_ascii()));
    }

    #[test]
    fn digits_are_base_36_with_leading_zeros() {
        let mut name = String::new();
        push_base36(&mut name, 35, 3);
        name.push(' ');
        push_base36(&mut name, 36 * 36 * 36 + 1, 3);
        name.push(' ');
        // In full `3w5e11264sgsf`, thirteen digits.
        push_base36(&mut name, u64::MAX, 12);
        assert_eq!(name, "00z 001 w5e11264sgsf");
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv(OFFSET, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(OFFSET, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(OFFSET, b"foobar"), 0x8594_4171_f739_67e8);
    }
}
