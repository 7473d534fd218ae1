// Ends that meet: calls, unmounts, aborts and closures that cross each other, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, held } = usePage();

test("whoever waits in `next` is told how the call ended, whatever ended it", async () => {
  const found = await run(async () => {
    const ends = {};
    const scene = async (name, end) => {
      const clock = T.clock();
      try {
        const told = [];
        const registry = T.registry({
          now: clock.now,
          policies: [
            {
              name: "waits",
              async onAuthorize(_, next) {
                const { error } = await next();
                told.push(`outer ${error?.code}`);
              },
              async onInvoke(_, next) {
                const { error } = await next();
                told.push(`inner ${error?.code}`);
              },
            },
          ],
        });
        const handle = registry.register(T.component({ actions: { go: T.act(() => T.deferred().promise) } }));
        const controller = new AbortController();
        const call = registry.invoke({ capabilityId: "view:demo.go" }, { signal: controller.signal });
        await T.turn();
        await end({ registry, handle, controller, clock });
        const { error } = await call;
        await T.turn();
        ends[name] = [error.code, told];
      } finally {
        clock.restore();
      }
    };
    await scene("abort", ({ controller }) => controller.abort());
    await scene("unmount", ({ handle }) => handle.unregister());
    await scene("timeout", ({ clock }) => clock.advance(10_000));
    await scene("dispose", ({ registry }) => registry.dispose());
    return ends;
  });
  const told = (code) => [code, [`inner ${code}`, `outer ${code}`]];
  assert.deepEqual(found, {
    abort: told("CANCELLED"),
    unmount: told("COMPONENT_UNMOUNTED"),
    timeout: told("TIMEOUT"),
    dispose: told("CANCELLED"),
  });
});

test("a listener that unmounts at the start keeps the handler from running", async () => {
  const found = await run(async () => {
    let runs = 0;
    const registry = T.registry();
    const handle = registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
    registry.subscribe(({ type }) => type === "invocation-started" && handle.unregister());
    return [T.brief(await registry.invoke({ capabilityId: "view:demo.go" }))[0], runs];
  });
  assert.deepEqual(found, ["COMPONENT_UNMOUNTED", 0]);
});

test("unmounted while waiting, while a policy thinks, while it is checked: nothing runs", async () => {
  const found = await run(async () => {
    const outcomes = {};
    const scene = async (name, more, options) => {
      let runs = 0;
      const registry = T.registry(options);
      const handle = registry.register(
        T.component({
          actions: {
            first: T.act(() => T.deferred().promise),
            go: T.act(() => ++runs, more),
          },
        }),
      );
      if (name === "queue") registry.invoke({ capabilityId: "view:demo.first" });
      const call = registry.invoke({ capabilityId: "view:demo.go", input: {} });
      await T.turn();
      handle.unregister();
      const result = await call;
      await T.turn();
      outcomes[name] = [T.brief(result), runs];
    };
    const later = { jsonSchema: { type: "object" }, parse: (value) => value, validate: (value) => T.deferred().promise.then(() => value) };
    await scene("queue");
    await scene("policy", undefined, { policies: [{ name: "slow", onInvoke: () => T.deferred().promise }] });
    await scene("schema", { input: later });
    await scene("precondition", { precondition: () => T.deferred().promise });
    return outcomes;
  });
  const gone = [["COMPONENT_UNMOUNTED", { phase: "mid-flight" }], 0];
  assert.deepEqual(found, { queue: gone, policy: gone, schema: gone, precondition: gone });
});

test("an abort ends a call in every phase at once", async () => {
  const found = await run(async () => {
    const codes = {};
    const later = { jsonSchema: { type: "object" }, parse: (value) => value, validate: () => new Promise(() => undefined) };
    const scenes = {
      authority: [{}, { policies: [{ name: "slow", onAuthorize: () => new Promise(() => undefined) }] }],
      policy: [{}, { policies: [{ name: "slow", onInvoke: () => new Promise(() => undefined) }] }],
      schema: [{ input: later }],
      precondition: [{ precondition: () => new Promise(() => undefined) }],
      handler: [{}],
      output: [{ output: { jsonSchema: {}, parse: (value) => value, validate: () => new Promise(() => undefined) } }],
    };
    for (const [name, [more, options]] of Object.entries(scenes)) {
      const registry = T.registry(options);
      const work = name === "output" ? () => 1 : () => new Promise(() => undefined);
      registry.register(T.component({ actions: { go: T.act(work, more) } }));
      const controller = new AbortController();
      const call = registry.invoke({ capabilityId: "view:demo.go", input: {} }, { signal: controller.signal });
      await T.turn();
      controller.abort();
      codes[name] = (await Promise.race([call, T.turn()]))?.error?.code ?? "still waits";
      registry.dispose();
    }
    return codes;
  });
  for (const [name, code] of Object.entries(found)) {
    if (name !== "output") assert.equal(code, "CANCELLED", name);
  }
  assert.notEqual(found.output, undefined);
});

