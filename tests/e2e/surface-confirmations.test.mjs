// Confirmations, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("requireConfirmation: `if`, `summary`, and built-ins that are composed by hand", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const wrap = (inner) => ({ name: "wrap", onInvoke: (ctx, next) => inner.onInvoke(ctx, next) });
    const amount = { input: T.object({ amount: { type: "number" } }) };
    const policy = A.requireConfirmation({
      if: ({ effectiveInput }) => effectiveInput.amount > 100,
      summary: ({ effectiveInput }) => `Pay ${effectiveInput.amount}`,
    });
    const boom = () => {
      throw new Error("x");
    };
    surface.register(
      T.component({
        observations: { rows: T.read(() => "rows", { policies: [A.requireConfirmation()] }) },
        actions: {
          pay: T.act(() => "paid", { ...amount, policies: [policy] }),
          wrapped: T.act(() => "paid", { ...amount, policies: [wrap(policy)] }),
          broken: T.act(() => "ran", { policies: [A.requireConfirmation({ if: boom, summary: boom })] }),
          first: T.act(() => "ran", {
            policies: [A.requireConfirmation({ if: () => false, summary: "no" }), A.requireConfirmation({ summary: "one" }), A.requireConfirmation({ summary: "two" })],
          }),
        },
      }),
    );
    const call = async (name, input) => {
      const { status, output, error } = await surface.invoke(`view:demo.${name}`, input);
      return status === "ok" ? output : [error.code, error.details.summary];
    };
    return {
      small: await call("pay", { amount: 1 }),
      large: await call("pay", { amount: 200 }),
      wrapped: await call("wrapped", { amount: 300 }),
      broken: (await call("broken"))[0],
      first: await call("first"),
      rows: await call("rows"),
      pending: surface.confirmations.pending().map(({ summary, input }) => [summary, input]),
    };
  });
  const asked = "CONFIRMATION_REQUIRED";
  assert.deepEqual(
    { ...found, pending: found.pending.length },
    {
      small: "paid",
      large: [asked, "Pay 200"],
      wrapped: [asked, "Pay 300"],
      broken: asked,
      first: [asked, "one"],
      rows: "rows",
      pending: 4,
    },
  );
  assert.deepEqual(found.pending[0], ["Pay 200", { amount: 200 }]);
});

