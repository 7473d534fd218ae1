//! Reads the fields of one definition object, each with its expected shape, and keeps what is wrong first.
//!
//! It refuses unknown fields and wrong shapes, and names the field and the definition that has it. A reader of a wrong
//! field gives what an absent one has and goes on: only `Faults::result` ends, so that no reader has an early exit
//! with everything read so far to drop. Called by the other files of this folder.

use alloc::borrow::Cow;
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use agent_surface_json::{Kind, Value, characters, concat};

use crate::error::{DefinitionCode, DefinitionError, cut, decimal, is_blank};

/// How much of an author's text an error quotes, in code points.
const QUOTED: usize = 60;
/// The longest delay that timers of browsers and Node take, in milliseconds.
const MAX_TIMEOUT_MS: u32 = 0x7FFF_FFFF;
const INVALID: DefinitionCode = DefinitionCode::InvalidDefinition;

/// What a field may hold.
enum Shape {
    Kind(Kind),
    /// `1`: the host has a function there. It sends a `1` of the author's as `[1]`.
    Function,
    TextOrFunction,
    /// A whole number from the first to the second.
    Count(u32, u32),
    /// `{text, own}`; see `schema::read`.
    Schema,
}

/// Shapes, how errors call them, and the fields that have them: a name means the same in every definition. Fields
/// that are not listed are read by code of their own.
const SHAPES: &[(Shape, &str, &str)] = &[
    (
        Shape::Kind(Kind::String),
        "a text",
        "type instanceId name id path description origin",
    ),
    (
        Shape::Kind(Kind::Bool),
        "true or false",
        "enabled idempotent reversible requiresApproval guard",
    ),
    (
        Shape::Function,
        "a function",
        "read execute when precondition describe bind key",
    ),
    (Shape::TextOrFunction, "a text or a function", "unavailableReason"),
    (Shape::Count(1, u32::MAX), "a whole number from 1", "max"),
    (
        Shape::Count(1, MAX_TIMEOUT_MS),
        "a whole number from 1 to 2147483647",
        "timeoutMs",
    ),
    (
        Shape::Count(0, u32::MAX),
        "a whole number from 0",
        "queueDepth ref hooks",
    ),
    (Shape::Kind(Kind::Array), "an array of policies", "policies"),
    (
        Shape::Schema,
        "a schema, `{ jsonSchema, parse }`; see fromJsonSchema, fromStandardSchema and emptyObjectSchema",
        "input output",
    ),
];

impl Shape {
    fn fits(&self, value: Value<'_>) -> bool {
        match *self {
            Self::Kind(kind) => value.kind() == kind,
            Self::Function => value.raw() == "1",
            Self::TextOrFunction => value.kind() == Kind::String || value.raw() == "1",
            Self::Count(least, most) => value
                .as_u32()
                .is_some_and(|number| (least..=most).contains(&number)),
            Self::Schema => {
                let has = |key, kind| value.get(key).is_some_and(|part| part.kind() == kind);
                has("text", Kind::String) && (has("own", Kind::Bool) || has("own", Kind::Null))
            }
        }
    }
}

/// Whether a list of names, with a space between two, has this one.
fn lists(names: &str, name: &str) -> bool {
    let mut names = names.as_bytes().split(|&byte| byte == b' ');
    names.any(|each| each == name.as_bytes())
}

/// The first thing wrong with a definition.
#[derive(Default)]
pub(super) struct Faults {
    first: Cell<Option<DefinitionError>>,
}

impl Faults {
    /// Keeps an error, unless there is one.
    pub fn add(&self, error: DefinitionError) {
        self.first.set(self.first.take().or(Some(error)));
    }

    /// What was read, unless something was wrong.
    pub fn result<T>(&self, read: T) -> Result<T, DefinitionError> {
        match self.first.take() {
            None => Ok(read),
            Some(first) => Err(first),
        }
    }
}

/// The fields of one object, and what errors call it, such as "action `clear`".
pub(super) struct Fields<'a> {
    root: Value<'a>,
    place: String,
    pub faults: &'a Faults,
}

impl<'a> Fields<'a> {
    /// The fields of an object whose place is these pieces in a row.
    pub fn of(root: Value<'a>, place: &[&str], faults: &'a Faults) -> Self {
        let fields = Self {
            root,
            place: concat(place),
            faults,
        };
        if root.kind() != Kind::Object {
            fields.refuse_all("must be an object");
        }
        fields
    }

    /// What errors call this object from now on.
    pub fn rename(&mut self, kind: &str, name: &str) {
        self.place = concat(&[kind, " `", cut(name, QUOTED), "`"]);
    }

    pub fn place(&self) -> &str {
        &self.place
    }

    /// Refuses the object; the text follows its name.
    pub fn refuse_all(&self, what: &str) {
        let message = [&self.place, " ", what];
        self.faults.add(DefinitionError::invalid(&message));
    }

