// The packed package where there is no document: set up once for a test runner, in both module formats, in worker threads.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { project } from "./project.mjs";

const execute = promisify(execFile);

/** Everything but the approval element; `A` is the package, which somebody has set up. */
const EVERYTHING = `
const everything = async (A) => {
  const registry = A.createAgentSurfaceRegistry({ environment: "development", audit: A.consoleAuditSink() });
  const events = [];
  registry.subscribe(({ type }) => events.push(type));
  registry.setProcedureExecutor({ execute: ({ path }) => path });
  const input = A.fromJsonSchema({ type: "object", properties: { n: { type: "integer", default: 7 } }, additionalProperties: false });
  const handle = registry.register(A.defineAgentComponent({
    type: "headless",
    description: "Without a document",
    observations: { look: A.observation({ description: "Looks", output: A.fromJsonSchema({}), read: () => [typeof document, typeof window] }) },
    actions: {
      go: A.action({ description: "Goes", input, effect: "local-state", execute: ({ n }, { signal }) => [n, signal.aborted] }),
      ask: A.action({ description: "Asks", input, effect: "local-state", confirmation: "required", execute: () => "approved" }),
    },
    procedures: [A.procedure({ id: "domain:count", description: "Counts", input: A.emptyObjectSchema, effect: "server-query" })],
  }));
  const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
  const tools = new Map(toolset.tools().map((tool) => [toolset.wireNameMap().get(tool.name), tool]));
  const run = async (id, given) => { const result = await tools.get(id).execute(given); return result.output ?? result.error.code; };
  const asked = run("view:headless.ask");
  await new Promise((resolve) => setTimeout(resolve));
  const [question] = registry.confirmations.pending();
  registry.confirmations.resolve(question.confirmationId, { approved: true });
  const adapter = A.createWebMcpAdapter();
  const detach = registry.attach(adapter, {});
  await A.defineAgentApprovals();
  const found = [
    await run("view:headless.look"),
    await run("view:headless.go"),
    await run("domain:count"),
    await asked,
    registry.snapshot().components.length,
    adapter.status().state,
    adapter.diagnose().code,
    await A.recover(),
    events.includes("invocation-settled"),
  ];
  await detach();
  handle.unregister();
  registry.dispose();
  return JSON.stringify(found);
};
`;

const FOUND = [["undefined", "undefined"], [7, false], "count", "approved", 1, "unsupported", "no-api", false, true];

let app;
before(async () => {
  app = await project({
    "setup.mjs": 'import { init } from "agent-surface-wasm"; await init();',
    "after-setup.mjs": `import * as A from "agent-surface-wasm"; ${EVERYTHING} console.log(await everything(A));`,
    "commonjs.cjs": `const A = require("agent-surface-wasm"); ${EVERYTHING} A.init().then(() => everything(A)).then(console.log);`,
    "thread.mjs": `import { isMainThread, parentPort, Worker } from "node:worker_threads";
      import * as A from "agent-surface-wasm";
      ${EVERYTHING}
      await A.init();
      if (isMainThread) {
        const ends = [1, 2].map(() => new Promise((resolve) => new Worker(new URL(import.meta.url)).on("message", resolve)));
        const answers = [await everything(A), ...(await Promise.all(ends))];
        console.log(answers.every((answer) => answer === answers[0]) ? answers[0] : answers.join());
      } else {
        parentPort.postMessage(await everything(A));
      }`,
    "thread.cjs": `const { isMainThread, parentPort, Worker } = require("node:worker_threads");
      const A = require("agent-surface-wasm");
      ${EVERYTHING}
      A.init().then(() => {
        if (isMainThread) new Worker(__filename).on("message", console.log);
        else everything(A).then((answer) => parentPort.postMessage(answer));
      });`,
  });
});
after(() => app.remove());

const runs = {
  "a setup file, as test runners have it": ["--import", "./setup.mjs", "after-setup.mjs"],
  "CommonJS": ["commonjs.cjs"],
  "worker threads": ["thread.mjs"],
  "a worker thread in CommonJS": ["thread.cjs"],
};

for (const [name, args] of Object.entries(runs)) {
  test(`${name}: all but the approval element works, and the audit leaves stdout alone`, async () => {
    const { stdout, stderr } = await execute(process.execPath, args, { cwd: app.folder });
    assert.deepEqual(stdout.trim().split("\n").map((line) => JSON.parse(line)), [FOUND]);
    assert.match(stderr, /\[agent-surface audit\]/);
  });
}
