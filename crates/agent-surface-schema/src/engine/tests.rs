//! Refusals, issues, references and bounds, with schemas that the subset refuses.

use serde_json::{Value, json};

use super::{Compiled, Engine, Options, Refusal};

const OPTIONS: Options = Options {
    assert_formats: true,
    check_defaults: true,
};

fn compile(schema: &Value) -> Result<Compiled, Refusal> {
    Engine::new("{}").unwrap().compile(&schema.to_string(), OPTIONS)
}

fn refused(schema: &Value) -> (&'static str, String, String) {
    let refusal = compile(schema).expect_err("the schema is to be refused");
    (refusal.code, refusal.pointer, refusal.message)
}

/// `path: message` of each issue.
fn issues(schema: &Value, value: &Value) -> Vec<String> {
    let verdict = compile(schema).unwrap().check(&value.to_string(), true);
    verdict
        .issues
        .into_iter()
        .map(|issue| [issue.path, ": ".to_owned(), issue.message].concat())
        .collect()
}

fn filled(schema: &Value, value: &Value) -> Option<Value> {
    let verdict = compile(schema).unwrap().check(&value.to_string(), true);
    assert_eq!(verdict.issues, []);
    verdict.filled.map(|text| serde_json::from_str(&text).unwrap())
}

#[test]
fn a_missing_or_unknown_property_is_reported_where_it_is_missed_or_found() {
    let schema = json!({
        "properties": { "a/b": { "required": ["x~y"] }, "ids": { "prefixItems": [{ "type": "string" }], "items": false } },
        "required": ["kind"],
        "unevaluatedProperties": false
    });
    let verdict = compile(&schema)
        .unwrap()
        .check(r#"{"a/b":{},"ids":[1,2],"more":1}"#, true);
    let mut places: Vec<_> = verdict
        .issues
        .iter()
        .map(|issue| (&*issue.path, &*issue.pointer, &*issue.message))
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            ("a/b.x~y", "/a~1b/x~0y", "is required"),
            ("ids[0]", "/ids/0", "must be of type string, not number"),
            ("ids[1]", "/ids/1", "must be absent"),
            ("kind", "/kind", "is required"),
            ("more", "/more", "is not an allowed property"),
        ]
    );
}

#[test]
fn forms_say_how_many_there_are_and_how_many_fit() {
    let schema = json!({ "oneOf": [{ "type": "string" }, { "minLength": 2 }] });
    assert_eq!(
        issues(&schema, &json!("ab")),
        [": must match exactly one of the 2 allowed forms, not several"]
    );
    let schema = json!({ "oneOf": [{ "type": "string" }, { "type": "null" }] });
    assert_eq!(
        issues(&schema, &json!(1)),
        [": must match exactly one of the 2 allowed forms, not none"]
    );
    let schema = json!({ "not": { "type": "string" }, "propertyNames": { "maxLength": 1 } });
    assert_eq!(
        issues(&schema, &json!("x")),
        [": must not be of the excluded form, as \"x\" is"]
    );
    assert_eq!(
        issues(&schema, &json!({ "ab": 1 })),
        [": has a property name that must be 1 or fewer characters long, not 2"]
    );
}

#[test]
fn at_most_32_issues_are_reported_and_no_long_value_or_key_is_echoed() {
    let schema = json!({ "patternProperties": { "": { "type": "string" } } });
    let many: Value = (0..100).map(|at| (at.to_string(), Value::Null)).collect();
    assert_eq!(issues(&schema, &many).len(), 32);
    let long = "x".repeat(5000);
    let schema = json!({ "not": {}, "unevaluatedProperties": false, "const": 1 });
    for issue in issues(&schema, &json!({ (&*long): long })) {
        assert!(issue.len() < 300, "{issue}");
    }
}

