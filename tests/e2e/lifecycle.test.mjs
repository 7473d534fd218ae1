// Before `init`, after `dispose`, adapters, copies of the objects, and what a trap leaves behind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runIn, usePage } from "./surface-page.mjs";
import { openPage } from "./harness/browser.mjs";

const { run, held } = usePage();

/** A page of its own, where `init` was not called. */
async function late(fn, argument) {
  const page = await openPage(held.browser, `${held.server.origin}/surface.html?late`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  try {
    return await runIn(page, fn, argument);
  } finally {
    await page.close();
  }
}

test("before `init` all that only builds values works, and the rest says what to do", async () => {
  const found = await late(async () => {
    const definition = T.component({
      observations: { rows: T.read() },
      actions: { go: T.act(() => "ran", { policies: [A.authenticated(), A.requireConfirmation({ if: () => false })] }) },
      procedures: [A.procedure({ id: "domain:x", description: "X", input: T.object({ a: {} }), effect: "server-query", bind: { a: () => 1 } })],
    });
    const built = [
      A.fromJsonSchema({ type: "string" }).jsonSchema.type,
      typeof A.fromStandardSchema({ "~standard": { version: 1, vendor: "v", validate: (value) => ({ value }) } }, { jsonSchema: {} }).parse,
      A.memoryAuditSink().events().length,
      new A.AgentSurfaceError({ code: "CANCELLED", message: "x", retry: "no" }).name,
      A.isAgentSurfaceError(new Error("x")),
      A.MAX_ID_LENGTH,
      A.DEFAULT_LIMITS.maxPendingConfirmations,
      A.AGENT_CAPABILITY_ERROR_CODES.length,
      A.jsonDeepEqual({ a: 1 }, { a: 1 }),
      A.evaluateDiscovery([A.authenticated()], { host: {} }).outcome,
    ];
    const uses = {
      registry: () => A.createAgentSurfaceRegistry(),
      parse: () => A.fromJsonSchema({ type: "string" }).parse("x"),
      ids: () => A.parseCapabilityId("view:a.b"),
      names: () => A.encodeWireName("view:a.b"),
      scope: () => A.matchesScope("a", []),
      schema: () => A.validateJsonSchemaDocument({}),
      value: () => A.validateValueAgainstSchema(1, {}),
    };
    const faults = {};
    for (const [name, use] of Object.entries(uses)) faults[name] = await T.fault(use);
    const loading = A.init();
    const during = await T.fault(() => A.createAgentSurfaceRegistry());
    await Promise.all([loading, A.init(), A.init()]);
    await A.init();
    const registry = T.registry({ context: { user: 1 } });
    registry.setProcedureExecutor({ execute: () => 1 });
    registry.register(definition);
    return { built, faults, during, ran: (await registry.invoke({ capabilityId: "view:demo.go" })).output };
  });
  assert.deepEqual(found.built, ["string", "function", 0, "AgentSurfaceError", false, 128, 32, 16, true, "hide"]);
  for (const [name, fault] of Object.entries(found.faults)) {
    assert.deepEqual([fault.name, fault.code], ["AgentSurfaceRuntimeError", "NOT_INITIALIZED"], name);
    assert.match(fault.message, /init\(\)/);
  }
  assert.equal(found.during.code, "NOT_INITIALIZED");
  assert.match(found.during.message, /await/);
  assert.equal(found.ran, "ran");
});

test("`init` takes a module, bytes or an address", async () => {
  const found = await late(async () => {
    const bytes = await (await fetch("/pkg/dist/agent_surface.wasm")).arrayBuffer();
    const wrong = [];
    for (const options of [{ bytes: new Uint8Array([1, 2, 3, 4]) }, { bytes: new Uint8Array(0) }, { module: 7 }, { url: "/nothing.wasm" }]) {
      wrong.push((await T.fault(() => A.init(options))).code);
    }
    const stillNot = (await T.fault(() => A.createAgentSurfaceRegistry())).code;
    await A.init({ bytes: new Uint8Array(bytes) });
    return { wrong, stillNot, works: T.registry().getVersion() };
  });
  assert.deepEqual(found, {
    wrong: ["WASM_NOT_SERVED", "WASM_NOT_SERVED", "NOT_INITIALIZED", "WASM_NOT_SERVED"],
    stillNot: "NOT_INITIALIZED",
    works: "0",
  });
});

test("dispose settles every call, expires what is pending, and leaves only what is harmless", async () => {
  const found = await run(async () => {
    const events = [];
    const registry = T.registry();
    const works = [];
    const signals = [];
    const stuck = (_, { signal }) => {
      signals.push(signal);
      const work = T.deferred();
      works.push(work);
      return work.promise;
    };
    const handle = registry.register(
      T.component({
        observations: { rows: T.read(() => T.deferred().promise) },
        actions: { go: T.act(stuck), ask: T.act(() => 1, { confirmation: "required", concurrency: { mode: "parallel" } }) },
      }),
    );
    registry.subscribe(({ type }) => events.push(type));
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const asks = toolset.tools().find(({ name }) => name.endsWith("ask"));
    const asked = await registry.invoke({ capabilityId: "view:demo.ask", input: {} });
    const { confirmationId } = asked.error.details;
    const waiting = registry.confirmations.waitFor(confirmationId);
    const tool = asks.execute({}, { toolCallId: "t" });
    const calls = ["go", "go", "rows"].map((name) => registry.invoke({ capabilityId: `view:demo.${name}` }));
    registry.invoke({ capabilityId: "view:demo.go" }, { signal: new AbortController().signal });
    const version = registry.getVersion();
    events.length = 0;
    registry.dispose();
    registry.dispose();
    registry[Symbol.dispose]();
    const settled = await Promise.all(calls);
    const toolResult = await tool;
    works[0].resolve("late");
    await T.turn();
    const fault = async (use) => (await T.fault(use)).code ?? "nothing";
    return {
      settled: settled.map((result) => [T.brief(result)[0], result.error?.retry]),
      tool: toolResult.error.code,
      waited: await waiting,
      aborted: signals.map(({ aborted }) => aborted),
      events,
      register: await fault(() => registry.register(T.component())),
      snapshot: await fault(() => registry.snapshot()),
      invoke: await fault(() => registry.invoke({ capabilityId: "view:demo.go" })),
      attach: await fault(() => registry.attach({ start: () => 1, stop: () => 1 })),
      executor: await fault(() => registry.setProcedureExecutor(undefined)),
      version: registry.getVersion() === version,
      pending: registry.confirmations.pending(),
      off: typeof registry.subscribe(() => 1),
      offConfirmations: typeof registry.confirmations.subscribe(() => 1),
      waitFor: await registry.confirmations.waitFor(confirmationId),
      resolve: registry.confirmations.resolve(confirmationId, { approved: true }),
      handle: [handle.status, handle.update({ enabled: false }), handle.invalidate(), handle.unregister()],
      tools: toolset.tools(),
      map: toolset.wireNameMap().size,
    };
  });
  assert.deepEqual(found, {
    settled: [
      ["CANCELLED", "no"],
      ["CANCELLED", "no"],
      ["CANCELLED", "no"],
    ],
    tool: "CANCELLED",
    waited: "expired",
    aborted: [true],
    // Of what began, every end; of what merely stood there, nothing.
    events: [...Array(4).fill("invocation-settled"), ...Array(2).fill("confirmation-resolved")],
    register: "DISPOSED",
    snapshot: "DISPOSED",
    invoke: "DISPOSED",
    attach: "DISPOSED",
    executor: "DISPOSED",
    version: true,
    pending: [],
    off: "function",
    offConfirmations: "function",
    waitFor: "expired",
    resolve: false,
    handle: [found.handle[0], undefined, undefined, undefined],
    tools: [],
    map: 0,
  });
  assert.notEqual(found.handle[0], "active");
});

test("dispose works from inside everything that the registry calls", async () => {
  const found = await run(async () => {
    const unhush = T.hush("error", "warn");
    const results = {};
    const scenes = {
      handler: { handler: (registry) => registry.dispose() },
      laterHandler: { handler: (registry) => T.turn().then(() => registry.dispose()) },
      listener: { listener: (registry, { type }) => type === "invocation-started" && registry.dispose() },
      settled: { listener: (registry, { type }) => type === "invocation-settled" && registry.dispose() },
      policy: { policy: (registry) => registry.dispose() },
      when: { when: (registry) => registry.dispose() },
      discovery: { discovery: (registry) => registry.dispose() },
      audit: { audit: (registry, { type }) => type === "invocation-started" && registry.dispose() },
      precondition: { precondition: (registry) => registry.dispose() },
    };
    for (const [name, scene] of Object.entries(scenes)) {
      let armed = false;
      const act = (key, ...given) => armed && scene[key]?.(registry, ...given);
      const registry = T.registry({
        audit: { record: (event) => act("audit", event) },
        policies: [
          {
            name: "p",
            onDiscovery: () => void act("discovery"),
            onInvoke: (_, next) => {
              act("policy");
              return next();
            },
          },
        ],
      });
      registry.register(
        T.component({
          actions: {
            go: T.act(() => act("handler"), { when: () => act("when") !== false || true, precondition: () => void act("precondition") }),
          },
        }),
      );
      registry.subscribe((event) => act("listener", event));
      armed = true;
      const [first, second] = [registry.invoke({ capabilityId: "view:demo.go" }), registry.invoke({ capabilityId: "view:demo.go" })];
      const outcome = (call) => call.then((result) => result.error?.code ?? result.status, (error) => error.code ?? error.name);
      results[name] = [await outcome(first), await outcome(second)];
      await T.turn();
    }
    // A closure that disposes while a snapshot asks it.
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => 1, { when: () => registry.dispose() }) } }));
    results.snapshot = await T.fault(() => registry.snapshot());
    await T.turn();
    unhush();
    return { results, state: globalThis[Symbol.for("agent-surface-wasm/1")].state };
  });
  assert.equal(found.state, "ready");
  for (const [name, codes] of Object.entries(found.results)) {
    if (name === "snapshot") continue;
    for (const code of codes) assert.match(code, /^(ok|CANCELLED|DISPOSED)$/, name);
  }
  assert.ok(found.results.snapshot === "nothing was thrown" || found.results.snapshot.code === "DISPOSED", JSON.stringify(found.results.snapshot));
});

