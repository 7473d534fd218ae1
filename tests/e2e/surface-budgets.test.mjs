// Budgets of snapshots and adapters, and what `includeUnavailable` leaves out, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("a budget drops the lowest priority first, among equals the later, and says how many", async () => {
  const found = await run(() => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => null });
    const sync = A.procedure({ id: "domain:x.sync", description: "Sync", input: A.emptyObjectSchema, effect: "server-query" });
    const add = (type, instanceId, priority, more) =>
      registry.register(T.component({ type, instanceId, priority, actions: { go: T.act() }, ...more }));
    add("low", "a", -1, { procedures: [sync] });
    add("list", "b");
    add("list", "a");
    add("top", "a", 5);
    add("only", "a", -2, { actions: {}, procedures: [sync] });
    const names = (snapshot) => snapshot.components.map(({ type, instanceId }) => `${type}@${instanceId}`);
    const seen = (budget) => {
      const snapshot = registry.snapshot({ budget });
      return [names(snapshot), snapshot.truncated?.droppedComponents, snapshot.procedures.length];
    };
    const whole = JSON.stringify(registry.snapshot().components);
    const two = JSON.stringify(registry.snapshot().components.slice(0, 2));
    const bytes = (text) => new TextEncoder().encode(text).length;
    return {
      all: seen({}),
      more: seen({ maxComponents: 4 }),
      three: seen({ maxComponents: 3 }),
      one: seen({ maxComponents: 1 }),
      none: seen({ maxComponents: 0 }),
      exact: seen({ maxBytes: bytes(whole) }),
      less: seen({ maxBytes: bytes(whole) - 1 }),
      two: seen({ maxBytes: bytes(two) }),
      both: seen({ maxBytes: bytes(two), maxComponents: 1 }),
      hasKey: "truncated" in registry.snapshot({ budget: {} }),
      isFrozen: T.isDeepFrozen(registry.snapshot({ budget: { maxComponents: 1 } })),
      keys: Object.keys(registry.snapshot({ budget: { maxComponents: 1 } })).join(),
    };
  });
  const all = ["top@a", "list@a", "list@b", "low@a"];
  assert.deepEqual(found, {
    all: [all, undefined, 2],
    more: [all, undefined, 2],
    three: [all.slice(0, 3), 1, 2],
    one: [all.slice(0, 1), 3, 2],
    none: [[], 4, 2],
    exact: [all, undefined, 2],
    less: [all.slice(0, 3), 1, 2],
    two: [all.slice(0, 2), 2, 2],
    both: [all.slice(0, 1), 3, 2],
    hasKey: false,
    isFrozen: true,
    keys: "surfaceId,surfaceVersion,capturedAt,components,procedures,truncated",
  });
});

test("`maxBytes` counts UTF-8 bytes of the very JSON that is listed, states included", async () => {
  const failures = await run(() => {
    const registry = T.registry();
    let reason = "nö “way” \u2028 \u{1F600}\n";
    const add = (type, more) => registry.register(T.component({ type, ...more }));
    add("a", { description: "größer\t", meta: { "ключ": [1, 2.5, "\u0007"] }, parent: { type: "x" } });
    add("b", { observations: { one: T.read(), two: T.read(() => 1, { meta: { deep: { a: null } } }) } });
    add("c", { actions: { one: T.act(() => 1, { when: () => false, unavailableReason: () => reason }), two: T.act() } });
    add("d", { observations: { o: T.read(() => 1, { when: () => false }) }, actions: { a: T.act() } });
    const wrong = [];
    const check = () => {
      const { components } = registry.snapshot();
      for (let count = 1; count <= components.length; count++) {
        const maxBytes = new TextEncoder().encode(JSON.stringify(components.slice(0, count))).length;
        const [fits, misses] = [maxBytes, maxBytes - 1].map((most) => registry.snapshot({ budget: { maxBytes: most } }).components.length);
        if (fits !== count || misses !== count - 1) wrong.push([count, fits, misses]);
      }
    };
    check();
    reason = "another, longer reason";
    check();
    return wrong;
  });
  assert.deepEqual(failures, []);
});