#[test]
fn a_schema_that_its_draft_refuses_is_refused_with_keyword_and_place() {
    assert_eq!(
        refused(&json!({ "properties": { "a": { "oneOf": [] } } })),
        (
            "UNSUPPORTED_SCHEMA",
            "/properties/a/oneOf".to_owned(),
            "`oneOf` at `/properties/a/oneOf` is refused: [] has less than 1 item".to_owned()
        )
    );
    let (_, pointer, message) = refused(&json!({ "allOf": [{ "pattern": "(a)\\1" }] }));
    assert_eq!(pointer, "/allOf/0/pattern");
    assert!(message.contains("backreferences are not supported"), "{message}");
    let (_, pointer, message) = refused(&json!({ "patternProperties": { "(a)\\1": true } }));
    assert!(pointer.starts_with("/patternProperties"), "{message}");
    let (code, _, _) = refused(&json!({ "$schema": "https://example.com/unknown" }));
    assert_eq!(code, "UNSUPPORTED_SCHEMA");
}

#[test]
fn references_go_to_documents_that_were_handed_over_and_nowhere_else() {
    let schema = json!({ "properties": { "at": { "$ref": "https://example.com/point.json#/$defs/x" } } });
    let (_, pointer, message) = refused(&schema);
    assert_eq!(pointer, "/properties/at/$ref");
    assert!(
        message.contains("installSchemaEngine({ documents })"),
        "{message}"
    );
    let (_, pointer, _) = refused(&json!({ "not": { "$ref": "#/$defs/none" } }));
    assert_eq!(pointer, "/not/$ref");
    let documents = r#"{"https://example.com/point.json":{"$defs":{"x":{"type":"integer"}}}}"#;
    let engine = Engine::new(documents).unwrap();
    let compiled = engine.compile(&schema.to_string(), OPTIONS).unwrap();
    assert_eq!(compiled.check(r#"{"at":1}"#, true).issues, []);
    assert_eq!(compiled.check(r#"{"at":"x"}"#, true).issues.len(), 1);
    assert!(Engine::new("[]").is_err());
    assert!(Engine::new(r#"{"not a uri":{}}"#).is_err());
}

#[test]
fn older_drafts_are_known_by_their_address() {
    let draft = |name: &str, rest: Value| {
        let mut schema = rest;
        schema["$schema"] = json!(["http://json-schema.org/", name, "/schema#"].concat());
        schema
    };
    let schema = draft(
        "draft-07",
        json!({ "items": [{ "type": "string" }], "additionalItems": false }),
    );
    assert_eq!(issues(&schema, &json!(["a"])), [""; 0]);
    assert_eq!(issues(&schema, &json!([1, 2])).len(), 2);
    let schema = draft("draft-04", json!({ "maximum": 3, "exclusiveMaximum": true }));
    assert_eq!(issues(&schema, &json!(3)), [": must be less than 3, not 3"]);
    let schema = draft(
        "draft-06",
        json!({ "definitions": { "s": { "const": 1 } }, "$ref": "#/definitions/s" }),
    );
    assert_eq!(issues(&schema, &json!(2)), [": must be 1, not 2"]);
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "$recursiveAnchor": true, "properties": { "next": { "$recursiveRef": "#" } }, "additionalProperties": false
    });
    assert_eq!(
        issues(&schema, &json!({ "next": { "last": 1 } })),
        ["next.last: is not an allowed property"]
    );
}

#[test]
fn anchors_and_dynamic_references_are_followed() {
    let schema = json!({ "$ref": "#name", "$defs": { "a": { "$anchor": "name", "type": "string" } } });
    assert_eq!(
        issues(&schema, &json!(1)),
        [": must be of type string, not number"]
    );
    let schema = json!({
        "$dynamicAnchor": "node", "properties": { "next": { "$dynamicRef": "#node" } }, "unevaluatedProperties": false
    });
    assert_eq!(
        issues(&schema, &json!({ "next": { "x": 1 } })),
        ["next.x: is not an allowed property"]
    );
}

#[test]
fn defaults_are_filled_through_properties_items_and_local_references_only() {
    let schema = json!({
        "properties": {
            "a": { "$ref": "#/$defs/point" },
            "list": { "prefixItems": [true], "items": { "$ref": "#/$defs/point" } },
            "tilde~/": { "default": [] }
        },
        "oneOf": [{ "properties": { "b": { "default": 1 } } }],
        "allOf": [{ "properties": { "c": { "default": 1 } } }],
        "$defs": { "point": { "properties": { "x": { "default": 0 }, "y": { "default": 0 } }, "default": { "y": 1 } } }
    });
    assert_eq!(
        filled(&schema, &json!({ "list": [{}, { "x": 5 }] })),
        Some(json!({ "a": { "x": 0, "y": 1 }, "list": [{}, { "x": 5, "y": 0 }], "tilde~/": [] }))
    );
    assert_eq!(filled(&schema, &json!(1)), None);
    let tree = json!({ "properties": { "on": { "default": true }, "kids": { "items": { "$ref": "#" } } }, "not": { "const": 1 } });
    assert_eq!(
        filled(&tree, &json!({ "on": false, "kids": [{}] })),
        Some(json!({ "on": false, "kids": [{ "on": true }] }))
    );
}

#[test]
fn a_default_that_breaks_its_schema_or_never_ends_is_refused() {
    let (code, pointer, message) =
        refused(&json!({ "not": {}, "properties": { "a": { "type": "string", "default": 1 } } }));
    assert_eq!((code, &*pointer), ("INVALID_DEFINITION", "/properties/a/default"));
    assert!(
        message.ends_with("breaks its own schema: it must be of type string, not number"),
        "{message}"
    );
    let endless = json!({ "oneOf": [true], "properties": { "a": { "$ref": "#", "default": {} } } });
    assert_eq!(refused(&endless).0, "INVALID_DEFINITION");
}

#[test]
fn only_the_five_formats_are_the_subsets_and_unknown_ones_are_annotations() {
    let schema = |format: &str| json!({ "allOf": [{ "format": format }] });
    assert_eq!(issues(&schema("date"), &json!("2023-02-29")).len(), 1);
    assert_eq!(issues(&schema("ipv4"), &json!("300.0.0.1")).len(), 1);
    assert_eq!(issues(&schema("of-my-own"), &json!("x")), [""; 0]);
}

#[test]
fn a_pattern_cannot_hang_the_page() {
    let text = ["a".repeat(40), "!".to_owned()].concat();
    let pattern = compile(&json!({ "not": { "type": "null" }, "pattern": "^(a+)+$" })).unwrap();
    let names = compile(&json!({ "patternProperties": { "^(a+)+$": false }, "additionalProperties": false }))
        .unwrap();
    let with_tables = compile(&json!({ "pattern": "^(\\p{L}+)+$" })).unwrap();
    // A backtracking engine would try 2^40 ways, and this test would not end.
    assert_eq!(pattern.check(&json!(text).to_string(), true).issues.len(), 1);
    assert_eq!(
        names
            .check(&json!({ (&*text): 1 }).to_string(), true)
            .issues
            .len(),
        1
    );
    assert_eq!(with_tables.check(&json!(text).to_string(), true).issues.len(), 1);
}

#[test]
fn schemas_that_lead_back_to_themselves_end() {
    assert_eq!(issues(&json!({ "allOf": [{ "$ref": "#" }] }), &json!(1)), [""; 0]);
    let circle = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "oneOf": [{ "$ref": "#/$defs/a" }, { "type": "string" }] } } });
    assert!(issues(&circle, &json!("x")).len() < 2);
}

