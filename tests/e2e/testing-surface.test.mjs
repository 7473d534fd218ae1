// `createTestSurface` and `serializeSurfaceSnapshot`, in Node and in a page. Fake timers are the matter of
// packaging/runners.test.mjs, which has real ones.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { PACKAGE } from "./harness/server.mjs";
import { usePage } from "./surface-page.mjs";

const load = (name) => import(pathToFileURL(join(PACKAGE, "dist", `${name}.mjs`)));
const A = await load("inline");
const { createTestSurface, serializeSurfaceSnapshot } = await load("testing");

test("before `init()` it says what to call", () => {
  assert.throws(() => createTestSurface(), { name: "AgentSurfaceRuntimeError", code: "NOT_INITIALIZED" });
});

const any = A.fromJsonSchema({});
const act = (execute, more = {}) =>
  A.action({ description: "Do it", input: A.fromJsonSchema({ type: "object" }), effect: "local-state", execute, ...more });
const pad = (more = {}) => A.defineAgentComponent({ type: "app.pad", description: "A pad", ...more });
const ask = { confirmation: "required" };
const withSurface = async (options, run) => {
  await A.init();
  const surface = createTestSurface(options);
  try {
    await run(surface);
  } finally {
    surface.dispose();
  }
};

test("it calls and looks as its consumer, as another, and for one call as a third", () =>
  withSurface({}, async (surface) => {
    const copilot = { id: "copilot", kind: "embedded" };
    const callers = [];
    const policy = { name: "see", onDiscovery: ({ consumer }) => (consumer.kind === "embedded" ? "hide" : "expose") };
    const whoami = act((_, { consumer }) => callers.push(`${consumer.kind}:${consumer.id}`));
    surface.register(pad({ actions: { whoami, hidden: act(() => undefined, { policies: [policy] }) } }));
    const names = (view) => view.snapshot().components[0].actions.map(({ name }) => name);
    const other = surface.as(copilot);
    assert.deepEqual([names(surface), names(other)], [["whoami", "hidden"], ["whoami"]]);
    assert.deepEqual([surface.consumer, other.consumer], [{ id: "test", kind: "test" }, copilot]);
    await surface.invoke("view:app.pad.whoami");
    await other.invoke("view:app.pad.whoami");
    await surface.invoke("view:app.pad.whoami", {}, { consumer: { id: "x", kind: "webmcp" } });
    assert.deepEqual(callers, ["test:test", "embedded:copilot", "webmcp:x"]);
    assert.equal((await other.invoke("view:app.pad.hidden")).error.code, "CAPABILITY_NOT_FOUND");
    assert.deepEqual(other.events, surface.events);
  }));

test("it takes every option of a call", () =>
  withSurface({}, async (surface) => {
    const seen = [];
    const where = (instanceId) => pad({ instanceId, actions: { go: act(() => seen.push(instanceId)) } });
    const [left] = ["left", "right"].map((id) => surface.register(where(id)));
    const go = (options) => surface.invoke("view:app.pad.go", {}, options);
    assert.equal((await go()).error.code, "AMBIGUOUS_INSTANCE");
    await go({ instanceId: "right" });
    const first = await go({ registrationId: left.registrationId, invocationId: "one" });
    assert.equal(await go({ registrationId: left.registrationId, invocationId: "one" }), first);
    assert.equal((await go({ instanceId: "left", signal: AbortSignal.abort() })).error.code, "CANCELLED");
    assert.deepEqual(seen, ["right", "left"]);
  }));

test("`observe` gives the output, and rejects where the call is refused or the surface moved", () =>
  withSurface({}, async (surface) => {
    const moves = () => surface.register(pad({ type: "app.other" })) && 1;
    const observations = {
      rows: A.observation({ description: "Rows", output: any, read: () => ["a"] }),
      moves: A.observation({ description: "Moves", output: any, read: moves }),
      closed: A.observation({ description: "Closed", output: any, read: () => 1, when: () => false }),
    };
    surface.register(pad({ observations }));
    await null;
    assert.deepEqual(await surface.observe("view:app.pad.rows"), ["a"]);
    const refused = await surface.observe("view:app.pad.closed").catch((error) => error);
    assert.ok(refused instanceof A.AgentSurfaceError);
    assert.equal(refused.code, "CAPABILITY_NOT_AVAILABLE");
    await assert.rejects(surface.observe("view:app.pad.moves"), /the surface moved to version 2 while `view:app\.pad\.moves` was read/);
  }));

