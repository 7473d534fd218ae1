// The two implementations of this project against each other over HTTP: the client in JavaScript with the native endpoint
// of the conformance profile, and the native command with a router in JavaScript behind Node's server.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { PACKAGE, ROOT } from "./harness/server.mjs";

const execute = promisify(execFile);
const FOLDER = process.env.INTEROP_VECTORS ?? join(ROOT, "tests", "vectors", "interop");
const ENDPOINT = "endpoint:conformance";
const CLIENT = "client:conformance";

let I;
let keys;
let programs;
const running = [];

const bytesOf = (base64) => Buffer.from(base64, "base64");

/** Builds the native programs and answers with where they are, by their names. */
const build = async () => {
  const what = ["-p", "agent-surface-host", "--bins", "--example", "conformance"];
  const { stdout } = await execute(process.env.CARGO ?? "cargo", ["build", "--quiet", "--message-format=json", ...what], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  });
  const made = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return Object.fromEntries(made.filter(({ executable }) => executable).map(({ target, executable }) => [target.name, executable]));
};

before(async () => {
  I = await import(pathToFileURL(join(PACKAGE, "dist", "interop.mjs")));
  await I.initInterop();
  ({ keys } = JSON.parse(await readFile(join(FOLDER, "conformance-keys.json"), "utf8")));
  programs = await build();
});
after(() => {
  for (const child of running) child.kill("SIGKILL");
});

const authenticityOf = async (localSignerId) => {
  const key = (form, text, usage) => crypto.subtle.importKey(form, bytesOf(text), { name: "Ed25519" }, false, [usage]);
  const found = new Map();
  for (const [owner, { spkiDerBase64 }] of Object.entries(keys)) found.set(owner, await key("spki", spkiDerBase64, "verify"));
  const privateKey = await key("pkcs8", keys[localSignerId].pkcs8DerBase64, "sign");
  return new I.WebCryptoAuthenticity({ localSignerId, privateKey, resolve: (id) => found.get(id) });
};

