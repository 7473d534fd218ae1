// The external surface in Chromium: a page, and peers in frames of other origins (`external-page.mjs`).

import assert from "node:assert/strict";
import { test } from "node:test";
import { useOrigins } from "./external-page.mjs";

const { held, openHome, start, open, connect, pageDoes, eventually } = useOrigins();

test("a peer describes, invokes and meets both kinds of failure", async () => {
  await start();
  const peer = await open(held.one);
  await connect(peer, "Helper");
  const found = await peer.evaluate(async () => ({
    described: await client.describe(),
    one: await client.describe({ limit: 1 }),
    added: await client.invoke("todo.add", { text: "x" }),
    wrong: await client.invoke("todo.add", { text: 5 }),
    hidden: await client.invoke("row.complete"),
    session: client.session,
  }));
  const { result } = found.described;
  assert.deepEqual(result.capabilities.map(({ id, effect, confirmation, available }) => [id, effect, confirmation, available]), [
    ["todo.overview", "local-state", "never", true],
    ["todo.add", "local-state", "never", true],
    ["todo.clear_completed", "local-state", "required", true],
  ]);
  assert.deepEqual(result.context, { records: [{ id: 1 }, { id: 2 }], total: 3, truncated: true });
  assert.deepEqual(found.one.result.context.records, [{ id: 1 }]);
  assert.deepEqual(found.added.result, { output: { added: "x" } });
  assert.deepEqual([found.wrong.ok, found.wrong.result.error.code], [true, "INVALID_INPUT"]);
  assert.deepEqual([found.hidden.ok, found.hidden.error.code], [false, "CAPABILITY_NOT_EXPOSED"]);
  assert.deepEqual(found.session.scope, ["todo.overview", "todo.add", "todo.clear_completed"]);
  const told = await pageDoes(() => ({ ran: T.ran, peers: T.transport.peers(), audit: T.audit }));
  assert.deepEqual(told.ran, ["x"]);
  // What it calls itself stands apart from what was proved.
  assert.deepEqual([told.peers[0].origin, told.peers[0].declaredName, told.peers[0].session.agentId], [held.one.origin, "Helper", held.one.origin]);
  assert.ok(told.audit.some(({ type, code }) => type === "request" && code === "CAPABILITY_NOT_EXPOSED"));
});

test("a person decides in the page, and the peer can neither see how nor do it", async () => {
  await start();
  const peer = await open(held.one);
  await connect(peer);
  for (const [approved, expected] of [[false, "PERMISSION_DENIED"], [true, undefined]]) {
    await peer.evaluate(() => void (window.asked = client.invoke("todo.clear_completed")));
    await eventually(() => T.registry.confirmations.pending().length === 1);
    await pageDoes((decision) => {
      const [{ confirmationId }] = T.registry.confirmations.pending();
      T.registry.confirmations.resolve(confirmationId, { approved: decision, reason: "because" });
    }, approved);
    const { ok, result } = await peer.evaluate(() => asked);
    assert.equal(ok, true);
    assert.equal(result.error?.code, expected);
    if (!approved) assert.deepEqual(result.error.details, { reason: "denied", note: "because" });
    else assert.deepEqual(result.output, { cleared: 1 });
  }
  assert.deepEqual(await pageDoes(() => T.ran), ["clear"]);
});

