// The BroadcastChannel transport of docs/transports.md, with peers in other threads.

import assert from "node:assert/strict";
import { afterEach, before, beforeEach, test } from "node:test";
import { Worker } from "node:worker_threads";
import { createAgentSurfaceRegistry, init } from "agent-surface-wasm";
import { createSessionRegistry, defineActions, initSurface, SURFACE_PROTOCOL } from "agent-surface-wasm/surface";
import { createBroadcastTransport } from "./broadcast-transport.mjs";

/** A peer: says what it is told to, and hands on what it hears. */
const PEER = `
const { parentPort, workerData } = require("node:worker_threads");
const channel = new BroadcastChannel(workerData.channel);
channel.onmessage = ({ data: [to, from, ...message] }) => {
  if (to !== workerData.id) return;
  if (message[0] === "ping" && workerData.answers) channel.postMessage([from, to, "pong"]);
  else if (message[0] !== "ping") parentPort.postMessage(message);
};
parentPort.on("message", (message) => channel.postMessage(["page", workerData.id, ...message]));
parentPort.postMessage(["ready"]);
`;

const workers = [];
/** Its own words, and what it heard so far and next. */
async function peer(id, { answers = true } = {}) {
  const worker = new Worker(PEER, { eval: true, workerData: { id, channel: "agents", answers } });
  workers.push(worker);
  const heard = [];
  let wake = () => {};
  worker.on("message", (message) => {
    heard.push(message);
    wake();
  });
  const next = async (word) => {
    for (;;) {
      const at = heard.findIndex(([each]) => each === word);
      if (at >= 0) return heard.splice(at, 1)[0].slice(1);
      await new Promise((resolve) => (wake = resolve));
    }
  };
  await next("ready");
  let calls = 0;
  return {
    say: (...message) => worker.postMessage(message),
    next,
    async invoke(capability, input, requestId = `r${++calls}`) {
      const number = ++calls;
      worker.postMessage(["call", number, JSON.stringify({ protocol: SURFACE_PROTOCOL, id: requestId, method: "invoke", capability, input })]);
      const [answered, response] = await next("answer");
      assert.equal(answered, number);
      return JSON.parse(response);
    },
  };
}

before(async () => {
  await init();
  await initSurface();
});
const until = async (holds) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

let registry;
let transport;
let defined;
let audit;
let ran;
beforeEach(() => {
  registry = createAgentSurfaceRegistry({ environment: "test" });
  ran = [];
  audit = [];
  const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  defined = defineActions(registry, {
    app: "queue",
    actions: {
      "todo.add": { description: "Adds a task", input, handler: ({ text }) => void ran.push(text) },
      "todo.clear": { description: "Clears", confirm: "always", handler: () => void ran.push("clear") },
      "todo.hidden": { description: "Not published", handler: () => void ran.push("hidden") },
    },
  });
  transport = createBroadcastTransport({
    channel: "agents",
    beatMs: 20,
    surface: { registry, app: "queue", expose: ["todo.add", "todo.clear"] },
    sessions: createSessionRegistry({ ttlMs: 60_000, maxSessions: 2, maxOfOrigin: 2 }), // all tabs are of one origin
    authorize: ({ declaredName }) => (declaredName === "nobody" ? undefined : { userId: "u1", scope: ["todo.add", "todo.clear"] }),
    audit: (record) => audit.push(record),
  });
});
afterEach(async () => {
  transport.close();
  registry.dispose();
  for (const worker of workers.splice(0)) await worker.terminate();
});

test("a peer connects, calls and meets both kinds of failure; the page knows who it is", async () => {
  const one = await peer("one");
  one.say("hello", "Helper");
  const [session] = await one.next("welcome");
  assert.deepEqual(session.scope, ["todo.add", "todo.clear"]);
  assert.deepEqual((await one.invoke("todo.add", { text: "x" })).result, {});
  assert.equal((await one.invoke("todo.add", {})).result.error.code, "INVALID_INPUT");
  assert.equal((await one.invoke("todo.hidden")).error.code, "CAPABILITY_NOT_EXPOSED");
  const [known] = transport.peers();
  assert.deepEqual([known.declaredName, known.session.agentId, known.lastCall.capability], ["Helper", known.origin, "todo.hidden"]);
  assert.deepEqual(audit.map(({ type, transport: by, code }) => [type, by, code]), [
    ["peer-connected", "broadcast", undefined],
    ["request", "broadcast", undefined],
    ["request", "broadcast", "INVALID_INPUT"],
    ["request", "broadcast", "CAPABILITY_NOT_EXPOSED"],
  ]);
  assert.deepEqual(ran, ["x"]);
});

test("a person decides in the page; a peer that leaves, is silent or is revoked gets nothing", async () => {
  const [one, silent] = [await peer("one"), await peer("silent", { answers: false })];
  one.say("hello");
  await one.next("welcome");
  const asked = one.invoke("todo.clear");
  await until(() => registry.confirmations.pending().length === 1);
  registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved: true });
  assert.deepEqual((await asked).result, {});

  silent.say("hello");
  await silent.next("welcome");
  silent.say("call", 1, JSON.stringify({ protocol: SURFACE_PROTOCOL, id: "s", method: "invoke", capability: "todo.clear" }));
  assert.deepEqual(await silent.next("bye"), ["PEER_GONE"]);
  assert.equal(registry.confirmations.pending().length, 0);

  const waits = one.invoke("todo.clear");
  await until(() => registry.confirmations.pending().length === 1);
  assert.ok(transport.revoke(transport.peers()[0].session.sessionId));
  assert.equal((await waits).error.code, "SESSION_REVOKED");
  assert.deepEqual(await one.next("bye"), ["SESSION_REVOKED"]);
  assert.deepEqual([transport.peers(), registry.confirmations.pending(), ran], [[], [], ["clear"]]);
});

test("who is granted nothing, comes twice or is one too many is refused; nonsense changes nothing", async () => {
  const [one, two, three, nobody] = [await peer("one"), await peer("two"), await peer("three"), await peer("nobody")];
  nobody.say("hello", "nobody");
  assert.equal((await nobody.next("refused"))[0].code, "SCOPE_DENIED");
  for (const each of [one, two]) {
    each.say("hello");
    await each.next("welcome");
  }
  three.say("hello");
  assert.equal((await three.next("refused"))[0].code, "RATE_LIMITED");
  one.say("hello");
  one.say("approve", 1);
  one.say("call", 1.5, "{}");
  one.say("call", 2, {});
  assert.equal((await one.invoke("todo.add", { text: "still" })).ok, true);
  assert.equal(transport.peers().length, 2);
  assert.deepEqual(ran, ["still"]);
  // The first is told at once, the others as one number.
  transport.close();
  const refused = audit.filter(({ type }) => type === "message-refused").map(({ code, count }) => [code, count]);
  assert.deepEqual(refused, [["INVALID_REQUEST", undefined], ["INVALID_REQUEST", 2]]);
});

test("a change of what is listed is told to those who watch; a page that closes says goodbye", async () => {
  const one = await peer("one");
  one.say("hello");
  await one.next("welcome");
  one.say("watch");
  await one.invoke("todo.add", { text: "x" });
  defined.unregister();
  await one.next("changed");
  transport.close();
  assert.deepEqual(await one.next("bye"), ["CLOSED"]);
});

