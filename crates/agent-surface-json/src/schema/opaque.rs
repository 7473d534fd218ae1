//! What is checked of a schema whose `parse` is the author's own: size, depth, remote references.
//!
//! It refuses to judge keywords. Compiling shares the size check and the lookup of `$ref`.

use super::SchemaLimits;
use super::fault::{at_keyword, at_schema, push_token};
use crate::document::{Document, Kind, Value};
use crate::schema::SchemaError;

/// Checks size, depth and that every reference stays within the document. Depth counts schemas, as in
/// compiled ones, under every applicator of any draft.
pub fn check_opaque(document: &Document, limits: SchemaLimits) -> Result<(), SchemaError> {
    check_size(document, limits)?;
    let mut pending = vec![(document.root(), String::new(), 0)];
    while let Some((schema, pointer, depth)) = pending.pop() {
        if depth > limits.max_depth {
            return Err(too_deep(&pointer, limits.max_depth));
        }
        for (key, value) in schema.entries() {
            if matches!(&*key, "$ref" | "$dynamicRef" | "$recursiveRef")
                && value.as_str().is_some_and(|target| !target.starts_with('#'))
            {
                return Err(at_keyword(
                    &pointer,
                    &key,
                    &["must not be remote; start it with `#`"],
                ));
            }
            let mut place = pointer.clone();
            push_token(&mut place, &key);
            match holds(&key) {
                Holds::Schemas if value.kind() == Kind::Array => {
                    pending.extend(value.items().map(|item| (item, place.clone(), depth + 1)));
                }
                Holds::Schemas => pending.push((value, place, depth + 1)),
                Holds::Map => {
                    for (name, item) in value.entries() {
                        let mut inner = place.clone();
                        push_token(&mut inner, &name);
                        pending.push((item, inner, depth + 1));
                    }
                }
                Holds::Data => {}
            }
        }
    }
    Ok(())
}

enum Holds {
    /// One schema or an array of them.
    Schemas,
    /// An object of schemas.
    Map,
    Data,
}

fn holds(keyword: &str) -> Holds {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies" => Holds::Map,
        "items"
        | "anyOf"
        | "allOf"
        | "oneOf"
        | "not"
        | "if"
        | "then"
        | "else"
        | "prefixItems"
        | "contains"
        | "additionalProperties"
        | "additionalItems"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Holds::Schemas,
        _ => Holds::Data,
    }
}

pub(crate) fn check_size(document: &Document, limits: SchemaLimits) -> Result<(), SchemaError> {
    let size = document.text().len();
    if size <= limits.max_bytes {
        return Ok(());
    }
    let (size, most) = (crate::format_count(size), crate::format_count(limits.max_bytes));
    Err(at_schema(
        "",
        &["must have at most ", &most, " bytes as JSON, not ", &size],
    ))
}

pub(crate) fn too_deep(pointer: &str, max_depth: usize) -> SchemaError {
    let most = crate::format_count(max_depth);
    at_schema(
        pointer,
        &[
            "must not be more than ",
            &most,
            " schemas deep; use `$ref` with `$defs`",
        ],
    )
}

/// The value that a reference of the form `#/…` names: percent-encoded, then a JSON Pointer.
pub(crate) fn locate<'a>(document: &'a Document, reference: &str) -> Option<Value<'a>> {
    let mut bytes = Vec::new();
    let mut rest = reference.strip_prefix("#/")?.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    let pointer = String::from_utf8(bytes).ok()?;
    let mut at = document.root();
    for token in pointer.split('/') {
        let token = token.replace("~1", "/").replace("~0", "~");
        at = match at.kind() {
            Kind::Array => at.items().nth(position(&token)?)?,
            _ => at.get(&token)?,
        };
    }
    Some(at)
}

/// An array index of RFC 6901: digits without a leading zero.
fn position(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with('0');
    let mut digits = token.bytes().map(|byte| char::from(byte).to_digit(10));
    let value = digits.try_fold(0u32, |value, digit| value.checked_mul(10)?.checked_add(digit?))?;
    (is_plain && !token.is_empty()).then_some(value as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bounds;

    const LIMITS: SchemaLimits = SchemaLimits {
        max_bytes: 400,
        max_depth: 2,
    };

    fn check(text: &str) -> Result<(), String> {
        let bounds = Bounds {
            max_bytes: 100_000,
            max_depth: 64,
            lone_surrogates: true,
        };
        check_opaque(&Document::parse(text, bounds).unwrap(), LIMITS).map_err(|error| error.message)
    }

    #[test]
    fn any_keyword_passes_but_remote_references_do_not() {
        assert_eq!(
            check(r##"{"oneOf":[{"$ref":"#/x"}],"x":{"$ref":"http://a/b"},"default":{"$ref":"http://a"}}"##),
            Ok(())
        );
        assert_eq!(check(r#"{"properties":{"$ref":{"type":"string"}}}"#), Ok(()));
        let message = check(r#"{"properties":{"a/b":{"allOf":[{"$ref":"node.json"}]}}}"#).unwrap_err();
        assert_eq!(
            message,
            "`$ref` at `/properties/a~1b/allOf/$ref` must not be remote; start it with `#`"
        );
    }

    #[test]
    fn size_and_depth_are_bounded() {
        assert_eq!(check(r#"{"items":{"items":{"type":"string"}}}"#), Ok(()));
        assert!(
            check(r#"{"items":{"items":{"items":{}}}}"#)
                .unwrap_err()
                .contains("2 schemas deep")
        );
        let long = ["{\"title\":\"", &"x".repeat(400), "\"}"].concat();
        assert!(check(&long).unwrap_err().contains("400 bytes"));
    }
}
