// Round trips of `/interop` in the page: a client's call to its checked response, over a router in the same page that echoes
// the payload. Requests and responses cross as texts, as they do over a wire; the payload goes in and comes out as a value.

import {
  InteropClient, InteropEndpointRouter, WebCryptoAuthenticity, createInteropManifest, createSchemaResolver, initInterop,
} from "/pkg/dist/interop.js";

const DIGEST = `sha256:${"0".repeat(64)}`;
const CLIENT = "client:bench";
const ENDPOINT = "endpoint:bench";

const blob = (bytes) => ({ blob: "x".repeat(bytes - 11) });

/** Rows as an agent would send them, of at least so many bytes. */
const structured = (bytes) => {
  const rows = [];
  for (let at = 0, length = 12; length < bytes; at++) {
    const row = { id: `dev-${at}`, name: `Device number ${at}`, on: at % 2 === 0, level: at * 1.5, tags: ["a", "b"] };
    length += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  return { rows };
};

const KINDS = { blob, structured };
const REFERENCE = structured(32_000);

const authenticity = async (localSignerId, pairs) =>
  new WebCryptoAuthenticity({ localSignerId, privateKey: pairs[localSignerId].privateKey, resolve: (id) => pairs[id].publicKey });

/** A client and its router, with stores of their own: they never forget. */
async function open(isSigned) {
  const pair = () => crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
  const pairs = isSigned ? { [CLIENT]: await pair(), [ENDPOINT]: await pair() } : undefined;
  const manifest = createInteropManifest({
    endpointId: ENDPOINT, endpointVersion: "1.0.0", implementationId: "impl:bench", endpointKind: "agent", operations: ["agent.step"],
    inputSchemaDigest: DIGEST, outputSchemaDigest: DIGEST, supportsCancellation: true, supportsDeterministicReplay: true, supportsCheckpoint: true,
    requiresRequestSignature: isSigned, signsResponses: isSigned, maximumRequestBytes: 4_194_304, maximumResponseBytes: 4_194_304, maximumStepsPerSession: 1_000_000,
  });
  const schemas = createSchemaResolver({ [DIGEST]: { type: "object" } });
  const router = new InteropEndpointRouter({
    routerInstanceId: "router:bench", manifest, schemas, localOnly: true,
    admission: { admit: () => true },
    authenticity: isSigned ? await authenticity(ENDPOINT, pairs) : undefined,
    handlers: { "agent.step": ({ request }) => ({ status: "completed", reasonCode: "bench:echo", payload: request.payload }) },
  });
  const transport = {
    manifest: () => JSON.stringify(manifest),
    exchange: async (request) => (await router.handle(request, { logicalTimeMs: 1 })).text,
  };
  return new InteropClient({ clientId: CLIENT, transport, schemas, authenticity: isSigned ? await authenticity(CLIENT, pairs) : undefined });
}

let client;
let sequence;

/** A client for a new sample. */
globalThis.begin = async (isSigned) => {
  client = await open(isSigned);
  await client.manifest();
  sequence = 0;
};

/** So many round trips. */
globalThis.roundTrips = async (kind, bytes, count) => {
  const payload = KINDS[kind](bytes);
  for (let at = 0; at < count; at++) {
    sequence += 1;
    const name = `bench:${sequence}`;
    const response = await client.invoke({
      requestId: name, idempotencyKey: name, sessionId: "session:bench", operation: "agent.step", sequence,
      logicalTimeMs: 1, deadlineLogicalMs: 9_007_199_254_740_991, payload,
    });
    if (response.status !== "completed" || Object.keys(response.payload).join() !== Object.keys(payload).join()) throw new Error(JSON.stringify(response).slice(0, 300));
  }
};

/** The reference operation, so many times. */
globalThis.reference = (count) => {
  for (let at = 0; at < count; at++) JSON.parse(JSON.stringify(REFERENCE));
};

globalThis.ready = initInterop();
