// Registration, versions, snapshots and events, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, takeFaults } = usePage();

test("descriptors have exactly the documented keys, and nothing internal", async () => {
  const found = await run(() => {
    const registry = T.registry({ route: () => "/devices" });
    registry.setProcedureExecutor({ execute: () => null });
    registry.register(
      T.component({
        type: "devices.table",
        instanceId: "main",
        meta: { area: "fleet" },
        parent: { type: "devices", instanceId: "root" },
        internal: { secret: "xyzzy" },
        observations: { rows: T.read(), bare: T.read(() => 1, { meta: { a: 1 }, when: () => false }) },
        actions: { select: T.act(), wipe: T.act(() => 1, { output: A.fromJsonSchema({ type: "integer" }) }) },
        procedures: [
          A.procedure({
            id: "domain:devices.disable",
            description: "Disable devices",
            input: T.object({ ids: { type: "array" }, note: { type: "string" } }, { required: ["ids"] }),
            effect: "destructive",
            bind: { ids: () => ["secret-id"] },
            describe: () => "two are selected",
          }),
        ],
      }),
    );
    const snapshot = registry.snapshot();
    const [{ observations, actions, ...head }] = snapshot.components;
    const shape = (value) => Object.keys(value).sort().join(" ");
    return {
      snapshot: shape(snapshot),
      component: shape(snapshot.components[0]),
      head: { ...head, registrationId: head.registrationId.slice(0, 4) },
      observations: observations.map(shape),
      actions: actions.map(shape),
      order: [...observations, ...actions].map(({ name }) => name),
      procedure: shape(snapshot.procedures[0]),
      disable: { ...snapshot.procedures[0], registrationId: undefined },
      isFrozen: T.isDeepFrozen(snapshot),
      isJson: A.jsonDeepEqual(JSON.parse(JSON.stringify(snapshot)), snapshot),
      leaks: /xyzzy|secret-id/.test(JSON.stringify(snapshot)),
      select: actions[0],
      isIso: new Date(snapshot.capturedAt).toISOString() === snapshot.capturedAt,
      ids: [/^srf_[0-9A-Za-z]{22}$/.test(registry.surfaceId), snapshot.surfaceId === registry.surfaceId],
    };
  });
  assert.equal(found.snapshot, "capturedAt components procedures route surfaceId surfaceVersion");
  assert.equal(found.component, "actions description instanceId meta observations parent registrationId type");
  assert.deepEqual(found.head, {
    type: "devices.table",
    instanceId: "main",
    registrationId: "reg_",
    description: "A demo",
    parent: { type: "devices", instanceId: "root" },
    meta: { area: "fleet" },
  });
  assert.deepEqual(found.observations, [
    "available capabilityId description name outputSchema",
    "available capabilityId description meta name outputSchema unavailableReason",
  ]);
  const action = "available capabilityId confirmation description effect idempotent inputSchema name";
  assert.deepEqual(found.actions, [`${action} reversible`, `${action} outputSchema reversible`]);
  assert.deepEqual(found.order, ["rows", "bare", "select", "wipe"]);
  assert.equal(
    found.procedure,
    "available boundFields confirmation context contextualNote description effect inputSchema procedureId registrationId",
  );
  assert.deepEqual(found.disable, {
    procedureId: "domain:devices.disable",
    description: "Disable devices",
    contextualNote: "two are selected",
    inputSchema: { type: "object", properties: { note: { type: "string" } }, additionalProperties: false },
    effect: "destructive",
    confirmation: "required",
    available: true,
    boundFields: [{ path: "ids", locked: true, source: "ui-state" }],
    context: { type: "devices.table", instanceId: "main" },
    registrationId: undefined,
  });
  assert.deepEqual(
    { isFrozen: found.isFrozen, isJson: found.isJson, leaks: found.leaks, isIso: found.isIso, ids: found.ids },
    { isFrozen: true, isJson: true, leaks: false, isIso: true, ids: [true, true] },
  );
  assert.deepEqual(
    [found.select.idempotent, found.select.reversible, found.select.confirmation, found.select.effect],
    [false, true, "never", "local-state"],
  );
});

