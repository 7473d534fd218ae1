//! What `describe` answers: the published capabilities, made from a snapshot of the registry, and the records.
//!
//! It refuses to show anything but what is listed: what a peer may not use, what is hidden and what is not there leave no
//! trace. Called by `kernel`.

use agent_surface_json::{Bounds, Document, Value, write_u64};
use alloc::string::String;
use alloc::vec::Vec;

use crate::expose::Exposure;
use crate::request::PROTOCOL;
use crate::write::{Object, quoted};

/// What comes from the page itself is bounded by the registry's own limits.
pub(crate) const TRUSTED: Bounds = Bounds {
    max_bytes: 1 << 26,
    max_depth: 200,
    lone_surrogates: true,
};
/// Bytes of the records in one description.
const MAX_RECORDS: usize = 32_768;
/// Input of what takes none.
const NO_INPUT: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// A description without its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Catalog {
    pub(crate) version: String,
    /// A JSON array.
    pub(crate) capabilities: String,
}

/// A capability in the snapshot.
struct Found<'a> {
    id: Option<Value<'a>>,
    instance: Option<Value<'a>>,
    descriptor: Value<'a>,
}

/// The entries that the scope has, in the order of the allowlist.
pub(crate) fn build(snapshot: &Document, exposures: &[Exposure], scope: &[String]) -> Catalog {
    let found = list(snapshot.root());
    let mut capabilities = String::from("[");
    for exposure in exposures.iter().filter(|exposure| scope.contains(&exposure.id)) {
        if capabilities.len() > 1 {
            capabilities.push(',');
        }
        capabilities.push_str(&entry(exposure, &found));
    }
    capabilities.push(']');
    let version = snapshot.root().get("surfaceVersion").map_or("null", Value::raw);
    Catalog {
        version: String::from(version),
        capabilities,
    }
}

fn list(snapshot: Value<'_>) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let components = snapshot.get("components").into_iter().flat_map(Value::items);
    for component in components {
        let lists = ["observations", "actions"].map(|key| component.get(key));
        let members = lists.into_iter().flatten().flat_map(Value::items);
        found.extend(members.map(|descriptor| Found {
            id: descriptor.get("capabilityId"),
            instance: component.get("instanceId"),
            descriptor,
        }));
    }
    let procedures = snapshot.get("procedures").into_iter().flat_map(Value::items);
    found.extend(procedures.map(|descriptor| {
        Found {
            id: descriptor.get("procedureId"),
            instance: descriptor
                .get("context")
                .and_then(|context| context.get("instanceId")),
            descriptor,
        }
    }));
    found
}

fn entry(exposure: &Exposure, found: &[Found<'_>]) -> String {
    let is_it = |value: Option<Value<'_>>, text: &str| value.is_some_and(|value| value.is_str(text));
    let mut backing = found.iter().filter(|found| {
        let instance = exposure.instance.as_deref();
        is_it(found.id, &exposure.capability)
            && instance.is_none_or(|instance| is_it(found.instance, instance))
    });
    let object = Object::new().text("id", &exposure.id);
    let Some(first) = backing.next() else {
        return object
            .flag("available", false)
            .text("unavailableReason", "not-mounted")
            .end();
    };
    let member = |key| first.descriptor.get(key).map(Value::raw);
    let is_observation = member("effect").is_none();
    let mut object = object.raw("description", member("description").unwrap_or("null"));
    object = object.raw("inputSchema", member("inputSchema").unwrap_or(NO_INPUT));
    if let Some(schema) = member("outputSchema") {
        object = object.raw("outputSchema", schema);
    }
    let (effect, confirmation) = if is_observation {
        ("\"read\"", "\"never\"")
    } else {
        ("null", "null")
    };
    object = object
        .raw("effect", member("effect").unwrap_or(effect))
        .raw("confirmation", member("confirmation").unwrap_or(confirmation));
    // A call could not say which one it means.
    if backing.next().is_some() {
        return object
            .flag("available", false)
            .text("unavailableReason", "ambiguous-instance")
            .end();
    }
    object = object.raw("available", member("available").unwrap_or("false"));
    if let Some(reason) = member("unavailableReason") {
        object = object.raw("unavailableReason", reason);
    }
    object.end()
}

/// The whole result. `records` is the text of the array that was taken for this description, out of `total`.
pub(crate) fn describe(app: &str, catalog: &Catalog, records: &Document, limit: u32, total: u32) -> String {
    let mut shown = String::from("[");
    let mut count = 0;
    for record in records.root().items().take(limit as usize) {
        if shown.len() + record.raw().len() >= MAX_RECORDS {
            break;
        }
        if count > 0 {
            shown.push(',');
        }
        shown.push_str(record.raw());
        count += 1;
    }
    shown.push(']');
    let mut number = String::new();
    write_u64(&mut number, u64::from(total));
    let context = Object::new()
        .raw("records", &shown)
        .raw("total", &number)
        .flag("truncated", count < total);
    Object::new()
        .raw("protocol", &quoted(PROTOCOL))
        .text("app", app)
        .raw("surfaceVersion", &catalog.version)
        .raw("capabilities", &catalog.capabilities)
        .raw("context", &context.end())
        .end()
}
