// One governed path, whichever way a call comes in: `registry.invoke`, a tool of its own, `surface_act`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("what breaks the schema is refused with its place, and nothing runs", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    const input = T.object({ qty: { type: "integer", minimum: 1, maximum: 10 } }, { required: ["qty"] });
    registry.register(T.component({ actions: { order: T.act(() => ++runs, { input, confirmation: "required" }) } }));
    const answers = [];
    for (const way of T.waysIn(registry, "view:demo.order")) {
      const row = [];
      for (const wrong of [{}, { qty: "3" }, { qty: 11 }, null, []]) {
        const { error } = await way(wrong);
        row.push([error.code, error.details.issues.map(({ pointer }) => pointer).join()]);
      }
      answers.push(row);
    }
    return { answers, runs, asked: registry.confirmations.pending().length };
  });
  const invalid = (pointer) => ["INVALID_INPUT", pointer];
  const tool = [invalid("/qty"), invalid("/qty"), invalid("/qty"), invalid("/qty"), invalid("")];
  // `null` is no input to a tool, which then lacks its field; for `invoke` it is a value of the wrong type.
  assert.deepEqual(found, { answers: [tool.with(3, invalid("")), tool, tool], runs: 0, asked: 0 });
});

test("what a handler throws reaches the audit, and no model", async () => {
  const found = await run(async () => {
    const audit = A.memoryAuditSink();
    const registry = T.registry({ audit });
    const fail = () => {
      throw new Error("card 4242 declined at /srv/app.js:12");
    };
    registry.register(T.component({ actions: { pay: T.act(fail), later: T.act(async () => fail()) } }));
    const told = [];
    for (const name of ["pay", "later"]) for (const way of T.waysIn(registry, `view:demo.${name}`)) told.push(JSON.stringify(await way({})));
    const causes = audit.events().filter(({ cause }) => cause);
    return { told, causes: causes.map(({ cause, type }) => [type, cause.message]) };
  });
  assert.equal(found.told.length, 6);
  for (const text of found.told) {
    assert.match(text, /"code":"EXECUTION_FAILED"/);
    assert.doesNotMatch(text, /4242|app\.js|declined/);
  }
  assert.deepEqual(found.causes, Array(6).fill(["invocation-settled", "card 4242 declined at /srv/app.js:12"]));
});

test("an approval serves one exact call: changed, foreign, used and late ones are refused, each with its reason", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      const ran = [];
      const input = T.object({ order: { type: "string" }, amount: { type: "integer" } });
      registry.register(T.component({ actions: { refund: T.act(({ amount }) => ran.push(amount), { input, confirmation: "required" }) } }));
      const call = async (amount, confirmationId, id = "c") => {
        const request = { capabilityId: "view:demo.refund", input: { order: "A1", amount }, confirmationId };
        return T.brief(await registry.invoke(request, { consumer: { id, kind: "embedded" } }));
      };
      const approve = async (amount) => {
        const [, { confirmationId }] = await call(amount);
        // Whatever carries it, it is the same text afterwards.
        const kept = JSON.parse(JSON.stringify(registry.confirmations.pending())).at(-1).confirmationId;
        registry.confirmations.resolve(confirmationId, { approved: true });
        return kept;
      };
      const first = await approve(10);
      const flipped = first.slice(0, -1) + (first.endsWith("a") ? "b" : "a");
      const results = {
        changed: await call(1000, first),
        foreign: await call(10, first, "d"),
        tampered: await call(10, flipped),
        used: [await call(10, first), await call(10, first)],
      };
      const late = await approve(20);
      await clock.advance(120_001);
      return { ...results, late: await call(20, late), ran };
    } finally {
      clock.restore();
    }
  });
  const refused = (reason) => ["CONFIRMATION_INVALID", { reason }];
  assert.deepEqual(found, {
    changed: refused("mismatch"),
    foreign: refused("mismatch"),
    tampered: refused("mismatch"),
    used: [["ok", 1], refused("consumed")],
    late: refused("expired"),
    ran: [10],
  });
});

test("what comes before an approval may run twice, the handler runs once, and one result is told", async () => {
  const found = await run(async () => {
    const counts = [];
    for (const at of [1, 2]) {
      const registry = T.registry();
      const count = { checks: 0, policies: 0, runs: 0, settled: 0 };
      const input = { jsonSchema: { type: "object" }, parse: (value) => (count.checks++, value) };
      const policy = { name: "counts", onInvoke: (_, next) => (count.policies++, next()) };
      registry.register(T.component({ actions: { go: T.act(() => ++count.runs, { input, policies: [policy], confirmation: "required" }) } }));
      registry.subscribe(({ type, status }) => (count.settled += type === "invocation-settled" && status === "ok"));
      const way = T.waysIn(registry, "view:demo.go")[at];
      const call = way({ n: 1 }, { toolCallId: "t" });
      const again = way({ n: 1 }, { toolCallId: "t" });
      await T.turn();
      const [{ confirmationId }] = registry.confirmations.pending();
      const decided = [1, 2].map(() => registry.confirmations.resolve(confirmationId, { approved: true }));
      const results = await Promise.all([call, again]);
      const replayed = await way({ n: 1 }, { toolCallId: "t" });
      counts.push({ ...count, decided, one: results[0] === results[1] && replayed === results[0] });
    }
    return counts;
  });
  const once = { checks: 2, policies: 2, runs: 1, settled: 1, decided: [true, false], one: true };
  assert.deepEqual(found, [once, once]);
});