test("the same content is the same object, new content a new one that shares what did not change", async () => {
  const found = await run(() => {
    const registry = T.registry();
    let enabled = true;
    const a = registry.register(T.component({ type: "a", actions: { go: T.act() } }));
    registry.register(T.component({ type: "b", actions: { go: T.act(() => 1, { when: () => enabled }) } }));
    const first = registry.snapshot();
    const again = registry.snapshot();
    const other = registry.snapshot({ consumer: { id: "x", kind: "other" } });
    enabled = false;
    const drifted = registry.snapshot();
    const versions = [registry.getVersion()];
    enabled = true;
    const back = registry.snapshot();
    a.update({ enabled: false });
    const updated = registry.snapshot();
    versions.push(registry.getVersion());
    a.update({ enabled: false });
    versions.push(registry.getVersion());
    return {
      same: first === again,
      equalForAnother: A.jsonDeepEqual(first.components, other.components),
      drifted: drifted !== first && drifted.components[1].actions[0].available === false,
      sharesOnDrift: drifted.components[0] === first.components[0],
      backIsNew: back !== drifted && back.components[1].actions[0].available === true,
      reason: updated.components[0].actions[0].unavailableReason,
      sharesOnUpdate: updated.components[1].actions[0] === back.components[1].actions[0],
      versions,
      unchanged: registry.snapshot() === updated,
    };
  });
  assert.deepEqual(found, {
    same: true,
    equalForAnother: true,
    drifted: true,
    sharesOnDrift: true,
    backIsNew: true,
    reason: "component-disabled",
    sharesOnUpdate: true,
    versions: ["2", "3", "3"],
    unchanged: true,
  });
});

test("the version moves once for each change and for nothing else", async () => {
  const steps = await run(async () => {
    const registry = T.registry({ onDuplicateInstance: "replace" });
    const seen = [];
    const step = (name, change) => {
      const before = BigInt(registry.getVersion());
      const result = change();
      seen.push([name, Number(BigInt(registry.getVersion()) - before)]);
      return result;
    };
    const definition = T.component({ actions: { go: T.act(), stop: T.act() } });
    const handle = step("register", () => registry.register(definition));
    step("two pushes in one update", () =>
      handle.update({ enabled: true, availability: { go: { available: false, reason: "r" }, stop: false } }),
    );
    step("the same again", () => handle.update({ availability: { go: { available: false, reason: "r" }, stop: false } }));
    step("another reason", () => handle.update({ availability: { go: { available: false, reason: "s" } } }));
    step("an empty update", () => handle.update({}));
    step("invalidate", () => handle.invalidate());
    step("a handler swap", () => (definition.actions.go.execute = () => 2));
    step("a snapshot", () => registry.snapshot());
    await registry.invoke({ capabilityId: "view:demo.go" });
    step("an invocation", () => undefined);
    const next = step("replace", () => registry.register(T.component({ actions: { go: T.act() } })));
    step("unregister of the replaced", () => handle.unregister());
    step("unregister", () => next.unregister());
    step("unregister again", () => next.unregister());
    return seen;
  });
  const moves = Object.fromEntries(steps);
  assert.ok(moves.replace === 1 || moves.replace === 2, "a replacement is an unregistration and a registration");
  delete moves.replace;
  assert.deepEqual(moves, {
    register: 1,
    "two pushes in one update": 1,
    "the same again": 0,
    "another reason": 1,
    "an empty update": 0,
    invalidate: 1,
    "a handler swap": 0,
    "a snapshot": 0,
    "an invocation": 0,
    "unregister of the replaced": 0,
    unregister: 1,
    "unregister again": 0,
  });
});

