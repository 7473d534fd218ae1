// The gate of a transport, from the built package: whom the page is asked about, how long it may think, and what an audit
// hears of those who are refused. Timers and clock are the test's.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT } from "../e2e/harness/server.mjs";

const dist = join(process.env.AGENT_SURFACE_PACKAGE ?? join(ROOT, "target", "pkg"), "dist");
const load = (file) => import(pathToFileURL(join(dist, file)).href);
const { createAgentSurfaceRegistry, init } = await load("inline.mjs");
const { createSessionRegistry, createSurfaceTransport, initSurface, SURFACE_PROTOCOL } = await load("surface.mjs");

before(async () => {
  await Promise.all([init(), initSurface()]);
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
});
after(() => mock.timers.reset());

let carrier;
let audit;
let sessions;
const link = { close() {} };
const start = ({ maxOfOrigin, maxSessions = 200, ...options } = {}) => {
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  sessions = createSessionRegistry({ ttlMs: 600_000, maxSessions, maxOfOrigin });
  audit = [];
  const surface = { registry, app: "todo", expose: [] };
  carrier = createSurfaceTransport({ name: "test", surface, sessions, authorize: () => undefined, audit: (record) => audit.push(record), ...options });
};
beforeEach(() => carrier?.close());

const A = "https://a.example";
const B = "https://b.example";

test("an `authorize` that never answers is told to stop, its peer is refused, and others get its place", async () => {
  const asked = [];
  const authorize = ({ origin }, { signal }) => new Promise((resolve) => asked.push({ origin, signal, resolve }));
  start({ authorize, authorizeMs: 5_000 });
  const first = Array.from({ length: 40 }, () => carrier.connect({ origin: A }, link));
  assert.equal(asked.length, 32, "an origin has no more of them at once");
  mock.timers.tick(5_000);
  assert.equal(asked[0].signal.aborted, false);
  mock.timers.tick(1);
  const codes = (await Promise.all(first)).map(({ error }) => error.code);
  assert.deepEqual([codes.filter((code) => code === "SCOPE_DENIED").length, codes.filter((code) => code === "RATE_LIMITED").length], [32, 8]);
  assert.ok(asked.every(({ signal }) => signal.aborted));
  // An answer that comes now lets nobody in any more.
  for (const { resolve } of asked.splice(0)) resolve({ userId: "u", scope: [] });
  await undefined;
  assert.deepEqual([sessions.list(), carrier.peers()], [[], []]);
  const second = carrier.connect({ origin: A }, link);
  assert.equal(asked.length, 1);
  asked[0].resolve({ userId: "u", scope: [] });
  assert.equal((await second).ok, true);
  assert.equal(asked[0].signal.aborted, true, "it is over");
});

test("a clock that is set back makes nobody wait for longer", async () => {
  let now = 5_000_000;
  start({ authorize: () => new Promise(() => {}), authorizeMs: 20_000, now: () => now });
  const first = carrier.connect({ origin: A }, link);
  now -= 3_600_000;
  const second = carrier.connect({ origin: A }, link);
  mock.timers.tick(20_001);
  assert.equal((await first).error.code, "SCOPE_DENIED");
  mock.timers.tick(20_001);
  assert.equal((await second).error.code, "SCOPE_DENIED");
});

test("a transport that is closed keeps nobody waiting for `authorize`", async () => {
  const signals = [];
  start({ authorize: (_, { signal }) => new Promise(() => signals.push(signal)) });
  const waiting = carrier.connect({ origin: A }, link);
  carrier.close();
  assert.deepEqual([(await waiting).error.code, signals[0].aborted], ["CLOSED", true]);
  // And asks about nobody any more.
  assert.deepEqual([(await carrier.connect({ origin: A }, link)).error.code, signals.length], ["CLOSED", 1]);
});

test("the page is asked about an origin 64 times a minute at most, whatever it answers", async () => {
  let asked = 0;
  start({ authorize: () => void asked++ });
  for (let at = 0; at < 100; at++) await carrier.connect({ origin: A }, link);
  assert.equal(asked, 64);
  await carrier.connect({ origin: B }, link);
  assert.equal(asked, 65);
  mock.timers.tick(30_000);
  for (let at = 0; at < 100; at++) await carrier.connect({ origin: A }, link);
  assert.equal(asked, 65 + 32);
});

test("a flood of refusals is told once, and then with its number", () => {
  start();
  for (let at = 0; at < 1000; at++) carrier.refuse({ origin: A, declaredName: `n${at}` }, "ORIGIN_NOT_ALLOWED");
  carrier.refuse({ origin: B }, "ORIGIN_NOT_ALLOWED");
  carrier.refuse({ origin: B }, "INVALID_REQUEST");
  const brief = () => audit.splice(0).map(({ type, origin, code, count, declaredName }) => [type, origin, code, count, declaredName]);
  assert.deepEqual(brief(), [
    ["peer-refused", A, "ORIGIN_NOT_ALLOWED", undefined, "n0"],
    ["peer-refused", B, "ORIGIN_NOT_ALLOWED", undefined, undefined],
    ["peer-refused", B, "INVALID_REQUEST", undefined, undefined],
  ]);
  mock.timers.tick(10_001);
  assert.deepEqual(brief(), [["peer-refused", A, "ORIGIN_NOT_ALLOWED", 999, "n999"]]);
  // It goes on: a line for each ten seconds; and the end tells what is left.
  for (let at = 0; at < 50; at++) carrier.refuse({ origin: A }, "ORIGIN_NOT_ALLOWED");
  assert.deepEqual(brief(), []);
  carrier.close();
  assert.deepEqual(brief(), [["peer-refused", A, "ORIGIN_NOT_ALLOWED", 50, undefined]]);
});