test("the same snapshot is the same object with budgets and without what is unavailable, too", async () => {
  const found = await run(() => {
    const registry = T.registry();
    let isOpen = true;
    const handle = registry.register(T.component({ type: "a", priority: 2, actions: { go: T.act(), stop: T.act() } }));
    registry.register(T.component({ type: "b", actions: { go: T.act(() => 1, { when: () => isOpen }) } }));
    const look = { budget: () => registry.snapshot({ budget: { maxComponents: 1 } }), open: () => registry.snapshot({ includeUnavailable: false }) };
    const first = { budget: look.budget(), open: look.open() };
    const same = [look.budget() === first.budget, look.open() === first.open, look.budget() !== registry.snapshot()];
    isOpen = false;
    const closed = look.open();
    const gone = closed.components.map(({ type }) => type);
    // What a budget drops does not show: the same content.
    const unseen = look.budget() === first.budget;
    isOpen = true;
    const back = A.jsonDeepEqual(look.open().components, first.open.components);
    handle.update({ availability: { stop: false } });
    const listed = look.open().components.map(({ actions }) => actions.map(({ name }) => name));
    const moved = look.budget();
    return { same, gone, unseen, back, listed, moved: [moved !== first.budget, moved.components[0].actions[1].available] };
  });
  assert.deepEqual(found, {
    same: [true, true, true],
    gone: ["a"],
    unseen: true,
    back: true,
    listed: [["go"], ["go"]],
    moved: [true, false],
  });
});

test("any number of budgets leaves a bounded number of views, and each is right", async () => {
  const wrong = await run(() => {
    const registry = T.registry();
    for (let at = 0; at < 40; at++) registry.register(T.component({ type: `t${at}` }));
    const failures = [];
    for (const round of [0, 1]) {
      for (let most = 0; most < 60; most++) {
        const { components, truncated } = registry.snapshot({ budget: { maxComponents: most } });
        const dropped = Math.max(0, 40 - most);
        if (components.length !== 40 - dropped || (truncated?.droppedComponents ?? 0) !== dropped) failures.push([round, most]);
      }
    }
    return failures;
  });
  assert.deepEqual(wrong, []);
});

test("an adapter is given its budget, and the browser's tools keep to it", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => null });
    for (const [type, priority] of [["a", 0], ["b", 1], ["c", 2]]) {
      registry.register(
        T.component({
          type,
          priority,
          actions: { go: T.act() },
          procedures: [A.procedure({ id: `domain:x.${type}`, description: "d", input: A.emptyObjectSchema, effect: "server-query" })],
        }),
      );
    }
    let given;
    registry.attach(
      { name: "x", start: ({ registry: view, snapshotContext, consumer }) => (given = view.snapshot({ ...snapshotContext, consumer })), stop() {} },
      { consumer: { id: "x", kind: "mcp-bridge" }, snapshotContext: { budget: { maxComponents: 1 } } },
    );
    const tools = new Map();
    const modelContext = { registerTool: (tool) => tools.set(tool.name, tool), unregisterTool: (name) => tools.delete(name) };
    const adapter = A.createWebMcpAdapter({ modelContext, snapshotContext: { budget: { maxComponents: 2 } } });
    const detach = registry.attach(adapter);
    const names = [...tools.keys()].sort();
    await detach();
    tools.clear();
    registry.attach(adapter, { snapshotContext: { budget: { maxBytes: 0 } } });
    const none = [...tools.keys()].sort();
    const bad = A.createWebMcpAdapter({ modelContext, snapshotContext: { budget: { maxComponents: -1 } } });
    const fault = await bad.start({ registry }).then(
      () => "started",
      (error) => error.message,
    );
    const [discover] = A.createAgentToolset(registry, {
      consumer: { id: "m", kind: "embedded" },
      topology: "embedded",
      mode: "meta",
      budget: { maxComponents: 1 },
    }).tools();
    const { output } = await discover.execute({});
    const direct = await T.fault(() =>
      A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded", budget: { maxComponents: 1 } }),
    );
    return { given: [given.components.map(({ type }) => type), given.truncated], names, none, fault, meta: [output.components.length, output.truncated], direct: direct.code };
  });
  const procedures = ["domain_x__a", "domain_x__b", "domain_x__c"];
  assert.deepEqual(found.given, [["c"], { droppedComponents: 2 }]);
  assert.deepEqual(found.names, [...procedures, "view_b__go", "view_c__go"]);
  assert.deepEqual(found.none, procedures);
  assert.match(found.fault, /`budget` must be/);
  assert.deepEqual(found.meta, [1, { droppedComponents: 2 }]);
  assert.equal(found.direct, "INVALID_DEFINITION");
});

test("a budget that is none is refused by name", async () => {
  const faults = await run(async () => {
    const registry = T.registry();
    const bad = [null, 3, { maxComponents: -1 }, { maxComponents: 1.5 }, { maxBytes: "9" }, { maxBytes: Infinity }, { maxbytes: 9 }];
    const meta = { consumer: { id: "c", kind: "test" }, topology: "embedded", mode: "meta" };
    const looks = [(budget) => registry.snapshot({ budget }), (budget) => A.createAgentToolset(registry, { ...meta, budget })];
    return Promise.all(looks.flatMap((look) => bad.map(async (budget) => (await T.fault(() => look(budget))).message)));
  });
  assert.deepEqual(new Set(faults), new Set(["`budget` must be { maxComponents?, maxBytes? }, whole numbers"]));
});
