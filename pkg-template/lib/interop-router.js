// Routers: an endpoint's side. Takes the page's handlers, admission, schemas, keys and stores, and answers requests one by
// one. Every rule of the exchange is the module's. Public through `interop-api.js`.

import { givenBytes, givenMembers, givenNumber } from "./given.js";
import { keys, stringify } from "./intrinsics.js";
import { drive } from "./interop-drive.js";
import { refuseOption, refuseTime } from "./interop-errors.js";
import { textOf, wireText } from "./interop-json.js";
import { InMemoryInteropIdempotencyStore, InMemoryInteropSequenceStore } from "./interop-memory.js";
import { enter } from "./interop-module.js";
import { authenticityOf, methodOf } from "./interop-ports.js";
import { manifestOf } from "./interop-values.js";
import { isFunction, isThenable, whenEnded } from "./thenable.js";

/** The stores that were given, or fresh ones in memory: whether those will do the module says. */
const storesOf = ({ durableStores, stores }) =>
  durableStores ?? {
    idempotency: stores?.idempotency ?? new InMemoryInteropIdempotencyStore(),
    sequences: stores?.sequences ?? new InMemoryInteropSequenceStore(),
  };

const OPTIONS = ["routerInstanceId", "reservationLeaseMs", "maximumWireBytes"];

const optionsText = (object, names) => givenMembers(object, names, refuseOption);

const handlersOf = (handlers) => {
  const found = new Map();
  for (const operation of keys(handlers ?? {})) {
    const refusal = "interop operation handlers do not match the manifest";
    found.set(operation, methodOf(handlers, operation, refusal, `expected \`${operation}\` to be a function`));
  }
  return found;
};

/** Where it is told what no caller is told, unless the page says another place. */
const print = (error, { source, request }) => console.error(`[agent-surface] interop ${source} failed (${request.operation}):`, error);

const listenerOf = (onError = print) => {
  if (!isFunction(onError)) throw refuseOption("expected `onError` to be a function");
  return (error, about) => {
    const ending = onError(error, about);
    if (isThenable(ending)) whenEnded(ending, () => undefined, (failure) => console.error(failure));
  };
};

const portsOf = (options) => {
  const { admission, schemas, authenticity } = options;
  const stores = storesOf(options);
  const store = (object, name) => methodOf(object, name, `expected a store with the method \`${name}\``);
  return {
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
    onError: listenerOf(options.onError),
  };
};

export class InteropEndpointRouter {
  #core;
  #ports;
  #manifest;
  #maxBytes;

  constructor(options) {
    const { manifest, durableStores, localOnly } = options;
    const ports = portsOf(options);
    const text = textOf(manifest);
    const found = {
      isLocalOnly: localOnly === true,
      isDurable: durableStores !== undefined,
      revalidates: ports.revalidate !== undefined,
      signerId: ports.authenticity?.localSignerId,
      maximumResponseBytes: durableStores?.maximumResponseBytes,
    };
    const settings = `{"operations":${stringify([...ports.handlers.keys()])},"options":${optionsText(options, OPTIONS)},"found":${optionsText(found, keys(found))}}`;
    this.#core = enter((glue) => new glue.RouterCore(text, settings));
    this.#maxBytes = enter(() => this.#core.maxBytes());
    this.#manifest = manifestOf(enter(() => this.#core.manifest()));
    this.#ports = ports;
  }

  get manifest() {
    return this.#manifest;
  }

  async handle(request, { logicalTimeMs, signal } = {}) {
    const now = givenNumber(logicalTimeMs, "`logicalTimeMs`", refuseTime);
    const isLate = signal?.aborted;
    // One unit or byte past the bound is enough for the module to see it.
    const end = this.#maxBytes + 1;
    let machine;
    if (ArrayBuffer.isView(request)) {
      const bytes = givenBytes(request, end);
      machine = enter(() => this.#core.handleBytes(bytes, now));
    } else {
      const text = wireText(request, end);
      machine = enter(() => this.#core.handle(text, now));
    }
    if (isLate) enter(() => machine.abort());
    return drive(machine, this.#ports, signal);
  }
}
