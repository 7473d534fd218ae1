// The packed package through bundlers, and what they made in a real browser.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import * as vite from "vite";
import { launch } from "../e2e/harness/browser.mjs";
import { COPYING, EMITTING, webpackForDevelopment } from "./bundlers.mjs";
import { titleAt, titleOf } from "./pages.mjs";
import { ALL, INLINE, MAIN, POST, SCHEMA, SHOW, SURFACE, TARGETS, WORKER, asModule } from "./programs.mjs";
import { project } from "./project.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const withProject = async (files, act) => {
  const made = await project(files);
  try {
    await act(made);
  } finally {
    await made.remove();
  }
};

const modulesIn = async (made) => (await made.files("dist")).filter((file) => file.endsWith(".wasm"));

const digest = async (file) => createHash("sha256").update(await readFile(file)).digest("hex");

/** The files of `dist` are these modules, whatever they are called there, each once. */
const holdsModules = async (made, names) => {
  const { resolve } = createRequire(made.path("app.js"));
  const emitted = await Promise.all((await modulesIn(made)).map((file) => digest(made.path("dist", file))));
  const expected = await Promise.all(names.map((name) => digest(resolve(`agent-surface-wasm/${name}`))));
  assert.deepEqual(emitted.sort(), expected.sort());
};

/** What each bundler builds; where the module files are copied, their number says nothing. */
const programsOf = (name) => {
  if (name in COPYING) return { "every entry": ALL };
  const two = { "the main entry": MAIN, "every entry": ALL };
  if (name !== "Vite 8") return two;
  return { ...two, "the schema engine": SCHEMA, "the projections": TARGETS, "the external surface": SURFACE };
};

for (const [name, build] of Object.entries({ ...EMITTING, ...COPYING })) {
  const how = name in COPYING ? "copied beside it" : "no setting";
  for (const [what, program] of Object.entries(programsOf(name))) {
    test(`${name} builds ${what}: module files ${program.modules.length}, ${how}`, () =>
      withProject({ "app.js": asModule(program) + SHOW }, async (made) => {
        await build(made, program.modules);
        await holdsModules(made, program.modules);
        assert.equal(await titleOf(browser, made.path("dist")), program.answer);
      }));
  }
}

for (const name of ["Vite 8", "esbuild"]) {
  test(`${name} builds the inline entry without a module file`, () =>
    withProject({ "app.js": asModule(INLINE) + SHOW }, async (made) => {
      await { ...EMITTING, ...COPYING }[name](made, []);
      await holdsModules(made, []);
      assert.equal(await titleOf(browser, made.path("dist")), INLINE.answer);
    }));
}

test("webpack builds every entry for development, with the modules inside", () =>
  withProject({ "app.js": asModule(ALL) + SHOW }, async (made) => {
    await webpackForDevelopment(made);
    assert.deepEqual(await modulesIn(made), []);
    assert.equal(await titleOf(browser, made.path("dist")), ALL.answer);
  }));

/** Without a setting Vite up to 7 makes a classic script of a worker, which cannot load the approval element by itself. */
const WORKERS = {
  "Vite 8 builds a worker with no setting": ["Vite 8", MAIN],
  "webpack builds a worker with no setting": ["webpack", MAIN],
  "Vite 5 builds a worker of the inline entry with no setting": ["Vite 5", INLINE],
  "Vite 5 builds a worker of the main entry where workers are modules": ["Vite 5", MAIN, { worker: { format: "es" } }],
};
for (const [name, [bundler, program, settings]] of Object.entries(WORKERS)) {
  test(name, () =>
    withProject({ "app.js": WORKER, "worker.js": asModule(program) + POST }, async (made) => {
      await EMITTING[bundler](made, program.modules, settings);
      await holdsModules(made, program.modules);
      assert.equal(await titleOf(browser, made.path("dist")), program.answer);
    }));
}

test("a built page keeps to a strict policy with 'wasm-unsafe-eval', and without it fails with WASM_BLOCKED_BY_CSP", () =>
  withProject({ "app.js": asModule(ALL) + SHOW }, async (made) => {
    await EMITTING["Vite 8"](made);
    const under = (script, options) => {
      const policy = `default-src 'none'; script-src 'self'${script}; connect-src 'self'; img-src data:`;
      return titleOf(browser, made.path("dist"), { headers: () => ({ "content-security-policy": policy }), ...options });
    };
    assert.equal(await under(" 'wasm-unsafe-eval'"), ALL.answer);
    const refused = await under("", { faults: [/Content Security Policy/] });
    assert.match(refused, /^WASM_BLOCKED_BY_CSP .*add 'wasm-unsafe-eval' to its `script-src`/);
  }));

test("a page whose module file was not published names address, status and content type", () =>
  withProject({ "app.js": asModule(MAIN) + SHOW }, async (made) => {
    await EMITTING["Vite 8"](made);
    const [module] = await modulesIn(made);
    await rm(made.path("dist", module));
    const faults = [/404/];
    const missing = await titleOf(browser, made.path("dist"), { faults });
    assert.ok(missing.startsWith("WASM_NOT_SERVED "), missing);
    for (const part of [`/${module}`, "404", "text/plain"]) assert.ok(missing.includes(part), missing);

    // A server of a single-page app answers with its page, and with status 200.
    const server = await vite.preview({ root: made.folder, logLevel: "error", preview: { host: "127.0.0.1", port: 0 } });
    try {
      const replaced = await titleAt(browser, `http://127.0.0.1:${server.httpServer.address().port}/`);
      assert.ok(replaced.startsWith("WASM_NOT_SERVED "), replaced);
      for (const part of [`/${module}`, "200", "text/html"]) assert.ok(replaced.includes(part), replaced);
    } finally {
      await server.close();
    }
  }));

test("esbuild bundles the inline entry for a classic script, which works from a file", () =>
  withProject({ "app.js": asModule(INLINE) + SHOW }, async (made) => {
    await esbuild.build({ entryPoints: [made.path("app.js")], outfile: made.path("dist", "app.js"), bundle: true, format: "iife", logLevel: "error" });
    await writeFile(made.path("dist", "index.html"), '<!doctype html><meta charset="utf-8"><script src="app.js"></script>');
    assert.equal(await titleAt(browser, pathToFileURL(made.path("dist", "index.html")).href), INLINE.answer);
  }));

test("an unused import leaves nothing of the package in the bundle", () =>
  withProject({ "app.js": `import "agent-surface-wasm"; document.title = "empty";` }, async (made) => {
    const entryPoints = [made.path("app.js")];
    const options = { bundle: true, format: "esm", minify: true, write: false, logLevel: "silent" };
    const { outputFiles: [{ text }] } = await esbuild.build({ entryPoints, ...options });
    assert.ok(text.length < 100, text);
  }));
