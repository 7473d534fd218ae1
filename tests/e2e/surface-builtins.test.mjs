// The built-in policies that bound tenants, environments, rates and what is recorded, through the built package in Chromium;
// and calls by the thousand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("tenantBoundary hides what is another tenant's, and says why to who calls it all the same", async () => {
  const found = await run(async () => {
    const session = { tenant: "t1" };
    const policy = A.tenantBoundary({ current: ({ host }) => host.tenant, expected: ({ internal }) => internal.tenant });
    const registry = T.registry({ context: () => session, policies: [policy] });
    for (const instanceId of ["t1", "t2"]) {
      registry.register(T.component({ instanceId, internal: { tenant: instanceId }, actions: { go: T.act(() => instanceId) } }));
    }
    const names = () => registry.snapshot().components.map(({ instanceId }) => instanceId);
    const call = async (more) => T.brief(await registry.invoke({ capabilityId: "view:demo.go", ...more }));
    const first = [names(), await call(), await call({ instanceId: "t2" })];
    session.tenant = "t2";
    const second = [names(), await call()];
    delete session.tenant;
    return { first, second, nobody: [names(), await call({ instanceId: "t1" })] };
  });
  const denied = ["NOT_AUTHORIZED", { origin: "client" }];
  assert.deepEqual(found.first, [["t1"], ["ok", "t1"], denied]);
  assert.deepEqual(found.second, [["t2"], ["ok", "t2"]]);
  assert.deepEqual(found.nobody, [[], denied]);
});

test("environment compares with the registry's, and what it hides is as unknown as what there is not", async () => {
  const found = await run(async () => {
    const seen = {};
    for (const environment of ["production", "development", "test"]) {
      const restore = T.hush("warn", "debug");
      const registry = T.registry({ environment, requireApprover: false });
      registry.register(
        T.component({ actions: { seed: T.act(() => "seeded", { policies: [A.environment(["development", "test"])] }), go: T.act() } }),
      );
      const call = async (name) => (await registry.invoke({ capabilityId: `view:demo.${name}`, invocationId: name })).error;
      const names = registry.snapshot().components[0].actions.map(({ name }) => name);
      seen[environment] = { names, seed: await call("seed"), unknown: await call("unknown") };
      restore();
    }
    return seen;
  });
  assert.deepEqual(found.production.names, ["go"]);
  assert.equal(found.production.seed.code, "CAPABILITY_NOT_FOUND");
  assert.deepEqual(found.production.seed, found.production.unknown);
  for (const name of ["development", "test"]) assert.deepEqual([found[name].names, found[name].seed], [["seed", "go"], undefined]);
});

test("rateLimit runs on the registry's clock, for each consumer and capability, and has no vote", async () => {
  const found = await run(async () => {
    let now = 1_750_000_000_000;
    const limit = A.rateLimit({ limit: 2, windowMs: 1000 });
    const make = () => {
      const registry = T.registry({ now: () => now, policies: [limit] });
      registry.register(T.component({ actions: { go: T.act(() => "ran"), other: T.act(() => "ran") } }));
      return async (name = "go", id = "a") =>
        T.brief(await registry.invoke({ capabilityId: `view:demo.${name}` }, { consumer: { kind: "embedded", id } }))[1];
    };
    const call = make();
    const burst = [await call(), await call(), await call()];
    const apart = [await call("other"), await call("go", "b"), await make()()];
    now += 499;
    const early = await call();
    now += 1;
    const later = [await call(), await call()];
    const registry = T.registry({ policies: [limit] });
    registry.register(T.component({ actions: { go: T.act() } }));
    const full = { ...(await registry.invoke({ capabilityId: "view:demo.go" })) };
    return { burst, apart, early, later, listed: registry.snapshot().components.length, full: full.status };
  });
  const wait = (retryAfterMs) => ({ reason: "rate", retryAfterMs });
  assert.deepEqual(found.burst, ["ran", "ran", wait(500)]);
  assert.deepEqual(found.apart, ["ran", "ran", "ran"]);
  assert.deepEqual(found.early, wait(1));
  assert.deepEqual(found.later, ["ran", wait(500)]);
  assert.deepEqual([found.listed, found.full], [1, "ok"]);
});

