//! Why a schema is refused, in words that say what would be right.
//!
//! It refuses nothing itself. Compiling and the opaque check build these.

/// Which of the two reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaFault {
    /// Outside the subset, too deep, too large, unresolvable or malformed (`UNSUPPORTED_SCHEMA`).
    Unsupported,
    /// A `default` that breaks its own schema (`INVALID_DEFINITION`).
    InvalidDefault,
}

/// A refused schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// Which of the two reasons.
    pub fault: SchemaFault,
    /// The keyword at fault; empty when it is the schema as a whole.
    pub keyword: String,
    /// JSON Pointer (RFC 6901) to that keyword in the schema.
    pub pointer: String,
    /// One sentence with both and with what would be right.
    pub message: String,
}

/// `keyword` of the schema at `pointer` is at fault; `tail` continues the sentence after their names.
pub(crate) fn at_keyword(pointer: &str, keyword: &str, tail: &[&str]) -> SchemaError {
    let mut full = String::from(pointer);
    push_token(&mut full, keyword);
    let message = ["`", keyword, "` at `", &full, "` ", &tail.concat()].concat();
    SchemaError {
        fault: SchemaFault::Unsupported,
        keyword: keyword.into(),
        pointer: full,
        message,
    }
}

/// The schema at `pointer` as a whole is at fault.
pub(crate) fn at_schema(pointer: &str, tail: &[&str]) -> SchemaError {
    let place = if pointer.is_empty() {
        "the schema ".into()
    } else {
        ["the schema at `", pointer, "` "].concat()
    };
    let message = [place, tail.concat()].concat();
    SchemaError {
        fault: SchemaFault::Unsupported,
        keyword: String::new(),
        pointer: pointer.into(),
        message,
    }
}

/// Appends `/token` with the escapes of RFC 6901.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for char in token.chars() {
        match char {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// What to write instead of a keyword of JSON Schema that the subset does not have.
pub(crate) fn advice(keyword: &str) -> &'static str {
    match keyword {
        "allOf" => "merge its schemas into one, or use `$ref` with siblings",
        "not" => "say what is allowed instead, for example with `enum`",
        "if" | "then" | "else" => "use `anyOf` with one schema per case",
        "patternProperties" | "propertyNames" | "minProperties" | "maxProperties" => {
            "list the properties, or use an array of `{ key, value }` objects"
        }
        "prefixItems" | "additionalItems" | "contains" | "minContains" | "maxContains" => {
            "use `items` with one schema"
        }
        "definitions" => "use `$defs`",
        "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef" | "$recursiveAnchor" => {
            "use `$ref` with `#/$defs/…`"
        }
        "nullable" => "add `null` to `type`",
        "oneOf" | "dependentRequired" | "dependentSchemas" | "dependencies" => "use `anyOf`",
        "unevaluatedProperties" => "use `additionalProperties: false`",
        _ => "leave it out",
    }
}

/// Where the rest of JSON Schema is to be had.
pub(crate) const FULL_ENGINE: &str = ", or install the full schema engine (`agent-surface-wasm/schema`)";
