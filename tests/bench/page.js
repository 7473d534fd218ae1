// The measured operations, in the page. Each is run in batches of at least a few milliseconds; a batch of the reference
// operation stands beside each batch, so that a noisy machine disturbs both alike.

import * as surface from "/pkg/dist/index.js";
import { SCALE, SIZES } from "./scale.js";

const { action, createAgentSurfaceRegistry, createAgentToolset, fromJsonSchema, observation } = surface;

/** A JSON value whose text has about this many characters: rows as an agent would send them. */
const rows = (characters) => {
  const list = [];
  let length = 0;
  for (let at = 0; length < characters; at++) {
    const row = { id: `dev-${at}`, name: `Device number ${at}`, on: at % 2 === 0, level: at * 1.5, tags: ["a", "b"] };
    length += JSON.stringify(row).length + 1;
    list.push(row);
  }
  return list;
};

const REFERENCE = rows(32_000);
const reference = () => void JSON.parse(JSON.stringify(REFERENCE));

const rowsSchema = fromJsonSchema({
  type: "object",
  properties: {
    rows: {
      type: "array",
      maxItems: 1000,
      items: {
        type: "object",
        properties: {
          id: { type: "string", minLength: 1, maxLength: 40 },
          name: { type: "string", maxLength: 80 },
          on: { type: "boolean" },
          level: { type: "number", minimum: 0 },
          tags: { type: "array", items: { type: "string" } },
        },
        required: ["id", "name", "on", "level"],
        additionalProperties: false,
      },
    },
  },
  required: ["rows"],
  additionalProperties: false,
});

const ids = fromJsonSchema({
  type: "object",
  properties: { ids: { type: "array", items: { type: "string" }, maxItems: 100 } },
  required: ["ids"],
  additionalProperties: false,
});

/** Three capabilities, as a page would declare them; every component its own type and texts. */
const component = (at) => ({
  type: `area-${at % 10}.table${at}`.toLowerCase(),
  description: `Table number ${at} of the page`,
  observations: {
    rows: observation({ description: `The rows of table ${at}`, output: fromJsonSchema({ type: "array" }), read: () => [] }),
  },
  actions: {
    select: action({ description: `Select rows of table ${at}`, input: ids, effect: "local-state", execute: () => undefined }),
    clear: action({
      description: `Clear the selection of table ${at}`,
      input: surface.emptyObjectSchema,
      effect: "local-state",
      execute: () => undefined,
    }),
  },
});

const target = (policies) => ({
  type: "bench.target",
  description: "What is called",
  policies,
  observations: {
    read: observation({ description: "Reads", output: fromJsonSchema({ type: "object" }), read: () => ({ ok: true }) }),
  },
  actions: {
    noop: action({ description: "Does nothing", input: surface.emptyObjectSchema, effect: "local-state", execute: () => undefined }),
    load: action({ description: "Takes rows", input: rowsSchema, effect: "local-state", execute: () => undefined }),
    confirmed: action({
      description: "Needs a person",
      input: surface.emptyObjectSchema,
      effect: "local-state",
      confirmation: "required",
      execute: () => undefined,
    }),
  },
});

const expectOk = (result) => {
  if (result.status !== "ok") throw new Error(JSON.stringify(result));
};

const consumer = { id: "bench", kind: "embedded" };
const caller = { consumer };
const open = (policies = []) => createAgentSurfaceRegistry({ requireApprover: false, policies });

const filled = (count, make = component) => {
  const registry = open();
  const handles = Array.from({ length: count }, (_, at) => registry.register(make(at)));
  return { registry, handles };
};

/** The same component, one of whose capabilities is asked at each look whether it is there. */
const asked = (at) => {
  const { actions, ...rest } = component(at);
  return { ...rest, actions: { ...actions, select: { ...actions.select, when: () => true } } };
};

const passing = (name) => ({ name, onAuthorize: (_, next) => next(), onInvoke: (_, next) => next() });

const calls = (policies) => {
  const registry = open(policies);
  registry.register(target());
  return registry;
};

