// `/surface` from the built package, where what the page gave it throws or answers nonsense, and where its module stops:
// what that ends, and what it leaves alone.

import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, before, beforeEach, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../e2e/harness/server.mjs";

const dist = join(process.env.AGENT_SURFACE_PACKAGE ?? join(ROOT, "target", "pkg"), "dist");
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { createAgentSurfaceRegistry, init } = await load("inline.mjs");
// A copy of its own: the last test stops its module.
const surface = await load("surface.mjs");
const { createSessionRegistry, createSurface, createSurfaceTransport, defineActions, initSurface, SURFACE_PROTOCOL } = surface;

const OWN = new Error("the page's own");
const throws = () => {
  throw OWN;
};

/** Makes the next entry of the module trap, as the engine does it: nothing that a caller can send does. */
let trapNext = false;
const { Instance } = WebAssembly;
const guarded = (exports) =>
  Object.fromEntries(
    Object.entries(exports).map(([name, value]) => [
      name,
      typeof value !== "function" || name.startsWith("__")
        ? value
        : (...given) => {
            if (trapNext) throw new WebAssembly.RuntimeError("unreachable");
            return value(...given);
          },
    ]),
  );
const instantiate = WebAssembly.instantiate;

let logged;
before(async () => {
  await init();
  WebAssembly.instantiate = async (module, imports) => {
    const { exports } = new Instance(module, imports);
    return { exports: guarded(exports) };
  };
  await initSurface();
  WebAssembly.instantiate = instantiate;
});
beforeEach(() => {
  logged = mock.method(console, "error", () => {});
});
afterEach(() => mock.restoreAll());
const said = () => logged.mock.calls.map(({ arguments: [what] }) => what.replace("[agent-surface] ", ""));

function page() {
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const declared = defineActions(registry, {
    app: "todo",
    actions: {
      "todo.add": { description: "Adds", handler: () => "added" },
      "todo.wait": { description: "Never done", handler: () => new Promise(() => {}) },
      "todo.ask": { description: "Asks a person", confirm: "always", handler: () => "approved" },
    },
  });
  const scope = Object.keys(declared.capabilities);
  const sessions = createSessionRegistry({ ttlMs: 60_000, maxSessions: 4 });
  const common = { registry, app: "todo", expose: scope };
  const make = (options = {}) => {
    const session = sessions.create({ agentId: "a", userId: "u", scope });
    return { session, surface: createSurface({ ...common, session, ...options }) };
  };
  return { registry, declared, scope, sessions, common, make };
}
const request = (id, capability) => ({ protocol: SURFACE_PROTOCOL, id, method: capability ? "invoke" : "describe", capability });

test("a listener of the sessions that throws takes no session's place, and no revocation stops half way", async () => {
  const { sessions, scope, common } = page();
  sessions.subscribe(throws);
  const heard = [];
  sessions.subscribe(() => heard.push(sessions.list().length));
  const carrier = createSurfaceTransport({ name: "test", surface: common, sessions, authorize: () => ({ userId: "u", scope }) });
  for (let round = 0; round < 6; round++) {
    const { ok, connection } = await carrier.connect({ origin: "https://a.example" }, { close() {} });
    assert.equal(ok, true);
    const copies = [1, 2].map(() => createSurface({ ...common, session: connection.session }));
    const waits = copies.map((copy) => copy.handle(request("1", "todo.wait")));
    assert.equal(carrier.revoke(connection.session.sessionId), true);
    assert.deepEqual((await Promise.all(waits)).map(({ error }) => error.code), ["SESSION_REVOKED", "SESSION_REVOKED"]);
    assert.deepEqual([sessions.list(), carrier.peers()], [[], []]);
  }
  assert.deepEqual(heard, Array(6).fill([1, 0]).flat());
  assert.deepEqual(new Set(said()), new Set(["a listener of the sessions failed:"]));
});