test("an adapter gets a view that cannot resolve, and is attached and detached once", async () => {
  const found = await run(async () => {
    const log = [];
    const registry = T.registry({ environment: "development", audit: A.memoryAuditSink() });
    registry.register(T.component({ actions: { go: T.act(() => "ran", { confirmation: "optional" }) } }));
    let host;
    const events = [];
    const adapter = {
      name: "custom",
      start(given) {
        host = given;
        given.registry.subscribe(({ type }) => events.push(type));
        log.push("start");
      },
      stop() {
        log.push("stop");
        return "stopped";
      },
    };
    const consumer = { id: "bridge", kind: "mcp-bridge", grants: { read: true } };
    const unhush = T.hush("warn");
    const detach = registry.attach(adapter, { consumer, snapshotContext: { scope: ["demo"] } });
    const twin = registry.attach({ name: "twin", start: () => undefined, stop: () => undefined }, { consumer });
    const warnings = unhush().length;
    await twin();
    const keys = (value) => Reflect.ownKeys(value).map(String).sort();
    const ran = (await host.registry.invoke({ capabilityId: "view:demo.go" }, { consumer: host.consumer })).output;
    const snapshot = host.registry.snapshot({ consumer: host.consumer, ...host.snapshotContext });
    const toolset = A.createAgentToolset(host.registry, { consumer: host.consumer, topology: "remote" });
    const tools = toolset.tools().length;
    const stopped = await detach();
    const again = await detach();
    const approver = Object.getOwnPropertySymbols(host.registry);
    const broken = await T.fault(() =>
      registry.attach({ name: "b", start: () => { throw new Error("no start"); }, stop: () => undefined }, { consumer: { id: "b", kind: "other" } }),
    );
    return {
      keys: keys(host.registry),
      confirmations: keys(host.registry.confirmations),
      approver: approver.length,
      same: host.registry.surfaceId === registry.surfaceId,
      consumer: host.consumer,
      scope: host.snapshotContext,
      ran,
      components: snapshot.components.length,
      tools,
      warnings,
      events,
      log,
      stopped,
      again: again ?? null,
      broken: broken.message,
    };
  });
  assert.deepEqual(found.keys, ["confirmations", "getVersion", "invoke", "snapshot", "subscribe", "surfaceId"]);
  assert.deepEqual(found.confirmations, ["pending", "subscribe", "waitFor"]);
  assert.deepEqual(
    [found.approver, found.same, found.ran, found.components, found.tools, found.warnings],
    [0, true, "ran", 1, 1, 1],
  );
  assert.deepEqual(found.consumer, { id: "bridge", kind: "mcp-bridge", grants: { read: true } });
  assert.deepEqual(found.scope, { scope: ["demo"] });
  assert.deepEqual(found.events, ["surface-changed", "invocation-started", "invocation-settled"]);
  assert.deepEqual([found.log, found.stopped, found.again], [["start", "stop"], "stopped", null]);
  assert.equal(found.broken, "no start");
});

