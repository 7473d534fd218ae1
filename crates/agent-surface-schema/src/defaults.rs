//! Filling `default` into absent properties, as the subset does: through `properties`, `items` and local `$ref`, never
//! into what may or may not apply (`anyOf`, `oneOf`, `allOf`, `if`, …).
//!
//! It refuses to grow a value without end. The engine calls it.

use serde_json::Value;

use crate::engine::token;

/// What filling may add to one value, in bytes of JSON.
const MAX_FILLED_BYTES: usize = 1 << 20;
/// Levels of a value that are walked.
const MAX_DEPTH: usize = 128;
/// References that are followed one after the other.
const MAX_CHAIN: usize = 32;

/// A `default` that filling may come to.
pub(crate) struct Default {
    /// JSON Pointer to the schema that has it.
    pub(crate) pointer: String,
    /// With the defaults within it filled; `None` when it does not end.
    pub(crate) value: Option<Value>,
}

/// All of them, each once; also those that are only said and never filled.
pub(crate) fn find(root: &Value) -> Vec<Default> {
    let (mut seen, mut found) = (vec![String::new()], Vec::new());
    let mut next = 0;
    while let Some(pointer) = seen.get(next).cloned() {
        next += 1;
        let Some(schema) = root.pointer(&pointer) else {
            continue;
        };
        if let Some(default) = schema.get("default") {
            let mut value = default.clone();
            let mut budget = MAX_FILLED_BYTES;
            let ends = walk(root, &chain(root, schema), &mut value, 0, &mut budget).is_some();
            found.push(Default {
                pointer: pointer.clone(),
                value: ends.then_some(value),
            });
        }
        let mut below = Vec::new();
        for map in ["properties", "$defs", "definitions"] {
            let schemas = schema.get(map).and_then(Value::as_object);
            for name in schemas.into_iter().flat_map(|all| all.keys()) {
                below.push([&pointer, "/", map, "/", &token(name)].concat());
            }
        }
        for list in ["anyOf", "oneOf", "allOf"] {
            let count = schema.get(list).and_then(Value::as_array).map_or(0, Vec::len);
            below.extend((0..count).map(|at| [&pointer, "/", list, "/", &at.to_string()].concat()));
        }
        if schema.get("items").is_some_and(Value::is_object) {
            below.push([&pointer, "/items"].concat());
        }
        below.extend(target(schema));
        for pointer in below {
            if !seen.contains(&pointer) {
                seen.push(pointer);
            }
        }
    }
    found
}

/// Fills a value; whether anything was added.
pub(crate) fn fill(root: &Value, value: &mut Value) -> bool {
    let mut budget = MAX_FILLED_BYTES;
    let ends = walk(root, &chain(root, root), value, 0, &mut budget).is_some();
    !ends || budget < MAX_FILLED_BYTES
}

/// The JSON Pointer in a local `$ref`.
fn target(schema: &Value) -> Option<String> {
    let reference = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    if !reference.is_empty() && !reference.starts_with('/') {
        return None;
    }
    decoded(reference)
}

/// Text without its percent-encoding (RFC 3986, 2.1).
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(mut byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            byte = u8::try_from(digit()? * 16 + digit()?).ok()?;
        }
        decoded.push(byte);
    }
    String::from_utf8(decoded).ok()
}

/// A schema and what it refers to: all of them apply. A part with an `$id` has another root, so the chain ends there.
fn chain<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let mut chain = vec![schema];
    let mut at = schema;
    while chain.len() < MAX_CHAIN
        && let Some(found) = target(at).and_then(|pointer| root.pointer(&pointer))
        && !chain.iter().any(|known| std::ptr::eq(*known, found))
    {
        chain.push(found);
        at = found;
    }
    chain
}

/// `None` when there is no more room.
fn walk(root: &Value, schemas: &[&Value], value: &mut Value, depth: usize, budget: &mut usize) -> Option<()> {
    if depth >= MAX_DEPTH {
        return None;
    }
    match value {
        Value::Array(items) => {
            for schema in schemas {
                let Some(each) = schema.get("items").filter(|each| each.is_object()) else {
                    continue;
                };
                let first = schema
                    .get("prefixItems")
                    .and_then(Value::as_array)
                    .map_or(0, Vec::len);
                let chain = chain(root, each);
                for item in items.iter_mut().skip(first) {
                    walk(root, &chain, item, depth + 1, budget)?;
                }
            }
        }
        Value::Object(entries) => {
            for schema in schemas {
                let properties = schema.get("properties").and_then(Value::as_object);
                for (name, property) in properties.into_iter().flatten() {
                    let chain = chain(root, property);
                    if let Some(known) = entries.get_mut(name) {
                        walk(root, &chain, known, depth + 1, budget)?;
                    } else if let Some(default) = chain.iter().find_map(|schema| schema.get("default")) {
                        let mut added = default.clone();
                        *budget = budget.checked_sub(name.len() + added.to_string().len())?;
                        walk(root, &chain, &mut added, depth + 1, budget)?;
                        entries.insert(name.clone(), added);
                    }
                }
            }
        }
        _ => {}
    }
    Some(())
}
