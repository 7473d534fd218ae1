// The WebMCP adapter against Chromium's own `document.modelContext`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage({ webmcp: true, path: "/webmcp.html" });

test("what is available is listed, with name, title, label, schema and hints", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => null });
    const input = { type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] };
    const procedure = (id, effect, more) =>
      A.procedure({ id, description: "There", input: A.fromJsonSchema({ type: "object" }), effect, ...more });
    registry.register(
      T.component({
        type: "devices.table",
        observations: { rows: T.read(() => [], { meta: { untrustedContent: true } }) },
        actions: {
          selectRows: T.act(() => 1, { input: A.fromJsonSchema(input) }),
          off: T.act(() => 1, { when: () => false }),
          hidden: T.act(() => 1, { policies: [{ name: "h", onDiscovery: () => "hide" }] }),
        },
        procedures: [
          procedure("domain:devices.query", "server-query"),
          procedure("domain:devices.pay", "external-side-effect"),
          procedure("domain:devices.wipe", "destructive"),
          procedure("domain:devices.rename", "server-mutation"),
        ],
      }),
    );
    const { adapter, stop } = W.attach(registry);
    const status = adapter.status();
    const listed = await W.tools();
    const facts = Object.fromEntries(
      listed.map(({ name, title, description, inputSchema, annotations }) => [
        name,
        { title, description, annotations, inputSchema: typeof inputSchema === "string" ? JSON.parse(inputSchema) : inputSchema },
      ]),
    );
    const diagnosis = adapter.diagnose();
    await stop();
    return { facts: JSON.parse(JSON.stringify(facts)), status, after: await W.names(), stopped: adapter.status(), diagnosis, input };
  });
  const { facts } = found;
  assert.deepEqual(Object.keys(facts).sort(), [
    "domain_devices__pay",
    "domain_devices__query",
    "domain_devices__rename",
    "domain_devices__wipe",
    "view_devices__table__rows",
    "view_devices__table__selectRows",
  ]);
  assert.equal(facts.view_devices__table__selectRows.title, "Select rows");
  assert.equal(facts.view_devices__table__selectRows.description, "[view · local-state] Do it");
  assert.deepEqual(facts.view_devices__table__selectRows.inputSchema, found.input);
  assert.deepEqual(facts.view_devices__table__rows.inputSchema, { type: "object", properties: {}, additionalProperties: false });
  const hints = (name) =>
    ["readOnlyHint", "consequentialHint", "untrustedContentHint"].map((hint) => facts[name].annotations?.[hint] === true);
  assert.deepEqual(hints("view_devices__table__rows"), [true, false, true]);
  assert.deepEqual(hints("view_devices__table__selectRows"), [false, false, false]);
  assert.deepEqual(hints("domain_devices__query"), [true, false, false]);
  assert.deepEqual(hints("domain_devices__pay"), [false, true, false]);
  assert.deepEqual(hints("domain_devices__wipe"), [false, true, false]);
  assert.deepEqual(hints("domain_devices__rename"), [false, false, false]);
  assert.deepEqual([found.status.state, found.status.api, found.status.tools.length], ["active", "document.modelContext", 6]);
  assert.deepEqual([found.after, found.stopped.state, found.stopped.tools], [[], "stopped", []]);
  assert.equal(found.diagnosis.code, "ok");
});

