// docs/csp-and-bundlers.md: its configuration, its commands and its script, each with a page that calls something under the policy
// that it shows.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build as viteBuild } from "vite";
import { launch } from "../e2e/harness/browser.mjs";
import { ROOT } from "../e2e/harness/server.mjs";
import { page, titleOf } from "./pages.mjs";
import { MAIN, SHOW, asModule } from "./programs.mjs";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

const execute = promisify(execFile);

/** Runs a program in a project, as `npx` would. */
const npx = (made, [name, ...words]) => execute(join(ROOT, "tests", "node_modules", ".bin", name), words, { cwd: made.folder });

let shown;
let headers;
let browser;
before(async () => {
  shown = await filesOf("docs/csp-and-bundlers.md", ["policy", "rollup.config.js", "esbuild", "load.js"]);
  const [name, policy] = shown.policy.trim().split(": ");
  assert.equal(name, "Content-Security-Policy");
  headers = () => ({ "content-security-policy": policy });
  browser = await launch();
});
after(() => browser?.close());

/** A project of `main.js` that `build` makes a page of, in `dist`. */
const built = async (files, options, build) => {
  const made = await project(files, options);
  try {
    await build(made);
    await writeFile(made.path("dist", "index.html"), page("/main.js"));
    // The icon of this page is no part of what the policy is for.
    assert.equal(await titleOf(browser, made.path("dist"), { headers, faults: [/Loading the image 'data:,'/] }), MAIN.answer);
  } finally {
    await made.remove();
  }
};

test("Rollup's configuration makes a page that works under the policy", () => {
  const link = ["rollup", "@rollup/plugin-node-resolve", "@web/rollup-plugin-import-meta-assets"];
  const files = { "main.js": asModule(MAIN) + SHOW, "rollup.config.js": shown["rollup.config.js"] };
  return built(files, { link }, (made) => npx(made, ["rollup", "-c"]));
});

test("esbuild's commands make a page that works under the policy", () =>
  built({ "main.js": asModule(MAIN) + SHOW }, {}, async (made) => {
    const [bundle, copy, ...others] = shown.esbuild.trim().split("\n").map((line) => line.split(" "));
    assert.deepEqual([bundle.slice(0, 2), copy[0], others], [["npx", "esbuild"], "cp", []]);
    await npx(made, bundle.slice(1));
    await execute("cp", copy.slice(1), { cwd: made.folder });
  }));

test("an app passes the address of the module to what libraries use", () => {
  const uses = { "agent-surface-wasm/slim": MAIN.uses["agent-surface-wasm"] };
  const main = `import "./load.js";\n${asModule({ uses, run: MAIN.run })}${SHOW}`;
  const output = { entryFileNames: "main.js" };
  return built({ "main.js": main, "load.js": shown["load.js"], "index.html": page("/main.js") }, {}, (made) =>
    viteBuild({ root: made.folder, logLevel: "error", build: { rollupOptions: { output } } }),
  );
});
