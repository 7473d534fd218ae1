// What lies in the packed package, and what its manifest promises.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { project } from "./project.mjs";

const FOLDER = "node_modules/agent-surface-wasm";
let app;
let files;
let manifest;
before(async () => {
  app = await project({});
  files = await app.files(FOLDER);
  manifest = JSON.parse(await readFile(app.path(FOLDER, "package.json"), "utf8"));
});
after(() => app.remove());

/** All file names that a condition tree ends in. */
const targets = (node) => (typeof node === "string" ? [node] : Object.values(node).flatMap(targets));

/** All objects of a condition tree that name files. */
const branches = (node) =>
  typeof node === "string" ? [] : [...("default" in node ? [node] : []), ...Object.values(node).flatMap(branches)];

test("every file that the manifest names is there", () => {
  const named = [manifest.main, manifest.module, manifest.types, ...targets(manifest.exports)];
  const missing = named.filter((name) => !files.includes(name.replace("./", "")));
  assert.deepEqual(missing, []);
});

test("types come first in every condition that has them, and match the module format", () => {
  for (const branch of branches(manifest.exports)) {
    const keys = Object.keys(branch);
    if (!keys.includes("types")) continue;
    assert.equal(keys[0], "types");
    assert.equal(branch.types.endsWith(".d.cts"), branch.default.endsWith(".cjs"), branch.default);
  }
});

test("the conditions of the main entry stand in the order that bundlers need", () => {
  assert.deepEqual(Object.keys(manifest.exports["."]).slice(0, 4), ["workerd", "edge-light", "browser", "node"]);
  assert.deepEqual(Object.keys(manifest.exports["."].browser), ["require", "development", "default"]);
  assert.deepEqual(Object.keys(manifest.exports["."].node), ["require", "default"]);
});

test("the manifest allows tree shaking and asks for no install script and no dependency", () => {
  assert.equal(manifest.sideEffects, false);
  assert.deepEqual([manifest.scripts, manifest.dependencies], [undefined, undefined]);
});

test("nothing but the package is in the package", () => {
  const allowed = /^(dist|types|dist\/[\w-]+\.(js|mjs|cjs|wasm)|types\/[\w.-]+\.d\.c?ts|package\.json|README\.md|LICENSE(-\w+)?)$/;
  assert.deepEqual(files.filter((name) => !allowed.test(name)), []);
  assert.ok(files.includes("README.md") && files.includes("LICENSE"));
});

test("no file names a folder of the machine that built it", async () => {
  for (const name of files.filter((file) => /\.(js|mjs|cjs|wasm)$/.test(file))) {
    const text = await readFile(app.path(FOLDER, name), "latin1");
    for (const trace of [process.env.HOME, process.cwd(), "crates.io-"].filter((folder) => folder && folder !== "/")) {
      assert.ok(!text.includes(trace), `${name} holds ${trace}`);
    }
  }
});
