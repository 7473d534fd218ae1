// Policies, confirmations and the audit, through the built package in Chromium (spec 1.9, 1.10 and 1.11).

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("chains run registry first, wrap the call, and see what they may see", async () => {
  const found = await run(async () => {
    const log = [];
    const seen = {};
    const policy = (name) => ({
      name,
      async onAuthorize(ctx, next) {
        log.push(`${name} authorize`);
        seen.authorize = Object.keys(ctx).sort().join(" ");
        const result = await next();
        log.push(`${name} authorized ${result.status}`);
        return { status: "mine" };
      },
      async onInvoke(ctx, next) {
        log.push(`${name} invoke`);
        seen.invoke = ctx;
        const result = await next();
        log.push(`${name} invoked ${result.output} ${Object.isFrozen(result)}`);
        return "rewritten";
      },
    });
    const registry = T.registry({ policies: [policy("registry")], context: () => ({ user: "ada" }) });
    registry.register(
      T.component({
        meta: { m: 1 },
        internal: { secret: 1 },
        policies: [policy("component")],
        actions: {
          go: T.act(() => log.push("handler") && "out", {
            policies: [policy("capability")],
            meta: { c: 2 },
            input: T.object({ n: { type: "integer", default: 1 } }),
          }),
        },
      }),
    );
    const result = await registry.invoke({ capabilityId: "view:demo.go", invocationId: "i" });
    await T.turn();
    const { now, registrationId, ...ctx } = seen.invoke;
    return { log, output: result.output, authorize: seen.authorize, ctx: JSON.parse(JSON.stringify(ctx)), now: typeof now() };
  });
  assert.deepEqual(found.log.slice(0, 7), [
    "registry authorize",
    "component authorize",
    "capability authorize",
    "registry invoke",
    "component invoke",
    "capability invoke",
    "handler",
  ]);
  assert.deepEqual(found.log.slice(7), [
    "capability invoked out true",
    "component invoked out true",
    "registry invoked out true",
    "capability authorized ok",
    "component authorized ok",
    "registry authorized ok",
  ]);
  assert.equal(found.output, "out");
  assert.equal(found.authorize, "capabilityId consumer effect host internal kind meta now plane registrationId");
  assert.deepEqual(found.ctx, {
    capabilityId: "view:demo.go",
    plane: "view",
    kind: "action",
    effect: "local-state",
    consumer: { id: "anonymous", kind: "embedded" },
    host: { user: "ada" },
    meta: { component: { m: 1 }, capability: { c: 2 } },
    internal: { secret: 1 },
    invocationId: "i",
    effectiveInput: { n: 1 },
  });
  assert.equal(found.now, "number");
});

test("a policy that throws before the start refuses, after the start only audits, without next is a defect", async () => {
  const found = await run(async () => {
    const behaviours = {
      refuses() {
        throw new A.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "No.", retry: "no", details: { origin: "client" } });
      },
      breaks() {
        throw new Error("secret");
      },
      async breaksLater() {
        await null;
        throw new Error("secret");
      },
      silent: () => undefined,
      silentLater: async () => undefined,
      answers: () => ({ status: "ok", output: "invented" }),
      async after(_, next) {
        await next();
        throw new Error("too late");
      },
      startsAndThrows(_, next) {
        next();
        throw new Error("too late as well");
      },
      async twice(_, next) {
        const [a, b] = [next(), next()];
        same = a === b;
        await a;
        return b;
      },
      async delayed(_, next) {
        await T.turn();
        return next();
      },
    };
    let same;
    const results = {};
    for (const hook of ["onAuthorize", "onInvoke"]) {
      for (const [name, behaviour] of Object.entries(behaviours)) {
        let runs = 0;
        const registry = T.registry({ policies: [{ name: "p", [hook]: behaviour }] });
        const types = [];
        registry.subscribe(({ type }) => type.startsWith("invocation-") && types.push(type));
        registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
        const result = await registry.invoke({ capabilityId: "view:demo.go" });
        await T.turn();
        results[`${hook} ${name}`] = [result.error?.code ?? result.output, runs, types.length, /secret/.test(JSON.stringify(result))];
      }
    }
    return { results, same };
  });
  const ran = [1, 1, 2, false];
  for (const hook of ["onAuthorize", "onInvoke"]) {
    const of = (name) => found.results[`${hook} ${name}`];
    assert.deepEqual(of("refuses"), ["NOT_AUTHORIZED", 0, 2, false]);
    for (const name of ["breaks", "breaksLater", "silent", "silentLater", "answers"]) {
      assert.deepEqual(of(name), ["EXECUTION_FAILED", 0, 2, false], `${hook} ${name}`);
    }
    for (const name of ["after", "startsAndThrows", "twice", "delayed"]) assert.deepEqual(of(name), ran, `${hook} ${name}`);
  }
  assert.equal(found.same, true);
});

