//! `cargo xtask bench`: the times of the library's operations, measured in Chromium on the built package.
//!
//! It measures nothing itself: `tests/bench/bench.mjs` drives the page and prints the table. Arguments go through.

use anyhow::{Result, bail};

use crate::{browser, build, process, setup, tools, workspace::Workspace};

/// Builds, then measures.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    setup::run(workspace, setup::Purpose::Browser)?;
    build::without_others(workspace)?;
    let script = workspace.path("tests/bench/bench.mjs");
    if !script.exists() {
        bail!("{} is missing", script.display());
    }
    let mut node = tools::node(workspace)?;
    node.env("CHROME", browser::require_chrome()?);
    process::run(node.arg(script).args(arguments))
}
