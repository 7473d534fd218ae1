// The direct toolset, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("tools have stable names and labels, closed schemas for reads, and state apart", async () => {
  const found = await run(() => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => null });
    let note = "three selected";
    let ready = true;
    const procedure = (id, effect, more) =>
      A.procedure({ id, description: "Act there", input: T.object({ a: {} }), effect, ...more });
    registry.register(
      T.component({
        type: "devices.table",
        observations: { rows: T.read() },
        actions: { select: T.act(() => 1, { when: () => ready }), wipe: T.act(() => 1, { confirmation: "required" }) },
        procedures: [
          procedure("domain:devices.disable", "destructive", { describe: () => note }),
          procedure("domain:with_underscore", "server-query"),
        ],
      }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const first = toolset.tools();
    const again = toolset.tools();
    note = "none selected";
    const noted = toolset.tools();
    ready = false;
    const drifted = toolset.tools();
    const map = toolset.wireNameMap();
    return {
      names: first.map(({ name }) => name),
      descriptions: first.map(({ description }) => description),
      keys: [...new Set(first.map((tool) => Object.keys(tool).sort().join(" ")))],
      reads: first[0].inputSchema,
      same: first === again,
      states: [first[3].state, noted[3].state, noted[1].state, drifted[1].state],
      stable: noted[3].description === first[3].description,
      isNew: noted !== first,
      map: first.map(({ name }) => map.get(name)),
      decoded: first.slice(0, 4).map(({ name }) => A.decodeWireName(name)),
      size: map.size,
    };
  });
  assert.deepEqual(found.names.slice(0, 4), [
    "view_devices__table__rows",
    "view_devices__table__select",
    "view_devices__table__wipe",
    "domain_devices__disable",
  ]);
  assert.match(found.names[4], /^[a-zA-Z0-9_-]{1,64}$/);
  assert.deepEqual(found.descriptions, [
    "[view · read] Read it",
    "[view · local-state] Do it",
    "[view · local-state · requires confirmation] Do it",
    "[domain · destructive · requires confirmation] Act there",
    "[domain · server-query] Act there",
  ]);
  assert.deepEqual(found.keys, ["description execute inputSchema name state"]);
  assert.deepEqual(found.reads, { type: "object", properties: {}, additionalProperties: false });
  assert.deepEqual(JSON.parse(JSON.stringify(found.states)), [
    { available: true, note: "three selected" },
    { available: true, note: "none selected" },
    { available: true },
    { available: false, unavailableReason: "Currently unavailable" },
  ]);
  assert.deepEqual([found.same, found.stable, found.isNew, found.size], [true, true, true, 5]);
  const ids = ["view:devices.table.rows", "view:devices.table.select", "view:devices.table.wipe", "domain:devices.disable"];
  assert.deepEqual(found.map, [...ids, "domain:with_underscore"]);
  assert.deepEqual(found.decoded, ids);
});

test("two instances, and two references to one procedure, get names of their own", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: ({ input }) => input });
    const add = (type, instanceId) =>
      registry.register(
        T.component({
          type,
          instanceId,
          actions: { go: T.act(() => instanceId) },
          procedures: [
            A.procedure({
              id: "domain:save",
              description: "Save",
              input: T.object({ who: { type: "string" } }),
              effect: "server-query",
              bind: { who: () => `${type}@${instanceId}` },
            }),
          ],
        }),
      );
    add("list", "main");
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const alone = toolset.tools().map(({ name }) => name);
    add("list", "side");
    add("detail", "main");
    const tools = toolset.tools();
    const outputs = [];
    for (const tool of tools) outputs.push((await tool.execute({})).output?.who ?? "action");
    const view = tools.map(({ name }) => name).filter((name) => name.startsWith("view"));
    return { alone, view, count: new Set(tools.map(({ name }) => name)).size, outputs: outputs.sort() };
  });
  assert.deepEqual(found.alone, ["view_list__go", "domain_save"]);
  assert.deepEqual(found.view.sort(), ["view_detail__go", "view_list__go_at_main", "view_list__go_at_side"]);
  assert.equal(found.count, 6);
  assert.deepEqual(found.outputs, ["action", "action", "action", "detail@main", "list@main", "list@side"]);
});

test("a declared topology is needed, and a remote wait needs its bound", async () => {
  const faults = await run(async () => {
    const registry = T.registry();
    const consumer = { id: "c", kind: "embedded" };
    const make = (options) => T.fault(() => A.createAgentToolset(registry, { consumer, ...options }) && "made");
    return [
      await make({}),
      await make({ topology: "remote", confirmations: "wait" }),
      await make({ topology: "embedded", budget: { maxComponents: 1 } }),
      await make({ topology: "sideways" }),
      await make({ topology: "remote", confirmations: "wait", waitMs: 100 }),
    ];
  });
  for (const fault of faults.slice(0, 4)) assert.equal(fault.name, "AgentSurfaceDefinitionError");
  assert.equal(faults[4], "nothing was thrown");
});

