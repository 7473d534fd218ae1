// What the adapter registers and withdraws when the surface changes, against Chromium's own API.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, takeFaults } = usePage({ webmcp: true, path: "/webmcp.html" });

test("availability flips by push, and by drift after a call; flips of one microtask coalesce", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let selected = false;
    const handle = registry.register(
      T.component({
        actions: {
          select: T.act(() => {
            selected = true;
          }),
          disable: T.act(
            () => {
              selected = false;
            },
            { when: () => selected },
          ),
        },
      }),
    );
    const counts = W.spy(document.modelContext);
    const { stop } = W.attach(registry);
    const start = [await W.names(), counts.take()];
    await W.call("view_demo__select");
    await T.turn();
    const selectedNow = [await W.names(), counts.take()];
    await W.call("view_demo__disable");
    await T.turn();
    const disabled = [await W.names(), counts.take()];
    handle.update({ availability: { select: false } });
    handle.update({ availability: { select: true } });
    await T.turn();
    const coalesced = counts.take();
    handle.update({ availability: { select: false } });
    await T.turn();
    const pushed = [await W.names(), counts.take()];
    handle.invalidate();
    await T.turn();
    const invalidated = counts.take();
    await stop();
    counts.restore();
    return { start, selectedNow, disabled, coalesced, pushed, invalidated };
  });
  const [select, disable] = ["view_demo__select", "view_demo__disable"];
  assert.deepEqual(found, {
    start: [[select], [1, 0]],
    selectedNow: [[disable, select], [1, 0]],
    disabled: [[select], [0, 1]],
    coalesced: [0, 0],
    pushed: [[], [0, 1]],
    invalidated: [0, 0],
  });
});

test("a remount in one tick keeps the tool, serves the new closure, and rejects nothing", async () => {
  const found = await run(async () => {
    const rejections = [];
    const onRejection = (event) => rejections.push(String(event.reason));
    addEventListener("unhandledrejection", onRejection);
    const registry = T.registry();
    const mount = (n, description = "Do it") => registry.register(T.component({ actions: { go: T.act(() => n, { description }) } }));
    let handle = mount(0);
    const counts = W.spy(document.modelContext);
    const { adapter, stop } = W.attach(registry);
    counts.take();
    for (let n = 1; n <= 1_000; n++) {
      handle.unregister();
      handle = mount(n);
    }
    await T.turn();
    const same = [await W.names(), counts.take(), W.told(await W.call("view_demo__go"))];
    handle.unregister();
    handle = mount("changed", "Do it better");
    await T.turn();
    const changed = [await W.names(), counts.take(), W.told(await W.call("view_demo__go"))];
    await T.turn();
    const status = adapter.status();
    await stop();
    counts.restore();
    removeEventListener("unhandledrejection", onRejection);
    return { same, changed, rejected: status.rejected, rejections };
  });
  assert.deepEqual(found, {
    same: [["view_demo__go"], [0, 0], ["ok", 1_000]],
    changed: [["view_demo__go"], [1, 1], ["ok", "changed"]],
    rejected: [],
    rejections: [],
  });
});

test("three hundred tools and one flip cost one registration or one abort; a handler swap costs nothing", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const definitions = [];
    const handles = Array.from({ length: 300 }, (_, n) => {
      definitions.push(T.component({ type: `part.n${n}`, actions: { go: T.act(() => n) } }));
      return registry.register(definitions[n]);
    });
    const counts = W.spy(document.modelContext);
    const { adapter, stop } = W.attach(registry);
    const start = counts.take();
    handles[150].update({ enabled: false });
    await T.turn();
    const off = counts.take();
    handles[150].update({ enabled: true });
    await T.turn();
    const on = counts.take();
    definitions[150].actions.go.execute = () => "swapped";
    await T.turn();
    const swapped = [counts.take(), W.told(await W.call("view_part__n150__go"))];
    const listed = (await W.names()).length;
    const taken = adapter.status().tools.length;
    await stop();
    const stopped = [counts.take(), (await W.names()).length];
    counts.restore();
    return { start, off, on, swapped, listed, taken, stopped };
  });
  assert.deepEqual(found, {
    start: [300, 0],
    off: [0, 1],
    on: [1, 0],
    swapped: [[0, 0], ["ok", "swapped"]],
    listed: 300,
    taken: 300,
    stopped: [[0, 300], 0],
  });
});

