// Slow pages and hostile frames, in Chromium: what a peer can do to the page that lets it in, or does not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useOrigins } from "./external-page.mjs";

const { held, start, open, connect, pageDoes, eventually } = useOrigins();
/** `start` with what only the page can make: `make` runs there. */
const startWith = (make) => pageDoes(`window.T = start(${JSON.stringify([held.one.origin, held.two.origin])}, (${make})())`);
/** Counts the greetings that arrive, from now on. */
const countHellos = () =>
  pageDoes(() => {
    window.hellos = 0;
    addEventListener("message", ({ data }) => (window.hellos += data.agentSurface === "hello"));
  });

test("a page that thinks for long, or was busy, is asked about a connection once", async () => {
  await countHellos();
  await startWith(() => {
    window.asked = [];
    const authorize = ({ origin }) => new Promise((resolve) => asked.push({ origin, grant: () => resolve({ userId: "u1", scope: ["todo.add"] }) }));
    return { authorize };
  });
  const peer = await open(held.one);
  const begin = () => peer.evaluate((origin) => void (window.connecting = C.SurfaceClient.connect({ origin })), held.home.origin);
  await begin();
  await eventually(() => hellos >= 4);
  assert.equal(await pageDoes(() => (asked[0].grant(), asked.length)), 1);
  await peer.evaluate(async () => void (window.client = await connecting));
  assert.deepEqual((await peer.evaluate(() => client.invoke("todo.add", { text: "x" }))).result, { output: { added: "x" } });
  // The page's thread is taken while the greetings come in: it finds them all at once.
  await pageDoes(() => void (asked.length = hellos = 0));
  await Promise.all([
    pageDoes(() => {
      const until = Date.now() + 1_800;
      while (Date.now() < until);
    }),
    begin(),
  ]);
  await eventually(() => hellos >= 3 && asked.length > 0);
  assert.equal(await pageDoes(() => (asked[0].grant(), asked.length)), 1);
  await peer.evaluate(async () => void (await connecting));
  const told = await pageDoes(() => [T.audit.filter(({ type }) => type === "peer-refused"), T.transport.peers().length]);
  assert.deepEqual(told, [[], 2]);
});

test("a frame that reloads while the page thinks makes a new attempt; a transport that comes later takes up an old one", async () => {
  await countHellos();
  await startWith(() => {
    window.asked = [];
    const authorize = () => new Promise((resolve) => asked.push(() => resolve({ userId: "u1", scope: ["todo.add"] })));
    return { authorize };
  });
  const peer = await open(held.one);
  const begin = () => peer.evaluate((origin) => void (window.connecting = C.SurfaceClient.connect({ origin })), held.home.origin);
  await begin();
  await eventually(() => asked.length === 1);
  await Promise.all([peer.waitForNavigation(), peer.evaluate(() => void setTimeout(() => location.reload()))]);
  await peer.waitForSelector("html[data-ready]", { state: "attached" });
  await begin();
  await eventually(() => asked.length === 2);
  // The page takes its transport down while it thinks, and has another one: the greeting that is repeated finds it.
  await pageDoes((origins) => {
    T.transport.close();
    T.registry.dispose();
    window.T = start(origins);
  }, [held.one.origin]);
  await peer.evaluate(async () => void (window.client = await connecting));
  assert.deepEqual((await peer.evaluate(() => client.invoke("todo.add", { text: "x" }))).result, { output: { added: "x" } });
  await pageDoes(() => asked.forEach((grant) => grant()));
  assert.equal(await pageDoes(() => T.transport.peers().length), 1);
});

test("a client that gave up before it began asks nothing", async () => {
  await countHellos();
  await start();
  const peer = await open(held.one);
  const code = await peer.evaluate(async (origin) => {
    const failed = await C.SurfaceClient.connect({ origin, signal: AbortSignal.abort() }).catch((error) => error.code);
    // What was said before this has arrived before this.
    parent.postMessage("after", origin);
    return failed;
  }, held.home.origin);
  assert.equal(code, "CANCELLED");
  await connect(peer);
  assert.deepEqual(await pageDoes(() => [hellos, T.audit.length]), [1, 1]);
});

