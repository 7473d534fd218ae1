//! The subset by examples: what is refused, what is reported, what is filled.
//!
//! It holds no code of the crate. The test runner calls it.

use super::{Issue, Options, Schema, SchemaError, SchemaFault, SchemaLimits};
use crate::{Bounds, Document};
use proptest::prelude::*;

const LIMITS: SchemaLimits = SchemaLimits {
    max_bytes: 16_384,
    max_depth: 8,
};

fn document(text: &str) -> Document {
    Document::parse(
        text,
        Bounds {
            max_bytes: 1 << 20,
            max_depth: 200,
            lone_surrogates: true,
        },
    )
    .unwrap()
}

fn compile(text: &str) -> Result<Schema, SchemaError> {
    Schema::compile(&document(text), LIMITS)
}

fn issues(schema: &str, value: &str) -> Vec<Issue> {
    compile(schema).unwrap().validate(document(value).root())
}

fn messages(schema: &str, value: &str) -> Vec<String> {
    let line = |issue: Issue| [issue.path, issue.pointer, issue.message].join(" | ");
    issues(schema, value).into_iter().map(line).collect()
}

fn filled(schema: &str, value: &str) -> Option<String> {
    compile(schema).unwrap().fill_defaults(document(value).root())
}

#[test]
fn a_keyword_outside_the_subset_is_named_with_its_place_and_a_way_out() {
    let error = compile(r#"{"properties":{"a/b":{"items":{"oneOf":[]}}}}"#).unwrap_err();
    assert_eq!(error.fault, SchemaFault::Unsupported);
    assert_eq!(error.keyword, "oneOf");
    assert_eq!(error.pointer, "/properties/a~1b/items/oneOf");
    assert_eq!(
        error.message,
        "`oneOf` at `/properties/a~1b/items/oneOf` is outside the built-in schema subset; use `anyOf`, or install the full engine of `agent-surface-wasm/schema`"
    );
    for keyword in [
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "propertyNames",
        "prefixItems",
        "contains",
        "minProperties",
        "maxProperties",
        "unevaluatedItems",
        "unevaluatedProperties",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "definitions",
        "$anchor",
        "$dynamicRef",
        "nullable",
        "contentEncoding",
        "x-mine",
        "__proto__",
        "",
    ] {
        let error = compile(&["{\"", keyword, "\":{}}"].concat()).unwrap_err();
        assert_eq!(
            (error.fault, &*error.keyword),
            (SchemaFault::Unsupported, keyword)
        );
    }
}

#[test]
fn keywords_with_arguments_that_mean_nothing_are_refused() {
    for (schema, pointer) in [
        (r#"{"type":"text"}"#, "/type"),
        (r#"{"type":[]}"#, "/type"),
        (r#"{"type":["string","text"]}"#, "/type"),
        (r#"{"enum":"a"}"#, "/enum"),
        (r#"{"properties":[]}"#, "/properties"),
        (r#"{"properties":{"a":1}}"#, ""),
        (r#"{"required":"a"}"#, "/required"),
        (r#"{"required":[1]}"#, "/required"),
        (r#"{"additionalProperties":{}}"#, "/additionalProperties"),
        (r#"{"items":[{}]}"#, ""),
        (r#"{"minItems":-1}"#, "/minItems"),
        (r#"{"maxLength":1.5}"#, "/maxLength"),
        (r#"{"uniqueItems":1}"#, "/uniqueItems"),
        (r#"{"minimum":"1"}"#, "/minimum"),
        (r#"{"multipleOf":0}"#, "/multipleOf"),
        (r#"{"multipleOf":-1}"#, "/multipleOf"),
        (r#"{"pattern":"["}"#, "/pattern"),
        (r#"{"pattern":"(a)\\1"}"#, "/pattern"),
        (r#"{"format":"ipv4"}"#, "/format"),
        (r#"{"anyOf":[]}"#, "/anyOf"),
        (r#"{"anyOf":{}}"#, "/anyOf"),
        (r#"{"$defs":{"a":{"$id":"x"}}}"#, "/$defs/a/$id"),
        (
            r#"{"items":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}"#,
            "/items/$schema",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#,
            "/$schema",
        ),
        ("[]", ""),
        ("3", ""),
    ] {
        let error = compile(schema).unwrap_err();
        assert_eq!(error.fault, SchemaFault::Unsupported, "{schema}");
        assert!(
            pointer.is_empty() || error.pointer == pointer,
            "{schema} {error:?}"
        );
        assert!(error.message.contains(pointer), "{schema} {error:?}");
    }
}

#[test]
fn references_lead_to_definitions_or_are_refused() {
    for schema in [
        r##"{"$ref":"#/$defs/a"}"##,
        r##"{"$ref":"#"}"##,
        r##"{"$ref":"#a","$defs":{"a":{}}}"##,
        r#"{"$ref":"http://a/b"}"#,
        r##"{"$ref":"#/$defs/a/enum/0","$defs":{"a":{"enum":[{}]}}}"##,
        r##"{"$ref":"#/$defs/a%zz","$defs":{"a":{}}}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}"##,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}"##,
    ] {
        let error = compile(schema).unwrap_err();
        assert_eq!(error.fault, SchemaFault::Unsupported, "{schema}");
        assert!(matches!(&*error.keyword, "$ref" | "anyOf"), "{schema}");
    }
    let tree = r##"{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object","properties":{"next":{"$ref":"#/$defs/a~1b"},"n":{"type":"integer"}},"required":["n"]}}}"##;
    assert!(issues(tree, r#"{"n":1,"next":{"n":2,"next":{"n":3}}}"#).is_empty());
    assert_eq!(
        messages(tree, r#"{"n":1,"next":{"n":2,"next":{"n":"x"}}}"#),
        ["next.next.n | /next/next/n | must be of type integer, not string"]
    );
    let sibling =
        r##"{"properties":{"a":{"$ref":"#/$defs/s","maxLength":2}},"$defs":{"s":{"type":"string"}}}"##;
    assert_eq!(
        messages(sibling, r#"{"a":"abc"}"#),
        ["a | /a | must be 2 or fewer characters long, not 3"]
    );
}

#[test]
fn size_and_depth_are_inclusive() {
    let nested = |levels: usize| ["{\"items\":".repeat(levels), "{}".into(), "}".repeat(levels)].concat();
    assert!(compile(&nested(8)).is_ok());
    let error = compile(&nested(9)).unwrap_err();
    assert!(error.message.contains("8 schemas deep"), "{}", error.message);
    let sized = |bytes: usize| ["{\"title\":\"", &"x".repeat(bytes - 12), "\"}"].concat();
    assert!(compile(&sized(16_384)).is_ok());
    assert!(
        compile(&sized(16_385))
            .unwrap_err()
            .message
            .contains("16384 bytes")
    );
}

#[test]
fn every_issue_is_reported_with_both_forms_of_its_place() {
    let schema = r#"{"type":"object","properties":{
        "ids":{"type":"array","items":{"type":"string","minLength":2},"maxItems":2,"uniqueItems":true},
        "n":{"type":"integer","minimum":1,"exclusiveMaximum":5,"multipleOf":2},
        "mode":{"enum":["a","b",3]},"fixed":{"const":{"x":1}},"when":{"format":"date"},"code":{"pattern":"^[A-Z]+$"},
        "either":{"anyOf":[{"type":"string"},{"type":"null"}]},"never":false},
        "required":["ids","must","a/b~c"],"additionalProperties":false}"#;
    let value = r#"{"ids":["ab","c",3,"ab"],"n":0.5,"mode":"c","fixed":{"x":2},"when":"2025-02-30","code":"abc",
        "either":1,"never":1,"zz\"":[]}"#;
    assert_eq!(
        messages(schema, value),
        [
            "ids | /ids | must have 2 or fewer items, not 4",
            "ids | /ids | must have no equal items, but has them at 0 and 3",
            "ids[1] | /ids/1 | must be 2 or more characters long, not 1",
            "ids[2] | /ids/2 | must be of type string, not number",
            "n | /n | must be of type integer, not 0.5",
            "n | /n | must be at least 1, not 0.5",
            "n | /n | must be a multiple of 2, not 0.5",
            "mode | /mode | must be one of \"a\", \"b\", 3, not \"c\"",
            "fixed | /fixed | must be {\"x\":1}, not {\"x\":2}",
            "when | /when | must have the format \"date\", not be \"2025-02-30\"",
            "code | /code | must match the pattern \"^[A-Z]+$\", not be \"abc\"",
            "either | /either | must match one of the 2 allowed forms",
            "never | /never | must be absent",
            "zz\" | /zz\" | is not an allowed property; expected one of \"ids\", \"n\", \"mode\", \"fixed\", \"when\", \"code\", \"either\", \"never\"",
            "must | /must | is required",
            "a/b~c | /a~1b~0c | is required",
        ]
    );
    assert_eq!(
        messages(schema, "[]"),
        [" |  | must be of type object, not array"]
    );
}

#[test]
fn what_is_wrong_twice_is_said_once() {
    assert_eq!(
        messages(r#"{"required":["a","b","a"]}"#, "{}"),
        ["a | /a | is required", "b | /b | is required"]
    );
    let twice = r##"{"$defs":{"n":{"type":"object","required":["a"]}},"$ref":"#/$defs/n","required":["a"]}"##;
    assert_eq!(messages(twice, "{}"), ["a | /a | is required"]);
}

#[test]
fn at_most_32_issues_are_reported_and_values_are_not_echoed_at_length() {
    let many = ["[", &"1,".repeat(99), "1]"].concat();
    assert_eq!(issues(r#"{"items":{"type":"string"}}"#, &many).len(), 32);
    let long = ["\"", &"é".repeat(500), "\""].concat();
    let found = issues(r#"{"const":1}"#, &long);
    assert!(found[0].message.chars().count() < 80);
    let key = ["{\"", &"k".repeat(5000), "\":1}"].concat();
    let found = issues(r#"{"additionalProperties":false}"#, &key);
    assert_eq!(
        (found[0].path.chars().count(), found[0].pointer.chars().count()),
        (129, 130)
    );
}

#[test]
fn lengths_count_code_points() {
    assert!(issues(r#"{"maxLength":2,"minLength":2}"#, r#""😀é""#).is_empty());
    assert!(issues(r#"{"maxLength":2,"minLength":2}"#, r#""\ud83d\ude00\u00e9""#).is_empty());
    assert_eq!(issues(r#"{"maxLength":1}"#, r#""\ud83d\ude00\u00e9""#).len(), 1);
}

#[test]
fn the_root_type_is_seen_through_references() {
    for (schema, expected) in [
        (r#"{"type":"object"}"#, true),
        (r#"{"type":["null","object"]}"#, true),
        (r#"{"type":"array"}"#, false),
        (r#"{"properties":{}}"#, false),
        ("true", false),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"object"}}}"##,
            true,
        ),
        (
            r##"{"type":"string","$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}"##,
            false,
        ),
    ] {
        assert_eq!(compile(schema).unwrap().is_object_root(), expected, "{schema}");
    }
}

#[test]
fn defaults_fill_absent_properties_behind_the_existing_ones() {
    let schema = r##"{"type":"object","properties":{
        "a":{"type":"integer","default":1},"b":{"properties":{"c":{"default":"x"},"d":{}}},
        "list":{"items":{"$ref":"#/$defs/row"}},"r":{"$ref":"#/$defs/row"},"plain":{}},
        "$defs":{"row":{"type":"object","default":{"k":0},"properties":{"k":{"type":"number"},"l":{"default":[]}}}},
        "anyOf":[{"properties":{"no":{"default":1}}},true]}"##;
    assert_eq!(filled(schema, "{}").unwrap(), r#"{"a":1,"r":{"k":0,"l":[]}}"#);
    assert_eq!(
        filled(schema, r#"{"plain":null,"b":{},"list":[{},{"l":1},3,{"k":2}]}"#).unwrap(),
        r#"{"plain":null,"b":{"c":"x"},"list":[{"l":[]},{"l":1},3,{"k":2,"l":[]}],"a":1,"r":{"k":0,"l":[]}}"#
    );
    assert_eq!(filled(schema, r#"{"a":null,"r":{"l":2}}"#), None);
    assert_eq!(filled(schema, "[]"), None);
    assert!(compile(schema).unwrap().has_defaults());
    assert!(!compile(r#"{"properties":{"a":{}}}"#).unwrap().has_defaults());
    assert_eq!(
        filled(r#"{"properties":{"\"q\"":{"default":1}}}"#, "{ }").unwrap(),
        r#"{ "\"q\"":1}"#
    );
}

#[test]
fn a_default_of_the_root_and_of_alternatives_is_not_filled() {
    assert_eq!(filled(r#"{"default":{"a":1}}"#, "{}"), None);
    assert_eq!(
        filled(r#"{"anyOf":[{"properties":{"a":{"default":1}}}]}"#, "{}"),
        None
    );
}

#[test]
fn a_default_that_breaks_its_own_schema_is_refused() {
    for schema in [
        r#"{"properties":{"a":{"type":"string","default":1}}}"#,
        r##"{"properties":{"a":{"$ref":"#/$defs/n","maximum":3}},"$defs":{"n":{"default":5}}}"##,
        r##"{"$ref":"#/$defs/n","$defs":{"n":{"properties":{"n":{"$ref":"#/$defs/n"}},"default":{}}}}"##,
        r#"{"anyOf":[{"type":"string","default":null}]}"#,
    ] {
        let error = compile(schema).unwrap_err();
        assert_eq!(
            (error.fault, &*error.keyword),
            (SchemaFault::InvalidDefault, "default"),
            "{schema}"
        );
    }
    let error = compile(r#"{"properties":{"a":{"minimum":3,"default":1}}}"#).unwrap_err();
    assert_eq!(
        error.message,
        "`default` at `/properties/a/default` breaks its own schema: it must be at least 3, not 1"
    );
    let nested = r#"{"properties":{"o":{"default":{},"required":["n"],"properties":{"n":{"default":20}}}}}"#;
    assert_eq!(filled(nested, "{}").unwrap(), r#"{"o":{"n":20}}"#);
}

#[test]
fn options_turn_formats_and_defaults_into_annotations() {
    let schema = document(r#"{"properties":{"a":{"format":"uuid","type":"string","default":1}}}"#);
    let options = Options {
        assert_formats: false,
        fill_defaults: false,
    };
    let schema = Schema::compile_with(&schema, LIMITS, options).unwrap();
    assert!(schema.validate(document(r#"{"a":"x"}"#).root()).is_empty());
    assert_eq!(schema.fill_defaults(document("{}").root()), None);
}

#[test]
fn filling_stops_before_a_small_value_becomes_a_huge_one() {
    let schema = [
        "{\"items\":{\"properties\":{\"a\":{\"default\":\"",
        &"x".repeat(15_000),
        "\"}}}}",
    ]
    .concat();
    let value = ["[", &"{},".repeat(80_000), "{}]"].concat();
    let text = filled(&schema, &value).unwrap();
    assert!(text.len() < 2 << 20);
    assert!(
        Document::parse(
            text,
            Bounds {
                max_bytes: 4 << 20,
                max_depth: 9,
                lone_surrogates: false
            }
        )
        .is_ok()
    );
}

#[test]
fn recursive_alternatives_stay_polynomial() {
    let schema = r##"{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[
        {"properties":{"a":{"$ref":"#/$defs/t"}},"required":["x"]},
        {"properties":{"a":{"$ref":"#/$defs/t"}},"required":["y"]},
        {"type":"null"}]}}}"##;
    let value = ["{\"a\":".repeat(60), "null".into(), "}".repeat(60)].concat();
    assert_eq!(issues(schema, &value).len(), 1);
    let twice = r##"{"$ref":"#/$defs/a","$defs":{
        "a":{"$ref":"#/$defs/b","properties":{"a":{"$ref":"#/$defs/a"}}},
        "b":{"properties":{"a":{"$ref":"#/$defs/a"}}}}}"##;
    assert!(issues(twice, &value).is_empty());
}

#[test]
fn a_schema_on_itself_for_ever_ends() {
    let schema = r##"{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}"##;
    let deep = ["[".repeat(190), "]".repeat(190)].concat();
    assert!(issues(schema, &deep).is_empty());
}

#[test]
fn a_large_value_is_held_against_many_allowed_ones_in_one_pass() {
    let schema = [
        "{\"enum\":[",
        &"{\"a\":1},".repeat(1500),
        "{\"k2\":2,\"k1\":[1]}]}",
    ]
    .concat();
    assert!(issues(&schema, "{\"k1\":[1.0],\"k2\":2e0}").is_empty());
    let entry = |index: usize| ["\"", &index.to_string(), "\":1"].concat();
    let large = ["{", &(0..30_000).map(entry).collect::<Vec<_>>().join(","), "}"].concat();
    assert_eq!(issues(&schema, &large).len(), 1);
}

#[test]
fn equal_items_are_found_whatever_their_form() {
    let schema = r#"{"uniqueItems":true}"#;
    for value in [
        "[1,1.0]",
        "[{\"a\":1,\"b\":2},{\"b\":2.0,\"a\":1}]",
        "[\"a\",\"\\u0061\"]",
        "[0,-0]",
        "[[],[]]",
    ] {
        assert_eq!(issues(schema, value).len(), 1, "{value}");
    }
    for value in [
        "[1,true]",
        "[0,false]",
        "[\"1\",1]",
        "[[1],[2]]",
        "[{\"a\":1},{\"b\":1}]",
        "[10,1]",
        "[1e5,1e-5]",
    ] {
        assert!(issues(schema, value).is_empty(), "{value}");
    }
}

proptest! {
    #[test]
    fn no_schema_and_no_value_breaks_it(schema in any_schema(), value in "[\\[\\]{}\",:a0-3.e-]{0,20}") {
        let bounds = Bounds { max_bytes: 10_000, max_depth: 64, lone_surrogates: false };
        let Ok(schema) = compile(&schema) else { return Ok(()) };
        if let Ok(value) = Document::parse(value, bounds) {
            schema.validate(value.root());
            if let Some(text) = schema.fill_defaults(value.root()) {
                let again = Document::parse(text, bounds).unwrap();
                prop_assert_eq!(schema.fill_defaults(again.root()), None);
            }
        }
    }
}

/// Small schemas, most of them in the subset.
fn any_schema() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        r#"{"type":"integer","default":3}"#,
        r#"{"type":["array","null"]}"#,
        r##"{"$ref":"#/$defs/a"}"##,
        r#"{"enum":[1,"a",[]],"default":1}"#,
        r#"{"pattern":"a+","minLength":1}"#,
        "true",
        "false",
    ])
    .prop_map(String::from);
    let inner = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|schema| ["{\"items\":", &schema, "}"].concat()),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| ["{\"anyOf\":[", &a, ",", &b, "]}"].concat()),
            (inner.clone(), inner).prop_map(|(a, b)| {
                [
                    "{\"properties\":{\"a\":",
                    &a,
                    ",\"0\":",
                    &b,
                    "},\"required\":[\"a\"]}",
                ]
                .concat()
            }),
        ]
    });
    (inner.clone(), inner).prop_map(|(root, definition)| {
        [
            "{\"properties\":{\"a\":",
            &root,
            "},\"$defs\":{\"a\":",
            &definition,
            "}}",
        ]
        .concat()
    })
}