test("starts and stops any number of times, also at once", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const adapter = A.createWebMcpAdapter();
    const seen = [];
    for (let n = 0; n < 20; n++) {
      const detach = registry.attach(adapter, { consumer: { id: "browser", kind: "webmcp" } });
      if (n % 2) seen.push((await W.names()).length);
      await detach();
      await detach();
    }
    await adapter.stop();
    const after = await W.names();
    await adapter.start({ registry });
    await adapter.start({ registry });
    const told = W.told(await W.call("view_demo__go"));
    const rejected = adapter.status().rejected;
    await adapter.stop();
    return { seen: [...new Set(seen)], after, told, rejected, end: await W.names() };
  });
  assert.deepEqual(found, { seen: [1], after: [], told: ["ok", "ran"], rejected: [], end: [] });
});

test("a tool that is withdrawn in flight finishes; one whose component unmounts says so", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let work;
    let started;
    const handle = registry.register(
      T.component({
        actions: {
          go: T.act(() => {
            work = T.deferred();
            started.resolve();
            return work.promise;
          }),
        },
      }),
    );
    const { stop } = W.attach(registry);
    started = T.deferred();
    const first = W.call("view_demo__go");
    await started.promise;
    handle.update({ availability: { go: false } });
    await T.turn();
    const listed = await W.names();
    work.resolve("finished");
    const finished = W.told(await first);
    handle.update({ availability: { go: true } });
    await T.turn();
    started = T.deferred();
    const second = W.call("view_demo__go");
    await started.promise;
    handle.unregister();
    const unmounted = W.told(await second);
    await stop();
    return { listed, finished, unmounted };
  });
  assert.deepEqual(found, {
    listed: [],
    finished: ["ok", "finished"],
    unmounted: ["COMPONENT_UNMOUNTED", { phase: "mid-flight" }],
  });
});

test("a name that another script owns is reported, the others live, and it is not taken from its owner", async () => {
  const found = await run(async () => {
    const owner = new AbortController();
    await document.modelContext.registerTool(
      { name: "view_demo__go", description: "Foreign", inputSchema: { type: "object" }, execute: () => "foreign" },
      { signal: owner.signal },
    );
    const clock = T.clock();
    try {
      const registry = T.registry();
      const handle = registry.register(T.component({ actions: { go: T.act(() => "mine"), stay: T.act(() => "mine") } }));
      const { adapter, stop } = W.attach(registry);
      await W.names();
      for (let n = 0; n < 10; n++) {
        await clock.advance(1_000);
        await W.names();
      }
      const status = adapter.status();
      const diagnosis = adapter.diagnose();
      const names = await W.names();
      const stay = W.told(await W.call("view_demo__stay"));
      handle.update({ availability: { go: false } });
      await T.turn();
      const kept = await W.names();
      await stop();
      const left = await W.names();
      owner.abort();
      return { status, diagnosis, names, stay, kept, left, armed: clock.armed };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found.status.tools, ["view_demo__stay"]);
  assert.deepEqual(
    found.status.rejected.map(({ name, capabilityId }) => [name, capabilityId]),
    [["view_demo__go", "view:demo.go"]],
  );
  assert.match(found.status.rejected[0].reason, /InvalidStateError/);
  assert.equal(found.diagnosis.code, "registration-rejected");
  assert.match(found.diagnosis.message, /InvalidStateError|status\(\)/);
  assert.deepEqual(found.names, ["view_demo__go", "view_demo__stay"]);
  assert.deepEqual(found.stay, ["ok", "mine"]);
  assert.deepEqual([found.kept, found.left], [["view_demo__go", "view_demo__stay"], ["view_demo__go"]]);
});

test("instances get names of their own, also when the second one comes later", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const add = (instanceId) => registry.register(T.component({ instanceId, actions: { go: T.act(() => instanceId) } }));
    add("a");
    const { stop } = W.attach(registry);
    const one = await W.names();
    const second = add("b");
    await T.turn();
    const two = await W.names();
    const told = [];
    for (const name of two) told.push(W.told(await W.call(name))[1]);
    second.unregister();
    await T.turn();
    const again = await W.names();
    await stop();
    return { one, two, told, again };
  });
  assert.deepEqual(found, {
    one: ["view_demo__go"],
    two: ["view_demo__go_at_a", "view_demo__go_at_b"],
    told: ["a", "b"],
    again: ["view_demo__go"],
  });
});