test("a call resolves whatever happens: the value, or the whole payload", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const input = T.object({ qty: { type: "integer", minimum: 1, maximum: 10 } }, { required: ["qty"] });
    let runs = 0;
    registry.register(
      T.component({
        observations: { rows: T.read(() => [{ id: "d1" }]) },
        actions: {
          order: T.act(({ qty }) => ({ ordered: qty, runs: ++runs }), { input }),
          nothing: T.act(() => undefined),
          text: T.act(() => "plain"),
          broken: T.act(() => {
            throw new Error("card 4242 declined at /srv/app.js:12");
          }),
          chosen: T.act(() => {
            throw new A.AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "Ask an admin.", retry: "no", details: { origin: "server" } });
          }),
          odd: T.act(() => new Date()),
        },
      }),
    );
    const { stop } = W.attach(registry);
    const unhush = T.hush("error");
    const results = {};
    for (const name of ["rows", "nothing", "text", "broken", "chosen", "odd"]) results[name] = await W.call(`view_demo__${name}`);
    const order = {};
    for (const [name, given] of Object.entries({ good: { qty: 2 }, empty: {}, text: { qty: "3" }, large: { qty: 11 }, list: [], more: { qty: 1, x: 1 } })) {
      order[name] = await W.call("view_demo__order", given);
    }
    unhush();
    await stop();
    return { results, order, runs };
  });
  const { results, order } = found;
  assert.deepEqual(results.rows, { content: [{ type: "text", text: '[{"id":"d1"}]' }], structuredContent: [{ id: "d1" }] });
  assert.equal(results.nothing.isError ?? false, false);
  assert.deepEqual(results.text.structuredContent, "plain");
  for (const name of ["broken", "chosen", "odd"]) {
    assert.equal(results[name].isError, true);
    assert.deepEqual(JSON.parse(results[name].content[0].text), results[name].structuredContent);
    assert.deepEqual(Object.keys(results[name].structuredContent).sort(), ["code", "details", "message", "retry"]);
  }
  assert.doesNotMatch(JSON.stringify(results.broken), /4242|srv/);
  assert.equal(results.broken.structuredContent.code, "EXECUTION_FAILED");
  assert.deepEqual(results.odd.structuredContent.details.reason, "output-invalid");
  assert.deepEqual(results.chosen.structuredContent, {
    code: "NOT_AUTHORIZED",
    message: "Ask an admin.",
    retry: "no",
    details: { origin: "server" },
  });
  assert.deepEqual(order.good.structuredContent, { ordered: 2, runs: 1 });
  for (const name of ["empty", "text", "large", "list", "more"]) {
    assert.equal(order[name].structuredContent.code, "INVALID_INPUT", name);
    assert.ok(order[name].structuredContent.details.issues.length > 0);
  }
  assert.equal(order.empty.structuredContent.details.issues[0].pointer, "/qty");
  assert.equal(found.runs, 1);
});

test("a tool without arguments works, with an empty input", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act((input) => input) } }));
    const { stop } = W.attach(registry);
    const told = W.told(await W.call("view_demo__go", {}));
    await stop();
    return told;
  });
  assert.deepEqual(found, ["ok", {}]);
});

