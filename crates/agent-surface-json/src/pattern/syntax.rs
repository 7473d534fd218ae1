//! The pattern's syntax: ECMA-262 §22.2.1 with `[+UnicodeMode]`, straight into a program.
//!
//! It refuses what `u` mode refuses, nesting past 64 groups, so that recursion stays small, and programs past
//! `MAX_PROGRAM`: counted repetitions are written out. `Pattern::compile` calls it.

use super::PatternError;
use super::class::{self, MAX_POINT, Ranges};
use super::program::{Anchor, Look, Program, Step};
use crate::parse::narrow;

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
    names: Vec<Vec<char>>,
    /// The code of the innermost lookaround, or of the pattern.
    code: Vec<Step>,
    /// Whether that code reads the text from its end: then what comes last in the pattern comes first.
    is_backward: bool,
    size: usize,
    program: Program,
    failure: PatternError,
}

/// The parser has noted why. Handed on from everywhere, so it is small.
struct Failed;

type Result<T> = core::result::Result<T, Failed>;

pub(super) fn parse(source: &str) -> core::result::Result<Program, PatternError> {
    let mut parser = Parser {
        source: source.chars().collect(),
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
        failure: PatternError { at: 0, reason: "" },
    };
    match parser.whole() {
        Ok(()) => Ok(parser.program),
        Err(Failed) => Err(parser.failure),
    }
}

impl Parser {
    fn whole(&mut self) -> Result<()> {
        self.look(false)?;
        if self.at < self.source.len() {
            return self.fail("a `)` closes nothing: write `\\)` for the character");
        }
        Ok(())
    }

    fn fail<T>(&mut self, reason: &'static str) -> Result<T> {
        self.failure = PatternError { at: self.at, reason };
        Err(Failed)
    }

    fn too_large(&mut self) -> Result<()> {
        self.at = 0;
        self.fail("it is too large: shorten its repetitions, or use `maxLength`")
    }

    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let is_here = self.peek() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    fn push(&mut self, step: Step) -> Result<()> {
        self.size += 1;
        if self.size > MAX_PROGRAM {
            return self.too_large();
        }
        self.code.push(step);
        Ok(())
    }

    fn set(&mut self, ranges: Ranges) -> Result<()> {
        if let [(low, high)] = *ranges {
            return self.push(Step::Range(low, high));
        }
        self.program.sets.push(ranges);
        self.push(Step::Set(narrow(self.program.sets.len() - 1)))
    }

    /// Alternatives with code of their own, which becomes the last lookaround of the program.
    fn look(&mut self, is_backward: bool) -> Result<()> {
        let outer = core::mem::take(&mut self.code);
        let was_backward = core::mem::replace(&mut self.is_backward, is_backward);
        self.alternatives()?;
        self.push(Step::Accept)?;
        if self.program.looks.len() >= MAX_LOOKS {
            return self.too_large();
        }
        let code = core::mem::replace(&mut self.code, outer);
        self.is_backward = was_backward;
        self.program.looks.push(Look { code, is_backward });
        Ok(())
    }

    fn alternatives(&mut self) -> Result<()> {
        let mut exits = Vec::new();
        loop {
            let start = self.code.len();
            self.sequence()?;
            if !self.eat('|') {
                break;
            }
            let branch = self.code.split_off(start);
            self.push(Step::Split(narrow(branch.len() + 2)))?;
            self.code.extend(branch);
            exits.push(self.code.len());
            self.push(Step::Jump(0))?;
        }
        for exit in exits {
            let distance = narrow(self.code.len() - exit);
            if let Some(step) = self.code.get_mut(exit) {
                *step = Step::Jump(distance);
            }
        }
        Ok(())
    }

    fn sequence(&mut self) -> Result<()> {
        let start = self.code.len();
        while let Some(char) = self.peek()
            && char != '|'
            && char != ')'
        {
            let earlier = if self.is_backward {
                self.code.split_off(start)
            } else {
                Vec::new()
            };
            self.term(char)?;
            self.code.extend(earlier);
        }
        Ok(())
    }

