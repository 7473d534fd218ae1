// A client and a router of `/interop` in one page, over the stores on IndexedDB, which the tests crash at named points.
// `window.effect` is the world outside: it outlives the page. `window.crash` ends the page, sooner or later.

import * as I from "/pkg/dist/interop.js";

await I.initInterop();

const ISSUER = "client:crash";
const SESSION = "session:crash";
const settings = new URL(location.href).searchParams;
const START = settings.get("start");

/** Where to end, and whether to wait for the end there or to run into it. */
let plan;
const point = async (name) => {
  if (plan?.point !== name) return;
  const { waits } = plan;
  plan = undefined;
  const ending = window.crash();
  if (waits) {
    await ending;
    await new Promise(() => {});
  }
};
/** Points before and after each method. */
const probed = (object, names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      async (...values) => {
        await point(`before ${name}`);
        const answer = await object[name](...values);
        await point(`after ${name}`);
        return answer;
      },
    ]),
  );

const stores = await I.openIndexedDbInteropStores({ exclusive: settings.has("exclusive") });
const schema = `sha256:${"5".repeat(64)}`;
const schemas = I.createSchemaResolver({ [schema]: { type: "object" } });
const manifest = I.createInteropManifest({
  endpointId: "endpoint:crash",
  endpointVersion: "1",
  implementationId: "tests",
  endpointKind: "environment",
  operations: ["environment.act"],
  inputSchemaDigest: schema,
  outputSchemaDigest: schema,
  supportsCancellation: true,
  supportsDeterministicReplay: true,
  supportsCheckpoint: true,
  requiresRequestSignature: false,
  signsResponses: false,
  maximumRequestBytes: 4096,
  maximumResponseBytes: 4096,
  maximumStepsPerSession: 10_000,
});

/** The endpoint's logical time. */
let now = 0;
let lingers = false;
window.released = [];
const world = probed({ effect: (call) => window.effect(call) }, ["effect"]);
const router = new I.InteropEndpointRouter({
  routerInstanceId: `router:${START}`,
  manifest,
  schemas,
  admission: { admit: () => true },
  durableStores: {
    idempotency: {
      ...probed(stores.idempotency, ["load", "reserve", "commit"]),
      release(run) {
        window.released.push(run.reservationId);
        return stores.idempotency.release(run);
      },
    },
    sequences: probed(stores.sequences, ["admit"]),
    maximumResponseBytes: stores.maximumResponseBytes,
  },
  handlers: {
    "environment.act": async ({ request, signal }) => {
      // It ends when its caller gives up, and not before.
      if (lingers) {
        document.documentElement.dataset.lingers = "";
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }
      const run = await world.effect({ key: request.idempotencyKey, at: now, start: START });
      return { status: "completed", reasonCode: "crash:ran", payload: { run } };
    },
  },
});
const client = new I.InteropClient({
  clientId: ISSUER,
  schemas,
  transport: {
    manifest: async () => JSON.stringify(manifest),
    exchange: async (request, { signal }) => JSON.stringify(await router.handle(request, { logicalTimeMs: now, signal })),
  },
});
const numbers = probed(stores.outbound, ["next"]);

/** One call of the client: the same index is the same request, whatever page it comes from. */
window.exchange = async ({ index, at, ending, signal }) => {
  plan = ending;
  lingers = signal !== undefined;
  now = at;
  const idempotencyKey = `key:${index}`;
  const scope = { issuerId: ISSUER, sessionId: SESSION };
  const sequence = await numbers.next({ ...scope, maximumSequence: 10_000, idempotencyKey });
  const response = await client.invoke({
    requestId: `request:${index}`,
    idempotencyKey,
    sessionId: SESSION,
    operation: "environment.act",
    sequence,
    logicalTimeMs: 0,
    deadlineLogicalMs: Number.MAX_SAFE_INTEGER,
    payload: { index },
    signal,
  });
  const { status, reasonCode, payload } = response;
  return { sequence, status, reasonCode, run: payload?.run, text: JSON.stringify(response) };
};
document.documentElement.dataset.ready = "";