test("who is not on the list, has no origin or repeats a nonce gets no port", async () => {
  await start();
  const attempts = async (inside) =>
    inside.evaluate(async (origin) => {
      try {
        await C.SurfaceClient.connect({ origin, timeoutMs: 700 });
        return "connected";
      } catch (error) {
        return error.code;
      }
    }, held.home.origin);
  assert.equal(await attempts(await open(held.stranger)), "PEER_GONE");
  assert.equal(await attempts(await open(held.one, "allow-scripts")), "PEER_GONE");
  const peer = await open(held.two);
  const answers = await peer.evaluate(async (origin) => {
    const heard = [];
    addEventListener("message", ({ data }) => heard.push([data.agentSurface, data.code]));
    const say = (message) => parent.postMessage({ agentSurface: "hello", ...message }, origin);
    const nonce = "n".repeat(20);
    say({ protocol: "agent-surface/9", nonce });
    say({ protocol: C.SURFACE_PROTOCOL });
    say({ protocol: C.SURFACE_PROTOCOL, nonce: "short" });
    say({ protocol: C.SURFACE_PROTOCOL, nonce });
    say({ protocol: C.SURFACE_PROTOCOL, nonce });
    await until(() => heard.length >= 4);
    const refusals = [];
    for (const bad of ["*", "null", "http://localhost", undefined, `${origin}/`]) {
      await C.SurfaceClient.connect({ origin: bad, timeoutMs: 1 }).catch((error) => refusals.push(error.name));
    }
    return { heard: heard.map(String).sort(), refusals };
  }, held.home.origin);
  assert.deepEqual(answers.heard, ["heard,", "refused,PROTOCOL_MISMATCH", "refused,REPLAYED_REQUEST", "welcome,"]);
  // An origin without its port is another origin, not a wrong one.
  assert.deepEqual(answers.refusals, ["TypeError", "TypeError", "SurfaceClientError", "TypeError", "TypeError"]);
  const told = await pageDoes(() => ({
    codes: T.audit.filter(({ type }) => type === "peer-refused").map(({ code }) => code),
    thrown: [["*"], ["null"], [location.origin + "/"], "x"].map((origins) => {
      try {
        S.createPostMessageTransport({ surface: T.surface, sessions: T.sessions, origins, authorize() {} });
        return "made";
      } catch (error) {
        return error.code;
      }
    }),
    // Before anybody connects.
    early: [
      { surface: { ...T.surface, exposed: [] } },
      { surface: { ...T.surface, expose: ["no id"] } },
      { surface: { ...T.surface, expose: [() => "x"] } },
      { surface: { ...T.surface, recordLimit: -1 } },
      { surface: undefined },
      { surface: { ...T.surface, registry: undefined } },
      { surface: { ...T.surface, registry: {} } },
      { surface: { ...T.surface, records: 5 } },
      { surface: { ...T.surface, execute: "x" } },
      { surface: { ...T.surface, now: 5 } },
      { sessions: undefined },
      { rate: { limit: 0, windowMs: 1 } },
    ].map((wrong) => {
      try {
        S.createPostMessageTransport({ surface: T.surface, sessions: T.sessions, origins: [location.origin], authorize() {}, ...wrong }).close();
        return "made";
      } catch (error) {
        return error.message.replace("[INVALID_DEFINITION] ", "").slice(0, 40);
      }
    }),
    whole: (() => {
      S.createPostMessageTransport({ surface: T.surface, sessions: T.sessions, origins: [location.origin], authorize() {} }).close();
      return "made";
    })(),
  }));
  assert.ok(told.codes.includes("ORIGIN_NOT_ALLOWED") && told.codes.includes("INVALID_REQUEST"));
  assert.deepEqual(told.thrown, Array(4).fill("INVALID_DEFINITION"));
  assert.equal(told.whole, "made");
  assert.deepEqual(told.early, [
    "`exposed` is no option of `createSurface`",
    '`"no id"` publishes nothing: an entry is ',
    "`expose[0]` must be JSON, found a function",
    "`recordLimit`, `maxBytes` and `maxInFlight`",
    ...Array(6).fill("a surface needs the page's `registry`; `records`"),
    "a transport needs a `name`, `sessions` and",
    "`rate` must be { limit, windowMs }, whole",
  ].map((text) => text.slice(0, 40)));
});

