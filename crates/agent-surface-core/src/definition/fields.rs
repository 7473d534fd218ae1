//! Reads the fields of one definition object, each with its expected kind, and keeps what is wrong first.
//!
//! It refuses unknown fields and wrong kinds, and names the field and the definition that has it. A reader of a wrong
//! field gives what an absent one has and goes on: only `Faults::result` ends, so that no reader has an early exit
//! with everything read so far to drop. Called by the other files of this folder.

use std::borrow::Cow;
use std::cell::Cell;

use agent_surface_json::{Kind, Value};

use crate::error::{DefinitionCode, DefinitionError, cut};

/// How much of an author's text an error quotes, in code points.
const QUOTED: usize = 60;

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
    pub fn result<T>(&self, read: Option<T>) -> Result<T, DefinitionError> {
        match (self.first.take(), read) {
            (None, Some(read)) => Ok(read),
            (first, _) => {
                Err(first.unwrap_or_else(|| DefinitionError::invalid(&["the definition is incomplete"])))
            }
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
            place: place.concat(),
            faults,
        };
        if root.kind() != Kind::Object {
            fields.refuse_all("must be an object");
        }
        fields
    }

    /// What errors call this object from now on.
    pub fn rename(&mut self, kind: &str, name: &str) {
        self.place = [kind, " `", cut(name, QUOTED), "`"].concat();
    }

    pub fn place(&self) -> &str {
        &self.place
    }

    /// Refuses the object; the text follows its name.
    pub fn refuse_all(&self, what: &str) {
        self.faults
            .add(DefinitionError::invalid(&[&self.place, " ", what]));
    }

    /// Refuses one field; the pieces follow "`key` of …".
    #[inline(never)]
    pub fn refuse(&self, code: DefinitionCode, key: &str, pieces: &[&str]) {
        let pieces = ["`", key, "` of ", &self.place, " ", &pieces.concat()];
        self.faults.add(DefinitionError::new(code, &pieces));
    }

    /// Refuses one field as `INVALID_DEFINITION`.
    pub fn refuse_field(&self, key: &str, what: &str) {
        self.refuse(DefinitionCode::InvalidDefinition, key, &[what]);
    }

    /// Refuses one field and quotes a part of what is there.
    pub fn refuse_quoting(
        &self,
        code: DefinitionCode,
        key: &str,
        (before, quoted, after): (&str, &str, &str),
    ) {
        self.refuse(code, key, &[before, "`", cut(quoted, QUOTED), "`", after]);
    }

    /// What a field should have been.
    fn wrong(&self, key: &str, expected: &str, found: Value<'_>) {
        let expected = ["must be ", expected, ", found "].concat();
        self.refuse_quoting(
            DefinitionCode::InvalidDefinition,
            key,
            (&expected, found.raw(), ""),
        );
    }

    /// Refuses every field that is none of these.
    pub fn only(&self, known: &[&[&str]]) {
        for (key, _) in self.root.entries() {
            if !known.iter().any(|part| part.contains(&&*key)) {
                return self.refuse_all(&["has an unknown field `", cut(&key, QUOTED), "`"].concat());
            }
        }
    }

    pub fn raw(&self, key: &str) -> Option<Value<'a>> {
        self.root.get(key)
    }

    #[inline(never)]
    pub fn text(&self, key: &str) -> Option<String> {
        let value = self.raw(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.wrong(key, "a text", value);
        }
        text.map(Cow::into_owned)
    }

    #[inline(never)]
    pub fn flag(&self, key: &str) -> Option<bool> {
        let value = self.raw(key)?;
        let flag = value.as_bool();
        if flag.is_none() {
            self.wrong(key, "true or false", value);
        }
        flag
    }

    /// A whole number from `least` to `most`.
    #[inline(never)]
    pub fn count(&self, key: &str, (least, most): (u32, u32)) -> Option<u32> {
        let value = self.raw(key)?;
        let number = value.as_u32().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let expected = if least == 0 {
                "a whole number from 0"
            } else {
                "a whole number from 1"
            };
            self.wrong(key, expected, value);
        }
        number
    }

    /// Whether the host has a function there: it sends `1`, and `0` for anything else that was set.
    #[inline(never)]
    pub fn function(&self, key: &str) -> bool {
        let there = self.raw(key).map(Value::raw);
        if there.is_some_and(|raw| raw != "1") {
            self.refuse_field(key, "must be a function");
        }
        there.is_some()
    }

    pub fn required_function(&self, key: &str) {
        if !self.function(key) {
            self.refuse_field(key, "must be a function, found nothing");
        }
    }

    /// A word of a closed list, which `expected` spells out.
    pub fn word<T>(&self, key: &str, parse: fn(&str) -> Option<T>, expected: &str) -> Option<T> {
        let value = self.raw(key)?;
        let word = value.as_str().and_then(|text| parse(&text));
        if word.is_none() {
            self.wrong(key, expected, value);
        }
        word
    }

    /// A list of texts, each once.
    pub fn texts(&self, key: &str) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let Some(value) = self.raw(key) else { return texts };
        if value.kind() != Kind::Array {
            self.wrong(key, "an array of texts", value);
        }
        for item in value.items() {
            match item.as_str() {
                None => self.wrong(key, "an array of texts", value),
                Some(text) if texts.iter().any(|known| *known == text) => {
                    let code = DefinitionCode::InvalidDefinition;
                    self.refuse_quoting(code, key, ("names ", &text, " twice"));
                }
                Some(text) => texts.push(text.into_owned()),
            }
        }
        texts
    }

    /// The description: there, not blank, at most `most` code points.
    pub fn description(&self, most: u32) -> String {
        let text = self.text("description").unwrap_or_default();
        if text.trim().is_empty() {
            self.refuse_field("description", "must say what it is for, found nothing");
        }
        self.within("description", text.chars().count(), most, " characters");
        text
    }

    /// The `meta`: JSON text of at most `most` bytes.
    pub fn meta(&self, most: u32) -> Option<String> {
        let raw = self.raw("meta")?.raw();
        self.within("meta", raw.len(), most, " bytes of JSON");
        Some(raw.to_owned())
    }

    fn within(&self, key: &str, found: usize, most: u32, unit: &str) {
        if u32::try_from(found).is_ok_and(|found| found <= most) {
            return;
        }
        let (most, found) = (digits(u64::from(most)), digits(found as u64));
        let pieces = ["may have ", &most, unit, ", found ", &found];
        self.refuse(DefinitionCode::LimitExceeded, key, &pieces);
    }
}

fn digits(number: u64) -> String {
    let mut out = String::new();
    agent_surface_json::write_u64(&mut out, number);
    out
}
