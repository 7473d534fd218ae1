// Small parts of the remote protocol for tests: an endpoint with one operation, a client of it, a request. `I` is the entry
// `/interop`, initialised.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE } from "./server.mjs";

export const INPUT = `sha256:${"1".repeat(64)}`;
export const OUTPUT = `sha256:${"2".repeat(64)}`;

export const call = (more = {}) => ({
  requestId: "request:1",
  idempotencyKey: "key:1",
  sessionId: "session:1",
  operation: "agent.step",
  sequence: 1,
  logicalTimeMs: 1,
  deadlineLogicalMs: 100,
  payload: { a: 1 },
  ...more,
});

/** The entry in Node, initialised, with the memory of its module and the parts below. */
export const loadInterop = async () => {
  const I = await import(pathToFileURL(join(PACKAGE, "dist", "interop.mjs")));
  const { instantiate } = WebAssembly;
  let memory;
  WebAssembly.instantiate = async (...values) => {
    const instance = await instantiate(...values);
    ({ memory } = instance.exports);
    return instance;
  };
  await I.initInterop();
  WebAssembly.instantiate = instantiate;
  return { I, memory, ...partsOf(I) };
};

const partsOf = (I) => {
  const manifestOf = (more = {}) =>
    I.createInteropManifest({
      endpointId: "endpoint:a",
      endpointVersion: "1",
      implementationId: "implementation:a",
      endpointKind: "agent",
      operations: ["agent.step"],
      inputSchemaDigest: INPUT,
      outputSchemaDigest: OUTPUT,
      supportsCancellation: true,
      supportsDeterministicReplay: true,
      supportsCheckpoint: false,
      requiresRequestSignature: false,
      signsResponses: false,
      maximumRequestBytes: 4096,
      maximumResponseBytes: 4096,
      maximumStepsPerSession: 1000,
      ...more,
    });

  const schemas = () => I.createSchemaResolver({ [INPUT]: { type: "object" }, [OUTPUT]: { type: "object" } });

  const routerOf = (more = {}) =>
    new I.InteropEndpointRouter({
      routerInstanceId: "router:a",
      manifest: manifestOf(),
      handlers: { "agent.step": ({ request }) => ({ status: "completed", reasonCode: "echo", payload: request.payload }) },
      admission: { admit: () => true },
      schemas: schemas(),
      localOnly: true,
      ...more,
    });

  const clientOf = (transport, more = {}) => new I.InteropClient({ clientId: "client:a", transport, schemas: schemas(), ...more });

  /** The text of a request that a client would send. */
  const requestText = async (more) => {
    let sent;
    const exchange = (text) => {
      sent = text;
      throw new Error("kept");
    };
    await assert.rejects(clientOf({ manifest: () => manifestOf(), exchange }).invoke(call(more)), { message: "kept" });
    return sent;
  };

  const refuses = (code, message) => (error) => {
    assert.equal(I.isInteropError(error), true, String(error));
    assert.equal(error.code, code, error.message);
    if (message) assert.match([error.message, error.detail].filter((part) => part !== undefined).join(": "), message);
    return true;
  };

  return { manifestOf, schemas, routerOf, clientOf, requestText, refuses };
};