test("hostile messages on a port get a clear error and change nothing", async () => {
  await start();
  const peer = await open(held.one);
  const answers = await peer.evaluate(async (origin) => {
    const nonce = "m".repeat(20);
    const welcome = new Promise((resolve) => addEventListener("message", ({ data, ports }) => data.agentSurface === "welcome" && resolve(ports[0])));
    parent.postMessage({ agentSurface: "hello", protocol: C.SURFACE_PROTOCOL, nonce }, origin);
    const port = await welcome;
    const heard = new Map();
    port.onmessage = ({ data: [kind, number, text] }) => kind === "answer" && heard.set(number, JSON.parse(text));
    const request = (more) => JSON.stringify({ protocol: C.SURFACE_PROTOCOL, id: "r", method: "invoke", capability: "todo.add", input: { text: "x" }, ...more });
    const texts = [
      request({ protocol: "agent-surface/2" }),
      request({ id: undefined }),
      request({ method: "click" }),
      "x".repeat(10 << 20),
      "[".repeat(10_000) + "]".repeat(10_000),
      request({}).replace('"x"', '"\ud800"'),
      request({}).replace('"x"', '"\\ud800"'),
      request({ confirmationId: "cnf_1" }),
      request({ capability: "view:support-queue.todo.add" }),
    ];
    for (const bad of [5, null, {}, ["call"], ["call", -1.5, "x"], ["call", 1, {}], ["approve", "cnf_1"], new Map()]) port.postMessage(bad);
    texts.forEach((text, number) => port.postMessage(["call", number, text]));
    await until(() => heard.size === texts.length);
    return texts.map((_, number) => heard.get(number).error.code);
  }, held.home.origin);
  assert.deepEqual(answers, [
    "PROTOCOL_MISMATCH", "INVALID_REQUEST", "INVALID_REQUEST", "REQUEST_TOO_LARGE", "INVALID_REQUEST",
    "INVALID_REQUEST", "INVALID_REQUEST", "INVALID_REQUEST", "CAPABILITY_NOT_EXPOSED",
  ]);
  assert.deepEqual(await pageDoes(() => [T.ran, T.registry.confirmations.pending().length]), [[], 0]);
});

test("two frames of different origins interleave and never get each other's answers", async () => {
  await start();
  const peers = [await open(held.one), await open(held.two)];
  await Promise.all(peers.map((peer) => connect(peer)));
  const ask = (peer, mark) =>
    peer.evaluate(async (name) => {
      // The same ids on both sides.
      const calls = Array.from({ length: 60 }, (_, at) => client.invoke("todo.add", { text: `${name}${at}` }, { id: `r${at}` }));
      const answers = await Promise.all(calls);
      return answers.filter(({ ok, result }, at) => (ok ? result.output?.added === `${name}${at}` : false)).length;
    }, mark);
  const [left, right] = await Promise.all([ask(peers[0], "a"), ask(peers[1], "b")]);
  const ran = await pageDoes(() => T.ran);
  assert.equal(new Set(ran).size, ran.length, "something ran twice");
  assert.ok(left > 0 && right > 0);
  assert.equal(ran.length, left + right, "an answer was lost or crossed over");
});

test("a frame that reloads in the middle of a call leaves nothing to be approved", async () => {
  await start();
  const peer = await open(held.one);
  await connect(peer);
  await peer.evaluate(() => void client.invoke("todo.clear_completed"));
  await eventually(() => T.registry.confirmations.pending().length === 1);
  const begun = Date.now();
  await Promise.all([peer.waitForNavigation(), peer.evaluate(() => void setTimeout(() => location.reload()))]);
  await eventually(() => T.transport.peers().length === 0 && T.registry.confirmations.pending().length === 0);
  assert.ok(Date.now() - begun < 10_000);
  await peer.waitForSelector("html[data-ready]", { state: "attached" });
  await connect(peer);
  const { result } = await peer.evaluate(() => client.invoke("todo.add", { text: "again" }));
  assert.deepEqual(result, { output: { added: "again" } });
  const told = await pageDoes(() => ({ ran: T.ran, codes: T.audit.filter(({ type }) => type === "peer-closed").map(({ code }) => code) }));
  assert.deepEqual(told, { ran: ["again"], codes: ["PEER_GONE"] });
});

