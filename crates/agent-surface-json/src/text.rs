//! JSON string literals: decoding the inside of one, writing one, and UTF-16 order.
//!
//! It refuses to validate: it reads only what the parser has accepted. The document, canonical
//! text, equality and the schema checks call it.

use alloc::string::String;
use core::cmp::Ordering;

/// The code points of the inside of a valid JSON string literal. A lone surrogate escape comes out as
/// its own value (0xD800 to 0xDFFF); an escaped pair comes out as one code point.
#[derive(Clone)]
pub(crate) struct Chars<'a> {
    rest: core::str::Chars<'a>,
}

impl<'a> Chars<'a> {
    /// `inside` is the literal without its quotes.
    pub(crate) fn new(inside: &'a str) -> Self {
        Chars { rest: inside.chars() }
    }
}

impl Iterator for Chars<'_> {
    type Item = u32;

    #[inline(never)]
    fn next(&mut self) -> Option<u32> {
        let plain = pull(&mut self.rest)?;
        if plain != 0x5C {
            return Some(plain);
        }
        let letter = pull(&mut self.rest)?;
        let short = SHORT_ESCAPES
            .iter()
            .find(|(_, escape)| u32::from(*escape) == letter);
        if letter != 0x75 {
            return Some(short.map_or(letter, |(point, _)| u32::from(*point)));
        }
        let first = hex4(&mut self.rest);
        let mut ahead = self.rest.clone();
        let is_high = (0xD800..0xDC00).contains(&first);
        if is_high && pull(&mut ahead) == Some(0x5C) && pull(&mut ahead) == Some(0x75) {
            let second = hex4(&mut ahead);
            if (0xDC00..0xE000).contains(&second) {
                self.rest = ahead;
                return Some(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
            }
        }
        Some(first)
    }
}

/// Code points with an escape of one letter, and the letter.
static SHORT_ESCAPES: [(u8, u8); 7] = [
    (8, b'b'),
    (9, b't'),
    (10, b'n'),
    (12, b'f'),
    (13, b'r'),
    (b'"', b'"'),
    (b'\\', b'\\'),
];

/// One code point; decoding UTF-8 is worth having only once.
#[inline(never)]
pub(crate) fn pull(chars: &mut core::str::Chars<'_>) -> Option<u32> {
    chars.next().map(u32::from)
}

/// Appends a code point; so is encoding. Half a surrogate pair becomes U+FFFD.
#[inline(never)]
pub(crate) fn push_point(out: &mut String, point: u32) {
    out.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
}

fn hex4(chars: &mut core::str::Chars<'_>) -> u32 {
    let mut value = 0;
    for _ in 0..4 {
        let digit = pull(chars)
            .and_then(char::from_u32)
            .and_then(|digit| digit.to_digit(16));
        value = (value << 4) | digit.unwrap_or(0);
    }
    value
}

/// UTF-16 order of the insides of two string literals (RFC 8785 §3.2.3).
pub(crate) fn compare(a: &str, a_escaped: bool, b: &str, b_escaped: bool) -> Ordering {
    if a_escaped || b_escaped {
        return compare_decoded(a, b);
    }
    compare_plain(a, b)
}

/// UTF-8 bytes sort like code points; only U+E000 to U+FFFF (lead bytes 0xEE, 0xEF) come after the
/// supplementary planes in UTF-16.
pub(crate) fn compare_plain(a: &str, b: &str) -> Ordering {
    let differing = a.bytes().zip(b.bytes()).find(|(x, y)| x != y);
    match differing {
        Some((x, y)) => rank(x).cmp(&rank(y)),
        None => a.len().cmp(&b.len()),
    }
}

fn rank(byte: u8) -> u8 {
    if byte & 0xFE == 0xEE { byte + 0x10 } else { byte }
}

fn compare_decoded(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (Units::new(a), Units::new(b));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (x, y) if x == y => {}
            (x, y) => return x.cmp(&y),
        }
    }
}

/// The UTF-16 units of a decoded literal.
struct Units<'a> {
    chars: Chars<'a>,
    low: Option<u32>,
}

impl<'a> Units<'a> {
    fn new(inside: &'a str) -> Self {
        Units {
            chars: Chars::new(inside),
            low: None,
        }
    }

    fn next(&mut self) -> Option<u32> {
        if let Some(low) = self.low.take() {
            return Some(low);
        }
        let point = self.chars.next()?;
        if point < 0x10000 {
            return Some(point);
        }
        self.low = Some(0xDC00 + ((point - 0x10000) & 0x3FF));
        Some(0xD800 + ((point - 0x10000) >> 10))
    }
}

