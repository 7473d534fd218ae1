// Strict schemas against the converters inside the official SDKs: what we make, they leave as it is. For the golden files and
// for schemas of every shape that has a strict form.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import { toStrictJsonSchema } from "openai/lib/transform";
import { ROOT } from "../e2e/harness/server.mjs";
import { initTargets, projectTools } from "./targets-surface.mjs";

const CONVERTERS = { anthropic: transformJSONSchema, "openai-responses": toStrictJsonSchema };
const COUNT = 600;

/** The same numbers in every run (the constants are those of ISO C's example of `rand`). */
const numbers = (seed) => (below) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;

/** Random schemas of depth 4 at most; `tree` may be referred to from within itself. */
const schemas = (seed) => {
  const next = numbers(seed);
  const pick = (list) => list[next(list.length)];
  const maybe = (members) => (next(3) ? {} : members);
  const closed = (properties, rest) => ({ type: "object", properties, additionalProperties: false, ...rest });
  const node = (depth) => {
    const shapes = [
      () => ({ type: "string", ...maybe({ minLength: 1 }), ...maybe({ format: pick(["date-time", "uri", "email"]) }), ...maybe({ default: "a" }) }),
      () => ({ type: pick(["integer", "number"]), ...maybe({ minimum: 1 }), ...maybe({ exclusiveMaximum: 9 }) }),
      () => ({ enum: pick([["a", "b"], [1, 2], ["a", null]]), ...maybe({ description: "One of them." }) }),
      () => ({ const: pick(["v", 1, true]) }),
      () => ({ type: pick([["string", "null"], "boolean", ["integer", "string"]]), ...maybe({ title: "T" }) }),
      () => ({ type: "array", items: node(depth + 1), ...maybe({ minItems: next(3) }), ...maybe({ uniqueItems: true }) }),
      () => ({ anyOf: [node(depth + 1), node(depth + 1)], ...maybe({ description: "Either." }) }),
      () => ({ $ref: "#/$defs/tree", ...maybe({ description: "From the root." }) }),
      () => closed({ a: node(depth + 1) }, { type: ["object", "null"] }),
      () => ({ oneOf: [closed({ kind: { const: "x" }, a: node(depth + 1) }, { required: ["kind"] }), { type: "null" }] }),
      () => ({ allOf: [closed({ a: node(depth + 1) }), { required: ["a"] }] }),
      () => closed({ a: node(depth + 1), b: node(depth + 1) }, maybe({ required: ["b"] })),
    ];
    return shapes[next(depth > 2 ? 5 : shapes.length)]();
  };
  const tree = closed({ value: node(2), children: { type: "array", items: { $ref: "#/$defs/tree" } } }, { required: ["value"] });
  return Array.from({ length: COUNT }, () => closed({ a: node(0), b: node(0) }, { required: ["a"], $defs: { tree } }));
};

for (const [target, convert] of Object.entries(CONVERTERS)) {
  test(`${target}: the SDK's converter has nothing to change in a strict schema`, async () => {
    await initTargets();
    const tools = schemas(7).map((inputSchema, at) => ({ name: `t${at}`, description: "d", inputSchema, state: { available: true } }));
    const strict = Object.fromEntries(tools.map(({ name }) => [name, { strict: true }]));
    const projected = projectTools({ tools: () => tools }, { target, tools: strict, maxStrict: COUNT, maxTools: COUNT });
    const made = projected.tools().filter((tool) => tool.strict);
    assert.ok(made.length > COUNT * 0.9, `${made.length} have a strict form`);
    for (const { name, input_schema, parameters } of made) {
      const schema = input_schema ?? parameters;
      assert.deepEqual(convert(schema), schema, name);
    }
  });
}

test("the strict schemas of the golden files are what the converters leave as they are", async () => {
  const folder = process.env.TARGETS_GOLDEN ?? join(ROOT, "tests", "golden", "targets");
  let count = 0;
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".txt"))) {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n");
    for (const line of lines.filter((text) => text.startsWith("{") && text.includes('"strict":true'))) {
      const { input_schema, parameters } = JSON.parse(line);
      const schema = input_schema ?? parameters;
      assert.deepEqual((input_schema ? transformJSONSchema : toStrictJsonSchema)(schema), schema, name);
      count++;
    }
  }
  assert.ok(count > 0);
});
