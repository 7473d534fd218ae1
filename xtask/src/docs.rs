//! `cargo xtask docs`: the documentation site, from `docs/` and the package's types, in `target/docs`.
//!
//! What a page is made of is decided by the scripts in `xtask/js/docs`. It needs no part of the package to be built. Called by
//! demo too, which serves the site beside its pages.

use std::path::PathBuf;

use anyhow::Result;

use crate::{
    process::{run as execute, say},
    setup,
    stamp::{self, Step},
    tools,
    workspace::Workspace,
};

/// Makes the site, and says where it is.
pub fn run(workspace: &Workspace) -> Result<()> {
    setup::npm_packages(workspace, setup::Purpose::Build)?;
    make(workspace)?;
    say!("docs: {}", folder(workspace).join("index.html").display());
    Ok(())
}

/// Where the site is.
pub fn folder(workspace: &Workspace) -> PathBuf {
    workspace.path("target/docs")
}

/// Makes the site, unless nothing that it is made of has changed. The npm packages of `tests/` must be there.
pub fn make(workspace: &Workspace) -> Result<()> {
    let inputs = [
        "docs",
        "pkg-template/types",
        "pkg-template/package.json",
        "tests/package-lock.json",
        "www/favicon.svg",
        "www/styles/tokens.css",
        "xtask/js/docs",
    ];
    let step = Step {
        name: "docs: the site",
        inputs: &inputs.map(|path| workspace.path(path)),
        settings: "",
        outputs: &[folder(workspace).join("index.html")],
    };
    stamp::step(workspace, &step, || {
        let mut node = tools::node(workspace)?;
        node.arg(workspace.path("xtask/js/docs/site.mjs"));
        execute(node.arg(&workspace.root).arg(folder(workspace)))
    })
}
