// Policies and the audit, through the built package in Chromium.

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

test("a policy that guards nothing because of a slip is refused, wherever it is given", async () => {
  const found = await run(() => {
    const messageOf = (make) => {
      try {
        make();
        return "accepted";
      } catch (error) {
        return `${error.code} ${error.message}`;
      }
    };
    const slips = {
      "not called": A.authenticated,
      "no hook": { name: "p" },
      "another hook": { name: "p", onInvocation() {} },
      "one more hook": { name: "p", onDiscovery() {}, onInvocation() {} },
      "no function": { name: "p", onInvoke: true },
      nothing: null,
      "a text": "authenticated",
    };
    const registry = T.registry();
    return Object.entries(slips).map(([slip, policy]) => [
      slip,
      messageOf(() => T.registry({ policies: [policy] })),
      messageOf(() => registry.register(T.component({ policies: [policy] }))),
      messageOf(() => registry.register(T.component({ actions: { go: T.act(() => 1, { policies: [policy] }) } }))),
      messageOf(() => A.hasPermission("a.b")),
    ]);
  });
  for (const [slip, ...messages] of found) {
    for (const message of messages) assert.match(message, /^INVALID_DEFINITION .*(`onInvoke`|`name`|must be an array of policies|hasPermission)/, `${slip}: ${message}`);
  }
});

test("a `when` that promises is not available, and its promise is nobody's unhandled rejection", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const went = [];
    const when = { no: async () => false, yes: async () => true, bad: async () => Promise.reject(new Error("late")) };
    const actions = Object.entries(when).map(([name, ask]) => [name, T.act(() => went.push(name), { when: ask })]);
    registry.register(T.component({ actions: Object.fromEntries(actions) }));
    const listed = registry.snapshot().components[0].actions.map(({ available, unavailableReason }) => [available, unavailableReason]);
    const reasons = [];
    for (const name of Object.keys(when)) {
      const { error } = await registry.invoke({ capabilityId: `view:demo.${name}` });
      reasons.push([error.code, error.details.reason]);
    }
    return { listed, reasons, went };
  });
  const not = [false, "when-error"];
  assert.deepEqual(found.listed, [not, not, not]);
  const refused = ["CAPABILITY_NOT_AVAILABLE", "when-error"];
  assert.deepEqual(found.reasons, [refused, refused, refused]);
  // That no rejection is left is checked at the end of the file: the page logged none.
  assert.deepEqual(found.went, []);
});

test("in development whatever page code throws is printed with the capability; in production nothing", async () => {
  const found = await run(async () => {
    const unhush = T.hush("warn");
    const boom = (where) => () => {
      throw new Error(`boom in ${where}`);
    };
    const parts = {
      policy: { policies: [{ name: "p", onInvoke: boom("policy") }] },
      guard: { policies: [A.rateLimit({ limit: 1, windowMs: 1000 }), { name: "q", onAuthorize: boom("guard") }] },
      when: { when: boom("when") },
      precondition: { precondition: boom("precondition") },
      handler: { execute: boom("handler") },
    };
    const answers = {};
    for (const environment of ["development", "production"]) {
      const registry = T.registry({ environment, audit: { record() {} }, requireApprover: false });
      const actions = Object.entries(parts).map(([name, part]) => [name, T.act(part.execute ?? (() => 1), part)]);
      registry.register(T.component({ actions: Object.fromEntries(actions) }));
      answers[environment] = [];
      for (const name of Object.keys(parts)) answers[environment].push(JSON.stringify((await registry.invoke({ capabilityId: `view:demo.${name}` })).error));
    }
    const unattended = T.registry({ environment: "development", audit: { record() {} }, requireApprover: true });
    unattended.register(T.component({ actions: { ask: T.act(() => 1, { confirmation: "required" }) } }));
    await unattended.invoke({ capabilityId: "view:demo.ask" });
    return { answers, printed: unhush() };
  });
  assert.ok(found.printed.some((line) => /view:demo\.ask .*nobody to ask/.test(line)));
  for (const where of ["policy", "guard", "precondition", "handler"]) {
    const lines = found.printed.filter((line) => line.includes(`boom in ${where}`));
    assert.deepEqual([lines.length, /`view:[^`]+` failed/.test(lines[0])], [1, true], where);
  }
  assert.ok(found.printed.some((line) => line.includes("boom in when")));
  assert.deepEqual(found.answers.development, found.answers.production);
  assert.ok(!found.answers.production.join().includes("boom"));
});