test("an adapter of a disposed registry offers nothing, and a held tool says so", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    let held;
    const real = document.modelContext.registerTool;
    document.modelContext.registerTool = (tool, options) => {
      held = tool;
      return real.call(document.modelContext, tool, options);
    };
    const { adapter } = W.attach(registry);
    delete document.modelContext.registerTool;
    registry.dispose();
    await T.turn();
    const names = await W.names();
    const told = await held.execute({}, { signal: new AbortController().signal });
    const { tools } = adapter.status();
    await adapter.stop();
    return { names, code: told.structuredContent.code, isError: told.isError, tools };
  });
  assert.deepEqual(found, { names: [], code: found.code, isError: true, tools: [] });
  assert.match(found.code, /^(CAPABILITY_NOT_FOUND|CANCELLED)$/);
  assert.deepEqual(takeFaults(), []);
});

test("two registries share the browser: each owns its tools", async () => {
  const found = await run(async () => {
    const [one, two] = [T.registry(), T.registry()];
    one.register(T.component({ type: "orders", actions: { cancel: T.act(() => "one") } }));
    two.register(T.component({ type: "orders", actions: { search: T.act(() => "two") } }));
    const a = W.attach(one);
    const b = W.attach(two);
    const both = await W.names();
    await a.stop();
    const left = await W.names();
    const told = W.told(await W.call("view_orders__search"));
    await b.stop();
    return { both, left, told };
  });
  assert.deepEqual(found, {
    both: ["view_orders__cancel", "view_orders__search"],
    left: ["view_orders__search"],
    told: ["ok", "two"],
  });
});

test("a tool that the browser held on to says what became of its capability", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const mount = () => registry.register(T.component({ actions: { go: T.act(() => "ran"), stay: T.act() } }));
    let handle = mount();
    const held = new Map();
    const real = document.modelContext.registerTool;
    document.modelContext.registerTool = (tool, options) => {
      held.set(tool.name, tool);
      return real.call(document.modelContext, tool, options);
    };
    const { stop } = W.attach(registry);
    delete document.modelContext.registerTool;
    const tool = held.get("view_demo__go");
    const call = async () => W.told(await tool.execute({}, { signal: new AbortController().signal }));
    handle.update({ availability: { go: { available: false, reason: "not now" } } });
    await T.turn();
    const unavailable = await call();
    handle.unregister();
    await T.turn();
    const unmounted = await call();
    handle = mount();
    await T.turn();
    const replaced = await call();
    await stop();
    const stopped = await call();
    return { unavailable, unmounted, replaced: [replaced[0], replaced[1].reason], stopped: stopped[0] };
  });
  assert.deepEqual(found, {
    unavailable: ["CAPABILITY_NOT_AVAILABLE", { reason: "not now" }],
    unmounted: ["COMPONENT_UNMOUNTED", { phase: "resolve" }],
    replaced: ["STALE_CAPABILITY", "registration-replaced"],
    stopped: "CAPABILITY_NOT_FOUND",
  });
});

test("a list that grows and shrinks registers and withdraws only what differs", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const counts = W.spy(document.modelContext);
    const { stop } = W.attach(registry);
    const handles = Array.from({ length: 20 }, (_, n) =>
      registry.register(T.component({ type: `row.n${n}`, actions: { open: T.act(() => n) } })),
    );
    await T.turn();
    const grown = [counts.take(), (await W.names()).length];
    for (const handle of handles.splice(3)) handle.unregister();
    await T.turn();
    const shrunk = [counts.take(), (await W.names()).length];
    await stop();
    counts.restore();
    return { grown, shrunk };
  });
  assert.deepEqual(found, { grown: [[20, 0], 20], shrunk: [[0, 17], 3] });
});
