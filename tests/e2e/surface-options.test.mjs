// Options and answers at the edge of the contract, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("what is no option is refused by name, wherever it would leave a page open", async () => {
  const found = await run(async () => {
    const said = (make) => {
      try {
        make();
        return "accepted";
      } catch (error) {
        return `${error.code}: ${error.message}`;
      }
    };
    const registry = T.registry();
    const consumer = { id: "a", kind: "embedded" };
    return [
      said(() => A.createAgentSurfaceRegistry({ policys: [] })),
      said(() => A.createAgentSurfaceRegistry({ duplicateSuffixPolicy: "throw" })),
      said(() => A.createAgentToolset(registry, { consumer, topology: "embedded", scopes: ["x"] })),
      said(() => A.createWebMcpAdapter({ scope: ["x"] })),
      said(() => registry.attach(A.createWebMcpAdapter(), { scope: ["x"] })),
      said(() => A.createWebMcpAdapter({ confirmations: "wait", waitMs: -5 })),
      said(() => A.createAgentSurfaceRegistry({ onRegister: "accept" })),
      said(() => A.createAgentSurfaceRegistry({ now: 5 })),
      said(() => A.createWebMcpAdapter({ snapshotContext: { scopes: ["x"] } })),
      said(() => A.createWebMcpAdapter({ snapshotContext: ["x"] })),
      said(() => registry.attach(A.createWebMcpAdapter(), { snapshotContext: { scopes: ["x"] } })),
      said(() => registry.attach({ start() {}, stop() {} }, { snapshotContext: "x" })),
      said(() => registry.snapshot({ scopes: ["x"] })),
      said(() => registry.register(T.component()).update({ enable: false })),
      ...["true", 0, () => true].map((requireApprover) => said(() => A.createAgentSurfaceRegistry({ requireApprover }))),
    ];
  });
  const words = ["policys", "duplicateSuffixPolicy", "scopes", "scope", "scope", "waitMs", "onRegister", "now", "scopes", "0", "scopes", "0", "scopes", "enable", ...Array(3).fill("requireApprover")];
  for (const [at, word] of words.entries()) {
    assert.match(found[at], new RegExp(`^INVALID_DEFINITION: .*\`${word}\``), found[at]);
  }
});

