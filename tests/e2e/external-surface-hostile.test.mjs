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
