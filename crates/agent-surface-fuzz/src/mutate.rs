//! A fuzzer for stable Rust: takes an input of the corpus, changes it here and there, runs it. No coverage guides it; for
//! that there is libFuzzer. Called by the binary of this crate.

use std::time::{Duration, Instant};

use crate::Target;

/// What formats have in common.
const TOKENS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "true",
    "1e999",
    "-0",
    "0.1",
    "$ref",
    "#/$defs/a",
    "$defs",
    "anyOf",
    "properties",
    "items",
    "default",
    "enum",
    "const",
    "pattern",
    "required",
    "additionalProperties",
    "minItems",
    "multipleOf",
    "format",
    "type",
    "object",
    "(?:a|b)*",
    "[^a]",
    "{2,9}",
    "\\p{L}",
    "view:",
    "domain:",
    "_at_",
    "\u{0}",
];

/// Inputs are cut to this.
const MOST_BYTES: usize = 4096;
/// What one input may take, at most: far above what any does on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(5);

/// splitmix64: the same seed, the same run.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `count`; 0 below 0.
    pub fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count.max(1)).unwrap_or(1);
        usize::try_from(self.next() % count).unwrap_or_default()
    }
}

/// One small change, or several.
pub fn mutate(input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(6) {
        let at = random.below(input.len() + 1);
        let end = (at + 1 + random.below(16)).min(input.len());
        match random.below(8) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => {
                let piece = input.get(at..end).unwrap_or_default().to_vec();
                insert(input, at, &piece);
            }
            3 => {
                let from = random.below(other.len() + 1);
                let piece = other.get(from..).unwrap_or_default();
                insert(
                    input,
                    at,
                    piece.get(..random.below(40).min(piece.len())).unwrap_or_default(),
                );
            }
            4 => insert(
                input,
                at,
                TOKENS.get(random.below(TOKENS.len())).unwrap_or(&"").as_bytes(),
            ),
            5 => {
                let noise: Vec<u8> = (0..random.below(64))
                    .map(|_| random.next().to_le_bytes()[0])
                    .collect();
                insert(input, at, &noise);
            }
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = random.next().to_le_bytes()[0];
                }
            }
        }
    }
    input.truncate(MOST_BYTES);
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(input.splice(at..at, piece.iter().copied()).collect::<Vec<u8>>());
}

/// Runs a target on changed inputs of a corpus for some time, and answers with how many; `before` sees each one first, so
/// that it is known when it breaks.
///
/// # Panics
/// With what the target asserts, or when an input takes far too long.
pub fn run(
    target: Target,
    corpus: &[Vec<u8>],
    seed: u64,
    time: Duration,
    mut before: impl FnMut(&[u8]),
) -> u64 {
    let mut random = Random(seed);
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < time {
        let pick = |random: &mut Random| {
            corpus
                .get(random.below(corpus.len()))
                .cloned()
                .unwrap_or_default()
        };
        let mut input = pick(&mut random);
        let other = pick(&mut random);
        mutate(&mut input, &other, &mut random);
        before(&input);
        let began = Instant::now();
        target(&input);
        assert!(
            began.elapsed() < MOST_TIME,
            "an input that takes {:?}",
            began.elapsed()
        );
        count += 1;
    }
    count
}
