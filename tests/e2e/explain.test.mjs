// `explainSurface`, from its own entry, in Chromium: its shape, what it discloses to whom, and that its outcome is the
// snapshot's on random surfaces.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, takeFaults } = usePage();

test("it names every policy and state behind what a consumer sees", async () => {
  const found = await run(async () => {
    const { explainSurface } = await import("/pkg/dist/explain.js");
    const registry = T.registry({ policies: [A.authenticated()], context: { user: "ada" }, route: "/devices" });
    registry.setProcedureExecutor({ execute: () => null });
    const named = (name, onDiscovery, more) => ({ name, onDiscovery, ...more });
    const handle = registry.register(
      T.component({
        type: "devices.table",
        instanceId: "main",
        policies: [named("zone", ({ kind }) => (kind === "procedure" ? { outcome: "hide", reason: "wrong zone" } : undefined))],
        observations: { rows: T.read() },
        actions: {
          clear: T.act(() => 1, { policies: [A.requireConfirmation(), named("late", () => ({ outcome: "disable", reason: "too late" }))] }),
          wipe: T.act(() => 1, {
            when: () => false,
            unavailableReason: "nothing selected",
            policies: [
              named("broken", () => {
                throw new Error("inside");
              }),
            ],
          }),
          idle: T.act(() => 1, { policies: [{ name: "watch", onInvoke: (_, next) => next(), onAuthorize: (_, next) => next() }] }),
        },
        procedures: [
          A.procedure({ id: "domain:devices.sync", description: "Sync", input: A.emptyObjectSchema, effect: "server-query" }),
        ],
      }),
    );
    handle.update({ availability: { idle: { available: false, reason: "busy" } } });
    const snapshot = registry.snapshot();
    const explained = explainSurface(registry);
    const wrong = await T.fault(() => explainSurface({ snapshot: registry.snapshot }));
    let view;
    registry.attach({ name: "x", start: (host) => (view = host.registry), stop() {} }, { consumer: { id: "x", kind: "other" } });
    const fromAdapter = await T.fault(() => explainSurface(view));
    return {
      explained: JSON.parse(JSON.stringify(explained)),
      registrationId: handle.registrationId,
      head: [explained.surfaceId === snapshot.surfaceId, explained.surfaceVersion, explained.capturedAt === snapshot.capturedAt],
      isFrozen: T.isDeepFrozen(explained),
      same: registry.snapshot() === snapshot,
      faults: [wrong.name, fromAdapter.name],
      scoped: explainSurface(registry, { scope: ["other"], consumer: { id: "c", kind: "test" } }).capabilities,
      badScope: (await T.fault(() => explainSurface(registry, { scope: "devices" }))).message,
    };
  });
  const { capabilities, consumer, route } = found.explained;
  assert.deepEqual([consumer, route], [{ id: "anonymous", kind: "embedded" }, "/devices"]);
  assert.deepEqual(found.head, [true, "2", true]);
  assert.equal(found.isFrozen, true);
  assert.equal(found.same, true, "explaining changes no snapshot");
  assert.deepEqual(found.faults, ["TypeError", "TypeError"]);
  assert.deepEqual(found.scoped, []);
  assert.match(found.badScope, /scope/);
  const authenticated = { name: "authenticated", scope: "registry", phases: ["discovery", "authorize"], discovery: { outcome: "expose" } };
  const zone = (discovery) => ({ name: "zone", scope: "component", phases: ["discovery"], discovery });
  const expose = { outcome: "expose" };
  const common = { registrationId: found.registrationId, component: { type: "devices.table", instanceId: "main" } };
  const view = { ...common, plane: "view" };
  assert.deepEqual(capabilities, [
    {
      ...view,
      capabilityId: "view:devices.table.rows",
      kind: "observation",
      description: "Read it",
      outcome: "expose",
      policies: [authenticated, zone(expose)],
      availability: { available: true },
    },
    {
      ...view,
      capabilityId: "view:devices.table.clear",
      kind: "action",
      description: "Do it",
      outcome: "disable",
      reason: "too late",
      policies: [
        authenticated,
        zone(expose),
        { name: "require-confirmation", scope: "capability", phases: ["invoke"], confirmationEscalation: true },
        { name: "late", scope: "capability", phases: ["discovery"], discovery: { outcome: "disable", reason: "too late" } },
      ],
      availability: { available: false, reason: "too late" },
    },
    {
      ...view,
      capabilityId: "view:devices.table.wipe",
      kind: "action",
      description: "Do it",
      outcome: "hide",
      policies: [
        authenticated,
        zone(expose),
        { name: "broken", scope: "capability", phases: ["discovery"], discovery: { outcome: "hide" }, threw: true },
      ],
      availability: { available: false, reason: "nothing selected" },
    },
    {
      ...view,
      capabilityId: "view:devices.table.idle",
      kind: "action",
      description: "Do it",
      outcome: "disable",
      reason: "busy",
      policies: [authenticated, zone(expose), { name: "watch", scope: "capability", phases: ["authorize", "invoke"] }],
      availability: { available: false, reason: "busy" },
    },
    {
      ...common,
      plane: "domain",
      capabilityId: "domain:devices.sync",
      kind: "procedure",
      description: "Sync",
      outcome: "hide",
      reason: "wrong zone",
      policies: [authenticated, zone({ outcome: "hide", reason: "wrong zone" })],
      availability: { available: true },
    },
  ]);
});