test("refusals of a thousand origins are counted together beyond the first ones", () => {
  start();
  for (let at = 0; at < 1000; at++) carrier.refuse({ origin: `https://${at}.example` }, "ORIGIN_NOT_ALLOWED");
  assert.equal(audit.length, 64);
  carrier.close();
  assert.equal(audit.length, 65);
  const { type, origin, count } = audit[64];
  assert.deepEqual([type, origin, count], ["peer-refused", "*", 936]);
});

test("messages that are no requests are told once for each session", async () => {
  start({ authorize: () => ({ userId: "u", scope: [] }) });
  const peers = await Promise.all([A, B].map((origin) => carrier.connect({ origin }, link)));
  for (const { connection } of peers) for (let at = 0; at < 300; at++) connection.refuse("INVALID_REQUEST");
  mock.timers.tick(10_001);
  const told = audit.filter(({ type }) => type === "message-refused").map(({ origin, count = 1, userId }) => [origin, count, userId]);
  assert.deepEqual(told, [[A, 1, "u"], [B, 1, "u"], [A, 299, "u"], [B, 299, "u"]]);
});

test("no origin has all the sessions, unless the page says so; what the page makes for itself is of none", async () => {
  const connected = async (origin, times) => {
    const outcomes = [];
    for (let at = 0; at < times; at++) outcomes.push(await carrier.connect({ origin }, link));
    const refused = outcomes.filter(({ ok }) => !ok).map(({ error }) => error.code);
    return [times - refused.length, ...new Set(refused)];
  };
  const authorize = () => ({ agentId: "the same for all", userId: "u", scope: [] });
  start({ authorize, maxSessions: 5 });
  assert.deepEqual(await connected(A, 5), [3, "RATE_LIMITED"]);
  // One that ends makes room for one.
  carrier.revoke(carrier.peers()[0].session.sessionId);
  await undefined;
  assert.deepEqual(await connected(A, 2), [1, "RATE_LIMITED"]);
  assert.deepEqual(await connected(B, 1), [1]);
  assert.notEqual(sessions.create({ agentId: "console", userId: "u", scope: [] }), undefined);
  assert.deepEqual(await connected(B, 1), [0, "RATE_LIMITED"]);
  carrier.close();
  start({ authorize, maxSessions: 5, maxOfOrigin: 4 });
  assert.deepEqual(await connected(A, 5), [4, "RATE_LIMITED"]);
  for (const maxOfOrigin of [0, 1.5, "4"]) assert.throws(() => start({ maxOfOrigin }), { name: "TypeError" });
  assert.throws(() => sessions.create({ agentId: "a", userId: "u", scope: [], origin: 5 }), { name: "TypeError" });
});

test("nothing of a request is read before its size and its depth are known, for the audit neither", async (t) => {
  start({ authorize: () => ({ userId: "u", scope: [] }), maxBytes: 2_000 });
  const { connection } = await carrier.connect({ origin: A }, link);
  const parse = t.mock.method(JSON, "parse");
  const envelope = (input) => `{"protocol":"${SURFACE_PROTOCOL}","id":"1","method":"invoke","capability":"todo.add","input":${input}}`;
  const texts = [envelope("[".repeat(900) + "]".repeat(900)), envelope(`"${"é".repeat(1_500)}"`), envelope(`"${"x".repeat(5_000)}"`), envelope('"\ud800"'), envelope("1")];
  const answers = [];
  for (const text of texts) connection.request(text, (response) => answers.push(response));
  const read = parse.mock.calls.map(({ arguments: [text] }) => text);
  assert.ok(read.every((text) => !texts.includes(text) && text.length < 500));
  const told = audit.filter(({ type }) => type === "request").map(({ requestId, method, capability, ok, code }) => [requestId, method, capability, ok, code]);
  const nothing = [undefined, undefined, undefined, false];
  assert.deepEqual(told, [
    [...nothing, "INVALID_REQUEST"],
    [...nothing, "REQUEST_TOO_LARGE"],
    [...nothing, "REQUEST_TOO_LARGE"],
    [...nothing, "INVALID_REQUEST"],
    ["1", "invoke", "todo.add", false, "CAPABILITY_NOT_EXPOSED"],
  ]);
  assert.deepEqual(answers.map((text) => JSON.parse(text).error.code), told.map(([, , , , code]) => code));
});

test("how long the page may think must be a number of milliseconds", () => {
  for (const authorizeMs of [0, -1, 1.5, 2 ** 31 - 1, "5", NaN]) assert.throws(() => start({ authorizeMs }), { code: "INVALID_DEFINITION" });
});
