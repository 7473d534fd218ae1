// What the remote protocol's two sides in JavaScript make of bad peers: replies that are too long, cut, slow or something
// else, endpoints that change, handlers and ports that misbehave. In Node, which shares every line with pages; the HTTP part
// runs in a page as well.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { call, INPUT, loadInterop } from "./harness/interop.mjs";
import { PACKAGE, serve } from "./harness/server.mjs";

const MIB = 1 << 20;

let I;
let manifestOf, routerOf, clientOf, requestText, refuses;
/** The module's. */
let memory;
let peer;
let base;
/** What the peer does with the next request. */
let answer;
/** Bytes of the last body that the peer could write before the reader went away. */
let written;

before(async () => {
  ({ I, memory, manifestOf, routerOf, clientOf, requestText, refuses } = await loadInterop());
  peer = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    answer(request, response);
  });
  await new Promise((resolve) => peer.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${peer.address().port}/`;
});
after(() => {
  peer.closeAllConnections();
  peer.close();
});
beforeEach(() => {
  written = 0;
  answer = undefined;
});

/** Writes a body of so many bytes until it is done or nobody reads. */
const pour = (response, bytes) => {
  const piece = Buffer.alloc(64 * 1024, 0x20);
  let poured = 0;
  const more = () => {
    while (poured < bytes && !response.destroyed) {
      const size = Math.min(piece.length, bytes - poured);
      written = poured += size;
      if (!response.write(piece.subarray(0, size))) return void response.once("drain", more);
    }
    if (!response.destroyed) response.end();
  };
  more();
};

test("each status but 2xx is an error that names it", async () => {
  const transport = new I.HttpInteropTransport({ baseUrl: base });
  for (const status of [400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 429, 500, 503]) {
    answer = (_, response) => response.writeHead(status, { "content-type": "application/json" }).end('{"error":{}}');
    const said = new RegExp(`status ${status}: POST ${base}exchange$`);
    await assert.rejects(transport.exchange("{}"), (error) => refuses("HTTP_STATUS", said)(error) && error.httpStatus === status);
  }
});

test("a body of 64 MiB and one byte is not read to its end, declared or not", async () => {
  const transport = new I.HttpInteropTransport({ baseUrl: base });
  answer = (_, response) => {
    response.writeHead(200, { "content-length": 64 * MIB + 1 });
    pour(response, 64 * MIB + 1);
  };
  await assert.rejects(transport.manifest(), refuses("HTTP_TOO_LARGE"));
  assert.ok(written < 8 * MIB, `${written} written`);
  answer = (_, response) => pour(response, 80 * MIB);
  await assert.rejects(transport.manifest(), refuses("HTTP_TOO_LARGE"));
  assert.ok(written < 80 * MIB, `${written} written`);
});

test("a body that breaks off is an error, and not a shorter value", async () => {
  const transport = new I.HttpInteropTransport({ baseUrl: base });
  answer = (_, response) => {
    response.writeHead(200, { "content-length": 20 });
    response.write('{"a":1}', () => response.destroy());
  };
  await assert.rejects(transport.manifest());
  answer = (_, response) => response.end('{"a":1');
  await assert.rejects(transport.manifest(), refuses("JSON"));
});

test("a body that does not come ends when the caller gives up", async () => {
  const transport = new I.HttpInteropTransport({ baseUrl: base });
  const caller = new AbortController();
  const left = new Promise((resolve) => {
    answer = (request, response) => {
      response.on("close", resolve);
      response.write('{"a":', () => caller.abort(new Error("enough")));
    };
  });
  await assert.rejects(transport.manifest({ signal: caller.signal }), { message: "enough" });
  await left;
});

test("the content type of a reply is not looked at, its bytes are", async () => {
  const transport = new I.HttpInteropTransport({ baseUrl: base });
  for (const type of ["text/html", "application/octet-stream", "text/plain; charset=utf-16"]) {
    answer = (_, response) => response.writeHead(200, { "content-type": type }).end('{"a":1.0}');
    assert.equal(await transport.manifest(), '{"a":1}');
    answer = (_, response) => response.writeHead(200, { "content-type": type }).end("<!doctype html>");
    await assert.rejects(transport.manifest(), refuses("JSON"));
  }
});

test("a response for another request is refused", async () => {
  const router = routerOf();
  const transport = {
    manifest: () => router.manifest,
    exchange: async () => (await router.handle(await requestText({ idempotencyKey: "key:2" }), { logicalTimeMs: 5 })).text,
  };
  await assert.rejects(clientOf(transport).invoke(call()), refuses("RESPONSE_BINDING"));
});

test("a manifest that changes after the negotiation is noticed", async () => {
  const first = manifestOf();
  const second = manifestOf({ endpointVersion: "2", requiresRequestSignature: true });
  const asked = [first, second];
  const transport = { manifest: () => asked.shift(), exchange: () => assert.fail("nothing is to be sent") };
  const client = clientOf(transport);
  assert.equal((await client.manifest()).manifestDigest, first.manifestDigest);
  await assert.rejects(client.invoke(call({ expectedManifestDigest: second.manifestDigest })), refuses("CLIENT_MANIFEST"));
  // A client keeps what it negotiated: nothing is asked again.
  assert.equal(asked.length, 1);
  await assert.rejects(clientOf(transport).invoke(call()), refuses("CLIENT_AUTHENTICITY"));
});

test("a negotiation that fails is tried again, and is one for all who wait", async () => {
  let asked = 0;
  const router = routerOf();
  const transport = {
    manifest: async () => {
      if (asked++ === 0) throw new Error("offline");
      return router.manifest;
    },
    exchange: async (text) => (await router.handle(text, { logicalTimeMs: 5 })).text,
  };
  const client = clientOf(transport);
  const both = await Promise.allSettled([client.manifest(), client.invoke(call())]);
  assert.deepEqual(both.map(({ reason }) => reason?.message), ["offline", "offline"]);
  assert.equal(asked, 1);
  assert.equal((await client.invoke(call())).status, "completed");
  assert.equal(asked, 2);
});

test("a caller that gives up while another one negotiates waits no longer, and the other goes on", async () => {
  const router = routerOf();
  let answered;
  const transport = {
    manifest: () => new Promise((resolve) => (answered = () => resolve(router.manifest))),
    exchange: async (text) => (await router.handle(text, { logicalTimeMs: 5 })).text,
  };
  const client = clientOf(transport);
  const [early, late] = [new AbortController(), new AbortController()];
  const first = client.invoke(call());
  early.abort(new Error("before"));
  const given = [client.invoke(call({ signal: early.signal })), client.manifest({ signal: late.signal })];
  late.abort(new Error("enough"));
  const kept = client.invoke(call({ signal: new AbortController().signal }));
  answered();
  const ended = await Promise.allSettled(given);
  assert.deepEqual(ended.map(({ reason }) => reason?.message), ["before", "enough"]);
  assert.deepEqual([(await first).status, (await kept).status], ["completed", "completed"]);
});

test("a request is bounded before it is parsed, as text, bytes and value", async () => {
  const router = routerOf();
  const text = await requestText();
  const padded = text + " ".repeat(4 * 4096);
  const handle = (request) => router.handle(request, { logicalTimeMs: 5 });
  const bytes = (value) => new TextEncoder().encode(value);
  for (const request of [padded, bytes(padded), "[".repeat(64 * MIB + 1), new Uint8Array(64 * MIB + 1)]) {
    await assert.rejects(handle(request), (error) => {
      assert.equal(error.status, 413, error.message);
      return true;
    });
  }
  await assert.rejects(handle("[".repeat(5000)), refuses("JSON", /too deeply/));
  await assert.rejects(handle(bytes(text).fill(0xff, 20, 24)), refuses("REQUEST_ENCODING"));
  await assert.rejects(handle(undefined), refuses("JSON"));
  await assert.rejects(handle(null), refuses("REQUEST_BINDING"));
  await assert.rejects(router.handle(text, { logicalTimeMs: -1 }), refuses("MEMBER_OUT_OF_RANGE", /logicalTimeMs/));
  assert.equal((await handle(bytes(text))).status, "completed");
});

test("numbers and names of a call are checked one by one", async () => {
  const router = routerOf();
  const client = clientOf({ manifest: () => router.manifest, exchange: async (text) => (await router.handle(text, { logicalTimeMs: 5 })).text });
  const cases = [
    [{ requestId: "" }, "INVALID_MEMBER"],
    [{ idempotencyKey: "-" }, "INVALID_MEMBER"],
    [{ sessionId: 7 }, "INVALID_MEMBER"],
    [{ operation: "agent.fly" }, "OPERATION_UNAVAILABLE"],
    [{ operation: "agent.restore" }, "OPERATION_UNAVAILABLE"],
    [{ sequence: 0 }, "MEMBER_OUT_OF_RANGE"],
    [{ sequence: 1001 }, "MEMBER_OUT_OF_RANGE"],
    [{ sequence: 1.5 }, "MEMBER_OUT_OF_RANGE"],
    [{ logicalTimeMs: -1 }, "MEMBER_OUT_OF_RANGE"],
    [{ deadlineLogicalMs: 0 }, "MEMBER_OUT_OF_RANGE"],
    [{ deadlineLogicalMs: 2 ** 53 }, "MEMBER_OUT_OF_RANGE"],
    [{ payload: [1] }, "REQUEST_SCHEMA"],
    [{ payload: undefined }, "JSON"],
    [{ payload: { a: "x".repeat(5000) } }, "REQUEST_TOO_LARGE"],
    [{ expectedManifestDigest: "sha256:1" }, "CLIENT_MANIFEST"],
  ];
  for (const [more, code] of cases) await assert.rejects(client.invoke(call(more)), refuses(code));
});

test("what a handler says is checked, what it throws is an outcome, and what a port throws passes", async () => {
  const outcomes = [
    [() => { throw new Error("no"); }, "failed interop_handler_failed"],
    [() => ({ status: "completed", reasonCode: "r", payload: [] }), "failed interop_response_schema_invalid"],
    [() => ({ status: "completed", reasonCode: "r", payload: { a: "x".repeat(5000) } }), "failed interop_response_limit_exceeded"],
    [() => ({ status: "deferred", reasonCode: "later" }), "deferred later"],
  ];
  for (const [handler, expected] of outcomes) {
    const router = routerOf({ handlers: { "agent.step": handler } });
    const { status, reasonCode } = await router.handle(await requestText(), { logicalTimeMs: 5 });
    assert.equal(`${status} ${reasonCode}`, expected);
  }
  const refused = [
    [undefined, refuses("HOST", /`status`/)],
    [null, refuses("HOST", /`status`/)],
    [{ status: "completed", reasonCode: "r", payload: { a: undefined } }, refuses("JSON")],
    [{ status: "well", reasonCode: "r" }, refuses("INTERNAL")],
    [{ status: "refused", reasonCode: "r", payload: {} }, refuses("INTERNAL")],
    [{ status: "completed", reasonCode: "", payload: {} }, refuses("INTERNAL")],
  ];
  for (const [outcome, expected] of refused) {
    const router = routerOf({ handlers: { "agent.step": () => outcome } });
    await assert.rejects(router.handle(await requestText(), { logicalTimeMs: 5 }), expected);
  }
  const own = new RangeError("of the page's own");
  const broken = () => {
    throw own;
  };
  const ports = [{ admission: { admit: broken } }, { schemas: { resolve: broken } }, { stores: { sequences: { admit: broken } } }];
  for (const port of ports) {
    await assert.rejects(routerOf(port).handle(await requestText(), { logicalTimeMs: 5 }), (error) => error === own);
  }
});

test("only `true` counts as yes", async () => {
  for (const answerOf of [1, "true", {}, null, undefined]) {
    const validate = () => answerOf;
    const router = routerOf({ schemas: { resolve: (schemaDigest) => ({ schemaDigest, validate }) } });
    await assert.rejects(router.handle(await requestText(), { logicalTimeMs: 5 }), refuses("REQUEST_SCHEMA"));
  }
  for (const grant of [null, undefined, {}, "yes", 1]) {
    const router = routerOf({ admission: { admit: () => grant } });
    await assert.rejects(router.handle(await requestText(), { logicalTimeMs: 5 }), refuses("INTERNAL", /grant/));
  }
  const router = routerOf({ stores: { sequences: { admit: () => "ahead" } } });
  await assert.rejects(router.handle(await requestText(), { logicalTimeMs: 5 }), refuses("HOST"));
});

test("a router says exactly one of `durableStores` and `localOnly`, and holds what its manifest allows", () => {
  const durable = (maximumResponseBytes) => ({
    idempotency: new I.InMemoryInteropIdempotencyStore(),
    sequences: new I.InMemoryInteropSequenceStore(),
    maximumResponseBytes,
  });
  const cases = [
    [{ localOnly: undefined }, "INVALID_OPTION", /restart-durable/],
    [{ durableStores: durable(4096) }, "INVALID_OPTION", /cannot combine/],
    [{ localOnly: false, durableStores: durable(4095) }, "ROUTER_STORES"],
    [{ localOnly: false, durableStores: durable(undefined) }, "ROUTER_STORES"],
    [{ localOnly: false, durableStores: { maximumResponseBytes: 4096 } }, "INVALID_OPTION", /load/],
    [{ admission: {} }, "INVALID_OPTION", /admission/],
    [{ admission: { admit: () => true, revalidate: 1 } }, "INVALID_OPTION", /revalidation/],
    [{ schemas: undefined }, "INVALID_OPTION", /schema resolver/],
    [{ handlers: {} }, "ROUTER_HANDLERS"],
    [{ handlers: { "agent.step": 1 } }, "INVALID_OPTION", /handlers/],
    [{ manifest: manifestOf({ signsResponses: true }) }, "ROUTER_AUTHENTICITY"],
    [{ manifest: { ...manifestOf(), endpointVersion: "2" } }, "MANIFEST_DIGEST"],
    [{ reservationLeaseMs: 0 }, "MEMBER_OUT_OF_RANGE"],
    [{ reservationLeaseMs: 3_600_001 }, "MEMBER_OUT_OF_RANGE"],
    [{ routerInstanceId: " " }, "INVALID_MEMBER"],
  ];
  for (const [more, code, message] of cases) assert.throws(() => routerOf(more), refuses(code, message), JSON.stringify(more));
  assert.ok(routerOf({ localOnly: false, durableStores: durable(4096) }));
});

test("a schema outside the subset is refused when it is handed over", () => {
  const make = (schema, digest = INPUT) => I.createSchemaResolver({ [digest]: schema });
  assert.throws(() => make({ not: {} }), refuses("UNSUPPORTED_SCHEMA", /`not`.*a validator of your own$/));
  assert.throws(() => make(7), refuses("UNSUPPORTED_SCHEMA"));
  assert.throws(() => make({}, "sha256:1"), refuses("INVALID_MEMBER", /schemaDigest/));
});

test("every port may call the router and the client that asks it", async () => {
  let depth = 0;
  let sequence = 0;
  /** Another exchange from within, once for each port. */
  const again = async () => {
    if (depth >= 2) return;
    depth++;
    sequence++;
    const response = await client.invoke(call({ idempotencyKey: `inner:${sequence}`, sessionId: `inner:${sequence}` }));
    assert.equal(response.status, "completed");
    depth--;
  };
  const calling = (answerOf) => async (...values) => {
    await again();
    return answerOf(...values);
  };
  const store = new I.InMemoryInteropIdempotencyStore();
  const places = new I.InMemoryInteropSequenceStore();
  const ports = {
    admission: { admit: calling(() => true), revalidate: calling(() => true) },
    schemas: { resolve: calling((schemaDigest) => ({ schemaDigest, validate: calling(() => true) })) },
    handlers: {
      "agent.step": calling(({ request }) => ({
        status: "completed",
        reasonCode: "done",
        // Read while the answer is taken: nothing of the module is at work then.
        get payload() {
          return { canonical: I.canonicalJson(request.payload) };
        },
      })),
    },
    stores: {
      idempotency: {
        load: calling((key) => store.load(key)),
        reserve: calling((run) => store.reserve(run)),
        commit: calling((commit) => store.commit(commit)),
      },
      sequences: { admit: calling((claim) => places.admit(claim)) },
    },
  };
  const router = routerOf(ports);
  const exchange = calling(async (text) => (await router.handle(text, { logicalTimeMs: 5 })).text);
  const client = clientOf({ manifest: () => router.manifest, exchange });
  assert.deepEqual((await client.invoke(call())).payload, { canonical: '{"a":1}' });
  assert.ok(sequence > 100, `${sequence} exchanges from within`);
});

test("what admission saw is what the handler gets", async () => {
  const admit = (request) => {
    assert.throws(() => {
      request.payload.list.push(2);
    }, TypeError);
    assert.throws(() => {
      request.payload = {};
    }, TypeError);
    return true;
  };
  const router = routerOf({ admission: { admit } });
  const response = await router.handle(await requestText({ payload: { list: [1] } }), { logicalTimeMs: 5 });
  assert.deepEqual(response.payload, { list: [1] });
  response.payload.list.push(2);
  assert.deepEqual(JSON.parse(response.text).payload, { list: [1] });
});

test("a hundred exchanges at once do not disturb each other", async () => {
  const router = routerOf({
    handlers: {
      "agent.step": async ({ request }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { status: "completed", reasonCode: "done", payload: { doubled: 2 * request.payload.n } };
      },
    },
  });
  const client = clientOf({ manifest: () => router.manifest, exchange: async (text) => (await router.handle(text, { logicalTimeMs: 5 })).text });
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  const invoke = (n) => client.invoke(call({ payload: { n }, idempotencyKey: `key:${n}`, sessionId: `session:${n}` }));
  const responses = await Promise.all(numbers.map(invoke));
  assert.deepEqual(responses.map(({ payload }) => payload.doubled), numbers.map((n) => 2 * n));
});

test("exchanges that end, fail or are thrown out leave nothing in the module", async () => {
  const payload = { text: "x".repeat(2000) };
  const handlers = {
    "agent.step": ({ request }) => {
      if (request.sequence % 3 === 0) throw new Error("no");
      return { status: "completed", reasonCode: "done", payload: request.payload };
    },
  };
  const router = routerOf({ handlers });
  const lost = new Error("lost");
  const exchange = async (text) => {
    if (text.includes("7,")) throw lost;
    return (await router.handle(text, { logicalTimeMs: 5 })).text;
  };
  const client = clientOf({ manifest: () => router.manifest, exchange });
  const round = async (session) => {
    for (let sequence = 1; sequence <= 500; sequence++) {
      const key = `${session}:${sequence}`;
      const done = client.invoke(call({ payload, sequence, idempotencyKey: key, sessionId: session }));
      await done.catch((error) => assert.equal(error, lost));
    }
    return memory.buffer.byteLength;
  };
  const before = await round("session:first");
  for (const session of ["session:a", "session:b", "session:c"]) assert.equal(await round(session), before);
});

test("stores in memory are full at their bounds, before anything runs", async () => {
  let ran = 0;
  const stores = { idempotency: new I.InMemoryInteropIdempotencyStore({ maximumEntries: 1 }) };
  const handlers = { "agent.step": () => ({ status: "completed", reasonCode: "r", payload: { ran: ++ran } }) };
  const router = routerOf({ stores, handlers });
  const handle = async (more) => (await router.handle(await requestText(more), { logicalTimeMs: 5 })).payload;
  assert.deepEqual(await handle(), { ran: 1 });
  await assert.rejects(handle({ idempotencyKey: "key:2", sequence: 2 }), refuses("STORE_FULL"));
  assert.deepEqual(await handle(), { ran: 1 });
  assert.equal(ran, 1);
});

test("what is changed on the objects after construction changes nothing", async () => {
  const admission = { admit: () => true };
  const handlers = { "agent.step": () => ({ status: "completed", reasonCode: "first", payload: {} }) };
  const transport = { manifest: () => router.manifest, exchange: async (text) => (await router.handle(text, { logicalTimeMs: 5 })).text };
  const router = routerOf({ admission, handlers });
  const client = clientOf(transport);
  admission.admit = handlers["agent.step"] = transport.manifest = transport.exchange = () => assert.fail("replaced");
  assert.equal((await client.invoke(call())).reasonCode, "first");
});

test("a page's transport has the same bounds", async () => {
  const body = `<!doctype html><title>interop</title><script type="module">
    import * as I from "/pkg/dist/interop.js";
    await I.initInterop();
    window.I = I;
    document.documentElement.dataset.ready = "";
  </script>`;
  const server = await serve({
    folders: { "/pkg/": PACKAGE },
    answers: { "/page.html": { body, headers: { "content-type": "text/html; charset=utf-8" } } },
  });
  const browser = await launch();
  try {
    const page = await openPage(browser, `${server.origin}/page.html`);
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    const ask = (options) =>
      page.evaluate(async (options) => {
        window.caller = new AbortController();
        const transport = new I.HttpInteropTransport(options);
        try {
          return await transport.manifest({ signal: window.caller.signal });
        } catch (error) {
          return I.isInteropError(error) ? error.code : error.name;
        }
      }, options);
    answer = (_, response) => response.writeHead(200, { "content-length": 64 * MIB + 1 }) && pour(response, 64 * MIB + 1);
    assert.equal(await ask({ baseUrl: base }), "HTTP_TOO_LARGE");
    answer = (_, response) => pour(response, 2 * MIB);
    assert.equal(await ask({ baseUrl: base, maximumResponseBytes: MIB }), "HTTP_TOO_LARGE");
    answer = (_, response) => response.writeHead(503).end();
    assert.equal(await ask({ baseUrl: base }), "HTTP_STATUS");
    answer = (_, response) => response.write("{", () => page.evaluate(() => window.caller.abort()));
    assert.equal(await ask({ baseUrl: base }), "AbortError");
    answer = (_, response) => response.writeHead(200, { "content-length": 9 }).write("{", () => response.destroy());
    assert.equal(await ask({ baseUrl: base }), "TypeError");
    answer = (_, response) => response.end('{"a":1.50}');
    assert.equal(await ask({ baseUrl: base }), '{"a":1.5}');
  } finally {
    await browser.close();
    await server.close();
  }
});