/** Name → { figure of the TypeScript library in µs where there is one, floor of the ratio, make() → the operation }. */
const OPERATIONS = {
  "create and dispose a registry": { figure: 2.8, floor: 0.7, make: () => () => open().dispose() },
  // The core is made by the first use.
  "create, use and dispose a registry": {
    make: () => () => {
      const registry = open();
      registry.getVersion();
      registry.dispose();
    },
  },
  "register and unregister 100": {
    figure: 1350,
    floor: 1.5,
    make: () => {
      const registry = open();
      const components = Array.from({ length: 100 }, (_, at) => component(at));
      return () => {
        for (const handle of components.map((each) => registry.register(each))) handle.unregister();
      };
    },
  },
  "snapshot of 100, unchanged": {
    figure: 110,
    make: () => {
      const { registry } = filled(100);
      return () => void registry.snapshot({ consumer });
    },
  },
  "snapshot of 100, one `when` in each": {
    figure: 110,
    floor: 8,
    make: () => {
      const { registry } = filled(100, asked);
      return () => void registry.snapshot({ consumer });
    },
  },
  "snapshot of 100, after a change": {
    figure: 143,
    floor: 12,
    make: () => {
      const { registry, handles } = filled(100);
      let on = true;
      return () => {
        handles[50].update({ enabled: (on = !on) });
        registry.snapshot({ consumer });
      };
    },
  },
  "tools of 300, first": {
    figure: 1390,
    floor: 19,
    make: () => {
      const { registry } = filled(100);
      return () => {
        const toolset = createAgentToolset(registry, { consumer, topology: "embedded" });
        if (toolset.tools().length !== 300) throw new Error("300 tools expected");
        toolset.dispose();
      };
    },
  },
  "tools of 300, after a change": {
    figure: 1030,
    floor: 19,
    make: () => {
      const { registry, handles } = filled(100);
      const toolset = createAgentToolset(registry, { consumer, topology: "embedded" });
      let on = true;
      return () => {
        handles[50].update({ enabled: (on = !on) });
        toolset.tools();
      };
    },
  },
  "no-op action": {
    figure: 40,
    floor: 8.5,
    make: () => {
      const registry = calls();
      return async () => expectOk(await registry.invoke({ capabilityId: "view:bench.target.noop", input: {} }, caller));
    },
  },
  "no-op action, two built-in policies": {
    figure: 37,
    make: () => {
      const policies = [surface.authenticated(), surface.hasPermission("act", () => true)];
      const registry = createAgentSurfaceRegistry({ requireApprover: false, policies, context: { user: {} } });
      registry.register(target());
      return async () => expectOk(await registry.invoke({ capabilityId: "view:bench.target.noop", input: {} }, caller));
    },
  },
  "no-op action, two custom policies": {
    figure: 37,
    make: () => {
      const registry = calls([passing("first"), passing("second")]);
      return async () => expectOk(await registry.invoke({ capabilityId: "view:bench.target.noop", input: {} }, caller));
    },
  },
  observation: {
    figure: 25,
    floor: 5,
    make: () => {
      const registry = calls();
      return async () => expectOk(await registry.invoke({ capabilityId: "view:bench.target.read" }, caller));
    },
  },
  "action with a checked 31.6 kB input": {
    figure: 2260,
    floor: 3,
    make: () => {
      const registry = calls();
      const input = { rows: rows(31_500) };
      return async () => expectOk(await registry.invoke({ capabilityId: "view:bench.target.load", input }, caller));
    },
  },
  "confirmation round trip": {
    figure: 118,
    floor: 4.5,
    make: () => {
      const registry = calls();
      return async () => {
        const asked = await registry.invoke({ capabilityId: "view:bench.target.confirmed", input: {} }, caller);
        const { confirmationId } = asked.error.details;
        registry.confirmations.resolve(confirmationId, { approved: true });
        expectOk(await registry.invoke({ capabilityId: "view:bench.target.confirmed", input: {}, confirmationId }, caller));
      };
    },
  },
  "unknown capability": {
    figure: 19,
    floor: 3.5,
    make: () => {
      const registry = calls();
      return async () => void (await registry.invoke({ capabilityId: "view:bench.target.missing", input: {} }, caller));
    },
  },
};

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

const batch = async (operation, times) => {
  const before = performance.now();
  for (let at = 0; at < times; at++) {
    const pending = operation();
    if (pending) await pending;
  }
  return ((performance.now() - before) * 1000) / times;
};

/** How often an operation fits into five milliseconds, once the engine has compiled it. */
const calibrate = async (operation) => {
  const before = performance.now();
  while (performance.now() - before < 300) {
    const pending = operation();
    if (pending) await pending;
  }
  for (let times = 1; ; times *= 2) {
    const micros = await batch(operation, times);
    if (micros * times >= 5000) return times;
  }
};

globalThis.measure = async (rounds) => {
  await surface.init();
  const results = [];
  for (const [name, { figure, floor, make }] of Object.entries(OPERATIONS)) {
    const operation = make();
    const times = await calibrate(operation);
    const samples = [];
    const references = [];
    for (let round = 0; round < rounds; round++) {
      references.push(await batch(reference, 20));
      samples.push(await batch(operation, times));
    }
    results.push({ name, figure, floor, micros: median(samples), reference: median(references) });
  }
  return results;
};

/** `{ name, micros }` with a figure for each of `SIZES`, measured in turn. */
globalThis.measureScale = async (rounds) => {
  await surface.init();
  const results = [];
  for (const [name, make] of Object.entries(SCALE)) {
    const made = SIZES.map((size) => make(size));
    const times = [];
    for (const [operation] of made) times.push(await calibrate(operation));
    const samples = made.map(() => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, [operation]] of made.entries()) samples[at].push(await batch(operation, times[at]));
    }
    for (const [, dispose] of made) dispose();
    results.push({ name, micros: samples.map(median) });
  }
  return { sizes: SIZES, results };
};

/** What `init` takes in a new document that has the bytes: compile and instantiate. In ms. */
globalThis.measureStart = async (rounds) => {
  const bytes = new Uint8Array(await (await fetch("/pkg/dist/agent_surface.wasm")).arrayBuffer());
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const frame = document.createElement("iframe");
    frame.src = "/bench/start.html";
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
    samples.push(await frame.contentWindow.start(bytes.slice()));
    frame.remove();
  }
  return median(samples);
};
