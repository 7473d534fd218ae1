// What users of comparable bridges ran into, tried on the external surface: who calls is known, nothing leaks or is skipped
// on the way in, nothing crosses over between peers, pages and sessions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { useOrigins } from "./external-page.mjs";

const { held, start, open, connect, pageDoes, eventually } = useOrigins();
/** `start` with what only the page can make: `make` runs there. */
const startWith = (make) =>
  pageDoes(`window.T = start(${JSON.stringify([held.one.origin, held.two.origin])}, (${make})())`);

test("the page's copilot, the browser's agent and a frame are three callers: a policy refuses one, the audit tells them apart", async () => {
  await startWith(() => {
    window.seen = [];
    const isFrame = ({ consumer }) => consumer.kind === "other";
    const policy = {
      name: "no-frames",
      onAuthorize(context, next) {
        window.seen.push(context.consumer.id);
        if (isFrame(context)) throw new A.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "Not for frames.", details: { origin: "client" } });
        return next();
      },
    };
    return { registryOptions: { policies: [policy], audit: (window.audited = A.memoryAuditSink()) } };
  });
  const peer = await open(held.one);
  await connect(peer, "Browser Assistant");
  const refused = await peer.evaluate(() => client.invoke("todo.add", { text: "frame" }));
  assert.deepEqual([refused.ok, refused.result.error.code], [true, "NOT_AUTHORIZED"]);
  const found = await pageDoes(async () => {
    const capability = T.defined.capabilities["todo.add"];
    const toolset = A.createAgentToolset(T.registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
    const [name] = [...toolset.wireNameMap()].find(([, id]) => id === capability);
    const copilot = await toolset.tools().find((tool) => tool.name === name).execute({ text: "copilot" });
    let view;
    T.registry.attach({ name: "browser", start: (host) => (view = host.registry), stop() {} }, { consumer: { id: "browser", kind: "webmcp" } });
    const browser = await view.invoke({ capabilityId: capability, input: { text: "browser" } }, { consumer: { id: "browser", kind: "webmcp" } });
    const settled = audited.events().filter(({ type }) => type === "invocation-settled");
    return { statuses: [copilot.status, browser.status], ran: T.ran, seen, settled: settled.map(({ consumerId, code }) => [consumerId, code]), peers: T.transport.peers() };
  });
  assert.deepEqual([found.statuses, found.ran], [["ok", "ok"], ["copilot", "browser"]]);
  const [{ session }] = found.peers;
  const frame = `${held.one.origin}/${session.sessionId}`;
  assert.deepEqual(found.settled, [[`other:${frame}`, "NOT_AUTHORIZED"], ["embedded:copilot", undefined], ["webmcp:browser", undefined]]);
  assert.deepEqual(found.seen, [frame, "copilot", "browser"]);
});

test("a name that a frame gives itself is never what the audit takes for proved, nor on whose behalf it acts", async () => {
  await start();
  const peer = await open(held.two);
  await connect(peer, `${held.one.origin}\u0000 Browser Assistant ${"x".repeat(500)}`);
  await peer.evaluate(() => client.invoke("todo.overview"));
  const { audit, peers } = await pageDoes(() => ({ audit: T.audit, peers: T.transport.peers() }));
  assert.deepEqual(audit.map(({ type }) => type), ["peer-connected", "request"]);
  for (const record of [...audit, { ...peers[0], ...peers[0].session }]) {
    assert.deepEqual([record.origin, record.agentId, record.userId], [held.two.origin, held.two.origin, "u1"]);
    assert.equal(record.declaredName.length, 100);
  }
  assert.deepEqual([audit[1].transport, audit[1].method, audit[1].capability, audit[1].ok], ["postMessage", "invoke", "todo.overview", true]);
});

