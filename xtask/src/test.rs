//! `cargo xtask test`: every check and test of the project, step by step, with the time of each.
//!
//! A failing step does not stop the rest; the last line counts them (`N passed, N failed`). A step is left out of the
//! list only where the files that it would run do not exist. Called by developers and by `.ci/run`.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
    time::Instant,
};

use anyhow::{Result, bail};

use crate::{
    browser, build, demo,
    process::{last_words, run as execute, say, seconds},
    setup, size, suite, tidy, tools,
    workspace::Workspace,
};

/// Where property tests begin.
const SEED: &str = "PROPTEST_RNG_SEED";

type Act = Box<dyn Fn(&Workspace) -> Result<()>>;

/// A named step.
struct Step {
    name: &'static str,
    act: Act,
}

/// Runs all steps, or the named ones.
pub fn run(workspace: &Workspace, names: &[String]) -> Result<ExitCode> {
    let steps = steps(workspace)?;
    if names.first().is_some_and(|name| name == "--list") {
        for step in &steps {
            say!("{}", step.name);
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(unknown) = names
        .iter()
        .find(|name| steps.iter().all(|step| step.name != name.as_str()))
    {
        bail!("`{unknown}` is no step: `cargo xtask test --list` names them");
    }
    let chosen = steps
        .iter()
        .filter(|step| names.is_empty() || names.iter().any(|name| name == step.name));
    let (mut passed, mut lines) = (0, Vec::new());
    let (mut failed, mut said) = (0, Vec::new());
    for step in chosen {
        say!("\n=== {}", step.name);
        // What a step tolerated is no news of the next one.
        drop(last_words());
        let start = Instant::now();
        let result = (step.act)(workspace);
        let time = seconds(start.elapsed());
        let line = match result {
            Ok(()) => {
                passed += 1;
                format!("ok      {:<12} {time}", step.name)
            }
            Err(error) => {
                failed += 1;
                said.push((step.name, last_words()));
                format!("FAILED  {:<12} {time}: {error:#}", step.name)
            }
        };
        say!("--- {line}");
        lines.push(line);
    }
    say!("\n{}", lines.join("\n"));
    // Of a long log, often only the end is at hand.
    for (name, words) in said.iter().filter(|(_, words)| !words.is_empty()) {
        say!("\n{name} failed with\n  {}", words.join("\n  "));
    }
    say!("\n{passed} passed, {failed} failed");
    // Not an error: nothing is printed after the line that counts.
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The steps, cheap ones first.
fn steps(workspace: &Workspace) -> Result<Vec<Step>> {
    let mut steps = vec![
        step("setup", |workspace| setup::run(workspace, setup::Purpose::Test)),
        step("fmt", |workspace| {
            execute(tools::cargo(workspace)?.args(["fmt", "--all", "--check"]))
        }),
        step("tidy", |workspace| tidy::run(workspace, &[])),
        step("deny", deny),
        step("clippy", clippy),
        step("native", native),
        step("size", size::run),
    ];
    if !scripts(workspace, "tests/unit", ".test.mjs")?.is_empty() {
        steps.push(step("unit", |workspace| node_tests(workspace, "tests/unit")));
    }
    if !type_projects(workspace)?.is_empty() {
        steps.push(step("types", types));
    }
    if !scripts(workspace, "tests", ".rs")?.is_empty() {
        steps.push(step("boundary", boundary));
    }
    if !scripts(workspace, "tests/packaging", ".test.mjs")?.is_empty() {
        steps.push(step("packaging", |workspace| {
            package_tests(workspace, "tests/packaging")
        }));
    }
    if !scripts(workspace, "tests/e2e", ".test.mjs")?.is_empty() {
        steps.push(step("e2e", |workspace| package_tests(workspace, "tests/e2e")));
    }
    if workspace.path(demo::CHECK_SCRIPT).exists() {
        steps.push(step("demo", |workspace| {
            demo::run(workspace, &["--check".to_owned()])
        }));
    }
    Ok(steps)
}

fn step(name: &'static str, act: impl Fn(&Workspace) -> Result<()> + 'static) -> Step {
    Step {
        name,
        act: Box::new(act),
    }
}

/// Licences, banned crates and sources. Not advisories: their database is a git repository, and this must pass without
/// a network.
fn deny(workspace: &Workspace) -> Result<()> {
    let mut deny = Command::new(tools::require("cargo-deny")?);
    deny.current_dir(&workspace.root)
        .env("PATH", tools::child_path()?);
    execute(deny.args(["--workspace", "check", "bans", "licenses", "sources"]))
}

fn clippy(workspace: &Workspace) -> Result<()> {
    let lint = |arguments: &[&str]| {
        let mut cargo = tools::cargo(workspace)?;
        execute(
            cargo
                .args(["clippy", "--quiet"])
                .args(arguments)
                .args(["--", "-D", "warnings"]),
        )
    };
    lint(&["--all-targets", "--workspace"])?;
    // Much of the root package exists for this target only.
    let root = [
        "--all-targets",
        "-p",
        "agent-surface-wasm",
        "--target",
        "wasm32-unknown-unknown",
    ];
    lint(&root)?;
    // So does what JavaScript calls of the schema engine; its tests are native, like the randomness of what they stand on.
    lint(&[
        "--lib",
        "-p",
        "agent-surface-schema",
        "--target",
        "wasm32-unknown-unknown",
    ])?;
    // As the package is built, a module for each; its tests have the standard library.
    for features in [
        "module,page",
        "module,surface",
        "module,targets",
        "module,interop",
    ] {
        lint(&[
            "--lib",
            "-p",
            "agent-surface-wasm",
            "--no-default-features",
            "--features",
            features,
            "--target",
            "wasm32-unknown-unknown",
        ])?;
    }
    Ok(())
}

fn native(workspace: &Workspace) -> Result<()> {
    suite::fetch(workspace)?;
    // Without the suite its tests would pass by comparing nothing.
    let mut cargo = tools::cargo(workspace)?;
    cargo.env("JSON_SCHEMA_SUITE_REQUIRED", "1");
    // The same cases each time: a change fails for what it changes. `cargo test` draws new ones at each run.
    if env::var_os(SEED).is_none() {
        cargo.env(SEED, "1");
    }
    execute(cargo.args(["test", "--workspace", "--quiet"]))
}

/// The browser tests of the root package.
fn boundary(workspace: &Workspace) -> Result<()> {
    let mut pack = Command::new(tools::require("wasm-pack")?);
    pack.current_dir(&workspace.root)
        .env("PATH", tools::child_path()?);
    pack.args([
        "--log-level",
        "warn",
        "test",
        "--headless",
        "--chrome",
        "--mode",
        "no-install",
        "--chromedriver",
    ]);
    // Seconds for the whole run of one test file; the default of 20 is short for a busy machine.
    execute(
        pack.arg(browser::require_driver()?)
            .env("WASM_BINDGEN_TEST_TIMEOUT", "180"),
    )
}

fn types(workspace: &Workspace) -> Result<()> {
    for project in type_projects(workspace)? {
        say!("tsc -p {}", project.display());
        let mut node = tools::node(workspace)?;
        node.arg(workspace.path("tests/node_modules/typescript/bin/tsc"));
        execute(node.args(["--noEmit", "-p"]).arg(&project))?;
    }
    Ok(())
}

fn type_projects(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let files = scripts(workspace, "tests/types", ".json")?;
    let is_project = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("tsconfig"))
    };
    Ok(files.into_iter().filter(is_project).collect())
}

/// Tests that use the built package: never one of an earlier state.
fn package_tests(workspace: &Workspace, folder: &str) -> Result<()> {
    build::run(workspace)?;
    node_tests(workspace, folder)
}

fn node_tests(workspace: &Workspace, folder: &str) -> Result<()> {
    let mut node = tools::node(workspace)?;
    if let Some(chrome) = browser::chrome() {
        node.env("CHROME", chrome);
    }
    node.env("AGENT_SURFACE_PACKAGE", workspace.package())
        .env("AGENT_SURFACE_TARBALL", build::tarball(workspace)?);
    // One browser at a time: two on two cores make each other's timings meaningless.
    execute(
        node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
            .args(scripts(workspace, folder, ".test.mjs")?),
    )
}

/// The files of a folder, not of those below it, whose names end so; sorted.
fn scripts(workspace: &Workspace, folder: &str, end: &str) -> Result<Vec<PathBuf>> {
    let folder = workspace.path(folder);
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .file_name()
            .map(OsStr::to_string_lossy)
            .is_some_and(|name| name.ends_with(end))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
