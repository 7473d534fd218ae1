// Values of a page, or of a peer, that are not what a port, a store or an option is for: each is an error that says which
// one it was, none is made a text or a number on the way, and none stops the module, which every test asks again at its end.

import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";
import { call, INPUT, loadInterop, OUTPUT } from "./harness/interop.mjs";

const DIGEST = `sha256:${"3".repeat(64)}`;
/** As a peer may send it: it can be parsed, and not be made a text. */
const UNSPEAKABLE = JSON.parse('{"toString":1,"valueOf":1}');
const fails = () => assert.fail("converted");
/** As a page may have it. */
const CONVERTING = { toString: fails, valueOf: fails, toJSON: fails, [Symbol.toPrimitive]: fails };
/** Nothing of these is a text or a number. */
const ODD = [undefined, null, 1n, Symbol("s"), {}, [], () => "id:a", UNSPEAKABLE, CONVERTING];

let I;
let manifestOf, routerOf, clientOf, requestText, refuses;
before(async () => {
  ({ I, manifestOf, routerOf, clientOf, requestText, refuses } = await loadInterop());
});
afterEach(() => assert.equal(I.canonicalJson({ b: 1, a: 1 }), '{"a":1,"b":1}'));

const at = { logicalTimeMs: 5 };
/** A client of a router, without a wire between them. */
const linked = (router = routerOf(), more = {}) =>
  clientOf({ manifest: () => router.manifest, exchange: async (text) => (await router.handle(text, at)).text }, more);