test("`observe` runs no action and no procedure", () =>
  withSurface({}, async (surface) => {
    let runs = 0;
    surface.registry.setProcedureExecutor({ execute: () => ++runs });
    const purge = A.procedure({ id: "domain:pad.purge", description: "Purge", input: any, effect: "server-mutation" });
    surface.register(pad({ actions: { go: act(() => ++runs) }, procedures: [purge] }));
    for (const id of ["view:app.pad.go", "domain:pad.purge"]) {
      await assert.rejects(surface.observe(id), { name: "TypeError", message: `\`observe\` reads, and \`${id}\` is no observation: \`invoke\` it` });
      await assert.rejects(surface.observe(surface.captureRef(id)), { name: "TypeError" });
    }
    assert.equal(runs, 0);
    // What is not there is refused as ever.
    await assert.rejects(surface.observe("view:app.pad.none"), { code: "CAPABILITY_NOT_FOUND" });
  }));

test("what is no consumer is refused when the surface is made", () =>
  withSurface({}, async (surface) => {
    let asked = 0;
    surface.register(pad({ actions: { go: act(() => 1, { when: () => ++asked > 0 }) } }));
    const before = asked;
    for (const consumer of [{ id: "x", kind: "robot" }, { id: "", kind: "test" }, { kind: "test" }, {}]) {
      assert.throws(() => createTestSurface({ consumer }), { name: "TypeError", message: /`consumer` must be/ });
      assert.throws(() => surface.as(consumer), { name: "TypeError", message: /`consumer` must be/ });
    }
    surface.as({ id: "other", kind: "embedded" });
    assert.equal(asked, before, "making a surface asks nothing");
  }));

