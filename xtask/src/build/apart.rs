//! Modules beside the main one, each with scripts of its own, that only some pages load.
//!
//! It refuses to redo a step when nothing that it reads has changed. Called by the build.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use super::{Build, installed, neutral_paths};
use crate::{
    process::{output, run as execute, timed},
    stamp::{self, Step},
    tools,
};

/// A module and what is made from it.
pub(super) struct Apart {
    /// As in `agent_surface_<name>.wasm`, the file.
    pub(super) name: &'static str,
    /// The entry whose module it is.
    pub(super) entry: &'static str,
    /// Which crate, and with which features, as arguments of cargo.
    pub(super) cargo: &'static [&'static str],
    /// What cargo calls the module.
    pub(super) built: &'static str,
    /// Passes of wasm-opt.
    pub(super) passes: &'static [&'static str],
    /// The names of its scripts; the script that makes them is `bundle-apart.mjs`.
    pub(super) scripts: &'static [&'static str],
}

/// `/schema`. For a module this large one run of the optimiser finds nearly all.
pub(super) const SCHEMA: Apart = Apart {
    name: "schema",
    entry: "schema",
    cargo: &["-p", "agent-surface-schema"],
    built: "agent_surface_schema",
    passes: &["-Oz", "--strip-target-features"],
    scripts: &["schema.js", "schema-inline.js", "schema.mjs", "schema.cjs"],
};

/// `/targets`.
pub(super) const TARGETS: Apart = Apart {
    name: "targets",
    entry: "targets",
    cargo: &[
        "-p",
        "agent-surface-wasm",
        "--no-default-features",
        "--features",
        "module,targets",
    ],
    built: "agent_surface_wasm",
    passes: &["-Oz", "-Oz", "--converge", "--strip-target-features"],
    scripts: &["targets.js", "targets-inline.js", "targets.mjs", "targets.cjs"],
};

/// `/surface`.
pub(super) const KERNEL: Apart = Apart {
    name: "kernel",
    entry: "surface",
    cargo: &[
        "-p",
        "agent-surface-wasm",
        "--no-default-features",
        "--features",
        "module,surface",
    ],
    built: "agent_surface_wasm",
    passes: &["-Oz", "-Oz", "--converge", "--strip-target-features"],
    scripts: &["surface.js", "surface-inline.js", "surface.mjs", "surface.cjs"],
};

/// `/interop`. Faster than the others, as it hashes and writes whole payloads; but for its boundary, which is entered a
/// few times for each request.
pub(super) const INTEROP: Apart = Apart {
    name: "interop",
    entry: "interop",
    cargo: &[
        "-p",
        "agent-surface-wasm",
        "--no-default-features",
        "--features",
        "module,interop",
        "--config",
        "profile.release.opt-level=\"s\"",
        "--config",
        "profile.release.package.sha2.opt-level=3",
        "--config",
        "profile.release.package.agent-surface-json.opt-level=2",
        "--config",
        "profile.release.package.agent-surface-wasm.opt-level=\"z\"",
    ],
    built: "agent_surface_wasm",
    passes: &["-Oz", "--strip-target-features"],
    scripts: &[
        "interop.js",
        "interop-stores.js",
        "interop-inline.js",
        "interop.mjs",
        "interop.cjs",
    ],
};

impl Build<'_> {
    pub(super) fn apart(&self, module: &Apart) -> Result<()> {
        let mut cargo = tools::cargo(self.workspace)?;
        cargo.args(["rustc", "--lib", "--crate-type", "cdylib"]);
        cargo.args(["--release", "--target", "wasm32-unknown-unknown", "--quiet"]);
        cargo.args(module.cargo);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", neutral_paths(self.workspace));
        timed(&format!("build: cargo, {}", module.name), || execute(&mut cargo))?;
        let wasm = format!("wasm32-unknown-unknown/release/{}.wasm", module.built);
        self.apart_module(module, &self.workspace.cargo_target().join(wasm))?;
        self.apart_scripts(module)
    }

    fn apart_module(&self, module: &Apart, wasm: &Path) -> Result<()> {
        let version = self.manifest.tool("wasm-bindgen")?;
        let features = self.manifest.wasm_opt("features")?;
        let glue = self.apart_glue(module);
        let optimised = self.apart_wasm(module);
        let step = Step {
            name: &format!("build: wasm-bindgen and wasm-opt, {}", module.name),
            inputs: &[
                wasm.to_path_buf(),
                installed(self.workspace, "binaryen"),
                self.workspace.path("xtask/src/build/apart.rs"),
            ],
            settings: &[version, &features.join(" ")].concat(),
            outputs: &[
                glue.join(format!("agent_surface_{}.js", module.name)),
                optimised.clone(),
            ],
        };
        stamp::step(self.workspace, &step, || {
            let program = tools::find_version("wasm-bindgen", version)
                .with_context(|| format!("no wasm-bindgen {version} was found"))?;
            let mut bind = Command::new(program);
            bind.args(["--target", "web", "--omit-default-module-path", "--no-typescript"]);
            bind.args(["--remove-producers-section", "--out-dir"]);
            bind.arg(&glue).arg("--out-name");
            bind.arg(format!("agent_surface_{}", module.name)).arg(wasm);
            execute(&mut bind)?;
            let mut node = tools::node(self.workspace)?;
            node.arg(self.workspace.path("tests/node_modules/binaryen/bin/wasm-opt"))
                .args(&features)
                .args(module.passes);
            node.arg(glue.join(format!("agent_surface_{}_bg.wasm", module.name)));
            output(node.arg("-o").arg(&optimised)).map(drop)
        })
    }

    fn apart_wasm(&self, module: &Apart) -> PathBuf {
        self.package
            .join(format!("dist/agent_surface_{}.wasm", module.name))
    }

    /// A folder of its own: that of the main module is an input of other steps.
    fn apart_glue(&self, module: &Apart) -> PathBuf {
        self.workspace
            .path("target")
            .join(format!("pkg-build-{}", module.name))
    }

    fn apart_scripts(&self, module: &Apart) -> Result<()> {
        let script = self.workspace.path("xtask/js/bundle-apart.mjs");
        let step = Step {
            name: &format!("build: esbuild, {}", module.name),
            inputs: &[
                self.workspace.path("pkg-template/lib"),
                self.apart_glue(module),
                self.apart_wasm(module),
                script.clone(),
                installed(self.workspace, "esbuild"),
                installed(self.workspace, "terser"),
            ],
            settings: &self.version,
            outputs: &module
                .scripts
                .iter()
                .map(|name| self.package.join("dist").join(name))
                .collect::<Vec<_>>(),
        };
        stamp::step(self.workspace, &step, || {
            let mut node = tools::node(self.workspace)?;
            node.arg(&script)
                .args([&self.workspace.root, &self.apart_glue(module), &self.package]);
            execute(node.args([&self.version, module.name, module.entry]))
        })
    }
}
