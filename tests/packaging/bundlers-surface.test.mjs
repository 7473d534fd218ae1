// The external surface through bundlers: a page with `/surface` and a frame with `/surface/client`, in a real browser.

import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import { createServer, build as viteBuild } from "vite";
import webpack from "webpack";
import { launch } from "../e2e/harness/browser.mjs";
import { page, titleAt, titleOf } from "./pages.mjs";
import { PEER, PEERED, SHOW, TELL, asModule } from "./programs.mjs";
import { project } from "./project.mjs";

let browser;
let made;
before(async () => {
  browser = await launch();
  made = await project({
    "index.html": page("/page.js"),
    "frame.html": page("/frame.js"),
    "page.js": asModule(PEERED) + SHOW,
    "frame.js": asModule(PEER) + TELL,
  });
});
after(async () => {
  await browser?.close();
  await made?.remove();
});

/** A folder of its own, with the pages as they are. */
const folder = async (name) => {
  await mkdir(made.path(name));
  for (const file of ["index.html", "frame.html"]) await writeFile(made.path(name, file), await readFile(made.path(file)));
  return made.path(name);
};
const modulesIn = async (name) => (await made.files(name)).filter((file) => file.endsWith(".wasm"));

test("Vite builds page and frame with two module files and no setting, and its development server needs none", async () => {
  const input = [made.path("index.html"), made.path("frame.html")];
  await viteBuild({ root: made.folder, logLevel: "error", build: { outDir: "vite", rollupOptions: { input } } });
  assert.equal((await modulesIn("vite")).length, 2);
  assert.equal(await titleOf(browser, made.path("vite")), PEERED.answer);
  const server = await createServer({ root: made.folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  try {
    assert.equal(await titleAt(browser, `http://127.0.0.1:${server.httpServer.address().port}/`), PEERED.answer);
  } finally {
    await server.close();
  }
});

test("webpack builds page and frame for production with no setting", async () => {
  const path = await folder("webpack");
  const entry = { page: "./page.js", frame: "./frame.js" };
  const stats = await new Promise((resolve, reject) => {
    webpack({ mode: "production", context: made.folder, entry, output: { path }, performance: false }, (error, result) =>
      error ? reject(error) : resolve(result),
    );
  });
  assert.deepEqual(stats.toJson({ errors: true, warnings: true }).errors, []);
  assert.equal((await modulesIn("webpack")).length, 2);
  assert.equal(await titleOf(browser, path), PEERED.answer);
});

test("esbuild bundles page and frame; the module files are copied beside them, and the frame needs none", async () => {
  const outdir = await folder("esbuild");
  const entryPoints = [made.path("page.js"), made.path("frame.js")];
  const { metafile } = await esbuild.build({ entryPoints, outdir, bundle: true, minify: true, format: "esm", logLevel: "error", metafile: true });
  const [size] = Object.entries(metafile.outputs).filter(([name]) => name.endsWith("frame.js")).map(([, { bytes }]) => bytes);
  assert.ok(size < 5_000, `the peer's side weighs ${size} bytes`);
  const { resolve } = createRequire(made.path("page.js"));
  for (const name of PEERED.modules) await copyFile(resolve(`agent-surface-wasm/${name}`), made.path("esbuild", name));
  assert.equal(await titleOf(browser, outdir), PEERED.answer);
});

test("an unused import leaves nothing of the external surface in the bundle", async () => {
  const contents = `import "agent-surface-wasm/surface"; import "agent-surface-wasm/surface/client"; document.title = "empty";`;
  const stdin = { contents, resolveDir: made.folder };
  const result = await esbuild.build({ stdin, bundle: true, format: "esm", minify: true, write: false, logLevel: "silent" });
  assert.ok(result.outputFiles[0].contents.length < 100, result.outputFiles[0].text.slice(0, 500));
});