test("a clock that throws, or gives no time, makes no session; what it was asked for is over, and others go on", async () => {
  const { common, sessions, scope, make } = page();
  const other = make().surface;
  let time = () => Date.now();
  const odd = createSessionRegistry({ ttlMs: 60_000, maxSessions: 1, now: () => time() });
  const identity = { agentId: "a", userId: "u", scope };
  for (const broken of [throws, () => "now", () => ({ valueOf: throws }), () => 5n, () => NaN, () => Infinity, () => 8.64e15]) {
    time = broken;
    assert.equal(odd.create(identity), undefined);
  }
  time = () => Date.now();
  const session = odd.create(identity);
  assert.deepEqual(odd.list(), [session], "no place was taken");
  for (const broken of [throws, () => ({ valueOf: throws }), () => 5n]) {
    const mine = sessions.create(identity);
    const { handle } = createSurface({ ...common, session: mine, now: broken });
    assert.equal((await handle(request("1", "todo.add"))).error.code, "SESSION_EXPIRED");
    sessions.revoke(mine.sessionId);
  }
  const records = [];
  const audit = (record) => records.push(record);
  const authorize = () => ({ userId: "u", scope });
  const carrier = createSurfaceTransport({ name: "test", surface: common, sessions, authorize, now: () => time(), audit });
  const { connection } = await carrier.connect({ origin: "https://a.example" }, { close() {} });
  time = throws;
  assert.equal((await carrier.connect({ origin: "https://b.example" }, { close() {} })).error.code, "RATE_LIMITED");
  const answers = [];
  connection.request(JSON.stringify(request("1", "todo.add")), (text) => answers.push(JSON.parse(text).error.code));
  assert.deepEqual(answers, ["SESSION_EXPIRED"]);
  carrier.close();
  assert.ok(records.length > 1 && records.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 60_000));
  // The module is whole.
  assert.deepEqual((await other.handle(request("1", "todo.add"))).result, { output: "added" });
});

test("a registry that throws where it is asked answers all the same, and the surface goes on", async () => {
  const { registry, common, make } = page();
  const broken = {
    confirmations: { waitFor: throws, resolve: throws },
    snapshot: (options) => registry.snapshot(options),
    invoke: (...words) => registry.invoke(...words),
    subscribe: (listener) => registry.subscribe(listener),
  };
  const { surface: external } = make({ registry: broken });
  const asked = await external.handle(request("1", "todo.ask"));
  assert.deepEqual([asked.ok, asked.result.error.code, asked.result.error.details], [true, "CONFIRMATION_INVALID", { reason: "expired" }]);
  broken.confirmations.waitFor = () => new Promise(() => {});
  const leaving = new AbortController();
  const left = external.handle(request("2", "todo.ask"), { signal: leaving.signal });
  await new Promise((resolve) => setTimeout(resolve));
  leaving.abort();
  assert.equal((await left).result.error.code, "CANCELLED");
  broken.invoke = throws;
  assert.equal((await external.handle(request("3", "todo.add"))).result.error.code, "EXECUTION_FAILED");
  broken.snapshot = throws;
  assert.equal((await external.handle(request("4"))).result.error.code, "EXECUTION_FAILED");
  assert.throws(() => external.subscribe(() => {}), OWN);
  broken.snapshot = (options) => registry.snapshot(options);
  broken.invoke = common.registry.invoke;
  assert.deepEqual((await external.handle(request("5", "todo.add"))).result, { output: "added" });
  assert.deepEqual(said(), [
    "a decision could not be waited for:",
    "a request for approval could not be taken back:",
    "a call failed:",
    "a description failed:",
  ]);
});

test("what is thrown is no result, and nothing that is thrown is none either", async () => {
  const { make, sessions } = page();
  for (const [at, thrown] of [undefined, null, 0, "no", OWN].entries()) {
    const { surface: external, session } = make({ execute: () => Promise.reject(thrown) });
    assert.equal((await external.handle(request(`r${at}`, "todo.add"))).result.error?.code, "EXECUTION_FAILED");
    sessions.revoke(session.sessionId);
  }
});

test("a registry that cannot be left keeps no peer and no session", async () => {
  const { registry, common, sessions, scope } = page();
  const held = {
    confirmations: registry.confirmations,
    snapshot: (options) => registry.snapshot(options),
    invoke: (...words) => registry.invoke(...words),
    subscribe: () => throws,
  };
  const codes = [];
  const carrier = createSurfaceTransport({ name: "test", surface: { ...common, registry: held }, sessions, authorize: () => ({ userId: "u", scope }) });
  const { connection } = await carrier.connect({ origin: "https://a.example" }, { close: (code) => codes.push(code) });
  connection.watch();
  connection.close("CLOSED");
  assert.deepEqual([codes, carrier.peers(), sessions.list()], [["CLOSED"], [], []]);
  assert.deepEqual(said(), ["a registry could not be left:"]);
});