test("a policy that never answers is bounded, and a late next does nothing", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      let late;
      let runs = 0;
      const registry = T.registry({
        now: clock.now,
        policies: [{ name: "stuck", onInvoke: (_, next) => new Promise(() => (late = next)) }],
      });
      registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
      const call = registry.invoke({ capabilityId: "view:demo.go" });
      await clock.advance(10_000);
      const result = await call;
      const answer = await Promise.race([late(), T.turn().then(() => "nothing")]);
      return { result: T.brief(result), answer: answer?.error?.code ?? answer, runs };
    } finally {
      clock.restore();
    }
  });
  assert.equal(found.result[0], "TIMEOUT");
  assert.equal(found.result[1].idempotent, true);
  assert.equal(found.answer, "TIMEOUT", "who calls next too late is told the result");
  assert.equal(found.runs, 0);
});

test("discovery: hidden is absent and not found, disabled is listed, a vote that throws hides, the strictest wins", async () => {
  const found = await run(async () => {
    const votes = {
      hidden: () => "hide",
      disabled: () => ({ outcome: "disable", reason: "not today" }),
      bare: () => "disable",
      broken() {
        throw new Error("x");
      },
      odd: () => "perhaps",
      later: async () => "expose",
      open: () => undefined,
    };
    const unhush = T.hush("warn");
    const registry = T.registry({
      policies: [{ name: "v", onDiscovery: ({ capabilityId }) => votes[capabilityId.split(".")[1]]() }],
    });
    let runs = 0;
    registry.register(
      T.component({
        policies: [{ name: "w", onDiscovery: () => ({ outcome: "disable", reason: "second" }) }],
        actions: Object.fromEntries(Object.keys(votes).map((name) => [name, T.act(() => ++runs)])),
      }),
    );
    const listed = registry.snapshot().components[0].actions.map(({ name, unavailableReason }) => [name, unavailableReason]);
    const call = async (name) => T.brief(await registry.invoke({ capabilityId: `view:demo.${name}` }));
    const calls = {};
    for (const name of [...Object.keys(votes), "unknown"]) calls[name] = await call(name);
    unhush();
    return { listed, calls, runs };
  });
  assert.deepEqual(found.listed, [
    ["disabled", "not today"],
    ["bare", found.listed[1][1]],
    ["open", "second"],
  ]);
  for (const name of ["hidden", "broken", "odd", "later", "unknown"]) {
    assert.deepEqual(found.calls[name], ["CAPABILITY_NOT_FOUND", undefined], name);
  }
  assert.deepEqual(found.calls.disabled, ["CAPABILITY_NOT_AVAILABLE", { reason: "not today" }]);
  assert.equal(found.runs, 0);
});

test("hiding is checked at the call too, and authority is asked before availability", async () => {
  const found = await run(async () => {
    let hides = false;
    let runs = 0;
    const registry = T.registry({ context: {} });
    registry.register(
      T.component({
        actions: {
          both: T.act(() => ++runs, {
            policies: [{ name: "b", onDiscovery: () => (hides ? "hide" : "expose"), onInvoke: (_, next) => next() }],
          }),
          signed: T.act(() => ++runs, { policies: [A.authenticated()], when: () => false }),
        },
      }),
    );
    const before = registry.snapshot().components[0].actions.map(({ name }) => name);
    hides = true;
    const hidden = T.brief(await registry.invoke({ capabilityId: "view:demo.both" }));
    const signed = T.brief(await registry.invoke({ capabilityId: "view:demo.signed" }));
    return { before, hidden, signed, runs, listed: registry.snapshot().components.length };
  });
  assert.deepEqual(found, {
    before: ["both"],
    hidden: ["CAPABILITY_NOT_FOUND", undefined],
    signed: ["NOT_AUTHENTICATED", undefined],
    runs: 0,
    listed: 0,
  });
});

