// The bundlers of the tests: each makes a folder `dist` with a page of `app.js`, as its documentation says. Nothing is
// set for this package but what a test says.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import nodeResolve from "@rollup/plugin-node-resolve";
import { importMetaAssets } from "@web/rollup-plugin-import-meta-assets";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import * as vite from "vite";
import * as vite5 from "vite5";
import webpack from "webpack";
import { page } from "./pages.mjs";

/** Vite, the present one and the oldest that still works. */
export const VITE = { "Vite 8": vite, "Vite 5": vite5 };

const writePage = async (made, script) => {
  await mkdir(made.path("dist"), { recursive: true });
  await writeFile(made.path("dist", "index.html"), page(script));
};

/** What somebody does by hand whose bundler leaves `new URL("…", import.meta.url)` alone. */
const copyModules = async (made, modules) => {
  const { resolve } = createRequire(made.path("app.js"));
  for (const name of modules) await copyFile(resolve(`agent-surface-wasm/${name}`), made.path("dist", name));
};

const withVite = ({ build }) => async (made, _modules, settings) => {
  await writeFile(made.path("index.html"), page("/app.js"));
  await build({ root: made.folder, logLevel: "error", ...settings });
};

/** The configuration of webpack for a project, in one of its modes. */
export const webpackOptions = (made, mode) => ({
  mode,
  context: made.folder,
  entry: "./app.js",
  output: { path: made.path("dist") },
  performance: false,
});

const withWebpack = (mode) => async (made) => {
  const stats = await new Promise((resolve, reject) => {
    webpack(webpackOptions(made, mode), (error, result) => (error ? reject(error) : resolve(result)));
  });
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  if (errors.length + warnings.length > 0) throw new Error(JSON.stringify([...errors, ...warnings]));
  await writePage(made, "/main.js");
};

const withRollup = (plugins) => async (made) => {
  const onLog = (level, log) => {
    throw new Error(`${level}: ${log.message}`);
  };
  const bundle = await rollup({ input: made.path("app.js"), plugins: [nodeResolve({ browser: true }), ...plugins], onLog });
  await bundle.write({ dir: made.path("dist"), format: "es" });
  await bundle.close();
  await writePage(made, "/app.js");
};

const withEsbuild = async (made) => {
  const entryPoints = [made.path("app.js")];
  await esbuild.build({ entryPoints, outdir: made.path("dist"), bundle: true, format: "esm", logLevel: "error" });
  await writePage(made, "/app.js");
};

const copied = (build) => async (made, modules) => {
  await build(made);
  await copyModules(made, modules);
};

/** Bundlers that find and emit the module files themselves. */
export const EMITTING = {
  "Vite 8": withVite(vite),
  "Vite 5": withVite(vite5),
  "webpack": withWebpack("production"),
  "Rollup with its plugin for assets": withRollup([importMetaAssets()]),
};

/** Bundlers beside whose output the module files are copied. */
export const COPYING = {
  "Rollup": copied(withRollup([])),
  "esbuild": copied(withEsbuild),
};

/** For development: the modules are inside the scripts. */
export const webpackForDevelopment = withWebpack("development");
