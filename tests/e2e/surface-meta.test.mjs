// The toolset of meta mode, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("three tools are the same bytes for ever, have no wire names and no news", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const make = (more) => A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, mode: "meta", topology: "embedded", ...more });
    const toolset = make();
    const tools = toolset.tools();
    const before = JSON.stringify(tools);
    const heard = [];
    const off = toolset.subscribe((list) => heard.push(list));
    const handle = registry.register(T.component({ actions: { go: T.act() } }));
    await T.turn();
    handle.update({ enabled: false });
    await T.turn();
    const other = make({ scope: ["demo"], budget: { maxComponents: 1 } });
    const others = JSON.stringify(other.tools());
    const map = toolset.wireNameMap().size;
    off();
    toolset.dispose();
    return {
      names: tools.map(({ name }) => name),
      keys: Object.keys(tools[0]).join(" "),
      properties: tools.map(({ inputSchema }) => [Object.keys(inputSchema.properties).sort(), inputSchema.required, inputSchema.additionalProperties]),
      states: tools.map(({ state }) => state),
      frozen: tools.every(({ inputSchema }) => T.isDeepFrozen(inputSchema)) && Object.isFrozen(tools),
      length: before.length,
      same: toolset.tools() === tools && JSON.stringify(tools) === before && others === before,
      fits: tools.every(({ name, inputSchema }) => /^\w{1,64}$/.test(name) && A.validateJsonSchemaDocument(inputSchema).ok),
      heard: heard.length,
      map,
    };
  });
  assert.deepEqual(found, {
    names: ["surface_discover", "surface_read", "surface_act"],
    keys: "name description inputSchema state execute",
    properties: [
      [["scope"], [], false],
      [["capabilityId", "input", "instanceId"], ["capabilityId"], false],
      [["capabilityId", "confirmationId", "input", "instanceId", "invocationId", "surfaceVersion"], ["capabilityId", "input"], false],
    ],
    states: [{ available: true }, { available: true }, { available: true }],
    frozen: true,
    length: found.length,
    same: true,
    fits: true,
    heard: 0,
    map: 0,
  });
});

test("a call finds what it discovered, at the instance it names", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: ({ path, input }) => [path, input] });
    for (const instanceId of ["main", "side"]) {
      registry.register(
        T.component({
          type: "devices.table",
          instanceId,
          observations: { rows: T.read(() => [instanceId]) },
          actions: { select: T.act(({ n }) => [instanceId, n], { input: T.object({ n: { type: "integer" } }) }) },
        }),
      );
    }
    registry.register(
      T.component({
        type: "devices.search",
        procedures: [A.procedure({ id: "domain:find", description: "Find", input: T.object({ q: { type: "string" } }), effect: "server-query" })],
      }),
    );
    const consumer = { id: "c", kind: "embedded" };
    const toolset = A.createAgentToolset(registry, { consumer, mode: "meta", topology: "embedded" });
    const [discover, read, act] = toolset.tools();
    const catalog = await discover.execute(null, { toolCallId: "d" });
    const snapshot = registry.snapshot({ consumer });
    const capabilityId = "view:devices.table.select";
    const call = async (tool, envelope) => T.brief(await tool.execute(envelope));
    return {
      catalog: { ...catalog, output: JSON.stringify(catalog.output) === JSON.stringify(snapshot) },
      frozen: T.isDeepFrozen(catalog),
      acted: await call(act, { capabilityId, instanceId: "side", input: { n: 1 } }),
      ambiguous: (await call(act, { capabilityId, input: { n: 1 } }))[0],
      rows: await call(read, { capabilityId: "view:devices.table.rows", instanceId: "main" }),
      query: await call(read, { capabilityId: "domain:find", input: { q: "x" } }),
      changes: await call(read, { capabilityId, instanceId: "side", input: { n: 1 } }),
      unknown: await call(read, { capabilityId: "view:devices.table.nothing" }),
      inner: (await call(act, { capabilityId, instanceId: "side", input: { n: "1" } }))[1].issues[0].pointer,
      notJson: (await call(act, { capabilityId, instanceId: "side", input: { n: 1n } }))[1].issues[0].pointer,
    };
  });
  assert.deepEqual(found, {
    catalog: { status: "ok", invocationId: "d", capabilityId: "surface_discover", output: true, surfaceVersion: "3" },
    frozen: true,
    acted: ["ok", ["side", 1]],
    ambiguous: "AMBIGUOUS_INSTANCE",
    rows: ["ok", ["main"]],
    query: ["ok", ["find", { q: "x" }]],
    changes: [
      "INVALID_INPUT",
      { issues: [{ path: "capabilityId", pointer: "/capabilityId", message: "changes something: use `surface_act`" }] },
    ],
    unknown: ["CAPABILITY_NOT_FOUND", undefined],
    inner: "/n",
    notJson: "/n",
  });
});