test("a built-in whose check threw is told from one that said no", async () => {
  const found = await run(async () => {
    const { explainSurface } = await import("/pkg/dist/explain.js");
    const boom = () => {
      throw new Error("inside");
    };
    const policies = [A.hasPermission("said", () => false), A.hasPermission("threw", boom), A.tenantBoundary({ current: boom, expected: 1 })];
    const registry = T.registry({ context: { get user() { return boom(); } }, policies: [A.authenticated()] });
    registry.register(T.component({ policies, actions: { go: T.act() } }));
    const [{ outcome, policies: told }] = explainSurface(registry).capabilities;
    const called = await registry.invoke({ capabilityId: "view:demo.go" });
    return { outcome, called: called.error.code, told: told.map(({ name, discovery, threw }) => [name, discovery.outcome, threw]) };
  });
  assert.deepEqual(found, {
    outcome: "hide",
    called: "NOT_AUTHENTICATED",
    told: [
      ["authenticated", "hide", true],
      ["has-permission:said", "hide", undefined],
      ["has-permission:threw", "hide", true],
      ["tenant-boundary", "hide", true],
    ],
  });
});

test("on four hundred random surfaces its outcome is the snapshot's, for each capability", async () => {
  const found = await run(async () => {
    const { explainSurface } = await import("/pkg/dist/explain.js");
    let seed = 7;
    const random = (below) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const decisions = [undefined, "expose", "disable", "hide", { outcome: "disable", reason: "r1" }, { outcome: "hide", reason: "r2" }];
    let names = 0;
    // Mostly harmless, so that of a chain of several something is left to see.
    const policy = () => {
      const answers = Array.from({ length: 3 }, () => decisions[random(3) > 0 ? random(2) : random(decisions.length)]);
      const throws = random(12) === 0;
      const onDiscovery = ({ consumer, capabilityId }) => {
        if (throws) throw new Error("p");
        return answers[(consumer.id.length + capabilityId.length) % answers.length];
      };
      return random(4) > 0 ? { name: `p${names++}`, onDiscovery } : { name: `p${names++}`, onInvoke: (_, next) => next() };
    };
    const policies = () => Array.from({ length: random(3) }, policy);
    const capability = () => ({
      policies: policies(),
      ...(random(3) === 0 && { when: [() => true, () => false, () => { throw new Error("w"); }][random(3)] }),
      ...(random(3) === 0 && { unavailableReason: [() => "asked", "said"][random(2)] }),
    });
    const some = (make) => Object.fromEntries(Array.from({ length: random(4) }, (_, at) => [`c${"x".repeat(at)}`, make()]));
    const counts = { expose: 0, disable: 0, hide: 0 };
    const failures = [];
    const cases = 400;
    for (let round = 0; round < cases; round++) {
      const registry = T.registry({ policies: policies(), duplicateSuffixPolicy: "off" });
      registry.setProcedureExecutor({ execute: () => null });
      for (let at = 0; at < 4; at++) {
        const type = ["a", "a.b", "c"][random(3)];
        const handle = registry.register(
          T.component({
            type,
            instanceId: `i${random(2)}`,
            priority: random(3),
            policies: policies(),
            enabled: random(5) > 0,
            observations: some(() => T.read(undefined, capability())),
            actions: Object.fromEntries(Object.entries(some(() => T.act(undefined, capability()))).map(([name, value]) => [`d${name}`, value])),
            procedures: Array.from({ length: random(2) }, () =>
              A.procedure({ id: `domain:x.y${at}`, description: "d", input: A.emptyObjectSchema, effect: "server-query", ...capability() }),
            ),
          }),
        );
        if (random(3) === 0) handle.update({ enabled: random(2) === 0 });
      }
      const options = { consumer: { id: "c".repeat(1 + random(3)), kind: "test" }, scope: [[], ["a"], ["a.b", "c"]][random(3)] };
      const snapshot = registry.snapshot(options);
      const states = new Map();
      for (const each of snapshot.components) {
        for (const one of [...each.observations, ...each.actions]) states.set(`${each.registrationId} ${one.capabilityId}`, one);
      }
      for (const one of snapshot.procedures) states.set(`${one.registrationId} ${one.procedureId}`, one);
      const { capabilities } = explainSurface(registry, options);
      for (const { registrationId, capabilityId, outcome, reason, availability, policies: chain } of capabilities) {
        const key = `${registrationId} ${capabilityId}`;
        const listed = states.get(key);
        states.delete(key);
        counts[outcome]++;
        const expected = !listed ? "hide" : listed.available ? "expose" : "disable";
        const hides = chain.some(({ discovery }) => discovery?.outcome === "hide");
        const isRight =
          outcome === expected &&
          hides === (outcome === "hide") &&
          (outcome !== "disable" || reason === listed.unavailableReason) &&
          (outcome !== "expose" || reason === undefined) &&
          (!listed || (availability.available === listed.available && availability.reason === listed.unavailableReason));
        if (!isRight) failures.push([round, key, outcome, expected, reason]);
      }
      for (const key of states.keys()) failures.push([round, key, "not explained"]);
      registry.dispose();
    }
    return { failures: failures.slice(0, 5), counts, cases };
  });
  assert.deepEqual(found.failures, []);
  for (const [outcome, count] of Object.entries(found.counts)) assert.ok(count > 200, `${outcome}: ${count}`);
});