test("a session that is revoked while the person decides runs nothing, and the peer is told", async () => {
  await start();
  const peer = await open(held.one);
  await connect(peer);
  await peer.evaluate(() => void (window.asked = client.invoke("todo.clear_completed")));
  await eventually(() => T.registry.confirmations.pending().length === 1);
  const decided = await pageDoes(() => {
    const [{ confirmationId }] = T.registry.confirmations.pending();
    const [{ session }] = T.transport.peers();
    const revoked = T.transport.revoke(session.sessionId);
    return [revoked, T.registry.confirmations.pending().length, T.registry.confirmations.resolve(confirmationId, { approved: true })];
  });
  assert.deepEqual(decided, [true, 0, false]);
  const told = await peer.evaluate(async () => [(await asked).error.code, await client.closed, (await client.invoke("todo.add", { text: "x" })).error.code]);
  assert.deepEqual(told, ["SESSION_REVOKED", "SESSION_REVOKED", "SESSION_REVOKED"]);
  assert.deepEqual(await pageDoes(() => [T.ran, T.transport.peers().length]), [[], 0]);
});

test("a caller that leaves before the decision starts nothing", async () => {
  await start();
  const peer = await open(held.one);
  await connect(peer);
  await peer.evaluate(() => {
    window.leaving = new AbortController();
    window.asked = client.invoke("todo.clear_completed", undefined, { signal: leaving.signal });
  });
  await eventually(() => T.registry.confirmations.pending().length === 1);
  const code = await peer.evaluate(async () => {
    leaving.abort();
    return (await asked).result.error.code;
  });
  assert.equal(code, "CANCELLED");
  assert.deepEqual(await pageDoes(() => [T.ran, T.registry.confirmations.pending().length]), [[], 0]);
});