test("the built-ins follow the page's context", async () => {
  const found = await run(async () => {
    const session = {};
    const registry = T.registry({ context: () => session, policies: [A.authenticated()] });
    registry.register(
      T.component({
        actions: {
          go: T.act(() => "ran"),
          write: T.act(() => "wrote", {
            policies: [A.hasPermission("devices:write", (permission, { host }) => host.permissions.includes(permission))],
          }),
          later: T.act(() => "no", { policies: [A.hasPermission("x", async () => true)] }),
        },
      }),
    );
    const look = () => registry.snapshot().components.flatMap(({ actions }) => actions.map(({ name }) => name));
    const call = async (name) => T.brief(await registry.invoke({ capabilityId: `view:demo.${name}` }));
    const out = { names: look(), go: await call("go") };
    session.user = "ada";
    const broken = await call("write");
    session.permissions = [];
    const inside = { names: look(), go: await call("go"), write: await call("write"), later: await call("later") };
    session.permissions = ["devices:write"];
    return { out, broken, inside, granted: { names: look(), write: await call("write") } };
  });
  const denied = ["NOT_AUTHORIZED", { origin: "client" }];
  assert.deepEqual(found.out, { names: [], go: ["NOT_AUTHENTICATED", undefined] });
  assert.deepEqual(found.broken, denied);
  assert.deepEqual(found.inside, { names: ["go"], go: ["ok", "ran"], write: denied, later: denied });
  assert.deepEqual(found.granted, { names: ["go", "write"], write: ["ok", "wrote"] });
});

