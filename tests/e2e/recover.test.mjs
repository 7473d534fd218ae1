// `recover()`: a fresh instance with what the page still holds, after a trap of the engine's; and that nothing which
// waited for the broken one stays open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, takeFaults } = usePage();

test("a whole instance has nothing to recover from", async () => {
  assert.deepEqual(await run(async () => [await A.recover(), await A.recover()]), [false, false]);
});

test("components, handles, what was pushed, executor, listeners and toolsets go on in a fresh instance", async () => {
  const found = await run(async () => {
    const events = [];
    const registry = T.registry();
    registry.setProcedureExecutor({ paths: ["devices.count"], execute: ({ path }) => `ran ${path}` });
    const handle = registry.register(
      T.component({
        actions: { go: T.act(() => "went"), stop: T.act(), open: T.act() },
        procedures: [A.procedure({ id: "domain:devices.count", description: "Counts", input: A.emptyObjectSchema, effect: "server-query" })],
      }),
    );
    const gone = registry.register(T.component({ type: "gone" }));
    const still = registry.register(T.component({ type: "other", observations: { look: T.read() } }));
    handle.update({ availability: { stop: { available: false, reason: "Not now" }, "view:demo.open": false, open: true } });
    still.update({ enabled: false });
    gone.unregister();
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
    const [, , act] = A.createAgentToolset(registry, { consumer: { id: "m", kind: "test" }, topology: "embedded", mode: "meta" }).tools();
    const lists = [];
    toolset.subscribe((list) => lists.push(list.length));
    registry.subscribe((event) => events.push(event.type));
    const [tool] = toolset.tools();
    const before = { id: handle.registrationId, version: registry.getVersion(), surface: registry.snapshot(), tools: toolset.tools() };
    await T.turn();
    events.length = lists.length = 0;
    await T.trap(() => registry.snapshot());
    const recovered = await Promise.all([A.recover(), A.recover()]);
    await T.turn();
    const surface = registry.snapshot();
    const shown = ({ actions }) => actions.map(({ name, available, unavailableReason }) => [name, available, unavailableReason]);
    const facts = {
      recovered,
      again: await A.recover(),
      sameSurface: [registry.surfaceId, surface.surfaceId].every((id) => id === before.surface.surfaceId),
      versions: [Number(before.version) < Number(surface.surfaceVersion), surface.surfaceVersion === registry.getVersion()],
      ids: [handle.registrationId !== before.id, surface.components[0].registrationId === handle.registrationId],
      status: [handle.status, gone.status, still.status],
      components: surface.components.map(({ type }) => type),
      same: JSON.stringify(surface.components.map(shown)) === JSON.stringify(before.surface.components.map(shown)),
      actions: shown(surface.components[0]),
      other: surface.components[1].observations[0].unavailableReason,
      went: (await registry.invoke({ capabilityId: "view:demo.go" })).output,
      counted: (await registry.invoke({ capabilityId: "domain:devices.count" })).output,
      stale: T.brief(await registry.invoke({ capabilityId: "view:demo.go", registrationId: before.id }))[1].reason,
      oldTool: T.brief(await tool.execute({})),
      newTool: T.brief(await toolset.tools()[0].execute({})),
      metaTool: T.brief(await act.execute({ capabilityId: "view:demo.go", input: {} })),
      sameTools: toolset.tools().map(({ name }) => name).join() === before.tools.map(({ name }) => name).join(),
      lists,
      events,
    };
    handle.update({ availability: { stop: true }, enabled: true });
    facts.updated = shown(registry.snapshot().components[0])[1];
    handle.unregister();
    facts.left = registry.snapshot().components.map(({ type }) => type);
    registry.dispose();
    return facts;
  });
  assert.deepEqual(found.recovered, [true, false]);
  assert.equal(found.again, false);
  assert.equal(found.sameSurface, true);
  assert.deepEqual(found.versions, [true, true]);
  assert.deepEqual(found.ids, [true, true]);
  assert.deepEqual(found.status, ["active", "unregistered", "active"]);
  assert.deepEqual(found.components, ["demo", "other"]);
  assert.equal(found.same, true);
  assert.deepEqual(found.actions, [["go", true, null], ["stop", false, "Not now"], ["open", true, null]].map((row) => row.map((each) => each ?? undefined)));
  assert.equal(found.other, "component-disabled");
  assert.deepEqual([found.went, found.counted], ["went", "ran devices.count"]);
  assert.equal(found.stale, "surface-reloaded");
  // A tool means a mount, which this still is.
  for (const each of [found.oldTool, found.newTool, found.metaTool]) assert.deepEqual(each, ["ok", "went"]);
  assert.equal(found.sameTools, true);
  assert.deepEqual(found.lists, [5]);
  const [registered, changed] = ["component-registered", "availability-changed"];
  assert.deepEqual(found.events.filter((type) => type === registered), [registered, registered]);
  assert.deepEqual(found.events.filter((type) => type === changed), [changed, changed, changed, changed]);
  assert.ok(found.events.includes("surface-changed"));
  assert.deepEqual(found.updated, ["stop", true, undefined]);
  assert.deepEqual(found.left, ["other"]);
});

