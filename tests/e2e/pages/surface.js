// The page that the surface tests drive. `A` is the built package, `T` what the tests share inside the page: short
// ways to write definitions, to say what came of a call, and a clock that moves only when told.

import * as A from "/pkg/dist/index.js";
import { createTestSurface } from "/pkg/dist/testing.js";

const realTimers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };

/** Everything that is ready to run has run: microtasks, and the tasks of message ports before this one. */
const turn = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

const act = (execute = () => undefined, more = {}) =>
  A.action({ description: "Do it", input: A.emptyObjectSchema, effect: "local-state", execute, ...more });

const read = (get = () => "read", more = {}) =>
  A.observation({ description: "Read it", output: A.fromJsonSchema({}), read: get, ...more });

const component = (more = {}) => A.defineAgentComponent({ type: "demo", description: "A demo", ...more });

/** A promise and its ends, for handlers that settle when told. */
const deferred = () => {
  const ends = {};
  ends.promise = new Promise((resolve, reject) => Object.assign(ends, { resolve, reject }));
  return ends;
};

/** `["ok", output]` or `[code, details]`. */
const brief = (result) => (result.status === "ok" ? ["ok", result.output] : [result.error.code, result.error.details]);

const facts = (error) => ({ name: error?.name, code: error?.code, message: error?.message });

/** What a function throws, or what its promise rejects with. */
const fault = async (run) => {
  try {
    await run();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof Error ? facts(error) : error;
  }
};

const isDeepFrozen = (value) =>
  typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

/** Virtual time: takes the place of the page's timers until `restore()`. */
const clock = (start = 1_750_000_000_000) => {
  const timers = new Map();
  let time = start;
  let last = 0;
  globalThis.setTimeout = (run, ms = 0) => {
    timers.set(++last, { at: time + ms, run });
    return last;
  };
  globalThis.clearTimeout = (id) => timers.delete(id);
  return {
    now: () => time,
    get armed() {
      return timers.size;
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.at <= end).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
        if (!due) break;
        timers.delete(due[0]);
        time = Math.max(time, due[1].at);
        due[1].run();
        await turn();
      }
      time = end;
      await turn();
    },
    restore: () => Object.assign(globalThis, realTimers),
  };
};

/** The ways in to one capability, each `(input, options) => result`: `invoke`, its own tool, and `surface_act`. */
const waysIn = (registry, capabilityId, more = {}) => {
  const consumer = { id: "c", kind: "embedded" };
  const make = (mode) => A.createAgentToolset(registry, { consumer, topology: "embedded", mode, ...more });
  const [direct, meta] = [make("direct"), make("meta")];
  return [
    (input, { signal } = {}) => registry.invoke({ capabilityId, input }, { consumer, signal }),
    (input, options) => {
      const name = [...direct.wireNameMap()].find(([, id]) => id === capabilityId)[0];
      return direct.tools().find((tool) => tool.name === name).execute(input, options);
    },
    (input, options) => meta.tools()[2].execute({ capabilityId, input }, options),
  ];
};

/** Takes the place of a console method; `restore()` gives what was printed. */
const hush = (...names) => {
  const printed = [];
  const real = names.map((name) => [name, console[name]]);
  for (const name of names) console[name] = (...words) => printed.push(words.map(String).join(" "));
  return () => {
    for (const [name, method] of real) console[name] = method;
    return printed;
  };
};

/**
 * Breaks the instance as a freed handle would: the next call into it reads at an address outside its memory, and that is
 * a trap of the engine's. What `call` throws. (The package shortens the names of the glue.)
 */
const trap = async (call) => {
  const { prototype } = globalThis[Symbol.for("agent-surface-wasm/1")].wasm.Registry;
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  const whole = names.map((name) => prototype[name]);
  const freed = new Proxy({}, { get: () => 0xfffffff0 });
  for (const [at, name] of names.entries()) {
    prototype[name] = (...given) => {
      for (const [back, one] of names.entries()) prototype[one] = whole[back];
      return whole[at].apply(freed, given);
    };
  }
  return fault(call);
};

Object.assign(globalThis, {
  A,
  T: {
    act,
    brief,
    clock,
    component,
    deferred,
    facts,
    fault,
    hush,
    isDeepFrozen,
    object: (properties, more) => A.fromJsonSchema({ type: "object", properties, additionalProperties: false, ...more }),
    read,
    trap,
    registry: (options) => A.createAgentSurfaceRegistry({ environment: "test", ...options }),
    /** The same as a test has it: `invoke(id, input, options)`, `confirmations`, `events`, `auditLog`. */
    surface: (options) => createTestSurface({ registry: T.registry(options), consumer: { id: "anonymous", kind: "embedded" } }),
    turn,
    waysIn,
  },
});

if (!new URLSearchParams(location.search).has("late")) await A.init();
document.documentElement.dataset.ready = "";
