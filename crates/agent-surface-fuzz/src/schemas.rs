//! Schema documents of any kind, and values against schemas that compile.

use agent_surface_core::definition::compile_schema;
use agent_surface_core::limits::Limits;
use agent_surface_json::Document;
use agent_surface_json::schema::{SchemaLimits, check_opaque};

use crate::bytes::halves;
use crate::documents::BOUNDS;

/// Issues of one validation.
const MOST_ISSUES: usize = 32;

/// A schema document, then values of every kind.
pub(crate) fn documents(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(document) = Document::parse(&*text, BOUNDS) {
        let limits = Limits::default();
        let limits = SchemaLimits {
            max_bytes: limits.max_schema_bytes as usize,
            max_depth: limits.max_schema_depth as usize,
        };
        drop(check_opaque(&document, limits, true));
    }
    for value in [
        "null",
        "true",
        "0",
        "-1.5e3",
        "\"a\"",
        "[]",
        "[1,1]",
        "{}",
        "{\"a\":{\"a\":[]}}",
    ] {
        check(&text, value);
    }
}

/// A schema and a value, parted by a zero byte.
pub(crate) fn values(bytes: &[u8]) {
    let (schema, value) = halves(bytes);
    check(&schema, &value);
}

fn check(schema: &str, value: &str) {
    let schema = match compile_schema(schema) {
        Ok(schema) => schema,
        Err(error) => {
            assert!(!error.message.is_empty());
            return;
        }
    };
    let Ok(value) = Document::parse(value, BOUNDS) else {
        return;
    };
    let issues = schema.validate(value.root());
    assert!(issues.len() <= MOST_ISSUES, "more issues than are listed");
    assert_eq!(
        issues.len(),
        schema.validate(value.root()).len(),
        "the same twice"
    );
    if let Some(filled) = schema.fill_defaults(value.root()) {
        let filled = Document::parse(filled, BOUNDS);
        if let Ok(filled) = filled {
            let once = schema.validate(filled.root()).len();
            assert!(once <= MOST_ISSUES);
            let again = schema.fill_defaults(filled.root());
            assert!(again.is_none_or(|again| again == filled.text()), "filled twice");
        }
    }
}