test("a confirmation completes by repeating the call, once, for exactly this input", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      const ran = [];
      registry.register(
        T.component({
          actions: {
            wipe: T.act((input, { confirmation }) => ran.push([input.n, !!confirmation.id]) && "done", {
              confirmation: "required",
              input: T.object({ n: { type: "integer" }, m: {} }),
            }),
          },
        }),
      );
      const { stop } = W.attach(registry);
      const call = (input) => W.call("view_demo__wipe", input);
      const first = await call({ n: 1, m: 2 });
      const repeated = await call({ m: 2, n: 1 });
      const pending = registry.confirmations.pending();
      registry.confirmations.resolve(pending[0].confirmationId, { approved: true });
      const other = W.told(await call({ n: 2 }));
      const done = W.told(await call({ n: 1, m: 2 }));
      const anew = W.told(await call({ n: 1, m: 2 }));
      const decide = (decision) => registry.confirmations.resolve(anew[1].confirmationId, decision);
      decide({ approved: false, reason: "wrong ones" });
      const denied = W.told(await call({ n: 1, m: 2 }));
      await clock.advance(119_000);
      const stillDenied = W.told(await call({ n: 1, m: 2 }));
      await clock.advance(2_000);
      const asksAgain = W.told(await call({ n: 1, m: 2 }));
      await stop();
      return {
        first: first.structuredContent,
        same: repeated.structuredContent.details.confirmationId === first.structuredContent.details.confirmationId,
        pending: pending.map(({ consumerKey, input }) => [consumerKey, input]),
        other: other[0],
        done,
        anew: anew[0],
        denied,
        stillDenied,
        asksAgain: [asksAgain[0], asksAgain[1].confirmationId !== anew[1].confirmationId],
        ran,
      };
    } finally {
      clock.restore();
    }
  });
  assert.equal(found.first.code, "CONFIRMATION_REQUIRED");
  assert.match(found.first.message, /repeat/i);
  assert.ok(found.first.message.includes(found.first.details.expiresAt), "the message says until when");
  assert.deepEqual(
    { same: found.same, pending: found.pending, other: found.other, done: found.done, anew: found.anew, ran: found.ran },
    {
      same: true,
      pending: [["webmcp:browser", { n: 1, m: 2 }]],
      other: "CONFIRMATION_REQUIRED",
      done: ["ok", "done"],
      anew: "CONFIRMATION_REQUIRED",
      ran: [[1, true]],
    },
  );
  const denied = ["CONFIRMATION_INVALID", { reason: "denied", note: "wrong ones" }];
  assert.deepEqual([found.denied, found.stillDenied], [denied, denied]);
  assert.deepEqual(found.asksAgain, ["CONFIRMATION_REQUIRED", true]);
});

test("`wait` keeps the call open, and falls back to repeating after `waitMs`", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const registry = T.registry({ now: clock.now });
      let runs = 0;
      registry.register(T.component({ actions: { wipe: T.act(() => ++runs, { confirmation: "required" }) } }));
      const { stop } = W.attach(registry, { confirmations: "wait", waitMs: 1_000 });
      const asked = () =>
        new Promise((resolve) => {
          const off = registry.confirmations.subscribe(({ type, confirmationId }) => {
            if (type !== "confirmation-requested") return;
            off();
            resolve(confirmationId);
          });
        });
      const first = asked();
      const waiting = W.call("view_demo__wipe");
      registry.confirmations.resolve(await first, { approved: true });
      const approved = W.told(await waiting);
      const second = asked();
      const late = W.call("view_demo__wipe");
      const id = await second;
      await clock.advance(1_000);
      const fellBack = W.told(await late);
      registry.confirmations.resolve(id, { approved: true });
      const repeated = W.told(await W.call("view_demo__wipe"));
      await stop();
      return { approved, fellBack: [fellBack[0], fellBack[1].confirmationId === id], repeated, runs };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found, {
    approved: ["ok", 1],
    fellBack: ["CONFIRMATION_REQUIRED", true],
    repeated: ["ok", 2],
    runs: 2,
  });
});

test("the caller's abort reaches the handler's signal", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const started = T.deferred();
    const aborted = T.deferred();
    const settled = T.deferred();
    registry.subscribe((event) => event.type === "invocation-settled" && settled.resolve(event.code));
    registry.register(
      T.component({
        actions: {
          go: T.act((_, { signal }) => {
            signal.addEventListener("abort", () => aborted.resolve(signal.reason.name));
            started.resolve();
            return T.deferred().promise;
          }),
        },
      }),
    );
    const { stop } = W.attach(registry);
    const controller = new AbortController();
    const call = W.call("view_demo__go", {}, { signal: controller.signal }).catch((error) => error.name);
    await started.promise;
    controller.abort();
    const facts = { caller: await call, handler: await aborted.promise, code: await settled.promise };
    await stop();
    return facts;
  });
  assert.deepEqual(found, { caller: "AbortError", handler: "AbortError", code: "CANCELLED" });
});