test("a stranger's flood is told in two lines, and holds nobody up", async () => {
  await start();
  const stranger = await open(held.stranger);
  const peer = await open(held.one);
  await stranger.evaluate((origin) => {
    const nonce = "s".repeat(20);
    for (let at = 0; at < 2_000; at++) parent.postMessage({ agentSurface: "hello", protocol: C.SURFACE_PROTOCOL, nonce, name: `n${at}` }, origin);
  }, held.home.origin);
  await connect(peer);
  assert.equal((await peer.evaluate(() => client.invoke("todo.add", { text: "x" }))).ok, true);
  const lines = await pageDoes(() => {
    T.transport.close();
    return T.audit.filter(({ code }) => code === "ORIGIN_NOT_ALLOWED");
  });
  assert.deepEqual(lines.map(({ origin, count = 1 }) => [origin, count]), [[held.stranger.origin, 1], [held.stranger.origin, 1_999]]);
});

/** In a frame: greets under a nonce of its own and resolves to the port, or to the code of the refusal. */
const GREET = `window.greet = (origin, nonce = crypto.randomUUID(), more = {}) => new Promise((resolve) => {
  const onMessage = ({ data, ports }) => {
    if (data?.nonce !== nonce || data.agentSurface === "heard") return;
    removeEventListener("message", onMessage);
    resolve(data.agentSurface === "welcome" ? ports[0] : data.code);
  };
  addEventListener("message", onMessage);
  parent.postMessage({ agentSurface: "hello", protocol: C.SURFACE_PROTOCOL, nonce, ...more }, origin);
});
window.envelope = (more) => JSON.stringify({ protocol: C.SURFACE_PROTOCOL, id: "r", method: "invoke", capability: "todo.add", input: { text: "x" }, ...more });`;

test("a listed origin that greets without end is asked about a bounded number of times, gets its share of the sessions, and holds up no other", async () => {
  await startWith(() => {
    window.asked = {};
    return { authorize: ({ origin }) => ((asked[origin] = (asked[origin] ?? 0) + 1), { userId: "u1", scope: ["todo.add"] }) };
  });
  const hog = await open(held.one);
  const peer = await open(held.two);
  await hog.evaluate(GREET);
  const begun = Date.now();
  const flood = hog.evaluate(async (origin) => {
    window.ports = [];
    const outcomes = await Promise.all(Array.from({ length: 1_000 }, () => greet(origin)));
    window.ports = outcomes.filter((each) => typeof each !== "string");
    return [window.ports.length, [...new Set(outcomes.filter((each) => typeof each === "string"))]];
  }, held.home.origin);
  await connect(peer);
  assert.deepEqual((await peer.evaluate(() => client.invoke("todo.add", { text: "x" }))).result, { output: { added: "x" } });
  assert.deepEqual(await flood, [4, ["RATE_LIMITED"]]);
  // It answers no beat: its sessions are taken back.
  await eventually(() => T.transport.peers().length === 1);
  const [times, sessions, lines] = await pageDoes(() => [asked, T.sessions.list().length, T.audit.length]);
  // While it lasts, 64 more each minute.
  const most = 65 + ((Date.now() - begun) * 64) / 60_000;
  assert.ok(times[held.one.origin] >= 64 && times[held.one.origin] <= most, JSON.stringify(times));
  assert.deepEqual([times[held.two.origin], sessions], [1, 1]);
  assert.ok(lines < 30, `${lines} lines of audit`);
});

test("a frame that goes to another origin while the page thinks leaves its port to nobody", async () => {
  await startWith(() => {
    window.asked = [];
    return { authorize: ({ origin }) => new Promise((resolve) => asked.push({ origin, grant: () => resolve({ userId: "u1", scope: ["todo.add"] }) })) };
  });
  const peer = await open(held.one);
  await peer.evaluate(GREET);
  await peer.evaluate((origin) => void greet(origin, "n".repeat(20)), held.home.origin);
  await eventually(() => asked.length === 1);
  await Promise.all([peer.waitForNavigation(), peer.evaluate((src) => void setTimeout(() => (location.href = src)), `${held.two.origin}/`)]);
  await peer.waitForSelector("html[data-ready]", { state: "attached" });
  await peer.evaluate(() => {
    window.heard = [];
    addEventListener("message", ({ data, ports }) => heard.push([data.agentSurface, data.code, ports.length]));
  });
  await pageDoes(() => asked[0].grant());
  await eventually(() => T.audit.some(({ type }) => type === "peer-closed"));
  // The nonce belongs to where it came from, in this window too.
  await peer.evaluate(GREET);
  assert.equal(await peer.evaluate((origin) => greet(origin, "n".repeat(20)), held.home.origin), "REPLAYED_REQUEST");
  assert.deepEqual(await peer.evaluate(() => heard), [["refused", "REPLAYED_REQUEST", 0]]);
  assert.deepEqual(await pageDoes(() => [T.transport.peers().length, T.sessions.list().length, asked.length]), [0, 0, 1]);
});

