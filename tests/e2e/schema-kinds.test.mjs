// One contract, written four ways (the subset, the full engine, Zod, Valibot), through every way in: what agents send is
// checked before anything of the page runs, whoever validates.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./harness/server.mjs";
import { FOLDERS, usePage } from "./surface-page.mjs";

const libraries = join(ROOT, "tests", "node_modules");
const { run } = usePage({
  server: {
    folders: { "/zod/": join(libraries, "zod"), "/valibot/": join(libraries, "valibot"), ...FOLDERS },
    // No `unsafe-eval`: a validator that compiles itself must do without.
    headers: () => ({ "content-security-policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:" }),
  },
});

const KINDS = ["subset", "full", "zod", "valibot", "asynchronous"];
const WAYS = ["invoke", "embedded", "remote", "webmcp"];

test("the same five bad calls are refused with their places on every way in, and the handler never runs", async () => {
  const found = await run(
    async ({ kinds, ways }) => {
      const [{ z }, v, { installSchemaEngine }] = await Promise.all([
        import("/zod/index.js"),
        import("/valibot/dist/index.mjs"),
        import("/pkg/dist/schema.js"),
      ]);
      await installSchemaEngine();
      const plain = {
        type: "object",
        properties: { qty: { type: "integer", minimum: 1, maximum: 10 } },
        required: ["qty"],
        additionalProperties: false,
      };
      const order = z.strictObject({ qty: z.number().int().min(1).max(10) });
      const patient = order.refine(async () => true);
      const schemas = {
        subset: A.fromJsonSchema(plain),
        full: A.fromJsonSchema({ ...plain, allOf: [{ not: { type: "object", required: ["sku"] } }] }),
        zod: A.fromStandardSchema(order, { jsonSchema: z.toJSONSchema(order) }),
        valibot: A.fromStandardSchema(
          v.strictObject({ qty: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)) }),
          { jsonSchema: plain },
        ),
        asynchronous: A.fromStandardSchema(patient, { jsonSchema: plain }),
      };
      const outcomes = {};
      for (const kind of kinds) {
        const registry = T.registry();
        let ran = 0;
        let asked = 0;
        const policies = [{ name: "watch", onInvoke: (_, next) => (asked++, next()) }];
        registry.register(T.component({ actions: { order: T.act(() => ++ran, { input: schemas[kind], policies }) } }));
        const tools = {};
        const modelContext = { registerTool: (tool) => (tools[tool.name] = tool) };
        const detach = registry.attach(A.createWebMcpAdapter({ modelContext }), { consumer: { id: "browser", kind: "webmcp" } });
        await T.turn();
        const toolset = (topology) => A.createAgentToolset(registry, { consumer: { id: topology, kind: "embedded" }, topology }).tools()[0];
        const [embedded, remote] = [toolset("embedded"), toolset("remote")];
        const through = {
          invoke: (input) => registry.invoke({ capabilityId: "view:demo.order", input }),
          embedded: (input) => embedded.execute(input),
          remote: (input) => remote.execute(input),
          webmcp: async (input) => {
            const [tool] = Object.values(tools);
            const answer = await tool.execute(input);
            return JSON.parse(answer.content[0].text);
          },
        };
        for (const way of ways) {
          const places = [];
          for (const input of [{}, { qty: "3" }, { qty: 11 }, null, []]) {
            const result = await through[way](input);
            const error = result.error ?? result;
            places.push([error.code, error.details?.issues?.map(({ pointer }) => pointer).join()]);
          }
          outcomes[`${kind} ${way}`] = { places, ran, asked };
        }
        const good = await through.invoke({ qty: 3 });
        outcomes[`${kind} good`] = [good.status, ran];
        await detach();
        registry.dispose();
      }
      return outcomes;
    },
    { kinds: KINDS, ways: WAYS },
  );
  for (const kind of KINDS) {
    for (const way of WAYS) {
      const { places, ran, asked } = found[`${kind} ${way}`];
      const name = `${kind} through ${way}`;
      assert.deepEqual([ran, asked], [0, 0], name);
      assert.deepEqual(places.slice(0, 3), [["INVALID_INPUT", "/qty"], ["INVALID_INPUT", "/qty"], ["INVALID_INPUT", "/qty"]], name);
      // Tool callers say `null` for no arguments; anywhere else it is a value like any other.
      assert.deepEqual(places[3], ["INVALID_INPUT", way === "invoke" ? "" : "/qty"], name);
      assert.equal(places[4][0], "INVALID_INPUT", name);
    }
    assert.deepEqual(found[`${kind} good`], ["ok", 1], kind);
  }
});

test("an output is checked by every kind, and a bare text is no object", async () => {
  const found = await run(async () => {
    const { z } = await import("/zod/index.js");
    const total = z.object({ total: z.number() });
    const schemas = {
      subset: T.object({ total: { type: "number" } }),
      full: A.fromJsonSchema({ type: "object", oneOf: [{ properties: { total: { type: "number" } } }] }),
      zod: A.fromStandardSchema(total, { jsonSchema: z.toJSONSchema(total) }),
    };
    const outcomes = [];
    for (const output of Object.values(schemas)) {
      for (const answer of [{ total: 12 }, { total: "12" }, "12"]) {
        const registry = T.registry();
        registry.register(T.component({ actions: { sum: T.act(() => answer, { output }) } }));
        const [code, details] = T.brief(await registry.invoke({ capabilityId: "view:demo.sum" }));
        outcomes.push(code === "ok" ? code : details.reason);
      }
    }
    return outcomes;
  });
  const each = ["ok", "output-invalid", "output-invalid"];
  assert.deepEqual(found, [...each, ...each, ...each]);
});
