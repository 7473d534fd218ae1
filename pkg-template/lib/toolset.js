// `createAgentToolset`: one consumer's tools as plain objects for any model SDK. Names, labels, order, evidence and
// waits are the core's; this builds the objects.

import { expect } from "./errors.js";
import { BUILD_TOOLS, CLOSE_TOOLSET, NAMES_STAMP, TOOL_LABEL, TOOL_NAMES, TOOL_ROWS, TOOL_STATE, VERSION, WATCH_TOOLSET } from "./codes.js";
import { toConsumer } from "./context.js";
import { metaTools } from "./meta.js";
import { freeze } from "./intrinsics.js";
import { DISPOSE } from "./registration.js";
import { budgetOf, hostOf, invokeAs, lookAs, scopeText, oneOf, onlyOptions } from "./registry.js";
import { attempt, isFunction } from "./thenable.js";

const AVAILABLE = freeze({ available: true });

/** How long a call may wait for a person, when that is said. */
export const checkWaitMs = (waitMs) => {
  const isWait = waitMs === undefined || (Number.isInteger(waitMs) && waitMs > 0 && waitMs < 2 ** 31);
  expect(isWait, "`waitMs` must be a whole number of milliseconds from 1 up");
};

/** How confirmations are handled: the topology says it unless the caller does. */
const modeOf = ({ topology, confirmations, waitMs }) => {
  expect(
    topology !== undefined || confirmations !== undefined,
    "`createAgentToolset` needs a `topology`, embedded or remote, or `confirmations`, wait or two-phase: who waits while a " +
      "person decides has no default",
  );
  if (topology !== undefined) oneOf(topology, "topology", ["embedded", "remote"]);
  const mode = confirmations ?? (topology === "embedded" ? "wait" : "two-phase");
  oneOf(mode, "confirmations", ["wait", "two-phase"]);
  checkWaitMs(waitMs);
  const isBounded = mode !== "wait" || topology !== "remote" || waitMs !== undefined;
  expect(isBounded, "a remote toolset that waits needs `waitMs`, below the transport's own timeout");
  return mode;
};

/** The answer of a tool whose registry cannot be asked any more. `execute` never throws. */
const lost = (capabilityId, toolCallId, error) => {
  const disposed = attempt(() => error.code) === "DISPOSED";
  return freeze({
    status: "error",
    invocationId: typeof toolCallId === "string" ? toolCallId : "",
    capabilityId,
    error: freeze({
      code: disposed ? "CANCELLED" : "EXECUTION_FAILED",
      message: disposed ? "The page ended this session. Do not try again." : "The call could not be made. Do not try again.",
      retry: "no",
    }),
    surfaceVersion: "0",
  });
};

class Tools {
  /** `settings`: scope, whether it waits, and how long. */
  constructor(host, consumer, settings) {
    this.host = host;
    this.consumer = consumer;
    this.settings = settings;
    /** The tools of meta mode. */
    this.fixed = undefined;
    this.announced = undefined;
    /** What each tool calls, in the order of the list. */
    this.targets = [];
    this.listeners = new Set();
    this.closed = false;
    this.open();
  }

  open() {
    const { host, consumer, settings } = this;
    this.id = host.enter((wasm) => wasm.openToolset(consumer.kind, consumer.id, ...settings, false, -1, -1));
    host.toolsets.set(this.id, this);
    this.list = undefined;
    /** By position, where a tool's name is not its spec's. */
    this.names = undefined;
    this.namesStamp = -1;
  }

  /** In a fresh instance. Whoever subscribed gets tools that mean its registrations. */
  reopen() {
    this.open();
    this.announced = [];
    this.watch(this.listeners.size > 0);
  }

  watch(isOn) {
    this.host.enter((wasm) => wasm.change(WATCH_TOOLSET, this.id, isOn));
  }

  build() {
    const { host, id, fixed } = this;
    if (fixed) return fixed;
    if (this.closed || host.disposed) return (this.list ??= freeze([]));
    const moved = lookAs(host, this.consumer, (wasm) => wasm.number(BUILD_TOOLS, id));
    if (!moved && this.list) return this.list;
    return host.enter((wasm) => {
      const rows = wasm.rows(TOOL_ROWS, id);
      const names = this.namesOf(wasm, rows);
      const version = String(wasm.number(VERSION));
      const list = new Array(rows.length / 4);
      this.targets = new Array(list.length);
      for (let at = 0; at < list.length; at++) {
        const row = at * 4;
        const name = names === undefined ? host.specs[rows[row + 2]].wireName : names[at];
        list[at] = this.tool(wasm, name, rows[row], rows[row + 1], rows[row + 2], rows[row + 3], version);
        this.targets[at] = host.registrations[rows[row]].members[rows[row + 1]].id;
      }
      return (this.list = freeze(list));
    });
  }

  /** The tools' names; undefined while each has the one that its spec keeps for every toolset. */
  namesOf(wasm, rows) {
    const { id } = this;
    const { specs } = this.host;
    const stamp = wasm.number(NAMES_STAMP, id);
    if (stamp === 0) {
      let known = true;
      for (let at = 2; at < rows.length; at += 4) known &&= specs[rows[at]].wireName !== undefined;
      if (!known) wasm.read(TOOL_NAMES, id).split("\n").forEach((name, at) => (specs[rows[at * 4 + 2]].wireName = name));
      this.names = undefined;
    } else if (stamp !== this.namesStamp) {
      this.names = wasm.read(TOOL_NAMES, id).split("\n");
    }
    this.namesStamp = stamp;
    return this.names;
  }