for (const [how, leave] of [
  ["is removed", (peer) => pageDoes(() => document.querySelector("iframe").remove())],
  ["navigates elsewhere", (peer) => peer.evaluate((src) => void setTimeout(() => (location.href = src)), `${held.stranger.origin}/`)],
]) {
  test(`a frame that ${how} in the middle of calls ends them: nothing stays to be approved, a handler hears of it`, async () => {
    await startWith(() => ({
      published: {
        slow: { description: "Slow", handler: (_, { signal }) => new Promise((resolve) => {
          T.ran.push("began");
          signal.addEventListener("abort", () => { T.ran.push("aborted"); resolve(); });
        }) },
      },
    }));
    const peer = await open(held.one);
    await connect(peer);
    await peer.evaluate(() => void [client.invoke("todo.clear_completed"), client.invoke("slow")]);
    await eventually(() => T.registry.confirmations.pending().length === 1 && T.ran.length === 1);
    await leave(peer);
    await eventually(() => T.transport.peers().length === 0);
    const left = await pageDoes(() => [T.registry.confirmations.pending().length, T.ran, T.sessions.list().length]);
    assert.deepEqual(left, [0, ["began", "aborted"], 0]);
  });
}

test("a frame that is removed while the page thinks leaves no session behind", async () => {
  await startWith(() => {
    window.asked = [];
    return { authorize: () => new Promise((resolve) => asked.push(() => resolve({ userId: "u1", scope: ["todo.add"] }))) };
  });
  const peer = await open(held.one);
  await peer.evaluate(GREET);
  await peer.evaluate((origin) => void greet(origin), held.home.origin);
  await eventually(() => asked.length === 1);
  await pageDoes(() => {
    document.querySelector("iframe").remove();
    asked[0]();
  });
  await eventually(() => T.audit.some(({ type }) => type === "peer-closed"));
  assert.deepEqual(await pageDoes(() => [T.transport.peers().length, T.sessions.list().length]), [0, 0]);
});

test("a frame that reloads again and again is let in each time", async () => {
  await start();
  const peer = await open(held.one);
  for (let round = 0; round < 8; round++) {
    await connect(peer);
    assert.equal((await peer.evaluate(() => client.invoke("todo.overview"))).ok, true);
    await Promise.all([peer.waitForNavigation(), peer.evaluate(() => void setTimeout(() => location.reload()))]);
    await peer.waitForSelector("html[data-ready]", { state: "attached" });
  }
  await eventually(() => T.transport.peers().length === 0);
});

