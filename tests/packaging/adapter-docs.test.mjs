// docs/adapters.md: its snippets are those of tests/examples, and what they build keeps every duty of an adapter.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";
import { blocksIn, filesOf } from "./snippets.mjs";

const NAMES = ["websocket-adapter.mjs", "tool-server.mjs", "websocket-adapter.test.mjs"];
const texts = new Map();
let app;
let attach;
let shown;
before(async () => {
  for (const name of NAMES) texts.set(name, await readFile(join(ROOT, "tests", "examples", name), "utf8"));
  ({ attach, ...shown } = await filesOf("docs/adapters.md", ["attach", "websocket-adapter.mjs", "websocket-adapter.test.mjs"]));
  app = await project({ ...Object.fromEntries(texts), "reconnect.mjs": RECONNECT, "attach.mjs": ATTACH(attach) }, { link: ["ws"] });
});
after(() => app.remove());

test("the page shows the whole adapter, and every other script is a piece of an example, word for word", async () => {
  for (const [name, text] of Object.entries(shown)) assert.equal(text, texts.get(name).replace(/^(?:\/\/.*\n)+\n/, ""), name);
  const page = await readFile(join(ROOT, "docs", "adapters.md"), "utf8");
  const snippets = blocksIn(page).filter(({ language, name }) => language === "js" && name === undefined).map(({ text }) => text);
  assert.ok(snippets.length >= 2);
  for (const snippet of snippets) assert.ok([...texts.values()].some((text) => text.includes(snippet)), snippet);
});

test("the adapter keeps every duty", async () => {
  const printed = await app.node("--test", "--test-timeout=60000", "--test-reporter=tap", "websocket-adapter.test.mjs");
  assert.match(printed, /^# pass 16$/m);
  assert.match(printed, /^# fail 0$/m);
});

/** The page's own line, with the address of a server that listens here. */
const ATTACH = (script) => `
import { action, createAgentSurfaceRegistry, defineAgentComponent, emptyObjectSchema, init } from "agent-surface-wasm";
import { WebSocket } from "ws";
import { startToolServer } from "./tool-server.mjs";
import { createWebSocketAdapter } from "./websocket-adapter.mjs";
globalThis.WebSocket = WebSocket;
await init();
const registry = createAgentSurfaceRegistry();
const go = action({ description: "Goes", input: emptyObjectSchema, effect: "local-state", execute: () => ({ gone: true }) });
for (const type of ["devices.table", "users.table"]) registry.register(defineAgentComponent({ type, description: "A table", actions: { go } }));
const server = await startToolServer();
${script.replace('"ws://127.0.0.1:7341"', "server.url")}
while (server.tools().length === 0) await new Promise((resolve) => setImmediate(resolve));
const [{ name }, ...others] = server.tools();
console.log(JSON.stringify([name, others.length, (await server.call(name, {}, { id: "a1" })).output]));
await detach();
await server.close();
registry.dispose();
`;

test("the page attaches it, and the agent gets what the scope covers", async () => {
  assert.ok(attach.includes('"ws://127.0.0.1:7341"'));
  assert.deepEqual(JSON.parse(await app.node("attach.mjs")), ["view_devices__table__go", 0, { gone: true }]);
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