test("the first reason that applies is the one that is told", async () => {
  const reasons = await run(() => {
    const vote = { current: undefined };
    const registry = T.registry({ policies: [{ name: "p", onDiscovery: () => vote.current }] });
    const handle = registry.register(
      T.component({
        actions: {
          plain: T.act(() => 1, { when: () => false }),
          text: T.act(() => 1, { when: () => false, unavailableReason: "nothing selected" }),
          asked: T.act(() => 1, { when: () => false, unavailableReason: () => "asked" }),
          broken: T.act(() => 1, {
            when() {
              throw new Error("inside");
            },
            unavailableReason: "mine",
          }),
          open: T.act(),
          undecided: T.act(() => 1, { when: () => undefined }),
        },
      }),
    );
    const look = () =>
      Object.fromEntries(
        registry.snapshot().components[0].actions.filter((each) => !each.available).map((each) => [each.name, each.unavailableReason]),
      );
    const found = { at: look() };
    handle.update({ availability: { text: { available: true }, open: false, asked: { available: false, reason: "pushed" } } });
    found.pushed = look();
    handle.update({ enabled: false });
    found.disabled = look();
    vote.current = { outcome: "disable", reason: "policy" };
    found.voted = look();
    handle.update({ enabled: true, availability: { "view:demo.open": true } });
    vote.current = "expose";
    found.byFullId = look().open;
    return found;
  });
  assert.deepEqual(reasons.at, {
    plain: "Currently unavailable",
    text: "nothing selected",
    asked: "asked",
    broken: "when-error",
  });
  assert.deepEqual(reasons.pushed, {
    plain: "Currently unavailable",
    text: "nothing selected",
    asked: "pushed",
    broken: "when-error",
    open: "unavailable",
  });
  assert.deepEqual(new Set(Object.values(reasons.disabled)), new Set(["component-disabled"]));
  assert.equal(Object.keys(reasons.disabled).length, 6);
  assert.deepEqual(new Set(Object.values(reasons.voted)), new Set(["policy"]));
  assert.equal(reasons.byFullId, undefined);
});

test("scope matches whole segments; order is priority, then type, then instance", async () => {
  const found = await run(() => {
    const registry = T.registry();
    const add = (type, instanceId, priority) =>
      registry.register(T.component({ type, instanceId, priority, actions: { go: T.act() } }));
    add("devices.table", "b");
    add("devicesx", "a");
    add("devices.table", "a");
    add("zoo", "a", 5);
    add("devices", "a");
    registry.register(T.component({ type: "shell" }));
    registry.register(
      T.component({ type: "secret", policies: [{ name: "h", onDiscovery: () => "hide" }], actions: { go: T.act() } }),
    );
    registry.register(T.component({ type: "off", actions: { go: T.act(() => 1, { when: () => false }) } }));
    const list = (options) => registry.snapshot(options).components.map(({ type, instanceId }) => `${type}@${instanceId}`);
    const live = (options) =>
      registry.snapshot(options).components.flatMap((each) => each.actions.map(() => each.type));
    return {
      all: list(),
      devices: list({ scope: ["devices"] }),
      two: list({ scope: ["devices.table", "zoo"] }),
      empty: list({ scope: [] }).length,
      none: list({ scope: ["nothing"] }),
      available: live({ includeUnavailable: false }).includes("off"),
    };
  });
  assert.deepEqual(found, {
    all: [
      "zoo@a",
      "devices@a",
      "devices.table@a",
      "devices.table@b",
      "devicesx@a",
      "off@default",
      "shell@default",
    ],
    devices: ["devices@a", "devices.table@a", "devices.table@b"],
    two: ["zoo@a", "devices.table@a", "devices.table@b"],
    empty: 7,
    none: [],
    available: false,
  });
});

test("a duplicate is rejected or replaces, and a guard decides first", async () => {
  const found = await run(() => {
    const events = [];
    const asked = [];
    const registry = T.registry({
      onRegister: ({ definition, stack }) => {
        asked.push([definition.type, stack]);
        if (definition.type === "thrown") throw new Error("no");
        return definition.type === "refused" ? "reject" : "accept";
      },
    });
    registry.subscribe(({ registrationId, ...event }) => events.push(event));
    const first = registry.register(T.component({ type: "a" }));
    const version = registry.getVersion();
    const handles = ["a", "refused", "thrown"].map((type) => registry.register(T.component({ type })));
    for (const handle of handles) {
      handle.update({ enabled: false });
      handle.unregister();
    }
    const replacing = T.registry({ onDuplicateInstance: "replace" });
    const log = [];
    const old = replacing.register(T.component({ type: "a" }));
    replacing.subscribe(({ type, registrationId }) => log.push([type, registrationId === old.registrationId]));
    const next = replacing.register(T.component({ type: "a" }));
    return {
      statuses: [first, ...handles, old, next].map(({ status }) => status),
      events,
      unchanged: registry.getVersion() === version,
      log: log.filter(([type]) => type !== "surface-changed"),
      asked,
      live: replacing.snapshot().components.map(({ registrationId }) => registrationId === next.registrationId),
    };
  });
  assert.deepEqual(found, {
    statuses: ["active", "rejected", "rejected", "rejected", "unregistered", "active"],
    events: [
      { type: "component-registered", componentType: "a", instanceId: "default" },
      { type: "component-rejected", componentType: "a", instanceId: "default", reason: "duplicate" },
      { type: "component-rejected", componentType: "refused", instanceId: "default", reason: "guard" },
      { type: "component-rejected", componentType: "thrown", instanceId: "default", reason: "guard" },
    ],
    unchanged: true,
    log: [
      ["component-unregistered", true],
      ["component-registered", false],
    ],
    asked: [
      ["a", undefined],
      ["a", undefined],
      ["refused", undefined],
      ["thrown", undefined],
    ],
    live: [true],
  });
});

