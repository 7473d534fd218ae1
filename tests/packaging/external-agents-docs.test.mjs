// docs/external-agents.md: the scripts of the page's own side, in their order, make a surface that answers as the text says.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";

const BEFORE = `
import { init, createAgentSurfaceRegistry } from "agent-surface-wasm";
import * as all from "agent-surface-wasm/surface";
import { Queue } from "./queue.mjs";
const { createPostMessageTransport, createSessionRegistry, createSurface, defineActions, initSurface, SURFACE_PROTOCOL } = all;
await Promise.all([init(), initSurface()]);
globalThis.addEventListener ??= () => {};
globalThis.removeEventListener ??= () => {};
const registry = createAgentSurfaceRegistry();
const queue = new Queue([{ text: "one" }, { text: "two" }, { text: "three" }]);
const user = { id: "u1" };
const revoked = new Set();
`;
const AFTER = `
const invoke = (id, capability, input) => handle({ protocol: SURFACE_PROTOCOL, id, method: "invoke", capability, input });
const added = await invoke("req_02", "todo.add", { text: "four" });
const unavailable = await invoke("req_03", "todo.clear_completed");
console.log(JSON.stringify({ response, added, unavailable, declared: declared.capabilities, peers: transport.peers() }));
transport.close();
registry.dispose();
`;

let app;
let snippets;
before(async () => {
  const page = await readFile(join(ROOT, "docs", "external-agents.md"), "utf8");
  snippets = [...page.matchAll(/^```js\n([^]*?)^```/gm)].map(([, text]) => text);
  const queue = await readFile(join(ROOT, "www", "queue", "app", "queue.js"), "utf8");
  const own = snippets.filter((text) => !text.includes("SurfaceClient"));
  app = await project({ "queue.mjs": queue, "page.mjs": [BEFORE, ...own, AFTER].join("\n") });
});
after(() => app?.remove());

test("the scripts of the page make a surface", async () => {
  assert.equal(snippets.length, 5);
  const { response, added, unavailable, declared, peers } = JSON.parse(await app.node("page.mjs"));
  assert.deepEqual(response.result.capabilities.map(({ id, available }) => [id, available]), [
    ["todo.overview", true],
    ["todo.add", true],
    ["todo.clear_completed", false],
  ]);
  const { records, total, truncated } = response.result.context;
  assert.deepEqual([records.length, total, truncated], [2, 3, true]);
  assert.equal(added.result.output.text, "four");
  assert.deepEqual([unavailable.ok, unavailable.result.error.code], [true, "CAPABILITY_NOT_AVAILABLE"]);
  assert.deepEqual([declared["todo.clear_completed"], peers], ["view:support-queue.todo.clearCompleted", []]);
});

test("every place that the page names is there", async () => {
  const page = await readFile(join(ROOT, "docs", "external-agents.md"), "utf8");
  const files = [...new Set([...page.matchAll(/\(\.\.\/(www\/[\w./-]+\.js)\)/g)].map(([, path]) => path))];
  const sources = Object.fromEntries(await Promise.all(files.map(async (path) => [path, await readFile(join(ROOT, path), "utf8")])));
  assert.ok(sources["www/queue/app/surface.js"].includes("createSurface({ ...surface, session })"));
  assert.ok(sources["www/queue/app/surface.js"].includes("const openConsole ="));
  assert.ok(sources["www/queue/app/actions.js"].includes('confirm: "always"'));
});
