//! The strict RFC 8259 parser: text to a flat tape, in one pass, with a bounded explicit stack.
//!
//! It refuses what is too large before it reads a byte, what is too deep at the bracket that is too
//! deep, and every leniency. `Document::parse` calls it.

use crate::text;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// What a document may be at most.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// UTF-8 bytes of the text, inclusive.
    pub max_bytes: usize,
    /// Nested arrays and objects, inclusive: `[[1]]` has 2.
    pub max_depth: usize,
    /// Whether an escape may stand for half a surrogate pair.
    pub lone_surrogates: bool,
}

/// Why a text is no document. `at` is a byte offset into the text.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// More bytes than allowed.
    TooLarge {
        /// Bytes of the text.
        bytes: usize,
        /// The bound it broke.
        max_bytes: usize,
    },
    /// An array or object nested deeper than allowed.
    TooDeep {
        /// Where it opens.
        at: usize,
    },
    /// Not JSON.
    Syntax {
        /// The first offending byte.
        at: usize,
        /// What JSON has there.
        expected: &'static str,
    },
    /// Half a surrogate pair.
    LoneSurrogate {
        /// Where its escape begins.
        at: usize,
    },
}

impl ParseError {
    /// One sentence for a developer or a model.
    pub fn message(&self) -> String {
        let (head, at) = match *self {
            ParseError::TooLarge { bytes, max_bytes } => {
                let mut out = String::from("the JSON text has ");
                text::write_u64(&mut out, bytes as u64);
                out.push_str(" bytes, at most ");
                text::write_u64(&mut out, max_bytes as u64);
                out.push_str(" are allowed");
                return out;
            }
            ParseError::TooDeep { at } => ("the JSON value is nested too deeply", at),
            ParseError::Syntax { at, expected } => (expected, at),
            ParseError::LoneSurrogate { at } => ("the text has a lone UTF-16 surrogate", at),
        };
        let is_syntax = matches!(self, ParseError::Syntax { .. });
        let mut out = String::from(if is_syntax {
            "not valid JSON: expected "
        } else {
            ""
        });
        out.push_str(head);
        out.push_str(" at byte ");
        text::write_u64(&mut out, at as u64);
        out
    }
}

pub(crate) const NULL: u32 = 0;
pub(crate) const FALSE: u32 = 1;
pub(crate) const TRUE: u32 = 2;
pub(crate) const NUMBER: u32 = 3;
pub(crate) const STRING: u32 = 4;
pub(crate) const ARRAY: u32 = 5;
pub(crate) const OBJECT: u32 = 6;
/// The three low bits of a tag are one of the above.
pub(crate) const KIND_BITS: u32 = 7;
/// A string with at least one escape.
pub(crate) const ESCAPED: u32 = 8;
/// Above it, the number of items or entries.
pub(crate) const COUNT_SHIFT: u32 = 4;
/// So that a count and an offset fit the tape whatever the caller allows.
pub(crate) const MAX_TEXT: usize = 1 << 28;

/// One value: its slice of the text and the tape index behind its subtree. An object's entries are
/// a string node (the key) followed by the value's nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) next: u32,
    pub(crate) tag: u32,
}

pub(crate) struct Tape {
    pub(crate) nodes: Vec<Node>,
    pub(crate) is_canonical: bool,
}

/// An open array or object.
struct Frame {
    node: u32,
    count: u32,
    last_key: u32,
    is_object: bool,
}

struct Parser<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<Frame>,
    bounds: Bounds,
    is_canonical: bool,
    failure: ParseError,
}

/// The parser has noted why. Handed on from everywhere, so it is small.
struct Failed;

pub(crate) fn parse(source: &str, bounds: Bounds) -> Result<Tape, ParseError> {
    let max_bytes = bounds.max_bytes.min(MAX_TEXT);
    if source.len() > max_bytes {
        return Err(ParseError::TooLarge {
            bytes: source.len(),
            max_bytes,
        });
    }
    let mut parser = Parser {
        source,
        bytes: source.as_bytes(),
        at: 0,
        // A node per eight bytes is what tables of small objects have.
        nodes: Vec::with_capacity(source.len() / 8 + 1),
        open: Vec::new(),
        bounds,
        is_canonical: true,
        failure: ParseError::TooDeep { at: 0 },
    };
    match parser.run() {
        Ok(()) => Ok(Tape {
            nodes: parser.nodes,
            is_canonical: parser.is_canonical,
        }),
        Err(Failed) => Err(parser.failure),
    }
}

