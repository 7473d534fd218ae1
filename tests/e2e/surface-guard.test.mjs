// Who may register: the page's guard, names in both planes, a replaced instance, adapters with one consumer; through the
// built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("a guard hears of valid definitions only, of duplicates too, and says `accept` or nothing is let in", async () => {
  const found = await run(async () => {
    const asked = [];
    let answer = "accept";
    const registry = T.registry({
      environment: "development",
      audit: A.memoryAuditSink(),
      onRegister(request) {
        asked.push([request.definition.type, Object.keys(request).join(), /\n\s+at /.test(request.stack)]);
        return answer;
      },
    });
    const unhush = T.hush("warn");
    const invalid = await T.fault(() => registry.register(T.component({ type: "No" })));
    const definition = T.component({ type: "a" });
    const statuses = [registry.register(definition).status, registry.register(definition).status];
    for (answer of ["reject", "yes", undefined, true, Promise.resolve("accept")]) statuses.push(registry.register(T.component({ type: "b" })).status);
    unhush();
    return { invalid: invalid.code, statuses, asked, sent: asked.length, version: registry.getVersion() };
  });
  assert.equal(found.invalid, "INVALID_ID");
  assert.deepEqual(found.statuses, ["active", ...Array(6).fill("rejected")]);
  assert.equal(found.sent, 7);
  assert.deepEqual(found.asked[0], ["a", "definition,stack", true]);
  assert.equal(found.version, "1");
});

test("a guard that registers, unregisters or disposes harms nothing", async () => {
  const found = await run(async () => {
    const events = [];
    const open = { registry: undefined, first: undefined };
    const guard = {
      companion: () => open.registry.register(T.component({ type: "log" })),
      same: () => open.registry.register(open.definition),
      first: () => open.first.unregister(),
    };
    open.registry = T.registry({
      onRegister({ definition }) {
        const { onMount } = definition.internal ?? {};
        if (onMount && !open.inside) {
          open.inside = true;
          guard[onMount]();
          open.inside = false;
        }
        return "accept";
      },
    });
    const { registry } = open;
    registry.subscribe(({ type, componentType }) => componentType && events.push(`${type} ${componentType}`));
    const add = (type, onMount) => registry.register((open.definition = T.component({ type, internal: { onMount }, actions: { go: T.act(() => type) } })));
    const companion = add("with-log", "companion");
    const same = add("twice", "same");
    open.first = add("free");
    const first = add("free", "first");
    const ran = [];
    for (const type of ["with-log", "twice", "free"]) ran.push((await registry.invoke({ capabilityId: `view:${type}.go` })).output);

    const endless = T.registry({ onRegister: ({ definition }) => (endless.register({ ...definition }), "accept") });
    const last = endless.register(T.component({ type: "again" }));
    const count = endless.snapshot().components.length;

    const ending = T.registry({ onRegister: () => (ending.dispose(), "accept") });
    const ended = ending.register(T.component());
    ended.update({ enabled: false });
    ended.unregister();
    const after = await T.fault(() => ending.register(T.component()));
    await T.turn();
    return {
      statuses: [companion, same, first, open.first].map(({ status }) => status),
      ran,
      events,
      endless: [last.status, count],
      ended: [ended.status, after.code],
    };
  });
  assert.deepEqual(found.statuses, ["active", "rejected", "active", "unregistered"]);
  assert.deepEqual(found.ran, ["with-log", "twice", "free"]);
  assert.deepEqual(found.events, [
    "component-registered log",
    "component-registered with-log",
    "component-registered twice",
    "component-rejected twice",
    "component-registered free",
    "component-unregistered free",
    "component-registered free",
  ]);
  assert.deepEqual(found.endless, ["rejected", 1], "the innermost that is asked is let in");
  assert.deepEqual(found.ended, ["rejected", "DISPOSED"]);
});

test("one name in both planes is told on the console and as an event, or refused, or nobody's business", async () => {
  const found = await run(async () => {
    const of = (type) => T.component({ type, actions: { sync: T.act(), other: T.act() } });
    const play = (options, ...definitions) => {
      const unhush = T.hush("warn");
      const audit = A.memoryAuditSink();
      const registry = T.registry({ ...options, audit });
      registry.setProcedureExecutor({ execute: () => null, paths: ["x.y", "devices.sync"] });
      const events = [];
      registry.subscribe((event) => event.type === "collision-suspected" && events.push(event));
      const results = definitions.map((definition) => {
        try {
          return registry.register(definition).status;
        } catch (error) {
          return error.message;
        }
      });
      const records = audit.events().filter(({ type }) => type === "collision-suspected").map(({ at, surfaceId, ...rest }) => rest);
      return { results, events, records, printed: unhush(), version: registry.getVersion() };
    };
    return {
      warn: play({}, of("devices")),
      off: play({ duplicateSuffixPolicy: "off" }, of("devices")),
      error: play({ duplicateSuffixPolicy: "error" }, of("devices"), of("things")),
    };
  });
  const event = { type: "collision-suspected", viewCapabilityId: "view:devices.sync", domainProcedureId: "domain:devices.sync" };
  const text = "`view:devices.sync` stands beside `domain:devices.sync`";
  assert.deepEqual(found.warn, { results: ["active"], events: [event], records: [event], printed: [`[agent-surface] ${text}`], version: "1" });
  assert.deepEqual(found.off, { results: ["active"], events: [], records: [], printed: [], version: "1" });
  assert.deepEqual(found.error, {
    results: [`[DUPLICATE_CAPABILITY] ${text}`, "active"],
    events: [],
    records: [],
    printed: [],
    version: "1",
  });
});

