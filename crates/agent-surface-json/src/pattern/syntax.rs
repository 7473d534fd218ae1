//! The pattern's syntax: ECMA-262 §22.2.1 with `[+UnicodeMode]`, straight into a program.
//!
//! It refuses what `u` mode refuses, nesting past 64 groups, so that recursion stays small, and programs past
//! `MAX_PROGRAM`: counted repetitions are written out. `Pattern::compile` calls it.

use super::PatternError;
use super::class::{self, MAX_POINT, Ranges};
use super::program::{Anchor, Look, Program, Step};
use crate::parse::narrow;
use alloc::vec::Vec;

/// No upper bound of a repetition.
const UNBOUNDED: u32 = u32::MAX;
const MAX_NESTING: u32 = 64;
/// Instructions of the whole pattern, lookarounds included.
const MAX_PROGRAM: usize = 2_500;
/// Lookarounds and the pattern itself: each keeps a flag per position of the text.
const MAX_LOOKS: usize = 33;

struct Parser {
    source: Vec<char>,
    at: usize,
    depth: u32,
    /// Where the names of groups stand.
    names: Vec<(usize, usize)>,
    /// The code of the innermost lookaround, or of the pattern.
    code: Vec<Step>,
    /// Whether that code reads the text from its end: then what comes last in the pattern comes first.
    is_backward: bool,
    size: usize,
    program: Program,
    /// The first thing that is wrong. From then on the source is at its end, so that everything open ends by itself.
    failure: Option<PatternError>,
}

pub(super) fn parse(source: &str) -> Result<Program, PatternError> {
    let mut parser = Parser {
        source: super::points(source),
        at: 0,
        depth: 0,
        names: Vec::new(),
        code: Vec::new(),
        is_backward: false,
        size: 0,
        program: Program {
            looks: Vec::new(),
            sets: Vec::new(),
        },
        failure: None,
    };
    parser.look(false);
    if parser.peek().is_some() {
        parser.fail("a `)` closes nothing: write `\\)` for the character");
    }
    match parser.failure {
        None => Ok(parser.program),
        Some(failure) => Err(failure),
    }
}

impl Parser {
    #[inline(never)]
    fn fail(&mut self, reason: &'static str) {
        let at = self.at;
        self.failure.get_or_insert(PatternError { at, reason });
        self.at = self.source.len();
    }

    #[inline(never)]
    fn too_large(&mut self) {
        self.at = 0;
        self.fail("it is too large: shorten its repetitions, or use `maxLength`");
    }

    fn ahead(&self, distance: usize) -> Option<char> {
        self.source.get(self.at + distance).copied()
    }

