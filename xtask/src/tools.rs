//! Finds programs: first in cargo's own folder of binaries, which need not be on `PATH`, then on `PATH`.
//!
//! It installs nothing; `setup` does. Called by every command that starts a tool.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{process, workspace::Workspace};

/// Cargo's own folder.
pub fn cargo_home() -> Option<PathBuf> {
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".cargo"))
    })
}

/// The folder that `cargo install` puts programs into.
pub fn cargo_bin() -> Option<PathBuf> {
    env::var_os("CARGO_INSTALL_ROOT")
        .map(PathBuf::from)
        .or_else(cargo_home)
        .map(|root| root.join("bin"))
}

/// All files of this name, cargo's first.
pub fn candidates(name: &str) -> impl Iterator<Item = PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = cargo_bin().into_iter().chain(env::split_paths(&path)).collect();
    folders
        .into_iter()
        .map(move |folder| folder.join(&file))
        .filter(|path| path.is_file())
}

/// The first program of this name.
pub fn find(name: &str) -> Option<PathBuf> {
    candidates(name).next()
}

/// The first program of this name, or an error that says how to get it.
pub fn require(name: &str) -> Result<PathBuf> {
    find(name).with_context(|| format!("`{name}` is not installed: run `cargo xtask setup`"))
}

/// The first program of this name that says it has this version.
pub fn find_version(name: &str, version: &str) -> Option<PathBuf> {
    candidates(name).find(|path| version_of(path).as_deref() == Some(version))
}

/// The first word of `--version` that starts with a digit: `0.2.129` of `wasm-bindgen 0.2.129`.
pub fn version_of(program: &Path) -> Option<String> {
    let text = process::output(Command::new(program).arg("--version")).ok()?;
    text.split_whitespace()
        .map(|word| word.trim_start_matches('v'))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
}

/// `PATH` with cargo's folder in front, for tools that look for their helpers there.
pub fn child_path() -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = cargo_bin().into_iter().chain(env::split_paths(&path));
    env::join_paths(folders).context("a folder on PATH has a separator in its name")
}

/// `cargo` itself, in the root, quiet about what it does not compile.
pub fn cargo(workspace: &Workspace) -> Result<Command> {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(&workspace.root).env("PATH", child_path()?);
    Ok(command)
}

/// `node` with a script of this project, in the root.
pub fn node(workspace: &Workspace) -> Result<Command> {
    let program = find("node").context(NODE_MISSING)?;
    let mut command = Command::new(program);
    command.current_dir(&workspace.root).env("PATH", child_path()?);
    Ok(command)
}

/// `npm` in a folder.
pub fn npm(folder: &Path) -> Result<Command> {
    let name = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let path = env::var_os("PATH").unwrap_or_default();
    let program = env::split_paths(&path)
        .map(|entry| entry.join(name))
        .find(|program| program.is_file())
        .context(NODE_MISSING)?;
    let mut command = Command::new(program);
    command.current_dir(folder);
    Ok(command)
}

/// What to do without Node.
pub const NODE_MISSING: &str = "Node.js 20.19 or newer, with npm, must be on PATH: install it from nodejs.org or with your system's packages";
