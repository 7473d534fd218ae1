//! The strict RFC 8259 parser: text to a flat tape, in one pass, with a bounded explicit stack.
//!
//! It refuses what is too large before it reads a byte, what is too deep at the bracket that is too
//! deep, and every leniency. `Document::parse` calls it.

use crate::text;
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
const MAX_TEXT: usize = 1 << 28;

/// One value: its slice of the text and the tape index behind its subtree. An object's entries are
/// a string node (the key) followed by the value's nodes.
#[derive(Clone, Copy, Debug)]
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
}

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
    };
    parser.run()?;
    Ok(Tape {
        nodes: parser.nodes,
        is_canonical: parser.is_canonical,
    })
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

    fn syntax<T>(&self, expected: &'static str) -> Result<T, ParseError> {
        Err(ParseError::Syntax {
            at: self.at,
            expected,
        })
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.is_canonical = false;
            self.at += 1;
        }
    }

    fn run(&mut self) -> Result<(), ParseError> {
        loop {
            self.skip_space();
            if self.value()? && self.after_value()? {
                return Ok(());
            }
        }
    }

    /// Reads a value, or the opening of one up to where its first value stands: then `false`.
    fn value(&mut self) -> Result<bool, ParseError> {
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

    fn open(&mut self, is_object: bool) -> Result<bool, ParseError> {
        if self.open.len() >= self.bounds.max_depth {
            return Err(ParseError::TooDeep { at: self.at });
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
    fn after_value(&mut self) -> Result<bool, ParseError> {
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

    fn key(&mut self) -> Result<(), ParseError> {
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

    fn word(&mut self, word: &'static str, tag: u32) -> Result<u32, ParseError> {
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

    fn digits(&mut self) -> Result<(), ParseError> {
        if !self.peek().is_ascii_digit() {
            return self.syntax("a digit");
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<u32, ParseError> {
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

    fn string(&mut self) -> Result<u32, ParseError> {
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

    fn escape(&mut self) -> Result<(), ParseError> {
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

    fn unicode_escape(&mut self, start: usize) -> Result<(), ParseError> {
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
            return Err(ParseError::LoneSurrogate { at: start });
        }
        let is_minimal = is_lone || (unit < 0x20 && !matches!(unit, 8 | 9 | 10 | 12 | 13));
        let is_lower = !self
            .bytes
            .get(start..self.at)
            .is_some_and(|raw| raw.iter().any(u8::is_ascii_uppercase));
        self.is_canonical &= is_minimal && is_lower;
        Ok(())
    }

    fn hex4(&mut self) -> Result<u32, ParseError> {
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
mod tests {
    use super::{Bounds, ParseError};
    use crate::{Document, Kind};
    use proptest::prelude::*;

    const BOUNDS: Bounds = Bounds {
        max_bytes: 200_000,
        max_depth: 64,
        lone_surrogates: false,
    };

    fn error(text: &str) -> ParseError {
        Document::parse(text, BOUNDS).unwrap_err()
    }

    #[test]
    fn size_comes_first_then_depth_then_content() {
        let bounds = Bounds {
            max_bytes: 4,
            max_depth: 1,
            lone_surrogates: false,
        };
        assert_eq!(
            Document::parse("[[[[[", bounds).unwrap_err(),
            ParseError::TooLarge {
                bytes: 5,
                max_bytes: 4
            }
        );
        assert_eq!(
            Document::parse("[[?]", bounds).unwrap_err(),
            ParseError::TooDeep { at: 1 }
        );
        assert!(Document::parse("[ 1]", bounds).is_ok());
        assert_eq!(error(&"[".repeat(100_000)), ParseError::TooDeep { at: 64 });
        assert!(Document::parse(["[".repeat(64), "]".repeat(64)].concat(), BOUNDS).is_ok());
        let unbounded = Bounds {
            max_bytes: 200_000,
            max_depth: usize::MAX,
            lone_surrogates: false,
        };
        let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
        let document = Document::parse(deep.clone(), unbounded).unwrap();
        assert_eq!(document.root().canonical(), deep);
        assert!(
            document
                .root()
                .equals(Document::parse(deep, unbounded).unwrap().root())
        );
    }

    #[test]
    fn every_leniency_is_refused_at_its_place() {
        for (text, at) in [
            ("", 0),
            (" ", 1),
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("{a:1}", 1),
            ("{\"a\" 1}", 5),
            ("[1 2]", 3),
            ("01", 1),
            ("+1", 0),
            (".5", 0),
            ("1.", 2),
            ("1e", 2),
            ("1e+", 3),
            ("-", 1),
            ("- 1", 1),
            ("0x1", 1),
            ("nul", 0),
            ("True", 0),
            ("'a'", 0),
            ("\"a", 2),
            ("\"\u{1}\"", 1),
            ("\"\\x\"", 2),
            ("\"\\u12g4\"", 5),
            ("[", 1),
            ("[1}", 2),
            ("{\"a\":1]", 6),
            ("1 1", 2),
            ("\u{feff}1", 0),
            ("NaN", 0),
            ("[1]]", 3),
            ("//", 0),
            ("\u{a0}1", 0),
            ("\"abcdefgh\ni\"", 9),
        ] {
            assert!(
                matches!(error(text), ParseError::Syntax { at: found, .. } if found == at),
                "{text:?} {:?}",
                error(text)
            );
        }
        assert_eq!(
            error("[1 2]").message(),
            "not valid JSON: expected `,` or `]` at byte 3"
        );
    }

    #[test]
    fn lone_surrogates_are_refused_unless_allowed() {
        for (text, at) in [
            ("\"\\ud800\"", 1),
            ("\"a\\udc00\"", 2),
            ("\"\\ud800\\ud800\\udc00\"", 1),
            ("\"\\ud800a\"", 1),
        ] {
            assert_eq!(error(text), ParseError::LoneSurrogate { at });
            let bounds = Bounds {
                lone_surrogates: true,
                ..BOUNDS
            };
            assert!(Document::parse(text, bounds).is_ok());
        }
        assert_eq!(
            Document::parse("\"\\uD83D\\uDE00\"", BOUNDS)
                .unwrap()
                .root()
                .as_str()
                .unwrap(),
            "😀"
        );
    }

    #[test]
    fn values_are_read_where_they_are() {
        let text = r#" {"a":[1,-2.5e1,"x\n"],"b":{},"a":[true,null], "\u0063":4294967295} "#;
        let document = Document::parse(text, BOUNDS).unwrap();
        let root = document.root();
        assert_eq!((root.kind(), root.len()), (Kind::Object, 4));
        assert_eq!(root.get("a").unwrap().raw(), "[true,null]");
        assert_eq!(root.get("c").unwrap().as_u32(), Some(u32::MAX));
        assert!(root.get("d").is_none());
        let keys: Vec<String> = root.entries().map(|(key, _)| key.into_owned()).collect();
        assert_eq!(keys, ["a", "b", "a", "c"]);
        let first = root.entries().next().unwrap().1;
        let items: Vec<_> = first.items().collect();
        assert_eq!(items[1].as_f64(), Some(-25.0));
        assert_eq!(items[2].as_str().unwrap(), "x\n");
        assert_eq!(
            (items[0].as_bool(), items[0].len(), items[0].get("a").is_none()),
            (None, 0, true)
        );
        assert!(root.get("b").unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn it_accepts_what_the_reference_crate_accepts(
            text in "[\\[\\]{}\",:\\\\ntruefals0-3.eE+ \u{e9}/-]{0,12}"
        ) {
            let expected = serde_json::from_str::<serde_json::Value>(&text);
            let ours = Document::parse(text.clone(), BOUNDS);
            let is_range = expected.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
            prop_assert!(is_range || ours.is_ok() == expected.is_ok(), "{} {:?}", text, ours.err());
        }
    }
}