    #[inline(never)]
    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    #[inline(never)]
    fn eat(&mut self, wanted: char) -> bool {
        let is_here = self.peek() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    #[inline(never)]
    fn push(&mut self, step: Step) {
        self.size += 1;
        if self.size > MAX_PROGRAM {
            return self.too_large();
        }
        self.code.push(step);
    }

    fn set(&mut self, ranges: Ranges) {
        if let [(low, high)] = *ranges {
            return self.push(Step::Range(low, high));
        }
        self.push(Step::Set(narrow(self.program.sets.len())));
        self.program.sets.push(ranges);
    }

    /// Alternatives with code of their own, which becomes the last lookaround of the program.
    fn look(&mut self, is_backward: bool) {
        let outer = core::mem::take(&mut self.code);
        let was_backward = core::mem::replace(&mut self.is_backward, is_backward);
        self.alternatives();
        self.push(Step::Accept);
        if self.program.looks.len() >= MAX_LOOKS {
            self.too_large();
        }
        let code = core::mem::replace(&mut self.code, outer);
        self.is_backward = was_backward;
        self.program.looks.push(Look { code, is_backward });
    }

    #[inline(never)]
    fn alternatives(&mut self) {
        let mut start = self.code.len();
        let mut exits = Vec::new();
        loop {
            self.sequence();
            if !self.eat('|') {
                break;
            }
            let branch = self.cut_off(start);
            self.push(Step::Split(narrow(branch.len() + 2)));
            self.code.extend_from_slice(&branch);
            exits.push(self.code.len());
            self.push(Step::Jump(0));
            start = self.code.len();
        }
        for exit in exits {
            let distance = narrow(self.code.len() - exit);
            if let Some(step) = self.code.get_mut(exit) {
                *step = Step::Jump(distance);
            }
        }
    }

    /// Takes the code from `start` on: `split_off` without its panic.
    #[inline(never)]
    fn cut_off(&mut self, start: usize) -> Vec<Step> {
        let cut = self.code.get(start..).unwrap_or_default().to_vec();
        self.code.truncate(start);
        cut
    }

    fn sequence(&mut self) {
        let start = self.code.len();
        while let Some(char) = self.peek()
            && char != '|'
            && char != ')'
        {
            let term = self.code.len();
            self.term(char);
            if self.is_backward {
                let last = self.cut_off(term);
                let earlier = self.cut_off(start);
                self.code.extend_from_slice(&last);
                self.code.extend_from_slice(&earlier);
            }
        }
    }

    fn term(&mut self, char: char) {
        let start = self.code.len();
        let anchor = match (char, self.ahead(1)) {
            ('^', _) => Some(Anchor::Start),
            ('$', _) => Some(Anchor::End),
            ('\\', Some('b')) => Some(Anchor::Word),
            ('\\', Some('B')) => Some(Anchor::NotWord),
            _ => None,
        };
        if let Some(anchor) = anchor {
            self.at += if char == '\\' { 2 } else { 1 };
            return self.push(Step::Anchor(anchor));
        }
        let mut ranges = Ranges::new();
        match char {
            '(' => {
                if self.group() {
                    return;
                }
            }
            '*' | '+' | '?' => {
                return self.fail("a quantifier has nothing to repeat: write `\\` before the character");
            }
            '{' | '}' | ']' => {
                return self.fail("`{`, `}` and `]` alone are no characters: write `\\` before them");
            }
            '.' => {
                self.at += 1;
                class::complement(class::LINE_TERMINATOR, &mut ranges);
            }
            '[' => self.class(&mut ranges),
            _ => {
                if let Some(point) = self.atom(false, &mut ranges) {
                    ranges.push((point, point));
                }
            }
        }
        if char != '(' {
            self.set(ranges);
        }
        self.quantified(start);
    }

    /// `true` when it was a lookaround, which cannot be repeated.
    fn group(&mut self) -> bool {
        if self.depth >= MAX_NESTING {
            self.fail("groups are nested too deeply, 64 is the most");
        }
        self.at += 1;
        self.depth += 1;
        let mut is_look = false;
        if self.eat('?') {
            let is_behind = self.eat('<');
            let is_negative = self.eat('!');
            is_look = is_negative || self.eat('=');
            if is_look {
                self.look(!is_behind);
                let look = narrow(self.program.looks.len() - 1);
                self.push(Step::Look { look, is_negative });
            } else if is_behind {
                self.group_name();
            } else if !self.eat(':') {
                self.fail(
                    "no group starts like this: use `(`, `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` or `(?<!`",
                );
            }
        }
        if !is_look {
            self.alternatives();
        }
        if !self.eat(')') {
            self.fail("a group is not closed: `)` is missing");
        }
        self.depth -= 1;
        is_look
    }

    /// Names are checked and forgotten: nothing can refer to them.
    fn group_name(&mut self) {
        let start = self.at;
        while let Some(char) = self.peek()
            && (matches!(char, 'A'..='Z' | 'a'..='z' | '_' | '$')
                || (self.at > start && char.is_ascii_digit()))
        {
            self.at += 1;
        }
        let name = (start, self.at);
        let text = |(start, end): (usize, usize)| self.source.get(start..end);
        let is_known = self.names.iter().any(|known| text(*known) == text(name));
        if start == self.at || is_known || !self.eat('>') {
            self.fail("a group's name has ASCII letters, digits, `_` and `$`, and is there once");
        }
        self.names.push(name);
    }

    /// Repeats the code from `start` on as often as the quantifier here says.
    fn quantified(&mut self, start: usize) {
        let (min, max) = match self.peek() {
            Some('*') => (0, UNBOUNDED),
            Some('+') => (1, UNBOUNDED),
            Some('?') => (0, 1),
            Some('{') => self.braces(),
            _ => return,
        };
        self.at += 1;
        // Lazy or greedy: the verdict is the same.
        self.eat('?');
        let body = self.cut_off(start);
        if body.is_empty() {
            // All its repetitions are empty.
            return;
        }
        let length = narrow(body.len());
        let is_unbounded = max == UNBOUNDED;
        let count = if is_unbounded { min.max(1) } else { max };
        for round in 0..count {
            if self.failure.is_some() {
                return;
            }
            if round >= min {
                // Behind the jump back, or behind all that may follow.
                let left = if is_unbounded { 1 } else { count - round };
                let distance = left
                    .saturating_mul(length + 1)
                    .saturating_add(u32::from(is_unbounded));
                self.push(Step::Split(distance));
            }
            for step in &body {
                self.push(*step);
            }
        }
        if is_unbounded {
            self.push(match min {
                0 => Step::Jump((length + 1).wrapping_neg()),
                _ => Step::Split(length.wrapping_neg()),
            });
        }
    }

    /// `{n}`, `{n,}`, `{n,m}`; stops at the closing brace.
    fn braces(&mut self) -> (u32, u32) {
        self.at += 1;
        let min = self.number();
        let mut max = min;
        if self.eat(',') {
            max = match self.peek() {
                Some('}') => Some(UNBOUNDED),
                _ => self.number(),
            };
        }
        let (Some(min), Some(max), Some('}')) = (min, max, self.peek()) else {
            self.fail("a repetition is `{n}`, `{n,}` or `{n,m}`: write `\\{` for the character");
            return (0, 0);
        };
        if min > max {
            self.fail("a repetition's numbers are out of order");
        }
        (min, max)
    }

    /// Digits; saturates below `UNBOUNDED`, far beyond the program bound.
    fn number(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit @ '0'..='9') = self.peek() {
            let more = value.unwrap_or(0u32).saturating_mul(10);
            value = Some(more.saturating_add(u32::from(digit) & 15).min(UNBOUNDED - 1));
            self.at += 1;
        }
        value
    }