test("what a handler throws tells a frame neither paths nor secrets, and what it returns against its schema does not pass", async () => {
  await startWith(() => ({
    published: {
      pay: { description: "Pays", handler: () => { throw new Error("card 4242 declined at /srv/app.js:12"); } },
      total: { description: "Sums", output: { type: "object", properties: { total: { type: "number" } } }, handler: () => ({ total: "12" }) },
    },
  }));
  const peer = await open(held.one);
  await connect(peer);
  const [thrown, wrong] = await peer.evaluate(async () => [await client.invoke("pay"), await client.invoke("total")]);
  assert.deepEqual([thrown.ok, thrown.result.error.code], [true, "EXECUTION_FAILED"]);
  assert.doesNotMatch(JSON.stringify(thrown), /4242|srv|app\.js|stack|at /);
  assert.deepEqual([wrong.ok, wrong.result.error.details?.reason ?? wrong.result.error.code], [true, "output-invalid"]);
  assert.doesNotMatch(JSON.stringify(wrong), /"12"/);
});

test("a frame's arguments are checked before any policy sees them, any person is asked and anything runs", async () => {
  await startWith(() => {
    window.invoked = 0;
    const policy = { name: "counts", onInvoke: (_, next) => (window.invoked++, next()) };
    const input = { type: "object", properties: { qty: { type: "integer", minimum: 1, maximum: 10 } }, required: ["qty"], additionalProperties: false };
    return {
      registryOptions: { policies: [policy] },
      published: { order: { description: "Orders", confirm: "always", input, handler: ({ qty }) => void T.ran.push(qty) } },
    };
  });
  const peer = await open(held.one);
  await connect(peer);
  const inputs = [{}, { qty: "3" }, { qty: 11 }, null, [], { qty: 1, to: "me" }, undefined];
  const found = await peer.evaluate(async (list) => {
    const answers = [];
    for (const input of list) answers.push(await client.invoke("order", input));
    return answers.map(({ ok, result }) => [ok, result.error.code, result.error.details.issues.map(({ pointer }) => pointer)]);
  }, inputs.slice(0, -1));
  assert.deepEqual(found, [
    [true, "INVALID_INPUT", ["/qty"]],
    [true, "INVALID_INPUT", ["/qty"]],
    [true, "INVALID_INPUT", ["/qty"]],
    [true, "INVALID_INPUT", [""]],
    [true, "INVALID_INPUT", [""]],
    [true, "INVALID_INPUT", ["/to"]],
  ]);
  assert.deepEqual(await pageDoes(() => [invoked, T.registry.confirmations.pending().length, T.ran]), [0, 0, []]);
});

test("a handler hears that a frame gave up; a component that goes in the middle says how far it came", async () => {
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
  const begin = () =>
    peer.evaluate(() => {
      window.leaving = new AbortController();
      window.asked = client.invoke("slow", undefined, { signal: leaving.signal });
    });
  await begin();
  await eventually(() => T.ran.length === 1);
  const code = await peer.evaluate(async () => (leaving.abort(), (await asked).result.error.code));
  assert.equal(code, "CANCELLED");
  await eventually(() => T.ran.length === 2);
  await begin();
  await eventually(() => T.ran.length === 3);
  await pageDoes(() => T.defined.unregister());
  const { ok, result } = await peer.evaluate(() => asked);
  assert.deepEqual([ok, result.error.code, result.error.details.phase], [true, "COMPONENT_UNMOUNTED", "mid-flight"]);
  const later = await peer.evaluate(() => client.invoke("slow"));
  assert.equal(later.result.error.code, "COMPONENT_UNMOUNTED");
  assert.deepEqual(await pageDoes(() => T.ran), ["began", "aborted", "began", "aborted"]);
});

test("calls of two frames to what runs alone never interleave", async () => {
  await startWith(() => {
    let running = 0;
    window.most = 0;
    const handler = async () => {
      window.most = Math.max(window.most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return window.most;
    };
    return { registryOptions: { limits: { actionQueueDepth: 32 } }, published: { alone: { description: "Alone", handler } } };
  });
  const peers = [await open(held.one), await open(held.two)];
  await Promise.all(peers.map((peer) => connect(peer)));
  const invokeAll = (peer) =>
    peer.evaluate(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => client.invoke("alone")));
      return answers.map(({ result }) => result.output ?? result.error.code);
    });
  const outputs = await Promise.all(peers.map(invokeAll));
  assert.deepEqual(outputs.flat(), Array(16).fill(1));
});

