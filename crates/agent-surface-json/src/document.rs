//! A parsed document and the values in it.
//!
//! It refuses to copy: a value is the document and an index, and strings are borrowed from the text
//! unless they have escapes. Everything that reads JSON calls it.

use crate::number::Decimal;
use crate::parse::{self, Bounds, Node, ParseError};
use crate::{canonical, float, text};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// The six kinds of JSON value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any form
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

/// Owns the text and a flat tape over it.
#[derive(Clone, Debug)]
pub struct Document {
    text: Box<str>,
    nodes: Vec<Node>,
    is_canonical: bool,
}

impl Document {
    /// Parses strictly (RFC 8259): size first, then depth, then content.
    pub fn parse(text: impl Into<Box<str>>, bounds: Bounds) -> Result<Self, ParseError> {
        Document::parse_owned(text.into(), bounds)
    }

    fn parse_owned(text: Box<str>, bounds: Bounds) -> Result<Self, ParseError> {
        let tape = parse::parse(&text, bounds)?;
        Ok(Document {
            text,
            nodes: tape.nodes,
            is_canonical: tape.is_canonical,
        })
    }

    /// Of a canonical text and its tape.
    #[cfg(feature = "exact")]
    pub(crate) fn of_tape(text: Box<str>, nodes: Vec<Node>) -> Self {
        Document {
            text,
            nodes,
            is_canonical: true,
        }
    }

    /// The text as given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The outermost value.
    pub fn root(&self) -> Value<'_> {
        Value {
            document: self,
            index: 0,
        }
    }

    /// Whether `text()` is the canonical text already: no whitespace, keys unique and in UTF-16 order,
    /// minimal escapes. Found while parsing.
    pub fn is_canonical(&self) -> bool {
        self.is_canonical
    }

    /// The canonical text of the root.
    pub fn canonical(&self) -> Cow<'_, str> {
        if self.is_canonical {
            Cow::Borrowed(&self.text)
        } else {
            Cow::Owned(self.root().canonical())
        }
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn value_at(&self, index: u32) -> Value<'_> {
        Value {
            document: self,
            index,
        }
    }
}

/// One value of a document.
#[derive(Clone, Copy)]
pub struct Value<'a> {
    document: &'a Document,
    index: u32,
}

impl core::fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(self.raw())
    }
}

