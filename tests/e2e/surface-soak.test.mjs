// A long walk at random, with a seed: whatever happens in whatever order, each call settles once, what is cached equals
// what is looked up anew, and the browser holds what the adapter says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, held } = usePage({ path: "/webmcp.html" });

const SEEDS = (process.env.SOAK_SEEDS ?? "1 2 3 4 5 6 7 8").split(" ").map(Number);

const walk = async (seed) => {
  let state = seed * 2_654_435_761;
  const random = (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
  const clock = T.clock();
  const unhush = T.hush("error", "warn", "debug");
  const faults = [];
  try {
    const audit = A.memoryAuditSink({ capacity: 100_000 });
    let voteSeed = 0;
    const vote = () => ["expose", "expose", "expose", "hide", { outcome: "disable", reason: "r" }][(voteSeed + seed) % 5];
    const registry = T.registry({
      now: clock.now,
      audit,
      onDuplicateInstance: seed % 2 ? "replace" : "reject",
      policies: [
        { name: "vote", onDiscovery: ({ capabilityId }) => (capabilityId.endsWith("voted") ? vote() : undefined) },
        {
          name: "around",
          async onInvoke(_, next) {
            if (random(4) === 0) await T.turn();
            if (random(12) === 0) throw new Error("policy");
            if (random(30) === 0) return;
            await next();
          },
        },
      ],
    });
    registry.setProcedureExecutor({ execute: ({ input }) => (random(2) ? input : T.turn().then(() => input)) });
    const works = [];
    const handles = [];
    const calls = [];
    const counts = { handlers: 0 };
    const ids = new Map();
    registry.subscribe(({ type }) => {
      if (type === "invocation-started" && random(40) === 0) step(3);
    });
    const host = W.host({ frees: seed % 3 ? "now" : "later" });
    const adapter = A.createWebMcpAdapter({ modelContext: host });
    registry.attach(adapter);
    const consumers = [undefined, { id: "a", kind: "embedded" }, { id: "b", kind: "other" }];
    const toolset = A.createAgentToolset(registry, { consumer: consumers[1], topology: seed % 2 ? "embedded" : "remote" });
    let heard;
    // Ids are used again only while the calls before are remembered.
    let period = 0;
    toolset.subscribe((tools) => (heard = tools));
    const handler = (input, ctx) => {
      counts.handlers++;
      if (ctx?.invocationId) {
        const id = `${ctx.consumer.kind}:${ctx.consumer.id} ${ctx.invocationId}`;
        ids.set(id, (ids.get(id) ?? 0) + 1);
      }
      const how = random(7);
      if (how === 0) throw new Error("handler");
      if (how === 1) step(2);
      if (how < 3) return random(100);
      const work = T.deferred();
      works.push(work);
      return work.promise;
    };
    const flags = [true, true, true];
    const types = ["a", "b", "b.c"];
    const input = T.object({ n: { type: "integer", default: 1 } });
    const actions = {
      plain: () => T.act(handler, { input }),
      drifts: () => T.act(handler, { when: () => flags[0], unavailableReason: () => `reason ${flags[1]}` }),
      voted: () => T.act(handler),
      asks: () => T.act(handler, { input, confirmation: "required", concurrency: { mode: "parallel" } }),
      goes: () => T.act(handler, { effect: "navigation" }),
    };
    const deeds = [
      () => {
        const chosen = Object.entries(actions).filter(() => random(3) > 0).map(([name, make]) => [name, make()]);
        const definition = T.component({
          type: types[random(3)],
          instanceId: `i${random(3)}`,
          priority: random(3),
          observations: random(2) ? { rows: T.read(handler) } : {},
          actions: Object.fromEntries(chosen),
          procedures: random(3)
            ? []
            : [A.procedure({ id: `domain:p${random(2)}`, description: "P", input, effect: random(2) ? "server-query" : "destructive", bind: { n: () => random(9) }, describe: () => `note ${flags[2]}` })],
        });
        const names = [...Object.keys(definition.observations), ...Object.keys(definition.actions)];
        handles.push(Object.assign(registry.register(definition), { names }));
      },
      () => handles.splice(random(handles.length), 1)[0]?.unregister(),
      () => handles[random(handles.length)]?.update({ enabled: random(2) === 0 }),
      () => {
        const handle = handles[random(handles.length)];
        const name = handle?.names[random(handle.names.length)];
        const available = random(2) === 0;
        if (name) handle.update({ availability: { [name]: random(2) ? available : { available, reason: "pushed" } } });
      },
      () => handles[random(handles.length)]?.invalidate(),
      () => (flags[random(3)] = random(2) === 0),
      () => voteSeed++,
      () => works.splice(random(works.length), 1)[0]?.resolve(random(100)),
      () => works.splice(random(works.length), 1)[0]?.reject(new Error("late")),
      () => {
        const pending = registry.confirmations.pending();
        const record = pending[random(pending.length)];
        if (record) registry.confirmations.resolve(record.confirmationId, { approved: random(3) > 0 });
      },
      ...Array.from({ length: 5 }, () => () => {
        const capabilityId = random(8) ? `view:${types[random(3)]}.${[...Object.keys(actions), "rows"][random(6)]}` : `domain:p${random(2)}`;
        const controller = new AbortController();
        const request = { capabilityId, instanceId: random(2) ? `i${random(3)}` : undefined, invocationId: random(3) ? undefined : `${period}-${random(20)}`, input: random(3) ? {} : { n: random(3) } };
        calls.push(registry.invoke(request, { consumer: consumers[random(3)], signal: controller.signal, timeoutMs: random(5) ? undefined : random(50) }));
        if (random(6) === 0) controller.abort();
      }),
      () => {
        const tools = toolset.tools();
        const tool = tools[random(tools.length)];
        if (tool) calls.push(tool.execute({}, { toolCallId: random(2) ? `t-${period}-${random(20)}` : undefined }));
      },
      () => {
        const names = [...host.held.keys()];
        const tool = host.held.get(names[random(names.length)]);
        if (tool) calls.push(tool.execute(random(4) ? {} : { n: "x" }, { signal: new AbortController().signal }).then((content) => ({ status: content.isError ? "error" : "ok", content })));
      },
      () => registry.snapshot({ consumer: consumers[random(3)] }),
    ];
    function step(many) {
      for (let n = 0; n < many; n++) deeds[random(deeds.length)]();
    }
    const check = (when) => {
      for (const consumer of consumers) {
        const cached = registry.snapshot({ consumer });
        if (registry.snapshot({ consumer }) !== cached) faults.push(`${when}: not the same snapshot`);
        // Another scope that means the same is another view: it is built from nothing.
        const fresh = registry.snapshot({ consumer, scope: [...types, `x${when.replace(/\D/g, "")}`] });
        const strip = ({ capturedAt, ...rest }) => rest;
        if (!A.jsonDeepEqual(strip(cached), strip(fresh))) faults.push(`${when}: cached ${JSON.stringify(strip(cached))} fresh ${JSON.stringify(strip(fresh))}`);
      }
      const tools = toolset.tools();
      if (new Set(tools.map(({ name }) => name)).size !== tools.length) faults.push(`${when}: two tools of one name`);
      const view = registry.snapshot({ consumer: consumers[1] });
      const listed = view.components.flatMap(({ observations, actions: each }) => [...observations, ...each]).length + view.procedures.length;
      if (listed !== tools.length) faults.push(`${when}: ${listed} capabilities, ${tools.length} tools`);
      if (registry.confirmations.pending().length > 32) faults.push(`${when}: too many pending`);
    };
    for (let round = 0; round < 150; round++) {
      period = round >> 3;
      step(12);
      if (random(3)) await T.turn();
      if (random(5) === 0) await clock.advance(random(400));
      if (random(25) === 0) await clock.advance(60_000);
      check(`round ${round}`);
    }
    // The last drift is noticed after the last call, and a host may free its name later still.
    await clock.advance(1_000);
    await clock.advance(1_000);
    const offered = adapter.status();
    const browser = [...host.held.keys()].sort().join();
    if (browser !== [...offered.tools].sort().join() || offered.rejected.length) faults.push(`browser ${browser}, adapter ${JSON.stringify(offered)}`);
    const mine = registry
      .snapshot({ consumer: { id: "webmcp-x", kind: "webmcp" } })
      .components.flatMap(({ observations, actions: each }) => [...observations, ...each])
      .filter(({ available }) => available).length;
    const procedures = registry.snapshot().procedures.filter(({ available }) => available).length;
    if (mine + procedures !== offered.tools.length) faults.push(`${mine + procedures} available, ${offered.tools.length} offered`);
    const current = toolset.tools();
    if (heard && (heard.length !== current.length || heard.some(({ name }, at) => name !== current[at].name))) faults.push("the subscriber did not hear of the last list");
    registry.dispose();
    const results = await Promise.race([Promise.allSettled(calls), T.turn().then(T.turn).then(T.turn).then(() => undefined)]);
    if (!results) faults.push("a call did not settle on dispose");
    for (const { status, reason } of results ?? []) if (status === "rejected") faults.push(`rejected: ${reason}`);
    await clock.advance(200_000);
    for (const work of works) work.resolve(1);
    await T.turn();
    if (Math.max(0, ...ids.values()) > 1) faults.push("a handler ran twice for one invocation id");
    const started = new Set();
    for (const { type, invocationId, consumerId } of audit.events()) {
      if (type === "invocation-started") started.add(`${consumerId} ${invocationId}`);
      if (type === "invocation-settled") started.delete(`${consumerId} ${invocationId}`);
    }
    return {
      faults: faults.slice(0, 3),
      state: globalThis[Symbol.for("agent-surface-wasm/1")].state,
      handlers: counts.handlers > 20,
      open: [...started],
      left: host.held.size,
      armed: clock.armed,
    };
  } finally {
    unhush();
    clock.restore();
  }
};

for (const seed of SEEDS) {
  test(`a walk with seed ${seed}`, async () => {
    const found = await run(walk, seed);
    assert.deepEqual(found, { faults: [], state: "ready", handlers: true, open: [], left: 0, armed: found.armed });
    assert.deepEqual(held.page.faults, []);
  });
}