    fn term(&mut self, char: char) -> Result<()> {
        let start = self.code.len();
        let next = self.source.get(self.at + 1).copied();
        let anchor = match (char, next) {
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
        match char {
            '(' => {
                if self.group()? {
                    return Ok(());
                }
            }
            '*' | '+' | '?' => {
                return self.fail("a quantifier has nothing to repeat: write `\\` before the character");
            }
            '{' | '}' | ']' => {
                return self.fail("`{`, `}` and `]` alone are no characters: write `\\` before them");
            }
            _ => {
                let mut ranges = Ranges::new();
                self.at += 1;
                match char {
                    '.' => class::complement(class::LINE_TERMINATOR, &mut ranges),
                    '[' => self.class(&mut ranges)?,
                    '\\' => {
                        let point = self.escape(false, &mut ranges)?;
                        ranges.extend(point.map(|point| (point, point)));
                    }
                    plain => ranges.push((u32::from(plain), u32::from(plain))),
                }
                self.set(ranges)?;
            }
        }
        self.quantified(start)
    }

    /// `true` when it was a lookaround, which cannot be repeated.
    fn group(&mut self) -> Result<bool> {
        if self.depth >= MAX_NESTING {
            return self.fail("groups are nested too deeply, 64 is the most");
        }
        self.at += 1;
        self.depth += 1;
        let mut is_look = false;
        if self.eat('?') {
            let is_behind = self.eat('<');
            let is_negative = self.peek() == Some('!');
            is_look = is_negative || self.peek() == Some('=');
            if is_look {
                self.at += 1;
                self.look(!is_behind)?;
                let look = narrow(self.program.looks.len() - 1);
                self.push(Step::Look { look, is_negative })?;
            } else if is_behind {
                self.group_name()?;
            } else if !self.eat(':') {
                self.at -= 1;
                return self.fail(
                    "no group starts like this: use `(`, `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` or `(?<!`",
                );
            }
        }
        if !is_look {
            self.alternatives()?;
        }
        if !self.eat(')') {
            return self.fail("a group is not closed: `)` is missing");
        }
        self.depth -= 1;
        Ok(is_look)
    }

    /// Names are checked and forgotten: nothing can refer to them.
    fn group_name(&mut self) -> Result<()> {
        let start = self.at;
        while let Some(char) = self.peek()
            && char != '>'
        {
            let is_digit = self.at > start && char.is_ascii_digit();
            if !(is_digit || char.is_ascii_alphabetic() || char == '_' || char == '$') {
                return self.fail("a group's name has ASCII letters, digits, `_` and `$`");
            }
            self.at += 1;
        }
        let name = self.source.get(start..self.at).unwrap_or_default().to_vec();
        if name.is_empty() || self.names.contains(&name) || !self.eat('>') {
            return self.fail("a group's name is missing, not closed by `>`, or there twice");
        }
        self.names.push(name);
        Ok(())
    }

    /// Repeats the code from `start` on as often as the quantifier here says.
    fn quantified(&mut self, start: usize) -> Result<()> {
        let (min, max) = match self.peek() {
            Some('*') => (0, UNBOUNDED),
            Some('+') => (1, UNBOUNDED),
            Some('?') => (0, 1),
            Some('{') => self.braces()?,
            _ => return Ok(()),
        };
        self.at += 1;
        // Lazy or greedy: the verdict is the same.
        self.eat('?');
        let body = self.code.split_off(start);
        if body.is_empty() {
            // All its repetitions are empty.
            return Ok(());
        }
        let length = narrow(body.len());
        let is_unbounded = max == UNBOUNDED;
        let count = if is_unbounded { min.max(1) } else { max };
        for round in 0..count {
            if round >= min {
                // Behind the jump back, or behind all that may follow.
                let left = if is_unbounded { 1 } else { count - round };
                let distance = left
                    .saturating_mul(length + 1)
                    .saturating_add(u32::from(is_unbounded));
                self.push(Step::Split(distance))?;
            }
            for step in &body {
                self.push(*step)?;
            }
        }
        match (is_unbounded, min) {
            (false, _) => Ok(()),
            (true, 0) => self.push(Step::Jump((length + 1).wrapping_neg())),
            (true, _) => self.push(Step::Split(length.wrapping_neg())),
        }
    }

    /// `{n}`, `{n,}`, `{n,m}`; stops at the closing brace.
    fn braces(&mut self) -> Result<(u32, u32)> {
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
            return self.fail("a repetition is `{n}`, `{n,}` or `{n,m}`: write `\\{` for the character");
        };
        if min > max {
            return self.fail("a repetition's numbers are out of order");
        }
        Ok((min, max))
    }

