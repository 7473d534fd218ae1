//! Where the subset takes a schema, both engines say the same: verdicts, places of issues, and defaults.
//!
//! It refuses to compare words: each engine has its own. The test runner calls it.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use std::collections::BTreeSet;

use agent_surface_json::schema::{Schema, SchemaLimits};
use agent_surface_json::{Bounds, Document};
use agent_surface_schema::{Engine, Options};
use proptest::prelude::*;
use serde_json::{Value, json};

const BOUNDS: Bounds = Bounds {
    max_bytes: 1 << 20,
    max_depth: 64,
    lone_surrogates: false,
};
const LIMITS: SchemaLimits = SchemaLimits {
    max_bytes: 16_384,
    max_depth: 8,
};
const OPTIONS: Options = Options {
    assert_formats: true,
    check_defaults: true,
};

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c/d", "toString"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-4..5_i64).prop_map(Value::from),
        prop::sample::select(vec![0.5, -1.25, 3.0]).prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "a",
            "ab",
            "aab",
            "é",
            "🦀🦀",
            "2024-02-29",
            "2023-02-29",
            "x@y.example",
            "https://a.example/b",
            "0b6ff2a3-8a7c-4b0e-9d7e-1f2a3b4c5d6e",
            "2024-01-01T00:00:00Z"
        ])
        .prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn leaf() -> impl Strategy<Value = Value> {
    let types = [
        "string", "number", "integer", "boolean", "null", "array", "object",
    ];
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        prop::sample::select(types.to_vec()).prop_map(|name| json!({ "type": name })),
        (
            prop::sample::select(types.to_vec()),
            prop::sample::select(types.to_vec())
        )
            .prop_map(|(one, two)| {
                if one == two {
                    json!({ "type": [one] })
                } else {
                    json!({ "type": [one, two] })
                }
            }),
        prop::collection::vec(value(), 1..4).prop_map(|options| json!({ "enum": options })),
        value().prop_map(|constant| json!({ "const": constant })),
        (-3..4_i64, 0..5_i64)
            .prop_map(|(least, more)| json!({ "minimum": least, "exclusiveMaximum": least + more })),
        (-3..4_i64).prop_map(|most| json!({ "maximum": most, "exclusiveMinimum": most - 3 })),
        prop::sample::select(vec![0.5, 2.0, 0.25]).prop_map(|divisor| json!({ "multipleOf": divisor })),
        (0..3_u32, 0..3_u32)
            .prop_map(|(least, more)| json!({ "minLength": least, "maxLength": least + more })),
        (0..3_u32, 0..3_u32).prop_map(|(least, more)| json!({ "minItems": least, "maxItems": least + more })),
        Just(json!({ "uniqueItems": true })),
        prop::sample::select(vec![
            "^a",
            "a$",
            "^(a+)+$",
            "\\d",
            "[^a-c]",
            "^.$",
            "(?=a)ab",
            "\\u{1F980}",
            "^\\w*$"
        ])
        .prop_map(|pattern| json!({ "pattern": pattern })),
        prop::sample::select(vec!["date-time", "date", "uuid", "email", "uri"])
            .prop_map(|format| json!({ "format": format })),
        Just(json!({ "$ref": "#/$defs/Node" })),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let inner = leaf().prop_recursive(3, 16, 3, |inner| {
        let properties = prop::collection::btree_map(name(), inner.clone(), 0..4);
        prop_oneof![
            (
                properties,
                prop::collection::btree_set(name(), 0..3),
                any::<bool>()
            )
                .prop_map(|(properties, required, open)| json!({
                    "properties": properties, "required": required, "additionalProperties": open
                })),
            inner.clone().prop_map(|items| json!({ "items": items })),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|forms| json!({ "anyOf": forms })),
            (inner, scalar()).prop_map(|(mut schema, default)| {
                if let Some(fields) = schema.as_object_mut() {
                    fields.insert("default".to_owned(), default);
                }
                json!({ "properties": { "a": schema } })
            }),
        ]
    });
    inner.prop_map(|mut schema| {
        if let Some(fields) = schema.as_object_mut() {
            let node = json!({ "type": ["object", "integer", "string"], "properties": { "a": { "$ref": "#/$defs/Node" } } });
            fields.insert("$defs".to_owned(), json!({ "Node": node }));
        }
        schema
    })
}

fn document(value: &Value) -> Document {
    Document::parse(value.to_string(), BOUNDS).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_engines_agree_where_the_subset_takes_a_schema(schema in schema(), values in prop::collection::vec(value(), 1..6)) {
        let theirs = Engine::new("{}").unwrap().compile(&schema.to_string(), OPTIONS);
        let ours = match Schema::compile(&document(&schema), LIMITS) {
            Ok(ours) => ours,
            Err(error) => {
                // A default that breaks its schema is refused by both, with one code.
                let is_default = error.keyword == "default";
                prop_assert_eq!(is_default, theirs.as_ref().is_err_and(|refusal| refusal.code == "INVALID_DEFINITION"), "{:?} {:?}", error, theirs);
                return Ok(());
            }
        };
        let theirs = theirs.map_err(|refusal| TestCaseError::fail(refusal.message))?;
        for value in values {
            let given = document(&value);
            let filled = ours.fill_defaults(given.root());
            let full = filled.as_ref().map_or_else(|| given.clone(), |text| Document::parse(text.as_str(), BOUNDS).unwrap());
            let issues = ours.validate(full.root());
            let verdict = theirs.check(given.text(), true);
            prop_assert_eq!(issues.is_empty(), verdict.issues.is_empty(), "{}: ours {:?}, theirs {:?}", value, issues, verdict.issues);
            let places = |pointers: Vec<&str>| pointers.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
            prop_assert_eq!(
                places(issues.iter().map(|issue| &*issue.pointer).collect()),
                places(verdict.issues.iter().map(|issue| &*issue.pointer).collect()),
                "{}", value
            );
            if issues.is_empty() {
                let theirs = verdict.filled.map(|text| Document::parse(text, BOUNDS).unwrap().root().canonical());
                prop_assert_eq!(filled.map(|text| Document::parse(text, BOUNDS).unwrap().root().canonical()), theirs);
            }
        }
    }
}
