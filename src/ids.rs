//! Exported functions without a registry: ids, wire names, schemas.
//!
//! Each takes and gives texts. Called by the facade's `ids.js` and `schema.js`.

use agent_surface_core::definition::compile_schema;
use agent_surface_core::id::{self, CapabilityId};
use agent_surface_core::wire::{self, NameRequest};
use agent_surface_json::{Document, write_string};
use wasm_bindgen::prelude::*;

use crate::convert::definition_error;
use crate::registry::{OWN_BOUNDS, parse, texts, whole_issue};

/// `{plane, componentType, name}` or `{plane, path}` as JSON text.
#[wasm_bindgen(js_name = parseCapabilityId)]
pub fn parse_capability_id(text: &str) -> Option<String> {
    let fields: &[(&str, &str)] = match id::parse(text)? {
        CapabilityId::View { component_type, name } => &[
            ("plane", "view"),
            ("componentType", component_type),
            ("name", name),
        ],
        CapabilityId::Domain { path } => &[("plane", "domain"), ("path", path)],
    };
    let mut object = agent_surface_core::error::ObjectWriter::new();
    for (name, value) in fields {
        object.text(name, value);
    }
    Some(object.finish())
}

/// `view:type.name`, or `None` outside the grammar.
#[wasm_bindgen(js_name = formatViewCapabilityId)]
pub fn format_view_capability_id(component_type: &str, name: &str) -> Option<String> {
    let id = id::view(component_type, name);
    matches!(id::parse(&id), Some(CapabilityId::View { .. })).then_some(id)
}

/// `domain:path`, or `None` outside the grammar.
#[wasm_bindgen(js_name = formatDomainCapabilityId)]
pub fn format_domain_capability_id(path: &str) -> Option<String> {
    let id = id::domain(path);
    id::parse(&id).is_some().then_some(id)
}

/// Grammar of a component type.
#[wasm_bindgen(js_name = isValidComponentType)]
pub fn is_valid_component_type(text: &str) -> bool {
    id::is_component_type(text)
}

/// Grammar of a capability name.
#[wasm_bindgen(js_name = isValidCapabilityName)]
pub fn is_valid_capability_name(text: &str) -> bool {
    id::is_capability_name(text)
}

/// Grammar of an instance id.
#[wasm_bindgen(js_name = isValidInstanceId)]
pub fn is_valid_instance_id(text: &str) -> bool {
    id::is_instance_id(text)
}

/// The wire name of a capability id.
#[wasm_bindgen(js_name = encodeWireName)]
pub fn encode_wire_name(text: &str) -> Option<String> {
    wire::encode(text)
}

/// The wire name of a capability of one instance among several.
#[wasm_bindgen(js_name = encodeWireNameForInstance)]
pub fn encode_wire_name_for_instance(text: &str, instance: &str) -> Option<String> {
    wire::encode_for_instance(text, instance)
}

/// The capability id of a wire name that was not cut.
#[wasm_bindgen(js_name = decodeWireName)]
pub fn decode_wire_name(name: &str) -> Option<String> {
    wire::decode(name)
}

/// Names for one catalog: a JSON array of `{id, instance?}` in, an array of names out.
#[wasm_bindgen(js_name = assignWireNames)]
pub fn assign_wire_names(text: String) -> Result<String, JsValue> {
    let document = parse(text)?;
    let read = |value: Option<agent_surface_json::Value<'_>>| {
        value.and_then(|value| value.as_str().map(std::borrow::Cow::into_owned))
    };
    let pairs: Vec<(String, Option<String>)> = document
        .root()
        .items()
        .map(|item| {
            (
                read(item.get("id")).unwrap_or_default(),
                read(item.get("instance")),
            )
        })
        .collect();
    let requests: Vec<NameRequest<'_>> = pairs
        .iter()
        .map(|(id, instance)| NameRequest {
            id,
            instance: instance.as_deref(),
        })
        .collect();
    let mut out = String::from("[");
    for name in wire::assign(&requests) {
        if out.len() > 1 {
            out.push(',');
        }
        write_string(&mut out, &name);
    }
    out.push(']');
    Ok(out)
}

/// Whether a component type lies in a scope (a JSON array of prefixes).
#[wasm_bindgen(js_name = matchesScope)]
pub fn matches_scope(component_type: &str, scope: String) -> Result<bool, JsValue> {
    Ok(id::matches_scope(component_type, &texts(scope)?))
}

/// What is wrong with a schema document; `None` when nothing is.
#[wasm_bindgen(js_name = schemaDocument)]
pub fn schema_document(text: &str) -> Option<String> {
    compile_schema(text).err().map(|error| error.message)
}

/// Checks a value: `{"value": …}` with defaults filled, or `{"issues": […]}`. Throws the JSON text of a definition
/// error where the schema is none.
#[wasm_bindgen(js_name = schemaCheck)]
pub fn schema_check(schema: &str, value: String, fill: bool) -> Result<String, JsValue> {
    let schema = compile_schema(schema).map_err(|error| definition_error(&error))?;
    let mut document = match Document::parse(value, OWN_BOUNDS) {
        Ok(document) => document,
        Err(error) => return Ok(["{\"issues\":", &whole_issue(&error.message()), "}"].concat()),
    };
    if fill && let Some(filled) = schema.fill_defaults(document.root()) {
        document = parse(filled)?;
    }
    let issues = schema.validate(document.root());
    if issues.is_empty() {
        return Ok(["{\"value\":", document.text(), "}"].concat());
    }
    let failure = agent_surface_core::error::Failure::invalid_input(&issues);
    Ok(failure.details.clone().unwrap_or_default())
}
