// The WebMCP adapter in the shapes that browsers gave to the API over time, and in the polyfill.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, takeFaults } = usePage({ path: "/webmcp.html" });

test("`document` is asked before `navigator`, one is taken, and the other is never read", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    const outcome = async (onDocument, onNavigator) => {
      const reads = { document: 0, navigator: 0 };
      const put = (owner, name, host) => {
        if (!host) return;
        Object.defineProperty(owner, "modelContext", {
          configurable: true,
          get() {
            reads[name]++;
            return host;
          },
        });
      };
      put(document, "document", onDocument);
      put(navigator, "navigator", onNavigator);
      const { adapter, stop } = W.attach(registry);
      await T.turn();
      const { state, api } = adapter.status();
      await stop();
      delete document.modelContext;
      delete navigator.modelContext;
      const registered = [onDocument, onNavigator].map((host) => host?.log.filter((line) => line.startsWith("+")).length ?? 0);
      return [state, api ?? null, registered, reads.document > 0, reads.navigator];
    };
    const both = W.host();
    return {
      document: await outcome(W.host(), undefined),
      navigator: await outcome(undefined, W.host()),
      both: await outcome(both, both),
      neither: await outcome(undefined, undefined),
    };
  });
  assert.deepEqual(found.document, ["active", "document.modelContext", [1, 0], true, 0]);
  assert.deepEqual(found.navigator.slice(0, 3), ["active", "navigator.modelContext", [0, 1]]);
  assert.deepEqual(found.both, ["active", "document.modelContext", [1, 1], true, 0]);
  assert.deepEqual(found.neither, ["unsupported", null, [0, 0], false, 0]);
});

test("a given `modelContext` replaces detection", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const host = W.host();
    const { adapter, stop } = W.attach(registry, { modelContext: host });
    const names = [...host.held.keys()];
    const told = W.told(await host.call("view_demo__go", {}, { signal: new AbortController().signal }));
    const without = W.told(await host.call("view_demo__go", {}));
    const { state, api, tools } = adapter.status();
    await stop();
    return { names, told, without, state, api, tools, left: host.held.size };
  });
  assert.deepEqual(found, {
    names: ["view_demo__go"],
    told: ["ok", "ran"],
    without: ["ok", "ran"],
    state: "active",
    api: "options.modelContext",
    tools: ["view_demo__go"],
    left: 0,
  });
});

test("tools are offered inside `start`, also when a frame later is too late", async () => {
  const offered = await run(() => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    const host = W.host();
    A.createWebMcpAdapter({ modelContext: host }).start({ registry });
    return host.log;
  });
  assert.deepEqual(offered, ["+view_demo__go"]);
});

test("where only `provideContext` exists the whole list goes out, on a real change", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const handle = registry.register(T.component({ actions: { go: T.act(() => "ran"), stay: T.act() } }));
    const host = W.host({ whole: true });
    const { adapter, stop } = W.attach(registry, { modelContext: host });
    const told = W.told(await host.call("view_demo__go", {}));
    await T.turn();
    handle.invalidate();
    await T.turn();
    handle.update({ availability: { go: false } });
    await T.turn();
    const listed = adapter.status().tools;
    await stop();
    await stop();
    return { told, log: host.log, listed, code: adapter.diagnose().code };
  });
  assert.deepEqual(found, {
    told: ["ok", "ran"],
    log: ["view_demo__go view_demo__stay", "view_demo__stay", ""],
    listed: ["view_demo__stay"],
    code: "ok",
  });
});

test("a host that frees names late gets the tool again, once, and the late abort does not touch it", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    const rejections = [];
    const onRejection = (event) => rejections.push(String(event.reason));
    addEventListener("unhandledrejection", onRejection);
    try {
      const registry = T.registry();
      let handle = registry.register(T.component({ actions: { go: T.act(() => 1) } }));
      const host = W.host({ frees: "later" });
      const { adapter, stop } = W.attach(registry, { modelContext: host });
      await T.turn();
      handle.unregister();
      handle = registry.register(T.component({ actions: { go: T.act(() => 2, { description: "Do it anew" }) } }));
      await T.turn();
      await clock.advance(1_000);
      const remounted = [[...host.held.keys()], W.told(await host.call("view_demo__go", {})), adapter.status().rejected];
      await stop();
      const again = registry.attach(adapter, { consumer: { id: "browser", kind: "webmcp" } });
      await clock.advance(1_000);
      const restarted = [[...host.held.keys()], adapter.status().rejected];
      await again();
      await clock.advance(1_000);
      return { remounted, restarted, left: host.held.size, rejections, armed: clock.armed };
    } finally {
      removeEventListener("unhandledrejection", onRejection);
      clock.restore();
    }
  });
  assert.deepEqual(found, {
    remounted: [["view_demo__go"], ["ok", 2], []],
    restarted: [["view_demo__go"], []],
    left: 0,
    rejections: [],
    armed: 0,
  });
});