test("a captured reference is the capability of that moment, and stale later", () =>
  withSurface({}, async (surface) => {
    surface.registry.setProcedureExecutor({ execute: () => ({ done: true }) });
    const id = "domain:pad.purge";
    const purge = A.procedure({ id, description: "Purge", input: A.fromJsonSchema({ type: "object" }), effect: "destructive" });
    const handle = surface.register(pad({ actions: { go: act(() => ({ ran: true })) }, procedures: [purge] }));
    const ref = surface.captureRef("view:app.pad.go");
    const domain = surface.captureRef(id);
    assert.deepEqual(ref, { capabilityId: "view:app.pad.go", registrationId: handle.registrationId, surfaceVersion: "1" });
    assert.ok(Object.isFrozen(ref));
    assert.deepEqual((await surface.invoke(ref)).output, { ran: true });
    surface.register(pad({ type: "app.other" }));
    assert.deepEqual((await surface.invoke(domain)).error.details, { reason: "surface-version-mismatch" });
    handle.unregister();
    assert.equal((await surface.invoke(ref)).error.code, "COMPONENT_UNMOUNTED");
    const again = surface.register(pad({ actions: { go: act(() => ({ ran: true })) } }));
    assert.deepEqual((await surface.invoke(ref)).error.details, { reason: "registration-replaced", liveRegistrationId: again.registrationId });
    surface.register(pad({ instanceId: "two", actions: { go: act(() => 2) } }));
    assert.throws(() => surface.captureRef("view:app.pad.go"), /has the instances `default`, `two`: name one as `instanceId`/);
    assert.equal((await surface.invoke(surface.captureRef("view:app.pad.go", { instanceId: "two" }))).output, 2);
    assert.throws(() => surface.captureRef("view:app.pad.go", { instanceId: "three" }), /of the instance `three` is not in .* are `default`, `two`/);
    assert.throws(() => surface.captureRef("view:app.pad.none"), /`view:app\.pad\.none` is not in this consumer's surface$/);
  }));

test("a question is approved, denied or expired, by its id or as the only one", () =>
  withSurface({}, async (surface) => {
    const wipe = (name) => [name, act(() => name, ask)];
    surface.register(pad({ actions: Object.fromEntries(["one", "two", "three"].map(wipe)) }));
    const call = async (name, more) => {
      const { error, output } = await surface.invoke(`view:app.pad.${name}`, {}, more);
      return error ?? output;
    };
    const question = async (name) => (await call(name)).details.confirmationId;
    assert.throws(() => surface.confirmations.approve(), /name the confirmation: 0 are pending/);

    const one = await question("one");
    assert.equal(surface.confirmations.approve(), true);
    assert.equal(await call("one", { confirmationId: one }), "one");

    const two = await question("two");
    const three = await question("three");
    assert.throws(() => surface.confirmations.deny(), /2 are pending/);
    assert.equal(surface.confirmations.deny(two, "not today"), true);
    assert.equal(surface.confirmations.deny(two), false);
    assert.deepEqual((await call("two", { confirmationId: two })).details, { reason: "denied", note: "not today" });

    const other = await question("one");
    const waiting = surface.registry.confirmations.waitFor(three);
    assert.deepEqual([surface.confirmations.expire(three), surface.confirmations.expire(three)], [true, false]);
    assert.equal(await waiting, "expired");
    assert.deepEqual((await call("three", { confirmationId: three })).details, { reason: "expired" });
    assert.deepEqual(surface.confirmations.pending().map(({ confirmationId }) => confirmationId), [other]);
    assert.equal(surface.confirmations.expire("cnf_unknown"), false);

    surface.confirmations.approve(other);
    assert.equal(surface.confirmations.expire(other), true);
    assert.deepEqual((await call("one", { confirmationId: other })).details, { reason: "expired" });
    const expired = surface.auditLog.filter(({ type }) => type === "confirmation-expired");
    assert.equal(expired.length, 2);
    assert.ok(expired.every(({ at }) => Date.parse(at) > Date.now() + 100_000));
    assert.ok(Date.parse(surface.auditLog.at(-1).at) <= Date.now());
  }));

test("whoever waits for a person in a toolset hears that the question expired", () =>
  withSurface({}, async (surface) => {
    surface.register(pad({ actions: { wipe: act(() => "ran", ask) } }));
    const toolset = A.createAgentToolset(surface.registry, { consumer: { id: "loop", kind: "embedded" }, topology: "embedded" });
    const answer = toolset.tools()[0].execute({});
    await null;
    surface.confirmations.expire();
    assert.deepEqual((await answer).error.details, { reason: "expired" });
  }));

test("a registry that is given keeps its options, its sink and its life; the surface leaves it as it was", async () => {
  await A.init();
  const sink = { ...A.memoryAuditSink(), redact: () => ({ input: "redacted" }) };
  const registry = A.createAgentSurfaceRegistry({ audit: sink, context: { role: "guest" }, requireApprover: true, now: () => 5_000 });
  const roles = [];
  registry.register(pad({ actions: { go: act((_, { host }) => roles.push(host.role), { audit: "full" }), wipe: act(() => "ran", ask) } }));
  const before = await registry.invoke({ capabilityId: "view:app.pad.wipe" });
  assert.deepEqual(before.error.details, { reason: "approval-unavailable" });
  const surface = createTestSurface({ registry, host: { role: "admin" } });
  await surface.invoke("view:app.pad.go");
  assert.equal((await surface.invoke("view:app.pad.wipe")).error.code, "CONFIRMATION_REQUIRED");
  assert.equal(surface.confirmations.expire(), true);
  assert.deepEqual(surface.auditLog, sink.events().slice(-surface.auditLog.length));
  assert.ok(surface.auditLog.some(({ payload }) => payload?.input === "redacted"));
  surface.dispose();
  surface.dispose();
  const kept = [surface.auditLog.length, surface.events.length];
  await registry.invoke({ capabilityId: "view:app.pad.go" });
  assert.deepEqual(roles, ["admin", "guest"]);
  assert.deepEqual([surface.auditLog.length, surface.events.length], kept);
  assert.deepEqual((await registry.invoke({ capabilityId: "view:app.pad.wipe" })).error.details, { reason: "approval-unavailable" });
  registry.dispose();
});

test("what a registry's own sink does with a record keeps none from the surface", async () => {
  await A.init();
  const record = () => {
    throw new Error("full");
  };
  const registry = A.createAgentSurfaceRegistry({ audit: { record } });
  const surface = createTestSurface({ registry });
  const { error } = console;
  console.error = () => undefined;
  surface.register(pad());
  console.error = error;
  assert.deepEqual(surface.auditLog.map(({ type }) => type), ["registration"]);
  surface.dispose();
  registry.dispose();
});

test("of two surfaces over one registry each keeps what happens while it is there, whichever ends first", async () => {
  await A.init();
  const registry = A.createAgentSurfaceRegistry({ environment: "test", context: { role: "none" } });
  const roles = [];
  registry.register(pad({ actions: { go: act((_, { host }) => roles.push(host.role)) } }));
  const go = () => registry.invoke({ capabilityId: "view:app.pad.go" });
  const one = createTestSurface({ registry, host: { role: "one" } });
  await go();
  const two = createTestSurface({ registry, host: { role: "two" } });
  await go();
  one.dispose();
  await go();
  two.dispose();
  assert.deepEqual(roles.slice(0, 3), ["one", "two", "two"]);
  assert.deepEqual([one, two].map(({ auditLog }) => auditLog.filter(({ type }) => type === "invocation-settled").length), [2, 2]);
  assert.deepEqual([one, two].map(({ events }) => events.filter(({ type }) => type === "invocation-settled").length), [2, 2]);
  registry.dispose();
});

test("a question that was asked before the surface was made can expire, too", async () => {
  await A.init();
  const registry = A.createAgentSurfaceRegistry({ environment: "test" });
  registry.register(pad({ actions: { wipe: act(() => "ran", ask) } }));
  await registry.invoke({ capabilityId: "view:app.pad.wipe" });
  const surface = createTestSurface({ registry });
  assert.equal(surface.confirmations.expire(), true);
  surface.dispose();
  registry.dispose();
  assert.equal(surface.confirmations.expire("cnf_x"), false);
});

test("a registry of its own ends with the surface", async () => {
  await A.init();
  const surface = createTestSurface();
  surface[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  await assert.rejects(surface.invoke("view:app.pad.go"), { code: "DISPOSED" });
});

test("what is no registry, or no option, is refused; a view of an adapter is no registry", async () => {
  await A.init();
  assert.throws(() => createTestSurface({ registry: {} }), /must be a registry of `createAgentSurfaceRegistry`/);
  assert.throws(() => createTestSurface({ consumers: [] }), /`consumers` is no option of `createTestSurface`/);
  const registry = A.createAgentSurfaceRegistry();
  let view;
  registry.attach({ name: "x", start: (host) => void (view = host.registry), stop() {} }, { consumer: { id: "x", kind: "other" } });
  assert.throws(() => createTestSurface({ registry: view }), TypeError);
  assert.deepEqual(Object.getOwnPropertySymbols(view), []);
  registry.dispose();
});

test("a serialized snapshot is the same in every run", async () => {
  await A.init();
  const text = (options) => {
    const surface = createTestSurface();
    const procedure = A.procedure({ id: "domain:pad.save", description: "Save", input: any, effect: "server-mutation" });
    surface.registry.setProcedureExecutor({ execute: () => undefined });
    surface.register(pad({ type: "app.b", actions: { go: act(() => 1) } }));
    surface.register(pad({ type: "app.a", actions: { go: act(() => 1) }, procedures: [procedure] }));
    const written = serializeSurfaceSnapshot(surface.snapshot(), options);
    surface.dispose();
    return written;
  };
  assert.equal(text(), text());
  const { components, procedures, ...rest } = JSON.parse(text());
  assert.deepEqual(rest, {});
  assert.deepEqual(components.map(({ type, registrationId }) => [type, registrationId]), [["app.a", "<reg#1>"], ["app.b", "<reg#2>"]]);
  assert.equal(procedures[0].registrationId, "<reg#1>");
  assert.equal(JSON.parse(text({ includeVersion: true })).surfaceVersion, "2");
});

const { run } = usePage();

test("in a page it is the same, and a person need not be there", async () => {
  const found = await run(async () => {
    const { createTestSurface } = await import("/pkg/dist/testing.js");
    const surface = createTestSurface();
    surface.register(T.component({ actions: { wipe: T.act(() => "ran", { confirmation: "required" }) } }));
    const { error } = await surface.invoke("view:demo.wipe");
    surface.confirmations.approve();
    const { output } = await surface.invoke("view:demo.wipe", {}, error.details);
    await surface.invoke("view:demo.wipe");
    const expired = surface.confirmations.expire();
    surface.dispose();
    return { code: error.code, output, expired };
  });
  assert.deepEqual(found, { code: "CONFIRMATION_REQUIRED", output: "ran", expired: true });
});