test("an envelope is checked before anything else, and every issue is named", async () => {
  const found = await run(async () => {
    const audit = A.memoryAuditSink();
    const registry = T.registry({ audit });
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, mode: "meta", topology: "embedded" });
    const [discover, read, act] = toolset.tools();
    const issues = async (tool, ...envelope) => {
      const { error } = await tool.execute(...envelope);
      return error === undefined ? "ok" : [error.code, error.retry, error.details?.issues.map(({ pointer }) => pointer).sort()];
    };
    const refused = await act.execute({ capabilityId: "" }, { toolCallId: "t" });
    return {
      absent: [await issues(discover), await issues(discover, null), await issues(read), await issues(act, null)],
      many: await issues(act, { capabilityId: "", instanceId: "", surfaceVersion: 3, reason: "x", input: 1n }),
      scope: [
        await issues(discover, { scope: "devices" }),
        await issues(discover, { scope: ["", 7, "a"] }),
        await issues(discover, { input: {} }),
        await issues(discover, { scope: [] }),
      ],
      kinds: [await issues(act, []), await issues(act, "{}"), await issues(read, 7), await issues(read, { capabilityId: 1n })],
      refused: [refused.invocationId, refused.capabilityId, T.isDeepFrozen(refused)],
      joined: (await act.execute({ capabilityId: "" }, { toolCallId: "t" })) === refused,
      audited: audit.events().filter(({ invocationId }) => invocationId === "t").map(({ type, code }) => code ?? type),
      shape: refused.error.details.issues.map((issue) => Object.keys(issue).join(" ")),
    };
  });
  const invalid = (...pointers) => ["INVALID_INPUT", "with-changes", pointers];
  assert.deepEqual(found, {
    absent: ["ok", "ok", invalid("/capabilityId"), invalid("/capabilityId", "/input")],
    many: invalid("/capabilityId", "/instanceId", "/reason", "/surfaceVersion"),
    scope: [invalid("/scope"), invalid("/scope/0", "/scope/1"), invalid("/input"), "ok"],
    kinds: [invalid(""), invalid(""), invalid(""), invalid("/capabilityId")],
    refused: ["t", "surface_act", true],
    joined: true,
    audited: ["invocation-started", "INVALID_INPUT"],
    shape: ["path pointer message", "path pointer message"],
  });
});

test("the scope of the options is a floor: a model may narrow it, and no call goes past it", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    for (const type of ["devices.table", "devices.map", "billing", "devicesx"]) {
      registry.register(T.component({ type, observations: { rows: T.read(() => type) }, actions: { go: T.act(() => type) } }));
    }
    const scope = ["devices"];
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, mode: "meta", topology: "embedded", scope });
    scope.push("billing");
    const [discover, read, act] = toolset.tools();
    const seen = async (asked) => {
      const { output } = await discover.execute(asked && { scope: asked });
      return [output.components.map(({ type }) => type).sort().join(" "), output.scopeRejected];
    };
    const call = async (tool, capabilityId) => T.brief(await tool.execute({ capabilityId, ...(tool === act && { input: {} }) }));
    const direct = await registry.invoke(
      { capabilityId: "view:billing.go", input: {}, invocationId: "known" },
      { consumer: { id: "c", kind: "embedded" } },
    );
    const many = async (length) => T.brief(await discover.execute({ scope: Array.from({ length }, (_, at) => `a${at}`) }));
    return {
      all: [await seen(), await seen([])],
      narrowed: await seen(["devices.map"]),
      refused: await seen(["billing", "devices.table", "devicesx", "billing", "devices.table"]),
      nothing: await seen(["billing"]),
      calls: [
        await call(read, "view:devices.map.rows"),
        await call(act, "view:devices.map.go"),
        await call(read, "view:billing.rows"),
        await call(act, "view:billing.go"),
        await call(act, "view:devicesx.go"),
      ],
      known: [direct.status, T.brief(await act.execute({ capabilityId: "view:billing.go", input: {}, invocationId: "known" }))],
      many: [(await many(256))[1].scopeRejected.prefixes.length, (await many(257))[0]],
    };
  });
  const gone = ["CAPABILITY_NOT_FOUND", undefined];
  const all = ["devices.map devices.table", undefined];
  assert.deepEqual(found, {
    all: [all, all],
    narrowed: ["devices.map", undefined],
    refused: ["devices.table", { prefixes: ["billing", "devicesx"] }],
    nothing: ["", { prefixes: ["billing"] }],
    calls: [["ok", "devices.map"], ["ok", "devices.map"], gone, gone, gone],
    known: ["ok", gone],
    many: [256, "INVALID_INPUT"],
  });
});