test("a call that waits for a person takes one token, however often it comes by", async () => {
  const found = await run(async () => {
    const limit = A.rateLimit({ limit: 1, windowMs: 60_000 });
    const byHand = { name: "by-hand", onAuthorize: (ctx, next) => limit.onAuthorize({ ...ctx }, next) };
    const results = [];
    for (const policy of [limit, byHand]) {
      const registry = T.registry({ policies: [policy] });
      registry.register(T.component({ actions: { go: T.act(() => "ran", { confirmation: "required" }) } }));
      registry.confirmations.subscribe(({ type, confirmationId }) => {
        if (type === "confirmation-requested") queueMicrotask(() => registry.confirmations.resolve(confirmationId, { approved: true }));
      });
      const toolset = A.createAgentToolset(registry, { consumer: { kind: "embedded", id: "a" }, topology: "embedded" });
      const [tool] = toolset.tools();
      results.push(T.brief(await tool.execute({})), T.brief(await tool.execute({}))[0]);
    }
    return results;
  });
  assert.deepEqual(found, [["ok", "ran"], "RATE_LIMITED", ["ok", "ran"], "RATE_LIMITED"]);
});

test("audit records what it is put on, at its level, also into a sink of its own", async () => {
  const found = await run(async () => {
    const [whole, own] = [A.memoryAuditSink(), A.memoryAuditSink()];
    own.redact = () => ({ input: "redacted" });
    const go = (policies, more) => T.act(() => "out", { policies, ...more });
    const definition = () =>
      T.component({
        observations: { rows: T.read(() => 1, { policies: [A.audit()] }), silent: T.read() },
        actions: {
          own: go([A.audit(own)]),
          full: go([A.audit(own, "full")], { input: T.object({ n: { type: "integer" } }) }),
          none: go([A.audit(own)], { audit: "none" }),
          plain: go([]),
          hand: go([{ name: "hand", onInvoke: (ctx, next) => A.audit(own).onInvoke(ctx, next) }]),
          denied: go([A.audit(own), { name: "no", onInvoke: () => { throw new Error("secret"); } }]),
        },
      });
    const told = (sink) =>
      sink.events().filter(({ type }) => type.startsWith("invocation-")).map(({ type, capabilityId, status, payload, cause }) =>
        [type.slice(11), capabilityId.slice(10), status, payload && JSON.stringify(payload), cause?.message].filter((each) => each !== undefined).join(" "));
    const calls = async (registry) => {
      registry.register(definition());
      for (const name of ["rows", "silent", "own", "none", "plain", "hand", "denied"]) await registry.invoke({ capabilityId: `view:demo.${name}` });
      await registry.invoke({ capabilityId: "view:demo.full", input: { n: 7 } });
    };
    await calls(T.registry({ audit: whole }));
    const both = { whole: told(whole), own: told(own) };
    own.clear();
    await calls(T.registry());
    const [first] = own.events();
    return { ...both, alone: told(own), keys: Object.keys(first).sort().join(" "), consumer: first.consumerId };
  });
  const own = [
    "started own", "settled own ok", "started none", "settled none ok", "started hand", "settled hand ok",
    "started denied", "settled denied error secret", "started full", 'settled full ok {"input":"redacted"}',
  ];
  assert.deepEqual(found.own, own);
  assert.deepEqual(found.alone, own);
  assert.deepEqual(found.whole, [
    "started rows", "settled rows ok", "started own", "settled own ok", "started none", "settled none ok", "started plain",
    "settled plain ok", "started hand", "settled hand ok", "started denied", "settled denied error secret", "started full",
    'settled full ok {"input":{"n":7},"output":"out"}',
  ]);
  assert.equal(found.keys, "at capabilityId consumerId invocationId registrationId surfaceId type");
  assert.equal(found.consumer, "embedded:anonymous");
});

test("a late end reaches the sink of a policy, and a sink that throws harms nothing", async () => {
  const found = await run(async () => {
    const own = A.memoryAuditSink();
    const broken = { record: () => { throw new Error("broken sink"); } };
    const registry = T.registry();
    const work = T.deferred();
    registry.register(T.component({ actions: { go: T.act(() => work.promise, { policies: [A.audit(broken), A.audit(own)] }) } }));
    const restore = T.hush("error");
    const controller = new AbortController();
    const call = registry.invoke({ capabilityId: "view:demo.go" }, { signal: controller.signal });
    controller.abort();
    const { code } = (await call).error;
    work.resolve("late");
    await T.turn();
    const printed = restore();
    return { code, types: own.events().map(({ type }) => type), printed: printed.every((line) => line.includes("broken sink")) };
  });
  assert.deepEqual(found, { code: "CANCELLED", types: ["invocation-started", "invocation-settled", "late-settlement"], printed: true });
});