test("a confirmation: its record, its details, and evidence that serves one exact call once", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const surface = T.surface({ now: clock.now });
      const seen = [];
      surface.register(
        T.component({
          actions: {
            refund: T.act((input, { confirmation }) => seen.push(confirmation), {
              confirmation: "required",
              description: "Refund an order",
              input: T.object({ order: { type: "string" }, amount: { type: "number", default: 10 } }),
            }),
          },
        }),
      );
      const me = { id: "copilot", kind: "embedded" };
      const call = (more, input = { order: "A1" }) => surface.invoke("view:demo.refund", input, { consumer: me, ...more });
      const first = await call({ invocationId: "i1" });
      const again = await call({ invocationId: "i2" }, { amount: 10, order: "A1" });
      const [record, ...others] = surface.confirmations.pending();
      const { confirmationId } = first.error.details;
      const waiting = surface.registry.confirmations.waitFor(confirmationId);
      const early = await call({ confirmationId, invocationId: "i3" });
      await clock.advance(5_000);
      const resolved = [
        surface.confirmations.approve(confirmationId),
        surface.confirmations.deny(confirmationId),
        surface.confirmations.approve("cnf_unknown"),
      ];
      const bare = await call({ invocationId: "i4" });
      const other = await call({ confirmationId }, { order: "A1", amount: 1000 });
      const stranger = await call({ confirmationId, consumer: { id: "evil", kind: "webmcp" } });
      const done = await call({ confirmationId, invocationId: "i1" });
      const replayed = await call({ confirmationId, invocationId: "i1" });
      const used = await call({ confirmationId, invocationId: "i9" });
      const { registrationId, ...rest } = record;
      return {
        sameId: again.error.details.confirmationId === confirmationId && early.error.details?.confirmationId === confirmationId,
        details: { ...first.error.details, confirmationId: confirmationId.slice(0, 4) },
        retry: first.error.retry,
        record: { ...rest, confirmationId: rest.confirmationId === confirmationId },
        frozen: T.isDeepFrozen(record),
        registrationId: registrationId.slice(0, 4),
        others: others.length,
        waited: await waiting,
        resolved,
        early: early.error.code,
        bare: bare.error.code,
        other: T.brief(other),
        stranger: T.brief(stranger),
        done: done.status,
        replayed: replayed === done,
        used: T.brief(used),
        seen: seen.map(({ id, approvedAt }) => [id === confirmationId, approvedAt]),
        at: new Date(1_750_000_005_000).toISOString(),
      };
    } finally {
      clock.restore();
    }
  });
  const requestedAt = new Date(1_750_000_000_000).toISOString();
  const expiresAt = new Date(1_750_000_120_000).toISOString();
  assert.equal(found.sameId, true);
  assert.deepEqual(Object.keys(found.details).sort(), ["confirmationId", "effect", "expiresAt", "origin", "summary"]);
  assert.deepEqual([found.details.confirmationId, found.details.effect, found.details.expiresAt], ["cnf_", "local-state", expiresAt]);
  assert.equal(found.retry, "with-confirmation");
  assert.deepEqual(found.record, {
    confirmationId: true,
    capabilityId: "view:demo.refund",
    consumerKey: "embedded:copilot",
    effect: "local-state",
    summary: found.details.summary,
    input: { order: "A1", amount: 10 },
    requestedAt,
    expiresAt,
  });
  assert.deepEqual([found.frozen, found.registrationId, found.others, found.waited], [true, "reg_", 0, "approved"]);
  assert.deepEqual(found.resolved, [true, false, false]);
  assert.equal(found.early, "CONFIRMATION_REQUIRED");
  assert.equal(found.bare, "CONFIRMATION_REQUIRED");
  const mismatch = ["CONFIRMATION_INVALID", { reason: "mismatch" }];
  assert.deepEqual([found.other, found.stranger], [mismatch, mismatch]);
  assert.deepEqual([found.done, found.replayed], ["ok", true]);
  assert.deepEqual(found.used, ["CONFIRMATION_INVALID", { reason: "consumed" }]);
  assert.deepEqual(found.seen, [[true, found.at]]);
});

test("evidence survives being written and read as JSON, and with any character changed it is refused", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    surface.register(T.component({ actions: { go: T.act(() => "ran", { confirmation: "required" }) } }));
    const again = (value) => JSON.parse(JSON.stringify(value));
    const { error } = again(await surface.invoke("view:demo.go", {}));
    const [record] = again(surface.confirmations.pending());
    const { confirmationId } = error.details;
    surface.confirmations.approve(record.confirmationId);
    const codes = new Set();
    for (let at = 0; at < confirmationId.length; at++) {
      const other = String.fromCharCode(confirmationId.charCodeAt(at) ^ 1);
      const changed = confirmationId.slice(0, at) + other + confirmationId.slice(at + 1);
      codes.add((await surface.invoke("view:demo.go", {}, { confirmationId: changed })).error?.code);
    }
    for (const cut of [confirmationId.slice(0, -1), `${confirmationId}A`, confirmationId.toUpperCase(), ` ${confirmationId}`]) {
      codes.add((await surface.invoke("view:demo.go", {}, { confirmationId: cut })).error?.code);
    }
    const done = await surface.invoke("view:demo.go", {}, again({ confirmationId }));
    return { isSame: record.confirmationId === confirmationId, codes: [...codes], done: done.output };
  });
  assert.deepEqual(found, { isSame: true, codes: ["CONFIRMATION_INVALID"], done: "ran" });
});

