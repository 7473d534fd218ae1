//! `cargo xtask bench`: the times of the library's operations, measured in Chromium on the built package; `bench surface`:
//! requests of a frame through the external surface; `bench interop`: the remote protocol's round trips, natively and in
//! Chromium.
//!
//! It measures nothing itself: `tests/bench/*.mjs` drive the pages, `benches/roundtrip.rs` of the interop crate is a program
//! of its own. Arguments go through.

use anyhow::{Result, bail};

use crate::{browser, build, process, setup, tools, workspace::Workspace};

/// Builds, then measures.
pub fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    match arguments.split_first() {
        Some((first, rest)) if first == "interop" => return interop(workspace, rest),
        Some((first, rest)) if first == "surface" => return surface(workspace, rest),
        _ => {}
    }
    setup::run(workspace, setup::Purpose::Browser)?;
    build::without_others(workspace)?;
    drive(workspace, "tests/bench/bench.mjs", arguments)
}

fn surface(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    setup::run(workspace, setup::Purpose::Browser)?;
    build::for_pages(workspace)?;
    drive(workspace, "tests/bench/surface.mjs", arguments)
}

fn interop(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut cargo = tools::cargo(workspace)?;
    cargo.args([
        "bench",
        "--quiet",
        "-p",
        "agent-surface-interop",
        "--bench",
        "roundtrip",
    ]);
    process::run(cargo.args(["--profile", "host", "--"]).args(arguments))?;
    setup::run(workspace, setup::Purpose::Browser)?;
    build::for_pages(workspace)?;
    drive(workspace, "tests/bench/interop.mjs", arguments)
}

fn drive(workspace: &Workspace, script: &str, arguments: &[String]) -> Result<()> {
    let script = workspace.path(script);
    if !script.exists() {
        bail!("{} is missing", script.display());
    }
    let mut node = tools::node(workspace)?;
    node.env("CHROME", browser::require_chrome()?);
    process::run(node.arg(script).args(arguments))
}