test("embedded waits: approved runs once, denied and expired answer, dispose returns what is pending", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      let runs = 0;
      registry.register(T.component({ actions: { go: T.act(() => ++runs, { confirmation: "required" }) } }));
      const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
      const tool = () => toolset.tools()[0];
      const pending = () => registry.confirmations.pending()[0].confirmationId;
      const approvedCall = tool().execute({}, { toolCallId: "t1" });
      const settledEarly = await Promise.race([approvedCall, T.turn()]);
      registry.confirmations.resolve(pending(), { approved: true });
      const approved = await approvedCall;
      const replayed = await tool().execute({}, { toolCallId: "t1" });
      const deniedCall = tool().execute({}, { toolCallId: "t2" });
      registry.confirmations.resolve(pending(), { approved: false, reason: "no" });
      const denied = await deniedCall;
      const expiredCall = tool().execute({}, { toolCallId: "t3" });
      await clock.advance(120_001);
      const expired = await expiredCall;
      const abortedBy = new AbortController();
      const abortedCall = tool().execute({}, { toolCallId: "t4", signal: abortedBy.signal });
      abortedBy.abort();
      const aborted = await abortedCall;
      const disposedCall = tool().execute({}, { toolCallId: "t5" });
      const last = tool();
      toolset.dispose();
      toolset.dispose();
      const disposed = await disposedCall;
      const after = await last.execute({}, { toolCallId: "t6" });
      return {
        early: settledEarly,
        approved: T.brief(approved),
        id: approved.invocationId,
        replayed: replayed === approved,
        denied: T.brief(denied),
        expired: T.brief(expired),
        aborted: T.brief(aborted)[0],
        disposed: T.brief(disposed)[0],
        after: [T.brief(after)[0], after.error.retry],
        tools: toolset.tools().length,
        runs,
      };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found, {
    early: undefined,
    approved: ["ok", 1],
    id: "t1",
    replayed: true,
    denied: ["CONFIRMATION_INVALID", { reason: "denied", note: "no" }],
    expired: ["CONFIRMATION_INVALID", { reason: "expired" }],
    aborted: "CANCELLED",
    disposed: "CONFIRMATION_REQUIRED",
    after: ["CANCELLED", "no"],
    tools: 0,
    runs: 1,
  });
});

test("remote completes by repeating, and a denied one asks anew only after its expiry", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      const ran = [];
      registry.register(
        T.component({
          actions: {
            go: T.act((input) => ran.push(input.n), { confirmation: "required", input: T.object({ n: { type: "integer" }, m: {} }) }),
          },
        }),
      );
      const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "remote" });
      let calls = 0;
      const call = async (input) => T.brief(await toolset.tools()[0].execute(input, { toolCallId: `t${++calls}` }));
      const decide = (approved) =>
        registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved });
      const first = await call({ n: 1, m: 2 });
      const still = await call({ m: 2, n: 1 });
      decide(true);
      const other = await call({ n: 2 });
      const done = await call({ m: 2, n: 1 });
      const again = await call({ n: 1, m: 2 });
      for (const record of registry.confirmations.pending()) registry.confirmations.resolve(record.confirmationId, { approved: false });
      const denied = await call({ n: 1, m: 2 });
      await clock.advance(119_999);
      const stillDenied = await call({ n: 1, m: 2 });
      await clock.advance(2);
      const asks = await call({ n: 1, m: 2 });
      const short = A.createAgentToolset(registry, {
        consumer: { id: "d", kind: "embedded" },
        topology: "remote",
        confirmations: "wait",
        waitMs: 500,
      });
      const waiting = short.tools()[0].execute({ n: 9 }, { toolCallId: "w" });
      await clock.advance(500);
      const fellBack = T.brief(await waiting);
      registry.confirmations.resolve(fellBack[1].confirmationId, { approved: true });
      const completed = T.brief(await short.tools()[0].execute({ n: 9 }, { toolCallId: "w2" }));
      return {
        first: first[0],
        same: still[1].confirmationId === first[1].confirmationId,
        other: other[0],
        done: done[0],
        again: again[0],
        anew: again[1].confirmationId !== first[1].confirmationId,
        denied,
        stillDenied,
        asks: asks[0],
        fellBack: fellBack[0],
        completed: completed[0],
        ran,
      };
    } finally {
      clock.restore();
    }
  });
  const denied = ["CONFIRMATION_INVALID", { reason: "denied" }];
  assert.deepEqual(found, {
    first: "CONFIRMATION_REQUIRED",
    same: true,
    other: "CONFIRMATION_REQUIRED",
    done: "ok",
    again: "CONFIRMATION_REQUIRED",
    anew: true,
    denied,
    stillDenied: denied,
    asks: "CONFIRMATION_REQUIRED",
    fellBack: "CONFIRMATION_REQUIRED",
    completed: "ok",
    ran: [1, 9],
  });
});

