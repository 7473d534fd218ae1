//! Reads the fields of one definition object, each with its expected kind.
//!
//! It refuses unknown fields and wrong kinds, and names the field and the definition that has it. Called by the other
//! files of this folder.

use agent_surface_json::{Document, Kind, Value};

use crate::error::{DefinitionCode, DefinitionError, cut};

/// How much of an author's text an error quotes, in code points.
const QUOTED: usize = 60;

/// The fields of one object, and what errors call it, such as "action `clear`".
pub(super) struct Fields<'a> {
    root: Value<'a>,
    place: String,
}

impl<'a> Fields<'a> {
    /// The fields of an object whose place is these pieces in a row.
    pub fn of(root: Value<'a>, place: &[&str]) -> Result<Self, DefinitionError> {
        let fields = Self {
            root,
            place: place.concat(),
        };
        if root.kind() == Kind::Object {
            Ok(fields)
        } else {
            Err(fields.invalid(&["must be an object"]))
        }
    }

    /// The fields of a document's root.
    pub fn of_root(document: &'a Document, place: &str) -> Result<Self, DefinitionError> {
        Self::of(document.root(), &[place])
    }

    /// What errors call this object from now on.
    pub fn rename(&mut self, kind: &str, name: &str) {
        self.place = [kind, " `", cut(name, QUOTED), "`"].concat();
    }

    pub fn place(&self) -> &str {
        &self.place
    }

    /// An error about this object; the pieces follow its name.
    pub fn error(&self, code: DefinitionCode, pieces: &[&str]) -> DefinitionError {
        DefinitionError::new(code, &[&self.place, " ", &pieces.concat()])
    }

    pub fn invalid(&self, pieces: &[&str]) -> DefinitionError {
        self.error(DefinitionCode::InvalidDefinition, pieces)
    }

    /// An error about one field; the pieces follow "`key` of …".
    pub fn field_error(&self, code: DefinitionCode, key: &str, pieces: &[&str]) -> DefinitionError {
        DefinitionError::new(code, &["`", key, "` of ", &self.place, " ", &pieces.concat()])
    }

    /// What a field should have been.
    fn wrong(&self, key: &str, expected: &str, found: Value<'_>) -> DefinitionError {
        let found = cut(found.raw(), QUOTED);
        self.field_error(
            DefinitionCode::InvalidDefinition,
            key,
            &["must be ", expected, ", found `", found, "`"],
        )
    }

    /// Refuses every field that is none of these.
    pub fn only(&self, known: &[&[&str]]) -> Result<(), DefinitionError> {
        for (key, _) in self.root.entries() {
            if !known.iter().any(|part| part.contains(&&*key)) {
                return Err(self.invalid(&["has an unknown field `", cut(&key, QUOTED), "`"]));
            }
        }
        Ok(())
    }

    pub fn raw(&self, key: &str) -> Option<Value<'a>> {
        self.root.get(key)
    }

    pub fn text(&self, key: &str) -> Result<Option<String>, DefinitionError> {
        let Some(value) = self.raw(key) else {
            return Ok(None);
        };
        value
            .as_str()
            .map(|text| Some(text.into_owned()))
            .ok_or_else(|| self.wrong(key, "a text", value))
    }

    pub fn flag(&self, key: &str) -> Result<Option<bool>, DefinitionError> {
        let Some(value) = self.raw(key) else {
            return Ok(None);
        };
        value
            .as_bool()
            .map(Some)
            .ok_or_else(|| self.wrong(key, "true or false", value))
    }

    /// A whole number from `least` to `most`.
    pub fn count(&self, key: &str, (least, most): (u32, u32)) -> Result<Option<u32>, DefinitionError> {
        let Some(value) = self.raw(key) else {
            return Ok(None);
        };
        let number = value.as_u32().filter(|number| (least..=most).contains(number));
        let expected = if least == 0 {
            "a whole number from 0"
        } else {
            "a whole number from 1"
        };
        number.map(Some).ok_or_else(|| self.wrong(key, expected, value))
    }

    /// Whether the host has a function there: it sends `1`, and `0` for anything else that was set.
    pub fn function(&self, key: &str) -> Result<bool, DefinitionError> {
        match self.raw(key) {
            None => Ok(false),
            Some(value) if value.raw() == "1" => Ok(true),
            Some(_) => Err(self.field_error(DefinitionCode::InvalidDefinition, key, &["must be a function"])),
        }
    }

    pub fn required_function(&self, key: &str) -> Result<(), DefinitionError> {
        if self.function(key)? {
            return Ok(());
        }
        Err(self.field_error(
            DefinitionCode::InvalidDefinition,
            key,
            &["must be a function, found nothing"],
        ))
    }

    /// A word of a closed list, which `expected` spells out.
    pub fn word<T>(
        &self,
        key: &str,
        parse: fn(&str) -> Option<T>,
        expected: &str,
    ) -> Result<Option<T>, DefinitionError> {
        let Some(value) = self.raw(key) else {
            return Ok(None);
        };
        value
            .as_str()
            .and_then(|text| parse(&text))
            .map(Some)
            .ok_or_else(|| self.wrong(key, expected, value))
    }

    /// A list of texts, each once.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, DefinitionError> {
        let Some(value) = self.raw(key) else {
            return Ok(Vec::new());
        };
        if value.kind() != Kind::Array {
            return Err(self.wrong(key, "an array of texts", value));
        }
        let mut texts: Vec<String> = Vec::with_capacity(value.len());
        for item in value.items() {
            let text = item
                .as_str()
                .ok_or_else(|| self.wrong(key, "an array of texts", value))?
                .into_owned();
            if texts.contains(&text) {
                let code = DefinitionCode::InvalidDefinition;
                return Err(self.field_error(code, key, &["names `", cut(&text, QUOTED), "` twice"]));
            }
            texts.push(text);
        }
        Ok(texts)
    }

    /// The description: there, not blank, at most `most` code points.
    pub fn description(&self, most: u32) -> Result<String, DefinitionError> {
        let text = self.text("description")?.unwrap_or_default();
        if text.trim().is_empty() {
            let pieces = ["must say what it is for, found nothing"];
            return Err(self.field_error(DefinitionCode::InvalidDefinition, "description", &pieces));
        }
        self.within("description", text.chars().count(), most, " characters")?;
        Ok(text)
    }

    /// The `meta`: JSON text of at most `most` bytes.
    pub fn meta(&self, most: u32) -> Result<Option<String>, DefinitionError> {
        let Some(value) = self.raw("meta") else {
            return Ok(None);
        };
        self.within("meta", value.raw().len(), most, " bytes of JSON")?;
        Ok(Some(value.raw().to_owned()))
    }

    fn within(&self, key: &str, found: usize, most: u32, unit: &str) -> Result<(), DefinitionError> {
        if u32::try_from(found).is_ok_and(|found| found <= most) {
            return Ok(());
        }
        let pieces = [
            "may have ",
            &digits(u64::from(most)),
            unit,
            ", found ",
            &digits(found as u64),
        ];
        Err(self.field_error(DefinitionCode::LimitExceeded, key, &pieces))
    }
}

fn digits(number: u64) -> String {
    let mut out = String::new();
    agent_surface_json::write_u64(&mut out, number);
    out
}
