//! `cargo xtask build`: from the sources to an npm package in `target/pkg`, packed into `target/`.
//!
//! cargo → wasm-bindgen → wasm-opt → esbuild → assembly → `npm pack`; a step whose inputs did not change is skipped.
//! It installs only what building needs. Modules beside the main one are made in `apart`. Called by
//! demo, bench, size and test too.

mod apart;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{
    manifest::Manifest,
    process::{output, run as execute, say, timed},
    setup,
    stamp::{self, Step},
    tools,
    workspace::{self, Workspace},
};

/// Everything a build is made from.
struct Build<'a> {
    workspace: &'a Workspace,
    manifest: Manifest,
    version: String,
    /// What wasm-bindgen makes.
    glue: PathBuf,
    /// The npm package.
    package: PathBuf,
}

/// Builds and packs the npm package.
pub fn run(workspace: &Workspace) -> Result<()> {
    setup::run(workspace, setup::Purpose::Build)?;
    let _held = workspace.hold("build")?;
    let build = core(workspace)?;
    build.apart(&apart::TARGETS)?;
    build.apart(&apart::KERNEL)?;
    build.apart(&apart::INTEROP)?;
    build.apart(&apart::SCHEMA)?;
    build.pack()
}

/// Builds the main module and its scripts; packs nothing.
pub fn without_others(workspace: &Workspace) -> Result<()> {
    setup::run(workspace, setup::Purpose::Build)?;
    let _held = workspace.hold("build")?;
    core(workspace).map(drop)
}

/// Builds the main module, the others that the demo's pages load, and their scripts; packs nothing.
pub fn for_pages(workspace: &Workspace) -> Result<()> {
    setup::run(workspace, setup::Purpose::Build)?;
    let _held = workspace.hold("build")?;
    let build = core(workspace)?;
    build.apart(&apart::KERNEL)?;
    build.apart(&apart::INTEROP)
}

fn core(workspace: &Workspace) -> Result<Build<'_>> {
    let build = Build {
        workspace,
        manifest: Manifest::read(workspace)?,
        version: package_version(workspace)?,
        glue: workspace.path("target/pkg-build"),
        package: workspace.package(),
    };
    let wasm = build.compile()?;
    build.bind(&wasm)?;
    build.optimise()?;
    build.bundle()?;
    build.assemble()?;
    Ok(build)
}

/// The version in `pkg-template/package.json`.
pub fn package_version(workspace: &Workspace) -> Result<String> {
    let manifest: Value = serde_json::from_str(&workspace.read("pkg-template/package.json")?)
        .context("pkg-template/package.json is no JSON")?;
    let version = manifest.get("version").and_then(Value::as_str);
    version
        .map(str::to_owned)
        .context("pkg-template/package.json has no version")
}

/// The packed package.
pub fn tarball(workspace: &Workspace) -> Result<PathBuf> {
    Ok(workspace
        .path("target")
        .join(format!("agent-surface-wasm-{}.tgz", package_version(workspace)?)))
}

