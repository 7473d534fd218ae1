//! SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012), keyed.
//!
//! It refuses to serve without a key: an attacker picks the input. The core calls it for the fingerprints
//! of invocations.

/// The hash of `bytes` under `key`, the first output word in the low half.
pub fn sip128(key: [u64; 2], bytes: &[u8]) -> u128 {
    let [k0, k1] = key;
    let mut state = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    // The last word ends with the length.
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len() / 8 * 8 + 7, 0);
    padded.push(bytes.len().to_le_bytes()[0]);
    for bytes in padded.as_chunks::<8>().0 {
        let word = u64::from_le_bytes(*bytes);
        state[3] ^= word;
        mix(&mut state, 2);
        state[0] ^= word;
    }
    state[2] ^= 0xee;
    let low = squeeze(&mut state);
    state[1] ^= 0xdd;
    let high = squeeze(&mut state);
    u128::from(low) | (u128::from(high) << 64)
}

#[inline(never)]
fn squeeze(state: &mut [u64; 4]) -> u64 {
    mix(state, 4);
    state[0] ^ state[1] ^ state[2] ^ state[3]
}

/// So many rounds.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "a call for each word takes as long as the rounds"
)]
fn mix(state: &mut [u64; 4], rounds: u32) {
    let [mut a, mut b, mut c, mut d] = *state;
    for _ in 0..rounds {
        a = a.wrapping_add(b);
        b = b.rotate_left(13) ^ a;
        a = a.rotate_left(32);
        c = c.wrapping_add(d);
        d = d.rotate_left(16) ^ c;
        a = a.wrapping_add(d);
        d = d.rotate_left(21) ^ a;
        c = c.wrapping_add(b);
        b = b.rotate_left(17) ^ c;
        c = c.rotate_left(32);
    }
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::sip128;
    use proptest::prelude::*;
    use siphasher::sip128::{Hasher128, SipHasher24};
    use std::hash::Hasher;

    proptest! {
        #[test]
        fn hashes_are_those_of_the_reference_crate(
            key in any::<[u64; 2]>(),
            bytes in prop::collection::vec(any::<u8>(), 0..100)
        ) {
            let mut reference = SipHasher24::new_with_keys(key[0], key[1]);
            reference.write(&bytes);
            prop_assert_eq!(sip128(key, &bytes), reference.finish128().as_u128());
        }
    }
}