test("what is wrong with a procedure is said in its author's words", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const said = (make) => {
      try {
        make();
        return "accepted";
      } catch (error) {
        return error.message;
      }
    };
    const execute = () => null;
    const noList = said(() => registry.setProcedureExecutor({ paths: 5, execute }));
    registry.setProcedureExecutor({ execute });
    const input = A.fromJsonSchema({ type: "object", properties: { ids: {} } });
    const base = { id: "domain:devices.disable", description: "d", input, effect: "server-query" };
    const refer = (more) =>
      said(() => registry.register({ type: "p", description: "d", procedures: [A.procedure({ ...base, ...more })] }));
    const bind = { ids: () => [] };
    // What `procedure` keeps in two lists has no other place.
    const byHand = (list) =>
      said(() => {
        const built = A.procedure({ ...base, bind });
        registry.register({ type: "p", description: "d", procedures: [{ ...built, config: { ...built.config, ...list } }] });
      });
    return [
      noList,
      refer({ bind, overridableFields: "ids" }),
      refer({ bind, lockedFields: ["idz"] }),
      refer({ bimd: 1 }),
      byHand({ boundFields: [] }),
      byHand({ lockedFields: ["ids"], overridableFields: ["ids"] }),
    ];
  });
  assert.match(found[0], /a procedure executor is \{ paths\?/);
  assert.match(found[1], /`overridableFields` of procedure `domain:devices\.disable` must be an array/);
  assert.match(found[2], /`lockedFields` of procedure `domain:devices\.disable` names `idz`/);
  assert.match(found[3], /unknown field `bimd`; it takes .*\bboundFields lockedFields overridableFields\b/);
  for (const said of found.slice(4)) assert.match(said, /`(boundFields|lockedFields)` of procedure .*build it with `procedure/);
});

test("null from a tool's caller is `{}` for an object's schema, and a value for any other", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const seen = [];
    const act = (input) =>
      A.action({ description: "d", input: A.fromJsonSchema(input), effect: "local-state", execute: (value) => void seen.push(value) });
    registry.register({
      type: "nulls",
      description: "d",
      actions: { takesObject: act({ type: "object" }), takesNull: act({ type: ["null", "string"] }) },
    });
    const toolset = A.createAgentToolset(registry, { consumer: { id: "a", kind: "embedded" }, topology: "embedded" });
    const results = [];
    for (const tool of toolset.tools()) results.push((await tool.execute(null)).status);
    return { results, seen };
  });
  assert.deepEqual(found, { results: ["ok", "ok"], seen: [{}, null] });
});

test("a handler's own RATE_LIMITED is a result like any other: its id runs nothing again", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    const execute = () => {
      runs++;
      throw new A.AgentSurfaceError({ code: "RATE_LIMITED", message: "Later.", retry: "after-delay" });
    };
    const go = A.action({ description: "d", input: A.emptyObjectSchema, effect: "local-state", execute });
    registry.register({ type: "limits", description: "d", actions: { go } });
    const call = () => registry.invoke({ capabilityId: "view:limits.go", invocationId: "one" });
    const codes = [(await call()).error.code, (await call()).error.code];
    return { runs, codes };
  });
  assert.deepEqual(found, { runs: 1, codes: ["RATE_LIMITED", "RATE_LIMITED"] });
});

test("an adapter gets the settled result of an output that is no JSON, where the page's own call rejects", async () => {
  const found = await run(async () => {
    const registry = T.registry({ environment: "development", audit: { record() {} }, requireApprover: false });
    const read = () => new Map();
    registry.register({
      type: "odd",
      description: "d",
      observations: { it: A.observation({ description: "d", output: A.fromJsonSchema({ type: "object" }), read }) },
    });
    let view;
    registry.attach({ name: "probe", start: (host) => void (view = host.registry), stop() {} });
    const request = { capabilityId: "view:odd.it" };
    const own = await registry.invoke(request).catch((error) => error.name);
    const { error } = await view.invoke(request);
    return [own, error.code, error.details.reason];
  });
  assert.deepEqual(found, ["TypeError", "EXECUTION_FAILED", "output-invalid"]);
});

test("in development an output that breaks its schema is printed for the developer; no caller sees it", async () => {
  const found = await run(async () => {
    const unhush = T.hush("warn");
    const results = [];
    for (const environment of ["development", "production"]) {
      const registry = T.registry({ environment, audit: { record() {} }, requireApprover: false });
      const output = A.fromJsonSchema({ type: "object", properties: { total: { type: "number" } } });
      const sum = A.action({ description: "d", input: A.emptyObjectSchema, effect: "local-state", output, execute: () => ({ total: "12" }) });
      registry.register({ type: "sums", description: "d", actions: { sum } });
      results.push(JSON.stringify((await registry.invoke({ capabilityId: "view:sums.sum" })).error));
    }
    return { results, printed: unhush() };
  });
  assert.equal(found.printed.length, 1);
  assert.match(found.printed[0], /view:sums\.sum .* not valid output, at `total`\./);
  for (const text of found.results) assert.match(text, /output-invalid/);
  for (const text of found.results) assert.doesNotMatch(text, /12/);
});

test("an author hears what was wrong with the schema that is his own; the caller hears that the input did not fit", async () => {
  const found = await run(async () => {
    const unhush = T.hush("warn");
    const audit = A.memoryAuditSink();
    const registry = T.registry({ environment: "development", audit, requireApprover: false });
    const parses = {
      slips: (value) => value.total.amount,
      givesNothing: () => undefined,
      refuses: () => {
        throw new A.AgentSchemaError([{ path: "total", pointer: "/total", message: "is too much" }]);
      },
    };
    const of = (parse) => T.act(() => null, { input: { jsonSchema: { type: "object" }, parse } });
    registry.register(T.component({ actions: Object.fromEntries(Object.entries(parses).map(([name, parse]) => [name, of(parse)])) }));
    const told = [];
    for (const name of Object.keys(parses)) {
      const { error } = await registry.invoke({ capabilityId: `view:demo.${name}` });
      told.push(`${error.code} ${error.details.issues[0].message}`);
    }
    const causes = audit.events().flatMap(({ cause }) => cause?.name ?? []);
    return { told, causes, printed: unhush() };
  });
  assert.deepEqual(found.told.map((text) => text.slice(0, 30)), [
    "INVALID_INPUT does not match t",
    "INVALID_INPUT must be JSON, fo",
    "INVALID_INPUT is too much",
  ]);
  assert.equal(found.printed.length, 2);
  assert.match(found.printed[0], /`view:demo\.slips` failed: TypeError/);
  assert.match(found.printed[1], /`view:demo\.givesNothing` failed: .*must be JSON/);
  assert.deepEqual(found.causes, ["TypeError", "TypeError"]);
});

test("AMBIGUOUS_INSTANCE lists enough to choose from, and no more", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const go = A.action({ description: "d", input: A.emptyObjectSchema, effect: "local-state", execute: () => undefined });
    for (let at = 0; at < 100; at++) registry.register({ type: "many", instanceId: `i${at}`, description: "d", actions: { go } });
    const { error } = await registry.invoke({ capabilityId: "view:many.go" });
    return [error.code, error.details.instances.length];
  });
  assert.deepEqual(found, ["AMBIGUOUS_INSTANCE", 32]);
});

test("development hears why an action that awaits itself timed out", async () => {
  const found = await run(async () => {
    const warnings = [];
    const warn = console.warn;
    console.warn = (...words) => warnings.push(words.join(" "));
    const clock = T.clock();
    try {
      const registry = T.registry({ environment: "development", audit: { record() {} }, requireApprover: false, now: clock.now });
      const input = A.emptyObjectSchema;
      const inner = A.action({ description: "d", input, effect: "local-state", execute: () => undefined });
      const outer = A.action({
        description: "d",
        input,
        effect: "local-state",
        execute: () => registry.invoke({ capabilityId: "view:selfish.inner" }),
      });
      registry.register({ type: "selfish", description: "d", actions: { inner, outer } });
      const call = registry.invoke({ capabilityId: "view:selfish.outer" });
      await T.turn();
      await clock.advance(10_000);
      const { error } = await call;
      return [error.code, warnings.filter((text) => text.includes("waits for itself")).length];
    } finally {
      console.warn = warn;
      clock.restore();
    }
  });
  assert.deepEqual(found, ["TIMEOUT", 1]);
});