impl<'a> Value<'a> {
    /// A document is never empty and an index comes from its tape, so the fallback is never read.
    fn node(self) -> &'a Node {
        static MISSING: Node = Node {
            start: 0,
            end: 0,
            next: u32::MAX,
            tag: parse::NULL,
        };
        self.document.nodes.get(self.index as usize).unwrap_or(&MISSING)
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    pub(crate) fn document(self) -> &'a Document {
        self.document
    }

    pub(crate) fn tag(self) -> u32 {
        self.node().tag & parse::KIND_BITS
    }

    /// The tape index behind this value's subtree.
    pub(crate) fn next(self) -> u32 {
        self.node().next
    }

    /// Byte offset behind this value in the document's text.
    pub(crate) fn end(self) -> usize {
        self.node().end as usize
    }

    /// Byte offset of this value in the document's text.
    pub(crate) fn start(self) -> usize {
        self.node().start as usize
    }

    /// Which of the six it is.
    pub fn kind(self) -> Kind {
        match self.tag() {
            parse::NULL => Kind::Null,
            parse::NUMBER => Kind::Number,
            parse::STRING => Kind::String,
            parse::ARRAY => Kind::Array,
            parse::OBJECT => Kind::Object,
            _ => Kind::Bool,
        }
    }

    /// The exact slice of the text.
    pub fn raw(self) -> &'a str {
        let node = self.node();
        self.document
            .text
            .get(node.start as usize..node.end as usize)
            .unwrap_or_default()
    }

    /// The boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.tag() {
            parse::TRUE => Some(true),
            parse::FALSE => Some(false),
            _ => None,
        }
    }

    /// The literal without its quotes and whether it has escapes, if it is a string.
    pub(crate) fn inside(self) -> Option<(&'a str, bool)> {
        (self.tag() == parse::STRING)
            .then(|| parse::inside(&self.document.text, &self.document.nodes, self.index))
    }

    /// The decoded string, if it is one. A lone surrogate reads as U+FFFD.
    pub fn as_str(self) -> Option<Cow<'a, str>> {
        let (inside, is_escaped) = self.inside()?;
        Some(if is_escaped {
            Cow::Owned(text::decode(inside))
        } else {
            Cow::Borrowed(inside)
        })
    }

    /// The decoded string, empty if it is none.
    #[inline(never)]
    pub(crate) fn decoded(self) -> String {
        self.as_str().map(Cow::into_owned).unwrap_or_default()
    }

    /// The nearest double, if it is a number.
    pub fn as_f64(self) -> Option<f64> {
        (self.tag() == parse::NUMBER).then(|| float::parse_f64(self.raw()))
    }

    /// The number, if it is a whole one from 0 to 4,294,967,295 in whatever form (`5`, `5.0`, `50e-1`).
    pub fn as_u32(self) -> Option<u32> {
        if self.tag() != parse::NUMBER {
            return None;
        }
        u32::try_from(Decimal::parse(self.raw()).as_u64()?).ok()
    }

    /// Items of an array, entries of an object; 0 for all else.
    pub fn len(self) -> usize {
        (self.node().tag >> parse::COUNT_SHIFT) as usize
    }

    /// Whether `len()` is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of a property. Of duplicate keys the last one counts.
    pub fn get(self, key: &str) -> Option<Value<'a>> {
        self.raw_entries()
            .filter(|(name, _)| name.is_str(key))
            .last()
            .map(|(_, value)| value)
    }

    /// Whether it is the string `expected`.
    pub fn is_str(self, expected: &str) -> bool {
        match self.inside() {
            Some((inside, false)) => inside == expected,
            Some((inside, true)) => text::Chars::new(inside).eq(expected.chars().map(u32::from)),
            None => false,
        }
    }

    /// The items of an array; nothing for all else.
    pub fn items(self) -> Items<'a> {
        Items(self.members_if(parse::ARRAY))
    }

    /// Key and value nodes of an object, in the order of the text; nothing for all else.
    pub(crate) fn raw_entries(self) -> Members<'a> {
        self.members_if(parse::OBJECT)
    }

    /// What an array or object holds; nothing for all else.
    pub(crate) fn members(self) -> Members<'a> {
        self.members_if(self.tag())
    }

    fn members_if(self, tag: u32) -> Members<'a> {
        let is_it = self.tag() == tag && tag >= parse::ARRAY;
        Members {
            document: self.document,
            at: self.index + 1,
            end: if is_it { self.next() } else { 0 },
            key_size: u32::from(tag == parse::OBJECT),
        }
    }

    /// The value itself, as if it were the only item of an array.
    pub(crate) fn alone(self) -> Members<'a> {
        Members {
            document: self.document,
            at: self.index,
            end: self.next(),
            key_size: 0,
        }
    }

    /// The entries of an object in the order of the text, duplicates included; nothing for all else.
    pub fn entries(self) -> Entries<'a> {
        Entries(self.raw_entries())
    }

    /// Appends the canonical text.
    pub fn canonical_into(self, out: &mut String) {
        canonical::write(self, out);
    }

    /// The canonical text: keys by UTF-16 units and unique, no whitespace, minimal escapes, number tokens
    /// as they are except `-0`, which becomes `0`.
    pub fn canonical(self) -> String {
        let mut out = String::with_capacity(self.raw().len());
        self.canonical_into(&mut out);
        out
    }

    /// JSON equality: numbers by value (`1` equals `1.0`), objects without order.
    pub fn equals(self, other: Value<'_>) -> bool {
        canonical::is_among(self, other.alone())
    }

    /// UTF-16 order of two strings, whatever their escapes.
    pub(crate) fn compare_text(self, other: Value<'_>) -> Ordering {
        let (left, left_escaped) = self.inside().unwrap_or_default();
        let (right, right_escaped) = other.inside().unwrap_or_default();
        text::compare(left, left_escaped, right, right_escaped)
    }

    /// Whether two strings are the same, whatever their escapes.
    pub(crate) fn has_same_text(self, other: Value<'_>) -> bool {
        let is_escaped = || (self.node().tag | other.node().tag) & parse::ESCAPED != 0;
        self.bytes() == other.bytes() || (is_escaped() && self.compare_text(other) == Ordering::Equal)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call takes longer than what it does")]
    fn bytes(self) -> &'a [u8] {
        let node = self.node();
        let range = node.start as usize..node.end as usize;
        self.document.text.as_bytes().get(range).unwrap_or_default()
    }
}

/// What an array or object holds, in the order of the text: key and value. An item is its own key; the key of an
/// entry is still encoded.
#[derive(Clone, Debug)]
pub(crate) struct Members<'a> {
    document: &'a Document,
    at: u32,
    end: u32,
    /// Nodes between the start of a member and its value.
    key_size: u32,
}

impl Members<'_> {
    /// Goes on behind this value, which is one of them.
    pub(crate) fn go_behind(&mut self, value: Value<'_>) {
        self.at = value.next();
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Value<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.end {
            return None;
        }
        let key = self.document.value_at(self.at);
        let value = self.document.value_at(self.at + self.key_size);
        self.at = value.next();
        Some((key, value))
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'a>(Members<'a>);

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        if self.0.at >= self.0.end {
            return None;
        }
        let item = self.0.document.value_at(self.0.at);
        self.0.at = item.next();
        Some(item)
    }
}

/// The entries of an object.
#[derive(Clone, Debug)]
pub struct Entries<'a>(Members<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (Cow<'a, str>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.0.next()?;
        Some((key.as_str()?, value))
    }
}