test("a page that is not ready is not taken for one without capabilities", async () => {
  // The frame greets before the page listens, and describes before anything is there.
  const peer = await open(held.one);
  await peer.evaluate((origin) => void (window.connecting = C.SurfaceClient.connect({ origin })), held.home.origin);
  await start();
  await peer.evaluate(async () => void (window.client = await connecting));
  const before = await peer.evaluate(() => client.describe());
  await pageDoes(() => T.defined.unregister());
  const without = await peer.evaluate(() => client.describe());
  assert.deepEqual(without.result.capabilities.map(({ id, available, unavailableReason }) => [id, available, unavailableReason]), [
    ["todo.overview", false, "not-mounted"],
    ["todo.add", false, "not-mounted"],
    ["todo.clear_completed", false, "not-mounted"],
  ]);
  assert.ok(BigInt(without.result.surfaceVersion) > BigInt(before.result.surfaceVersion));
  assert.equal((await peer.evaluate(() => client.invoke("todo.overview"))).result.error.retry, "after-refresh");
});

test("an agent with two tabs: each call comes back from the tab that took it; one that reloads ends its own alone", async () => {
  // The other way round: the agent's page holds two pages with surfaces, as an agent does that has opened two windows.
  const agent = await held.browser.newPage();
  await agent.goto(`${held.one.origin}/`);
  await agent.waitForSelector("html[data-ready]", { state: "attached" });
  const tab = async (name) => {
    const handle = await agent.evaluateHandle(
      ([src, id]) =>
        new Promise((resolve) => {
          const element = Object.assign(document.createElement("iframe"), { src, id, onload: () => resolve(element) });
          document.body.append(element);
        }),
      [`${held.home.origin}/`, name],
    );
    const inside = await handle.asElement().contentFrame();
    await inside.waitForSelector("html[data-ready]", { state: "attached" });
    await inside.evaluate(([origin, mark]) => {
      const slow = { description: "Says who it is, when told", handler: () => new Promise((resolve) => (window.finish = () => resolve(mark))) };
      window.T = start([origin], { published: { slow } });
    }, [held.one.origin, name]);
    await agent.evaluate(async ([origin, id]) => {
      window[id] = await C.SurfaceClient.connect({ target: document.getElementById(id).contentWindow, origin });
    }, [held.home.origin, name]);
    return inside;
  };
  const [left, right] = [await tab("left"), await tab("right")];
  // The same ids on both.
  await agent.evaluate(() => {
    window.calls = [window.left, window.right].map((client) => client.invoke("slow", undefined, { id: "r1" }));
  });
  for (const inside of [left, right]) await inside.waitForFunction(() => window.finish !== undefined, undefined, { polling: 20 });
  await Promise.all([right.waitForNavigation(), right.evaluate(() => void setTimeout(() => location.reload()))]);
  const gone = await agent.evaluate(async () => [(await calls[1]).error?.code, await window.right.closed]);
  assert.deepEqual(gone, ["PEER_GONE", "PEER_GONE"]);
  await left.evaluate(() => window.finish());
  assert.deepEqual(await agent.evaluate(async () => (await calls[0]).result), { output: "left" });
  await agent.close();
});

test("a session that expires while the person decides runs nothing, and the peer is told", async () => {
  await start({ ttlMs: 3_000 });
  const peer = await open(held.one);
  await connect(peer);
  await peer.evaluate(() => void (window.asked = client.invoke("todo.clear_completed")));
  await eventually(() => T.registry.confirmations.pending().length === 1);
  const told = await peer.evaluate(async () => [(await asked).error.code, await client.closed]);
  assert.deepEqual(told, ["SESSION_EXPIRED", "SESSION_EXPIRED"]);
  const left = await pageDoes(() => [T.ran, T.transport.peers().length, T.registry.confirmations.pending().length, T.audit.at(-1).type, T.audit.at(-1).code]);
  assert.deepEqual(left, [[], 0, 0, "peer-closed", "SESSION_EXPIRED"]);
});