test("options that throw, or answer oddly, break nothing", async () => {
  const found = await run(async () => {
    const boom = () => {
      throw new Error("boom");
    };
    const unhush = T.hush("error", "warn", "debug");
    const registry = T.registry({ now: boom, route: boom, context: () => ({}), audit: { record: boom, redact: boom } });
    registry.register(
      T.component({
        actions: {
          go: T.act(() => "ran", { unavailableReason: boom, audit: "full" }),
          keyed: T.act(() => "ran", { concurrency: { mode: "key", key: boom } }),
          odd: T.act(() => "ran", { concurrency: { mode: "key", key: () => ({}) } }),
        },
      }),
    );
    const snapshot = registry.snapshot();
    const call = async (name, to = registry) => T.brief(await to.invoke({ capabilityId: `view:demo.${name}` }));
    const results = { go: await call("go"), keyed: (await call("keyed"))[0], odd: await call("odd"), route: snapshot.route ?? null };
    const broken = T.registry({ context: boom });
    broken.register(T.component({ actions: { go: T.act(() => "ran") } }));
    results.context = (await call("go", broken))[0];
    const times = [NaN, "soon", -1, 1e300, undefined, Infinity];
    const odd = T.registry({ now: () => times[Math.floor(Math.random() * times.length)] });
    odd.register(T.component({ actions: { go: T.act(() => "ran"), ask: T.act(() => 1, { confirmation: "required" }) } }));
    const codes = new Set();
    for (let n = 0; n < 50; n++) codes.add((await call("go", odd))[0]).add((await call("ask", odd))[0]);
    results.clock = [...codes].sort();
    unhush();
    return results;
  });
  assert.deepEqual([found.go, found.odd, found.route], [["ok", "ran"], ["ok", "ran"], null]);
  assert.match(found.keyed, /^(ok|EXECUTION_FAILED)$/);
  assert.match(found.context, /^(ok|EXECUTION_FAILED)$/);
  assert.deepEqual(found.clock.filter((code) => code !== "RATE_LIMITED"), ["CONFIRMATION_REQUIRED", "ok"]);
});

test("a signal that throws when it is touched neither loses a call nor the instance", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
    const boom = () => {
      throw new RangeError("boom");
    };
    const signals = [
      { aborted: false, addEventListener: boom, removeEventListener: boom },
      { aborted: false, addEventListener: () => undefined, removeEventListener: boom },
      { get aborted() { return boom(); }, addEventListener: () => undefined },
      {},
      "abort",
    ];
    const unhush = T.hush("error");
    const outcomes = [];
    for (const signal of signals) {
      const call = registry.invoke({ capabilityId: "view:demo.go" }, { signal });
      outcomes.push(await Promise.race([call.then(({ status }) => status, ({ name }) => name), T.turn().then(() => "nothing")]));
    }
    unhush();
    return { outcomes, runs, still: (await registry.invoke({ capabilityId: "view:demo.go" })).status };
  });
  assert.deepEqual(found, { outcomes: ["ok", "ok", "RangeError", "TypeError", "TypeError"], runs: 2, still: "ok" });
});

test("two long ids that begin alike get two names, and both are callable", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const type = `a${"b".repeat(75)}`;
    registry.register(T.component({ type: `${type}x`, actions: { go: T.act(() => "x") } }));
    registry.register(T.component({ type: `${type}y`, actions: { go: T.act(() => "y") } }));
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
    const tools = toolset.tools();
    const outputs = [];
    for (const tool of tools) outputs.push((await tool.execute({})).output);
    return { names: tools.map(({ name }) => [name.length, A.decodeWireName(name) ?? null]), apart: tools[0].name !== tools[1].name, outputs, mapped: [...toolset.wireNameMap().values()].length };
  });
  assert.deepEqual(found, { names: [[64, null], [64, null]], apart: true, outputs: ["x", "y"], mapped: 2 });
});

test("an invocation id is one call for one consumer, across registries' surfaces and consumers of one id", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
    const call = async (consumer) => (await registry.invoke({ capabilityId: "view:demo.go", invocationId: "one" }, { consumer })).output;
    return [
      await call({ id: "a", kind: "embedded" }),
      await call({ id: "a", kind: "webmcp" }),
      await call({ id: "b", kind: "embedded" }),
      await call({ id: "a", kind: "embedded" }),
      await call({ id: "a:b", kind: "embedded" }),
    ];
  });
  assert.deepEqual(found, [1, 2, 3, 1, 4]);
});

