// The packed package through bundlers, and what they made in a real browser.

import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import { createServer, build as viteBuild } from "vite";
import webpack from "webpack";
import { launch, openPage } from "../e2e/harness/browser.mjs";
import { serve } from "../e2e/harness/server.mjs";
import { ANSWER, NAMES, PROGRAM, SCHEMA_ANSWER, SCHEMA_PROGRAM, TARGETS_ANSWER, TARGETS_PROGRAM, project } from "./project.mjs";

const page = (script) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
const SHOW = "run().then((answer) => { document.title = answer; }, (error) => { document.title = String(error); });";
const app = (from) => `import ${NAMES} from "${from}";${PROGRAM}
  ${SHOW}`;
const withEngine = `import { fromJsonSchema, init } from "agent-surface-wasm";
  import { installSchemaEngine } from "agent-surface-wasm/schema";${SCHEMA_PROGRAM}
  ${SHOW}`;
const withTargets = `
  import { initTargets, projectTools } from "agent-surface-wasm/targets";${TARGETS_PROGRAM}
  run().then((answer) => { document.title = answer; }, (error) => { document.title = String(error); });`;


let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const titleAt = async (url) => {
  const tab = await openPage(browser, url);
  try {
    await tab.waitForFunction(() => document.title !== "");
    assert.deepEqual(tab.faults, []);
    return await tab.title();
  } finally {
    await tab.close();
  }
};

const titleOf = async (folder) => {
  const server = await serve({ folders: { "/": folder } });
  try {
    return await titleAt(`${server.origin}/`);
  } finally {
    await server.close();
  }
};

const withProject = async (files, act) => {
  const made = await project(files);
  try {
    await act(made);
  } finally {
    await made.remove();
  }
};

const modulesIn = (files) => files.filter((file) => file.endsWith(".wasm"));

test("Vite builds it with one module file and no setting", () =>
  withProject({ "index.html": page("/app.js"), "app.js": app("agent-surface-wasm") }, async (made) => {
    await viteBuild({ root: made.folder, logLevel: "error" });
    assert.equal(modulesIn(await made.files("dist")).length, 1);
    assert.equal(await titleOf(made.path("dist")), ANSWER);
  }));

