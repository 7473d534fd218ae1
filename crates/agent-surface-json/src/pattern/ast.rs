//! The pattern's syntax: ECMA-262 §22.2.1 with `[+UnicodeMode]`, into a tree in an arena.
//!
//! It refuses what `u` mode refuses, and nesting past 64 groups, so that recursion stays small.
//! `Pattern::compile` calls it.

use super::PatternError;
use super::class::{self, MAX_POINT, Ranges};

/// A position without width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    End,
    Word,
    NotWord,
}

/// What a node of the tree is; numbers are nodes.
#[derive(Debug)]
pub(super) enum Ast {
    Point(u32),
    /// An index into the tree's sets.
    Set(u32),
    All(Vec<u32>),
    Any(Vec<u32>),
    Repeat {
        body: u32,
        min: u32,
        max: u32,
    },
    Anchor(Anchor),
    Look {
        body: u32,
        is_behind: bool,
        is_negative: bool,
    },
}

/// No upper bound of a repetition.
pub(super) const UNBOUNDED: u32 = u32::MAX;
const MAX_NESTING: u32 = 64;

/// The tree; `root` is a node of it.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Ast>,
    pub(super) sets: Vec<Ranges>,
    pub(super) root: u32,
}

struct Parser {
    source: Vec<u32>,
    at: usize,
    nodes: Vec<Ast>,
    sets: Vec<Ranges>,
    names: Vec<Vec<u32>>,
}

/// What an escape stands for.
enum Escape {
    Point(u32),
    Set(Ranges),
}

type Result<T> = core::result::Result<T, PatternError>;

pub(super) fn parse(source: &str) -> Result<Tree> {
    let source = source.chars().map(u32::from).collect();
    let mut parser = Parser {
        source,
        at: 0,
        nodes: Vec::new(),
        sets: Vec::new(),
        names: Vec::new(),
    };
    let root = parser.alternatives(0)?;
    if parser.at < parser.source.len() {
        return parser.fail("a `)` closes nothing: write `\\)` for the character");
    }
    Ok(Tree {
        nodes: parser.nodes,
        sets: parser.sets,
        root,
    })
}

impl Parser {
    fn fail<T>(&self, reason: &'static str) -> Result<T> {
        Err(PatternError { at: self.at, reason })
    }

    fn peek(&self) -> Option<char> {
        // The source was made of chars.
        self.source.get(self.at).and_then(|point| char::from_u32(*point))
    }

