// docs/adapters.md: its snippets are those of tests/examples, and what they build keeps every duty of an adapter.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";

const NAMES = ["websocket-adapter.mjs", "tool-server.mjs", "websocket-adapter.test.mjs"];
const texts = new Map();
let app;
before(async () => {
  for (const name of NAMES) texts.set(name, await readFile(join(ROOT, "tests", "examples", name), "utf8"));
  app = await project({ ...Object.fromEntries(texts), "reconnect.mjs": RECONNECT }, { link: ["ws"] });
});
after(() => app.remove());

test("every script of the page is a piece of an example, word for word", async () => {
  const page = await readFile(join(ROOT, "docs", "adapters.md"), "utf8");
  const snippets = [...page.matchAll(/^```js\n([^]*?)^```/gm)].map(([, text]) => text);
  assert.ok(snippets.length >= 9);
  for (const snippet of snippets) assert.ok([...texts.values()].some((text) => text.includes(snippet)), snippet);
});

test("the adapter keeps every duty", async () => {
  const printed = await app.node("--test", "--test-reporter=tap", "websocket-adapter.test.mjs");
  assert.match(printed, /^# pass 16$/m);
  assert.match(printed, /^# fail 0$/m);
});

/** The server's end breaks the connection: while a handler runs, and while a person decides. */
const RECONNECT = `
import { setTimeout as real } from "node:timers";
import { init, action, defineAgentComponent, fromJsonSchema } from "agent-surface-wasm";
import { createTestSurface } from "agent-surface-wasm/testing";
import { WebSocket } from "ws";
import { startToolServer } from "./tool-server.mjs";
import { createWebSocketAdapter } from "./websocket-adapter.mjs";

// It connects again without the pause.
globalThis.setTimeout = (run, ms) => real(run, ms === 1_000 ? 0 : ms);
await init();
const until = async (ask) => { for (;;) { const answer = ask(); if (answer) return answer; await new Promise((resolve) => real(resolve, 1)); } };
const surface = createTestSurface();
let runs = 0;
let end;
const input = fromJsonSchema({ type: "object" });
surface.register(defineAgentComponent({ type: "app.pad", description: "A pad", actions: {
  slow: action({ description: "Slow", input, effect: "local-state", execute: () => new Promise((resolve) => { runs++; end = resolve; }) }),
  wipe: action({ description: "Wipe", input, effect: "local-state", confirmation: "required", execute: () => ({ runs: ++runs }) }),
} }));
const server = await startToolServer();
const refuses = await startToolServer({ origins: ["https://example.test"] });
for (const [url, origin] of [[refuses.url], [server.url, "https://example.test"]]) {
  await new Promise((resolve) => { new WebSocket(url, { origin }).onerror = resolve; });
}
await refuses.close();

const detach = surface.registry.attach(createWebSocketAdapter({ url: server.url, WebSocket }), { consumer: { id: "ide-1", kind: "mcp-bridge" } });
const [slow, wipe] = (await until(() => server.tools().length === 2 && server.tools())).map(({ name }) => name);
const answer = server.call(slow, {}, { id: "attempt-1" });
await until(() => end);
server.drop();
await until(() => server.tools().length === 0);
await until(() => server.tools().length === 2);
end({ saved: true });
const saved = await answer;

const asked = await server.call(wipe, {}, { id: "attempt-2" });
server.drop();
await until(() => server.tools().length === 0);
surface.confirmations.approve();
await until(() => server.tools().length === 2);
const wiped = await server.call(wipe, {}, { id: "attempt-2" });
await detach();
await server.close();
surface.dispose();
console.log(JSON.stringify({ saved, asked: asked.error.code, wiped }));
`;

test("what was called and what was approved while the connection was down runs once", async () => {
  assert.deepEqual(JSON.parse(await app.node("reconnect.mjs")), {
    saved: { status: "ok", output: { saved: true } },
    asked: "CONFIRMATION_REQUIRED",
    wiped: { status: "ok", output: { runs: 2 } },
  });
});
