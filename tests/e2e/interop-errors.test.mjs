// What an author learns of a mistake in the remote protocol: what a handler threw, why a server said no, which member is
// wrong, what was expected there and what was found. In Node; what the endpoint's own side hears in a page as well.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { call, INPUT, loadInterop, OUTPUT } from "./harness/interop.mjs";
import { PACKAGE, serve } from "./harness/server.mjs";

let I;
let manifestOf, routerOf, clientOf, requestText, refuses;
before(async () => {
  ({ I, manifestOf, routerOf, clientOf, requestText, refuses } = await loadInterop());
});

const at = { logicalTimeMs: 5 };

/** An exchange with a handler, and what `onError` heard: `[response, error, failure]`. */
const heard = async (handler, more = {}) => {
  const errors = [];
  const router = routerOf({ handlers: { "agent.step": handler }, onError: (...values) => void errors.push(values), ...more });
  const response = await router.handle(await requestText(), at);
  assert.equal(errors.length, 1);
  return [response, ...errors[0]];
};

test("what a handler throws is heard at the endpoint, and not by its caller", async () => {
  const own = new Error("the author's own mistake");
  for (const handler of [() => { throw own; }, async () => { throw own; }]) {
    const [response, error, failure] = await heard(handler);
    assert.equal(error, own);
    assert.deepEqual([failure.source, failure.request.operation, failure.request.payload], ["handler", "agent.step", { a: 1 }]);
    assert.equal(response.reasonCode, "interop_handler_failed");
    assert.doesNotMatch(response.text, /mistake/);
  }
});

test("an outcome that is not used is heard with the place and what was wrong there", async () => {
  const schemas = I.createSchemaResolver({ [INPUT]: { type: "object" }, [OUTPUT]: { type: "object", properties: { n: { type: "number" } } } });
  const completed = (payload) => () => ({ status: "completed", reasonCode: "done", payload });
  const [response, error, failure] = await heard(completed({ n: "two" }), { schemas });
  assert.ok(refuses("RESPONSE_SCHEMA", /its negotiated schema: `\/n` .*number.*string/)(error));
  assert.deepEqual([failure.source, response.reasonCode], ["outcome", "interop_response_schema_invalid"]);
  assert.doesNotMatch(response.text, /two/);
  const [long, limit, { source }] = await heard(completed({ a: "x".repeat(5000) }));
  assert.ok(refuses("RESPONSE_TOO_LARGE")(limit));
  assert.deepEqual([source, long.reasonCode], ["outcome", "interop_response_limit_exceeded"]);
});

test("without `onError` it is printed; one that fails is printed, too; what is no function is refused", async (t) => {
  const printed = t.mock.method(console, "error", () => undefined);
  const own = new Error("own");
  const listener = new Error("of the listener");
  const handlers = { "agent.step": () => { throw own; } };
  const listeners = [undefined, () => { throw listener; }, async () => { throw listener; }];
  for (const onError of listeners) {
    const { reasonCode } = await routerOf({ handlers, onError }).handle(await requestText(), at);
    assert.equal(reasonCode, "interop_handler_failed");
  }
  assert.deepEqual(printed.mock.calls.map((each) => each.arguments.at(-1)), [own, listener, listener]);
  assert.match(printed.mock.calls[0].arguments[0], /^\[agent-surface\] .*handler.*agent\.step/);
  assert.throws(() => routerOf({ onError: 1 }), refuses("INVALID_OPTION", /onError/));
});

test("a handler that throws is heard in a page", async () => {
  const server = await serve({
    folders: { "/pkg/": PACKAGE },
    answers: {
      "/page.html": {
        body: `<!doctype html><title>errors</title><script type="module">
import * as I from "/pkg/dist/interop.js";
await I.initInterop();
window.I = I;
document.documentElement.dataset.ready = "";
</script>`,
        headers: { "content-type": "text/html; charset=utf-8" },
      },
    },
  });
  const browser = await launch();
  try {
    const page = await openPage(browser, `${server.origin}/page.html`);
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    const found = await page.evaluate(
      async ([manifest, request, at]) => {
        const errors = [];
        const router = new I.InteropEndpointRouter({
          routerInstanceId: "router:a", manifest, localOnly: true, admission: { admit: () => true },
          schemas: { resolve: (schemaDigest) => ({ schemaDigest, validate: () => true }) },
          handlers: { "agent.step": () => missing.member },
          onError: (error, { source }) => errors.push(`${source}: ${error}`),
        });
        return [(await router.handle(request, at)).reasonCode, ...errors];
      },
      [manifestOf(), await requestText(), at],
    );
    assert.deepEqual(found, ["interop_handler_failed", "handler: ReferenceError: missing is not defined"]);
  } finally {
    await browser.close();
    await server.close();
  }
});

