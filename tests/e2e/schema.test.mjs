// The full schema engine in a page: installed late, under a Content Security Policy, and not at all.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPage } from "./harness/browser.mjs";
import { runIn, usePage } from "./surface-page.mjs";

const WASM = "/pkg/dist/agent_surface_schema.wasm";
const answers = {};
let policy;
const { run, held, takeFaults } = usePage({
  server: { answers, headers: () => (policy === undefined ? {} : { "content-security-policy": policy }) },
});

/** Runs in a page of its own, so that nothing is installed yet. */
const fresh = async (fn, argument, given, path = "/surface.html") => {
  policy = given;
  try {
    const page = await openPage(held.browser, held.server.origin + path);
    if (path === "/surface.html") await page.waitForSelector("html[data-ready]", { state: "attached" });
    const requests = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    const found = await runIn(page, fn, argument);
    await page.close();
    return { found, requests };
  } finally {
    policy = undefined;
  }
};

test("a oneOf schema is refused until the engine is installed, then goes the whole way to an agent and back", async () => {
  const { found, requests } = await fresh(async () => {
    const shape = (kind, field) => ({
      type: "object",
      properties: { kind: { const: kind }, [field]: { type: "number", minimum: 0 } },
      required: ["kind", field],
      unevaluatedProperties: false,
    });
    const jsonSchema = {
      type: "object",
      properties: { shape: { oneOf: [shape("circle", "radius"), shape("square", "side")] }, times: { type: "integer", default: 1 } },
      required: ["shape"],
      additionalProperties: false,
    };
    // As written at module scope, before anything is there.
    const input = A.fromJsonSchema(jsonSchema);
    const output = A.fromJsonSchema({ type: "object", properties: { n: { default: 7 } }, not: { required: ["bad"] } });
    const registry = T.registry();
    let ran = 0;
    const actions = { draw: T.act((given) => (ran++, given.times > 5 ? { bad: 1 } : given), { input, output }) };
    const definition = T.component({ actions });
    const early = await T.fault(() => registry.register(definition));
    const early_parse = await T.fault(() => input.parse({}));
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    await Promise.all([installSchemaEngine(), installSchemaEngine(), installSchemaEngine()]);
    await installSchemaEngine();
    registry.register(definition);
    const toolset = A.createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
    const [tool] = toolset.tools();
    const call = async (given) => T.brief(await tool.execute(given));
    const bad = [{}, { shape: { kind: "circle" } }, { shape: { kind: "circle", radius: 1, side: 2 } }, null, [], { shape: 1, x: 1 }];
    const refused = [];
    for (const each of bad) refused.push(await call(each));
    return {
      early,
      early_parse,
      listed: tool.inputSchema,
      same: JSON.stringify(tool.inputSchema) === JSON.stringify(jsonSchema),
      good: await call({ shape: { kind: "circle", radius: 2 } }),
      output: await call({ shape: { kind: "square", side: 1 }, times: 6 }),
      refused,
      ran,
      parsed: input.parse({ shape: { side: 1, kind: "square" } }),
      checked: [A.validateJsonSchemaDocument(jsonSchema), A.validateValueAgainstSchema(1, { not: { type: "number" } }).length],
    };
  });
  for (const each of [found.early, found.early_parse]) {
    assert.equal(each.code, "UNSUPPORTED_SCHEMA");
    assert.match(each.message, /`oneOf` at `\/properties\/shape\/oneOf`.*agent-surface-wasm\/schema/);
  }
  assert.equal(found.same, true);
  assert.deepEqual(found.good, ["ok", { shape: { kind: "circle", radius: 2 }, times: 1 }]);
  assert.deepEqual([found.output[0], found.output[1].reason], ["EXECUTION_FAILED", "output-invalid"]);
  assert.equal(found.ran, 2);
  const places = found.refused.map(([code, { issues }]) => [code, ...issues.map(({ pointer }) => pointer).sort()]);
  assert.deepEqual(places, [
    ["INVALID_INPUT", "/shape"],
    ["INVALID_INPUT", "/shape"],
    ["INVALID_INPUT", "/shape"],
    ["INVALID_INPUT", "/shape"],
    ["INVALID_INPUT", ""],
    ["INVALID_INPUT", "/shape", "/x"],
  ]);
  assert.deepEqual(Object.keys(found.parsed), ["shape", "times"]);
  assert.deepEqual(Object.keys(found.parsed.shape), ["side", "kind"]);
  assert.deepEqual(found.checked, [{ ok: true }, 1]);
  assert.equal(requests.filter((path) => path === WASM).length, 1);
});

test("a page that does not install it never asks for its module", async () => {
  const { requests } = await fresh(() => A.fromJsonSchema({ type: "object" }).parse({}));
  assert.deepEqual(requests.filter((path) => path.includes("schema")), []);
});