test("closures that look, call and change the surface meanwhile are answered as ever", async () => {
  const found = await run(async () => {
    const { explainSurface } = await import("/pkg/dist/explain.js");
    const registry = T.registry({ policies: [{ name: "p", onDiscovery: ({ capabilityId }) => (capabilityId.endsWith("secret") ? "hide" : "expose") }] });
    const seen = [];
    let inside = false;
    const when = () => {
      if (inside) return true;
      inside = true;
      seen.push(registry.snapshot().components[0].actions.map(({ name }) => name).join());
      registry.invoke({ capabilityId: "view:demo.secret" }).then((result) => seen.push(result.error.code));
      registry.register(T.component({ type: "later", actions: { go: T.act() } }));
      inside = false;
      return true;
    };
    registry.register(T.component({ actions: { secret: T.act(), open: T.act(() => 1, { when }) } }));
    const { capabilities } = explainSurface(registry);
    await T.turn();
    const nested = T.registry();
    nested.register(T.component({ actions: { go: T.act(() => 1, { when: () => explainSurface(nested).capabilities.length > 0 }) } }));
    const [endless] = explainSurface(nested).capabilities;
    const after = nested.snapshot().components.length;
    registry.dispose();
    return {
      seen: [seen.length > 3, ...new Set(seen)],
      outcomes: capabilities.map(({ capabilityId, outcome }) => `${capabilityId} ${outcome}`),
      endless: endless.availability,
      after,
      disposed: (await T.fault(() => explainSurface(registry))).code,
    };
  });
  assert.deepEqual(found.seen, [true, "open", "CAPABILITY_NOT_FOUND"]);
  assert.deepEqual(found.outcomes, ["view:demo.secret hide", "view:demo.open expose", "view:later.go expose"]);
  assert.equal(found.endless.available, true, "it ends, with an answer");
  assert.deepEqual([found.after, found.disposed], [1, "DISPOSED"]);
  takeFaults();
});

test("it explains what a fresh instance took over", async () => {
  const found = await run(async () => {
    const { explainSurface } = await import("/pkg/dist/explain.js");
    const registry = T.registry({ policies: [{ name: "outer", onDiscovery: () => "expose" }] });
    const hidden = { name: "inner", onDiscovery: () => ({ outcome: "hide", reason: "mine" }) };
    registry.register(T.component({ type: "gone" })).unregister();
    registry.register(T.component({ actions: { open: T.act(), secret: T.act(() => 1, { policies: [hidden] }) } }));
    const brief = () =>
      explainSurface(registry).capabilities.map(({ capabilityId, outcome, reason, policies }) =>
        [capabilityId, outcome, reason, ...policies.map(({ name, scope }) => `${scope} ${name}`)].join(),
      );
    const before = brief();
    await T.trap(() => registry.snapshot());
    await A.recover();
    return { before, after: brief() };
  });
  assert.deepEqual(found.before, ["view:demo.open,expose,,registry outer", "view:demo.secret,hide,mine,registry outer,capability inner"]);
  assert.deepEqual(found.after, found.before);
  takeFaults();
});