/** 1,000 requests a second for 10 seconds: what became of them, by their answers. */
const load = (peer) =>
  peer.evaluate(async () => {
    const TOTAL = 10_000;
    const counted = { sent: 0, ran: 0, refused: 0, other: 0, wrong: 0, ms: 0 };
    const calls = [];
    const begun = performance.now();
    while (counted.sent < TOTAL) {
      const due = Math.min(TOTAL, Math.floor(performance.now() - begun));
      while (counted.sent < due) {
        const text = `t${counted.sent++}`;
        calls.push(
          client.invoke("todo.add", { text }, { id: text }).then(({ id, ok, error, result }) => {
            if (id !== text) counted.wrong++;
            else if (ok && result.output?.added === text) counted.ran++;
            else if (error?.code === "RATE_LIMITED") counted.refused++;
            else counted.other++;
          }),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(calls);
    return { ...counted, ms: performance.now() - begun };
  });

test("a thousand requests a second for ten seconds, with and without limits: nothing is lost or run twice", async () => {
  const rate = { limit: 300, windowMs: 1000 };
  // Without a limit on what is under way, either: a browser that falls behind sends many at once.
  const cases = [{ maxInFlight: 10_000 }, { rate }];
  const judged = await Promise.all(
    cases.map(async (options) => {
      const home = await openHome();
      await home.start(options);
      const peer = await home.open(held.one);
      await home.connect(peer);
      const counts = await load(peer);
      const ran = await home.pageDoes(() => T.ran);
      await home.page.close();
      return { counts, ran };
    }),
  );
  for (const { counts, ran } of judged) {
    assert.deepEqual([counts.sent, counts.wrong, counts.other, counts.ran + counts.refused], [10_000, 0, 0, 10_000]);
    assert.equal(new Set(ran).size, ran.length, "something ran twice");
    assert.equal(ran.length, counts.ran, "an answer was lost");
  }
  const [free, limited] = judged.map(({ counts }) => counts);
  assert.equal(free.ran, 10_000);
  assert.ok(limited.ran <= rate.limit + (limited.ms / rate.windowMs) * rate.limit + 1, JSON.stringify(limited));
});

test("a hundred descriptions are the same bytes; only a change of what is listed is told", async () => {
  await start();
  const peer = await open(held.one);
  await connect(peer);
  const texts = await peer.evaluate(async () => {
    window.changes = 0;
    client.onChange(() => window.changes++);
    const found = new Set();
    for (let at = 0; at < 100; at++) found.add(JSON.stringify((await client.describe()).result));
    return found.size;
  });
  assert.equal(texts, 1);
  // And of a hundred pages that declare the same.
  const runs = await pageDoes(async () => {
    const found = new Set();
    for (let at = 0; at < 100; at++) {
      const { registry, transport, sessions, surface, scope } = start([]);
      const session = sessions.create({ agentId: "a", userId: "u1", scope });
      const external = S.createSurface({ ...surface, session });
      found.add(JSON.stringify(await external.handle({ protocol: S.SURFACE_PROTOCOL, id: "1", method: "describe" })));
      transport.close();
      registry.dispose();
    }
    return [...found];
  });
  assert.equal(runs.length, 1);
  await pageDoes(() => {
    T.other = S.defineActions(T.registry, { app: "elsewhere", actions: { look: { description: "Unpublished", handler() {} } } });
  });
  await peer.evaluate(() => client.describe());
  assert.equal(await peer.evaluate(() => window.changes), 0);
  await pageDoes(() => T.defined.unregister());
  await peer.waitForFunction(() => window.changes === 1, undefined, { polling: 20, timeout: 10_000 });
  const { result } = await peer.evaluate(() => client.describe());
  assert.deepEqual(result.capabilities[1], { id: "todo.add", available: false, unavailableReason: "not-mounted" });
});

test("the page's own console talks the same envelope, and an expired session ends what waits", async () => {
  await start();
  const found = await pageDoes(async () => {
    const session = T.sessions.create({ agentId: "console", userId: "u1", scope: ["todo.add", "todo.clear_completed"] });
    const surface = S.createSurface({ ...T.surface, session });
    const request = (id, capability, input) => surface.handle({ protocol: S.SURFACE_PROTOCOL, id, method: "invoke", capability, input });
    const twice = await Promise.all([request("1", "todo.add", { text: "y" }), request("1", "todo.add", { text: "y" })]);
    const cyclic = {};
    cyclic.self = cyclic;
    const codes = [];
    for (const bad of [undefined, 5, cyclic, { id: "ok", input: "\ud800" }, { id: "big", input: "x".repeat(300_000) }]) {
      const { id, error } = await surface.handle(bad);
      codes.push([id, error.code]);
    }
    const scope = (await request("2", "todo.overview")).error.code;
    // A caller that has left already.
    const left = { protocol: S.SURFACE_PROTOCOL, id: "left", method: "invoke", capability: "todo.add", input: { text: "z" } };
    codes.push(["left", (await surface.handle(left, { signal: AbortSignal.abort() })).result.error.code]);
    const asked = request("3", "todo.clear_completed");
    await null;
    const pending = T.registry.confirmations.pending().length;
    T.sessions.revoke(session.sessionId);
    // A copy of a revoked session is revoked, too.
    const copy = S.createSurface({ ...T.surface, session: { ...session } });
    const later = await copy.handle({ protocol: S.SURFACE_PROTOCOL, id: "1", method: "describe" });
    const short = S.createSurface({ ...T.surface, session: { ...session, sessionId: "s2", expiresAt: Date.now() + 300 } });
    const waits = short.handle({ protocol: S.SURFACE_PROTOCOL, id: "1", method: "invoke", capability: "todo.clear_completed" });
    const view = { twice, codes, scope, pending, asked: (await asked).error.code, later: later.error.code, expired: (await waits).error.code };
    return { ...view, left: T.registry.confirmations.pending().length, ran: T.ran };
  });
  assert.deepEqual(found.twice[0], found.twice[1]);
  assert.deepEqual(found.codes, [[null, "INVALID_REQUEST"], [null, "INVALID_REQUEST"], [null, "INVALID_REQUEST"], ["ok", "INVALID_REQUEST"], ["big", "REQUEST_TOO_LARGE"], ["left", "CANCELLED"]]);
  assert.deepEqual([found.scope, found.pending, found.asked, found.later, found.expired], ["SCOPE_DENIED", 1, "SESSION_REVOKED", "SESSION_REVOKED", "SESSION_EXPIRED"]);
  assert.deepEqual([found.left, found.ran], [0, ["y"]]);
});