test("where nobody can be asked, each way in says so at once; no browser dialog is ever opened", async () => {
  const found = await run(async () => {
    let dialogs = 0;
    const real = [window.confirm, window.prompt, window.alert];
    window.confirm = window.prompt = window.alert = () => ++dialogs;
    const registry = A.createAgentSurfaceRegistry({ requireApprover: true });
    let runs = 0;
    registry.register(T.component({ actions: { go: T.act(() => ++runs, { confirmation: "required" }) } }));
    const answers = [];
    for (const way of T.waysIn(registry, "view:demo.go")) answers.push(T.brief(await way({})));
    [window.confirm, window.prompt, window.alert] = real;
    return { answers, runs, dialogs };
  });
  const unavailable = ["CAPABILITY_NOT_AVAILABLE", { reason: "approval-unavailable" }];
  assert.deepEqual(found, { answers: [unavailable, unavailable, unavailable], runs: 0, dialogs: 0 });
});

test("a person is asked for what is above the limit, and for nothing else", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const policies = [A.requireConfirmation({ if: ({ effectiveInput }) => effectiveInput.amount > 100 })];
    registry.register(T.component({ actions: { transfer: T.act(({ amount }) => amount, { policies, input: T.object({ amount: {} }) }) } }));
    const answers = [];
    for (const way of T.waysIn(registry, "view:demo.transfer", { confirmations: "two-phase" })) {
      answers.push([T.brief(await way({ amount: 100 })), T.brief(await way({ amount: 101 }))[0]]);
    }
    return answers;
  });
  assert.deepEqual(found, Array(3).fill([["ok", 100], "CONFIRMATION_REQUIRED"]));
});

test("the person's words reach the model and the audit", async () => {
  const found = await run(async () => {
    const audit = A.memoryAuditSink();
    const registry = T.registry({ audit });
    registry.register(T.component({ actions: { go: T.act(() => 1, { confirmation: "required" }) } }));
    const told = [];
    for (const way of T.waysIn(registry, "view:demo.go").slice(1)) {
      const call = way({});
      const [{ confirmationId }] = registry.confirmations.pending();
      registry.confirmations.resolve(confirmationId, { approved: false, reason: "wrong customer" });
      told.push((await call).error.details.note);
    }
    return [told, audit.events().filter(({ type }) => type === "confirmation-denied").map(({ note }) => note)];
  });
  assert.deepEqual(found, [["wrong customer", "wrong customer"], ["wrong customer", "wrong customer"]]);
});

test("a call that waits for a person ends once, in whatever order things happen", { timeout: 120_000 }, async () => {
  const found = await run(async () => {
    let seed = 7;
    const random = (most) => (seed = (seed * 48_271) % 2_147_483_647) % most;
    const wrong = [];
    const ends = new Set();
    for (let round = 0; round < 300; round++) {
      const clock = T.clock();
      try {
        const registry = T.registry({ now: clock.now });
        let runs = 0;
        const handle = registry.register(T.component({ actions: { go: T.act(() => ++runs, { confirmation: "required" }) } }));
        const mode = random(2) ? "meta" : "direct";
        const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded", mode });
        const tools = toolset.tools();
        const controller = new AbortController();
        const options = { toolCallId: "t", signal: controller.signal };
        const call = mode === "meta" ? tools[2].execute({ capabilityId: "view:demo.go", input: {} }, options) : tools[0].execute({}, options);
        const results = [];
        call.then((result) => results.push(result));
        const [{ confirmationId }] = registry.confirmations.pending();
        const happens = [
          () => registry.confirmations.resolve(confirmationId, { approved: true }),
          () => registry.confirmations.resolve(confirmationId, { approved: false }),
          () => clock.advance(120_001),
          () => controller.abort(),
          () => handle.unregister(),
          () => toolset.dispose(),
          () => registry.dispose(),
        ];
        const order = [];
        for (let step = 0; step < 4; step++) {
          order.push(random(happens.length));
          await happens[order.at(-1)]();
          if (random(2)) await T.turn();
        }
        await clock.advance(200_000);
        const end = results[0]?.error?.code ?? results[0]?.status;
        ends.add(end);
        const isApproved = order[0] === 0;
        if (results.length !== 1 || runs > 1 || (runs === 1 && !order.includes(0)) || (isApproved && runs !== 1)) wrong.push([order, end, runs]);
      } finally {
        clock.restore();
      }
    }
    return { wrong, ends: [...ends].sort() };
  });
  assert.deepEqual(found.wrong, []);
  assert.deepEqual(found.ends, ["CANCELLED", "COMPONENT_UNMOUNTED", "CONFIRMATION_INVALID", "CONFIRMATION_REQUIRED", "ok"]);
});