test("registry, handle and toolset are plain objects: copies and proxies of them work", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const original = registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const handle = { ...original };
    const tools = A.createAgentToolset(registry, { consumer: { id: "d", kind: "test" }, topology: "embedded" });
    const copy = { ...registry };
    const proxy = new Proxy(registry, {});
    const outputs = [];
    for (const each of [copy, proxy]) {
      outputs.push((await each.invoke({ capabilityId: "view:demo.go" })).output);
      const toolset = { ...A.createAgentToolset(each, { consumer: { id: "c", kind: "test" }, topology: "embedded" }) };
      outputs.push((await { ...toolset.tools()[0] }.execute({})).output);
      toolset.dispose();
    }
    const { invoke, snapshot, register } = registry;
    outputs.push((await invoke({ capabilityId: "view:demo.go" })).output, snapshot().components.length);
    register(T.component({ type: "other" }));
    handle.unregister();
    return { outputs, left: copy.snapshot().components.map(({ type }) => type), plain: [registry, original, tools].map((each) => Object.getPrototypeOf(each) === Object.prototype) };
  });
  assert.deepEqual(found, { outputs: ["ran", "ran", "ran", "ran", "ran", 1], left: ["other"], plain: [true, true, true] });
});

test("two registries know nothing of each other, and share the error classes", async () => {
  const found = await run(async () => {
    const { AgentSurfaceError } = await import("/pkg/dist/slim.js");
    const [one, two] = [T.registry(), T.registry()];
    one.register(T.component({ actions: { go: T.act(() => "one", { confirmation: "required" }) } }));
    two.register(T.component({ actions: { go: T.act(() => "two", { confirmation: "required" }) } }));
    const asked = await one.invoke({ capabilityId: "view:demo.go" });
    const { confirmationId } = asked.error.details;
    const foreign = two.confirmations.resolve(confirmationId, { approved: true });
    const smuggled = await two.invoke({ capabilityId: "view:demo.go", confirmationId });
    one.dispose();
    return { apart: one.surfaceId !== two.surfaceId, foreign, smuggled: T.brief(smuggled)[1], alive: two.getVersion(), sameClass: AgentSurfaceError === A.AgentSurfaceError };
  });
  assert.deepEqual(found, { apart: true, foreign: false, smuggled: { reason: "mismatch" }, alive: "1", sameClass: true });
});

