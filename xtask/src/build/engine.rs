//! The module of `/schema` and its scripts: a second, much larger module that only some pages load.
//!
//! It refuses to redo a step when nothing that it reads has changed. Called by the build.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

use super::{Build, neutral_paths};
use crate::{
    process::{output, run as execute, timed},
    stamp::{self, Step},
    tools,
};

/// For a module this large one run finds nearly all.
const PASSES: [&str; 2] = ["-Oz", "--strip-target-features"];

impl Build<'_> {
    pub(super) fn engine(&self) -> Result<()> {
        let mut cargo = tools::cargo(self.workspace)?;
        cargo.args(["rustc", "--lib", "--crate-type", "cdylib"]);
        cargo.args(["--release", "--target", "wasm32-unknown-unknown"]);
        cargo.args(["-p", "agent-surface-schema", "--quiet"]);
        cargo.env("CARGO_ENCODED_RUSTFLAGS", neutral_paths(self.workspace));
        timed("build: cargo, the schema engine", || execute(&mut cargo))?;
        let wasm = "wasm32-unknown-unknown/release/agent_surface_schema.wasm";
        self.engine_module(&self.workspace.cargo_target().join(wasm))?;
        self.engine_scripts()
    }

    fn engine_module(&self, wasm: &Path) -> Result<()> {
        let version = self.manifest.tool("wasm-bindgen")?;
        let features = self.manifest.wasm_opt("features")?;
        let optimised = self.package.join("dist/agent_surface_schema.wasm");
        let step = Step {
            name: "build: wasm-bindgen and wasm-opt, the schema engine",
            inputs: &[
                wasm.to_path_buf(),
                self.workspace.path("tests/package-lock.json"),
                self.workspace.path("xtask/src/build"),
            ],
            settings: &[version, &features.join(" ")].concat(),
            outputs: &[
                self.engine_glue().join("agent_surface_schema.js"),
                optimised.clone(),
            ],
        };
        stamp::step(self.workspace, &step, || {
            let program = tools::find_version("wasm-bindgen", version)
                .with_context(|| format!("no wasm-bindgen {version} was found"))?;
            let mut bind = Command::new(program);
            bind.args(["--target", "web", "--omit-default-module-path", "--no-typescript"]);
            bind.args(["--remove-producers-section", "--out-dir"]);
            execute(bind.arg(self.engine_glue()).arg(wasm))?;
            let mut node = tools::node(self.workspace)?;
            node.arg(self.workspace.path("tests/node_modules/binaryen/bin/wasm-opt"))
                .args(&features)
                .args(PASSES);
            node.arg(self.engine_glue().join("agent_surface_schema_bg.wasm"));
            output(node.arg("-o").arg(&optimised)).map(drop)
        })
    }

    /// A folder of its own: that of the main module is an input of other steps.
    fn engine_glue(&self) -> std::path::PathBuf {
        self.workspace.path("target/pkg-build-schema")
    }

    fn engine_scripts(&self) -> Result<()> {
        let script = self.workspace.path("xtask/js/bundle-schema.mjs");
        let names = ["schema.js", "schema-inline.js", "schema.mjs", "schema.cjs"];
        let step = Step {
            name: "build: esbuild, the schema engine",
            inputs: &[
                self.workspace.path("pkg-template/lib"),
                self.engine_glue(),
                self.package.join("dist/agent_surface_schema.wasm"),
                script.clone(),
                self.workspace.path("tests/package-lock.json"),
            ],
            settings: &self.version,
            outputs: &names.map(|name| self.package.join("dist").join(name)),
        };
        stamp::step(self.workspace, &step, || {
            let mut node = tools::node(self.workspace)?;
            node.arg(&script)
                .args([&self.workspace.root, &self.engine_glue(), &self.package]);
            execute(node.arg(&self.version))
        })
    }
}