test("messages of odd kinds, huge and deep ones, and what is transferred with them change nothing", async () => {
  await start();
  const peer = await open(held.one);
  await peer.evaluate(GREET);
  const found = await peer.evaluate(async (origin) => {
    const deep = (levels) => {
      let value = [];
      for (let at = 0; at < levels; at++) value = [value];
      return value;
    };
    const hello = (more) => ({ agentSurface: "hello", protocol: C.SURFACE_PROTOCOL, nonce: crypto.randomUUID(), ...more });
    const sent = [];
    const post = (what, target) => {
      try {
        target();
      } catch (error) {
        sent.push([what, error.name]);
      }
    };
    const big = "x".repeat(40 << 20);
    const { port1, port2 } = new MessageChannel();
    for (const [what, message, transfer = []] of [
      ["a nonce of 40 MB", hello({ nonce: big })],
      ["a nonce that is no text", hello({ nonce: ["n".repeat(20)] })],
      ["a nonce with half a pair", hello({ nonce: `${"n".repeat(20)}\ud800` })],
      ["a deep nonce", hello({ nonce: deep(1_000) })],
      ["a protocol of 40 MB", hello({ protocol: big })],
      ["ports", hello({ nonce: "short", port1, port2 }), [port1, port2]],
      ["a map", new Map([["agentSurface", "hello"]])],
      ["an error", Object.assign(new Error("hello"), { agentSurface: "hello" })],
      ["a buffer", new ArrayBuffer(8)],
      ["nothing", null],
    ]) post(what, () => parent.postMessage(message, origin, transfer));
    // A name of 40 MB and ports beside it are nothing against a peer: it has its port.
    const extra = new MessageChannel();
    const named = new Promise((resolve) => {
      const nonce = crypto.randomUUID();
      addEventListener("message", ({ data, ports }) => data.nonce === nonce && data.agentSurface === "welcome" && resolve(ports));
      parent.postMessage(hello({ nonce, name: big, more: extra.port1 }), origin, [extra.port1]);
    });
    const ports = await named;
    const [port] = ports;
    const heard = new Map();
    port.onmessage = ({ data: [kind, number, text] }) => {
      if (kind === "answer") heard.set(number, JSON.parse(text));
      if (kind === "ping") port.postMessage(["pong"]);
    };
    const channel = new MessageChannel();
    const odd = [
      ["call", 1, new String(envelope({}))],
      ["call", 1, [envelope({})]],
      ["call", NaN, envelope({})],
      ["call", 2 ** 53, envelope({})],
      ["call", "1", envelope({})],
      ["call", 1n, envelope({})],
      ["call", { valueOf: 1 }, envelope({})],
      ["call", 1, deep(1_000)],
      deep(1_000),
      new Array(2 ** 20),
      { 0: "call", 1: 1, 2: envelope({}), length: 3 },
      new Date(),
      ["constructor"], ["__proto__", 1, envelope({})], [["call"], 1, envelope({})],
    ];
    for (const each of odd) post("on the port", () => port.postMessage(each));
    post("with a port", () => port.postMessage(["call", channel.port2, envelope({})], [channel.port2]));
    post("itself", () => port.postMessage(["call", 5, port], [port]));
    port.postMessage(["call", 7, big]);
    port.postMessage(["call", 8, "[".repeat(30_000) + "]".repeat(30_000)]);
    port.postMessage(["call", 9, envelope({ id: "9" })]);
    // The same number while it is under way, and one that leaves what is not there.
    port.postMessage(["left", "x"]);
    port.postMessage(["left", 1e300]);
    await until(() => heard.has(9));
    return { sent, ports: ports.length, answers: [7, 8, 9].map((number) => heard.get(number)).map(({ ok, error }) => error?.code ?? ok), others: [...heard.keys()].filter((key) => ![7, 8, 9].includes(key)) };
  }, held.home.origin);
  assert.deepEqual(found, { sent: [["itself", "DataCloneError"]], ports: 1, answers: ["REQUEST_TOO_LARGE", "INVALID_REQUEST", true], others: [] });
  const told = await pageDoes(() => {
    const [{ declaredName }] = T.transport.peers();
    T.transport.close();
    const refused = (type) => T.audit.filter((record) => record.type === type).reduce((sum, { count = 1 }) => sum + count, 0);
    return [T.ran, declaredName.length, refused("message-refused"), refused("peer-refused")];
  });
  assert.deepEqual(told, [["x"], 100, 16, 6]);
});

test("a port that is handed on speaks for the peer that it was given to, and for nobody else", async () => {
  await start();
  const first = await open(held.one);
  const second = await open(held.two);
  await first.evaluate(GREET);
  await second.evaluate(() => {
    window.got = new Promise((resolve) => addEventListener("message", ({ data, ports }) => data === "yours" && resolve(ports[0])));
  });
  await first.evaluate(async ([home, other]) => {
    const port = await greet(home);
    parent.frames[1].postMessage("yours", other, [port]);
  }, [held.home.origin, held.two.origin]);
  await second.evaluate(async () => {
    window.port = await got;
    window.heard = [];
    port.onmessage = ({ data: [kind, number, text] }) => {
      if (kind === "ping") port.postMessage(["pong"]);
      if (kind === "answer") heard.push([number, JSON.parse(text).ok]);
    };
    port.postMessage(["call", 1, JSON.stringify({ protocol: C.SURFACE_PROTOCOL, id: "r", method: "invoke", capability: "todo.add", input: { text: "x" } })]);
    await until(() => heard.length === 1);
  });
  const told = await pageDoes(() => [T.transport.peers().map(({ origin }) => origin), T.audit.at(-1).origin, T.ran]);
  assert.deepEqual(told, [[held.one.origin], held.one.origin, ["x"]]);
  // Its end is one end, wherever it lies.
  await pageDoes(() => T.transport.revoke(T.transport.peers()[0].session.sessionId));
  await eventually(() => T.transport.peers().length === 0);
});
