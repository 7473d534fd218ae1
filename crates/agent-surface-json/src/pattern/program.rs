//! What a pattern compiles to: instructions of a Pike machine (R. Cox, "Regular Expression Matching: the Virtual
//! Machine Approach", 2009).
//!
//! It refuses absolute addresses: jumps are relative, so that code can be moved and copied. The syntax writes
//! programs, the machine runs them.

use super::class::Ranges;
use alloc::vec::Vec;

/// A position without width.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    End,
    Word,
    NotWord,
}

/// One instruction. Distances count instructions and wrap: a step back is close to 2^32.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Consumes a code point from the first to the second.
    Range(u32, u32),
    /// Consumes a code point that is in the set with this number.
    Set(u32),
    /// Goes on with the next instruction and with the one at this distance.
    Split(u32),
    /// Goes on at this distance.
    Jump(u32),
    Anchor(Anchor),
    /// Goes on where the lookaround with this number holds, or does not hold.
    Look {
        look: u32,
        is_negative: bool,
    },
    Accept,
}

/// A lookaround: its code runs once over the whole text. Ahead runs backward, so that it ends where it is
/// asked; behind runs forward.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) code: Vec<Step>,
    pub(super) is_backward: bool,
}

/// Everything the machine needs. The last lookaround is the pattern itself; each comes after those it contains.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) looks: Vec<Look>,
    pub(super) sets: Vec<Ranges>,
}