test("records that are no array, and lie about their length, fail their description alone", async () => {
  const { make } = page();
  const proxy = new Proxy([], { get: (target, key) => (key === "length" ? { valueOf: throws } : target[key]) });
  let list;
  const { surface: external } = make({ records: () => list });
  for (const [at, odd] of [{ length: { valueOf: throws } }, "abc", 5, proxy].entries()) {
    list = odd;
    assert.equal((await external.handle(request(`r${at}`))).result.error.code, "EXECUTION_FAILED");
  }
  list = [{ id: 1 }];
  assert.equal((await external.handle(request("last"))).result.context.total, 1);
});

test("a listener for changes that throws keeps no other from hearing of them", async () => {
  const { make, declared } = page();
  const { surface: external } = make();
  const heard = new Promise((resolve) => {
    external.subscribe(throws);
    external.subscribe(resolve);
  });
  declared.unregister();
  await heard;
  assert.deepEqual(said(), ["a listener failed:"]);
});

test("an action says its effect; what changes the backend is none", () => {
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const define = (effect) => defineActions(registry, { app: "todo", actions: { "todo.go": { description: "Goes", effect, handler() {} } } });
  for (const effect of [undefined, "local-state", "navigation"]) {
    const declared = define(effect);
    const [{ actions }] = registry.snapshot().components;
    assert.equal(actions[0].effect, effect ?? "local-state");
    declared.unregister();
  }
  for (const effect of ["destructive", "server-mutation"]) assert.throws(() => define(effect), { code: "PLANE_VIOLATION", message: /procedure/ });
  for (const effect of ["wipe", null, 5]) assert.throws(() => define(effect), { name: "AgentSurfaceDefinitionError" });
  assert.deepEqual(registry.snapshot().components, []);
});

test("an app that has no name is not called `undefined`", () => {
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const actions = { "todo.add": { description: "Adds", handler() {} } };
  for (const app of [undefined, null, {}, 5]) assert.throws(() => defineActions(registry, { app, actions }), { code: "INVALID_ID" });
});

// The last one: nothing of this copy works afterwards.
test("when the module stops, whoever waits is told, peers are let go, and every entry says so", async () => {
  const { sessions, scope, common, make, registry } = page();
  const { surface: one } = make();
  const { surface: two, session } = make();
  const codes = [];
  const carrier = createSurfaceTransport({ name: "test", surface: common, sessions, authorize: () => ({ userId: "u", scope }) });
  const { connection } = await carrier.connect({ origin: "https://a.example" }, { close: (code) => codes.push(code) });
  const thinking = createSurfaceTransport({ name: "test", surface: common, sessions, authorize: () => new Promise(() => {}) });
  const asking = thinking.connect({ origin: "https://a.example" }, { close() {} });
  const waits = [one.handle(request("1", "todo.wait")), one.handleText(JSON.stringify(request("2", "todo.wait"))), two.handle(request("1", "todo.ask"))];
  connection.request(JSON.stringify(request("1", "todo.wait")), () => {});
  const outcomes = Promise.allSettled(waits);
  await new Promise((resolve) => setTimeout(resolve));
  trapNext = true;
  await assert.rejects(one.handle(request("3", "todo.add")), { code: "POISONED", details: { trap: "unreachable" } });
  trapNext = false;
  connection.request(JSON.stringify(request("2", "todo.wait")), () => {});
  // A decision comes in: what waited for it hears that there is nobody to take it.
  const [{ confirmationId }] = registry.confirmations.pending();
  registry.confirmations.resolve(confirmationId, { approved: true });
  assert.deepEqual((await outcomes).map(({ reason }) => reason?.code), Array(3).fill("POISONED"));
  assert.deepEqual([codes, carrier.peers()], [["PEER_GONE"], []]);
  assert.throws(() => sessions.get(session.sessionId), { code: "POISONED" });
  assert.throws(() => createSurface({ ...common, session }), { code: "POISONED" });
  thinking.close();
  assert.equal((await asking).error.code, "CLOSED");
  two.dispose();
  one.dispose();
  carrier.close();
  registry.dispose();
});
