//! What JavaScript calls: an engine with compiled schemas by number.
//!
//! It refuses to judge anything; the texts of schemas and values cross as JSON, verdicts as objects. Called by
//! `pkg-template/lib/schema-engine.js`.

use std::cell::RefCell;

use serde::Serialize;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::engine::{Compiled, Engine, Options};

const OPTIONS: Options = Options {
    assert_formats: true,
    check_defaults: true,
};

/// The engine of a page.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SchemaEngine {
    engine: Engine,
    compiled: RefCell<Vec<Option<Compiled>>>,
}

#[wasm_bindgen]
impl SchemaEngine {
    /// `documents`: the JSON text of an object of schemas under their URIs.
    ///
    /// # Errors
    /// A refusal, as an object.
    #[wasm_bindgen(constructor)]
    pub fn new(documents: &str) -> Result<SchemaEngine, JsValue> {
        let engine = Engine::new(documents).map_err(|refusal| to_js(&refusal))?;
        Ok(SchemaEngine {
            engine,
            compiled: RefCell::default(),
        })
    }

    /// Compiles the schema in a text and answers with its number.
    ///
    /// # Errors
    /// A refusal, as an object.
    pub fn compile(&self, text: &str) -> Result<usize, JsValue> {
        let made = self
            .engine
            .compile(text, OPTIONS)
            .map_err(|refusal| to_js(&refusal))?;
        let mut compiled = self.compiled.borrow_mut();
        let free = compiled.iter().position(Option::is_none).unwrap_or_else(|| {
            compiled.push(None);
            compiled.len() - 1
        });
        if let Some(place) = compiled.get_mut(free) {
            *place = Some(made);
        }
        Ok(free)
    }

    /// The verdict on the value in a text: `{ issues, filled? }`; undefined for a number that was released.
    pub fn check(&self, number: usize, text: &str, fill: bool) -> JsValue {
        let compiled = self.compiled.borrow();
        match compiled.get(number) {
            Some(Some(compiled)) => to_js(&compiled.check(text, fill)),
            _ => JsValue::UNDEFINED,
        }
    }

    /// Lets a compiled schema go.
    pub fn release(&self, number: usize) {
        if let Some(place) = self.compiled.borrow_mut().get_mut(number) {
            *place = None;
        }
    }
}

/// Undefined where it cannot be, which is never: texts and lists of texts are all there is.
fn to_js(value: &impl Serialize) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}