/// Offsets are below `MAX_TEXT`, so this never saturates.
pub(crate) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl Parser<'_> {
    /// The byte here, 0 at the end: a NUL is valid nowhere.
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn syntax<T>(&mut self, expected: &'static str) -> Result<T, Failed> {
        self.failure = ParseError::Syntax {
            at: self.at,
            expected,
        };
        Err(Failed)
    }

    /// Between the tokens of a host's own texts there is nothing: that costs no call.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call takes longer than what it does")]
    fn skip_space(&mut self) {
        if self.peek() <= b' ' {
            self.skip_spaces();
        }
    }

    #[inline(never)]
    fn skip_spaces(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.is_canonical = false;
            self.at += 1;
        }
    }

    fn run(&mut self) -> Result<(), Failed> {
        loop {
            self.skip_space();
            if self.value()? && self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Reads a value, or the opening of one up to where its first value stands: then `false`.
    fn value(&mut self) -> Result<bool, Failed> {
        let start = self.at;
        let tag = match self.peek() {
            b'"' => self.string()?,
            b'{' => return self.open(true),
            b'[' => return self.open(false),
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true", TRUE)?,
            b'f' => self.word("false", FALSE)?,
            b'n' => self.word("null", NULL)?,
            _ => return self.syntax("a JSON value"),
        };
        self.push(start, tag);
        Ok(true)
    }

    fn push(&mut self, start: usize, tag: u32) {
        let next = narrow(self.nodes.len() + 1);
        self.nodes.push(Node {
            start: narrow(start),
            end: narrow(self.at),
            next,
            tag,
        });
    }

    fn open(&mut self, is_object: bool) -> Result<bool, Failed> {
        if self.open.len() >= self.bounds.max_depth {
            self.failure = ParseError::TooDeep { at: self.at };
            return Err(Failed);
        }
        let node = narrow(self.nodes.len());
        let start = self.at;
        self.at += 1;
        self.push(start, if is_object { OBJECT } else { ARRAY });
        self.skip_space();
        let is_empty = self.peek() == if is_object { b'}' } else { b']' };
        self.open.push(Frame {
            node,
            count: u32::from(!is_empty),
            last_key: 0,
            is_object,
        });
        if is_empty {
            self.close();
            return Ok(true);
        }
        if is_object {
            self.key()?;
        }
        Ok(false)
    }

    fn close(&mut self) {
        self.at += 1;
        let next = narrow(self.nodes.len());
        let end = narrow(self.at);
        if let Some(frame) = self.open.pop()
            && let Some(node) = self.nodes.get_mut(frame.node as usize)
        {
            node.end = end;
            node.next = next;
            node.tag |= frame.count << COUNT_SHIFT;
        }
    }

    /// After a complete value: closes what closes here. `true` at the end of the text.
    fn after_value(&mut self) -> Result<bool, Failed> {
        loop {
            self.skip_space();
            let byte = self.peek();
            let Some(frame) = self.open.last_mut() else {
                return if self.at == self.bytes.len() {
                    Ok(true)
                } else {
                    self.syntax("the end of the text")
                };
            };
            let is_object = frame.is_object;
            if byte == b',' {
                frame.count += 1;
                self.at += 1;
                if is_object {
                    self.skip_space();
                    self.key()?;
                }
                return Ok(false);
            }
            if byte != if is_object { b'}' } else { b']' } {
                return self.syntax(if is_object { "`,` or `}`" } else { "`,` or `]`" });
            }
            self.close();
        }
    }

    fn key(&mut self) -> Result<(), Failed> {
        if self.peek() != b'"' {
            return self.syntax("a property name in double quotes");
        }
        let start = self.at;
        let tag = self.string()?;
        let index = narrow(self.nodes.len());
        self.push(start, tag);
        if self.is_canonical {
            self.check_order(index);
        }
        self.skip_space();
        if self.peek() != b':' {
            return self.syntax("`:`");
        }
        self.at += 1;
        Ok(())
    }

    /// Keys must rise strictly for the text to be canonical; index 0 is never a key.
    fn check_order(&mut self, index: u32) {
        let last = self
            .open
            .last_mut()
            .map_or(0, |frame| core::mem::replace(&mut frame.last_key, index));
        if last != 0 && compare_keys(self.source, &self.nodes, last, index) != Ordering::Less {
            self.is_canonical = false;
        }
    }

    fn word(&mut self, word: &'static str, tag: u32) -> Result<u32, Failed> {
        if !self
            .bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(word.as_bytes()))
        {
            return self.syntax("`true`, `false` or `null`");
        }
        self.at += word.len();
        Ok(tag)
    }

    fn digits(&mut self) -> Result<(), Failed> {
        if !self.peek().is_ascii_digit() {
            return self.syntax("a digit");
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<u32, Failed> {
        let start = self.at;
        let is_negative = self.peek() == b'-';
        self.at += usize::from(is_negative);
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), b'+' | b'-'));
            self.digits()?;
        }
        if is_negative && self.bytes.get(start..self.at) == Some(b"-0") {
            self.is_canonical = false;
        }
        Ok(NUMBER)
    }

    fn string(&mut self) -> Result<u32, Failed> {
        self.at += 1;
        let mut tag = STRING;
        loop {
            self.skip_plain();
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(tag);
                }
                b'\\' => {
                    tag |= ESCAPED;
                    self.escape()?;
                }
                _ if self.at >= self.bytes.len() => return self.syntax("a closing `\"`"),
                _ => return self.syntax("control characters to be escaped"),
            }
        }
    }

    /// Eight bytes at a time while none of them is a quote, a backslash or a control character.
    fn skip_plain(&mut self) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGHS: u64 = 0x8080_8080_8080_8080;
        while let Some(chunk) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*chunk);
            let quote = word ^ (ONES * 0x22);
            let backslash = word ^ (ONES * 0x5C);
            let hit = (word.wrapping_sub(ONES * 0x20) & !word)
                | (quote.wrapping_sub(ONES) & !quote)
                | (backslash.wrapping_sub(ONES) & !backslash);
            let hit = hit & HIGHS;
            if hit != 0 {
                // The lowest hit is exact; borrows only disturb higher bytes.
                self.at += (hit.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
        }
        while text::is_plain(self.peek()) {
            self.at += 1;
        }
    }

    fn escape(&mut self) -> Result<(), Failed> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => {}
            b'/' => self.is_canonical = false,
            b'u' => return self.unicode_escape(start),
            _ => return self.syntax("an escape"),
        }
        self.at += 1;
        Ok(())
    }

    fn unicode_escape(&mut self, start: usize) -> Result<(), Failed> {
        self.at += 1;
        let unit = self.hex4()?;
        let mut is_lone = (0xDC00..0xE000).contains(&unit);
        if (0xD800..0xDC00).contains(&unit) {
            let end = self.at;
            is_lone = true;
            if self.bytes.get(end..).is_some_and(|rest| rest.starts_with(b"\\u")) {
                self.at += 2;
                is_lone = !(0xDC00..0xE000).contains(&self.hex4()?);
                if is_lone {
                    self.at = end;
                }
            }
        }
        if is_lone && !self.bounds.lone_surrogates {
            self.failure = ParseError::LoneSurrogate { at: start };
            return Err(Failed);
        }
        let is_minimal = is_lone || (unit < 0x20 && !matches!(unit, 8 | 9 | 10 | 12 | 13));
        let is_lower = !self
            .bytes
            .get(start..self.at)
            .is_some_and(|raw| raw.iter().any(u8::is_ascii_uppercase));
        self.is_canonical &= is_minimal && is_lower;
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32, Failed> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = char::from(self.peek()).to_digit(16) else {
                return self.syntax("four hexadecimal digits");
            };
            unit = (unit << 4) | digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// The literal of a string node without its quotes, and whether it has escapes.
pub(crate) fn inside<'a>(source: &'a str, nodes: &[Node], index: u32) -> (&'a str, bool) {
    let Some(node) = nodes.get(index as usize) else {
        return ("", false);
    };
    let range = node.start as usize + 1..(node.end as usize).saturating_sub(1);
    (source.get(range).unwrap_or_default(), node.tag & ESCAPED != 0)
}

/// UTF-16 order of two string nodes of one document.
pub(crate) fn compare_keys(source: &str, nodes: &[Node], a: u32, b: u32) -> Ordering {
    let (left, left_escaped) = inside(source, nodes, a);
    let (right, right_escaped) = inside(source, nodes, b);
    text::compare(left, left_escaped, right, right_escaped)
}

#[cfg(test)]
mod tests;
