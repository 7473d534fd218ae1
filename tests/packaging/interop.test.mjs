// The packed package's `/interop` in Node and through a bundler: a signed exchange without any setting, with one module file
// and without the main one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createServer, build as viteBuild } from "vite";
import { launch } from "../e2e/harness/browser.mjs";
import { page, titleAt, titleOf } from "./pages.mjs";
import { PRINT, SHOW } from "./programs.mjs";
import { project } from "./project.mjs";

const PROGRAM = `
const digest = (digit) => "sha256:" + digit.repeat(64);
async function run() {
  await I.initInterop();
  const keys = new Map();
  for (const id of ["client:a", "endpoint:a"]) keys.set(id, await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]));
  const authenticity = (localSignerId) => new I.WebCryptoAuthenticity({
    localSignerId, privateKey: keys.get(localSignerId).privateKey, resolve: (id) => keys.get(id)?.publicKey,
  });
  const schemas = I.createSchemaResolver({ [digest("1")]: { type: "object" }, [digest("2")]: { type: "object", required: ["doubled"] } });
  const router = new I.InteropEndpointRouter({
    routerInstanceId: "router:a",
    manifest: I.createInteropManifest({
      endpointId: "endpoint:a", endpointVersion: "1", implementationId: "implementation:a", endpointKind: "agent",
      operations: ["agent.step"], inputSchemaDigest: digest("1"), outputSchemaDigest: digest("2"),
      supportsCancellation: false, supportsDeterministicReplay: false, supportsCheckpoint: false,
      requiresRequestSignature: true, signsResponses: true,
      maximumRequestBytes: 4096, maximumResponseBytes: 4096, maximumStepsPerSession: 9,
    }),
    handlers: { "agent.step": ({ request }) => ({ status: "completed", reasonCode: "done", payload: { doubled: 2 * request.payload.n } }) },
    admission: { admit: ({ issuerId }) => issuerId === "client:a" },
    schemas, authenticity: authenticity("endpoint:a"), localOnly: true,
  });
  const client = new I.InteropClient({
    clientId: "client:a", schemas, authenticity: authenticity("client:a"),
    transport: { manifest: () => router.manifest, exchange: async (text) => (await router.handle(text, { logicalTimeMs: 1 })).text },
  });
  const response = await client.invoke({
    requestId: "r", idempotencyKey: "k", sessionId: "s", operation: "agent.step", sequence: 1, logicalTimeMs: 1, deadlineLogicalMs: 2, payload: { n: 21 },
  });
  // A file of its own, where there is a database.
  const kept = await I.openIndexedDbInteropStores().then(
    ({ outbound }) => outbound.next({ issuerId: "client:a", sessionId: "s", maximumSequence: 9, idempotencyKey: "k" }),
    ({ code }) => code,
  );
  return [response.status, response.payload.doubled, response.signature.length, kept].join(" ");
}
`;
const EXCHANGE = "completed 42 86";
const IN_PAGES = `${EXCHANGE} 1`;

let app;
let browser;
before(async () => {
  app = await project({
    "interop.mjs": `import * as I from "agent-surface-wasm/interop";${PROGRAM}${PRINT}`,
    "interop.cjs": `const I = require("agent-surface-wasm/interop");${PROGRAM}${PRINT}`,
    "index.html": page("/app.js"),
    "app.js": `import * as I from "agent-surface-wasm/interop";${PROGRAM}${SHOW}`,
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await app?.remove();
});

for (const file of ["interop.mjs", "interop.cjs"]) {
  test(`${file} makes a signed exchange without any setting`, async () => {
    assert.equal((await app.node(file)).trim(), `${EXCHANGE} STORE_UNAVAILABLE`);
  });
}

test("Vite builds it with its own module alone", async () => {
  await viteBuild({ root: app.folder, logLevel: "error" });
  const modules = (await app.files("dist")).filter((file) => file.endsWith(".wasm"));
  assert.equal(modules.length, 1);
  assert.match(modules[0], /agent_surface_interop/);
  assert.equal(await titleOf(browser, app.path("dist")), IN_PAGES);
});

test("Vite's development server serves it with no setting", async () => {
  const server = await createServer({ root: app.folder, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  try {
    assert.equal(await titleAt(browser, `http://127.0.0.1:${server.httpServer.address().port}/`), IN_PAGES);
  } finally {
    await server.close();
  }
});
