//! `cargo xtask fuzz [SECONDS] [TARGET]`: changed inputs of the corpus through every fuzz target, on stable Rust.
//!
//! It guides by no coverage; `cargo +nightly fuzz run TARGET` does, over the same targets. Called by developers; the corpus
//! itself is replayed by `test`.

use anyhow::Result;

use crate::{process, tools, workspace::Workspace};

/// Runs the loop: a minute for each target, unless the arguments say something else.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut cargo = tools::cargo(workspace)?;
    cargo.args([
        "run",
        "--quiet",
        "--profile",
        "fuzz",
        "-p",
        "agent-surface-fuzz",
        "--",
    ]);
    process::run(cargo.arg(workspace.path("fuzz/corpus")).args(arguments))
}