test("a peer's reply that a handler passes on is no outcome, and the router goes on", async () => {
  for (const status of [UNSPEAKABLE, ...ODD]) {
    const router = routerOf({ handlers: { "agent.step": () => ({ status, reasonCode: "r", payload: {} }) } });
    await assert.rejects(router.handle(await requestText(), at), refuses("HOST", /the handler's `status` to be a text/));
  }
  for (const reasonCode of ODD) {
    const router = routerOf({ handlers: { "agent.step": () => ({ status: "completed", reasonCode, payload: {} }) } });
    await assert.rejects(router.handle(await requestText(), at), refuses("HOST", /the handler's `reasonCode` to be a text/));
  }
  for (const outcome of [undefined, null, 7, "completed", {}]) {
    const router = routerOf({ handlers: { "agent.step": () => outcome } });
    await assert.rejects(router.handle(await requestText(), at), refuses("HOST", /`status` to be a text, found nothing/));
  }
});

test("a signature that is missing is not the text `undefined`", async () => {
  const manifest = manifestOf({ requiresRequestSignature: true });
  for (const token of ODD) {
    const authenticity = { localSignerId: "client:a", sign: () => token, verify: () => true };
    const client = clientOf({ manifest: () => manifest, exchange: () => assert.fail("sent") }, { authenticity });
    await assert.rejects(client.invoke(call()), refuses("HOST", /the signature that `sign` made to be a text/));
  }
  const authenticity = { localSignerId: "endpoint:a", sign: () => undefined, verify: () => true };
  const router = routerOf({ manifest: manifestOf({ signsResponses: true }), authenticity });
  await assert.rejects(router.handle(await requestText(), at), refuses("HOST", /`sign` made to be a text, found nothing/));
});

test("a client, an environment and a signer without a name are refused", () => {
  const environment = (sessionId) => new I.InteropSimulationEnvironmentClient(linked(), sessionId, new I.InMemoryInteropOutboundSequenceStore());
  for (const id of ODD) {
    assert.throws(() => linked(undefined, { clientId: id }), refuses("INVALID_OPTION", /`clientId` to be a text/));
    assert.throws(() => environment(id), refuses("INVALID_OPTION", /`sessionId` to be a text/));
    const authenticity = { localSignerId: id, sign: fails, verify: fails };
    assert.throws(() => linked(undefined, { authenticity }), refuses("INVALID_OPTION", /`localSignerId` to be a text/));
    assert.throws(() => routerOf({ authenticity }), refuses("INVALID_OPTION", /`localSignerId` to be a text/));
    assert.throws(() => I.interopDigest(id, 1), refuses("INVALID_OPTION", /the domain to be a text/));
  }
  assert.throws(() => I.interopDigest("no-domain", 1), refuses("INVALID_OPTION", /found `no-domain`/));
});

test("a clock that says nothing, or no number, is not the time 0", async () => {
  const router = routerOf();
  const text = await requestText({ logicalTimeMs: 0 });
  for (const logicalTimeMs of [...ODD, "", "5", true, NaN, Infinity, new Date(5)]) {
    await assert.rejects(router.handle(text, { logicalTimeMs }), refuses("MEMBER_OUT_OF_RANGE", /`logicalTimeMs` to be a finite number/));
  }
  await assert.rejects(router.handle(text), refuses("MEMBER_OUT_OF_RANGE", /found nothing/));
  assert.equal((await router.handle(text, { logicalTimeMs: 0 })).status, "completed");
  const operations = ["environment.act", "environment.close", "environment.observe", "environment.reset", "environment.restore", "environment.snapshot"];
  const transport = { manifest: () => manifestOf({ endpointKind: "environment", operations }), exchange: () => assert.fail("sent") };
  const environment = new I.InteropSimulationEnvironmentClient(clientOf(transport), "session:1", new I.InMemoryInteropOutboundSequenceStore());
  for (const time of [...ODD, "", "5", NaN]) {
    await assert.rejects(environment.act({}, time), refuses("MEMBER_OUT_OF_RANGE", /`logicalTimeMs` to be a finite number/));
  }
});

test("members of a call that are no texts and no numbers are named", async () => {
  const client = linked();
  for (const name of ["requestId", "idempotencyKey", "sessionId", "operation", "sequence", "logicalTimeMs", "deadlineLogicalMs", "expectedManifestDigest"]) {
    for (const value of ODD.filter((each) => each !== undefined && each !== null)) {
      await assert.rejects(client.invoke(call({ [name]: value })), refuses("INVALID_MEMBER", new RegExp(`\`${name}\` to be a text or a finite number`)));
    }
  }
  await assert.rejects(client.invoke(call({ requestId: undefined })), refuses("INVALID_MEMBER", /requestId is invalid/));
  await assert.rejects(client.invoke(call({ sequence: undefined })), refuses("MEMBER_OUT_OF_RANGE", /sequence is invalid/));
  assert.equal((await client.invoke(call())).status, "completed");
});

test("settings of a router that are no texts and no numbers are named", () => {
  for (const name of ["routerInstanceId", "reservationLeaseMs", "maximumWireBytes"]) {
    assert.throws(() => routerOf({ [name]: CONVERTING }), refuses("INVALID_OPTION", new RegExp(`\`${name}\` to be`)));
    assert.throws(() => routerOf({ [name]: 1n }), refuses("INVALID_OPTION", new RegExp(`\`${name}\` to be`)));
  }
  const stores = { idempotency: new I.InMemoryInteropIdempotencyStore(), sequences: new I.InMemoryInteropSequenceStore() };
  const durableStores = { ...stores, maximumResponseBytes: 4096n };
  assert.throws(() => routerOf({ localOnly: false, durableStores }), refuses("INVALID_OPTION", /`maximumResponseBytes` to be/));
});

test("what a store of the page's answers is named when it is nothing to go on with", async () => {
  const manifest = manifestOf({ operations: ["agent.step"] });
  const input = { sessionId: "session:1", stepSequence: 1, request: { stepId: "step:1", logicalTimeMs: 1 } };
  for (const number of [...ODD, "7", NaN]) {
    const agent = new I.InteropPortableAgentAdapter(clientOf({ manifest: () => manifest, exchange: fails }), { next: () => number });
    await assert.rejects(agent.step(input), refuses("HOST", /the number that `next` gave to be a finite number/));
  }
  const record = { requestDigest: DIGEST, reservationId: "router:a:1", reservedUntilLogicalMs: 9, response: null };
  const handle = async (change) => {
    const idempotency = { load: () => ({ ...record, ...change }), reserve: fails, commit: fails };
    return routerOf({ stores: { idempotency } }).handle(await requestText(), at);
  };
  for (const value of ODD.filter((each) => each !== undefined && each !== null)) {
    await assert.rejects(handle({ requestDigest: value }), refuses("HOST", /`requestDigest` to be/));
    await assert.rejects(handle({ reservedUntilLogicalMs: value }), refuses("HOST", /`reservedUntilLogicalMs` to be/));
    await assert.rejects(handle({ response: value }), refuses("HOST", /the `response` of a record to be a text/));
  }
  await assert.rejects(handle({ reservationId: undefined }), refuses("INTERNAL", /reservationId is invalid/));
});

test("claims, reservations and allocations of other kinds are refused by the rules, and by their names", () => {
  const claim = { issuerId: "client:a", sessionId: "session:1", operation: "agent.step", sequence: 1, requestDigest: DIGEST };
  const run = { idempotencyKey: "k", requestDigest: DIGEST, reservationId: "r:1", logicalTimeMs: 1, reservedUntilLogicalMs: 2 };
  const allocation = { issuerId: "client:a", sessionId: "session:1", maximumSequence: 9, idempotencyKey: "key:1" };
  const makers = [
    [() => new I.InMemoryInteropSequenceStore(), "admit", claim, Object.keys(claim)],
    [() => new I.InMemoryInteropIdempotencyStore(), "reserve", run, Object.keys(run).slice(1)],
    [() => new I.InMemoryInteropIdempotencyStore(), "commit", { ...run, responseDigest: DIGEST, response: "{}" }, ["requestDigest", "reservationId", "responseDigest"]],
    [() => new I.InMemoryInteropOutboundSequenceStore(), "next", allocation, Object.keys(allocation)],
    [() => new I.InMemoryInteropOutboundSequenceStore(), "current", allocation, ["issuerId", "sessionId"]],
  ];
  for (const [make, method, good, names] of makers) {
    for (const name of names) {
      for (const value of ODD.filter((each) => each !== undefined && each !== null)) {
        const found = new RegExp(`\`${name}\` to be a text`);
        assert.throws(() => make()[method]({ ...good, [name]: value }), refuses("INVALID_MEMBER", found), `${method} ${name}`);
      }
    }
    make()[method](good);
  }
});

test("a `fetch` that gives no response is said to", async () => {
  const noResponses = [undefined, null, {}, { status: 200 }, { status: "200", headers: new Headers() }, { headers: new Headers() }, UNSPEAKABLE];
  noResponses.push({ status: 200, headers: new Headers(), body: "{}" }, { status: 500, headers: new Headers(), body: {} });
  for (const response of noResponses) {
    const transport = new I.HttpInteropTransport({ baseUrl: "https://a.example/", fetch: async () => response });
    await assert.rejects(transport.manifest(), refuses("HOST", /expected `fetch` to give a response/));
  }
  for (const piece of ["text", 7, null, {}, CONVERTING]) {
    const body = new ReadableStream({ start: (controller) => (controller.enqueue(piece), controller.close()) });
    const response = { status: 200, headers: new Headers(), body };
    const transport = new I.HttpInteropTransport({ baseUrl: "https://a.example/", fetch: async () => response });
    await assert.rejects(transport.manifest(), refuses("HOST", /expected `fetch` to give a body of bytes/));
  }
  // A reader that has no `cancel`, or one that gives no promise.
  for (const cancel of [undefined, () => undefined]) {
    const body = { getReader: () => ({ read: async () => ({ done: false, value: "text" }), cancel }) };
    const response = { status: 200, headers: new Headers(), body };
    const transport = new I.HttpInteropTransport({ baseUrl: "https://a.example/", fetch: async () => response });
    await assert.rejects(transport.manifest(), refuses("HOST", /expected `fetch` to give a body of bytes/));
  }
  for (const maximumResponseBytes of [1n, CONVERTING, "9"]) {
    const make = () => new I.HttpInteropTransport({ baseUrl: "https://a.example/", maximumResponseBytes });
    assert.throws(make, refuses("INVALID_OPTION", /`maximumResponseBytes` to be a finite number/));
  }
  const baseUrl = { toString: () => I.canonicalJson("https://a.example/").slice(1, -1) };
  assert.ok(new I.HttpInteropTransport({ baseUrl, fetch: async () => new Response("{}") }));
});

test("a signal whose `aborted` throws ends that request alone", async () => {
  const own = new RangeError("of the page's own");
  const signal = { get aborted() { throw own; } };
  await assert.rejects(routerOf().handle(await requestText(), { ...at, signal }), (error) => error === own);
  const router = routerOf({ schemas: { resolve: (schemaDigest) => ({ schemaDigest, validate: () => true }) } });
  await assert.rejects(linked(router).invoke(call({ signal })), (error) => error === own);
  assert.ok([INPUT, OUTPUT].includes(router.manifest.inputSchemaDigest));
});

test("a `release` that fails leaves the result as it is, and is told on the console", async (t) => {
  const printed = t.mock.method(console, "error", () => undefined);
  const lost = new Error("lost");
  const made = [];
  const storeOf = (commit) => {
    const store = new I.InMemoryInteropIdempotencyStore();
    return {
      load: (key) => store.load(key),
      reserve: (run) => store.reserve(run),
      commit: (run) => commit(store, run),
      release: async (run) => {
        made.push(run);
        throw lost;
      },
    };
  };
  // A handler that throws when its caller has left: nothing is committed, and the run is released.
  const leaving = async () => {
    const caller = new AbortController();
    const gone = new Error("gone");
    const handler = () => {
      caller.abort();
      throw gone;
    };
    const idempotency = storeOf((store, run) => store.commit(run));
    const router = routerOf({ handlers: { "agent.step": handler }, stores: { idempotency } });
    await assert.rejects(router.handle(await requestText(), { ...at, signal: caller.signal }), (error) => error === gone);
  };
  await leaving();
  assert.equal(made.length, 1);
  assert.deepEqual(printed.mock.calls.map((each) => each.arguments.at(-1)), [lost]);
  // Another run has committed: its response is the result.
  const committed = await routerOf().handle(await requestText(), at);
  let isKnown = false;
  const idempotency = {
    ...storeOf(() => {
      isKnown = true;
      return false;
    }),
    load: () => (isKnown ? { requestDigest: committed.requestDigest, reservationId: "router:b:1", reservedUntilLogicalMs: 9, response: committed.text } : null),
  };
  const response = await routerOf({ stores: { idempotency } }).handle(await requestText(), at);
  assert.equal(response.responseDigest, committed.responseDigest);
  assert.equal(made.length, 2);
  assert.equal(printed.mock.callCount(), 2);
});
