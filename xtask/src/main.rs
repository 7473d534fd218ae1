//! `cargo xtask <command>`: everything this project does outside its sources, one file per command.
//!
//! It holds no rule of the library and changes nothing outside the working copy, except in `setup`, which installs what
//! is missing. Developers, CI (`.ci/run`) and the README's commands call it.

mod bench;
mod browser;
mod build;
mod demo;
mod docs;
mod fuzz;
mod manifest;
mod process;
mod setup;
mod size;
mod stamp;
mod suite;
mod test;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};
use process::say;
use workspace::Workspace;

const HELP: &str = "\
cargo xtask <command>

  setup            install what is missing: wasm target, wasm-bindgen, wasm-pack, cargo-deny, npm packages, Chromium
  build            build the npm package into target/pkg and pack it into target/
  demo             set up, build and serve the demo's pages  [--port N] [--fresh]
  demo --check     drive the pages' stories in headless Chromium; screenshots in target/demo  [story…]
  docs             make the documentation site in target/docs; `demo` serves it at /docs/
  test [STEP…]     all checks and tests, or only the named steps; `test --list` names them
  size             sizes of the package's entries against their budgets in wasm-pack.toml
  bench            times of the library's operations in Chromium
  bench surface    requests through the external surface's port, beside a bare echo
  bench interop    round trips of the remote protocol per second
  fuzz [SECONDS]   random inputs through the fuzz targets, a minute for each; one target when it is named after SECONDS
  tidy [--bless]   the rules that no other tool enforces; --bless renews the boundary hash in the types
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(code) => code,
        Err(error) => {
            say!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = args.split_first() else {
        say!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    let workspace = Workspace::find()?;
    match command.as_str() {
        "setup" => no_arguments(rest).and_then(|()| setup::run(&workspace, setup::Purpose::Test)),
        "build" => no_arguments(rest).and_then(|()| build::run(&workspace)),
        "demo" => demo::run(&workspace, rest),
        "docs" => no_arguments(rest).and_then(|()| docs::run(&workspace)),
        "test" => return test::run(&workspace, rest),
        "size" => no_arguments(rest).and_then(|()| size::run(&workspace)),
        "bench" => bench::run(&workspace, rest),
        "fuzz" => fuzz::run(&workspace, rest),
        "tidy" => tidy::run(&workspace, rest),
        "help" | "--help" | "-h" => {
            say!("{HELP}");
            Ok(())
        }
        other => bail!("`{other}` is no command\n\n{HELP}"),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn no_arguments(rest: &[String]) -> Result<()> {
    match rest.first() {
        None => Ok(()),
        Some(argument) => bail!("unexpected argument `{argument}`"),
    }
}