test("an abort between taking the call in and listening is not lost", async () => {
  const found = await run(async () => {
    let controller = new AbortController();
    let ran = 0;
    const work = T.deferred();
    let isArmed = false;
    const registry = T.registry({
      now: () => {
        if (isArmed) controller.abort();
        return 1_750_000_000_000;
      },
    });
    registry.register(T.component({ actions: { go: T.act(() => ++ran && work.promise) } }));
    isArmed = true;
    const result = await registry.invoke({ capabilityId: "view:demo.go" }, { signal: controller.signal });
    isArmed = false;
    const before = new AbortController();
    before.abort();
    const aborted = await registry.invoke({ capabilityId: "view:demo.go" }, { signal: before.signal });
    controller = new AbortController();
    registry.register(T.component({ type: "asks", actions: { go: T.act(() => 1, { confirmation: "required" }) } }));
    const { confirmationId } = (await registry.invoke({ capabilityId: "view:asks.go" })).error.details;
    isArmed = true;
    const waited = await registry.confirmations.waitFor(confirmationId, { signal: controller.signal });
    return { code: result.error.code, aborted: aborted.error.code, ran, waited };
  });
  assert.deepEqual(found, { code: "CANCELLED", aborted: "CANCELLED", ran: 0, waited: "expired" });
});

test("snapshots for many other consumers from inside a `when` leave the one that asks whole", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let depth = 0;
    const when = () => {
      if (depth++ === 0) for (let n = 0; n < 40; n++) registry.snapshot({ consumer: { kind: "other", id: `${n}` } });
      return true;
    };
    registry.register(T.component({ actions: { go: T.act(() => 1, { when }) } }));
    registry.register(T.component({ type: "second", actions: { go: T.act() } }));
    const outer = registry.snapshot();
    const names = outer.components.map(({ type }) => type);
    return { names, same: registry.snapshot() === outer };
  });
  assert.deepEqual(found, { names: ["demo", "second"], same: true });
});

test("a text where a function belongs is quoted, whichever field it is", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const messages = {};
    for (const more of [{ execute: "x" }, { when: "soon" }, { execute: 1 }, { precondition: [] }, { concurrency: { mode: "key", key: "id" } }]) {
      const define = () => registry.register({ type: "demo", description: "d", actions: { go: { description: "d", effect: "local-state", input: A.emptyObjectSchema, execute() {}, ...more } } });
      messages[JSON.stringify(more)] = (await T.fault(define)).message;
    }
    return Object.values(messages);
  });
  assert.deepEqual(found, [
    '[INVALID_DEFINITION] `execute` of action `go` must be a function, found `"x"`',
    '[INVALID_DEFINITION] `when` of action `go` must be a function, found `"soon"`',
    "[INVALID_DEFINITION] `execute` of action `go` must be a function, found `[1]`",
    "[INVALID_DEFINITION] `precondition` of action `go` must be a function, found `[]`",
    '[INVALID_DEFINITION] `key` of `concurrency` of action `go` must be a function, found `"id"`',
  ]);
});

test("a thousand calls over a hundred instances settle once each, one at a time in each instance", async () => {
  const found = await run(async () => {
    const registry = T.registry({ limits: { actionQueueDepth: 10 } });
    const settled = new Map();
    registry.subscribe(({ type, invocationId }) => {
      if (type === "invocation-settled") settled.set(invocationId, (settled.get(invocationId) ?? 0) + 1);
    });
    let overlaps = 0;
    const order = [];
    const handles = [];
    for (let n = 0; n < 100; n++) {
      let isRunning = false;
      const execute = async ({ at }) => {
        if (isRunning) overlaps++;
        isRunning = true;
        await null;
        if (at % 3 === 0) await T.turn();
        isRunning = false;
        (order[n] ??= []).push(at);
        return at;
      };
      handles.push(registry.register(T.component({ instanceId: `i${n}`, actions: { go: T.act(execute, { input: T.object({ at: { type: "integer" } }) }) } })));
    }
    const calls = [];
    for (let at = 0; at < 1000; at++) {
      const request = { capabilityId: "view:demo.go", instanceId: `i${at % 100}`, invocationId: `c${at}`, input: { at } };
      calls.push(registry.invoke(request));
    }
    // A tenth of the instances goes while their calls run and wait.
    for (let n = 0; n < 100; n += 10) handles[n].unregister();
    const results = await Promise.all(calls);
    const by = {};
    for (const { status, error } of results) by[error?.code ?? status] = (by[error?.code ?? status] ?? 0) + 1;
    const isInOrder = order.every((each, n) => n % 10 === 0 || each.every((at, k) => at === n + 100 * k));
    return { by, overlaps, once: [...settled.values()].every((count) => count === 1), settled: settled.size, isInOrder };
  });
  assert.deepEqual(found, { by: { ok: 900, COMPONENT_UNMOUNTED: 100 }, overlaps: 0, once: true, settled: 1000, isInOrder: true });
});
