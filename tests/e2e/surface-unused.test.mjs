// A registry before its first use: the core is not there yet, and nobody can tell.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("a registry that nobody has used yet is whole: its id, its version, its end, and what is wrong with its options", async () => {
  const found = await run(async () => {
    const create = (options) => A.createAgentSurfaceRegistry({ requireApprover: false, ...options });
    const codesOf = (...acts) => Promise.all(acts.map(async (act) => (await T.fault(act)).code));
    const [one, other, unused, read] = Array.from({ length: 4 }, () => create());
    const copy = { ...one };
    unused.dispose();
    const idOfUnused = unused.surfaceId;
    unused.dispose();
    const version = read.getVersion();
    read.dispose();
    const used = create();
    used.register(T.component());
    const policies = [];
    const late = create({ policies });
    policies.push({ name: "too late", onDiscovery: () => ({ outcome: "hide" }) });
    late.register(T.component({ actions: { go: T.act() } }));
    return {
      ids: [one, other, unused].every(({ surfaceId }) => /^srf_[0-9A-Za-z]{22}$/.test(surfaceId)),
      differ: new Set([one, other, unused].map(({ surfaceId }) => surfaceId)).size,
      same: [copy.surfaceId === one.surfaceId, one.snapshot().surfaceId === one.surfaceId, idOfUnused === unused.surfaceId],
      names: Object.keys(one).sort().join(" "),
      isPlain: Object.getPrototypeOf(one) === Object.prototype,
      versions: [version, read.getVersion(), unused.getVersion(), create().getVersion()],
      after: await codesOf(
        () => unused.snapshot(),
        () => unused.register(T.component()),
        () => unused.attach({ start() {}, stop() {} }),
      ),
      silent: [unused.confirmations.pending().length, await unused.confirmations.waitFor("cnf_1"), typeof unused.subscribe(() => {})],
      refused: await codesOf(
        () => create({ policies: [{ name: "none" }] }),
        () => create({ limits: { noLimit: 1 } }),
        () => create({ limits: null }),
        () => create({ onDuplicateInstance: "keep" }),
      ),
      late: late.snapshot().components[0].actions.length,
      first: used.snapshot().components.length,
    };
  });
  assert.deepEqual(found, {
    ids: true,
    differ: 3,
    same: [true, true, true],
    names: "attach confirmations dispose getVersion invoke register setProcedureExecutor snapshot subscribe surfaceId",
    isPlain: true,
    versions: ["0", "0", "0", "0"],
    after: ["DISPOSED", "DISPOSED", "DISPOSED"],
    silent: [0, "expired", "function"],
    refused: ["INVALID_DEFINITION", "INVALID_DEFINITION", "INVALID_DEFINITION", "INVALID_DEFINITION"],
    late: 1,
    first: 1,
  });
});

test("a registry that nobody had used says that the instance is broken, and is there after `recover()`", async () => {
  const found = await run(async () => {
    const [used, fresh] = [T.registry(), A.createAgentSurfaceRegistry({ requireApprover: false })];
    await T.trap(() => used.snapshot());
    const uses = [() => fresh.surfaceId, () => fresh.snapshot(), () => fresh.register(T.component())];
    const during = await Promise.all(uses.map(async (use) => (await T.fault(use)).code));
    await A.recover();
    fresh.register(T.component());
    return { during, after: [fresh.snapshot().components.length, /^srf_/.test(fresh.surfaceId)] };
  });
  assert.deepEqual(found, { during: ["POISONED", "POISONED", "POISONED"], after: [1, true] });
});

test("a registry whose core breaks while it opens is there after `recover()`", async () => {
  const found = await run(async () => {
    const uses = [
      (fresh) => fresh.snapshot(),
      (fresh) => fresh.register(T.component()),
      (fresh) => A.createAgentToolset(fresh, { consumer: { id: "c", kind: "test" }, topology: "embedded" }).tools(),
      (fresh) => fresh.subscribe(() => {}),
    ];
    const out = [];
    for (const use of uses) {
      const fresh = A.createAgentSurfaceRegistry({ requireApprover: false });
      const { code } = await T.trap(() => use(fresh));
      const during = (await T.fault(() => fresh.snapshot())).code;
      const isRecovered = await A.recover();
      fresh.register(T.component({ actions: { go: T.act(() => "ran") } }));
      const { output } = await fresh.invoke({ capabilityId: "view:demo.go" });
      out.push([code, during, isRecovered, fresh.snapshot().components.length, output]);
    }
    return out;
  });
  assert.deepEqual(found, Array(4).fill(["POISONED", "POISONED", true, 1, "ran"]));
});

test("whatever the first use is, it finds the whole registry", async () => {
  const found = await run(async () => {
    const create = () => A.createAgentSurfaceRegistry({ requireApprover: false });
    const definition = T.component({ actions: { go: T.act(() => "ran", { confirmation: "required" }) } });
    const told = async (use) => {
      const fresh = create();
      const heard = await use(fresh);
      fresh.register(definition);
      await T.turn();
      return [...heard(), fresh.snapshot().components.length];
    };
    const events = [];
    const names = [];
    return [
      await told((fresh) => {
        fresh.subscribe(({ type }) => events.push(type));
        return () => events;
      }),
      await told((fresh) => {
        const toolset = A.createAgentToolset(fresh, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
        toolset.subscribe((tools) => names.push(...tools.map(({ name }) => name)));
        return () => names;
      }),
      await told(async (fresh) => {
        const { error } = await fresh.invoke({ capabilityId: "view:demo.go" });
        return () => [error.code];
      }),
      await told((fresh) => {
        let given;
        const adapter = { name: "mine", start: (host) => void (given = host.registry), stop() {} };
        fresh.attach(adapter, { consumer: { id: "mine", kind: "other" } });
        return () => [given.snapshot({ consumer: { id: "mine", kind: "other" } }).components.length];
      }),
      await told((fresh) => {
        fresh.setProcedureExecutor({ execute: () => null });
        return () => [fresh.getVersion()];
      }),
      await told(async (fresh) => {
        const waited = await fresh.confirmations.waitFor("cnf_none");
        return () => [waited];
      }),
    ];
  });
  assert.deepEqual(found, [
    ["component-registered", "surface-changed", 1],
    ["view_demo__go", 1],
    ["CAPABILITY_NOT_FOUND", 1],
    [1, 1],
    ["1", 1],
    ["expired", 1],
  ]);
});
