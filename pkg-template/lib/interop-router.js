// Routers: an endpoint's side. Takes the page's handlers, admission, schemas, keys and stores, and answers requests one by
// one. Every rule of the exchange is the module's. Public through `interop-api.js`.

import { keys, stringify } from "./intrinsics.js";
import { drive } from "./interop-drive.js";
import { refuseOption } from "./interop-errors.js";
import { textOf, wireText } from "./interop-json.js";
import { InMemoryInteropIdempotencyStore, InMemoryInteropSequenceStore } from "./interop-memory.js";
import { enter } from "./interop-module.js";
import { authenticityOf, methodOf } from "./interop-ports.js";
import { manifestOf } from "./interop-values.js";

const NO_STORES =
  "restart-durable interop router stores are required: pass `durableStores`, or `localOnly: true` where an effect may happen again after a restart";

/** Exactly one of the two is said. */
const storesOf = ({ durableStores, localOnly, stores }) => {
  if (localOnly === true && durableStores !== undefined) throw refuseOption("router cannot combine local and durable stores");
  if (localOnly !== true && durableStores === undefined) throw refuseOption(NO_STORES);
  const { idempotency, sequences, maximumResponseBytes } = durableStores ?? stores ?? {};
  return {
    // Nothing is said of stores in memory; of durable ones whatever they say, and `null` is no number.
    maximumResponseBytes: durableStores === undefined ? undefined : (maximumResponseBytes ?? null),
    idempotency: idempotency ?? (durableStores ? undefined : new InMemoryInteropIdempotencyStore()),
    sequences: sequences ?? (durableStores ? undefined : new InMemoryInteropSequenceStore()),
  };
};

const handlersOf = (handlers) => {
  const found = new Map();
  for (const operation of keys(handlers ?? {})) {
    found.set(operation, methodOf(handlers, operation, "interop operation handlers do not match the manifest"));
  }
  return found;
};

const portsOf = (options) => {
  const { admission, schemas, authenticity } = options;
  const stores = storesOf(options);
  const store = (object, name) => methodOf(object, name, `${NO_STORES} (found none with \`${name}\`)`);
  return {
    maximumResponseBytes: stores.maximumResponseBytes,
    admit: methodOf(admission, "admit", "interop request admission port is required"),
    revalidate:
      admission.revalidate === undefined
        ? undefined
        : methodOf(admission, "revalidate", "interop request revalidation port is invalid"),
    resolve: methodOf(schemas, "resolve", "interop payload schema resolver is required"),
    authenticity: authenticityOf(authenticity, "interop router authenticity port is invalid"),
    handlers: handlersOf(options.handlers),
    load: store(stores.idempotency, "load"),
    reserve: store(stores.idempotency, "reserve"),
    commit: store(stores.idempotency, "commit"),
    release: stores.idempotency?.release === undefined ? undefined : store(stores.idempotency, "release"),
    advance: store(stores.sequences, "admit"),
  };
};

export class InteropEndpointRouter {
  #core;
  #ports;
  #manifest;
  #maxBytes;

  constructor(options) {
    const { routerInstanceId, manifest, reservationLeaseMs, maximumWireBytes } = options;
    const ports = portsOf(options);
    const text = textOf(manifest);
    const settings = stringify({
      routerInstanceId,
      operations: [...ports.handlers.keys()],
      revalidates: ports.revalidate !== undefined,
      signerId: ports.authenticity?.localSignerId,
      maximumResponseBytes: ports.maximumResponseBytes,
      reservationLeaseMs,
      maximumWireBytes,
    });
    this.#core = enter((glue) => new glue.RouterCore(text, settings));
    this.#maxBytes = enter(() => this.#core.maxBytes());
    this.#manifest = manifestOf(enter(() => this.#core.manifest()));
    this.#ports = ports;
  }

  get manifest() {
    return this.#manifest;
  }

  async handle(request, { logicalTimeMs, signal } = {}) {
    const now = Number(logicalTimeMs);
    // One unit or byte past the bound is enough for the module to see it.
    const end = this.#maxBytes + 1;
    let machine;
    if (ArrayBuffer.isView(request)) {
      const bytes = new Uint8Array(request.buffer, request.byteOffset, Math.min(request.byteLength, end));
      machine = enter(() => this.#core.handleBytes(bytes, now));
    } else {
      const text = typeof request === "string" ? wireText(request.slice(0, end)) : textOf(request);
      machine = enter(() => this.#core.handle(text, now));
    }
    if (signal?.aborted) enter(() => machine.abort());
    return drive(machine, this.#ports, signal);
  }
}
