//! The module behind the entry `/targets`: one exported function, texts in and out.
//!
//! It refuses to keep anything between two calls. Called by the facade's `targets.js`, which knows the numbers.

use agent_surface_json::ParseError;
use alloc::string::String;
use wasm_bindgen::prelude::*;

use agent_surface_targets::json::Json;

/// Runs what `what` numbers, on a request as JSON text. The answer is JSON text.
#[wasm_bindgen]
pub fn targets(what: u32, request: &str) -> String {
    let request = match Json::parse(request) {
        Ok(request) => request,
        Err(error) => return fault(error),
    };
    let answer = match what {
        0 => agent_surface_targets::project(&request),
        1 => agent_surface_targets::read(&request),
        2 => agent_surface_targets::prepare(&request),
        3 => agent_surface_targets::render(&request),
        _ => Json::Text(agent_surface_targets::state(&request)),
    };
    answer.write()
}

fn fault(error: ParseError) -> String {
    Json::object([("fault", Json::Text(error.message()))]).write()
}