test("events have exactly their fields, in one order, and surface-changed once per microtask", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      const events = [];
      registry.subscribe((event) => events.push(event));
      const handle = registry.register(
        T.component({
          actions: {
            go: T.act(() => 1),
            ask: T.act(() => 1, { confirmation: "required" }),
          },
        }),
      );
      handle.update({ availability: { go: false } });
      handle.update({ availability: { go: true } });
      const before = events.map(({ type }) => type);
      await null;
      const after = events.slice(before.length);
      events.length = 0;
      await registry.invoke({ capabilityId: "view:demo.go", invocationId: "i1" }, { consumer: { id: "c", kind: "test" } });
      const pending = await registry.invoke({ capabilityId: "view:demo.ask", invocationId: "i2" });
      registry.confirmations.resolve(pending.error.details.confirmationId, { approved: false });
      await T.turn();
      const calls = events.splice(0);
      const id = pending.error.details.confirmationId;
      handle.unregister();
      await T.turn();
      const hide = (event) => JSON.parse(JSON.stringify(event).replaceAll(handle.registrationId, "REG").replaceAll(id, "CNF"));
      return {
        before,
        after,
        calls: calls.map(hide),
        last: events.map(hide),
        frozen: [...calls, ...events].every(Object.isFrozen),
        expiresAt: pending.error.details.expiresAt,
      };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found.before, ["component-registered", "availability-changed", "availability-changed"]);
  assert.deepEqual(found.after, [{ type: "surface-changed", surfaceVersion: "3" }]);
  assert.deepEqual(found.calls, [
    { type: "invocation-started", invocationId: "i1", capabilityId: "view:demo.go", consumerId: "c" },
    { type: "invocation-settled", invocationId: "i1", capabilityId: "view:demo.go", status: "ok", durationMs: 0 },
    { type: "invocation-started", invocationId: "i2", capabilityId: "view:demo.ask", consumerId: "anonymous" },
    { type: "confirmation-requested", confirmationId: "CNF", capabilityId: "view:demo.ask", expiresAt: found.expiresAt },
    {
      type: "invocation-settled",
      invocationId: "i2",
      capabilityId: "view:demo.ask",
      status: "error",
      code: "CONFIRMATION_REQUIRED",
      durationMs: 0,
    },
    { type: "confirmation-resolved", confirmationId: "CNF", outcome: "denied" },
  ]);
  assert.deepEqual(found.last, [
    { type: "component-unregistered", registrationId: "REG", componentType: "demo", instanceId: "default" },
    { type: "surface-changed", surfaceVersion: "4" },
  ]);
  assert.equal(found.frozen, true);
});

