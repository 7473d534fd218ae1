// `checkAdapter`: does a custom adapter keep its duties? Each check makes a registry of its own, attaches the adapter to
// it and looks from both sides: from the peer's, as the adapter's author hands it over, and from the registry's.

import { action, createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, observation, procedure } from "#core";
import { DUTIES } from "./adapter-duties.js";
import { createTestSurface, hostOf } from "./testing.js";
import { attempt } from "./thenable.js";

/** Taken now: a test may put timers of its own in their place, and transports run on real ones. */
const { setTimeout: later, clearTimeout: forget } = globalThis;
const DEFAULT_TIMEOUT_MS = 1000;
const PAUSE_MS = 2;

/** The longest that a timer can be. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const keyOf = ({ kind, id }) => `${kind}:${id}`;
const nothing = { type: "object", properties: {}, additionalProperties: false };
const line = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false };

const isText = (value) => typeof value === "string";
const isList = (tools) =>
  Array.isArray(tools) && tools.every((tool) => isText(tool?.name) && (tool.description === undefined || isText(tool.description)));

/** One adapter between a registry and its peer. */
export class World {
  constructor(factory, { kind = "other", timeoutMs = DEFAULT_TIMEOUT_MS } = {}) {
    this.factory = factory;
    this.kind = kind;
    this.timeoutMs = timeoutMs;
    /** Whom discovery policies were asked for. */
    this.seen = [];
    /** What handlers ran, by the sentence that describes them. */
    this.ran = [];
    /** The tokens of each call that reached the core: through `invoke`, or a tool of the library's own. */
    this.tokens = [];
    const look = { name: "look", onDiscovery: ({ consumer }) => void this.seen.push(keyOf(consumer)) };
    this.registry = createAgentSurfaceRegistry({ environment: "test", policies: [look] });
    this.registry.setProcedureExecutor({ execute: ({ path }) => void this.ran.push(path) });
    this.surface = createTestSurface({ registry: this.registry, consumer: this.consumer(1) });
    this.watch();
    this.endings = [];
  }

  consumer(number) {
    return { id: `adapter-${number}`, kind: this.kind };
  }

  get key() {
    return keyOf(this.consumer(1));
  }

  watch() {
    const { wasm } = hostOf(this.registry);
    const { invoke, invokeOffered } = wasm;
    wasm.invoke = (...given) => {
      this.tokens.push({ registrationId: given[7], surfaceVersion: given[8] });
      return invoke.apply(wasm, given);
    };
    wasm.invokeOffered = (...given) => {
      this.tokens.push(undefined);
      return invokeOffered.apply(wasm, given);
    };
  }

  /** A capability that notes that it ran, and then does what is given. */
  act(sentence, more = {}) {
    const { input = line, does, ...rest } = more;
    const execute = (value) => {
      this.ran.push(sentence);
      return does?.(value);
    };
    return action({ description: sentence, input: fromJsonSchema(input), effect: "local-state", execute, ...rest });
  }

  read(sentence, value) {
    const read = () => {
      this.ran.push(sentence);
      return value;
    };
    return observation({ description: sentence, output: fromJsonSchema({}), read });
  }

  /** An operation that does harm, whatever its words say. */
  purge() {
    return procedure({ id: "domain:probe.purge", description: "Purges the archive", input: fromJsonSchema(nothing), effect: "destructive" });
  }

  register(type, members, more = {}) {
    return this.registry.register(defineAgentComponent({ type, description: `The component ${type}`, ...members, ...more }));
  }

  /** The adapter under test, attached. */
  async attach({ number = 1, snapshotContext } = {}) {
    const peer = await this.within(this.factory(), "the factory gave no peer");
    for (const method of ["tools", "call"]) {
      if (typeof peer?.[method] !== "function") throw new Error(`the factory gives no \`${method}\` function`);
    }
    if (peer.close) this.endings.push(async () => this.within(peer.close(), "the peer did not close"));
    const start = () => {
      const end = this.registry.attach(peer.adapter, { consumer: this.consumer(number), snapshotContext });
      const detach = async () => this.within(end(), "the adapter did not stop");
      this.endings.push(detach);
      return detach;
    };
    return { peer, start, detach: start() };
  }