    fn class(&mut self, out: &mut Ranges) {
        self.at += 1;
        let is_negated = self.eat('^');
        let mut ranges = Ranges::new();
        while self.peek().is_some_and(|char| char != ']') {
            let low = self.atom(true, &mut ranges);
            let mut high = low;
            if self.ahead(1).is_some_and(|next| next != ']') && self.eat('-') {
                high = self.atom(true, &mut ranges);
                if low.is_none() || high.is_none() {
                    self.fail("a range cannot start or end with a class escape: write the `-` last");
                }
            }
            if high < low {
                self.fail("a range's ends are out of order");
            }
            ranges.extend(low.zip(high));
        }
        if !self.eat(']') {
            self.fail("a class is not closed: `]` is missing");
        }
        let ranges = class::normalize(&ranges);
        if is_negated {
            class::complement(&ranges, out);
        } else {
            *out = ranges;
        }
    }

    /// A code point, or `None` for a class escape, whose ranges go to `out`.
    #[inline(never)]
    fn atom(&mut self, in_class: bool, out: &mut Ranges) -> Option<u32> {
        if !self.eat('\\') {
            let plain = self.peek().map(u32::from);
            self.at += 1;
            return plain;
        }
        let letter = self.peek().unwrap_or('\0');
        self.at += 1;
        if class::add_escape(letter, out) {
            return None;
        }
        Some(match letter {
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'b' if in_class => 8,
            '-' if in_class => 0x2D,
            'c' => {
                let letter = self.peek().filter(char::is_ascii_alphabetic);
                if letter.is_none() {
                    self.fail("`\\c` needs a letter");
                }
                self.at += 1;
                u32::from(letter.unwrap_or_default()) & 31
            }
            '0' if !matches!(self.peek(), Some('0'..='9')) => 0,
            'x' => self.hex(2),
            'u' => self.unicode(),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
                u32::from(letter)
            }
            _ => {
                self.fail(match letter {
                    '1'..='9' | 'k' => {
                        "backreferences are not supported: repeat the expression, or check it in the handler"
                    }
                    'p' | 'P' => "`\\p{…}` is not supported: list the ranges, for example `[A-Za-zÀ-ɏ]`",
                    '\0' => "a `\\` at the end escapes nothing",
                    _ => "this escape does not exist: write the character without `\\`",
                });
                0
            }
        })
    }

    #[inline(never)]
    fn hex(&mut self, digits: u32) -> u32 {
        let mut value = 0;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|char| char.to_digit(16)) else {
                self.fail("an escape lacks hexadecimal digits");
                break;
            };
            value = (value << 4) | digit;
            self.at += 1;
        }
        value
    }

    fn unicode(&mut self) -> u32 {
        if self.eat('{') {
            let mut value = self.hex(1);
            while self.failure.is_none() && !self.eat('}') {
                value = (value << 4) | self.hex(1);
                if value > MAX_POINT {
                    self.fail("a code point is beyond 10FFFF");
                }
            }
            return value;
        }
        let first = self.hex(4);
        let end = self.at;
        let is_high = (0xD800..0xDC00).contains(&first);
        if is_high && self.eat('\\') && self.eat('u') && self.peek() != Some('{') {
            let second = self.hex(4);
            if (0xDC00..0xE000).contains(&second) {
                return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            }
        }
        self.at = end;
        first
    }
}
