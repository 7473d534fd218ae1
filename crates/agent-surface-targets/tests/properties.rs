//! What holds for every schema and every name: the target's rules, checked by a reader of its own; stable bytes; names that
//! lead back; nothing accepted by the original that a projection refuses without saying so.

#![expect(clippy::expect_used, reason = "a test may fail")]

#[path = "properties/rules.rs"]
mod rules;

use agent_surface_targets::json::Json;
use agent_surface_targets::schema::{Change, project as project_schema};
use agent_surface_targets::target::{Dialect, PROFILES};
use agent_surface_targets::{prepare, project, read, render, state};
use proptest::prelude::*;
use serde_json::{Value, json};

const DIALECTS: [Dialect; 8] = [
    Dialect::Anthropic,
    Dialect::AnthropicStrict,
    Dialect::Openai,
    Dialect::OpenaiStrict,
    Dialect::Gemini,
    Dialect::GeminiJson,
    Dialect::Portable,
    Dialect::Full,
];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "kind", "id", "x-y", "z.z"]).prop_map(str::to_owned)
}

fn type_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "string", "integer", "number", "boolean", "null", "array", "object",
    ])
}

fn literal() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!("a"),
        json!("b"),
        json!(""),
        json!(1),
        json!(2.5),
        json!(true),
        json!(null),
        json!([1]),
        json!({"a": 1}),
    ])
}

/// One keyword that holds no schema.
fn plain_keyword() -> impl Strategy<Value = (String, Value)> {
    let number = |keys: &'static [&'static str]| {
        (prop::sample::select(keys), -3_i32..5).prop_map(|(key, number)| (key.to_owned(), json!(number)))
    };
    let count = |keys: &'static [&'static str]| {
        (prop::sample::select(keys), 0_u32..4).prop_map(|(key, number)| (key.to_owned(), json!(number)))
    };
    prop_oneof![
        type_name().prop_map(|one| ("type".to_owned(), json!(one))),
        prop::collection::hash_set(type_name(), 1..4).prop_map(|types| ("type".to_owned(), json!(types))),
        literal().prop_map(|value| ("const".to_owned(), value)),
        prop::collection::vec(literal(), 1..4).prop_map(|values| ("enum".to_owned(), json!(values))),
        number(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
        count(&[
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties"
        ]),
        Just(("multipleOf".to_owned(), json!(0.5))),
        any::<bool>().prop_map(|unique| ("uniqueItems".to_owned(), json!(unique))),
        Just(("pattern".to_owned(), json!("^a"))),
        prop::sample::select(vec!["date-time", "uri", "email"])
            .prop_map(|format| ("format".to_owned(), json!(format))),
        prop::collection::vec(name(), 0..3).prop_map(|names| ("required".to_owned(), json!(names))),
        any::<bool>().prop_map(|open| ("additionalProperties".to_owned(), json!(open))),
        literal().prop_map(|value| ("default".to_owned(), value)),
        prop::sample::select(vec!["title", "description", "$comment"])
            .prop_map(|key| (key.to_owned(), json!("words"))),
        prop::sample::select(vec!["#/$defs/d", "#/$defs/e", "#"])
            .prop_map(|to| ("$ref".to_owned(), json!(to))),
        Just(("x-own".to_owned(), json!({"$ref": 1}))),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        9 => prop::collection::vec(plain_keyword(), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let list = |key: &'static str, inner: BoxedStrategy<Value>| {
            prop::collection::vec(inner, 1..4).prop_map(move |list| (key.to_owned(), json!(list)))
        };
        let inner = inner.boxed();
        let holding = prop_oneof![
            prop::collection::vec((name(), inner.clone()), 0..4).prop_map(|members| {
                let members: serde_json::Map<String, Value> = members.into_iter().collect();
                ("properties".to_owned(), Value::Object(members))
            }),
            inner.clone().prop_map(|items| ("items".to_owned(), items)),
            inner
                .clone()
                .prop_map(|map| ("additionalProperties".to_owned(), map)),
            list("anyOf", inner.clone()),
            list("oneOf", inner.clone()),
            list("allOf", inner.clone()),
            list("prefixItems", inner.clone()),
            inner.clone().prop_map(|not| ("not".to_owned(), not)),
            inner.prop_map(|items| ("contains".to_owned(), items)),
        ];
        (
            prop::collection::vec(holding, 1..3),
            prop::collection::vec(plain_keyword(), 0..3),
        )
            .prop_map(|(holding, plain)| Value::Object(holding.into_iter().chain(plain).collect()))
    })
}

/// A schema for an input, with definitions that the references lead to.
fn root() -> impl Strategy<Value = Value> {
    (schema(), schema(), schema()).prop_map(|(mut root, d, e)| {
        if let Value::Object(members) = &mut root {
            members.insert("$defs".to_owned(), json!({"d": d, "e": e}));
        }
        root
    })
}

fn ours(value: &Value) -> Json {
    Json::parse(&value.to_string()).expect("serde writes JSON")
}

