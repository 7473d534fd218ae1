//! Payload schemas of the package's own subset, by their digests: compiled once, asked by machines without a copy of the
//! payload.
//!
//! It refuses what is outside the subset. Called by the facade's `interop-schemas.js` and by `machine`.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::cell::RefCell;

use agent_surface_interop::{Digest, Error, Value};
use agent_surface_json::schema::{Options, Schema, SchemaLimits};
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
        Ok(Digest::parse(digest).is_some_and(|digest| self.accepts(digest, value.value())))
    }
}

/// A schema that is not compiled; the full engine is not to be had here.
fn refusal(message: &str) -> String {
    let message = match message.split_once(", or install the full engine") {
        Some((message, _)) => [message, ", or resolve it with a validator of your own"].concat(),
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
    pub(super) fn accepts(&self, digest: Digest, value: Value<'_>) -> bool {
        let schemas = self.0.borrow();
        schemas
            .get(&digest)
            .is_some_and(|schema| schema.validate(value).is_empty())
    }
}
