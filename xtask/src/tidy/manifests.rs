//! Rules for manifests: who may depend on what, a reason beside each dependency, versions that agree.
//!
//! Called by tidy.

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::{Breaches, Source};
use crate::{build, manifest::Manifest, workspace::Workspace};

/// What only the root package and the schema engine may depend on (invariant 1 of ARCHITECTURE.md).
const BROWSER_CRATES: [&str; 5] = [
    "wasm-bindgen",
    "js-sys",
    "web-sys",
    "wasm-bindgen-futures",
    "serde-wasm-bindgen",
];
/// The crate under `crates/` that is a WebAssembly module of its own.
const MODULE_CRATE: &str = "crates/agent-surface-schema/";

/// Checks all manifests.
pub fn check(workspace: &Workspace, sources: &[Source], breaches: &mut Breaches) -> Result<()> {
    for source in sources
        .iter()
        .filter(|source| source.path.ends_with("Cargo.toml"))
    {
        let table: Table = source
            .text
            .parse()
            .with_context(|| format!("{} is no TOML", source.path))?;
        if source.path.starts_with("crates/") && !source.path.starts_with(MODULE_CRATE) {
            for name in dependencies(&table)
                .iter()
                .filter(|name| BROWSER_CRATES.contains(&name.as_str()))
            {
                let problem = format!("depends on `{name}`: only the root package touches the browser");
                breaches.add(&source.path, None, &problem);
            }
        }
        check_reasons(source, breaches);
    }
    check_versions(workspace, breaches)
}

/// The crates that a manifest depends on in any way, by the names they have in the registry.
fn dependencies(table: &Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in table {
        let Value::Table(inner) = value else { continue };
        if key.ends_with("dependencies") {
            let package = |entry: &Value| entry.get("package").and_then(Value::as_str).map(str::to_owned);
            found.extend(
                inner
                    .iter()
                    .map(|(name, entry)| package(entry).unwrap_or_else(|| name.clone())),
            );
        } else {
            found.extend(dependencies(inner));
        }
    }
    found
}

/// Each dependency has its reason as a comment, on its line or on the lines above it.
fn check_reasons(source: &Source, breaches: &mut Breaches) {
    let (mut in_dependencies, mut explained, mut depth) = (false, false, 0_usize);
    for (index, line) in source.text.lines().enumerate() {
        let line = line.trim();
        if depth == 0 && line.starts_with('[') {
            let name = line.trim_matches(['[', ']']);
            in_dependencies = name.ends_with("dependencies");
            if name.contains("dependencies.") && !explained {
                breaches.add(&source.path, Some(index + 1), "no reason beside this dependency");
            }
            explained = false;
        } else if line.starts_with('#') {
            explained = true;
        } else if line.is_empty() {
            explained = false;
        } else if in_dependencies {
            if depth == 0 && !explained && !line.contains('#') {
                breaches.add(&source.path, Some(index + 1), "no reason beside this dependency");
            }
            depth = (depth + count(line, &['[', '{'])).saturating_sub(count(line, &[']', '}']));
            if depth == 0 {
                explained = false;
            }
        }
    }
}

fn count(line: &str, characters: &[char]) -> usize {
    line.matches(characters).count()
}

/// One wasm-bindgen everywhere, and one version for the crates and the npm package.
fn check_versions(workspace: &Workspace, breaches: &mut Breaches) -> Result<()> {
    let root: Table = workspace
        .read("Cargo.toml")?
        .parse()
        .context("Cargo.toml is no TOML")?;
    let manifest = Manifest::read(workspace)?;
    let tool = manifest.tool("wasm-bindgen")?;
    let own = root
        .get("dependencies")
        .and_then(|table| table.get("wasm-bindgen"));
    let shared = root
        .get("workspace")
        .and_then(|table| table.get("dependencies"))
        .and_then(|table| table.get("wasm-bindgen"));
    for entry in [own, shared].into_iter().flatten() {
        let version = entry
            .as_str()
            .or_else(|| entry.get("version").and_then(Value::as_str));
        if version.is_some_and(|version| version != format!("={tool}")) {
            let problem =
                format!("wasm-bindgen must be `={tool}`, the version of the tool in wasm-pack.toml");
            breaches.add("Cargo.toml", None, &problem);
        }
    }
    let version = root
        .get("workspace")
        .and_then(|table| table.get("package"))
        .and_then(|table| table.get("version"));
    let npm = build::package_version(workspace)?;
    if version.and_then(Value::as_str) != Some(npm.as_str()) {
        let problem = format!("version {npm} is not that of the workspace in Cargo.toml");
        breaches.add("pkg-template/package.json", None, &problem);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unexplained(text: &str) -> usize {
        let mut found = Breaches::default();
        check_reasons(
            &Source {
                path: "Cargo.toml".to_owned(),
                text: text.to_owned(),
            },
            &mut found,
        );
        found.0.len()
    }

    #[test]
    fn a_dependency_needs_a_reason() {
        assert_eq!(unexplained("[dependencies]\na = \"1\"\n"), 1);
        assert_eq!(unexplained("[dependencies]\na = \"1\" # why\n"), 0);
        assert_eq!(
            unexplained(
                "[dependencies]\n# why\na = { version = \"1\", features = [\n  \"x\",\n] }\nb = \"1\"\n"
            ),
            1
        );
        assert_eq!(unexplained("# why\n[dev-dependencies.a]\nversion = \"1\"\n"), 0);
        assert_eq!(unexplained("[target.'cfg(unix)'.dependencies]\na = \"1\"\n"), 1);
        assert_eq!(unexplained("[features]\na = []\n"), 0);
    }

    #[test]
    fn a_dependency_is_found_wherever_it_is_declared() {
        let text = "[dev-dependencies]\nx = { package = \"js-sys\", version = \"1\" }\n\
                    [target.'cfg(unix)'.dependencies]\nweb-sys = \"1\"\n";
        assert_eq!(dependencies(&text.parse().unwrap()), ["js-sys", "web-sys"]);
    }
}