test("a trap poisons the instance: one typed error that carries the message, from then on and everywhere", async () => {
  const page = await openPage(held.browser, `${held.server.origin}/surface.html`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  const found = await runIn(page, async () => {
    const registry = T.registry();
    const handle = registry.register(T.component({ actions: { go: T.act(() => T.deferred().promise) } }));
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
    const [tool] = toolset.tools();
    const inFlight = registry.invoke({ capabilityId: "view:demo.go" });
    const first = await T.trap(() => registry.snapshot());
    const other = T.brief(await inFlight);
    const later = [
      await T.fault(() => registry.snapshot()),
      await T.fault(() => registry.invoke({ capabilityId: "view:demo.go" })),
      await T.fault(() => registry.register(T.component())),
      await T.fault(() => handle.update({ enabled: false })),
      await T.fault(() => handle.unregister()),
      await T.fault(() => registry.getVersion()),
      await T.fault(() => registry.confirmations.pending()),
      await T.fault(() => toolset.tools()),
      await T.fault(() => A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" })),
      await T.fault(() => A.createAgentSurfaceRegistry()),
      await T.fault(() => A.fromJsonSchema({}).parse(1)),
      await T.fault(() => A.parseCapabilityId("view:a.b")),
      await T.fault(() => A.init()),
    ];
    const executed = (await tool.execute({})).status;
    return { first, other, later, executed };
  });
  await page.close();
  assert.deepEqual([found.first.name, found.first.code], ["AgentSurfaceRuntimeError", "POISONED"]);
  assert.match(found.first.message, /memory access out of bounds/);
  assert.deepEqual(found.other, ["EXECUTION_FAILED", { outcome: "unknown" }]);
  for (const each of found.later) assert.deepEqual(each, found.first);
  assert.equal(found.executed, "error");
});

test("the page is whole at the end", async () => {
  assert.equal(await run(() => globalThis[Symbol.for("agent-surface-wasm/1")].state), "ready");
});