test("listeners that throw, mutate or invoke harm nobody, and each event reaches all before the next", async () => {
  const found = await run(async () => {
    const unhush = T.hush("error");
    const registry = T.registry();
    const seen = [];
    let started = false;
    registry.subscribe((event) => {
      seen.push(["first", event.type, event.componentType]);
      if (event.componentType !== "a" || started) return;
      started = true;
      const inner = registry.register(T.component({ type: "b", actions: { go: T.act(() => seen.push(["ran"])) } }));
      seen.push(["inner is", inner.status]);
      registry.invoke({ capabilityId: "view:b.go" });
    });
    const offFaulty = registry.subscribe(() => {
      throw new Error("a listener of the page");
    });
    const twice = (event) => seen.push(["last", event.type, event.componentType]);
    const off = registry.subscribe(twice);
    const offToo = registry.subscribe(twice);
    registry.register(T.component({ type: "a" }));
    await T.turn();
    const first = seen.splice(0);
    offFaulty();
    off();
    off();
    registry.register(T.component({ type: "c" }));
    const stillOnce = seen.splice(0).filter(([who]) => who === "last").length;
    offToo();
    registry.register(T.component({ type: "d" }));
    const none = seen.filter(([who]) => who === "last").length;
    return { first, stillOnce, none, printed: unhush().length > 0 };
  });
  const registered = found.first.filter(([, type]) => type === "component-registered");
  assert.deepEqual(registered, [
    ["first", "component-registered", "a"],
    ["last", "component-registered", "a"],
    ["first", "component-registered", "b"],
    ["last", "component-registered", "b"],
  ]);
  assert.ok(found.first.some(([who, status]) => who === "inner is" && status === "active"));
  assert.equal(found.first.filter(([who]) => who === "ran").length, 1);
  assert.deepEqual([found.stillOnce, found.none, found.printed], [1, 0, true]);
});

test("a listener that another one takes away hears nothing more, not even the event that is on its way", async () => {
  const heard = await run(() => {
    const heard = [];
    const registry = T.registry();
    registry.subscribe(() => off());
    const off = registry.subscribe(() => heard.push("after its end"));
    registry.subscribe(() => heard.push("the third"));
    registry.register(T.component());
    return heard;
  });
  assert.deepEqual(heard, ["the third"]);
});

test("a handle after its end does nothing, and says so in development", async () => {
  const found = await run(() => {
    const unhush = T.hush("warn", "debug");
    const registry = T.registry({ environment: "development" });
    const handle = registry.register(T.component());
    handle.unregister();
    const version = registry.getVersion();
    handle.update({ enabled: false });
    handle.invalidate();
    handle.unregister();
    const again = registry.register(T.component());
    handle.update({ enabled: false });
    handle.unregister();
    return {
      statuses: [handle.status, again.status],
      moved: Number(registry.getVersion()) - Number(version),
      warnings: unhush().filter((line) => line.includes("handle")).length,
    };
  });
  assert.deepEqual(found, { statuses: ["unregistered", "active"], moved: 1, warnings: 5 });
});

test("`when`, reasons, votes and `bind` may use the registry that asks them", async () => {
  const found = await run(async () => {
    const registry = T.registry({
      policies: [
        {
          name: "nosy",
          onDiscovery: () => {
            registry.snapshot();
            registry.getVersion();
          },
        },
      ],
    });
    let other;
    let depth = 0;
    registry.setProcedureExecutor({ execute: ({ input }) => input });
    registry.register(
      T.component({
        actions: {
          go: T.act(() => "ran", {
            when() {
              if (depth++ < 3) {
                registry.snapshot();
                registry.invoke({ capabilityId: "view:late.go" });
              }
              other ??= registry.register(T.component({ type: "late", actions: { go: T.act() } }));
              return true;
            },
            unavailableReason: () => registry.getVersion(),
          }),
        },
        procedures: [
          A.procedure({
            id: "domain:save",
            description: "Save",
            input: T.object({ version: { type: "string" } }),
            effect: "server-query",
            bind: {
              version: () => {
                registry.snapshot();
                other?.unregister();
                return registry.getVersion();
              },
            },
          }),
        ],
      }),
    );
    const types = registry.snapshot().components.map(({ type }) => type);
    const again = registry.snapshot().components.map(({ type }) => type);
    const ran = await registry.invoke({ capabilityId: "view:demo.go" });
    const saved = await registry.invoke({ capabilityId: "domain:save" });
    return { types, again, ran: T.brief(ran), saved: T.brief(saved), late: other.status };
  });
  assert.ok(found.types.includes("demo"));
  assert.deepEqual(found.again, ["demo", "late"]);
  assert.deepEqual(found.ran, ["ok", "ran"]);
  assert.deepEqual(found.saved[0], "ok");
  assert.equal(found.late, "unregistered");
});

test("a mount lifetime ends with `using`", async () => {
  const status = await run(() => {
    const registry = T.registry();
    const handle = registry.register(T.component());
    handle[Symbol.dispose]();
    handle[Symbol.dispose]();
    return [handle.status, registry.snapshot().components.length];
  });
  assert.deepEqual(status, ["unregistered", 0]);
  assert.deepEqual(takeFaults(), []);
});