test("a budget bounds what is discovered, says what it left out, and no call", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    for (const [at, type] of ["a", "b", "c"].entries()) {
      registry.register(T.component({ type, priority: -at, actions: { go: T.act(() => type) } }));
    }
    const consumer = { id: "c", kind: "embedded" };
    const make = (budget) => A.createAgentToolset(registry, { consumer, mode: "meta", topology: "embedded", budget });
    const budget = { maxComponents: 2 };
    const [discover, , act] = make(budget).tools();
    budget.maxComponents = 3;
    const seen = async (envelope) => {
      const { output } = await discover.execute(envelope);
      return [output.components.map(({ type }) => type).join(""), output.truncated, output.scopeRejected];
    };
    return {
      seen: [await seen(), await seen({ scope: ["c"] })],
      called: T.brief(await act.execute({ capabilityId: "view:c.go", input: {} })),
      faults: [(await T.fault(() => make({ maxComponents: -1 }))).name, (await T.fault(() => make(3))).name],
    };
  });
  assert.deepEqual(found, {
    seen: [["ab", { droppedComponents: 1 }, undefined], ["c", undefined, undefined]],
    called: ["ok", "c"],
    faults: ["TypeError", "TypeError"],
  });
});

test("confirmations wait, and complete in two phases, as in direct mode", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const ran = [];
    const go = T.act(({ n }, { invocationId }) => ran.push([n, invocationId]), { confirmation: "required", input: T.object({ n: {} }) });
    registry.register(T.component({ actions: { go } }));
    const consumer = { id: "c", kind: "embedded" };
    const make = (more) => A.createAgentToolset(registry, { consumer, mode: "meta", ...more }).tools()[2];
    const decide = (approved) => registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved });
    const call = (tool, n, more, options) => tool.execute({ capabilityId: "view:demo.go", input: { n }, ...more }, options);
    const waiting = make({ topology: "embedded" });
    const first = call(waiting, 1, {}, { toolCallId: "t1" });
    decide(true);
    const waited = T.brief(await first);
    const remote = make({ topology: "remote" });
    const asked = await call(remote, 2);
    decide(true);
    const repeated = T.brief(await call(remote, 2));
    const named = (await call(remote, 3)).error.details.confirmationId;
    decide(true);
    const other = make({ topology: "remote", confirmations: "wait", waitMs: 1000 });
    const byEnvelope = T.brief(await call(other, 3, { confirmationId: named }));
    const called = (await call(remote, 4)).error.details.confirmationId;
    decide(true);
    const byOption = T.brief(await call(other, 4, {}, { confirmationId: called }));
    // An id in the envelope is the model's own word for the call: it goes before the provider's.
    const own = call(waiting, 5, { invocationId: "mine" }, { toolCallId: "t5" });
    decide(true);
    const { invocationId } = await own;
    const replayed = (await call(waiting, 5, { invocationId: "mine" }, { toolCallId: "t6" })) === (await own);
    const unbounded = await T.fault(() => make({ topology: "remote", confirmations: "wait" }));
    const undeclared = await T.fault(() => make({}));
    return { waited, asked: asked.error.code, repeated, byEnvelope, byOption, invocationId, replayed, ran, faults: [unbounded.code, undeclared.code] };
  });
  assert.deepEqual(found, {
    waited: ["ok", 1],
    asked: "CONFIRMATION_REQUIRED",
    repeated: ["ok", 2],
    byEnvelope: ["ok", 3],
    byOption: ["ok", 4],
    invocationId: "mine",
    replayed: true,
    ran: [[1, "t1"], ...found.ran.slice(1, 4), [5, "mine"]],
    faults: ["INVALID_DEFINITION", "INVALID_DEFINITION"],
  });
});

