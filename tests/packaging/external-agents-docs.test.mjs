// docs/external-agents.md: the scripts of the page's own side, in their order, make a surface that answers as the text says, and
// the peer's script reads its answers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

const BEFORE = `
globalThis.addEventListener ??= () => {};
globalThis.removeEventListener ??= () => {};
`;
const QUEUE = 'import { Queue } from "./tasks.js"; export const queue = new Queue(["one", "two", "three"].map((text) => ({ text })));';
const AFTER = `
const invoke = (id, capability, input) => handle({ protocol: SURFACE_PROTOCOL, id, method: "invoke", capability, input });
const added = await invoke("req_03", "todo.add", { text: "four" });
const unavailable = await invoke("req_04", "todo.clear_completed");
const wider = sessions.create({ agentId: "console", userId: user.id, scope: ["queue.wipe"] });
const backend = createSurface({ ...surface, expose, session: wider });
const described = await backend.handle({ ...describe, id: "1" });
const asked = backend.handle({ protocol: SURFACE_PROTOCOL, id: "2", method: "invoke", capability: "queue.wipe" });
await new Promise((resolve) => setTimeout(resolve));
const [question] = registry.confirmations.pending();
registry.confirmations.resolve(question.confirmationId, { approved: true });
const wiped = { described: described.result.capabilities, effect: question.effect, answer: await asked };
console.log(JSON.stringify({ response, counted, added, unavailable, wiped, declared: declared.capabilities, peers: transport.peers() }));
transport.close();
registry.dispose();
`;

/** The peer's script with each kind of answer. How a real one is connected, the guide's frame shows in `docs-pages.test.mjs`. */
const PEERS = `
import { SurfaceClient } from "agent-surface-wasm/surface/client";
const answers = [
  { ok: false, error: { code: "SESSION_REVOKED" } },
  { ok: true, result: { error: { code: "PERMISSION_DENIED" } } },
  { ok: true, result: { output: { cleared: 1 } } },
];
const print = console.log;
const said = [];
console.log = (...words) => said.push(words);
for (const [at, answer] of answers.entries()) {
  SurfaceClient.connect = async ({ origin }) => ({ invoke: async (id) => (origin === "https://console.example" && id === "todo.clear_completed" ? answer : undefined) });
  await import("./peer.mjs?" + at);
}
print(JSON.stringify(said));
`;

let app;
before(async () => {
  const shown = await filesOf("docs/external-agents.md", ["page", "peer"]);
  const tasks = await readFile(join(ROOT, "www", "queue", "app", "queue.js"), "utf8");
  app = await project({ "tasks.js": tasks, "queue.js": QUEUE, "user.js": 'export const user = { id: "u1" };', "page.mjs": [BEFORE, shown.page, AFTER].join("\n"), "peer.mjs": shown.peer, "peers.mjs": PEERS });
});
after(() => app?.remove());

test("the scripts of the page make a surface", async () => {
  const { response, counted, added, unavailable, wiped, declared, peers } = JSON.parse(await app.node("page.mjs"));
  assert.deepEqual(response.result.capabilities.map(({ id, available }) => [id, available]), [
    ["todo.overview", true],
    ["todo.add", true],
    ["todo.clear_completed", false],
  ]);
  const { records, total, truncated } = response.result.context;
  assert.deepEqual([records.length, total, truncated], [2, 3, true]);
  assert.deepEqual(counted.result.output, { total: 3, open: 3, completed: 0 });
  assert.equal(added.result.output.text, "four");
  assert.deepEqual([unavailable.ok, unavailable.result.error.code], [true, "CAPABILITY_NOT_AVAILABLE"]);
  // What is destructive is shown as such, and confirmed as such.
  assert.deepEqual(wiped.described.map(({ id, effect, confirmation }) => [id, effect, confirmation]), [["queue.wipe", "destructive", "required"]]);
  assert.deepEqual([wiped.effect, wiped.answer.ok, wiped.answer.result.error], ["destructive", true, undefined]);
  assert.deepEqual([declared["todo.clear_completed"], peers], ["view:support-queue.todo.clearCompleted", []]);
});

test("the peer's script tells a call that was refused from one that failed and one that ran", async () => {
  assert.deepEqual(JSON.parse(await app.node("peers.mjs")), [
    ["the exchange was refused", "SESSION_REVOKED"],
    ["the action did not happen", "PERMISSION_DENIED"],
    [{ cleared: 1 }],
  ]);
});

test("every place that the page names is there", async () => {
  const page = await readFile(join(ROOT, "docs", "external-agents.md"), "utf8");
  const files = [...new Set([...page.matchAll(/\(\.\.\/(www\/[\w./-]+\.js)\)/g)].map(([, path]) => path))];
  const sources = Object.fromEntries(await Promise.all(files.map(async (path) => [path, await readFile(join(ROOT, path), "utf8")])));
  assert.ok(sources["www/queue/app/surface.js"].includes("createSurface({ ...surface, session })"));
  assert.ok(sources["www/queue/app/surface.js"].includes("const openConsole ="));
  assert.ok(sources["www/queue/app/actions.js"].includes('confirm: "always"'));
});
