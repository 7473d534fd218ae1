// The two kinds of endpoints by their own words: an agent's five calls, an environment's six. Which requests they are, the
// module says. Public through `interop-api.js`.

import { givenNumber, givenText } from "./given.js";
import { isFunction } from "./thenable.js";
import { partsOf } from "./interop-client.js";
import { drive } from "./interop-drive.js";
import { refuseOption, refuseTime } from "./interop-errors.js";
import { textOf } from "./interop-json.js";
import { InMemoryInteropOutboundSequenceStore } from "./interop-memory.js";
import { enter } from "./interop-module.js";
import { sequencesOf } from "./interop-ports.js";

/** The methods, as `client.rs` numbers them. */
const STEP = 0;
const CHECKPOINT = 1;
const RESTORE = 2;
const EXPORT = 3;
const IMPORT = 4;

export class InteropPortableAgentAdapter {
  #client;
  #parts;
  #next;
  #gate;

  constructor(client, sequences = new InMemoryInteropOutboundSequenceStore(), authorizationGate = undefined) {
    this.#parts = partsOf(client);
    this.#client = client;
    this.#next = sequencesOf(sequences);
    if (authorizationGate !== undefined && !isFunction(authorizationGate)) {
      throw refuseOption("interop authorization gate is invalid");
    }
    this.#gate = authorizationGate;
  }

  async #call(method, input, signal) {
    const text = textOf(input);
    const manifest = await this.#client.manifest({ signal });
    const { core, ports } = this.#parts;
    const gate = this.#gate;
    const machine = enter(() => core.agent(method, text, gate !== undefined));
    return drive(machine, { ...ports, next: this.#next, gate, manifest }, signal);
  }

  async step(input, { signal } = {}) {
    return (await this.#call(STEP, input, signal)).payload;
  }

  async checkpoint(input, { signal } = {}) {
    return (await this.#call(CHECKPOINT, input, signal)).payload;
  }

  async restore(input, { signal } = {}) {
    await this.#call(RESTORE, input, signal);
  }

  async exportCheckpoint(input, { signal } = {}) {
    return (await this.#call(EXPORT, input, signal)).payload;
  }

  async importCheckpoint(input, { signal } = {}) {
    return (await this.#call(IMPORT, input, signal)).payload;
  }
}

const RESET = 0;
const OBSERVE = 1;
const ACT = 2;
const SNAPSHOT = 3;
const RESTORE_STATE = 4;
const CLOSE = 5;

export class InteropSimulationEnvironmentClient {
  #client;
  #parts;
  #sessionId;
  #next;

  constructor(client, sessionId, sequences) {
    this.#parts = partsOf(client);
    this.#client = client;
    this.#sessionId = givenText(sessionId, "`sessionId`", refuseOption);
    this.#next = sequencesOf(sequences);
  }

  async #call(method, input, logicalTimeMs, signal) {
    const text = textOf(input);
    const now = givenNumber(logicalTimeMs, "`logicalTimeMs`", refuseTime);
    await this.#client.manifest({ signal });
    const { core, ports } = this.#parts;
    const machine = enter(() => core.environment(this.#sessionId, method, text, now));
    return drive(machine, { ...ports, next: this.#next }, signal);
  }

  async reset(input, logicalTimeMs, signal) {
    return this.#call(RESET, input, logicalTimeMs, signal);
  }

  async observe(cursor, logicalTimeMs, signal) {
    return (await this.#call(OBSERVE, cursor, logicalTimeMs, signal)).payload;
  }

  async act(action, logicalTimeMs, signal) {
    return (await this.#call(ACT, action, logicalTimeMs, signal)).payload;
  }

  async snapshot(logicalTimeMs, signal) {
    return (await this.#call(SNAPSHOT, null, logicalTimeMs, signal)).payload;
  }

  async restore(snapshot, logicalTimeMs, signal) {
    return this.#call(RESTORE_STATE, snapshot, logicalTimeMs, signal);
  }

  async close(logicalTimeMs, signal) {
    return this.#call(CLOSE, null, logicalTimeMs, signal);
  }
}