test("what has no object as its root is left out and named; the others are listed", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const good = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`good${n}`, T.act()]));
    registry.register(
      T.component({
        actions: {
          ...good,
          bare: T.act(() => 1, { input: A.fromJsonSchema({}) }),
          text: T.act(() => 1, { input: A.fromJsonSchema({ type: "string" }) }),
        },
      }),
    );
    const { adapter, stop } = W.attach(registry);
    const { tools, skipped } = adapter.status();
    const listed = (await W.names()).length;
    await stop();
    return { tools: tools.length, listed, skipped };
  });
  assert.deepEqual([found.tools, found.listed], [9, 9]);
  assert.deepEqual(found.skipped.map(({ capabilityId }) => capabilityId).sort(), ["view:demo.bare", "view:demo.text"]);
  for (const { reason } of found.skipped) assert.match(reason, /object/);
});

test("`exposeCapability` curates words and hints, and can replace neither schema nor execution", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(
      T.component({
        observations: { rows: T.read() },
        actions: { go: T.act(() => "mine"), secret: T.act(), broken: T.act(), plain: T.act() },
      }),
    );
    const seen = [];
    const { adapter, stop } = W.attach(registry, {
      exposeCapability(descriptor) {
        seen.push([descriptor.name, Object.isFrozen(descriptor), descriptor.effect]);
        if (descriptor.name === "secret") return null;
        if (descriptor.name === "broken") throw new Error("x");
        if (descriptor.name === "plain") return undefined;
        return {
          title: "A title",
          description: "Curated",
          annotations: { readOnlyHint: false, debugging: true, future: { a: 1 } },
          inputSchema: { type: "object", properties: { evil: {} } },
          execute: () => "replaced",
        };
      },
    });
    const passed = [];
    await stop();
    const counts = document.modelContext.registerTool;
    document.modelContext.registerTool = (tool, options) => {
      passed.push(tool);
      return counts.call(document.modelContext, tool, options);
    };
    const again = registry.attach(adapter, { consumer: { id: "browser", kind: "webmcp" } });
    delete document.modelContext.registerTool;
    const names = await W.names();
    const go = W.told(await W.call("view_demo__go"));
    await again();
    const tool = passed.find(({ name }) => name === "view_demo__go");
    return { seen: seen.slice(0, 5), names, go, tool: JSON.parse(JSON.stringify(tool)), keys: Object.keys(tool).sort() };
  });
  assert.ok(found.seen.every(([, frozen]) => frozen));
  assert.deepEqual(found.names, ["view_demo__go", "view_demo__plain", "view_demo__rows"]);
  assert.deepEqual(found.go, ["ok", "mine"]);
  assert.equal(found.tool.title, "A title");
  assert.equal(found.tool.description, "Curated");
  assert.deepEqual(found.tool.inputSchema.properties, {});
  assert.deepEqual(
    [found.tool.annotations.readOnlyHint, found.tool.annotations.debugging, found.tool.annotations.future],
    [false, true, { a: 1 }],
  );
  assert.equal(found.tool.annotations.consequentialHint, false);
});

test("`exposedTo` goes through as the page wrote it, and what the browser refuses is reported", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    const options = [];
    const real = document.modelContext.registerTool;
    document.modelContext.registerTool = (tool, given) => {
      options.push(Object.keys(given).sort().join(), given.exposedTo);
      return real.call(document.modelContext, tool, given);
    };
    const plain = W.attach(registry);
    await W.names();
    await plain.stop();
    const good = W.attach(registry, { exposedTo: ["https://partner.example"] });
    const listed = await W.names();
    await good.stop();
    const bad = W.attach(registry, { exposedTo: ["http://plain.example"] });
    await W.names();
    const { rejected } = bad.adapter.status();
    await bad.stop();
    delete document.modelContext.registerTool;
    return { options, listed, rejected: rejected.map(({ name, reason }) => [name, reason.split(":")[0]]) };
  });
  assert.deepEqual(found.options.slice(0, 4).map((each) => each ?? null), ["signal", null, "exposedTo,signal", ["https://partner.example"]]);
  assert.deepEqual(found.listed, ["view_demo__go"]);
  assert.deepEqual(found.rejected, [["view_demo__go", "SecurityError"]]);
});