test("a host without signals is told by name, and never to drop what another script owns", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry();
      const handle = registry.register(T.component({ actions: { go: T.act(() => "ran"), foreign: T.act() } }));
      const host = W.host({ knowsSignals: false, unregisters: true });
      host.registerTool({ name: "view_demo__foreign", execute: () => "theirs" });
      const { adapter, stop } = W.attach(registry, { modelContext: host });
      await clock.advance(1_000);
      const status = adapter.status();
      const told = W.told(await host.call("view_demo__go", {}));
      handle.update({ availability: { go: false } });
      await T.turn();
      const off = [...host.held.keys()];
      handle.update({ availability: { go: true } });
      await T.turn();
      const on = [...host.held.keys()].sort();
      await stop();
      return { tools: status.tools, rejected: status.rejected.map(({ name }) => name), told, off, on, left: [...host.held.keys()] };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found, {
    tools: ["view_demo__go"],
    rejected: ["view_demo__foreign"],
    told: ["ok", "ran"],
    off: ["view_demo__foreign"],
    on: ["view_demo__foreign", "view_demo__go"],
    left: ["view_demo__foreign"],
  });
});

test("a host that hands its arguments as text is understood, and a text that is no JSON is an invalid input", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    registry.register(
      T.component({
        actions: {
          find: T.act(({ q }) => `${q} ${++runs}`, { input: T.object({ q: { type: "string" } }, { required: ["q"] }) }),
          none: T.act((input) => input),
        },
      }),
    );
    const host = W.host({ asText: true });
    const { stop } = W.attach(registry, { modelContext: host });
    const good = W.told(await host.call("view_demo__find", { q: "red shoes" }));
    const tool = host.held.get("view_demo__find");
    const none = host.held.get("view_demo__none");
    const bad = W.told(await tool.execute("{q:"))[0];
    const list = W.told(await tool.execute("[]"))[0];
    const absent = W.told(await none.execute());
    const nothing = W.told(await none.execute(null));
    await stop();
    return { good, bad, list, absent, nothing, runs };
  });
  assert.deepEqual(found, {
    good: ["ok", "red shoes 1"],
    bad: "INVALID_INPUT",
    list: "INVALID_INPUT",
    absent: ["ok", {}],
    nothing: ["ok", {}],
    runs: 1,
  });
});

test("a host of Chrome 160's shape, with getters on a prototype and nulls, works", async () => {
  const found = await run(async () => {
    class Tool {
      #definition;
      constructor(definition) {
        this.#definition = definition;
      }
      get name() {
        return this.#definition.name;
      }
      get source() {
        return window;
      }
      get outputSchema() {
        return null;
      }
      get execute() {
        return this.#definition.execute;
      }
    }
    class ModelContext extends EventTarget {
      #tools = new Map();
      async registerTool(definition, { signal } = {}) {
        if (this.#tools.has(definition.name)) throw new DOMException("Duplicate", "InvalidStateError");
        this.#tools.set(definition.name, new Tool(definition));
        signal?.addEventListener("abort", () => this.#tools.delete(definition.name));
        this.dispatchEvent(new Event("toolchange"));
        return new Tool(definition);
      }
      async getTools() {
        return [...this.#tools.values()];
      }
    }
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const host = new ModelContext();
    const { adapter, stop } = W.attach(registry, { modelContext: host });
    const [tool] = await host.getTools();
    const told = W.told(await tool.execute({}, { signal: new AbortController().signal }));
    const { tools } = adapter.status();
    await stop();
    return { told, tools, left: (await host.getTools()).length };
  });
  assert.deepEqual(found, { told: ["ok", "ran"], tools: ["view_demo__go"], left: 0 });
});

test("a host that throws, or never answers, breaks neither the page nor the other tools", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(), stay: T.act() } }));
    const throwing = {
      registerTool(tool) {
        if (tool.name.endsWith("go")) throw new TypeError("no such member");
      },
    };
    const one = W.attach(registry, { modelContext: throwing });
    await T.turn();
    const status = one.adapter.status();
    await one.stop();
    const silent = W.attach(registry, { modelContext: { registerTool: () => new Promise(() => undefined) } });
    await silent.stop();
    const odd = { registerTool: () => Promise.reject(undefined) };
    const two = W.attach(registry, { modelContext: odd });
    await T.turn();
    const refused = two.adapter.status().rejected.length;
    await two.stop();
    return { tools: status.tools, rejected: status.rejected.map(({ name, reason }) => [name, reason]), refused };
  });
  assert.deepEqual(found, {
    tools: ["view_demo__stay"],
    rejected: [["view_demo__go", "TypeError: no such member"]],
    refused: 2,
  });
});

