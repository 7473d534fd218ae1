//! Sets of code points.
//!
//! It refuses to know Unicode properties. The pattern parser builds sets, the machine asks them.

use crate::parse::narrow;
use crate::sort::sort;
use alloc::vec::Vec;

/// Inclusive ranges of code points.
pub(super) type Ranges = Vec<(u32, u32)>;

pub(super) const MAX_POINT: u32 = 0x10_FFFF;

const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
/// `WhiteSpace` and `LineTerminator` of ECMA-262.
const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
/// What `.` does not stand for.
pub(super) const LINE_TERMINATOR: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

/// Adds what `\d`, `\s`, `\w` and their negations stand for; `false` for all other letters.
pub(super) fn add_escape(letter: char, out: &mut Ranges) -> bool {
    let base = match letter.to_ascii_lowercase() {
        'd' => DIGIT,
        's' => SPACE,
        'w' => WORD,
        _ => return false,
    };
    if letter.is_ascii_lowercase() {
        out.extend_from_slice(base);
    } else {
        complement(base, out);
    }
    true
}

/// Whether `\b` sees a word character.
pub(super) fn is_word(point: u32) -> bool {
    has(WORD, point)
}

/// Whether a code point is in ranges that are sorted and merged.
pub(super) fn has(ranges: &[(u32, u32)], point: u32) -> bool {
    let behind = ranges.partition_point(|(_, high)| *high < point);
    ranges.get(behind).is_some_and(|(low, _)| *low <= point)
}

/// Sorted, with overlaps and neighbours merged.
pub(super) fn normalize(ranges: &Ranges) -> Ranges {
    let mut order: Vec<u32> = (0..narrow(ranges.len())).collect();
    let low = |index: u32| ranges.get(index as usize).map(|(low, _)| *low);
    sort(&mut order, &|a, b| low(a) < low(b));
    let mut out: Ranges = Vec::new();
    for (low, high) in order.iter().filter_map(|index| ranges.get(*index as usize)) {
        match out.last_mut() {
            Some(last) if *low <= last.1 + 1 => last.1 = last.1.max(*high),
            _ => out.push((*low, *high)),
        }
    }
    out
}

/// Adds all other code points; `ranges` is sorted and merged.
pub(super) fn complement(ranges: &[(u32, u32)], out: &mut Ranges) {
    let mut from = 0;
    for (low, high) in ranges {
        if from < *low {
            out.push((from, *low - 1));
        }
        from = *high + 1;
    }
    if from <= MAX_POINT {
        out.push((from, MAX_POINT));
    }
}
