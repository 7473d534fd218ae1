//! Base64url without padding (RFC 4648 §5), as signatures are written.
//!
//! It refuses other alphabets and padding, and does not mind bits past the last byte: the protocol's other implementation
//! ignores them, so sixteen spellings of a signature's last character are one signature. `ed25519` and hosts call it.

use alloc::string::String;
use alloc::vec::Vec;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Characters of a text, at most.
const MAX_TEXT: usize = 16_384;

/// The bytes of a text, which is not empty.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() > MAX_TEXT || text.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for character in text.bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.extend(u8::try_from((bits >> count) & 0xFF));
        }
    }
    Some(out)
}

/// The text of bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 2);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .fold(0_u32, |group, byte| (group << 8) | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let index = (group >> (18 - 6 * place)) & 63;
            out.extend(ALPHABET.get(index as usize).copied().map(char::from));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn texts_read_back_and_trailing_bits_do_not_count() {
        for (bytes, text) in [
            (&b"f"[..], "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg"),
            (&[0xFB, 0xFF], "-_8"),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        assert_eq!(decode("Zh").as_deref(), Some(&b"f"[..]));
        for wrong in ["", "Z", "Zg==", "Zm+v", "Zm/v", "Zg ", "Zm9vY"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