test("the polyfill in use works: list, call, confirm by repeat, flip, stop", async () => {
  const found = await run(async () => {
    const load = (src) =>
      new Promise((resolve, reject) => {
        const script = Object.assign(document.createElement("script"), { src, onload: resolve, onerror: reject });
        document.head.append(script);
      });
    const unhush = T.hush("warn", "log", "info", "debug");
    await load("/polyfill/index.iife.js");
    const host = document.modelContext;
    const registry = T.registry();
    let runs = 0;
    const handle = registry.register(
      T.component({
        observations: { rows: T.read(() => [1, 2]) },
        actions: {
          wipe: T.act(() => ++runs, { confirmation: "required" }),
          order: T.act(({ qty }) => ({ qty }), { input: T.object({ qty: { type: "integer" } }, { required: ["qty"] }) }),
        },
      }),
    );
    const { adapter, stop } = W.attach(registry);
    await T.turn();
    const list = async () => (await host.getTools()).map(({ name }) => name).sort();
    const call = async (name, input = {}) => {
      const tool = (await host.getTools()).find((each) => each.name === name);
      const answer = await host.executeTool(tool, input).catch(() => host.executeTool(tool, JSON.stringify(input)));
      return W.told(typeof answer === "string" ? JSON.parse(answer) : answer);
    };
    const start = await list();
    const rows = await call("view_demo__rows");
    const order = await call("view_demo__order", { qty: 2 });
    const asked = await call("view_demo__wipe");
    registry.confirmations.resolve(asked[1].confirmationId, { approved: true });
    const done = await call("view_demo__wipe");
    handle.update({ availability: { order: false } });
    await T.turn();
    const flipped = await list();
    const { api, rejected } = adapter.status();
    await stop();
    await T.turn();
    const left = await list();
    unhush();
    return { start, rows, order, asked: asked[0], done, flipped, api, rejected, left, runs };
  });
  const [order, rows, wipe] = ["view_demo__order", "view_demo__rows", "view_demo__wipe"];
  assert.deepEqual(found, {
    start: [order, rows, wipe],
    rows: ["ok", [1, 2]],
    order: ["ok", { qty: 2 }],
    asked: "CONFIRMATION_REQUIRED",
    done: ["ok", 1],
    flipped: [rows, wipe],
    api: "document.modelContext",
    rejected: [],
    left: [],
    runs: 1,
  });
  assert.deepEqual(takeFaults(), []);
});

test("a signal that throws is the agent's affair: the call runs, and the module stays whole", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const host = W.host();
    const { stop } = W.attach(registry, { modelContext: host });
    const signal = {
      get aborted() {
        throw new RangeError("mine");
      },
      addEventListener() {
        throw new RangeError("mine, too");
      },
    };
    const told = W.told(await host.call("view_demo__go", {}, { signal }));
    await stop();
    return { told, components: registry.snapshot().components.length };
  });
  takeFaults();
  assert.deepEqual(found, { told: ["ok", "ran"], components: 1 });
});

test("a call resolves whatever stands in the place of its signal", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const host = W.host();
    const { stop } = W.attach(registry, { modelContext: host });
    const broken = {
      get signal() {
        throw new RangeError("mine");
      },
    };
    const told = [];
    for (const extra of [undefined, null, {}, { signal: null }, broken]) told.push(W.told(await host.call("view_demo__go", {}, extra)));
    await stop();
    return told;
  });
  assert.deepEqual(found, Array(5).fill(["ok", "ran"]));
});

test("an answer of `exposeCapability` that is neither overrides nor nothing leaves the capability out", async () => {
  const found = await run(async () => {
    const restore = T.hush("warn");
    const registry = T.registry({ environment: "development", audit: { record() {} } });
    registry.register(T.component({ actions: { go: T.act() } }));
    const offered = async (answer) => {
      const host = W.host();
      const { stop } = W.attach(registry, { modelContext: host, exposeCapability: () => answer });
      const names = [...host.held.keys()];
      await stop();
      return names.length;
    };
    const out = [];
    for (const answer of [false, true, 0, "yes", Promise.resolve(null), Promise.resolve({})]) out.push(await offered(answer));
    const kept = [await offered(undefined), await offered({})];
    const warned = restore().filter((words) => words.includes("`exposeCapability` failed")).length;
    return { out, kept, warned };
  });
  assert.deepEqual(found, { out: [0, 0, 0, 0, 0, 0], kept: [1, 1], warned: 6 });
});

test("what a host leaves open in its `snapshotContext` stays as the page said", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    for (const type of ["orders", "users"]) registry.register(T.component({ type, actions: { go: T.act() } }));
    const listed = async (snapshotContext) => {
      const host = W.host();
      const adapter = A.createWebMcpAdapter({ modelContext: host, snapshotContext: { scope: ["orders"] } });
      const stop = registry.attach(adapter, { consumer: { id: "browser", kind: "webmcp" }, snapshotContext });
      const names = [...host.held.keys()];
      await stop();
      return names.join(" ");
    };
    return [await listed(undefined), await listed(null), await listed({}), await listed({ scope: undefined }), await listed({ scope: ["users"] })];
  });
  assert.deepEqual(found, [...Array(4).fill("view_orders__go"), "view_users__go"]);
});

test("a `modelContext` of null is a browser that has none", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    const { adapter, stop } = W.attach(registry, { modelContext: null });
    await T.turn();
    const { state, api } = adapter.status();
    const { code } = adapter.diagnose();
    await stop();
    return [state, api ?? null, code];
  });
  assert.deepEqual(found, ["unsupported", null, "unsupported-shape"]);
});
