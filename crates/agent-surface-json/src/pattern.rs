//! `pattern`: regular expressions of ECMA-262 with the `u` flag, unanchored, in linear time.
//!
//! It refuses backreferences (no linear time), `\p{…}` (needs Unicode tables) and whatever `u` mode calls a
//! syntax error. Groups capture nothing: only the verdict counts. Schemas call it.
//!
//! A match costs at most the length of the text times the size of the program (2,500 steps), once for the whole and
//! once for each lookaround. Sets of threads that come again cost one look-up, so texts that repeat themselves, which
//! long ones do, cost about their length. Callers bound texts at 256 KiB.

mod cache;
mod class;
mod machine;
mod program;
mod syntax;

use crate::text::concat;
use alloc::string::String;
use alloc::vec::Vec;
use program::Program;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    program: Program,
}

/// Why a source is no usable pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Offset in code points.
    pub at: usize,
    /// What is wrong and how to write it.
    pub reason: &'static str,
}

impl PatternError {
    /// One sentence.
    pub fn message(&self) -> String {
        concat(&[
            self.reason,
            " (at character ",
            &crate::text::format_count(self.at),
            ")",
        ])
    }
}

impl Pattern {
    /// Compiles the text between the slashes of a regular expression literal.
    pub fn compile(source: &str) -> Result<Pattern, PatternError> {
        let program = syntax::parse(source)?;
        Ok(Pattern { program })
    }

    /// Whether it matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        machine::is_match(&self.program, &points(text))
    }
}

#[inline(never)]
fn points(text: &str) -> Vec<char> {
    let mut points = Vec::new();
    for char in text.chars() {
        points.push(char);
    }
    points
}

#[cfg(test)]
mod tests;