test("policies see the browser's agent as its own consumer, scope narrows it, and it cannot approve", async () => {
  const found = await run(async () => {
    const seen = [];
    const registry = T.registry({
      policies: [{ name: "p", onAuthorize: ({ consumer }, next) => seen.push(`${consumer.kind}:${consumer.id}`) && next() }],
    });
    registry.register(T.component({ type: "open.list", actions: { go: T.act() } }));
    registry.register(T.component({ type: "closed", actions: { go: T.act() } }));
    let view;
    const adapter = A.createWebMcpAdapter({ snapshotContext: { scope: ["open"] } });
    await adapter.start({ registry });
    const names = await W.names();
    await W.call("view_open__list__go");
    await adapter.stop();
    registry.attach({ name: "x", start: (host) => (view = host.registry), stop: () => undefined }, { consumer: { id: "x", kind: "other" } })();
    const strings = (object) => Reflect.ownKeys(object).map(String).sort();
    return {
      names,
      seen: seen.map((id) => id.replace(/\d+/, "n")),
      view: strings(view),
      confirmations: strings(view.confirmations),
      frozen: Object.isFrozen(view) && Object.isFrozen(view.confirmations),
    };
  });
  assert.deepEqual(found, {
    names: ["view_open__list__go"],
    seen: ["webmcp:webmcp-n"],
    view: ["confirmations", "getVersion", "invoke", "snapshot", "subscribe", "surfaceId"],
    confirmations: ["pending", "subscribe", "waitFor"],
    frozen: true,
  });
});

test("a destructive procedure completes although the surface moved meanwhile, with its bound input", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const seen = [];
    registry.setProcedureExecutor({ execute: ({ input }) => seen.push(input) && "disabled" });
    let ids = ["d1", "d2"];
    const handle = registry.register(
      T.component({
        procedures: [
          A.procedure({
            id: "domain:devices.disable",
            description: "Disable",
            input: T.object({ ids: { type: "array", items: { type: "string" } } }, { required: ["ids"] }),
            effect: "destructive",
            bind: { ids: () => ids },
          }),
        ],
      }),
    );
    const { stop } = W.attach(registry);
    const call = async () => W.told(await W.call("domain_devices__disable"));
    handle.invalidate();
    await T.turn();
    const first = await call();
    const [{ input, confirmationId }] = registry.confirmations.pending();
    registry.confirmations.resolve(confirmationId, { approved: true });
    ids = ["d3"];
    handle.invalidate();
    await T.turn();
    const otherSelection = await call();
    ids = ["d1", "d2"];
    const done = await call();
    const locked = W.told(await W.call("domain_devices__disable", { ids: ["evil"] }));
    await stop();
    return { first: first[0], input, otherSelection: otherSelection[0], done, locked: [locked[0], locked[1].lockedFields], seen };
  });
  assert.deepEqual(found, {
    first: "CONFIRMATION_REQUIRED",
    input: { ids: ["d1", "d2"] },
    otherSelection: "CONFIRMATION_REQUIRED",
    done: ["ok", "disabled"],
    locked: ["INVALID_INPUT", ["ids"]],
    seen: [{ ids: ["d1", "d2"] }],
  });
});

test("where nobody could approve, the browser's agent is told at once", async () => {
  const found = await run(async () => {
    const registry = T.registry({ environment: "production" });
    let runs = 0;
    registry.register(T.component({ actions: { wipe: T.act(() => ++runs, { confirmation: "required" }) } }));
    const { stop } = W.attach(registry, { confirmations: "wait" });
    const told = W.told(await W.call("view_demo__wipe"));
    await stop();
    return { told, runs };
  });
  assert.deepEqual(found, { told: ["CAPABILITY_NOT_AVAILABLE", { reason: "approval-unavailable" }], runs: 0 });
});
