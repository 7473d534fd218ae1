//! What is checked of a schema whose `parse` is the author's own: size, depth, remote references.
//!
//! It refuses to judge keywords. Compiling shares the size check and the lookup of `$ref`.

use super::SchemaLimits;
use super::fault::{Refusal, SchemaError, at_keyword, at_schema};
use crate::document::{Document, Kind, Value};
use crate::text::format_count;

/// Keywords that hold an object of schemas, in any draft.
static MAPS: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];
/// Keywords that hold a schema or an array of them, in any draft.
static SCHEMAS: [&str; 16] = [
    "items",
    "anyOf",
    "allOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "contains",
    "additionalProperties",
    "additionalItems",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
static REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// Checks size, depth and that every reference stays within the document. Depth counts schemas, as in
/// compiled ones, under every applicator of any draft.
pub fn check_opaque(document: &Document, limits: SchemaLimits) -> Result<(), SchemaError> {
    check(document, limits).map_err(|refusal| *refusal.0)
}

fn check(document: &Document, limits: SchemaLimits) -> Result<(), Refusal> {
    check_size(document, limits)?;
    let mut pending = vec![(document.root(), 0)];
    while let Some((schema, depth)) = pending.pop() {
        if depth > limits.max_depth {
            return Err(too_deep(schema, limits.max_depth));
        }
        for (key, value) in schema.raw_entries() {
            let is_among = |names: &[&str]| names.iter().any(|name| key.is_str(name));
            if is_among(&REFERENCES) && value.as_str().is_some_and(|target| !target.starts_with('#')) {
                return Err(at_keyword(value, &["must not be remote; start it with `#`"]));
            }
            if is_among(&MAPS) {
                pending.extend(value.raw_entries().map(|(_, item)| (item, depth + 1)));
            } else if is_among(&SCHEMAS) {
                let is_array = value.kind() == Kind::Array;
                pending.extend(value.items().map(|item| (item, depth + 1)));
                pending.extend((!is_array).then_some((value, depth + 1)));
            }
        }
    }
    Ok(())
}

pub(crate) fn check_size(document: &Document, limits: SchemaLimits) -> Result<(), Refusal> {
    let size = document.text().len();
    if size <= limits.max_bytes {
        return Ok(());
    }
    let (size, most) = (format_count(size), format_count(limits.max_bytes));
    Err(at_schema(
        document.root(),
        &["must have at most ", &most, " bytes as JSON, not ", &size],
    ))
}

pub(crate) fn too_deep(schema: Value<'_>, max_depth: usize) -> Refusal {
    let most = format_count(max_depth);
    at_schema(
        schema,
        &[
            "must not be more than ",
            &most,
            " schemas deep; use `$ref` with `$defs`",
        ],
    )
}

/// The value that a reference of the form `#/…` names: percent-encoded, then a JSON Pointer.
pub(crate) fn locate<'a>(document: &'a Document, reference: &str) -> Option<Value<'a>> {
    let mut at = document.root();
    let mut bytes = reference.bytes();
    if bytes.next() != Some(b'#') || bytes.next() != Some(b'/') {
        return None;
    }
    loop {
        let (token, is_last) = token(&mut bytes)?;
        at = match at.kind() {
            Kind::Array => at.items().nth(position(&token)?)?,
            _ => at.get(&token)?,
        };
        if is_last {
            return Some(at);
        }
    }
}

/// The next token of a percent-encoded pointer, decoded, and whether it was the last.
fn token(bytes: &mut core::str::Bytes<'_>) -> Option<(String, bool)> {
    let mut token = Vec::new();
    let mut is_tilde = false;
    loop {
        let mut byte = bytes.next();
        if byte == Some(b'/') || byte.is_none() {
            return (!is_tilde).then_some((String::from_utf8(token).ok()?, byte.is_none()));
        }
        if byte == Some(b'%') {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            byte = u8::try_from(digit()? * 16 + digit()?).ok();
        }
        let byte = byte?;
        if is_tilde {
            token.push(if byte == b'0' { b'~' } else { b'/' });
            is_tilde = false;
        } else if byte == b'~' {
            is_tilde = true;
        } else {
            token.push(byte);
        }
    }
}

/// An array index of RFC 6901: digits without a leading zero.
fn position(token: &str) -> Option<usize> {
    let value = token.bytes().try_fold(0u32, |value, byte| {
        value.checked_mul(10)?.checked_add(char::from(byte).to_digit(10)?)
    })?;
    // Written again, a leading zero or an empty token shows.
    (format_count(value as usize) == token).then_some(value as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    const LIMITS: SchemaLimits = SchemaLimits {
        max_bytes: 400,
        max_depth: 2,
    };
    const BOUNDS: Bounds = Bounds {
        max_bytes: 100_000,
        max_depth: 64,
        lone_surrogates: true,
    };

    fn message(text: &str) -> Option<String> {
        check_opaque(&Document::parse(text, BOUNDS).unwrap(), LIMITS)
            .err()
            .map(|error| error.message)
    }

    #[test]
    fn any_keyword_passes_but_remote_references_do_not() {
        let schema =
            r##"{"oneOf":[{"$ref":"#/x"}],"x":{"$ref":"http://a/b"},"default":{"$ref":"http://a"}}"##;
        assert_eq!(message(schema), None);
        assert_eq!(message(r#"{"properties":{"$ref":{"type":"string"}}}"#), None);
        assert_eq!(
            message(r#"{"properties":{"a/b":{"allOf":[true,{"$ref":"node.json"}]}}}"#).unwrap(),
            "`$ref` at `/properties/a~1b/allOf/1/$ref` must not be remote; start it with `#`"
        );
    }

    #[test]
    fn size_and_depth_are_bounded() {
        assert_eq!(message(r#"{"items":{"items":{"type":"string"}}}"#), None);
        assert!(
            message(r#"{"items":{"items":{"items":{}}}}"#)
                .unwrap()
                .contains("2 schemas deep")
        );
        let long = ["{\"title\":\"", &"x".repeat(400), "\"}"].concat();
        assert!(message(&long).unwrap().contains("400 bytes"));
    }

    #[test]
    fn references_are_percent_encoded_pointers() {
        let document = Document::parse(r#"{"a/b":{"c~d":[1,{"":2}]},"e f":3,"~1":4}"#, BOUNDS).unwrap();
        for (reference, expected) in [
            ("#/a~1b/c~0d/0", Some("1")),
            ("#/a~1b/c~0d/1/", Some("2")),
            ("#/e%20f", Some("3")),
            ("#/~01", Some("4")),
            ("#/a~1b/c~0d/01", None),
            ("#/a~1b/c~0d/", None),
            ("#/e%2", None),
            ("#/~", None),
            ("#", None),
            ("/e f", None),
        ] {
            assert_eq!(
                locate(&document, reference).map(Value::raw),
                expected,
                "{reference}"
            );
        }
    }
}
