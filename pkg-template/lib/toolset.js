// `createAgentToolset`: one consumer's tools as plain objects for any model SDK. Names, labels, order, evidence and
// waits are the core's; this builds the objects.

import { expect, must } from "./errors.js";
import { BUILD_TOOLS, CLOSE_TOOLSET, NAMES_STAMP, TOOL_LABEL, TOOL_NAMES, TOOL_ROWS, TOOL_STATE, VERSION, WATCH_TOOLSET } from "./codes.js";
import { toConsumer } from "./context.js";
import { metaTools } from "./meta.js";
import { freeze } from "./intrinsics.js";
import { DISPOSE } from "./registration.js";
import { invokeAs } from "./invoke.js";
import { oneOf, onlyOptions } from "./options.js";
import { hostOf } from "./registry.js";
import { budgetOf, lookAs, scopeText } from "./snapshot.js";
import { attempt, isFunction, quietly } from "./thenable.js";

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

/** One consumer's tools; the host knows them among its toolsets. `settings`: scope, whether they wait, and how long. */
const openTools = (host, consumer, settings) => {
  const listeners = new Set();
  let list;
  let announced;
  /** By position, where a tool's name is not its spec's. */
  let names;
  let namesStamp;
  let closed = false;

  const open = () => {
    tools.id = host.enter((wasm) => wasm.openToolset(consumer.kind, consumer.id, ...settings, false, -1, -1));
    host.toolsets.set(tools.id, tools);
    list = names = namesStamp = undefined;
  };

  const watch = (isOn) => host.enter((wasm) => wasm.change(WATCH_TOOLSET, tools.id, isOn));

  /** The tools' names; none while each has the one that its spec keeps for every toolset. */
  const readNames = (wasm, rows) => {
    const { specs } = host;
    const stamp = wasm.number(NAMES_STAMP, tools.id);
    const read = () => wasm.read(TOOL_NAMES, tools.id).split("\n");
    if (stamp === 0) {
      let known = true;
      for (let at = 2; at < rows.length; at += 4) known &&= specs[rows[at]].wireName !== undefined;
      if (!known) read().forEach((name, at) => (specs[rows[at * 4 + 2]].wireName = name));
      names = undefined;
    } else if (stamp !== namesStamp) {
      names = read();
    }
    namesStamp = stamp;
  };

  const stateOf = (wasm, slot, at, available) => {
    const [unavailableReason, note] = JSON.parse(wasm.read(TOOL_STATE, tools.id, slot, at));
    if (available && note === null) return AVAILABLE;
    const state = { available };
    if (!available) state.unavailableReason = unavailableReason;
    if (note !== null) state.note = note;
    return freeze(state);
  };

  const toolOf = (wasm, name, slot, at, spec, state, surfaceVersion) => {
    const registration = host.registrations[slot];
    const { id: capabilityId, kind } = registration.members[at];
    const held = host.specs[spec];
    held.toolDescription ??= `${(host.labels[state >> 1] ??= wasm.read(TOOL_LABEL, spec))} ${held.description}`;
    held.inputSchema ??= held.descriptor(wasm, spec).inputSchema;
    return {
      name: name ?? held.wireName,
      description: held.toolDescription,
      inputSchema: held.inputSchema,
      state: state & 1 && kind !== "procedure" ? AVAILABLE : stateOf(wasm, slot, at, (state & 1) === 1),
      execute: (input, options) =>
        tools.run(capabilityId, options, ({ toolCallId: invocationId, confirmationId, signal }) => {
          // Its id of now: a registration has another one in an instance that came after a trap.
          const { id: registrationId } = registration;
          const request = { capabilityId, registrationId, surfaceVersion, invocationId, confirmationId, input };
          return invokeAs(host, tools.id, request, consumer, { signal }).promise;
        }),
    };
  };

  const tools = {
    id: 0,
    /** The tools of meta mode. */
    fixed: undefined,
    /** What each tool calls, in the order of the list. */
    targets: [],

    /** In a fresh instance. Whoever subscribed gets tools that mean its registrations. */
    reopen() {
      open();
      announced = [];
      watch(listeners.size > 0);
    },

    build() {
      const { fixed, id } = tools;
      if (fixed) return fixed;
      if (closed || host.disposed) return (list ??= freeze([]));
      const moved = lookAs(host, consumer, (wasm) => wasm.number(BUILD_TOOLS, id));
      if (!moved && list) return list;
      return host.enter((wasm) => {
        const rows = wasm.rows(TOOL_ROWS, id);
        readNames(wasm, rows);
        const version = String(wasm.number(VERSION));
        const built = new Array(rows.length / 4);
        tools.targets = new Array(built.length);
        for (let at = 0; at < built.length; at++) {
          const row = at * 4;
          built[at] = toolOf(wasm, names?.[at], rows[row], rows[row + 1], rows[row + 2], rows[row + 3], version);
          tools.targets[at] = host.registrations[rows[row]].members[rows[row + 1]].id;
        }
        return (list = freeze(built));
      });
    },

    /** A call of a tool, as a promise that never rejects. */
    run(capabilityId, options, call) {
      let toolCallId;
      try {
        toolCallId = options?.toolCallId;
        if (closed) throw { code: "DISPOSED" };
        return call(options ?? {}).then(undefined, (error) => lost(capabilityId, toolCallId, error));
      } catch (error) {
        if (!closed) host.develop(`\`${capabilityId}\` was not called:`, error);
        return Promise.resolve(lost(capabilityId, toolCallId, host.disposed ? { code: "DISPOSED" } : error));
      }
    },

    /** The surface may have moved, or a call settled: whoever subscribed hears of it when a tool differs. */
    refresh() {
      if (listeners.size === 0) return;
      const now = tools.build();
      if (now === announced || sameTools(now, announced)) return;
      announced = now;
      for (const listener of [...listeners]) quietly(() => listener(now));
    },

    subscribe(listener) {
      must(isFunction(listener), "`subscribe` expects a function");
      if (closed || tools.fixed) return () => undefined;
      if (listeners.size === 0) announced = tools.build();
      listeners.add(listener);
      watch(true);
      return () => {
        if (listeners.delete(listener) && listeners.size === 0 && !closed && !host.disposed) watch(false);
      };
    },

    dispose() {
      if (closed) return;
      closed = true;
      listeners.clear();
      host.toolsets.delete(tools.id);
      if (host.wasm) host.enter((wasm) => wasm.change(CLOSE_TOOLSET, tools.id));
      list = freeze([]);
      tools.targets = [];
    },
  };
  open();
  return tools;
};

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
  const tools = openTools(host, consumer, [prefixes, waits, waits ? (waitMs ?? -1) : -1]);
  if (isMeta) {
    const floor = prefixes && JSON.parse(prefixes);
    tools.fixed = metaTools(host, tools, consumer, { floor, budget: budget && { ...budget } }, AVAILABLE);
  }
  const { build, subscribe, dispose } = tools;
  return {
    tools: build,
    wireNameMap() {
      const list = build();
      return new Map(tools.targets.map((target, at) => [list[at].name, target]));
    },
    subscribe,
    dispose,
    [DISPOSE]: dispose,
  };
};
