// Throw-away projects that install the packed package, as a user would.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { cp, mkdtemp, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../e2e/harness/server.mjs";

const execute = promisify(execFile);
const require = createRequire(import.meta.url);

/** Not inside the tests that run: Node would leave out what it is asked to test there. */
const env = { ...process.env };
delete env.NODE_TEST_CONTEXT;

/** After that a program is taken for one that hangs. */
const LONGEST_MS = 180_000;

/** The packed package; `cargo xtask test` names it. */
export const TARBALL =
  process.env.AGENT_SURFACE_TARBALL ??
  join(ROOT, "target", `agent-surface-wasm-${require("../../pkg-template/package.json").version}.tgz`);

const PACKAGE = join("node_modules", "agent-surface-wasm");
/** The folder in which npm installed the package; further projects get a copy. */
let installed;

const install = async (folder) => {
  if (installed) {
    await cp(join(await installed, PACKAGE), join(folder, PACKAGE), { recursive: true });
    return;
  }
  installed = mkdtemp(join(tmpdir(), "agent-surface-installed-")).then(async (made) => {
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    await writeFile(join(made, "package.json"), '{ "private": true }');
    await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", "--no-save", TARBALL], { cwd: made });
    return made;
  });
  await install(folder);
};

/**
 * Makes a project with these files and the package installed from its tarball.
 *
 * @param {Record<string, string>} files
 * @param {{ link?: string[], parent?: string }} [options]  `link`: packages of `tests/` that the project uses, too;
 *   `parent`: the folder to make it in, for tools that follow no link out of it
 */
export async function project(files, { link = [], parent = tmpdir() } = {}) {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "agent-surface-packaging-"));
  const all = { "package.json": JSON.stringify({ name: "app", private: true, type: "module" }), ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await install(folder);
  for (const name of link) {
    await mkdir(dirname(join(folder, "node_modules", name)), { recursive: true });
    await symlink(join(ROOT, "tests", "node_modules", name), join(folder, "node_modules", name));
  }
  return {
    folder,
    /** A path below the project. */
    path: (...parts) => join(folder, ...parts),
    /** Runs Node in the project and answers with what it printed. */
    node: async (...args) => (await execute(process.execPath, args, { cwd: folder, env, timeout: LONGEST_MS })).stdout,
    /** All files below a folder of the project. */
    files: async (name) => (await readdir(join(folder, name), { recursive: true })).sort(),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