/// The decoded text; lone surrogates become U+FFFD, since a Rust string cannot hold them.
pub(crate) fn decode(inside: &str) -> String {
    let mut out = String::with_capacity(inside.len());
    for point in Chars::new(inside) {
        push_point(&mut out, point);
    }
    out
}

/// One text of many. The standard library's `concat` brings its panics, and with them formatting: 1 kB.
#[inline(never)]
pub fn concat(pieces: &[&str]) -> String {
    let mut out = String::with_capacity(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        out.push_str(piece);
    }
    out
}

/// Appends `text` as a JSON string literal with the escapes of ECMAScript's `JSON.stringify`
/// (ECMA-262, `QuoteJSONString`).
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if is_plain(byte) {
            continue;
        }
        out.push_str(text.get(plain_from..at).unwrap_or_default());
        write_point(out, u32::from(byte));
        plain_from = at + 1;
    }
    out.push_str(text.get(plain_from..).unwrap_or_default());
    out.push('"');
}

/// Appends a decoded literal again, with minimal escapes.
pub(crate) fn write_decoded(out: &mut String, inside: &str) {
    out.push('"');
    for point in Chars::new(inside) {
        write_point(out, point);
    }
    out.push('"');
}

/// A byte that stands for itself inside a string literal.
pub(crate) fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

#[inline(never)]
fn write_point(out: &mut String, point: u32) {
    let short = SHORT_ESCAPES.iter().find(|(short, _)| u32::from(*short) == point);
    let is_surrogate = (0xD800..0xE000).contains(&point);
    if short.is_none() && point >= 0x20 && !is_surrogate {
        return push_point(out, point);
    }
    out.push('\\');
    out.push(char::from(short.map_or(b'u', |(_, letter)| *letter)));
    if short.is_none() {
        for shift in [12, 8, 4, 0] {
            push_hex(out, point >> shift);
        }
    }
}

/// Appends the lowest four bits as a lower-case digit.
pub(crate) fn push_hex(out: &mut String, nibble: u32) {
    let digit = b"0123456789abcdef".get((nibble & 15) as usize).copied();
    push_point(out, u32::from(digit.unwrap_or(b'0')));
}

/// Appends `number` in decimal.
pub fn write_u64(out: &mut String, number: u64) {
    if number >= 10 {
        write_u64(out, number / 10);
    }
    push_hex(out, u32::try_from(number % 10).unwrap_or(0));
}

/// `count` in decimal, for messages.
pub(crate) fn format_count(count: usize) -> String {
    let mut out = String::new();
    write_u64(&mut out, count as u64);
    out
}

/// How many Unicode code points a text has.
pub fn characters(text: &str) -> usize {
    // Each has one byte that continues none.
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped_as_json_stringify_does() {
        let mut out = String::new();
        write_string(&mut out, "a\"\\\u{8}\t\n\u{c}\r\u{1}\u{1f}/\u{7f}\u{2028}é😀");
        assert_eq!(
            out,
            "\"a\\\"\\\\\\b\\t\\n\\f\\r\\u0001\\u001f/\u{7f}\u{2028}é😀\""
        );
    }

    #[test]
    fn escapes_decode_and_lone_surrogates_keep_their_value() {
        let points: Vec<u32> = Chars::new("\\u0041\\ud83d\\uDE00\\ud83d\\u0041\\udc00\\/\\n😀").collect();
        assert_eq!(points, [0x41, 0x1F600, 0xD83D, 0x41, 0xDC00, 0x2F, 10, 0x1F600]);
        let mut again = String::new();
        write_decoded(&mut again, "\\uD83D\\u0041\\/");
        assert_eq!(again, "\"\\ud83dA/\"");
    }

    #[test]
    fn order_is_that_of_utf_16_units() {
        assert_eq!(compare_plain("\u{FFFD}", "\u{10000}"), Ordering::Greater);
        assert_eq!(
            compare("\u{E000}", false, "\\ud83d\\ude00", true),
            Ordering::Greater
        );
        assert_eq!(
            compare("\\ud800\\ue000", true, "\u{10000}", false),
            Ordering::Greater
        );
        assert_eq!(compare_plain("a", "ab"), Ordering::Less);
        assert_eq!(compare("\\u0061", true, "a", false), Ordering::Equal);
    }

    #[test]
    fn whole_numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 12_345, u64::MAX] {
            let mut out = String::new();
            write_u64(&mut out, number);
            assert_eq!(out, number.to_string());
        }
    }
}
