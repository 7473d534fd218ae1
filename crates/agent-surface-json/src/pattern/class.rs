//! Sets of code points.
//!
//! It refuses to know Unicode properties. The pattern parser builds sets, the machine asks them.

use crate::parse::narrow;
use crate::sort::sort;

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
const LINE_TERMINATOR: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

/// What `\d`, `\s`, `\w` and their negations stand for.
pub(super) fn of_escape(letter: u32) -> Option<Ranges> {
    let base = match letter | 0x20 {
        0x64 => DIGIT,
        0x73 => SPACE,
        0x77 => WORD,
        _ => return None,
    };
    Some(if letter & 0x20 == 0 {
        complement(base)
    } else {
        base.to_vec()
    })
}

/// What `.` stands for.
pub(super) fn of_dot() -> Ranges {
    complement(LINE_TERMINATOR)
}

/// Whether `\b` sees a word character.
pub(super) fn is_word(point: u32) -> bool {
    WORD.iter().any(|(low, high)| (*low..=*high).contains(&point))
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

/// All other code points; `ranges` is sorted and merged.
pub(super) fn complement(ranges: &[(u32, u32)]) -> Ranges {
    let mut out = Vec::new();
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
    out
}

/// A set to ask.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Set {
    ascii: [u64; 2],
    ranges: Box<[(u32, u32)]>,
}

impl Set {
    /// `ranges` is sorted and merged.
    pub(super) fn new(ranges: Ranges) -> Self {
        let has = |point: u32| ranges.iter().any(|(low, high)| (*low..=*high).contains(&point));
        let bits = |base: u32| (0..64).fold(0, |bits, at| bits | (u64::from(has(base + at)) << at));
        Set {
            ascii: [bits(0), bits(64)],
            ranges: ranges.into(),
        }
    }

    pub(super) fn has(&self, point: u32) -> bool {
        let [low, high] = self.ascii;
        match point {
            0..64 => low >> point & 1 == 1,
            64..128 => high >> (point - 64) & 1 == 1,
            _ => {
                let behind = self.ranges.partition_point(|(_, high)| *high < point);
                self.ranges.get(behind).is_some_and(|(low, _)| *low <= point)
            }
        }
    }
}