test("the surface's version is only what the model sends", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => "gone" });
    const handle = registry.register(
      T.component({ procedures: [A.procedure({ id: "domain:wipe", description: "Wipe", input: A.emptyObjectSchema, effect: "destructive" })] }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, mode: "meta", topology: "remote" });
    const [discover, , act] = toolset.tools();
    const { surfaceVersion } = (await discover.execute({})).output;
    handle.invalidate();
    const call = async (more) => T.brief(await act.execute({ capabilityId: "domain:wipe", input: {}, ...more }))[0];
    return [await call({ surfaceVersion }), await call({ surfaceVersion: registry.getVersion() }), await call({})];
  });
  assert.deepEqual(found, ["STALE_CAPABILITY", "CONFIRMATION_REQUIRED", "CONFIRMATION_REQUIRED"]);
});

test("an input that is the JSON text of an object is that object, with a word to the developer", async () => {
  const found = await run(async () => {
    const printed = T.hush("warn", "error", "debug");
    const registry = T.registry({ environment: "development", requireApprover: false });
    const own = { jsonSchema: { type: "object" }, parse: (value) => ({ ...value, parsed: true }) };
    registry.register(
      T.component({
        actions: {
          go: T.act((input) => input, { input: T.object({ n: { type: "number" }, d: { type: "integer", default: 7 } }) }),
          own: T.act((input) => input, { input: own, confirmation: "required" }),
          say: T.act((input) => input, { input: A.fromJsonSchema({ type: "string" }) }),
          list: T.act((input) => input, { input: A.fromJsonSchema({ type: "object", additionalProperties: true }) }),
        },
      }),
    );
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, mode: "meta", topology: "embedded" });
    const act = toolset.tools()[2];
    const call = async (name, input) => T.brief(await act.execute({ capabilityId: `view:demo.${name}`, input }));
    const waiting = call("own", '{"a":1}');
    const [asked] = registry.confirmations.pending();
    registry.confirmations.resolve(asked.confirmationId, { approved: true });
    const results = {
      text: await call("go", ' {"n":1.50, "n":2e0}'),
      own: [asked.input, await waiting],
      string: await call("say", '{ "n": 1 }'),
      array: (await call("list", "[1]"))[0],
      // What JSON cannot say as a number is no number here either.
      infinite: (await call("go", '{"n":1e400}'))[0],
      inArray: (await call("list", ['{"n":1}']))[0],
      broken: (await call("go", "{n:1}"))[0],
    };
    return { ...results, warned: printed().filter((line) => line.includes("JSON text")).length > 0 };
  });
  assert.deepEqual(found, {
    text: ["ok", { n: 2, d: 7 }],
    own: [{ a: 1, parsed: true }, ["ok", { a: 1, parsed: true }]],
    string: ["ok", '{ "n": 1 }'],
    array: "INVALID_INPUT",
    infinite: "INVALID_INPUT",
    inArray: "INVALID_INPUT",
    broken: "INVALID_INPUT",
    warned: true,
  });
});

test("its tools never throw, whatever they are given and whenever they are called", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => 1) } }));
    const make = () => A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, mode: "meta", topology: "embedded" });
    const toolset = make();
    const other = make();
    const code = async (result) => (await result).error?.code ?? "ok";
    const throwing = {
      get input() {
        throw new Error("x");
      },
    };
    const go = { capabilityId: "view:demo.go", input: {} };
    const [discover, read, act] = toolset.tools();
    const results = [await code(act.execute(throwing)), await code(act.execute(go, { toolCallId: 7 })), await code(act.execute(go, null))];
    const large = await code(act.execute({ ...go, input: { text: "x".repeat(300_000) } }));
    toolset.dispose();
    const disposed = [await code(discover.execute({})), await code(read.execute({}))];
    registry.dispose();
    return { results, large, disposed, gone: await code(other.tools()[0].execute({})), tools: other.tools().length };
  });
  assert.deepEqual(found, {
    results: ["EXECUTION_FAILED", "EXECUTION_FAILED", "ok"],
    large: "INVALID_INPUT",
    disposed: ["CANCELLED", "CANCELLED"],
    gone: "CANCELLED",
    tools: 3,
  });
});
