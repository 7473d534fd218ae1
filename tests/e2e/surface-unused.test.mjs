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