/** Starts the native endpoint; answers with its base URL. */
const serve = async (sign) => {
  const child = spawn(programs.conformance, ["--sign", sign, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line).baseUrl;
  throw new Error("the endpoint said nothing");
};

/** The profile's schemas; a client that is to send what they refuse has others. */
const INPUT = { type: "object", properties: { rejectInput: false } };
const OUTPUT = { type: "object", properties: { invalid: false } };
const anything = { resolve: (schemaDigest) => ({ schemaDigest, validate: () => true }) };

const connect = async (baseUrl, { authenticity, headers } = {}) => {
  const transport = new I.HttpInteropTransport({ baseUrl, headers });
  const manifest = I.readInteropManifest(await transport.manifest());
  const schemas = I.createSchemaResolver({ [manifest.inputSchemaDigest]: INPUT, [manifest.outputSchemaDigest]: OUTPUT });
  const signs = authenticity ?? (await authenticityOf(CLIENT));
  const make = (schemas) => new I.InteropClient({ clientId: signs.localSignerId, transport, schemas, authenticity: signs });
  let sequence = 0;
  const call = (payload, more) => {
    sequence++;
    return {
      requestId: `request:${sequence}`,
      idempotencyKey: `key:${sequence}`,
      sessionId: "session:js",
      operation: "agent.step",
      sequence,
      logicalTimeMs: 10,
      deadlineLogicalMs: 1000,
      payload,
      ...more,
    };
  };
  const [strict, careless] = [make(schemas), make(anything)];
  return { manifest, call, ask: (payload, more) => strict.invoke(call(payload, more)), careless, strict };
};

const said = ({ status, reasonCode, payload }) => [status, reasonCode, payload];

for (const sign of ["none", "request", "response", "both"]) {
  test(`a client talks to the native endpoint that signs ${sign}`, async () => {
    const { manifest, ask, call, careless } = await connect(await serve(sign));
    assert.equal(manifest.endpointId, ENDPOINT);
    const odd = { half: "\ud800", text: "é😀\u0000", n: [1e21, 5e-324, 0.1], ["__proto__"]: null, z: { a: [] } };
    const echo = await ask(odd);
    assert.deepEqual(said(echo), ["completed", "driver:echo", { echo: odd, operation: "agent.step", sequence: 1 }]);
    assert.equal(echo.signature === null, sign === "none" || sign === "request");
    assert.deepEqual(said(await ask({ do: "blob", length: 1000 })), ["completed", "driver:blob", { blob: "x".repeat(1000) }]);
    for (const [name, ending] of [["refuse", "refused"], ["defer", "deferred"], ["fail", "failed"]]) {
      assert.deepEqual(said(await ask({ do: name })), [ending, `driver:${ending}`, null]);
    }
    assert.deepEqual(said(await ask({ do: "throw" })), ["failed", "interop_handler_failed", null]);
    assert.deepEqual(said(await ask({ do: "bad-output" })), ["failed", "interop_response_schema_invalid", null]);
    assert.deepEqual(said(await ask({ do: "blob", length: 70_000 })), ["failed", "interop_response_limit_exceeded", null]);
    assert.equal((await ask({}, { sessionId: "session:denied:1" })).reasonCode, "interop_request_not_admitted");
    assert.equal((await ask({}, { sessionId: "session:expiring:1" })).reasonCode, "interop_request_admission_expired");
    const once = call({ do: "count" });
    const answers = await Promise.all([careless.invoke(once), careless.invoke(once)]);
    const completed = answers.filter(({ status }) => status === "completed");
    assert.ok(completed.length > 0);
    assert.deepEqual((await careless.invoke(once)).payload, { count: 1 });
    await assert.rejects(careless.invoke(call({ rejectInput: 1 })), { code: "HTTP_STATUS", httpStatus: 400, endpointCode: "REQUEST_SCHEMA" });
    await assert.rejects(careless.invoke({ ...once, payload: { do: "other" } }), { code: "HTTP_STATUS", httpStatus: 409, endpointCode: "IDEMPOTENCY_KEY_REUSED" });
    await assert.rejects(ask({ rejectInput: 1 }), { code: "REQUEST_SCHEMA" });
    await assert.rejects(ask({ text: "x".repeat(2_097_152) }), { code: "REQUEST_TOO_LARGE" });
  });
}

test("a rogue's signature is refused by the native endpoint, and a rogue endpoint's by the client", async () => {
  const baseUrl = await serve("both");
  const own = await authenticityOf(CLIENT);
  const rogue = await authenticityOf("client:rogue");
  const mixed = (sign, verify) => ({ localSignerId: CLIENT, sign: (digest) => sign.sign(digest), verify: (claim) => verify(claim) });
  const forger = await connect(baseUrl, { authenticity: mixed(rogue, (claim) => own.verify(claim)) });
  await assert.rejects(forger.ask({}), { code: "HTTP_STATUS", httpStatus: 401, message: /status 401$/, detail: /^POST http.*\/exchange: "REQUEST_SIGNATURE": / });
  const doubter = await connect(baseUrl, { authenticity: mixed(own, (claim) => own.verify({ ...claim, signerId: CLIENT })) });
  await assert.rejects(doubter.ask({}, { sessionId: "session:doubt" }), { code: "RESPONSE_SIGNATURE" });
});

test("the adapters drive the native endpoint", async () => {
  const { strict } = await connect(await serve("none"));
  const agent = new I.InteropPortableAgentAdapter(strict);
  const step = { sessionId: "session:agent", stepSequence: 1, request: { stepId: "step:1", logicalTimeMs: 3 } };
  const first = await agent.step(step);
  assert.deepEqual(first, { echo: step, operation: "agent.step", sequence: 1 });
  assert.deepEqual(await agent.step(step), first);
  const world = new I.InteropSimulationEnvironmentClient(strict, "session:world", new I.InMemoryInteropOutboundSequenceStore());
  assert.equal((await world.reset({ seed: 1 }, 1)).status, "completed");
  assert.deepEqual((await world.observe("cursor:0", 2)).echo, { cursor: "cursor:0" });
  await assert.rejects(world.act({ do: "refuse" }, 3), { code: "NOT_COMPLETED", message: "driver:refused" });
  assert.equal((await world.close(4)).payload.sequence, 4);
});

/** A router in JavaScript behind Node's server, with the statuses that its errors say. */
const host = async () => {
  const manifest = I.createInteropManifest({
    endpointId: ENDPOINT,
    endpointVersion: "1",
    implementationId: "implementation:js",
    endpointKind: "agent",
    operations: ["agent.step"],
    inputSchemaDigest: `sha256:${"1".repeat(64)}`,
    outputSchemaDigest: `sha256:${"2".repeat(64)}`,
    supportsCancellation: false,
    supportsDeterministicReplay: false,
    supportsCheckpoint: false,
    requiresRequestSignature: true,
    signsResponses: true,
    maximumRequestBytes: 4096,
    maximumResponseBytes: 4096,
    maximumStepsPerSession: 10,
  });
  let ran = 0;
  const router = new I.InteropEndpointRouter({
    routerInstanceId: "router:js",
    manifest,
    handlers: {
      "agent.step": ({ request }) => ({ status: "completed", reasonCode: "done", payload: { echo: request.payload, ran: ++ran } }),
    },
    admission: { admit: ({ issuerId }) => issuerId === CLIENT },
    schemas: I.createSchemaResolver({ [manifest.inputSchemaDigest]: { type: "object" }, [manifest.outputSchemaDigest]: { type: "object" } }),
    authenticity: await authenticityOf(ENDPOINT),
    localOnly: true,
  });
  const server = createServer(async (request, response) => {
    const json = (status, text) => response.writeHead(status, { "content-type": "application/json" }).end(text);
    if (request.url === "/manifest") return void json(200, JSON.stringify(router.manifest));
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    try {
      json(200, (await router.handle(Buffer.concat(pieces), { logicalTimeMs: 5 })).text);
    } catch (error) {
      json(error.status, JSON.stringify({ error: { code: error.code, message: error.message } }));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${server.address().port}/`, close: () => server.close(), manifest };
};

test("the native command talks to a router in JavaScript", async () => {
  const { baseUrl, close, manifest } = await host();
  const folder = await mkdtemp(join(tmpdir(), "agent-surface-interop-"));
  const command = (...arguments_) => execute(programs["agent-surface-host"], arguments_);
  const seed = async (owner) => {
    const path = join(folder, owner.replace(":", "-"));
    await writeFile(path, keys[owner].seedHex, { mode: 0o600 });
    return path;
  };
  const exchange = async (owner, more, endpointKey = keys[ENDPOINT].publicRawBase64Url) => {
    const options = { client: CLIENT, session: "session:native", operation: "agent.step", seed: await seed(owner), "endpoint-key": endpointKey, ...more };
    return command("exchange", baseUrl, ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]));
  };
  try {
    const { stdout } = await command("manifest", baseUrl);
    assert.ok(stdout.includes(`manifestDigest: "${manifest.manifestDigest}"`), stdout);
    const first = JSON.parse((await exchange(CLIENT, { payload: '{"n": 1.0, "half": "\\ud800"}' })).stdout);
    assert.deepEqual(first.payload, { echo: { n: 1, half: "\ud800" }, ran: 1 });
    assert.deepEqual(JSON.parse((await exchange(CLIENT, { payload: '{"half": "\\uD800", "n": 1}' })).stdout), first);
    await assert.rejects(exchange("client:rogue", { sequence: "2" }), /status 401/);
    await assert.rejects(exchange(CLIENT, { payload: '{"n":2}' }), /status 409/);
    await assert.rejects(exchange(CLIENT, { sequence: "3" }, keys["client:rogue"].publicRawBase64Url), /signature is invalid/);
    const second = JSON.parse((await exchange(CLIENT, { sequence: "4" })).stdout);
    assert.equal(second.payload.ran, 3);
  } finally {
    close();
    await rm(folder, { recursive: true });
  }
});