    /// Digits; saturates below `UNBOUNDED`, far beyond the program bound.
    fn number(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|char| char.to_digit(10)) {
            let more = value.unwrap_or(0u32).saturating_mul(10).saturating_add(digit);
            value = Some(more.min(UNBOUNDED - 1));
            self.at += 1;
        }
        value
    }

    /// The ranges of a class, behind its `[`.
    fn class(&mut self, out: &mut Ranges) -> Result<()> {
        let is_negated = self.eat('^');
        let mut ranges = Ranges::new();
        while !self.eat(']') {
            let low = self.class_atom(&mut ranges)?;
            let mut high = low;
            if self.peek() == Some('-') && self.source.get(self.at + 1).is_some_and(|next| *next != ']') {
                self.at += 1;
                high = self.class_atom(&mut ranges)?;
                if low.is_none() || high.is_none() {
                    return self.fail("a range cannot start or end with a class escape: write the `-` last");
                }
            }
            if high < low {
                return self.fail("a range's ends are out of order");
            }
            ranges.extend(low.zip(high));
        }
        let ranges = class::normalize(&ranges);
        if is_negated {
            class::complement(&ranges, out);
        } else {
            *out = ranges;
        }
        Ok(())
    }

    /// A code point, or `None` for a class escape, whose ranges go to `out`.
    fn class_atom(&mut self, out: &mut Ranges) -> Result<Option<u32>> {
        let Some(char) = self.peek() else {
            return self.fail("a class is not closed: `]` is missing");
        };
        self.at += 1;
        if char == '\\' {
            return self.escape(true, out);
        }
        Ok(Some(u32::from(char)))
    }

    /// What an escape stands for, behind its `\`; as `class_atom` gives it.
    fn escape(&mut self, in_class: bool, out: &mut Ranges) -> Result<Option<u32>> {
        let Some(char) = self.peek() else {
            return self.fail("a `\\` at the end escapes nothing");
        };
        self.at += 1;
        if class::add_escape(char, out) {
            return Ok(None);
        }
        Ok(Some(match char {
            't' => 9,
            'n' => 10,
            'v' => 11,
            'f' => 12,
            'r' => 13,
            'b' if in_class => 8,
            '-' if in_class => 0x2D,
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    u32::from(letter) & 31
                }
                _ => return self.fail("`\\c` needs a letter"),
            },
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => 0,
            '1'..='9' | 'k' => {
                return self.fail(
                    "backreferences are not supported: repeat the expression, or check it in the handler",
                );
            }
            'p' | 'P' => {
                return self.fail("`\\p{…}` is not supported: list the ranges, for example `[A-Za-zÀ-ɏ]`");
            }
            'x' => self.hex(2)?,
            'u' => self.unicode()?,
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => {
                u32::from(char)
            }
            _ => return self.fail("this escape does not exist: write the character without `\\`"),
        }))
    }

    fn hex(&mut self, digits: u32) -> Result<u32> {
        let mut value = 0;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|char| char.to_digit(16)) else {
                return self.fail("an escape lacks hexadecimal digits");
            };
            value = (value << 4) | digit;
            self.at += 1;
        }
        Ok(value)
    }

    fn unicode(&mut self) -> Result<u32> {
        if self.eat('{') {
            let mut value = self.hex(1)?;
            while !self.eat('}') {
                value = (value << 4) | self.hex(1)?;
                if value > MAX_POINT {
                    return self.fail("a code point is beyond 10FFFF");
                }
            }
            return Ok(value);
        }
        let first = self.hex(4)?;
        let end = self.at;
        if (0xD800..0xDC00).contains(&first)
            && self.eat('\\')
            && self.eat('u')
            && let Ok(second @ 0xDC00..0xE000) = self.hex(4)
        {
            return Ok(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        self.at = end;
        Ok(first)
    }
}
