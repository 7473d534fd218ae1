// The packed package's manifest and declarations, judged by the tools that registries and users judge them with.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { ROOT } from "../e2e/harness/server.mjs";
import { TARBALL } from "./project.mjs";

test("publint has nothing to say of the packed package", async () => {
  const tarball = await readFile(TARBALL);
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  assert.equal(pkg.name, "agent-surface-wasm");
  assert.deepEqual(messages.map((message) => formatMessage(message, pkg)), []);
});

test("attw finds the types of every entry, in each module format and for bundlers", async () => {
  const attw = join(ROOT, "tests", "node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
  const { exports } = JSON.parse(await readFile(join(ROOT, "pkg-template", "package.json"), "utf8"));
  const modules = Object.keys(exports).filter((name) => name.endsWith(".wasm"));
  // Node 10 knew no `exports` and is not supported; a module file has the type that a bundler gives it.
  const options = ["--profile", "node16", "--format", "json", "--exclude-entrypoints", ...modules.map((name) => name.slice(2))];
  const { stdout } = await promisify(execFile)(process.execPath, [attw, TARBALL, ...options]).catch((failed) => failed);
  const { analysis } = JSON.parse(stdout);
  assert.equal(analysis.types?.kind, "included");
  const entries = Object.keys(analysis.entrypoints).sort();
  assert.deepEqual(entries, Object.keys(exports).filter((name) => !modules.includes(name)).sort());
  assert.deepEqual(analysis.problems.filter(({ resolutionKind }) => resolutionKind !== "node10"), []);
});