test("a status that is none of a reply names the address without its secrets, and the endpoint's reason, quoted", async () => {
  const answering = (body, status = 409) => new I.HttpInteropTransport({
    baseUrl: "https://user:secret@a.example/worker/?token=secret",
    fetch: async () => new Response(body, { status }),
  });
  const failure = async (body, status) => {
    const error = await answering(body, status).exchange("{}").then(assert.fail, (reason) => reason);
    assert.equal(error.code, "HTTP_STATUS");
    assert.equal(error.httpStatus, status ?? 409);
    assert.equal(error.message, `interop HTTP request failed with status ${error.httpStatus}`);
    assert.doesNotMatch(error.detail, /secret/);
    return error;
  };
  const start = "POST https://a.example/worker/exchange";
  const known = await failure('{"error":{"code":"KEY","message":"a\\nb"}}');
  assert.deepEqual([known.detail, known.endpointCode, known.status], [`${start}: "KEY": "a\\nb"`, "KEY", 500]);
  for (const odd of [null, "", "<!doctype html>", "null", "[]", '{"error":7}', '{"error":{"code":1}}', "[".repeat(9000)]) {
    const { detail, endpointCode } = await failure(odd);
    assert.deepEqual([detail, endpointCode], [start, undefined], odd);
  }
  const long = await failure(JSON.stringify({ error: { code: "KEY", message: "x".repeat(3000) } }));
  assert.equal(long.detail, `${start}: "KEY": "${"x".repeat(300)}"`);
  // Of a body without end no more is read than its beginning; one that breaks off changes nothing.
  let given = 0;
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => (++given > 99 ? assert.fail("read on and on") : controller.enqueue(new Uint8Array(1024).fill(0x20))),
    cancel: () => void (cancelled = true),
  });
  assert.equal((await failure(endless, 503)).httpStatus, 503);
  assert.ok(cancelled);
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) });
  assert.equal((await failure(broken, 500)).httpStatus, 500);
  await assert.rejects(answering("", 404).manifest(), { httpStatus: 404, detail: /^GET https:\/\/a\.example\/worker\/manifest$/ });
});

test("a manifest that is refused says which member, what it should be and what it is", () => {
  const cases = [
    [{ endpointVersion: undefined }, "MANIFEST_IDENTITY", /endpoint identity is invalid: .*`endpointVersion`.*nothing/],
    [{ endpointKind: "worker" }, "MANIFEST_IDENTITY", /`endpointKind`.*`agent`.*found `"worker"`/],
    [{ implementationId: undefined }, "INVALID_MEMBER", /^implementationId is invalid: .*characters.*nothing/],
    [{ endpointId: "a b" }, "INVALID_MEMBER", /^endpointId is invalid: .*found `"a b"`/],
    [{ operations: ["agent.fly"] }, "MANIFEST_OPERATIONS", /canonical and supported: .*`"agent\.fly"`/],
    [{ operations: ["agent.step", "agent.restore"] }, "MANIFEST_OPERATIONS", /order.*agent\.restore/],
    [{ operations: [] }, "MANIFEST_OPERATIONS", /at least one/],
    [{ supportsCheckpoint: 1 }, "MANIFEST_FLAGS", /`supportsCheckpoint`.*`true` or `false`.*`1`/],
    [{ inputSchemaDigest: "sha1:0" }, "INVALID_MEMBER", /^inputSchemaDigest is invalid: .*64 hexadecimal.*`"sha1:0"`/],
    [{ maximumRequestBytes: 10 }, "MEMBER_OUT_OF_RANGE", /^maximumRequestBytes is invalid: .*1024 to 67108864.*`10`/],
  ];
  for (const [more, code, message] of cases) {
    const body = Object.fromEntries(Object.entries({ ...manifestOf(), manifestDigest: undefined, ...more }).filter(([, value]) => value !== undefined));
    assert.throws(() => I.createInteropManifest(body), refuses(code, message), JSON.stringify(more));
  }
});

test("handlers that do not fit the manifest are named", () => {
  const step = () => ({ status: "refused", reasonCode: "no" });
  assert.throws(() => routerOf({ handlers: {} }), refuses("ROUTER_HANDLERS", /do not match the manifest: .*`agent\.step`/));
  const two = { "agent.step": step, "agent.restore": step };
  assert.throws(() => routerOf({ handlers: two }), refuses("ROUTER_HANDLERS", /`agent\.restore`/));
  assert.throws(() => routerOf({ handlers: { "agent.step": step, "agent.fly": step } }), refuses("ROUTER_HANDLERS", /`agent\.fly`/));
  assert.throws(() => routerOf({ handlers: { "agent.step": 1 } }), refuses("INVALID_OPTION", /`agent\.step`.*function/));
});

test("a reused key and a wrong payload say so, at both sides", async () => {
  const strict = I.createSchemaResolver({
    [INPUT]: { type: "object", properties: { task: { type: "object", properties: { n: { type: "integer" } } } } },
    [OUTPUT]: { type: "object" },
  });
  const router = routerOf({ schemas: strict });
  const transport = { manifest: () => router.manifest, exchange: async (text) => (await router.handle(text, at)).text };
  const wrong = call({ payload: { task: { n: "one" } } });
  const expected = refuses("REQUEST_SCHEMA", /its negotiated schema: `\/task\/n` .*integer.*string/);
  await assert.rejects(clientOf(transport, { schemas: strict }).invoke(wrong), expected);
  await assert.rejects(clientOf(transport).invoke(wrong), expected);
  await assert.rejects(clientOf(transport).invoke(call({ payload: [] })), refuses("REQUEST_SCHEMA", /schema: it .*object.*array/));
  const client = clientOf(transport);
  await client.invoke(call());
  const reused = refuses("IDEMPOTENCY_KEY_REUSED", /^interop response binding is invalid: .*`idempotencyKey`.*another key/);
  await assert.rejects(client.invoke(call({ payload: { other: 1 } })), reused);
});
