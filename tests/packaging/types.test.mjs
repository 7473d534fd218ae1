// The packed declarations, as TypeScript finds them: from ES modules, from CommonJS, and for bundlers.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { project } from "./project.mjs";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

const USE = (entry) => `
import { init, createAgentSurfaceRegistry } from "agent-surface-wasm${entry}";
import type { AgentSurfaceRegistry } from "agent-surface-wasm${entry}";
export const ready: Promise<void> = init();
export const made: AgentSurfaceRegistry = createAgentSurfaceRegistry({ environment: "test" });
// @ts-expect-error: an environment that does not exist
export const refused = createAgentSurfaceRegistry({ environment: "staging" });
`;
const WEBMCP = `
import { createWebMcpAdapter } from "agent-surface-wasm/webmcp";
export const adapter = createWebMcpAdapter();
`;
const ENTRIES = { main: "", inline: "/inline", slim: "/slim" };

const compile = async (compilerOptions, extension) => {
  const uses = Object.entries(ENTRIES).map(([name, entry]) => [`${name}.${extension}`, USE(entry)]);
  const files = Object.fromEntries([...uses, [`webmcp.${extension}`, WEBMCP]]);
  const options = { strict: true, noEmit: true, types: [], target: "es2022", lib: ["es2022", "dom"], ...compilerOptions };
  const made = await project({ ...files, "tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["."] }) });
  try {
    const run = promisify(execFile)(process.execPath, [tsc, "-p", made.folder]);
    return await run.then(
      () => "",
      (error) => error.stdout,
    );
  } finally {
    await made.remove();
  }
};

test("an ES module finds them", async () => {
  assert.equal(await compile({ module: "nodenext", moduleResolution: "nodenext" }, "mts"), "");
});

test("a CommonJS module finds them, as CommonJS", async () => {
  assert.equal(await compile({ module: "node16", moduleResolution: "node16" }, "cts"), "");
});

test("a bundler's resolution finds them", async () => {
  assert.equal(await compile({ module: "esnext", moduleResolution: "bundler" }, "ts"), "");
});