test("requireConfirmation: `if`, `summary`, and built-ins that are composed by hand", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const wrap = (inner) => ({ name: "wrap", onInvoke: (ctx, next) => inner.onInvoke(ctx, next) });
    const amount = { input: T.object({ amount: { type: "number" } }) };
    const policy = A.requireConfirmation({
      if: ({ effectiveInput }) => effectiveInput.amount > 100,
      summary: ({ effectiveInput }) => `Pay ${effectiveInput.amount}`,
    });
    const boom = () => {
      throw new Error("x");
    };
    registry.register(
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
      const { status, output, error } = await registry.invoke({ capabilityId: `view:demo.${name}`, input });
      return status === "ok" ? output : [error.code, error.details.summary];
    };
    return {
      small: await call("pay", { amount: 1 }),
      large: await call("pay", { amount: 200 }),
      wrapped: await call("wrapped", { amount: 300 }),
      broken: (await call("broken"))[0],
      first: await call("first"),
      rows: await call("rows"),
      pending: registry.confirmations.pending().map(({ summary, input }) => [summary, input]),
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
      const registry = T.registry({ now: clock.now });
      const seen = [];
      registry.register(
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
      const call = (more, consumer = me) =>
        registry.invoke({ capabilityId: "view:demo.refund", input: { order: "A1" }, ...more }, { consumer });
      const first = await call({ invocationId: "i1" });
      const again = await call({ invocationId: "i2", input: { amount: 10, order: "A1" } });
      const [record, ...others] = registry.confirmations.pending();
      const { confirmationId } = first.error.details;
      const waiting = registry.confirmations.waitFor(confirmationId);
      const early = await call({ confirmationId, invocationId: "i3" });
      await clock.advance(5_000);
      const resolved = [
        registry.confirmations.resolve(confirmationId, { approved: true }),
        registry.confirmations.resolve(confirmationId, { approved: false }),
        registry.confirmations.resolve("cnf_unknown", { approved: true }),
      ];
      const bare = await call({ invocationId: "i4" });
      const other = await call({ confirmationId, input: { order: "A1", amount: 1000 } });
      const stranger = await call({ confirmationId }, { id: "evil", kind: "webmcp" });
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

test("denied is for good and carries the person's words; expiry and unmount withdraw", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      let runs = 0;
      const definition = T.component({ actions: { go: T.act(() => ++runs, { confirmation: "required" }) } });
      const handle = registry.register(definition);
      const call = (confirmationId) => registry.invoke({ capabilityId: "view:demo.go", confirmationId });
      const ask = async () => (await call()).error.details.confirmationId;
      const denied = await ask();
      registry.confirmations.resolve(denied, { approved: false, reason: "wrong customer" });
      const refused = [T.brief(await call(denied)), (await call(denied)).error.retry];
      const next = await ask();
      const waiting = registry.confirmations.waitFor(next);
      await clock.advance(120_000);
      const atExpiry = registry.confirmations.pending().length;
      await clock.advance(1);
      const expired = await call(next);
      const third = await ask();
      registry.confirmations.resolve(third, { approved: true });
      await clock.advance(120_001);
      const tooLate = await call(third);
      const fourth = await ask();
      const withdrawn = registry.confirmations.waitFor(fourth);
      const aborted = registry.confirmations.waitFor(fourth, { signal: AbortSignal.abort() });
      handle.unregister();
      registry.register(definition);
      const afterRemount = await call(fourth);
      return {
        refused,
        newId: next !== denied,
        atExpiry,
        waited: [await waiting, await withdrawn, await aborted, await registry.confirmations.waitFor("cnf_x")],
        expired: [T.brief(expired), expired.error.retry],
        tooLate: T.brief(tooLate),
        afterRemount: T.brief(afterRemount)[0],
        pending: registry.confirmations.pending().length,
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

test("evidence is given back when the precondition or the queue refuses", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let refuses = false;
    let hold;
    registry.register(
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
    const call = async (confirmationId) => T.brief(await registry.invoke({ capabilityId: "view:demo.go", confirmationId }));
    const [, { confirmationId }] = await call();
    registry.confirmations.resolve(confirmationId, { approved: true });
    refuses = true;
    const refused = await call(confirmationId);
    refuses = false;
    const busy = registry.invoke({ capabilityId: "view:demo.busy" });
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
    const registry = T.registry();
    registry.register(
      T.component({ actions: { go: T.act(() => 1, { confirmation: "required", input: T.object({ n: { type: "integer" } }) }) } }),
    );
    const codes = [];
    for (let n = 0; n < 33; n++) codes.push(T.brief(await registry.invoke({ capabilityId: "view:demo.go", input: { n } })));
    const same = T.brief(await registry.invoke({ capabilityId: "view:demo.go", input: { n: 5 } }))[0];
    return { last: codes.pop(), all: new Set(codes.map(([code]) => code)).size, same, pending: registry.confirmations.pending().length };
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

test("audit records tell who, what, how long, and the full payload only where it is asked for", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const sink = A.memoryAuditSink();
      sink.redact = (payload) => JSON.parse(JSON.stringify(payload).replaceAll("s3cret", "•"));
      const registry = T.registry({ audit: sink, now: clock.now });
      let work;
      const handle = registry.register(
        T.component({
          observations: { rows: T.read() },
          actions: {
            go: T.act(() => (work = T.deferred()).promise, { input: T.object({ password: { type: "string" } }) }),
            full: T.act(({ password }) => ({ password }), { audit: "full", input: T.object({ password: { type: "string" } }) }),
            quiet: T.act(() => 1, { audit: "none" }),
            ask: T.act(() => 1, { confirmation: "required" }),
          },
        }),
      );
      registry.register(T.component());
      const call = (name, more) =>
        registry.invoke({ capabilityId: `view:demo.${name}`, ...more }, { consumer: { id: "c", kind: "webmcp" } });
      const input = { password: "s3cret" };
      const go = call("go", { invocationId: "g1", input });
      await clock.advance(40);
      work.resolve();
      await go;
      await call("full", { input });
      await call("quiet");
      await call("rows");
      const { confirmationId } = (await call("ask")).error.details;
      registry.confirmations.resolve(confirmationId, { approved: true, reason: "fine" });
      await call("ask", { confirmationId });
      const denied = (await call("ask")).error.details.confirmationId;
      registry.confirmations.resolve(denied, { approved: false, reason: "wrong customer" });
      await call("ask", { confirmationId: denied });
      handle.unregister();
      const events = sink.events();
      const of = (type) => events.filter((event) => event.type === type);
      const settled = of("invocation-settled").find(({ invocationId }) => invocationId === "g1");
      return {
        types: events.map(({ type, capabilityId }) => `${type} ${capabilityId?.split(".")[1] ?? ""}`.trim()),
        settled: { ...settled, registrationId: settled.registrationId === handle.registrationId, surfaceId: settled.surfaceId === registry.surfaceId },
        payloads: events.filter(({ payload }) => payload).map(({ type, payload }) => [type, payload]),
        leaks: JSON.stringify(events).includes("s3cret"),
        notes: events.filter(({ note }) => note).map(({ type, note }) => [type, note]),
        rejected: of("registration-rejected").map(({ componentType, instanceId, reason }) => [componentType, instanceId, reason]),
        consumers: [...new Set(events.map(({ consumerId }) => consumerId))],
      };
    } finally {
      clock.restore();
    }
  });
  const started = found.types.filter((type) => type.startsWith("invocation-started")).map((type) => type.split(" ")[1]);
  assert.ok(!started.includes("quiet") && !started.includes("rows"), "`none` is not recorded");
  assert.deepEqual(
    found.types.filter((type) => !type.startsWith("invocation-")).map((type) => type.split(" ")[0]),
    [
      "registration",
      "registration-rejected",
      "confirmation-requested",
      "confirmation-approved",
      "confirmation-consumed",
      "confirmation-requested",
      "confirmation-denied",
      "unregistration",
    ],
  );
  assert.equal(found.settled.status, "ok");
  assert.deepEqual(
    [found.settled.durationMs, found.settled.executionMs, found.settled.queueWaitMs],
    [40, 40, found.settled.queueWaitMs],
  );
  assert.deepEqual([found.settled.consumerId, found.settled.registrationId, found.settled.surfaceId], ["webmcp:c", true, true]);
  assert.equal(found.leaks, false);
  assert.ok(found.payloads.length > 0 && found.payloads.every(([, payload]) => JSON.stringify(payload).includes("•")));
  assert.ok(found.notes.some(([type, note]) => type === "confirmation-denied" && note === "wrong customer"));
  assert.deepEqual(found.rejected, [["demo", "default", "duplicate"]]);
  assert.ok(found.consumers.includes("webmcp:c"));
});

test("a sink that throws harms nothing; the memory sink is bounded; the console sink is marked", async () => {
  const found = await run(async () => {
    const unhush = T.hush("error", "debug");
    const registry = T.registry({
      audit: {
        record() {
          throw new Error("disk full");
        },
      },
    });
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const ran = (await registry.invoke({ capabilityId: "view:demo.go" })).output;
    const small = A.memoryAuditSink({ capacity: 3 });
    for (let n = 0; n < 10; n++) small.record({ n });
    const many = A.memoryAuditSink();
    for (let n = 0; n < 1_001; n++) many.record({ n });
    A.consoleAuditSink().record({ type: "x" });
    const printed = unhush();
    return { ran, small: small.events(), many: many.events().length, marked: printed.some((line) => line.startsWith("[agent-surface audit]")) };
  });
  assert.deepEqual(found, { ran: "ran", small: [{ n: 7 }, { n: 8 }, { n: 9 }], many: 1000, marked: true });
});

test("calls from policies and confirmation listeners work", async () => {
  const found = await run(async () => {
    const inner = [];
    const registry = T.registry({
      policies: [
        {
          name: "asks",
          async onInvoke({ capabilityId }, next) {
            if (capabilityId === "view:demo.go") {
              inner.push((await registry.invoke({ capabilityId: "view:demo.rows" })).output);
              registry.register(T.component({ type: "made" }));
            }
            return next();
          },
        },
      ],
    });
    registry.confirmations.subscribe(({ type, confirmationId }) => {
      if (type === "confirmation-requested") registry.confirmations.resolve(confirmationId, { approved: true });
    });
    registry.register(
      T.component({
        observations: { rows: T.read(() => "rows") },
        actions: { go: T.act(() => "ran"), ask: T.act(() => "asked", { confirmation: "required" }) },
      }),
    );
    const go = T.brief(await registry.invoke({ capabilityId: "view:demo.go" }));
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
    const ask = toolset.tools().find(({ name }) => name.endsWith("ask"));
    return { go, inner, ask: T.brief(await ask.execute({})), made: registry.snapshot().components.length };
  });
  assert.deepEqual(found, { go: ["ok", "ran"], inner: ["rows"], ask: ["ok", "asked"], made: 2 });
});
