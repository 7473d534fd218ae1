//! `cargo xtask size`: what each entry of the built package weighs, against its budget in `wasm-pack.toml`.
//!
//! It fails past a budget. It counts the files that a page loads, one by one, as a server would compress them.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::{
    build,
    manifest::{Entry, Manifest},
    process::{output, say},
    tools,
    workspace::Workspace,
};

/// Builds, then prints the table.
pub fn run(workspace: &Workspace) -> Result<()> {
    build::run(workspace)?;
    let entries = Manifest::read(workspace)?.entries()?;
    say!(
        "{:<34} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "entry (bytes)",
        "raw",
        "gzip -9",
        "brotli 11",
        "budget",
        "goal"
    );
    let mut heavy = Vec::new();
    for entry in &entries {
        let brotli = print(workspace, entry)?;
        if brotli > entry.budget {
            heavy.push(format!(
                "`{}` weighs {brotli} bytes, {} too many",
                entry.name,
                brotli - entry.budget
            ));
        }
    }
    if heavy.is_empty() {
        return Ok(());
    }
    bail!("over budget: {}", heavy.join("; "))
}

/// Prints an entry and its files, and answers with the sum of its brotli sizes.
fn print(workspace: &Workspace, entry: &Entry) -> Result<u64> {
    let paths: Vec<PathBuf> = entry
        .files
        .iter()
        .map(|file| workspace.package().join(file))
        .collect();
    let mut node = tools::node(workspace)?;
    let text = output(node.arg(workspace.path("xtask/js/sizes.mjs")).args(paths))?;
    let sizes: Vec<[u64; 3]> = serde_json::from_str(&text).context("sizes.mjs did not print sizes")?;
    let sum = sizes.iter().fold([0; 3], |sum: [u64; 3], size| {
        [sum[0] + size[0], sum[1] + size[1], sum[2] + size[2]]
    });
    let [raw, gzip, brotli] = sum;
    say!(
        "{:<34} {raw:>9} {gzip:>9} {brotli:>9} {:>9} {:>9}",
        entry.name,
        entry.budget,
        entry.goal
    );
    for (file, [raw, gzip, brotli]) in entry.files.iter().zip(sizes) {
        say!("  {file:<32} {raw:>9} {gzip:>9} {brotli:>9}");
    }
    Ok(brotli)
}
