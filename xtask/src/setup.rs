//! `cargo xtask setup`: installs what is missing, asks nothing, and the second time only looks.
//!
//! Programs of cargo go where `cargo install` puts them, npm packages into `tests/node_modules`, Chromium through apt
//! where that is possible. It changes no file of the working copy that git knows. Called by demo, bench and test too.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::{
    browser,
    manifest::Manifest,
    process::{output, run as execute, say, seconds},
    stamp::{self, Step},
    tools,
    workspace::Workspace,
};

/// What the tools are for: less is installed to build a page than to run every test.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Build the package.
    Build,
    /// Build the package and show it in a browser; one that is already open will do.
    Page,
    /// Build the package and drive it in headless Chromium.
    Browser,
    /// Everything.
    Test,
}

/// Installs what is missing for a purpose.
pub fn run(workspace: &Workspace, purpose: Purpose) -> Result<()> {
    let _held = workspace.hold("setup")?;
    let start = Instant::now();
    let manifest = Manifest::read(workspace)?;
    node_is_new_enough()?;
    wasm_target()?;
    // Small things first: what cannot work here shows before the long builds.
    npm_packages(workspace, purpose)?;
    match purpose {
        Purpose::Build => {}
        Purpose::Page => {
            if let Err(error) = browser::install(false) {
                say!("note: {error:#}");
            }
        }
        Purpose::Browser => browser::install(false)?,
        Purpose::Test => browser::install(true)?,
    }
    cargo_tool(
        workspace,
        &manifest,
        "wasm-bindgen",
        "wasm-bindgen-cli",
        "2 to 10 minutes",
    )?;
    if purpose == Purpose::Test {
        cargo_tool(workspace, &manifest, "wasm-pack", "wasm-pack", "2 to 6 minutes")?;
        cargo_tool(workspace, &manifest, "cargo-deny", "cargo-deny", "2 to 6 minutes")?;
    }
    say!("setup: every tool is there ({})", seconds(start.elapsed()));
    Ok(())
}

fn node_is_new_enough() -> Result<()> {
    let node = tools::find("node").context(tools::NODE_MISSING)?;
    let version = tools::version_of(&node).context(tools::NODE_MISSING)?;
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if (major, minor) < (20, 19) {
        bail!(
            "Node.js {version} at {} is too old. {}",
            node.display(),
            tools::NODE_MISSING
        );
    }
    Ok(())
}

const TARGET: &str = "wasm32-unknown-unknown";

fn wasm_target() -> Result<()> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(TARGET)
        .join("lib")
        .is_dir()
    {
        return Ok(());
    }
    let Some(rustup) = tools::find("rustup") else {
        bail!(
            "the Rust target `{TARGET}` is missing and so is rustup: install the target as you installed Rust"
        );
    };
    say!("setup: adding the Rust target {TARGET} (up to a minute)");
    execute(Command::new(rustup).args(["target", "add", TARGET]))
}

/// One of the packages that only tests need.
const OF_TESTS: &str = "tests/node_modules/vitest";

/// The `dependencies` of `tests/package.json`, which build and show the package and make the documentation, or these and all that tests need. What was
/// installed for tests stays whole, whatever is run next.
pub fn npm_packages(workspace: &Workspace, purpose: Purpose) -> Result<()> {
    let folder = workspace.path("tests");
    let is_whole = purpose == Purpose::Test || workspace.path(OF_TESTS).exists();
    let step = Step {
        name: "setup: npm packages",
        inputs: &[
            folder.join("package.json"),
            folder.join("package-lock.json"),
            folder.join(".npmrc"),
        ],
        settings: if is_whole { "" } else { "--omit=dev" },
        outputs: &[folder.join("node_modules/.package-lock.json")],
    };
    stamp::step(workspace, &step, || {
        let mut npm = tools::npm(&folder)?;
        npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
        if is_whole {
            say!(
                "setup: installing the npm packages of the build and of all tests (1.3 GB; one to five minutes)"
            );
        } else {
            say!("setup: installing the npm packages of the build (up to a minute)");
            npm.arg(step.settings);
        }
        execute(&mut npm)
    })
}

/// Installs a program from its crate, unless one of exactly the pinned version is there.
fn cargo_tool(
    workspace: &Workspace,
    manifest: &Manifest,
    program: &str,
    package: &str,
    duration: &str,
) -> Result<()> {
    let version = manifest.tool(program)?;
    if tools::find_version(program, version).is_some() {
        return Ok(());
    }
    say!("setup: compiling {package} {version} (once per machine; {duration})");
    // A folder that survives an interruption, so that the next try goes on where this one stopped.
    let build: PathBuf = workspace.path("target/tools").join(package);
    let mut install = tools::cargo(workspace)?;
    install.args([
        "install",
        "--locked",
        "--quiet",
        "--force",
        package,
        "--version",
        version,
        "--target-dir",
    ]);
    install
        .arg(&build)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS");
    // These programs run for a second at a time: they are compiled to be there soon, not to be fast.
    for (setting, value) in [("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "64"), ("LTO", "off")] {
        install.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    execute(&mut install)?;
    if tools::find_version(program, version).is_none() {
        bail!("{package} {version} was installed, but no `{program}` of that version can be found");
    }
    fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))
}