test("bound and locked fields, confirmations and documents work with such schemas", async () => {
  const found = await run(async () => {
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    const documents = { "https://example.com/city.json": { enum: ["Osaka", "Lima"] } };
    const input = A.fromJsonSchema({
      type: "object",
      properties: { ids: { type: "array", contains: { const: "d1" } }, city: { $ref: "https://example.com/city.json" }, note: { not: { const: "x" } } },
      required: ["ids", "city"],
      additionalProperties: false,
    });
    const registry = T.registry();
    const asked = [];
    registry.setProcedureExecutor({ execute: ({ input }) => (asked.push(input), null) });
    let ids = ["d1", "d2"];
    const procedures = [A.procedure({ id: "domain:devices.move", description: "Moves", input, effect: "server-query", bind: { ids: () => ids } })];
    const without = await T.fault(() => registry.register(T.component({ procedures })));
    await installSchemaEngine({ documents });
    registry.register(T.component({ procedures }));
    const call = async (given) => T.brief(await registry.invoke({ capabilityId: "domain:devices.move", input: given }));
    const outcomes = [await call({ city: "Lima" }), await call({ city: "Lima", ids: [] }), await call({ city: "Rome" }), await call({ city: "Lima", note: "x" })];
    ids = ["d2"];
    outcomes.push(await call({ city: "Lima" }));
    const shown = registry.snapshot().procedures[0].inputSchema;
    return { without, outcomes, asked, shown };
  });
  assert.equal(found.without.code, "UNSUPPORTED_SCHEMA");
  assert.deepEqual(found.outcomes.map(([code]) => code), ["ok", "INVALID_INPUT", "INVALID_INPUT", "INVALID_INPUT", "PRECONDITION_FAILED"]);
  assert.deepEqual(found.outcomes[1][1].lockedFields, ["ids"]);
  assert.deepEqual([found.outcomes[2][1].issues[0].pointer, found.outcomes[3][1].issues[0].pointer], ["/city", "/note"]);
  assert.deepEqual(found.asked, [{ city: "Lima", ids: ["d1", "d2"] }]);
  assert.deepEqual([Object.keys(found.shown.properties), found.shown.required], [["city", "note"], ["city"]]);
});

test("what the engine refuses, too, is named with keyword and place when a component registers", async () => {
  const found = await run(async () => {
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    await installSchemaEngine();
    const registry = T.registry();
    const refusal = async (jsonSchema, limits) => {
      try {
        T.registry({ limits }).register(T.component({ actions: { go: T.act(() => 1, { input: A.fromJsonSchema(jsonSchema) }) } }));
        return "registered";
      } catch ({ code, message, details }) {
        return [code, details?.pointer ?? message];
      }
    };
    const deep = (levels) => (levels ? { not: deep(levels - 1) } : {});
    const found = {
      invalid: await refusal({ properties: { a: { oneOf: [] } } }),
      remote: await refusal({ items: { $ref: "https://example.com/nowhere" }, not: {} }),
      backreference: await refusal({ allOf: [{ pattern: "(a)\\1" }] }),
      default: await refusal({ not: { const: 1 }, properties: { a: { type: "string", default: 1 } } }),
      deep: await refusal(deep(9)),
      large: await refusal({ not: { const: "x".repeat(16_384) } }),
    };
    const raised = T.component({ type: "raised", actions: { go: T.act(() => 1, { input: A.fromJsonSchema(deep(9)) }) } });
    const { status } = T.registry({ limits: { maxSchemaDepth: 9 } }).register(raised);
    registry.dispose();
    return { ...found, status };
  });
  assert.deepEqual(found, {
    invalid: ["UNSUPPORTED_SCHEMA", "/properties/a/oneOf"],
    remote: ["UNSUPPORTED_SCHEMA", "/items/$ref"],
    backreference: ["UNSUPPORTED_SCHEMA", "/allOf/0/pattern"],
    default: ["INVALID_DEFINITION", "/properties/a/default"],
    deep: ["UNSUPPORTED_SCHEMA", "/not/not/not/not/not/not/not/not/not"],
    large: ["UNSUPPORTED_SCHEMA", "[UNSUPPORTED_SCHEMA] `input` of action `go`: the JSON text has 16404 bytes, at most 16384 are allowed"],
    status: "active",
  });
});

test("a pattern cannot hang the page, in a text or in a property's name", async () => {
  const slowest = await run(async () => {
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    await installSchemaEngine();
    const text = `${"a".repeat(40)}!`;
    const cases = [
      [A.fromJsonSchema({ not: { type: "null" }, pattern: "^(a+)+$" }), text],
      [A.fromJsonSchema({ patternProperties: { "^(a+)+$": false }, additionalProperties: false }), { [text]: 1 }],
      [A.fromJsonSchema({ allOf: [{ pattern: "^(\\p{L}+)+$" }] }), text],
    ];
    const times = cases.map(([schema, value]) => {
      const refused = () => {
        try {
          schema.parse(value);
        } catch (error) {
          return error.issues.length;
        }
      };
      // Compiled once, as it is when a component registers.
      if (refused() !== 1) return Infinity;
      const start = performance.now();
      refused();
      return performance.now() - start;
    });
    return Math.max(...times);
  });
  assert.ok(slowest < 10, `${slowest} ms`);
});

