//! What changes from turn to turn, as one text beside the definitions, so that these can sit in a cached prompt.
//!
//! It refuses to repeat what the definitions say. Texts come from the page and may hold what users wrote: each is one JSON
//! string on one line. Called by the module and by native hosts.

use crate::json::Json;
use alloc::string::String;
use alloc::vec::Vec;

/// The text; empty when every tool is available and none has a note. The request: `{ tools: [{ name, state: { available,
/// unavailableReason?, note? } }], overflow?: [name], meta?: boolean }`.
pub fn state(request: &Json) -> String {
    let mut unavailable = String::new();
    let mut notes = String::new();
    for tool in request.at("tools").items() {
        let state = tool.at("state");
        let name = tool.at("name").str();
        if *state.at("available") == Json::Bool(false) {
            line(&mut unavailable, name, state.at("unavailableReason"));
        }
        if !state.at("note").is_null() {
            line(&mut notes, name, state.at("note"));
        }
    }
    let mut overflow = String::new();
    for name in request.at("overflow").items() {
        line(&mut overflow, name.str(), &Json::Null);
    }
    let way = if request.at("meta").is_true() {
        "Not in the list of tools for want of room; call them by way of the surface_ tools:"
    } else {
        "Left out of the list of tools for want of room:"
    };
    let mut out = String::new();
    for (head, lines) in [
        ("Not available now:", &unavailable),
        ("Notes on tools:", &notes),
        (way, &overflow),
    ] {
        if !lines.is_empty() {
            out.push_str(head);
            out.push('\n');
            out.push_str(lines);
        }
    }
    if out.is_empty() {
        return out;
    }
    ["<surface-state>\n", &out, "</surface-state>"].concat()
}

fn line(out: &mut String, name: &str, text: &Json) {
    out.push_str("- ");
    out.push_str(name);
    if let Some(text) = text.as_text() {
        out.push_str(": ");
        // As an escape, so that no text ends the block.
        let quoted = Json::text(text).write();
        out.push_str(&quoted.split('<').collect::<Vec<_>>().join("\\u003c"));
    }
    out.push('\n');
}
