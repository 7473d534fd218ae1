//! Payload schemas of the package's own subset, by their digests: compiled once, asked by machines without a copy of the
//! payload.
//!
//! It refuses what is outside the subset. Called by the facade's `interop-schemas.js` and by `machine`.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::cell::RefCell;

use agent_surface_interop::{Digest, Error, Value, Verdict};
use agent_surface_json::schema::{OTHERWISE, Options, Schema, SchemaLimits};
use agent_surface_json::{Bounds, Document};
use wasm_bindgen::prelude::*;

use super::{values, write};

/// Of a schema's text, and of schemas within it.
const LIMITS: SchemaLimits = SchemaLimits {
    max_bytes: 1 << 20,
    max_depth: 32,
};

/// Compiled schemas.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Schemas(RefCell<BTreeMap<Digest, Schema>>);

#[wasm_bindgen]
impl Schemas {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Schemas {
        Schemas::default()
    }

    /// Compiles one.
    ///
    /// # Errors
    /// The digest is none, or the schema is outside the subset.
    pub fn add(&self, digest: &str, text: String) -> Result<(), String> {
        let digest = Digest::parse(digest).ok_or_else(|| write::error(&Error::Invalid("schemaDigest")))?;
        let bounds = Bounds {
            max_bytes: LIMITS.max_bytes,
            max_depth: 64,
            lone_surrogates: false,
        };
        let document = Document::parse(text, bounds).map_err(|error| refusal(&error.message()))?;
        let options = Options {
            assert_formats: true,
            fill_defaults: false,
        };
        let schema =
            Schema::compile_with(&document, LIMITS, options).map_err(|error| refusal(&error.message))?;
        self.0.borrow_mut().insert(digest, schema);
        Ok(())
    }

    /// Whether a JSON text is what a schema of these describes.
    ///
    /// # Errors
    /// The text is no JSON.
    pub fn accept(&self, digest: &str, text: String) -> Result<bool, String> {
        let value = values::parse(text)?;
        let verdict = Digest::parse(digest).map(|digest| self.judge(digest, value.value()));
        Ok(verdict == Some(Verdict::Accept))
    }
}

/// A schema that is not compiled; the full engine is not to be had here.
fn refusal(message: &str) -> String {
    let message = match message.strip_suffix(OTHERWISE) {
        Some(message) => [message, ", or resolve it with a validator of your own"].concat(),
        None => String::from(message),
    };
    write::Object::new()
        .text("code", "UNSUPPORTED_SCHEMA")
        .text("type", "TypeError")
        .number("status", 500)
        .text("message", &message)
        .end()
}

impl Schemas {
    pub(super) fn judge(&self, digest: Digest, value: Value<'_>) -> Verdict {
        let schemas = self.0.borrow();
        let Some(schema) = schemas.get(&digest) else {
            return Verdict::from(false);
        };
        match schema.validate(value).first() {
            None => Verdict::Accept,
            Some(issue) if issue.pointer.is_empty() => Verdict::Refuse(["it ", &issue.message].concat()),
            Some(issue) => Verdict::Refuse(["`", &issue.pointer, "` ", &issue.message].concat()),
        }
    }
}