    fn eat(&mut self, wanted: char) -> bool {
        let is_here = self.peek() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    fn eat_all(&mut self, wanted: &str) -> bool {
        let points = wanted.chars().map(u32::from);
        let is_here = self
            .source
            .iter()
            .skip(self.at)
            .copied()
            .take(wanted.len())
            .eq(points);
        self.at += if is_here { wanted.len() } else { 0 };
        is_here
    }

    fn node(&mut self, ast: Ast) -> u32 {
        self.nodes.push(ast);
        crate::parse::narrow(self.nodes.len() - 1)
    }

    fn set(&mut self, ranges: Ranges) -> u32 {
        let known = self.sets.iter().position(|set| *set == ranges);
        let index = known.unwrap_or(self.sets.len());
        if known.is_none() {
            self.sets.push(ranges);
        }
        self.node(Ast::Set(crate::parse::narrow(index)))
    }

    fn alternatives(&mut self, depth: u32) -> Result<u32> {
        let mut branches = vec![self.sequence(depth)?];
        while self.eat('|') {
            branches.push(self.sequence(depth)?);
        }
        Ok(match *branches {
            [only] => only,
            _ => self.node(Ast::Any(branches)),
        })
    }

    fn sequence(&mut self, depth: u32) -> Result<u32> {
        let mut terms = Vec::new();
        while let Some(char) = self.peek() {
            if char == '|' || char == ')' {
                break;
            }
            terms.push(self.term(char, depth)?);
        }
        Ok(self.node(Ast::All(terms)))
    }

    fn term(&mut self, char: char, depth: u32) -> Result<u32> {
        let atom = match char {
            '^' => return Ok(self.anchor(Anchor::Start, 1)),
            '$' => return Ok(self.anchor(Anchor::End, 1)),
            '\\' if self.source.get(self.at + 1) == Some(&0x62) => return Ok(self.anchor(Anchor::Word, 2)),
            '\\' if self.source.get(self.at + 1) == Some(&0x42) => return Ok(self.anchor(Anchor::NotWord, 2)),
            '(' => {
                let group = self.group(depth)?;
                if matches!(self.nodes.get(group as usize), Some(Ast::Look { .. })) {
                    return Ok(group);
                }
                group
            }
            '.' => {
                self.at += 1;
                self.set(class::of_dot())
            }
            '[' => self.class()?,
            '\\' => match self.escape(false)? {
                Escape::Point(point) => self.node(Ast::Point(point)),
                Escape::Set(ranges) => self.set(ranges),
            },
            '*' | '+' | '?' => {
                return self.fail("a quantifier has nothing to repeat: write `\\` before the character");
            }
            '{' | '}' | ']' => {
                return self.fail("`{`, `}` and `]` alone are no characters: write `\\` before them");
            }
            plain => {
                self.at += 1;
                self.node(Ast::Point(u32::from(plain)))
            }
        };
        self.quantified(atom)
    }

    fn anchor(&mut self, anchor: Anchor, length: usize) -> u32 {
        self.at += length;
        self.node(Ast::Anchor(anchor))
    }

    fn group(&mut self, depth: u32) -> Result<u32> {
        if depth >= MAX_NESTING {
            return self.fail("groups are nested too deeply, 64 is the most");
        }
        self.at += 1;
        let look = if self.eat_all("?=") {
            Some((false, false))
        } else if self.eat_all("?!") {
            Some((false, true))
        } else if self.eat_all("?<=") {
            Some((true, false))
        } else if self.eat_all("?<!") {
            Some((true, true))
        } else {
            if self.eat_all("?<") {
                self.group_name()?;
            } else if !self.eat_all("?:") && self.peek() == Some('?') {
                return self.fail(
                    "no group starts like this: use `(`, `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` or `(?<!`",
                );
            }
            None
        };
        let body = self.alternatives(depth + 1)?;
        if !self.eat(')') {
            return self.fail("a group is not closed: `)` is missing");
        }
        Ok(match look {
            Some((is_behind, is_negative)) => self.node(Ast::Look {
                body,
                is_behind,
                is_negative,
            }),
            // A node of its own, so that a quantifier behind `((?=a))` is not taken for one behind `(?=a)`.
            None => self.node(Ast::All(vec![body])),
        })
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

    fn quantified(&mut self, body: u32) -> Result<u32> {
        let (min, max) = match self.peek() {
            Some('*') => (0, UNBOUNDED),
            Some('+') => (1, UNBOUNDED),
            Some('?') => (0, 1),
            Some('{') => self.braces()?,
            _ => return Ok(body),
        };
        self.at += 1;
        // Lazy or greedy: the verdict is the same.
        self.eat('?');
        Ok(self.node(Ast::Repeat { body, min, max }))
    }

    /// `{n}`, `{n,}`, `{n,m}`; stops at the closing brace.
    fn braces(&mut self) -> Result<(u32, u32)> {
        const SHAPE: &str = "a repetition is `{n}`, `{n,}` or `{n,m}`: write `\\{` for the character";
        self.at += 1;
        let Some(min) = self.number() else {
            return self.fail(SHAPE);
        };
        let mut max = Some(min);
        if self.eat(',') {
            max = if self.peek() == Some('}') {
                Some(UNBOUNDED)
            } else {
                self.number()
            };
        }
        let Some(max) = max else { return self.fail(SHAPE) };
        if self.peek() != Some('}') {
            return self.fail(SHAPE);
        }
        if min > max {
            return self.fail("a repetition's numbers are out of order");
        }
        Ok((min, max))
    }

    /// Digits; saturates below `UNBOUNDED`, far beyond the program bound.
    fn number(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|char| char.to_digit(10)) {
            value = Some(
                value
                    .unwrap_or(0u32)
                    .saturating_mul(10)
                    .saturating_add(digit)
                    .min(UNBOUNDED - 1),
            );
            self.at += 1;
        }
        value
    }

    fn class(&mut self) -> Result<u32> {
        self.at += 1;
        let is_negated = self.eat('^');
        let mut ranges = Ranges::new();
        while !self.eat(']') {
            let first = self.class_atom()?;
            let is_range = self.peek() == Some('-')
                && self
                    .source
                    .get(self.at + 1)
                    .is_some_and(|next| *next != u32::from(']'));
            match first {
                Escape::Point(low) if is_range => {
                    self.at += 1;
                    let Escape::Point(high) = self.class_atom()? else {
                        return self.fail("a range cannot end in a class escape: write the `-` last");
                    };
                    if high < low {
                        return self.fail("a range's ends are out of order");
                    }
                    ranges.push((low, high));
                }
                Escape::Point(point) => ranges.push((point, point)),
                Escape::Set(_) if is_range => {
                    return self.fail("a range cannot start with a class escape: write the `-` last");
                }
                Escape::Set(more) => ranges.extend(more),
            }
        }
        let ranges = class::normalize(&ranges);
        Ok(self.set(if is_negated {
            class::complement(&ranges)
        } else {
            ranges
        }))
    }

    fn class_atom(&mut self) -> Result<Escape> {
        match self.peek() {
            None => self.fail("a class is not closed: `]` is missing"),
            Some('\\') => self.escape(true),
            Some(char) => {
                self.at += 1;
                Ok(Escape::Point(u32::from(char)))
            }
        }
    }

    fn escape(&mut self, in_class: bool) -> Result<Escape> {
        self.at += 1;
        let Some(char) = self.peek() else {
            return self.fail("a `\\` at the end escapes nothing");
        };
        if let Some(ranges) = class::of_escape(u32::from(char)) {
            self.at += 1;
            return Ok(Escape::Set(ranges));
        }
        self.at += 1;
        Ok(Escape::Point(match char {
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
            && self.eat_all("\\u")
            && let Ok(second @ 0xDC00..0xE000) = self.hex(4)
        {
            return Ok(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
        }
        self.at = end;
        Ok(first)
    }
}