test("what was in flight ends: calls, waits for a person, `next` and `waitFor`", async () => {
  const found = await run(async () => {
    const nexts = [];
    const policy = {
      name: "waits",
      onInvoke: async (context, next) => {
        const inner = await next();
        nexts.push(inner.error?.details ?? inner.status);
      },
    };
    const registry = T.registry({ policies: [] });
    const handlers = [T.deferred(), T.deferred()];
    const signals = [];
    const events = [];
    registry.register(
      T.component({
        actions: {
          go: T.act((_, { signal }) => (signals.push(signal), handlers[0].promise), { policies: [policy] }),
          ask: T.act(() => "asked", { confirmation: "required" }),
          queued: T.act(() => "queued"),
        },
      }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
    registry.confirmations.subscribe((event) => events.push([event.type, event.outcome]));
    const version = registry.getVersion();
    const calls = [
      registry.invoke({ capabilityId: "view:demo.go", invocationId: "one" }),
      registry.invoke({ capabilityId: "view:demo.queued" }),
      toolset.tools().find(({ name }) => name.includes("ask")).execute({}),
    ];
    await T.turn();
    const [{ confirmationId }] = registry.confirmations.pending();
    const decided = registry.confirmations.waitFor(confirmationId);
    await T.trap(() => registry.getVersion());
    const ended = (await Promise.all(calls)).map((result) => [...T.brief(result), Number(result.surfaceVersion) > Number(version)]);
    const outcome = await decided;
    const before = events.length;
    await T.turn();
    const open = [nexts.length, signals[0].aborted];
    await A.recover();
    const again = registry.invoke({ capabilityId: "view:demo.go", invocationId: "two" });
    // The first handler answers only now, to nobody: its number is the second one's.
    handlers[0].resolve("late");
    const second = await again;
    const facts = {
      ended,
      outcome,
      before,
      events: events.slice(before),
      open,
      nexts: nexts.slice(0, 1),
      pending: registry.confirmations.pending().length,
      old: registry.confirmations.resolve(confirmationId, { approved: true }),
      second: T.brief(second),
    };
    registry.dispose();
    return facts;
  });
  const unknown = ["EXECUTION_FAILED", { outcome: "unknown" }, true];
  assert.deepEqual(found.ended, [unknown, unknown, unknown]);
  assert.equal(found.outcome, "expired");
  assert.deepEqual(found.events, [["confirmation-resolved", "expired"]]);
  assert.deepEqual(found.open, [1, true]);
  assert.deepEqual(found.nexts, [{ outcome: "unknown" }]);
  assert.deepEqual([found.pending, found.old], [0, false]);
  assert.deepEqual(found.second, ["ok", "late"]);
});

test("a late answer to a call of the broken instance does not meet the call that has its number now", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const handlers = [T.deferred(), T.deferred()];
    let started = 0;
    registry.register(T.component({ actions: { go: T.act(() => handlers[started++].promise) } }));
    const first = registry.invoke({ capabilityId: "view:demo.go" });
    await T.trap(() => registry.snapshot());
    await A.recover();
    const second = registry.invoke({ capabilityId: "view:demo.go" });
    let result;
    second.then((value) => (result = value));
    handlers[0].resolve("the first one's");
    await T.turn();
    const early = result;
    handlers[1].resolve("its own");
    const facts = { first: T.brief(await first)[0], early, second: T.brief(await second) };
    registry.dispose();
    return facts;
  });
  assert.deepEqual(found, { first: "EXECUTION_FAILED", early: undefined, second: ["ok", "its own"] });
});

