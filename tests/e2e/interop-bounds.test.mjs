// How much of what a peer sends is taken in: a manifest and a response are bounded before they are read, whatever brought
// them, and what the package's own transport brought is read once, in the module. In Node, which shares every line with pages.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { call, loadInterop } from "./harness/interop.mjs";

const MIB = 1 << 20;
/** Of the manifest's 4096 bytes a response. */
const WIRE = 4 * 4096;

let I;
/** The module's. */
let memory;
let manifestOf, routerOf, clientOf, refuses;
before(async () => {
  ({ I, memory, manifestOf, routerOf, clientOf, refuses } = await loadInterop());
});

const bytes = (text) => new TextEncoder().encode(text);
/** A body as the wire may have it. */
const FORMS = [(text) => text, bytes, (text) => new DataView(bytes(`  ${text}`).buffer, 2)];
const at = { logicalTimeMs: 5 };
const baseUrl = "https://a.example/";

/** What an endpoint says over `fetch`; `body` changes it. */
const fetchOf = (router, body = (text) => text) => async (url, { body: request } = {}) =>
  new Response(body(url.endsWith("manifest") ? JSON.stringify(router.manifest) : (await router.handle(request, at)).text, url));

test("a manifest longer than 1 MiB is refused unread, and one of that length is read", async () => {
  const text = JSON.stringify(manifestOf());
  const asked = (body) => clientOf({ manifest: () => body, exchange: () => assert.fail("sent") }).manifest();
  const longer = text.padEnd(MIB + 1);
  for (const form of FORMS) {
    await assert.rejects(asked(form(longer)), refuses("MANIFEST_TOO_LARGE", /at most 1 MiB/));
    assert.equal((await asked(form(longer.slice(0, -1)))).endpointId, "endpoint:a");
  }
  const fetch = fetchOf(routerOf(), (body) => body.padEnd(MIB + 1));
  await assert.rejects(clientOf(new I.HttpInteropTransport({ baseUrl, fetch })).manifest(), refuses("MANIFEST_TOO_LARGE"));
});

test("a response longer than four times what the manifest allows is refused unread, and one of that length is read", async () => {
  const router = routerOf();
  const asked = (form, length) => {
    const exchange = async (text) => form((await router.handle(text, at)).text.padEnd(length));
    return clientOf({ manifest: () => router.manifest, exchange }).invoke(call());
  };
  for (const form of FORMS) {
    await assert.rejects(asked(form, WIRE + 1), refuses("RESPONSE_TOO_LARGE"));
    assert.equal((await asked(form, WIRE)).status, "completed");
  }
  for (const [length, outcome] of [[WIRE, "completed"], [WIRE + 1, "RESPONSE_TOO_LARGE"]]) {
    const fetch = fetchOf(router, (body, url) => (url.endsWith("exchange") ? body.padEnd(length) : body));
    const said = clientOf(new I.HttpInteropTransport({ baseUrl, fetch })).invoke(call());
    if (outcome === "completed") assert.equal((await said).status, outcome);
    else await assert.rejects(said, refuses(outcome));
  }
});

test("what is far too long does not even come into the module", async () => {
  const router = routerOf();
  const long = "[".repeat(64 * MIB);
  const before = memory.buffer.byteLength;
  for (const body of [long, bytes(long)]) {
    await assert.rejects(clientOf({ manifest: () => body, exchange: () => body }).manifest(), refuses("MANIFEST_TOO_LARGE"));
    await assert.rejects(clientOf({ manifest: () => router.manifest, exchange: () => body }).invoke(call()), refuses("RESPONSE_TOO_LARGE"));
  }
  assert.ok(memory.buffer.byteLength - before <= 8 * MIB, `${memory.buffer.byteLength - before} bytes more`);
});

test("over HTTP a response becomes a text of the page's once, and its payload when it is read", async (t) => {
  const router = routerOf();
  const client = clientOf(new I.HttpInteropTransport({ baseUrl, fetch: fetchOf(router) }));
  await client.manifest();
  const decode = t.mock.method(TextDecoder.prototype, "decode");
  const response = await client.invoke(call({ payload: { marked: "m-1" } }));
  assert.deepEqual(response.payload, { marked: "m-1" });
  const texts = decode.mock.calls.map((each) => String(each.result)).filter((text) => text.includes("m-1") && text.includes("responseDigest"));
  // The router's, and the client's.
  assert.equal(texts.length, 2, texts.join("\n"));
});

test("methods that are a transport's own are asked, and what they give is read", async () => {
  const router = routerOf();
  const fetch = fetchOf(router);
  const asked = [];
  class Logged extends I.HttpInteropTransport {
    async exchange(...values) {
      asked.push("exchange");
      return super.exchange(...values);
    }
  }
  const patched = new I.HttpInteropTransport({ baseUrl, fetch });
  const { manifest } = patched;
  patched.manifest = async (...values) => {
    asked.push("manifest");
    return manifest.apply(patched, values);
  };
  for (const transport of [new Logged({ baseUrl, fetch }), patched]) {
    assert.equal((await clientOf(transport).invoke(call())).status, "completed");
  }
  assert.deepEqual(asked, ["exchange", "manifest"]);
  const transport = new I.HttpInteropTransport({ baseUrl, fetch: async () => new Response('{"a":1.0}') });
  assert.equal(await transport.exchange("{}"), '{"a":1}');
});
