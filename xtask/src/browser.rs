//! Finds Chrome or Chromium and its driver, and installs them where that is possible without asking.
//!
//! `CHROME` and `CHROMEDRIVER` name others. Called by setup, test, bench and `demo --check`.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    process::{output, run, say},
    tools,
};

const BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
];
const BROWSER_FILES: [&str; 4] = [
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const DRIVER_FILES: [&str; 2] = [
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
];

/// An installed Chrome or Chromium.
pub fn chrome() -> Option<PathBuf> {
    named("CHROME", &BROWSERS, &BROWSER_FILES)
}

/// An installed chromedriver.
pub fn driver() -> Option<PathBuf> {
    named("CHROMEDRIVER", &["chromedriver"], &DRIVER_FILES)
}

fn named(variable: &str, names: &[&str], files: &[&str]) -> Option<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .or_else(|| names.iter().find_map(|name| tools::find(name)))
        .or_else(|| files.iter().map(PathBuf::from).find(|path| path.is_file()))
}

/// Makes sure that a browser is there, and its driver where `with_driver`.
pub fn install(with_driver: bool) -> Result<()> {
    let missing = |with_driver: bool| chrome().is_none() || (with_driver && driver().is_none());
    if !missing(with_driver) {
        return Ok(());
    }
    let packages: &[&str] = if with_driver {
        &["chromium", "chromium-driver"]
    } else {
        &["chromium"]
    };
    if !can_use_apt() {
        let driver = if with_driver {
            " and the chromedriver of the same version"
        } else {
            ""
        };
        bail!(
            "no Chrome or Chromium{driver} was found. Install it (Debian and Ubuntu: `sudo apt-get install {}`; macOS: \
             `brew install --cask chromium`; elsewhere: google.com/chrome), or name it in the variable CHROME (the \
             driver: CHROMEDRIVER)",
            packages.join(" ")
        );
    }
    say!(
        "setup: installing {} through apt-get (1 to 3 minutes)",
        packages.join(" and ")
    );
    let apt = |arguments: &[&str]| {
        run(Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())?;
    if missing(with_driver) {
        bail!(
            "{} were installed, but no browser can be found",
            packages.join(" and ")
        );
    }
    Ok(())
}

/// The browser, or an error that says how to get it.
pub fn require_chrome() -> Result<PathBuf> {
    chrome().context("no Chrome or Chromium was found: run `cargo xtask setup`")
}

/// The driver, or an error that says how to get it.
pub fn require_driver() -> Result<PathBuf> {
    driver().context("no chromedriver was found: run `cargo xtask setup`")
}

fn can_use_apt() -> bool {
    Path::new("/etc/debian_version").exists()
        && tools::find("apt-get").is_some()
        && output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