test("a trap inside a handler ends that call and what lies around it, and the page may recover from there", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const other = T.registry();
    other.register(T.component({ actions: { wait: T.act(() => T.deferred().promise) } }));
    const waiting = other.invoke({ capabilityId: "view:demo.wait" });
    let inside;
    let recovered;
    registry.register(
      T.component({
        actions: {
          go: T.act(() => {
            recovered = T.trap(() => registry.snapshot()).then((thrown) => ((inside = thrown), A.recover()));
            return "went";
          }),
        },
      }),
    );
    const went = T.brief(await registry.invoke({ capabilityId: "view:demo.go" }));
    const others = T.brief(await waiting);
    const told = await recovered;
    const after = [T.brief(await registry.invoke({ capabilityId: "view:demo.go", instanceId: "no" }))[0], other.snapshot().components.length];
    registry.dispose();
    other.dispose();
    return { inside: inside.code, went, others, told, after };
  });
  takeFaults();
  assert.equal(found.inside, "POISONED");
  assert.deepEqual(found.went, ["EXECUTION_FAILED", { outcome: "unknown" }]);
  assert.deepEqual(found.others, found.went);
  assert.deepEqual([found.told, found.after], [true, ["CAPABILITY_NOT_FOUND", 1]]);
});

test("what the page ends while the instance is broken does not come back", async () => {
  const found = await run(async () => {
    const [kept, ended] = [T.registry(), T.registry()];
    const handle = kept.register(T.component());
    const toolset = A.createAgentToolset(kept, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
    ended.register(T.component());
    await T.trap(() => kept.snapshot());
    const unregistered = (await T.fault(() => handle.unregister())).code;
    ended.dispose();
    toolset.dispose();
    const told = await A.recover();
    const facts = [
      told,
      unregistered,
      handle.status,
      kept.snapshot().components.length,
      toolset.tools().length,
      (await T.fault(() => ended.snapshot())).code,
      Number(ended.getVersion()) > 0,
    ];
    kept.dispose();
    return facts;
  });
  assert.deepEqual(found, [true, "POISONED", "unregistered", 0, 0, "DISPOSED", true]);
});

test("an instance may break again and again, also while it recovers", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const handle = registry.register(T.component({ actions: { go: T.act(() => "went") } }));
    let breaks = true;
    registry.subscribe((event) => {
      if (event.type === "component-registered" && breaks) T.trap(() => registry.snapshot());
    });
    const versions = [];
    await T.trap(() => registry.snapshot());
    const failed = (await T.fault(() => A.recover())).code;
    const closed = (await T.fault(() => registry.snapshot())).code;
    breaks = false;
    for (let n = 0; n < 3; n++) {
      await A.recover();
      versions.push(Number(registry.getVersion()));
      await T.trap(() => registry.snapshot());
    }
    const told = await A.recover();
    const facts = {
      failed,
      closed,
      told,
      grows: versions.every((version, at) => at === 0 || version > versions[at - 1]),
      status: handle.status,
      went: T.brief(await registry.invoke({ capabilityId: "view:demo.go" })),
    };
    registry.dispose();
    return facts;
  });
  takeFaults();
  assert.deepEqual(found, { failed: "POISONED", closed: "POISONED", told: true, grows: true, status: "active", went: ["ok", "went"] });
});
