//! The hash of the boundary: of everything that the root package exports to, and imports from, JavaScript.
//!
//! The hand-written types name the hash they were last compared with, so that nobody changes an export and forgets the
//! types. It compares names and signatures as text and does not understand them. Called by tidy.

use anyhow::{Result, bail};
use sha2::{Digest, Sha256};

use super::{Breaches, Source};
use crate::{
    process::say,
    stamp::hex,
    workspace::{self, Workspace},
};

const MARK: &str = "// boundary: ";
const TYPES: &str = "pkg-template/types";

/// The types name the present hash.
pub fn check(workspace: &Workspace, sources: &[Source], breaches: &mut Breaches) -> Result<()> {
    let Some(hash) = hash(workspace)? else {
        return Ok(());
    };
    let mut marks = 0;
    for source in sources.iter().filter(|source| is_declaration(&source.path)) {
        for (index, line) in source.text.lines().enumerate() {
            let Some(known) = line.strip_prefix(MARK) else {
                continue;
            };
            marks += 1;
            if known.trim() != hash {
                let problem =
                    "the exports of src/ changed: compare the types, then `cargo xtask tidy --bless`";
                breaches.add(&source.path, Some(index + 1), problem);
            }
        }
    }
    if marks == 0 {
        breaches.add(
            TYPES,
            None,
            &format!("no declaration file has the line `{MARK}{hash}`"),
        );
    }
    Ok(())
}

/// Writes the present hash into every line that names one.
pub fn bless(workspace: &Workspace) -> Result<()> {
    let Some(hash) = hash(workspace)? else {
        bail!("src/ exports nothing yet")
    };
    for path in workspace::files(&workspace.path(TYPES))? {
        let text = workspace::read(&path)?;
        let mut renewed = String::with_capacity(text.len());
        for line in text.lines() {
            renewed.push_str(if line.starts_with(MARK) { MARK } else { line });
            renewed.push_str(if line.starts_with(MARK) { &hash } else { "" });
            renewed.push('\n');
        }
        if renewed != text {
            workspace::write(&path, renewed)?;
            say!("tidy: {} names the boundary {hash}", path.display());
        }
    }
    Ok(())
}

fn is_declaration(path: &str) -> bool {
    path.starts_with(TYPES) && path.ends_with(".d.ts")
}

/// Sixteen hexadecimal digits, or nothing where nothing is exported.
fn hash(workspace: &Workspace) -> Result<Option<String>> {
    let mut list = String::new();
    for path in workspace::files(&workspace.path("src"))? {
        if path.extension().is_some_and(|extension| extension == "rs") {
            list.push_str(&exports(&workspace::read(&path)?));
        }
    }
    if list.is_empty() {
        return Ok(None);
    }
    Ok(hex(&Sha256::digest(list)).get(..16).map(str::to_owned))
}

/// The attributes of `wasm_bindgen` and, in files that have any, the public signatures, one a line, white space evened.
fn exports(text: &str) -> String {
    let mut list = String::new();
    if !text.contains("#[wasm_bindgen") {
        return list;
    }
    let code: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .collect();
    let code = code.join(" ");
    let starts = ["#[wasm_bindgen", "pub fn ", "pub struct ", "pub enum ", "fn "];
    let mut rest = code.as_str();
    while let Some((at, start)) = starts
        .iter()
        .filter_map(|start| Some((rest.find(start)?, *start)))
        .min()
    {
        let Some(found) = rest.get(at..) else { break };
        let is_attribute = start.starts_with('#');
        let end = found
            .find(if is_attribute { &[']'][..] } else { &['{', ';'][..] })
            .unwrap_or(found.len());
        let item = found.get(..end).unwrap_or(found);
        // A private function inside `extern "C"` is an import; elsewhere it is no part of the boundary.
        let is_import = start == "fn " && found.get(end..).is_some_and(|after| after.starts_with(';'));
        if start != "fn " || is_import {
            let words: Vec<&str> = item.split_whitespace().collect();
            list.push_str(&words.join(" "));
            list.push('\n');
        }
        rest = found.get(end.max(1)..).unwrap_or_default();
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_signature_changes_the_list_and_a_changed_body_does_not() {
        let list = |text: &str| exports(text);
        let old = list("#[wasm_bindgen(js_name = a)]\npub fn a(x: u32) -> u32 { x }\nfn b() {}");
        assert_eq!(old, "#[wasm_bindgen(js_name = a)\npub fn a(x: u32) -> u32\n");
        assert_eq!(
            old,
            list("#[wasm_bindgen(js_name = a)]\n// why\npub fn a(x: u32)\n    -> u32 { x + 1 }")
        );
        assert_ne!(
            old,
            list("#[wasm_bindgen(js_name = a)]\npub fn a(x: u64) -> u32 { x }")
        );
        assert_eq!(list("pub fn not_exported() {}"), "");
    }

    #[test]
    fn an_import_is_part_of_the_boundary() {
        let text = "#[wasm_bindgen]\nextern \"C\" { fn now() -> f64; }\nfn own() { }";
        assert_eq!(exports(text), "#[wasm_bindgen\nfn now() -> f64\n");
    }
}