test("Vite's development server serves it with no setting", () =>
  withProject({ "index.html": page("/app.js"), "app.js": app("agent-surface-wasm") }, async (made) => {
    const server = await createServer({ root: made.folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
    await server.listen();
    try {
      assert.equal(await titleAt(`http://127.0.0.1:${server.httpServer.address().port}/`), ANSWER);
    } finally {
      await server.close();
    }
  }));

test("Vite puts no module file beside the inline entry", () =>
  withProject({ "index.html": page("/app.js"), "app.js": app("agent-surface-wasm/inline") }, async (made) => {
    await viteBuild({ root: made.folder, logLevel: "error" });
    assert.equal(modulesIn(await made.files("dist")).length, 0);
    assert.equal(await titleOf(made.path("dist")), ANSWER);
  }));

for (const mode of ["production", "development"]) {
  test(`webpack builds it for ${mode} with no setting`, () =>
    withProject({ "app.js": app("agent-surface-wasm"), "dist/index.html": page("/main.js") }, async (made) => {
      const stats = await new Promise((resolve, reject) => {
        webpack(
          { mode, context: made.folder, entry: "./app.js", output: { path: made.path("dist") }, performance: false },
          (error, result) => (error ? reject(error) : resolve(result)),
        );
      });
      assert.deepEqual(stats.toJson({ errors: true, warnings: true }).errors, []);
      assert.equal(modulesIn(await made.files("dist")).length, mode === "production" ? 1 : 0);
      assert.equal(await titleOf(made.path("dist")), ANSWER);
    }));
}

test("esbuild bundles the main entry; the module file is copied beside it", () =>
  withProject({ "app.js": app("agent-surface-wasm"), "dist/index.html": page("/app.js") }, async (made) => {
    const outdir = made.path("dist");
    await esbuild.build({ entryPoints: [made.path("app.js")], outdir, bundle: true, format: "esm", logLevel: "error" });
    const module = createRequire(made.path("app.js")).resolve("agent-surface-wasm/agent_surface.wasm");
    await copyFile(module, made.path("dist", "agent_surface.wasm"));
    assert.equal(await titleOf(outdir), ANSWER);
  }));

test("esbuild bundles the inline entry into one file", () =>
  withProject({ "app.js": app("agent-surface-wasm/inline"), "dist/index.html": page("/app.js") }, async (made) => {
    const outdir = made.path("dist");
    await esbuild.build({ entryPoints: [made.path("app.js")], outdir, bundle: true, format: "esm", logLevel: "error" });
    assert.deepEqual(await made.files("dist"), ["app.js", "index.html"]);
    assert.equal(await titleOf(outdir), ANSWER);
  }));

test("an unused import leaves nothing of the package in the bundle", () =>
  withProject({ "app.js": `import "agent-surface-wasm"; document.title = "empty";` }, async (made) => {
    const result = await esbuild.build({
      entryPoints: [made.path("app.js")],
      bundle: true,
      format: "esm",
      minify: true,
      write: false,
      logLevel: "silent",
    });
    assert.ok(result.outputFiles[0].contents.length < 100, result.outputFiles[0].text);
  }));

test("with the schema engine Vite emits two module files, and both load", () =>
  withProject({ "index.html": page("/app.js"), "app.js": withEngine }, async (made) => {
    await viteBuild({ root: made.folder, logLevel: "error" });
    assert.equal(modulesIn(await made.files("dist")).length, 2);
    assert.equal(await titleOf(made.path("dist")), SCHEMA_ANSWER);
  }));

test("Vite's development server serves the schema engine with no setting", () =>
  withProject({ "index.html": page("/app.js"), "app.js": withEngine }, async (made) => {
    const server = await createServer({ root: made.folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
    await server.listen();
    try {
      assert.equal(await titleAt(`http://127.0.0.1:${server.httpServer.address().port}/`), SCHEMA_ANSWER);
    } finally {
      await server.close();
    }
  }));

test("webpack builds it with the schema engine and no setting", () =>
  withProject({ "app.js": withEngine, "dist/index.html": page("/main.js") }, async (made) => {
    const stats = await new Promise((resolve, reject) => {
      webpack(
        { mode: "production", context: made.folder, entry: "./app.js", output: { path: made.path("dist") }, performance: false },
        (error, result) => (error ? reject(error) : resolve(result)),
      );
    });
    assert.deepEqual(stats.toJson({ errors: true, warnings: true }).errors, []);
    assert.equal(modulesIn(await made.files("dist")).length, 2);
    assert.equal(await titleOf(made.path("dist")), SCHEMA_ANSWER);
  }));

test("esbuild bundles the schema engine; its module file is copied beside the bundle", () =>
  withProject({ "app.js": withEngine, "dist/index.html": page("/app.js") }, async (made) => {
    const outdir = made.path("dist");
    await esbuild.build({ entryPoints: [made.path("app.js")], outdir, bundle: true, format: "esm", logLevel: "error" });
    for (const name of ["agent_surface.wasm", "agent_surface_schema.wasm"]) {
      await copyFile(createRequire(made.path("app.js")).resolve(`agent-surface-wasm/${name}`), made.path("dist", name));
    }
    assert.equal(await titleOf(outdir), SCHEMA_ANSWER);
  }));

test("Vite builds the projections with their own module alone, and its development server needs no setting", () =>
  withProject({ "index.html": page("/app.js"), "app.js": withTargets }, async (made) => {
    await viteBuild({ root: made.folder, logLevel: "error" });
    assert.equal(modulesIn(await made.files("dist")).length, 1);
    assert.equal(await titleOf(made.path("dist")), TARGETS_ANSWER);
    const server = await createServer({ root: made.folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
    await server.listen();
    try {
      assert.equal(await titleAt(`http://127.0.0.1:${server.httpServer.address().port}/`), TARGETS_ANSWER);
    } finally {
      await server.close();
    }
  }));

test("webpack builds the projections with no setting", () =>
  withProject({ "app.js": withTargets, "dist/index.html": page("/main.js") }, async (made) => {
    const stats = await new Promise((resolve, reject) => {
      webpack(
        { mode: "production", context: made.folder, entry: "./app.js", output: { path: made.path("dist") }, performance: false },
        (error, result) => (error ? reject(error) : resolve(result)),
      );
    });
    assert.deepEqual(stats.toJson({ errors: true, warnings: true }).errors, []);
    assert.equal(await titleOf(made.path("dist")), TARGETS_ANSWER);
  }));
