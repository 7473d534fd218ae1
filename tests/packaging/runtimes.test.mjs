// The packed package in Bun and Deno.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../e2e/harness/server.mjs";
import { ALL, PRINT, asCommon, asModule } from "./programs.mjs";
import { TARBALL, project } from "./project.mjs";

const execute = promisify(execFile);
const installed = (...path) => join(ROOT, "tests", "node_modules", ...path);

/** Bun's package moves the program of the platform to itself when npm lets it run its script. */
const platform = `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
const BUN = [installed("bun", "bin", "bun.exe"), installed("@oven", `bun-${platform}`, "bin", "bun")].find(existsSync);

let made;
before(async () => {
  const manifest = { name: "app", private: true, type: "module", dependencies: { "agent-surface-wasm": `file:${TARBALL}` } };
  made = await project({
    "package.json": JSON.stringify(manifest),
    "app.mjs": asModule(ALL) + PRINT,
    "app.cjs": asCommon(ALL) + PRINT,
  });
});
after(() => made.remove());

/** Runs a program in the project, with its caches there; answers with what it printed. */
const run = async (program, ...args) => {
  const own = { BUN_INSTALL_CACHE_DIR: made.path(".bun"), DENO_DIR: made.path(".deno"), DENO_NO_UPDATE_CHECK: "1" };
  return (await execute(program, args, { cwd: made.folder, env: { ...process.env, ...own } })).stdout.trim();
};

for (const format of ["mjs", "cjs"]) {
  test(`Deno runs every entry from app.${format}`, async () => {
    const deno = [installed("deno", "bin.cjs"), "run", "--no-remote", "--allow-read", "--node-modules-dir=manual"];
    assert.equal(await run(process.execPath, ...deno, `app.${format}`), ALL.answer);
  });

  test(`Bun runs every entry from app.${format}`, async () => {
    assert.equal(await run(BUN, `app.${format}`), ALL.answer);
  });
}

test("Bun installs the package from its tarball", async () => {
  await rm(made.path("node_modules"), { recursive: true });
  await run(BUN, "install", "--no-save");
  assert.equal(await run(BUN, "app.mjs"), ALL.answer);
});