test("denied is for good and carries the person's words; expiry and unmount withdraw", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const surface = T.surface({ now: clock.now });
      let runs = 0;
      const definition = T.component({ actions: { go: T.act(() => ++runs, { confirmation: "required" }) } });
      const handle = surface.register(definition);
      const call = (confirmationId) => surface.invoke("view:demo.go", {}, { confirmationId });
      const ask = async () => (await call()).error.details.confirmationId;
      const denied = await ask();
      surface.confirmations.deny(denied, "wrong customer");
      const refused = [T.brief(await call(denied)), (await call(denied)).error.retry];
      const next = await ask();
      const waiting = surface.registry.confirmations.waitFor(next);
      await clock.advance(120_000);
      const atExpiry = surface.confirmations.pending().length;
      await clock.advance(1);
      const expired = await call(next);
      const third = await ask();
      surface.confirmations.approve(third);
      await clock.advance(120_001);
      const tooLate = await call(third);
      const fourth = await ask();
      const withdrawn = surface.registry.confirmations.waitFor(fourth);
      const aborted = surface.registry.confirmations.waitFor(fourth, { signal: AbortSignal.abort() });
      handle.unregister();
      surface.register(definition);
      const afterRemount = await call(fourth);
      return {
        refused,
        newId: next !== denied,
        atExpiry,
        waited: [await waiting, await withdrawn, await aborted, await surface.registry.confirmations.waitFor("cnf_x")],
        expired: [T.brief(expired), expired.error.retry],
        tooLate: T.brief(tooLate),
        afterRemount: T.brief(afterRemount)[0],
        pending: surface.confirmations.pending().length,
        runs,
      };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found.refused, [["CONFIRMATION_INVALID", { reason: "denied", note: "wrong customer" }], "no"]);
  assert.equal(found.newId, true);
  assert.deepEqual(found.waited, ["expired", "expired", "expired", "expired"]);
  const expired = ["CONFIRMATION_INVALID", { reason: "expired" }];
  assert.deepEqual(found.expired, [expired, "with-confirmation"]);
  assert.deepEqual(found.tooLate, expired);
  assert.equal(found.afterRemount, "CONFIRMATION_INVALID");
  assert.deepEqual([found.pending, found.runs], [0, 0]);
});

test("one timer serves what is asked at one time; a page that replaces its timers still sees expiry", async () => {
  const found = await run(async () => {
    let clock = T.clock();
    try {
      const surface = T.surface({ now: () => clock.now() });
      surface.register(T.component({ actions: { go: T.act(() => 1, { confirmation: "required" }) } }));
      const call = (confirmationId) => surface.invoke("view:demo.go", {}, { confirmationId });
      const ask = async () => (await call()).error.details.confirmationId;
      const used = await ask();
      surface.confirmations.approve(used);
      const { status } = await call(used);
      const armed = [clock.armed];
      surface.confirmations.deny(await ask());
      armed.push(clock.armed);
      await clock.advance(1);
      surface.confirmations.deny(await ask());
      armed.push(clock.armed);
      clock.restore();
      clock = T.clock(clock.now());
      const waiting = surface.registry.confirmations.waitFor(await ask());
      armed.push(clock.armed);
      await clock.advance(120_001);
      const waited = await waiting;
      surface.registry.dispose();
      return { status, armed, waited, left: clock.armed };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found, { status: "ok", armed: [1, 1, 1, 1], waited: "expired", left: 0 });
});

test("evidence is given back when the precondition or the queue refuses", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    let refuses = false;
    let hold;
    surface.register(
      T.component({
        actions: {
          go: T.act(() => "ran", {
            confirmation: "required",
            precondition: () => (refuses ? "not now" : undefined),
            concurrency: { mode: "instance", queueDepth: 0 },
          }),
          busy: T.act(() => (hold = T.deferred()).promise, { concurrency: { mode: "instance", queueDepth: 0 } }),
        },
      }),
    );
    const call = async (confirmationId) => T.brief(await surface.invoke("view:demo.go", {}, { confirmationId }));
    const [, { confirmationId }] = await call();
    surface.confirmations.approve(confirmationId);
    refuses = true;
    const refused = await call(confirmationId);
    refuses = false;
    const busy = surface.invoke("view:demo.busy");
    const full = await call(confirmationId);
    hold.resolve();
    await busy;
    return { refused: refused[0], full: full[0], ran: await call(confirmationId), again: (await call(confirmationId))[1] };
  });
  assert.deepEqual(found, {
    refused: "PRECONDITION_FAILED",
    full: "RATE_LIMITED",
    ran: ["ok", "ran"],
    again: { reason: "consumed" },
  });
});