  /** What the peer sees now. */
  async listed(peer) {
    const tools = await peer.tools();
    if (!isList(tools)) throw new Error("the peer's `tools` gave no list of { name, description?, … } with texts");
    return tools;
  }

  /** What the peer sees once it sees these sentences. */
  async shown(peer, sentences) {
    const has = (tools, sentence) => tools.some((tool) => tool.description?.includes(sentence));
    return this.until(
      () => this.listed(peer),
      (tools) => sentences.every((sentence) => has(tools, sentence)),
      (tools) => {
        const missing = sentences.filter((sentence) => !has(tools, sentence));
        return `the peer is not shown ${missing.map((sentence) => `\`${sentence}\``).join(", ")} of the surface`;
      },
    );
  }

  /** The name under which the peer is shown a capability. */
  async nameOf(peer, sentence) {
    const tools = await this.shown(peer, [sentence]);
    return tools.find((tool) => tool.description.includes(sentence)).name;
  }

  /** Calls as the peer does. */
  call(peer, name, input, attemptId, more) {
    return this.within(peer.call(name, input, { attemptId, ...more }), `the call of \`${name}\` got no answer`);
  }

  /** A call that is answered later, or never: whoever waits for it hears how it fails, and until then nobody. */
  begin(peer, name, input, attemptId) {
    const answer = Promise.resolve(peer.call(name, input, { attemptId }));
    answer.catch(() => undefined);
    return answer;
  }

  async within(promise, problem) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = later(() => reject(new Error(`${problem} within ${this.timeoutMs} ms`)), this.timeoutMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      forget(timer);
    }
  }

  /** Asks until the answer is right: a transport takes its time. */
  async until(ask, isRight, problem) {
    const end = performance.now() + this.timeoutMs;
    for (;;) {
      const answer = await this.within(ask(), "the peer did not say what it is shown");
      if (isRight(answer)) return answer;
      if (performance.now() > end) throw new Error(problem(answer));
      await this.pause();
    }
  }

  pause() {
    return new Promise((resolve) => later(resolve, PAUSE_MS));
  }

  count(sentence) {
    return this.ran.filter((each) => each === sentence).length;
  }

  /** Everything ends, whatever of it fails to; the first failure is thrown. */
  async close() {
    const failures = [];
    for (const end of this.endings.reverse()) await end().catch((error) => failures.push(error));
    this.surface.dispose();
    this.registry.dispose();
    if (failures.length > 0) throw failures[0];
  }
}

/** Adapters may throw anything, also what cannot be made a text. */
const textOf = (error) => attempt(() => String(error instanceof Error ? error.message : error), "it threw what has no text");

const checksOf = (factory, options) =>
  DUTIES.map(({ id, duty, check }) => ({
    id,
    duty,
    name: `${id}: ${duty}`,
    async run() {
      const world = new World(factory, options);
      let isOver = false;
      try {
        await check(world);
        isOver = true;
      } finally {
        // What the check found says more than how its end went.
        await world.close().catch((error) => {
          if (isOver) throw error;
        });
      }
    },
  }));

export const adapterChecks = (factory, options) => {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options ?? {};
  if (!(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new TypeError(`\`timeoutMs\` must be a number from 1 to ${MAX_TIMEOUT_MS}`);
  }
  return checksOf(factory, options);
};

export const checkAdapter = async (factory, options) => {
  const report = [];
  for (const { id, duty, run } of adapterChecks(factory, options)) {
    const message = await run().then(
      () => "",
      (error) => textOf(error) || "failed",
    );
    report.push({ id, duty, ok: message === "", message });
  }
  return report;
};
