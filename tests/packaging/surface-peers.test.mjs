// `createSurfaceTransport` from the built package, where a peer or the page's own code for it fails: what that takes along.

import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, before, beforeEach, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../e2e/harness/server.mjs";

const dist = join(process.env.AGENT_SURFACE_PACKAGE ?? join(ROOT, "target", "pkg"), "dist");
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { createAgentSurfaceRegistry, init } = await load("inline.mjs");
const { createSessionRegistry, createSurfaceTransport, defineActions, initSurface, SURFACE_PROTOCOL } = await load("surface.mjs");

const GONE = new Error("the port is gone");
const throws = () => {
  throw GONE;
};

let logged;
before(() => Promise.all([init(), initSurface()]));
beforeEach(() => {
  logged = mock.method(console, "error", () => {});
});
afterEach(() => mock.restoreAll());

const said = () => logged.mock.calls.map(({ arguments: [what, error] }) => (assert.equal(error, GONE), what));

function page(more) {
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const { capabilities } = defineActions(registry, {
    app: "todo",
    // Never done.
    actions: { "todo.wait": { description: "Wait", handler: () => new Promise(() => {}) } },
  });
  const expose = Object.entries(capabilities).map(([id, capability]) => ({ id, capability }));
  const sessions = createSessionRegistry({ ttlMs: 60_000, maxSessions: 100 });
  const carrier = createSurfaceTransport({ name: "test", surface: { registry, app: "todo", expose }, sessions, authorize: () => ({ userId: "u", scope: ["todo.wait"] }), ...more });
  return { carrier, sessions };
}

const wait = (id) => JSON.stringify({ protocol: SURFACE_PROTOCOL, id, method: "invoke", capability: "todo.wait" });

async function connect(carrier, origin, close) {
  const { connection } = await carrier.connect({ origin }, { close });
  return connection;
}

for (const [way, end] of [
  ["its link says that it is gone", ({ connection }) => connection.close()],
  ["the page revokes it", ({ carrier, connection }) => carrier.revoke(connection.session.sessionId)],
  ["the transport is closed", ({ carrier }) => carrier.close()],
]) {
  test(`a connection that throws whatever it is given ends all the same when ${way}`, async () => {
    const types = [];
    const { carrier, sessions } = page({ audit: ({ type }) => types.push(type) });
    const connection = await connect(carrier, "https://gone.example", throws);
    const answers = [];
    connection.request(wait("1"), throws);
    connection.request(wait("2"), (text) => answers.push(JSON.parse(text).id));
    end({ carrier, connection });
    // A session's end closes the link in a microtask.
    await undefined;
    assert.deepEqual(answers, ["2"]);
    assert.deepEqual([carrier.peers(), sessions.list()], [[], []]);
    assert.deepEqual(types, ["peer-connected", "request", "request", "peer-closed"]);
    assert.deepEqual(said(), ["[agent-surface] a response could not be carried:", "[agent-surface] a link could not be closed:"]);
  });
}

test("closing a transport reaches every peer, whatever the first of them does", async () => {
  const { carrier, sessions } = page();
  const codes = [];
  const first = await connect(carrier, "https://first.example", throws);
  first.request(wait("1"), throws);
  await connect(carrier, "https://second.example", (code) => codes.push(code));
  carrier.close();
  assert.deepEqual([codes, sessions.list()], [["CLOSED"], []]);
});

test("an audit and a listener that throw keep no peer from its session, and none from its end", async () => {
  const { carrier, sessions } = page({ audit: throws });
  carrier.subscribe(throws);
  const connection = await connect(carrier, "https://a.example", () => {});
  assert.equal(carrier.peers().length, 1);
  connection.close();
  assert.deepEqual([carrier.peers(), sessions.list()], [[], []]);
  assert.equal(said().length, 4);
});

test("an origin that is asked about again and again keeps no other from being asked about", async () => {
  const answers = [];
  const authorize = ({ origin }) => (origin === "https://good.example" ? { userId: "u", scope: [] } : new Promise((resolve) => answers.push(resolve)));
  const { carrier } = page({ authorize });
  const hog = Array.from({ length: 40 }, () => carrier.connect({ origin: "https://hog.example" }, { close() {} }));
  assert.equal(answers.length, 32);
  assert.equal((await carrier.connect({ origin: "https://good.example" }, { close() {} })).ok, true);
  for (const answer of answers) answer(undefined);
  const codes = (await Promise.all(hog)).map(({ error }) => error.code);
  assert.deepEqual([...new Set(codes)].sort(), ["RATE_LIMITED", "SCOPE_DENIED"]);
  assert.equal(codes.filter((code) => code === "RATE_LIMITED").length, 8);
  carrier.close();
});