test("the thirty-third pending confirmation is refused and creates nothing", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    surface.register(
      T.component({ actions: { go: T.act(() => 1, { confirmation: "required", input: T.object({ n: { type: "integer" } }) }) } }),
    );
    const codes = [];
    for (let n = 0; n < 33; n++) codes.push(T.brief(await surface.invoke("view:demo.go", { n })));
    const same = T.brief(await surface.invoke("view:demo.go", { n: 5 }))[0];
    return { last: codes.pop(), all: new Set(codes.map(([code]) => code)).size, same, pending: surface.confirmations.pending().length };
  });
  assert.deepEqual(found, {
    last: ["RATE_LIMITED", { reason: "queue-full", retryAfterMs: 1000 }],
    all: 1,
    same: "CONFIRMATION_REQUIRED",
    pending: 32,
  });
});

test("where nobody could approve the call says so at once", async () => {
  const found = await run(async () => {
    const outcome = async (options, prepare = () => undefined) => {
      let runs = 0;
      const registry = T.registry(options);
      prepare(registry);
      registry.register(T.component({ actions: { go: T.act(() => ++runs, { confirmation: "required" }) } }));
      const result = await registry.invoke({ capabilityId: "view:demo.go" });
      return [result.error.code, result.error.details.reason, registry.confirmations.pending().length, runs];
    };
    const element = (registry) => {
      const approvals = document.createElement("agent-approvals");
      approvals.registry = registry;
      document.body.append(approvals);
    };
    const adapter = (registry) =>
      registry.attach(
        {
          name: "x",
          start({ registry: view }) {
            view.subscribe(() => undefined);
            view.confirmations.subscribe(() => undefined);
          },
          stop: () => undefined,
        },
        { consumer: { id: "x", kind: "other" } },
      );
    const unhush = T.hush("debug", "warn");
    const results = {
      production: await outcome({ environment: "production" }),
      development: await outcome({ environment: "development" }),
      test: await outcome({}),
      asked: await outcome({ requireApprover: true }),
      waived: await outcome({ environment: "production", requireApprover: false }),
      subscriber: await outcome({ requireApprover: true }, (registry) => registry.confirmations.subscribe(() => undefined)),
      listener: await outcome({ requireApprover: true }, (registry) => registry.subscribe(() => undefined)),
      gone: await outcome({ requireApprover: true }, (registry) => registry.subscribe(() => undefined)()),
      element: await outcome({ requireApprover: true }, element),
      adapter: await outcome({ requireApprover: true }, adapter),
    };
    document.querySelector("agent-approvals").remove();
    unhush();
    return results;
  });
  const nobody = ["CAPABILITY_NOT_AVAILABLE", "approval-unavailable", 0, 0];
  const pending = ["CONFIRMATION_REQUIRED", undefined, 1, 0];
  assert.deepEqual(found, {
    production: nobody,
    development: nobody,
    test: pending,
    asked: nobody,
    waived: pending,
    subscriber: pending,
    listener: pending,
    gone: nobody,
    element: pending,
    adapter: nobody,
  });
});