impl Build<'_> {
    fn compile(&self) -> Result<PathBuf> {
        let mut cargo = tools::cargo(self.workspace)?;
        // Of the crate's two types only this one: cargo leaves out the optimisation across crates when an rlib is
        // made along with it, which costs a tenth of the module.
        cargo.args(["rustc", "--lib", "--crate-type", "cdylib"]);
        cargo.args(["--release", "--target", "wasm32-unknown-unknown"]);
        cargo.args(["-p", "agent-surface-wasm", "--features", "module"]);
        cargo
            .env("CARGO_ENCODED_RUSTFLAGS", neutral_paths(self.workspace))
            .arg("--quiet");
        timed("build: cargo", || execute(&mut cargo))?;
        let wasm = "wasm32-unknown-unknown/release/agent_surface_wasm.wasm";
        Ok(self.workspace.cargo_target().join(wasm))
    }

    fn bind(&self, wasm: &Path) -> Result<()> {
        let version = self.manifest.tool("wasm-bindgen")?;
        let step = Step {
            name: "build: wasm-bindgen",
            inputs: &[wasm.to_path_buf(), self.workspace.path("xtask/src/build.rs")],
            settings: version,
            outputs: &[self.glue.join("agent_surface_wasm.js"), self.bound_wasm()],
        };
        stamp::step(self.workspace, &step, || {
            let program = tools::find_version("wasm-bindgen", version)
                .with_context(|| format!("no wasm-bindgen {version} was found"))?;
            let mut command = Command::new(program);
            command.args(["--target", "web", "--omit-default-module-path", "--no-typescript"]);
            command.args(["--remove-producers-section", "--out-dir"]);
            execute(command.arg(&self.glue).arg(wasm))
        })
    }

    fn bound_wasm(&self) -> PathBuf {
        self.glue.join("agent_surface_wasm_bg.wasm")
    }

    fn optimised_wasm(&self) -> PathBuf {
        self.package.join("dist/agent_surface.wasm")
    }

    /// Two runs: one makes the module small, one gives its imports and exports names of one or two letters and prints
    /// which; `bundle.mjs` writes them into the glue. (In one run with `--converge` they would be renamed many times.)
    fn optimise(&self) -> Result<()> {
        let (passes, features) = (
            self.manifest.wasm_opt("passes")?,
            self.manifest.wasm_opt("features")?,
        );
        let (small, names) = (self.glue.join("small.wasm"), self.glue.join("names.json"));
        let step = Step {
            name: "build: wasm-opt",
            inputs: &[
                self.bound_wasm(),
                installed(self.workspace, "binaryen"),
                self.workspace.path("xtask/src/build.rs"),
            ],
            settings: &[passes.join(" "), features.join(" ")].concat(),
            outputs: &[self.optimised_wasm(), names.clone()],
        };
        stamp::step(self.workspace, &step, || {
            fs::create_dir_all(self.package.join("dist")).context("cannot make the package's folder")?;
            let wasm_opt = |from: &Path, to: &Path, passes: &[String]| {
                let mut node = tools::node(self.workspace)?;
                node.arg(self.workspace.path("tests/node_modules/binaryen/bin/wasm-opt"))
                    .args(&features)
                    .args(passes);
                output(node.args([from, Path::new("-o"), to]))
            };
            wasm_opt(&self.bound_wasm(), &small, &passes)?;
            let rename = [
                "--minify-imports-and-exports-and-modules",
                "--strip-target-features",
            ];
            let renamed = wasm_opt(&small, &self.optimised_wasm(), &rename.map(str::to_owned))?;
            workspace::write(&names, renamed)
        })
    }

    fn bundle(&self) -> Result<()> {
        let script = self.workspace.path("xtask/js/bundle.mjs");
        let step = Step {
            name: "build: esbuild",
            inputs: &[
                self.workspace.path("pkg-template/lib"),
                self.glue.clone(),
                self.optimised_wasm(),
                self.workspace.path("xtask/js"),
                installed(self.workspace, "esbuild"),
                installed(self.workspace, "terser"),
            ],
            settings: &self.version,
            outputs: &[
                "core.js",
                "core.cjs",
                "approvals.js",
                "index.js",
                "inline.mjs",
                "webmcp.mjs",
                "explain.mjs",
                "react.mjs",
            ]
            .map(|name| self.package.join("dist").join(name)),
        };
        stamp::step(self.workspace, &step, || {
            let mut node = tools::node(self.workspace)?;
            execute(
                node.arg(&script)
                    .args([&self.workspace.root, &self.glue, &self.package])
                    .arg(&self.version),
            )
        })
    }

    /// Copies what is written by hand. For `require`, each declaration file is there again as `.d.cts`:
    /// that is how TypeScript knows the module format.
    fn assemble(&self) -> Result<()> {
        let types = self.workspace.path("pkg-template/types");
        for file in workspace::files(&types)? {
            let text = workspace::read(&file)?;
            let name = file
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            if let Some(stem) = name.strip_suffix(".d.ts") {
                let common = text.replace(".js\"", ".cjs\"");
                write_changed(&self.package.join(format!("types/{stem}.d.cts")), &common)?;
            }
            write_changed(&self.package.join("types").join(name), &text)?;
        }
        let manifest = self.workspace.read("pkg-template/package.json")?;
        write_changed(&self.package.join("package.json"), &manifest)?;
        for name in ["README.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE"] {
            let source = self.workspace.path(name);
            if source.exists() {
                write_changed(&self.package.join(name), &workspace::read(&source)?)?;
            }
        }
        Ok(())
    }

    fn pack(&self) -> Result<()> {
        let tarball = tarball(self.workspace)?;
        let step = Step {
            name: "build: npm pack",
            inputs: std::slice::from_ref(&self.package),
            settings: "",
            outputs: std::slice::from_ref(&tarball),
        };
        stamp::step(self.workspace, &step, || {
            let mut npm = tools::npm(&self.package)?;
            npm.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]);
            output(npm.arg(self.workspace.path("target"))).map(drop)
        })?;
        if !tarball.exists() {
            bail!("npm did not make {}", tarball.display());
        }
        say!("build: {} and {}", self.package.display(), tarball.display());
        Ok(())
    }
}

/// The file that names the version of an npm package: the tools of the tests change more often than those of the build.
fn installed(workspace: &Workspace, package: &str) -> PathBuf {
    workspace
        .path("tests/node_modules")
        .join(package)
        .join("package.json")
}

/// Panic messages name source files: without the folders of the machine that built them.
fn neutral_paths(workspace: &Workspace) -> String {
    let mut prefixes = vec![(workspace.root.clone(), ".")];
    if let Some(home) = tools::cargo_home() {
        let registries = fs::read_dir(home.join("registry/src"))
            .into_iter()
            .flatten()
            .flatten();
        prefixes.extend(registries.map(|entry| (entry.path(), "crates")));
    }
    let flags = prefixes
        .iter()
        .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    // The separator that cargo expects, so that a folder may have spaces in its name.
    flags.collect::<Vec<_>>().join("\x1f")
}

fn write_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    workspace::write(path, text)
}