fn instance() -> impl Strategy<Value = Value> {
    literal().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Whether a schema leads back to itself for one and the same value: then what it accepts is not defined ("what it does not
/// accept").
fn is_circular(root: &Value, schema: &Value, through: &mut Vec<String>) -> bool {
    let follows = schema.get("$ref").and_then(Value::as_str).is_some_and(|to| {
        if through.iter().any(|before| before == to) {
            return true;
        }
        through.push(to.to_owned());
        let target = root.pointer(to.trim_start_matches('#'));
        let found = target.is_some_and(|target| is_circular(root, target, through));
        through.pop();
        found
    });
    let lists = ["allOf", "anyOf", "oneOf"]
        .iter()
        .filter_map(|key| schema.get(key)?.as_array())
        .flatten();
    follows
        || lists
            .chain(schema.get("not"))
            .any(|inner| is_circular(root, inner, through))
}

/// Whether any of the places that a reference can lead to does.
fn has_circle(root: &Value) -> bool {
    let places = [Some(root), root.pointer("/$defs/d"), root.pointer("/$defs/e")];
    places
        .into_iter()
        .flatten()
        .any(|place| is_circular(root, place, &mut Vec::new()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_projected_schema_keeps_the_rules_of_its_dialect(root in root()) {
        for dialect in DIALECTS {
            if let Ok(projected) = project_schema(&ours(&root), dialect) {
                let text = projected.schema.write();
                let found: Value = serde_json::from_str(&text).expect("JSON");
                if let Err(problem) = rules::check(dialect, &found) {
                    return Err(TestCaseError::fail(format!("{dialect:?}: {problem}\n{root}\n{text}")));
                }
                let again = project_schema(&ours(&root), dialect).expect("as before");
                prop_assert_eq!(again.schema.write(), text);
                prop_assert_eq!(again.losses, projected.losses);
            }
        }
    }

    #[test]
    fn what_the_original_accepts_a_projection_accepts_or_says_that_it_does_not(
        root in root(),
        instances in prop::collection::vec(prop::collection::vec((name(), instance()), 0..4), 1..5),
    ) {
        if has_circle(&root) {
            return Ok(());
        }
        let Ok(original) = jsonschema::validator_for(&root) else { return Ok(()) };
        for dialect in [Dialect::Anthropic, Dialect::Openai, Dialect::GeminiJson, Dialect::Portable, Dialect::Full] {
            let Ok(projected) = project_schema(&ours(&root), dialect) else { continue };
            if projected.losses.iter().any(|loss| loss.change == Change::Narrowed) {
                continue;
            }
            let text = projected.schema.write();
            let schema: Value = serde_json::from_str(&text).expect("JSON");
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            for members in &instances {
                let value = Value::Object(members.iter().cloned().collect());
                prop_assert!(
                    !original.is_valid(&value) || validator.is_valid(&value),
                    "{:?} refuses {} \n{}\n{}", dialect, value, root, text
                );
            }
        }
    }

    #[test]
    fn names_are_valid_distinct_and_lead_back(names in prop::collection::vec("\\PC{1,80}|[ab_.A]{1,3}", 1..12)) {
        let tools: Vec<Value> = names.iter().map(|name| json!({"name": name, "description": "d", "inputSchema": {}})).collect();
        for profile in &PROFILES {
            let request = json!({"target": profile.name, "tools": tools});
            let answer: Value = serde_json::from_str(&project(&ours(&request)).write()).expect("JSON");
            let entries = answer["names"].as_array().expect("a list");
            let mut seen = std::collections::BTreeSet::new();
            for entry in entries {
                let given = entry["name"].as_str().expect("a name");
                prop_assert!(rules::is_name(profile.name, given), "{} for {}", given, profile.name);
                let folded = if profile.has_free_names { given.to_owned() } else { given.to_lowercase() };
                prop_assert!(seen.insert(folded));
                let at = usize::try_from(entry["at"].as_u64().expect("a place")).expect("small");
                prop_assert_eq!(entry["tool"].as_str(), Some(names[at].as_str()));
            }
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            prop_assert_eq!(entries.len(), distinct.len());
        }
    }

    #[test]
    fn no_input_panics_and_each_call_has_one_result(value in instance(), schema in root(), text in "\\PC{0,40}") {
        for profile in &PROFILES {
            let tools = json!([{"name": text, "inputSchema": value, "strict": true}, {"name": "b", "inputSchema": schema}, value]);
            let request = json!({"target": profile.name, "tools": tools, "meta": value, "maxTools": 1, "schema": null});
            let projected = project(&ours(&request));
            let calls = json!({"target": profile.name, "calls": value, "names": []});
            let found = read(&ours(&calls));
            let arguments = json!({"schema": schema, "strict": true, "arguments": value});
            prop_assert!(prepare(&ours(&arguments)).as_object().is_some());
            let _ = prepare(&ours(&json!({"schema": schema, "strict": true, "arguments": text})));
            let _ = state(&projected);
            let results = json!({"target": profile.name, "results": [value, value]});
            prop_assert!(render(&ours(&results)).get("messages").is_some());
            prop_assert!(found.get("calls").is_some() || found.get("fault").is_some());
        }
        let _ = Json::parse(&text);
    }
}

#[test]
fn a_format_beside_values_of_several_types_goes_into_the_description_where_literals_have_no_type() {
    let root = json!({"properties": {"a": {"oneOf": [{"enum": ["a", 1], "format": "date-time"}], "prefixItems": [false]}}});
    let projected = project_schema(&ours(&root), Dialect::AnthropicStrict).expect("a strict form");
    let found: Value = serde_json::from_str(&projected.schema.write()).expect("JSON");
    assert_eq!(rules::check(Dialect::AnthropicStrict, &found), Ok(()));
    assert!(found.to_string().contains("date-time"), "{found}");
    assert!(
        projected
            .losses
            .iter()
            .any(|loss| loss.keyword == "format" && loss.change == Change::Weakened)
    );
}
