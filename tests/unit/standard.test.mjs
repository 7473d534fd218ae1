// `fromStandardSchema` with the libraries that people use: verdicts, transforms, places of issues, and what agents see.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { AgentSchemaError, AgentSurfaceDefinitionError } from "../../pkg-template/lib/errors.js";
import { fromStandardSchema } from "../../pkg-template/lib/schema.js";

const issuesOf = (run) => {
  let found;
  assert.throws(run, (error) => ((found = error.issues), error instanceof AgentSchemaError));
  return found;
};

const zodOrder = z.object({
  items: z.array(z.object({ name: z.string().trim().min(1), qty: z.number().int().min(1).max(10) })).min(1),
  note: z.string().optional(),
});
const valibotOrder = v.object({
  items: v.pipe(
    v.array(v.object({ name: v.pipe(v.string(), v.trim(), v.minLength(1)), qty: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)) })),
    v.minLength(1),
  ),
  note: v.optional(v.string()),
});
const arktypeOrder = type({ items: type({ name: "string.trim", qty: "1 <= number.integer <= 10" }).array().atLeastLength(1), "note?": "string" });
const z3Order = z3.object({
  items: z3.array(z3.object({ name: z3.string().trim().min(1), qty: z3.number().int().min(1).max(10) })).min(1),
  note: z3.string().optional(),
});

const plain = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, qty: { type: "integer", minimum: 1, maximum: 10 } },
        required: ["name", "qty"],
      },
    },
    note: { type: "string" },
  },
  required: ["items"],
};

const orders = {
  "Zod 4": fromStandardSchema(zodOrder, { jsonSchema: z.toJSONSchema(zodOrder, { io: "input" }) }),
  "Zod 4, converting itself": fromStandardSchema(zodOrder),
  Valibot: fromStandardSchema(valibotOrder, { jsonSchema: toJsonSchema(valibotOrder, { typeMode: "input", ignoreActions: ["trim"] }) }),
  ArkType: fromStandardSchema(arktypeOrder, { jsonSchema: arktypeOrder.in.toJsonSchema() }),
  "Zod 3, with a document by hand": fromStandardSchema(z3Order, { jsonSchema: plain }),
};

for (const [name, schema] of Object.entries(orders)) {
  describe(name, () => {
    test("a good value is parsed and transformed", () => {
      const value = { items: [{ name: " lamp ", qty: 2 }] };
      assert.deepEqual(schema.parse(value), { items: [{ name: "lamp", qty: 2 }] });
      assert.deepEqual(schema.validate(value), { items: [{ name: "lamp", qty: 2 }] });
    });

    test("issues have their place as path and as JSON Pointer", () => {
      const issues = issuesOf(() => schema.parse({ items: [{ name: "lamp", qty: 11 }, { name: "x", qty: 1.5 }], note: 1 }));
      const places = issues.map(({ path, pointer }) => `${path} ${pointer}`).sort();
      assert.deepEqual(places, ["items[0].qty /items/0/qty", "items[1].qty /items/1/qty", "note /note"]);
      for (const { message } of issues) assert.ok(message.length > 3, message);
    });

    test("what agents see has every property, with its kind, and what is required", () => {
      const { properties, required } = schema.jsonSchema;
      assert.deepEqual([Object.keys(properties).sort(), required], [["items", "note"], ["items"]]);
      const { items } = properties.items;
      assert.deepEqual(Object.keys(items.properties).sort(), ["name", "qty"]);
      assert.deepEqual([items.properties.qty.type, items.properties.qty.minimum, items.properties.qty.maximum], ["integer", 1, 10]);
      assert.ok(Object.isFrozen(items));
    });

    test("a value of the wrong kind is an issue, never an exception", () => {
      for (const value of [undefined, null, 1, "{}", []]) assert.ok(issuesOf(() => schema.parse(value)).length > 0);
    });
  });
}

describe("asynchronous validators", () => {
  const taken = async (name) => name !== "taken";
  const jsonSchema = { type: "object", properties: { name: { type: "string" } } };
  const asynchronous = {
    "Zod 4": [z.object({ name: z.string().refine(taken, "is taken") }), { jsonSchema }],
    Valibot: [v.objectAsync({ name: v.pipeAsync(v.string(), v.checkAsync(taken, "is taken")) }), { jsonSchema }],
  };
  for (const [name, [schema, options]] of Object.entries(asynchronous)) {
    test(`${name}: \`validate\` waits, \`parse\` says that it cannot`, async () => {
      const made = fromStandardSchema(schema, options);
      assert.deepEqual(await made.validate({ name: "free" }), { name: "free" });
      await assert.rejects(made.validate({ name: "taken" }), (error) => {
        assert.deepEqual(error.issues, [{ path: "name", pointer: "/name", message: "is taken" }]);
        return error instanceof AgentSchemaError;
      });
      assert.match(issuesOf(() => made.parse({ name: "free" }))[0].message, /asynchronously/);
    });
  }
});

describe("a conversion that went wrong", () => {
  const empty = { type: "object", properties: {} };
  test("fields that are gone are an error, not a tool without arguments", () => {
    // What a converter for another major version answers: it recognizes nothing of what it is given.
    for (const jsonSchema of [{}, empty, { $schema: "http://json-schema.org/draft-07/schema#" }, { ...empty, additionalProperties: false }]) {
      for (const schema of [zodOrder, valibotOrder, z3Order, arktypeOrder]) {
        assert.throws(
          () => fromStandardSchema(schema, { jsonSchema }),
          (error) => error instanceof AgentSurfaceDefinitionError && error.code === "INVALID_DEFINITION" && /no propert/.test(error.message),
        );
      }
    }
  });

  test("a schema without fields may convert to one without properties", () => {
    for (const schema of [z.object({}), v.object({}), z3.object({})]) {
      assert.deepEqual(fromStandardSchema(schema, { jsonSchema: empty }).jsonSchema, empty);
    }
    assert.deepEqual(fromStandardSchema(z.any(), { jsonSchema: {} }).jsonSchema, {});
    assert.deepEqual(fromStandardSchema(z.string(), { jsonSchema: { type: "string" } }).jsonSchema, { type: "string" });
  });

  test("fields behind `anyOf`, `$ref` and the like count as there", () => {
    for (const jsonSchema of [{ anyOf: [plain] }, { $ref: "#/$defs/a", $defs: { a: plain } }, { allOf: [plain] }]) {
      assert.equal(typeof fromStandardSchema(zodOrder, { jsonSchema }).parse, "function");
    }
  });

  test("a library that does not convert itself asks for the document", () => {
    assert.throws(() => fromStandardSchema(valibotOrder), { code: "INVALID_DEFINITION", message: /valibot schema.*jsonSchema/ });
  });
});