test("after a refused collision the same definition registers where it may", async () => {
  const found = await run(async () => {
    const registry = T.registry({ duplicateSuffixPolicy: "error" });
    registry.setProcedureExecutor({ execute: () => null });
    const sync = A.procedure({ id: "domain:devices.sync", description: "d", input: A.emptyObjectSchema, effect: "server-query" });
    const backend = registry.register(T.component({ type: "backend", procedures: [sync] }));
    const definition = T.component({ type: "devices", actions: { sync: T.act(() => "ran") } });
    const refused = await T.fault(() => registry.register(definition));
    const version = registry.getVersion();
    backend.unregister();
    const handle = registry.register(definition);
    const again = registry.register(definition).status;
    const ran = await registry.invoke({ capabilityId: "view:devices.sync" });
    return { refused: [refused.name, refused.code], version, status: handle.status, again, ran: ran.output };
  });
  assert.deepEqual(found, {
    refused: ["AgentSurfaceDefinitionError", "DUPLICATE_CAPABILITY"],
    version: "1",
    status: "active",
    again: "rejected",
    ran: "ran",
  });
});

test("a replaced instance ends first: its calls, its questions, its token and its handle", async () => {
  const found = await run(async () => {
    const registry = T.registry({ onDuplicateInstance: "replace" });
    const events = [];
    const started = T.deferred();
    const old = registry.register(
      T.component({ actions: { go: T.act(() => started.promise), ask: T.act(() => 1, { confirmation: "required" }) } }),
    );
    const running = registry.invoke({ capabilityId: "view:demo.go" });
    const asked = await registry.invoke({ capabilityId: "view:demo.ask" });
    registry.subscribe(({ type, registrationId, outcome = null }) => events.push([type, registrationId === old.registrationId || outcome]));
    const version = Number(registry.getVersion());
    const next = registry.register(T.component({ actions: { go: T.act(() => "new"), ask: T.act(() => "asked", { confirmation: "required" }) } }));
    const moved = Number(registry.getVersion()) - version;
    const ended = T.brief(await running);
    const stale = T.brief(await registry.invoke({ capabilityId: "view:demo.go", registrationId: old.registrationId }));
    const fresh = T.brief(await registry.invoke({ capabilityId: "view:demo.go", registrationId: next.registrationId }));
    const { confirmationId } = asked.error.details;
    const pending = registry.confirmations.pending().length;
    const evidence = T.brief(await registry.invoke({ capabilityId: "view:demo.ask", confirmationId }));
    old.update({ enabled: false });
    old.unregister();
    started.resolve("late");
    await T.turn();
    return {
      moved,
      ended,
      stale: [stale[0], stale[1].reason, stale[1].liveRegistrationId === next.registrationId],
      fresh,
      pending,
      evidence,
      statuses: [old.status, next.status],
      events: events.slice(0, 4),
    };
  });
  assert.deepEqual(found, {
    moved: 1,
    ended: ["COMPONENT_UNMOUNTED", { phase: "mid-flight" }],
    stale: ["STALE_CAPABILITY", "registration-replaced", true],
    fresh: ["ok", "new"],
    pending: 0,
    evidence: ["CONFIRMATION_INVALID", { reason: "mismatch" }],
    statuses: ["unregistered", "active"],
    events: [
      ["component-unregistered", true],
      ["invocation-settled", null],
      ["confirmation-resolved", "expired"],
      ["component-registered", null],
    ],
  });
});

test("two adapters that act as one consumer are told, in any environment, and none where the first one left", async () => {
  const found = await run(async () => {
    const registry = T.registry({ environment: "production" });
    const consumer = { id: "bridge", kind: "mcp-bridge" };
    const adapter = (start = () => undefined) => ({ name: "x", start, stop: () => undefined });
    const unhush = T.hush("warn");
    const broken = await T.fault(() => registry.attach(adapter(() => { throw new Error("no"); }), { consumer }));
    const detach = registry.attach(adapter(), { consumer });
    registry.attach(adapter(), { consumer: { id: "bridge", kind: "other" } });
    registry.attach(adapter(), { consumer: { ...consumer } });
    detach();
    return { broken: broken.message, printed: unhush() };
  });
  assert.equal(found.broken, "no");
  assert.equal(found.printed.length, 1);
  assert.match(found.printed[0], /two adapters act as `mcp-bridge:bridge`/);
});