test("`execute` takes null and nothing as an empty object, and never throws", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(
      T.component({
        actions: { go: T.act((input) => input), text: T.act((input) => input ?? "nothing", { input: A.fromJsonSchema({ type: "string" }) }) },
      }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const [go, text] = toolset.tools();
    const call = async (tool, ...args) => T.brief(await tool.execute(...args));
    const throwing = {
      get a() {
        throw new Error("x");
      },
    };
    const results = {
      absent: await call(go),
      nothing: await call(go, null),
      text: (await call(text, null))[0],
      getter: (await call(go, throwing))[0],
      big: (await call(go, 1n))[0],
      badId: (await call(go, {}, { toolCallId: 7 }))[0],
      longId: (await call(go, {}, { toolCallId: "x".repeat(300) }))[0],
      surrogateId: (await call(go, {}, { toolCallId: "\ud800" }))[0],
      noOptions: (await call(go, {}, null))[0],
    };
    const [stale] = toolset.tools();
    registry.dispose();
    return { ...results, disposed: await call(stale, {}), tools: toolset.tools().length };
  });
  assert.deepEqual(found, {
    absent: ["ok", {}],
    nothing: ["ok", {}],
    text: "INVALID_INPUT",
    getter: "INVALID_INPUT",
    big: "INVALID_INPUT",
    badId: found.badId,
    longId: "INVALID_INPUT",
    surrogateId: "INVALID_INPUT",
    noOptions: "ok",
    disposed: ["CANCELLED", undefined],
    tools: 0,
  });
  assert.notEqual(found.badId, "ok");
});

test("subscribers hear of a difference in the microtask of the change, and of drift after a call", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let selected = false;
    const handle = registry.register(
      T.component({
        actions: {
          select: T.act(() => {
            selected = true;
          }),
          disable: T.act(() => 1, { when: () => selected }),
        },
      }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const heard = [];
    const off = toolset.subscribe((tools) => heard.push(tools.map(({ state }) => state.available)));
    handle.update({ enabled: false });
    handle.update({ enabled: true });
    await T.turn();
    const flipped = heard.splice(0);
    handle.invalidate();
    await T.turn();
    const invalidated = heard.splice(0);
    await toolset.tools()[0].execute({});
    await T.turn();
    const drifted = heard.splice(0);
    handle.update({ availability: { select: false } });
    await null;
    const inTheMicrotask = heard.splice(0);
    off();
    handle.update({ enabled: false });
    await T.turn();
    return { flipped, invalidated, drifted, inTheMicrotask, afterwards: heard.length };
  });
  assert.deepEqual(found, {
    flipped: [],
    invalidated: [],
    drifted: [[true, true]],
    inTheMicrotask: [[false, true]],
    afterwards: 0,
  });
});

test("tools of a moved version are new, and carry their own version into a destructive call", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => "gone" });
    const handle = registry.register(
      T.component({
        procedures: [A.procedure({ id: "domain:wipe", description: "Wipe", input: A.emptyObjectSchema, effect: "destructive" })],
      }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "remote" });
    const [old] = toolset.tools();
    handle.invalidate();
    const [fresh] = toolset.tools();
    return { isNew: old !== fresh, old: T.brief(await old.execute({})), fresh: T.brief(await fresh.execute({}))[0] };
  });
  assert.deepEqual(found, {
    isNew: true,
    old: ["STALE_CAPABILITY", { reason: "surface-version-mismatch" }],
    fresh: "CONFIRMATION_REQUIRED",
  });
});

test("three hundred tools: one flip makes one new tool state", async () => {
  const found = await run(() => {
    const registry = T.registry();
    const handles = Array.from({ length: 300 }, (_, n) =>
      registry.register(T.component({ type: `part-${n}`.replace(/-(\d)/, "-n$1"), actions: { go: T.act() } })),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const before = toolset.tools();
    handles[150].update({ enabled: false });
    const after = toolset.tools();
    return [before.length, new Set(before.map(({ name }) => name)).size, after.filter(({ state }) => !state.available).length];
  });
  assert.deepEqual(found, [300, 300, 1]);
});

test("a schema that transforms does so once for what a person approves, and a call that waited ends with that", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const checked = [];
    const validate = ({ n }) => {
      checked.push(n);
      return { value: { n: n * 2 } };
    };
    const standard = { "~standard": { version: 1, vendor: "test", validate } };
    const input = A.fromStandardSchema(standard, { jsonSchema: { type: "object", properties: { n: { type: "number" } } } });
    registry.register(T.component({ actions: { go: T.act(({ n }) => n, { input, confirmation: "required" }) } }));
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const call = toolset.tools()[0].execute({ n: 1 });
    await T.turn();
    const [asked] = registry.confirmations.pending();
    const shown = asked.input;
    registry.confirmations.resolve(asked.confirmationId, { approved: true });
    return { shown, outcome: T.brief(await call), checked };
  });
  assert.deepEqual(found, { shown: { n: 2 }, outcome: ["ok", 2], checked: [1, 1] });
});
