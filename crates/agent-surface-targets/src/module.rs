//! The module behind the entry `/targets`: one exported function, texts in and out.
//!
//! It refuses to keep anything between two calls. Called by the facade's `targets.js`, which knows the numbers.

use agent_surface_json::ParseError;
use alloc::string::String;
use wasm_bindgen::prelude::*;

use crate::json::Json;

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Runs what `what` numbers, on a request as JSON text. The answer is JSON text.
#[wasm_bindgen]
pub fn targets(what: u32, request: &str) -> String {
    let request = match Json::parse(request) {
        Ok(request) => request,
        Err(error) => return fault(error),
    };
    let answer = match what {
        0 => crate::project(&request),
        1 => crate::read(&request),
        2 => crate::prepare(&request),
        3 => crate::render(&request),
        _ => Json::Text(crate::state(&request)),
    };
    answer.write()
}

fn fault(error: ParseError) -> String {
    Json::object([("fault", Json::Text(error.message()))]).write()
}