    /// Refuses one field; the pieces follow "`key` of …".
    #[inline(never)]
    pub fn refuse(&self, code: DefinitionCode, key: &str, pieces: &[&str]) {
        let message = ["`", key, "` of ", &self.place, " ", &concat(pieces)];
        self.faults.add(DefinitionError::new(code, &message));
    }

    /// Refuses one field: what it must be, and what is there.
    #[inline(never)]
    pub fn wrong(&self, code: DefinitionCode, key: &str, expected: &str) {
        let (quote, found) = match self.raw(key) {
            Some(found) => ("`", cut(found.raw(), QUOTED)),
            None => ("", "nothing"),
        };
        let pieces = ["must be ", expected, ", found ", quote, found, quote];
        self.refuse(code, key, &pieces);
    }

    /// Refuses every field that no list names, what has another shape than its name says, and the absence of what is
    /// required.
    #[inline(never)]
    pub fn check(&self, required: &[&str], lists_of_others: &[&str]) {
        for (key, value) in self.root.entries() {
            let key = &*key;
            if !required.contains(&key) && !lists_of_others.iter().any(|names| lists(names, key)) {
                let mut fault = concat(&["has an unknown field `", cut(key, QUOTED), "`; it takes"]);
                for known in [required, lists_of_others] {
                    for names in known {
                        fault.push(' ');
                        fault.push_str(names);
                    }
                }
                self.refuse_all(&fault);
            }
            self.check_shape(key, Some(value));
        }
        for key in required {
            if self.raw(key).is_none() {
                self.check_shape(key, None);
            }
        }
    }

    fn check_shape(&self, key: &str, value: Option<Value<'_>>) {
        let shape = SHAPES.iter().find(|(_, _, names)| lists(names, key));
        if let Some((shape, expected, _)) = shape
            && !value.is_some_and(|value| shape.fits(value))
        {
            self.wrong(INVALID, key, expected);
        }
    }

    pub fn raw(&self, key: &str) -> Option<Value<'a>> {
        self.root.get(key)
    }

    pub fn has(&self, key: &str) -> bool {
        self.raw(key).is_some()
    }

    pub fn text(&self, key: &str) -> Option<String> {
        self.raw(key)?.as_str().map(Cow::into_owned)
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.raw(key)?.as_bool()
    }

    pub fn count(&self, key: &str) -> Option<u32> {
        self.raw(key)?.as_u32()
    }

    /// Position of a word in the list of those that the field may have.
    #[inline(never)]
    pub fn word(&self, key: &str, words: &[&str]) -> Option<usize> {
        let value = self.raw(key)?;
        let at = words.iter().position(|word| value.is_str(word));
        if at.is_none() {
            self.wrong(INVALID, key, &alternatives(words));
        }
        at
    }

    /// As `word`, of a field that must be there.
    pub fn required_word(&self, key: &str, words: &[&str]) -> Option<usize> {
        if !self.has(key) {
            self.wrong(INVALID, key, &alternatives(words));
        }
        self.word(key, words)
    }

    /// A list of texts, each once.
    pub fn texts(&self, key: &str) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let Some(value) = self.raw(key) else { return texts };
        let mut fits = value.kind() == Kind::Array;
        for item in value.items() {
            let text = item.as_str();
            fits &= text
                .as_ref()
                .is_some_and(|text| !texts.iter().any(|known| known == text));
            texts.extend(text.map(Cow::into_owned));
        }
        if !fits {
            self.wrong(INVALID, key, "an array of texts, none of them twice");
        }
        texts
    }

    /// The description: not blank, at most `most` code points.
    pub fn description(&self, most: u32) -> String {
        let text = self.text("description").unwrap_or_default();
        if is_blank(&text) {
            self.wrong(INVALID, "description", "a text that says what it is for");
        }
        self.within("description", characters(&text), most, " characters");
        text
    }

    /// The `meta`: JSON text of at most `most` bytes.
    pub fn meta(&self, most: u32) -> Option<String> {
        let raw = self.raw("meta")?.raw();
        self.within("meta", raw.len(), most, " bytes of JSON");
        Some(raw.to_owned())
    }

    fn within(&self, key: &str, found: usize, most: u32, unit: &str) {
        if found as u64 > u64::from(most) {
            let (most, found) = (decimal(u64::from(most)), decimal(found as u64));
            let pieces = ["may have ", &most, unit, ", found ", &found];
            self.refuse(DefinitionCode::LimitExceeded, key, &pieces);
        }
    }
}

/// "`a`, `b` or `c`".
pub(super) fn alternatives(words: &[&str]) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        if at > 0 {
            out.push_str(if at + 1 == words.len() { " or " } else { ", " });
        }
        out.push('`');
        out.push_str(word);
        out.push('`');
    }
    out
}
