// Throw-away projects that install the packed package, as a user would.

import { execFile } from "node:child_process";
import { mkdtemp, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
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

/** The packed package; `cargo xtask test` names it. */
export const TARBALL =
  process.env.AGENT_SURFACE_TARBALL ??
  join(ROOT, "target", `agent-surface-wasm-${require("../../pkg-template/package.json").version}.tgz`);

/**
 * Makes a project with these files and the package installed from its tarball.
 *
 * @param {Record<string, string>} files
 * @param {{ link?: string[] }} [options]  `link`: packages of `tests/` that the project uses, too
 */
export async function project(files, { link = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "agent-surface-packaging-"));
  const all = { "package.json": JSON.stringify({ name: "app", private: true, type: "module" }), ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await execute("npm", ["install", "--offline", "--no-audit", "--no-fund", "--no-save", TARBALL], { cwd: folder });
  for (const name of link) {
    await mkdir(dirname(join(folder, "node_modules", name)), { recursive: true });
    await symlink(join(ROOT, "tests", "node_modules", name), join(folder, "node_modules", name));
  }
  return {
    folder,
    /** A path below the project. */
    path: (...parts) => join(folder, ...parts),
    /** Runs Node in the project and answers with what it printed. */
    node: async (...args) => (await execute(process.execPath, args, { cwd: folder, env })).stdout,
    /** All files below a folder of the project. */
    files: async (name) => (await readdir(join(folder, name), { recursive: true })).sort(),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** What each project runs: it loads the module, declares a capability and calls it. */
export const PROGRAM = `
const run = async () => {
  await init();
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  registry.register(
    defineAgentComponent({
      type: "packaging.probe",
      description: "Something to call",
      observations: {
        answer: observation({
          description: "Reads the answer",
          output: fromJsonSchema({ type: "object", properties: { answer: { type: "integer" } } }),
          read: () => ({ answer: 42 }),
        }),
      },
    }),
  );
  const result = await registry.invoke({ capabilityId: "view:packaging.probe.answer" });
  registry.dispose();
  return JSON.stringify(result.output ?? result);
};
`;

/** The names that `PROGRAM` uses. */
export const NAMES = "{ init, createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, observation }";

/** What `PROGRAM` answers. */
export const ANSWER = '{"answer":42}';

/** The same with the schema engine, for a schema that only it takes. */
export const SCHEMA_PROGRAM = `
const run = async () => {
  const shape = fromJsonSchema({ oneOf: [{ type: "integer" }, { type: "string" }] });
  await Promise.all([init(), installSchemaEngine()]);
  try {
    shape.parse(null);
  } catch (error) {
    return [shape.parse(42), error.name].join();
  }
};
`;

/** The same with a projection to a model's SDK, of tools that need no surface. */
export const TARGETS_PROGRAM = `
const run = async () => {
  await initTargets();
  const tool = { name: "a.b", description: "d", inputSchema: { const: 1 }, state: { available: true }, execute: async () => ({ status: "ok", output: 42 }) };
  const tools = [tool, { ...tool, name: "c", inputSchema: { type: "object" } }];
  const projected = projectTools({ tools: () => tools }, { target: "openai-chat" });
  const call = { id: "c1", type: "function", function: { name: "c", arguments: "" } };
  const { messages } = await projected.answer([call]);
  return [messages[0].content, projected.report().quarantined.length].join();
};
`;

/** What `TARGETS_PROGRAM` answers. */
export const TARGETS_ANSWER = "42,1";

/** What `SCHEMA_PROGRAM` answers. */
export const SCHEMA_ANSWER = "42,AgentSchemaError";

/** The external surface: the page shows a frame, whose script is `CLIENT_PROGRAM`, and what it said at last. */
export const SURFACE_PROGRAM = `
const run = async () => {
  await Promise.all([init(), initSurface()]);
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const actions = { answer: { description: "Answers", handler: () => 42 }, hidden: { description: "Hidden", handler: () => 0 } };
  defineActions(registry, { app: "packaging", actions });
  const origins = [location.origin];
  const sessions = createSessionRegistry({ ttlMs: 60000, maxSessions: 1 });
  const surface = { registry, app: "packaging", expose: ["answer"] };
  createPostMessageTransport({ surface, sessions, origins, authorize: () => ({ userId: "u", scope: ["answer"] }) });
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.src = "frame.html";
  return new Promise((resolve) => { window.said = resolve; });
};
`;

/** In the frame. */
export const CLIENT_PROGRAM = `
const run = async () => {
  const client = await SurfaceClient.connect({ origin: location.origin });
  const [given, refused] = [await client.invoke("answer"), await client.invoke("hidden")];
  parent.said([given.result.output, refused.error.code].join());
};
run().catch((error) => parent.said(String(error)));
`;

/** The names that the two use. */
export const SURFACE_NAMES = "{ initSurface, createPostMessageTransport, createSessionRegistry, defineActions }";

/** What the page shows. */
export const SURFACE_ANSWER = "42,CAPABILITY_NOT_EXPOSED";
