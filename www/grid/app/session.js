// The agent's side of the environment: a key of its own, a client that negotiates once, and one session after the other.

import {
  HttpInteropTransport, InMemoryInteropOutboundSequenceStore, InteropClient, InteropSimulationEnvironmentClient, WebCryptoAuthenticity,
  canonicalJson, createSchemaResolver, initInterop,
} from "/pkg/dist/interop.js";
import { base64url, publicKey, sha256 } from "./evidence.js";

const json = async (path) => {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.json();
};

/** The schemas that both sides agree on, by the digests of their canonical texts. */
async function readSchemas() {
  const schemas = await Promise.all(["input", "output"].map((name) => json(`/grid/schemas/${name}.json`)));
  const entries = schemas.map(async (schema) => [await sha256(canonicalJson(schema)), schema]);
  return createSchemaResolver(Object.fromEntries(await Promise.all(entries)));
}

/** `{ endpoint, agentId, keys, begin }`; `begin()` opens a new session. */
export async function connect(wire) {
  // Whom the page trusts, its own server says; the environment's word alone would prove nothing.
  const endpoint = await json("/grid/endpoint.json");
  await initInterop();
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
  const agentId = `key:${base64url(await crypto.subtle.exportKey("raw", pair.publicKey))}`;
  const keys = { agent: pair.publicKey, endpoint: await publicKey(endpoint.endpointKey) };
  const client = new InteropClient({
    clientId: agentId,
    transport: new HttpInteropTransport({ baseUrl: endpoint.baseUrl, fetch: wire.fetch }),
    schemas: await readSchemas(),
    authenticity: new WebCryptoAuthenticity({
      localSignerId: agentId,
      privateKey: pair.privateKey,
      resolve: (signerId) => (signerId === endpoint.endpointId ? keys.endpoint : undefined),
    }),
  });
  const manifest = await client.manifest();
  const sequences = new InMemoryInteropOutboundSequenceStore();
  return { endpoint, agentId, keys, manifest, begin: () => createSession(client, sequences) };
}

/** A session's calls. Each has a logical time of its own: the same time again would be the same call again. */
function createSession(client, sequences) {
  const environment = new InteropSimulationEnvironmentClient(client, `walk:${crypto.randomUUID()}`, sequences);
  let time = 0;
  /** Environments say how reset, restore and close ended; a refusal is an error here. */
  const completed = ({ status, reasonCode, payload }) => {
    if (status !== "completed") throw new Error(reasonCode);
    return payload;
  };
  return {
    reset: async (input) => completed(await environment.reset(input, (time += 1))),
    observe: (cursor) => environment.observe(cursor, (time += 1)),
    act: (move) => environment.act({ move }, (time += 1)),
    /** The last call of `act` again: an exact retry, or with another move a reuse of its key. */
    actAgain: (move) => environment.act({ move }, time),
    snapshot: () => environment.snapshot((time += 1)),
    restore: async (snapshot) => completed(await environment.restore(snapshot, (time += 1))),
    close: async () => completed(await environment.close((time += 1))),
  };
}