/// A value of one property within the other, and the innermost.
fn nested(depth: usize, around: impl Fn(Value) -> Value, innermost: Value) -> Value {
    (0..depth).fold(innermost, |value, _| around(value))
}

#[test]
fn a_value_that_a_schema_reaches_by_two_ways_at_each_level_is_refused_before_it_is_checked() {
    let complex = [": is too complex to be checked"];
    let within = |value| json!({ "next": value });
    let again = json!({ "properties": { "next": { "$ref": "#/$defs/node" } } });
    let schemas = [
        json!({ "$ref": "#/$defs/base", "not": { "const": 1 }, "properties": { "next": { "$ref": "#" } },
            "$defs": { "base": { "properties": { "next": { "$ref": "#" } } } } }),
        json!({ "$ref": "#/$defs/node", "$defs": { "node": { "oneOf": [again, again] } } }),
        json!({ "$dynamicAnchor": "node", "anyOf": [
            { "properties": { "next": { "$dynamicRef": "#node" } } },
            { "additionalProperties": { "$dynamicRef": "#node" } }
        ] }),
        json!({ "oneOf": [true], "properties": { "next": { "$ref": "#", "default": 0 } }, "allOf": [{ "$ref": "#/$defs/base" }],
            "$defs": { "base": { "properties": { "next": { "$ref": "#" } } } } }),
    ];
    for schema in schemas {
        assert_eq!(
            issues(&schema, &nested(60, within, json!({}))),
            complex,
            "{schema}"
        );
        assert_ne!(
            issues(&schema, &nested(3, within, json!({}))),
            complex,
            "{schema}"
        );
    }
    let documents = json!({ "https://example.com/base.json": {
        "allOf": [{ "items": { "$ref": "base.json" } }, { "items": { "$ref": "#" } }]
    } });
    let engine = Engine::new(&documents.to_string()).unwrap();
    let schema = json!({ "$ref": "https://example.com/base.json" });
    let compiled = engine.compile(&schema.to_string(), OPTIONS).unwrap();
    let value = nested(60, |value| json!([value]), json!(1));
    assert_eq!(compiled.check(&value.to_string(), true).issues.len(), 1);
}