test("more schemas than are kept compiled are compiled again, and all of them answer", async () => {
  const wrong = await run(async () => {
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    await installSchemaEngine();
    const schemas = Array.from({ length: 300 }, (_, at) => A.fromJsonSchema({ not: { const: at }, type: "integer" }));
    const issues = (schema, value) => A.validateValueAgainstSchema(value, schema.jsonSchema).length;
    return schemas.filter((schema, at) => issues(schema, at) !== 1 || issues(schema, at + 1) !== 0).length;
  });
  assert.equal(wrong, 0);
});

test("values as deep as a registry takes them are checked to the end", async () => {
  const found = await run(async () => {
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    await installSchemaEngine();
    const tree = A.fromJsonSchema({ $defs: { n: { not: { const: 0 }, items: { $ref: "#/$defs/n" } } }, $ref: "#/$defs/n" });
    const nested = (levels, leaf) => (levels ? [nested(levels - 1, leaf)] : leaf);
    const issues = (value) => A.validateValueAgainstSchema(value, tree.jsonSchema).map(({ pointer }) => pointer);
    return [issues(nested(60, 1)), issues(nested(60, 0))];
  });
  assert.deepEqual(found, [[], ["/0".repeat(60)]]);
});

test("a trap in the engine is an issue of the value, and a fresh instance goes on", async () => {
  const found = await run(async () => {
    const { installSchemaEngine } = await import("/pkg/dist/schema.js");
    await installSchemaEngine({ documents: { "https://example.com/one.json": { const: 1 } } });
    const schema = A.fromJsonSchema({ not: { const: 0 }, $ref: "https://example.com/one.json" });
    schema.parse(1);
    const { engine } = globalThis[Symbol.for("agent-surface-wasm/1")];
    // What the engine's own code cannot be brought to do: a stack that overflows, memory that runs out.
    engine.inner.check = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const trapped = await T.fault(() => schema.parse(1));
    return [trapped.name, trapped.message, schema.parse(1), A.validateValueAgainstSchema(2, schema.jsonSchema).length];
  });
  assert.deepEqual(found, ["AgentSchemaError", "is too complex to be checked", 1, 1]);
});

const install = async (options) => {
  const { installSchemaEngine } = await import("/pkg/dist/schema.js");
  const attempt = () =>
    installSchemaEngine(options).then(
      () => "installed",
      ({ name, code, message, details }) => ({ name, code, message, details }),
    );
  return [await attempt(), await attempt()];
};

test("with 'wasm-unsafe-eval' and without 'unsafe-eval' schemas are checked; nothing is compiled by eval", async () => {
  const strict = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
  const { found } = await fresh(
    async () => {
      const { installSchemaEngine } = await import("/pkg/dist/schema.js");
      await installSchemaEngine();
      const { Function: Compile } = globalThis;
      let eval_ = "allowed";
      try {
        new Compile("return 1")();
      } catch (error) {
        eval_ = error.name;
      }
      return [eval_, A.validateValueAgainstSchema({ a: 1 }, { allOf: [{ properties: { a: { type: "string" } } }] })[0].pointer];
    },
    undefined,
    strict,
  );
  assert.deepEqual(found, ["EvalError", "/a"]);
  held.page.faults.length = 0;
});

test("without 'wasm-unsafe-eval' it fails with a typed error that names the directive, each time", async () => {
  const { found } = await fresh(install, undefined, "default-src 'self'; script-src 'self'", "/csp.html");
  for (const each of found) {
    assert.deepEqual([each.name, each.code], ["AgentSurfaceRuntimeError", "WASM_BLOCKED_BY_CSP"]);
    assert.match(each.message, /'wasm-unsafe-eval'.*script-src/);
  }
});

for (const [name, answer, status] of [
  ["a 404", { status: 404, body: "none", headers: { "content-type": "text/plain" } }, 404],
  ["an index.html with 200", { body: "<!doctype html>", headers: { "content-type": "text/html" } }, 200],
]) {
  test(`WASM_NOT_SERVED for ${name}, and the next call tries again`, async () => {
    answers[WASM] = answer;
    const { found } = await fresh(install).finally(() => delete answers[WASM]);
    for (const each of found) {
      assert.deepEqual([each.name, each.code, each.details.status], ["AgentSurfaceRuntimeError", "WASM_NOT_SERVED", status]);
      assert.match(each.message, /agent_surface_schema\.wasm.*installSchemaEngine\(\{ url \}\)/);
    }
  });
}

test("documents that are no schemas are refused, and nothing is installed by that", async () => {
  const { found } = await fresh(install, { documents: { "not a uri": {} } });
  for (const each of found) assert.deepEqual([each.name, each.code], ["AgentSurfaceDefinitionError", "INVALID_DEFINITION"]);
  takeFaults();
});
