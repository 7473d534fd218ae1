//! Finds the browser's `WebMCP` entry point, by shape and never by version.
//!
//! Registers nothing: the facade does, as the core says. Called by the facade's adapter.

use wasm_bindgen::prelude::*;

use crate::convert::{Finder, property};

/// Tells the finder of `document.modelContext`, else of `navigator.modelContext`, as the page's global object has them.
/// One is chosen; the other is not touched.
#[wasm_bindgen(js_name = findModelContext)]
pub fn find_model_context(global: &JsValue, finder: &Finder) {
    for (owner, entry) in [
        ("document", "document.modelContext"),
        ("navigator", "navigator.modelContext"),
    ] {
        let context = property(global, owner).and_then(|owner| property(&owner, "modelContext"));
        if let Some(context) = context {
            return finder.found(entry, context);
        }
    }
}