#[test]
fn a_deep_tree_and_an_expression_are_checked() {
    let tree = json!({ "not": { "const": 1 }, "properties": {
        "left": { "$ref": "#" }, "right": { "$ref": "#" }, "kids": { "items": { "$ref": "#" } }
    }, "unevaluatedProperties": false });
    let within = |value| json!({ "left": value, "right": {}, "kids": [{}, {}] });
    assert_eq!(issues(&tree, &nested(60, within, json!({}))), [""; 0]);
    let wide = nested(10, |value| json!({ "left": value, "right": value }), json!({}));
    assert_eq!(issues(&tree, &wide), [""; 0]);
    let expression = json!({ "oneOf": [
        { "type": "number" },
        { "type": "object", "properties": { "not": { "$ref": "#" } }, "required": ["not"], "additionalProperties": false },
        { "type": "object", "properties": { "op": { "enum": ["+", "-"] }, "a": { "$ref": "#" }, "b": { "$ref": "#" } },
            "required": ["op", "a", "b"], "additionalProperties": false }
    ] });
    let within = |value| json!({ "op": "+", "a": value, "b": { "not": 1 } });
    assert_eq!(issues(&expression, &nested(30, within, json!(1))), [""; 0]);
    let long: Value = (0..50_000).map(|_| json!({ "not": 1 })).collect();
    let list = json!({ "prefixItems": [true], "items": { "$ref": "#/$defs/e" },
        "$defs": { "e": { "properties": { "not": { "$ref": "#/$defs/e" } } } } });
    assert_eq!(issues(&list, &long), [""; 0]);
}

#[test]
fn where_a_deep_value_fails_is_looked_for_only_as_long_as_that_is_cheap() {
    let branch = |op: &str| {
        json!({ "properties": { "args": { "items": { "$ref": "#/$defs/e" } }, "op": { "const": op } },
            "required": ["op", "args"], "additionalProperties": false })
    };
    let field = json!({ "properties": { "field": { "type": "string" } }, "required": ["field"], "additionalProperties": false });
    let union =
        json!({ "$ref": "#/$defs/e", "$defs": { "e": { "oneOf": [branch("and"), branch("or"), field] } } });
    let within = |value| json!({ "op": "and", "args": [value] });
    let valid = json!({ "field": "name" });
    let invalid = json!({ "nope": 1 });
    for depth in [3, 13] {
        assert_eq!(issues(&union, &nested(depth, within, valid.clone())), [""; 0]);
    }
    assert!(issues(&union, &nested(3, within, invalid.clone()))[0].contains("must match exactly one"));
    let unsaid = [": does not match, and nests too deeply to say where"];
    assert_eq!(issues(&union, &nested(13, within, invalid)), unsaid);
}
