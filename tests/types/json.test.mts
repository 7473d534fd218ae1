// The types that JSON Schemas stand for.

import { fromJsonSchema } from "agent-surface-wasm";
import type {
  AcceptedByJsonSchema, AgentSchema, FromJsonSchema, JsonObject, JsonSchema, JsonValue, ParsedBy,
} from "agent-surface-wasm";
import { expectation, expectType, expectTypeOf, type Equal } from "./expect.mjs";

// Primitives, enumerations, constants.
expectTypeOf(fromJsonSchema({ type: "string", minLength: 1 }).parse(0), expectation<string>());
expectTypeOf(fromJsonSchema({ type: "integer" }).parse(0), expectation<number>());
expectTypeOf(fromJsonSchema({ type: ["string", "null"] }).parse(0), expectation<string | null>());
expectTypeOf(fromJsonSchema({ enum: ["a", 1, null] }).parse(0), expectation<"a" | 1 | null>());
expectTypeOf(fromJsonSchema({ type: "string", enum: ["a", "b"] }).parse(0), expectation<"a" | "b">());
expectTypeOf(fromJsonSchema({ const: "v1" }).parse(0), expectation<"v1">());
expectTypeOf(fromJsonSchema({ type: "boolean" }).parse(0), expectation<boolean>());

// Where a schema says nothing, or is not known.
expectTypeOf(fromJsonSchema({}).parse(0), expectation<JsonValue>());
expectTypeOf(fromJsonSchema(true).parse(0), expectation<JsonValue>());
expectTypeOf(fromJsonSchema({ minimum: 1 }).parse(0), expectation<JsonValue>());
declare const unknown: JsonSchema;
expectTypeOf(fromJsonSchema(unknown).parse(0), expectation<JsonValue>());

// Arrays and objects.
expectTypeOf(fromJsonSchema({ type: "array", items: { type: "number" } }).parse(0), expectation<number[]>());
expectTypeOf(fromJsonSchema({ type: "array" }).parse(0), expectation<JsonValue[]>());
expectTypeOf(fromJsonSchema({ type: "object" }).parse(0), expectation<{ [key: string]: JsonValue }>());
expectTypeOf(
  fromJsonSchema({ type: "object", properties: {}, additionalProperties: false }).parse(0),
  expectation<{}>(),
);
expectTypeOf(fromJsonSchema({ type: "object", additionalProperties: false }).parse(0), expectation<{ [key: string]: never }>());
const open = fromJsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: true });
expectTypeOf(open.parse(0).id, expectation<string>());
expectTypeOf(open.parse(0)["other"], expectation<JsonValue | undefined>());

const device = {
  type: "object",
  properties: {
    id: { type: "string" },
    battery: { type: ["integer", "null"], minimum: 0, maximum: 100 },
    tags: { type: "array", items: { type: "string" } },
    position: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
    retries: { type: "integer", default: 3 },
    extra: {},
  },
  required: ["id", "tags", "serial"],
  additionalProperties: false,
} as const satisfies JsonSchema;

expectType<
  Equal<
    FromJsonSchema<typeof device>,
    {
      id: string;
      battery?: number | null;
      tags: string[];
      position?: { x: number };
      retries: number;
      extra?: JsonValue;
      serial: JsonValue;
    }
  >
>();

// What is accepted: defaults may be left out, lists need not be writable, `undefined` vanishes.
const accepted: AcceptedByJsonSchema<typeof device> = { id: "a", tags: ["x"] as readonly string[], battery: undefined, serial: 1 };
expectTypeOf(accepted.retries, expectation<number | undefined>());
// @ts-expect-error -- `tags` is required
const short: AcceptedByJsonSchema<typeof device> = { id: "a", serial: 1 };
// @ts-expect-error -- no such property
const long: AcceptedByJsonSchema<typeof device> = { id: "a", tags: [], serial: 1, colour: "red" };
interface Device {
  id: string;
}
declare const typed: Device;
const anyObject: AcceptedByJsonSchema<{ type: "object" }> = typed;

// Alternatives: with a default inside nothing is filled.
const either = fromJsonSchema({
  anyOf: [{ type: "string" }, { type: "object", properties: { n: { type: "number", default: 1 } } }, { type: "null" }],
});
expectTypeOf(either.parse(0), expectation<string | { n?: number } | null>());
const narrowed = fromJsonSchema({ type: "object", properties: { a: { type: "string" } }, required: ["a"], anyOf: [{ required: ["a"] }] });
expectTypeOf(narrowed.parse(0).a, expectation<string>());

// What the full engine takes besides.
const one = fromJsonSchema({ oneOf: [{ type: "integer" }, { type: "object", properties: { n: { type: "number", default: 1 } } }] });
expectTypeOf(one.parse(0), expectation<number | { n?: number }>());
const all = fromJsonSchema({
  allOf: [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
  ],
});
expectTypeOf(all.parse(0).a, expectation<string>());
expectTypeOf(all.parse(0).b, expectation<number>());
const map = fromJsonSchema({ type: "object", additionalProperties: { type: "string" } });
expectTypeOf(map.parse(0), expectation<{ [key: string]: string }>());

// References, also recursive ones.
const tree = fromJsonSchema({
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: { label: { $ref: "#/$defs/label" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
      required: ["label", "children"],
    },
    label: { type: "string" },
  },
});
const root = tree.parse(0);
expectTypeOf(root.children[0]!.children[0]!.label, expectation<string>());
const self = fromJsonSchema({ type: "object", properties: { next: { $ref: "#" } } }).parse(0);
expectTypeOf(self.next?.next?.next === undefined, expectation<boolean>());
expectTypeOf(fromJsonSchema({ $ref: "#/$defs/gone", $defs: {} }).parse(0), expectation<JsonValue>());

// Mistakes that are seen at once.
// @ts-expect-error -- no such type
fromJsonSchema({ type: "strng" });
// @ts-expect-error -- `required` is a list
fromJsonSchema({ type: "object", required: true });
// @ts-expect-error -- no such format
fromJsonSchema({ type: "string", format: "emial" });
// @ts-expect-error -- no schema
fromJsonSchema("object");

// A schema from elsewhere.
const foreign = fromJsonSchema<Device>(unknown);
expectTypeOf(foreign, expectation<AgentSchema<Device>>());
type Alias = { id: string };
expectTypeOf(fromJsonSchema<Alias>(unknown).parse(0), expectation<Alias>());
expectType<Equal<ParsedBy<typeof foreign>, Device>>();
const object: JsonObject = fromJsonSchema({ type: "object" }).parse(0);

export { accepted, anyObject, long, object, short };
