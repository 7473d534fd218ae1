// Clients: negotiate with an endpoint once and make requests. Every rule is the module's. Public through `interop-api.js`.

import { givenMembers, givenText } from "./given.js";
import { drive, negotiate } from "./interop-drive.js";
import { refuseMember, refuseOption } from "./interop-errors.js";
import { repliesOf } from "./interop-http.js";
import { textOf } from "./interop-json.js";
import { enter } from "./interop-module.js";
import { authenticityOf, methodOf } from "./interop-ports.js";
import { manifestOf } from "./interop-values.js";

/** The members of a call but its payload. */
const CALL = [
  "requestId",
  "idempotencyKey",
  "sessionId",
  "operation",
  "sequence",
  "logicalTimeMs",
  "deadlineLogicalMs",
  "expectedManifestDigest",
];

const transportOf = (transport, name) => methodOf(repliesOf(transport, name), name, "interop client transport is invalid");

/** What a promise gives, unless this signal ends the wait for it before. */
const unless = (signal, promise) =>
  new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });

/** The parts of genuine clients, for the adapters. */
let partsOf;

export class InteropClient {
  #core;
  #ports;
  #clientId;
  #negotiation;
  #isNegotiated = false;

  static {
    partsOf = (client) => {
      if (!(typeof client === "object" && client !== null && #core in client)) {
        throw refuseOption("concrete interop client is required");
      }
      return { core: client.#core, ports: client.#ports, clientId: client.#clientId };
    };
  }

  constructor({ clientId, transport, schemas, authenticity }) {
    const signs = authenticityOf(authenticity, "interop client authenticity port is invalid");
    this.#clientId = givenText(clientId, "`clientId`", refuseOption);
    this.#ports = {
      fetchManifest: transportOf(transport, "manifest"),
      exchange: transportOf(transport, "exchange"),
      resolve: methodOf(schemas, "resolve", "interop payload schema resolver is required"),
      authenticity: signs,
    };
    this.#core = enter((glue) => new glue.ClientCore(clientId, signs?.localSignerId));
  }

  get clientId() {
    return this.#clientId;
  }

  /**
   * Shared by concurrent callers; the signal is the first one's, and that of another ends its own wait. What fails is tried
   * again by the next call.
   */
  #negotiate(signal) {
    if (this.#negotiation && signal && !this.#isNegotiated) return unless(signal, this.#negotiation);
    this.#negotiation ??= (async () => {
      try {
        const machine = enter(() => this.#core.negotiate());
        const manifest = manifestOf(await negotiate(machine, this.#ports, signal));
        this.#isNegotiated = true;
        return manifest;
      } catch (error) {
        this.#negotiation = undefined;
        throw error;
      }
    })();
    return this.#negotiation;
  }

  async manifest({ signal } = {}) {
    return this.#negotiate(signal);
  }

  async invoke({ payload, signal, ...members }) {
    const text = textOf(payload);
    const call = givenMembers(members, CALL, refuseMember);
    await this.#negotiate(signal);
    const machine = enter(() => this.#core.invoke(call, text));
    return drive(machine, this.#ports, signal);
  }
}

export { partsOf };
