//! Canonical text and its tape in one pass over a tape: keys in order and unique, minimal escapes, numbers as ECMAScript
//! prints them. And a tape put together from two.
//!
//! It refuses a number that has no canonical text, unless a duplicate key covers it. `exact` calls it.

use crate::document::{Document, Value};
use crate::exact::{ExactError, spell};
use crate::parse::{self, MAX_TEXT, Node, ParseError, narrow};
use crate::{sort, text};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// What is still to write: an index on the tape, whose document is shorter than these bits.
const INDEX: u32 = KEY - 1;
/// The index is a key; its value follows.
const KEY: u32 = 1 << 30;
/// The end of the innermost array or object.
const END: u32 = 1 << 31;

/// An array or object that is being written.
struct Open {
    node: u32,
    count: u32,
}

struct Writer {
    text: String,
    nodes: Vec<Node>,
    open: Vec<Open>,
    printer: ryu_js::Buffer,
}

/// The same value, canonical.
pub(crate) fn rewrite(document: &Document) -> Result<Document, ExactError> {
    let mut writer = Writer {
        text: String::with_capacity(document.text().len()),
        nodes: Vec::with_capacity(document.nodes().len()),
        open: Vec::new(),
        printer: ryu_js::Buffer::new(),
    };
    let at = |task: u32| document.value_at(task & INDEX);
    // The next one last.
    let mut pending = vec![document.root().index()];
    while let Some(task) = pending.pop() {
        if task == END {
            writer.close();
            continue;
        }
        let mut value = at(task);
        // Of equal keys the last in the text counts.
        let is_same = |next: &u32| task & next & KEY != 0 && *next != END && at(*next).has_same_text(value);
        if pending.last().is_some_and(is_same) {
            continue;
        }
        writer.separate();
        if task & KEY != 0 {
            writer.scalar(value)?;
            writer.text.push(':');
            value = at(value.next());
        }
        if value.tag() < parse::ARRAY {
            writer.scalar(value)?;
            continue;
        }
        let is_object = value.tag() == parse::OBJECT;
        writer.open(value.tag());
        pending.push(END);
        let from = pending.len();
        let key = if is_object { KEY } else { 0 };
        pending.extend(value.members().map(|(first, _)| first.index() | key));
        let members = pending.get_mut(from..).unwrap_or_default();
        members.reverse();
        if is_object {
            sort::sort(members, &|a, b| at(a).compare_text(at(b)).then(a.cmp(&b)).is_gt());
        }
    }
    Ok(Document::of_tape(writer.text.into(), writer.nodes))
}

impl Writer {
    /// Before an item or an entry.
    fn separate(&mut self) {
        if let Some(open) = self.open.last_mut() {
            if open.count > 0 {
                self.text.push(',');
            }
            open.count += 1;
        }
    }

    fn scalar(&mut self, value: Value<'_>) -> Result<(), ExactError> {
        let start = self.text.len();
        let mut tag = value.tag();
        match value.inside() {
            Some((inside, true)) => {
                text::write_decoded(&mut self.text, inside);
                let literal = self.text.as_bytes().get(start..).unwrap_or_default();
                if literal.contains(&b'\\') {
                    tag |= parse::ESCAPED;
                }
            }
            None if tag == parse::NUMBER => {
                let spelt = spell(value.raw(), &mut self.printer).ok_or(ExactError::Number)?;
                self.text.push_str(spelt);
            }
            _ => self.text.push_str(value.raw()),
        }
        // Numbers may have become longer.
        if self.text.len() > MAX_TEXT {
            return Err(ExactError::Parse(ParseError::TooLarge {
                bytes: self.text.len(),
                max_bytes: MAX_TEXT,
            }));
        }
        self.push(start, tag);
        Ok(())
    }

    fn push(&mut self, start: usize, tag: u32) {
        self.nodes.push(Node {
            start: narrow(start),
            end: narrow(self.text.len()),
            next: narrow(self.nodes.len() + 1),
            tag,
        });
    }

    fn open(&mut self, tag: u32) {
        self.open.push(Open {
            node: narrow(self.nodes.len()),
            count: 0,
        });
        let start = self.text.len();
        self.text.push(if tag == parse::OBJECT { '{' } else { '[' });
        self.push(start, tag);
    }

    fn close(&mut self) {
        let next = narrow(self.nodes.len());
        let Some(open) = self.open.pop() else { return };
        let Some(node) = self.nodes.get_mut(open.node as usize) else {
            return;
        };
        self.text.push(if node.tag == parse::OBJECT { '}' } else { ']' });
        node.end = narrow(self.text.len());
        node.next = next;
        node.tag |= open.count << parse::COUNT_SHIFT;
    }
}

/// `shell` with `value` in place of `hole`, which is a scalar of it. Both texts are canonical.
pub(crate) fn fill(shell: &Document, hole: Value<'_>, value: Value<'_>) -> Document {
    let mut text = String::with_capacity(shell.text().len() + value.raw().len());
    text.push_str(shell.text().get(..hole.start()).unwrap_or_default());
    text.push_str(value.raw());
    text.push_str(shell.text().get(hole.end()..).unwrap_or_default());
    // Differences of offsets and indices may be negative: they wrap, and come out right.
    let to_end = narrow(hole.start() + value.raw().len()).wrapping_sub(narrow(hole.end()));
    let to_next = (value.next() - value.index()).wrapping_sub(1);
    let mut nodes = Vec::with_capacity(shell.nodes().len() + value.document().nodes().len());
    for (index, node) in (0..).zip(shell.nodes()) {
        if index == hole.index() {
            let to_start = narrow(hole.start()).wrapping_sub(narrow(value.start()));
            let inner = value
                .document()
                .nodes()
                .get(value.index() as usize..value.next() as usize);
            for node in inner.unwrap_or_default() {
                nodes.push(node.moved(to_start, to_start, index.wrapping_sub(value.index())));
            }
        } else if node.next <= hole.index() {
            nodes.push(*node);
        } else {
            let to_start = if index < hole.index() { 0 } else { to_end };
            nodes.push(node.moved(to_start, to_end, to_next));
        }
    }
    Document::of_tape(text.into(), nodes)
}

impl Node {
    fn moved(&self, to_start: u32, to_end: u32, to_next: u32) -> Node {
        Node {
            start: self.start.wrapping_add(to_start),
            end: self.end.wrapping_add(to_end),
            next: self.next.wrapping_add(to_next),
            tag: self.tag,
        }
    }
}

/// Nested arrays and objects of a value.
pub(crate) fn depth(value: Value<'_>) -> usize {
    let (from, to) = (value.index() as usize, value.next() as usize);
    let nodes = value.document().nodes().get(from..to).unwrap_or_default();
    let (mut ends, mut deepest) = (Vec::new(), 0);
    for (index, node) in (value.index()..).zip(nodes) {
        while ends.last().is_some_and(|end| *end <= index) {
            ends.pop();
        }
        if node.tag & parse::KIND_BITS >= parse::ARRAY {
            ends.push(node.next);
            deepest = deepest.max(ends.len());
        }
    }
    deepest
}
