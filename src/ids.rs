//! Exported functions without a registry: ids, wire names, schemas.
//!
//! Each takes and gives texts. Called by the facade's `ids.js` and `schema.js`.

use agent_surface_core::definition::compile_schema;
use agent_surface_core::error::ObjectWriter;
use agent_surface_core::id::{self, CapabilityId};
use agent_surface_core::wire::{self, NameRequest};
use agent_surface_json::{Document, concat};
use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use wasm_bindgen::prelude::*;

use crate::codes;
use crate::convert::definition_error;
use crate::registry::{OWN_BOUNDS, parse, whole_issue};

/// What `codes` names, about one text or two; nothing where the text has no such thing, or where the answer is no.
#[wasm_bindgen]
pub fn name(what: u32, text: &str, other: &str) -> Option<String> {
    let yes = |holds: bool| holds.then(String::new);
    match what {
        codes::IS_COMPONENT_TYPE => yes(id::is_component_type(text)),
        codes::IS_CAPABILITY_NAME => yes(id::is_capability_name(text)),
        codes::IS_INSTANCE_ID => yes(id::is_instance_id(text)),
        codes::PARSE_ID => parse_id(text),
        codes::VIEW_ID => Some(id::view(text, other)).filter(|id| id::parse(id).is_some()),
        codes::DOMAIN_ID => Some(id::domain(text)).filter(|id| id::parse(id).is_some()),
        codes::WIRE_NAME => wire::encode(text),
        codes::WIRE_NAME_AT => wire::encode_for_instance(text, other),
        codes::ID_OF_WIRE_NAME => wire::decode(text),
        codes::WIRE_NAMES => wire_names(text),
        codes::IN_SCOPE => yes(id::is_within(text, other)),
        codes::SCHEMA_FAULT => compile_schema(text).err().map(|error| error.message),
        _ => None,
    }
}

/// `{plane, componentType, name}` or `{plane, path}` as JSON text.
fn parse_id(text: &str) -> Option<String> {
    let mut object = ObjectWriter::new();
    match id::parse(text)? {
        CapabilityId::View { component_type, name } => object
            .text("plane", "view")
            .text("componentType", component_type)
            .text("name", name),
        CapabilityId::Domain { path } => object.text("plane", "domain").text("path", path),
    };
    Some(object.finish())
}

/// Names for one catalog: a JSON array of `[id, instance | null]` in, an array of names out.
fn wire_names(text: &str) -> Option<String> {
    let document = parse(text.to_owned()).ok()?;
    let mut pairs = Vec::new();
    for pair in document.root().items() {
        let mut parts = pair.items().map(agent_surface_json::Value::as_str);
        pairs.push((parts.next().flatten().unwrap_or_default(), parts.next().flatten()));
    }
    let mut requests = Vec::with_capacity(pairs.len());
    for (id, instance) in &pairs {
        requests.push(NameRequest {
            id,
            instance: instance.as_deref(),
        });
    }
    let mut out = ObjectWriter::new();
    out.open_item("[");
    for name in wire::assign(&requests) {
        out.item(Some(&name));
    }
    Some(out.close("]").take())
}

/// Checks a value: `{"value": …}` with defaults filled, or `{"issues": […]}`. Throws the JSON text of a definition
/// error where the schema is none.
#[wasm_bindgen(js_name = schemaCheck)]
pub fn schema_check(schema: &str, value: String, fill: bool) -> Result<String, JsValue> {
    let schema = compile_schema(schema).map_err(|error| definition_error(&error))?;
    let mut document = match Document::parse(value, OWN_BOUNDS) {
        Ok(document) => document,
        Err(error) => return Ok(concat(&["{\"issues\":", &whole_issue(&error.message()), "}"])),
    };
    if fill && let Some(filled) = schema.fill_defaults(document.root()) {
        document = parse(filled)?;
    }
    let issues = schema.validate(document.root());
    if issues.is_empty() {
        return Ok(concat(&["{\"value\":", document.text(), "}"]));
    }
    let failure = agent_surface_core::error::Failure::invalid_input(&issues);
    Ok(failure.details.clone().unwrap_or_default())
}