  tool(wasm, name, slot, at, spec, state, surfaceVersion) {
    const { host } = this;
    const registration = host.registrations[slot];
    const member = registration.members[at];
    const held = host.specs[spec];
    held.toolDescription ??= `${this.label(wasm, spec, state >> 1)} ${held.description}`;
    held.inputSchema ??= held.descriptor(wasm, spec).inputSchema;
    return {
      name,
      description: held.toolDescription,
      inputSchema: held.inputSchema,
      state: state & 1 && member.kind !== "procedure" ? AVAILABLE : this.state(wasm, slot, at, (state & 1) === 1),
      execute: (input, options) => this.execute(member.id, registration.id, surfaceVersion, input, options),
    };
  }

  label(wasm, spec, number) {
    return (this.host.labels[number] ??= wasm.read(TOOL_LABEL, spec));
  }

  state(wasm, slot, at, available) {
    const [unavailableReason, note] = JSON.parse(wasm.read(TOOL_STATE, this.id, slot, at));
    if (available && note === null) return AVAILABLE;
    const state = { available };
    if (!available) state.unavailableReason = unavailableReason;
    if (note !== null) state.note = note;
    return freeze(state);
  }

  execute(capabilityId, registrationId, surfaceVersion, input, options) {
    return this.run(capabilityId, options, ({ toolCallId: invocationId, confirmationId, signal }) => {
      const request = { capabilityId, registrationId, surfaceVersion, invocationId, confirmationId, input };
      return invokeAs(this.host, this.id, request, this.consumer, { signal }).promise;
    });
  }

  /** A call of a tool, as a promise that never rejects. */
  run(capabilityId, options, call) {
    let toolCallId;
    try {
      toolCallId = options?.toolCallId;
      if (this.closed) throw { code: "DISPOSED" };
      return call(options ?? {}).then(undefined, (error) => lost(capabilityId, toolCallId, error));
    } catch (error) {
      if (!this.closed) this.host.develop(`\`${capabilityId}\` was not called:`, error);
      return Promise.resolve(lost(capabilityId, toolCallId, this.host.disposed ? { code: "DISPOSED" } : error));
    }
  }

  /** The surface may have moved, or a call settled: whoever subscribed hears of it when a tool differs. */
  refresh() {
    if (this.listeners.size === 0) return;
    const list = this.build();
    if (list === this.announced || sameTools(list, this.announced)) return;
    this.announced = list;
    for (const listener of [...this.listeners]) {
      try {
        listener(list);
      } catch (error) {
        console.error(error);
      }
    }
  }

  subscribe(listener) {
    if (!isFunction(listener)) throw new TypeError("`subscribe` expects a function");
    if (this.closed || this.fixed) return () => undefined;
    if (this.listeners.size === 0) this.announced = this.build();
    this.listeners.add(listener);
    this.watch(true);
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0 && !this.closed && !this.host.disposed) {
        this.watch(false);
      }
    };
  }

  dispose() {
    if (this.closed) return;
    this.closed = true;
    this.listeners.clear();
    this.host.toolsets.delete(this.id);
    if (this.host.wasm) this.host.enter((wasm) => wasm.change(CLOSE_TOOLSET, this.id));
    this.list = freeze([]);
    this.targets = [];
  }
}

const isSame = (one, other, fields) => one === other || fields.every((field) => one[field] === other[field]);

const sameTools = (list, before) =>
  list.length === before.length &&
  list.every(
    (tool, at) =>
      isSame(tool, before[at], ["name", "description", "inputSchema"]) &&
      isSame(tool.state, before[at].state, ["available", "unavailableReason", "note"]),
  );

export const createAgentToolset = (registry, options = {}) => {
  const host = hostOf(registry);
  onlyOptions(options, "consumer topology confirmations waitMs mode scope budget", "createAgentToolset");
  const waits = modeOf(options) === "wait";
  const { mode = "direct", scope, waitMs, budget } = options;
  const isMeta = mode === "meta";
  oneOf(mode, "mode", ["direct", "meta"]);
  expect(isMeta || budget === undefined, "`budget` does not apply to a direct toolset: narrow it with `scope`");
  expect(options.consumer !== undefined, "`createAgentToolset` needs a `consumer` { id, kind }");
  const consumer = toConsumer(options.consumer);
  const prefixes = scopeText(scope);
  budgetOf(budget);
  const tools = new Tools(host, consumer, [prefixes, waits, waits ? (waitMs ?? -1) : -1]);
  if (isMeta) {
    const floor = prefixes && JSON.parse(prefixes);
    tools.fixed = metaTools(host, tools, consumer, { floor, budget: budget && { ...budget } }, AVAILABLE);
  }
  const dispose = () => tools.dispose();
  return {
    tools: () => tools.build(),
    wireNameMap() {
      const list = tools.build();
      return new Map(tools.targets.map((target, at) => [list[at].name, target]));
    },
    subscribe: (listener) => tools.subscribe(listener),
    dispose,
    [DISPOSE]: dispose,
  };
};