test("two requests whose ids cannot cross are never taken for one", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => 1) } }));
    const pairs = [
      ["capabilityId", `view:${"a".repeat(300)}.x`, `view:${"a".repeat(300)}.y`],
      ["capabilityId", "view:demo.\ud800", "view:demo.\ud801"],
      ["instanceId", "\ud800", "\ud801"],
      ["confirmationId", "\ud800", "\udfff"],
    ];
    const seen = [];
    for (const [at, [name, one, other]] of pairs.entries()) {
      const call = async (value) => {
        const result = await registry.invoke({ capabilityId: "view:demo.go", invocationId: `i${at}`, [name]: value });
        return T.brief(result)[0];
      };
      seen.push([await call(one), await call(other)]);
    }
    return seen;
  });
  const conflict = "INVOCATION_CONFLICT";
  assert.deepEqual(found, [
    ["CAPABILITY_NOT_FOUND", conflict],
    ["CAPABILITY_NOT_FOUND", conflict],
    ["CAPABILITY_NOT_FOUND", conflict],
    ["ok", conflict],
  ]);
});

test("two hundred settled calls are remembered for ten minutes, the oldest leave first", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      let runs = 0;
      registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
      const call = async (invocationId) => (await registry.invoke({ capabilityId: "view:demo.go", invocationId })).output;
      for (let n = 1; n <= 200; n++) await call(`id${n}`);
      const first = await call("id1");
      await call("id201");
      const second = await call("id2");
      const evicted = await call("id1");
      await clock.advance(600_001);
      const late = await call("id200");
      return { first, second, evicted, late };
    } finally {
      clock.restore();
    }
  });
  assert.equal(found.first, 1);
  assert.equal(found.second, 2);
  assert.equal(found.evicted, 202);
  assert.equal(found.late, 203);
});

test("what was not decided is not remembered: the same id asks, waits and runs in the end", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    registry.register(
      T.component({
        actions: {
          ask: T.act(() => ++runs, { confirmation: "required" }),
          busy: T.act(() => T.turn().then(() => "done"), { concurrency: { mode: "instance", queueDepth: 0 } }),
        },
      }),
    );
    const call = (name, more) => registry.invoke({ capabilityId: `view:demo.${name}`, invocationId: `${name}-1`, ...more });
    const asked = await call("ask");
    registry.confirmations.resolve(asked.error.details.confirmationId, { approved: true });
    const ran = await call("ask", { confirmationId: asked.error.details.confirmationId });
    const first = registry.invoke({ capabilityId: "view:demo.busy" });
    const refused = await call("busy");
    await first;
    const retried = await call("busy");
    return [T.brief(asked)[0], T.brief(ran), T.brief(refused)[0], T.brief(retried)];
  });
  assert.deepEqual(found, ["CONFIRMATION_REQUIRED", ["ok", 1], "RATE_LIMITED", ["ok", "done"]]);
});

test("a thousand renders that swap closures are one registration, and mounts leave nothing behind", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const definition = T.component({ actions: { go: T.act() } });
    registry.register(definition);
    const consumer = { id: "c", kind: "embedded" };
    const toolset = A.createAgentToolset(registry, { consumer, topology: "embedded" });
    const heard = [];
    toolset.subscribe((tools) => heard.push(tools));
    const [tool] = toolset.tools();
    for (let render = 1; render <= 1000; render++) definition.actions.go.execute = () => render;
    await T.turn();
    const latest = T.brief(await tool.execute({}));
    for (let mount = 0; mount < 500; mount++) {
      const handle = registry.register(T.component({ type: "row", instanceId: `i${mount}`, actions: { go: T.act() } }));
      A.createAgentToolset(registry, { consumer, topology: "embedded", mode: mount % 2 ? "meta" : "direct" }).dispose();
      handle.unregister();
    }
    await T.turn();
    const { components } = registry.snapshot({ consumer });
    return { latest, heard: heard.length, left: components.length, tools: toolset.tools().length };
  });
  assert.deepEqual(found, { latest: ["ok", 1000], heard: 0, left: 1, tools: 1 });
});

test("the page is whole at the end", async () => {
  assert.equal(await run(() => globalThis[Symbol.for("agent-surface-wasm/1")].state), "ready");
  assert.deepEqual(held.page.faults, []);
});
