//! The rules of each dialect as its documentation states them, read on their own: nothing here is shared with the
//! projection.

use agent_surface_targets::target::Dialect;
use serde_json::{Map, Value};

type Verdict = Result<(), String>;

const GEMINI: &str = "anyOf default description enum example format items maxItems maxLength maxProperties maximum \
    minItems minLength minProperties minimum nullable pattern properties propertyOrdering required title type";
const GEMINI_JSON: &str = "$id $defs $ref $anchor type format title description enum items prefixItems minItems \
    maxItems minimum maximum anyOf oneOf properties additionalProperties required";
const ANTHROPIC_STRICT: &str = "$defs $ref enum const type anyOf allOf description title properties \
    additionalProperties required format items minItems";
const OPENAI_STRICT_REFUSES: &str = "allOf oneOf not if then else contains minContains maxContains dependentSchemas \
    dependentRequired dependencies patternProperties propertyNames prefixItems uniqueItems minProperties maxProperties \
    unevaluatedItems unevaluatedProperties contentEncoding contentMediaType contentSchema $anchor $dynamicRef $id";
/// Keywords whose members or items are schemas.
const MAPS: [&str; 2] = ["properties", "$defs"];
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// Whether a schema of a tool's keeps the rules.
pub fn check(dialect: Dialect, root: &Value) -> Verdict {
    let members = root.as_object().ok_or("the root is no object")?;
    let object = if dialect == Dialect::Gemini {
        "OBJECT"
    } else {
        "object"
    };
    if members.get("type") != Some(&Value::from(object)) {
        return Err("the root does not say that it is an object".to_owned());
    }
    if dialect == Dialect::Full {
        return Ok(());
    }
    for union in ["anyOf", "oneOf", "allOf", "$ref"] {
        if members.contains_key(union) {
            return Err(format!("`{union}` at the root"));
        }
    }
    node(dialect, root, root, 0)
}

fn has(list: &str, key: &str) -> bool {
    list.split_whitespace().any(|word| word == key)
}

fn node(dialect: Dialect, root: &Value, schema: &Value, depth: usize) -> Verdict {
    let Some(members) = schema.as_object() else {
        return Err(format!("{schema} is no object"));
    };
    for key in members.keys() {
        let is_known = match dialect {
            Dialect::Gemini => has(GEMINI, key),
            Dialect::GeminiJson | Dialect::Portable => has(GEMINI_JSON, key) && key != "oneOf",
            Dialect::AnthropicStrict => has(ANTHROPIC_STRICT, key),
            Dialect::OpenaiStrict => !has(OPENAI_STRICT_REFUSES, key) && key != "default",
            _ => true,
        };
        if !is_known {
            return Err(format!("`{key}` is not accepted"));
        }
    }
    reference(dialect, root, members)?;
    match dialect {
        Dialect::Gemini => gemini(members)?,
        Dialect::AnthropicStrict => anthropic_strict(members)?,
        Dialect::OpenaiStrict => openai_strict(members, depth)?,
        _ => {}
    }
    if matches!(dialect, Dialect::Openai | Dialect::Portable)
        && members.get("type") == Some(&Value::from("array"))
        && !["items", "prefixItems", "enum", "const"]
            .iter()
            .any(|key| members.contains_key(*key))
    {
        return Err("an array without items".to_owned());
    }
    for key in MAPS {
        for schema in members
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::values)
        {
            node(dialect, root, schema, depth + 1)?;
        }
    }
    for key in LISTS {
        for schema in members.get(key).and_then(Value::as_array).into_iter().flatten() {
            node(dialect, root, schema, depth)?;
        }
    }
    match members.get("items") {
        Some(items) => node(dialect, root, items, depth + 1),
        None => Ok(()),
    }
}

fn reference(dialect: Dialect, root: &Value, members: &Map<String, Value>) -> Verdict {
    let Some(reference) = members.get("$ref") else {
        return Ok(());
    };
    let text = reference.as_str().ok_or("a reference that is no string")?;
    let is_there = match text.strip_prefix("#/$defs/") {
        Some(name) => root["$defs"].get(name).is_some(),
        None => text == "#" && !matches!(dialect, Dialect::GeminiJson | Dialect::Portable),
    };
    if !is_there {
        return Err(format!("`{text}` leads nowhere"));
    }
    let takes_siblings = matches!(dialect, Dialect::Anthropic | Dialect::Openai);
    if members.len() > 1 && !takes_siblings {
        return Err("a reference with siblings".to_owned());
    }
    Ok(())
}

fn gemini(members: &Map<String, Value>) -> Verdict {
    if members.contains_key("anyOf") {
        return if members.len() == 1 {
            Ok(())
        } else {
            Err("`anyOf` with siblings".to_owned())
        };
    }
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    if !has("STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL", kind) {
        return Err(format!("the type {kind:?}"));
    }
    if (kind == "ARRAY") != members.contains_key("items") {
        return Err(format!("{kind} and items"));
    }
    if let Some(values) = members.get("enum") {
        let texts = values.as_array().is_some_and(|values| {
            !values.is_empty()
                && values
                    .iter()
                    .all(|value| value.as_str().is_some_and(|text| !text.is_empty()))
        });
        if !texts || kind != "STRING" {
            return Err("a list of values that are no texts".to_owned());
        }
    }
    let sizes = [
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    ];
    for key in sizes {
        if members
            .get(key)
            .is_some_and(|size| size.as_str().is_none_or(|text| text.parse::<i64>().is_err()))
        {
            return Err(format!("`{key}` is no string of digits"));
        }
    }
    let properties = members.get("properties").and_then(Value::as_object);
    for name in members
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if !properties.is_some_and(|all| all.contains_key(name.as_str().unwrap_or_default())) {
            return Err(format!("{name} is required and not defined"));
        }
    }
    Ok(())
}

/// What the converter of the SDK gives back as it got it.
fn anthropic_strict(members: &Map<String, Value>) -> Verdict {
    if members.contains_key("$ref") {
        return Ok(());
    }
    let keys = ["enum", "const", "anyOf", "allOf"];
    let is_other = keys.iter().any(|key| members.contains_key(*key));
    if members.contains_key("type") == is_other {
        return Err("a type beside a union or a literal, or neither".to_owned());
    }
    let plain = |value: &Value| !value.is_array() && !value.is_object();
    if members.get("const").is_some_and(|value| !plain(value)) {
        return Err("a constant that is no scalar".to_owned());
    }
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_about = |key: &str| match key {
        "properties" | "additionalProperties" | "required" => kind == "object",
        "format" => kind == "string",
        "items" | "minItems" => kind == "array",
        _ => true,
    };
    if let Some(key) = members.keys().find(|key| !is_about(key)) {
        return Err(format!("`{key}` beside the type {kind:?}"));
    }
    if kind == "object" && members.get("additionalProperties") != Some(&Value::from(false)) {
        return Err("an open object".to_owned());
    }
    if members
        .get("minItems")
        .is_some_and(|least| least.as_u64().is_none_or(|least| least > 1))
    {
        return Err("minItems past 1".to_owned());
    }
    Ok(())
}

fn openai_strict(members: &Map<String, Value>, depth: usize) -> Verdict {
    if depth > 5 {
        return Err("too deep".to_owned());
    }
    let says = ["type", "anyOf", "$ref", "enum", "const"]
        .iter()
        .any(|key| members.contains_key(*key));
    if !says {
        return Err("a schema without a type".to_owned());
    }
    let is_object = match members.get("type") {
        Some(Value::Array(types)) => types.contains(&Value::from("object")),
        Some(one) => one == "object",
        None => false,
    };
    if !is_object {
        return Ok(());
    }
    if members.get("additionalProperties") != Some(&Value::from(false)) {
        return Err("an open object".to_owned());
    }
    let empty = Map::new();
    let properties = members
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let required = members
        .get("required")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if required.len() != properties.len()
        || !properties
            .keys()
            .all(|key| required.contains(&Value::from(key.as_str())))
    {
        return Err("a property that is not required".to_owned());
    }
    Ok(())
}

/// Whether a target takes a name.
pub fn is_name(target: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if target == "mcp" {
        return (1..=128).contains(&name.len()) && name.chars().all(|c| is_word(c) || c == '.');
    }
    let first = name.chars().next().unwrap_or('-');
    name.len() <= 64 && name.chars().all(is_word) && (first.is_ascii_alphabetic() || first == '_')
}
