// Definitions: a handler's input is typed by its schema, and what it returns is checked against `output`.

import {
  action, defineAgentComponent, emptyObjectSchema, fromJsonSchema, fromStandardSchema, observation, procedure,
} from "agent-surface-wasm";
import type {
  ActionContext, AgentConsumer, AgentSchema, ProcedureBinding, ReadContext, StandardJsonSchema, StandardSchema,
} from "agent-surface-wasm";
import { expectation, expectTypeOf } from "./expect.mjs";

const ids = fromJsonSchema({
  type: "object",
  properties: { ids: { type: "array", items: { type: "string" } }, notify: { type: "boolean", default: false } },
  required: ["ids"],
  additionalProperties: false,
});
const count = fromJsonSchema({ type: "object", properties: { count: { type: "integer" } }, required: ["count"] });

// Observations.
observation({
  description: "d",
  output: count,
  read(context) {
    expectTypeOf(context, expectation<ReadContext>());
    return { count: 1 };
  },
});
observation({ description: "d", output: count, read: async () => ({ count: 1 }), when: () => true, unavailableReason: () => "r" });
observation({
  description: "d",
  output: count,
  // @ts-expect-error -- `count` is a number
  read: () => ({ count: "1" }),
});
observation({
  description: "d",
  output: count,
  // @ts-expect-error -- `count` is missing, also in a promise
  read: async () => ({}),
});
// @ts-expect-error -- an observation has an output
observation({ description: "d", read: () => 1 });
// @ts-expect-error -- a bare JSON Schema is no schema
observation({ description: "d", output: { type: "string" }, read: () => "a" });
// @ts-expect-error -- no such field
observation({ description: "d", output: count, read: () => ({ count: 1 }), wen: () => true });
const store: readonly string[] = ["a"];
observation({ description: "d", output: fromJsonSchema({ type: "array", items: { type: "string" } }), read: () => store });

// Actions.
const select = action({
  description: "d",
  input: ids,
  output: count,
  effect: "local-state",
  precondition: (input) => {
    expectTypeOf(input.ids, expectation<string[]>());
    return input.ids.length > 0 ? undefined : { message: "Name a device." };
  },
  concurrency: { mode: "key", key: ({ ids: [first] }) => first ?? "" },
  execute(input, context) {
    expectTypeOf(input, expectation<{ ids: string[]; notify: boolean }>());
    expectTypeOf(context, expectation<ActionContext>());
    expectTypeOf(context.consumer, expectation<AgentConsumer>());
    expectTypeOf(context.signal.aborted, expectation<boolean>());
    return { count: input.ids.length };
  },
});
select.execute = async ({ ids: list }) => ({ count: list.length });
action({ description: "d", input: emptyObjectSchema, effect: "navigation", execute: () => undefined });
action({ description: "d", input: emptyObjectSchema, effect: "navigation", execute: async () => {} });
action({ description: "d", input: ids, effect: "local-state", execute: ({ ids: list }) => ({ any: list }) });
action({
  description: "d",
  input: ids,
  output: count,
  effect: "local-state",
  // @ts-expect-error -- the output has no `total`
  execute: () => ({ total: 1 }),
});
action({
  description: "d",
  input: ids,
  effect: "local-state",
  // @ts-expect-error -- the input has no `idz`
  execute: ({ idz }) => idz,
});
action({
  description: "d",
  input: ids,
  // @ts-expect-error -- a view action has no server effect
  effect: "destructive",
  execute: () => undefined,
});
// @ts-expect-error -- an action needs `execute`
action({ description: "d", input: ids, effect: "local-state" });
action({
  description: "d",
  input: ids,
  effect: "local-state",
  // @ts-expect-error -- mode `key` needs a key
  concurrency: { mode: "key" },
  execute: () => undefined,
});

// Hand-written schemas.
const upper = { jsonSchema: { type: "string" }, parse: (value: unknown) => String(value).toUpperCase() } satisfies AgentSchema;
action({
  description: "d",
  input: upper,
  output: upper,
  effect: "local-state",
  execute(input) {
    expectTypeOf(input, expectation<string>());
    return input;
  },
});
action({
  description: "d",
  input: upper,
  output: upper,
  effect: "local-state",
  // @ts-expect-error -- a text is wanted
  execute: () => 1,
});

// Standard Schemas: input and output differ.
declare const trimmed: StandardSchema<{ name: string; age?: string }, { name: string; age: number }>;
const standard = fromStandardSchema(trimmed, { jsonSchema: { type: "object" } });
action({
  description: "d",
  input: standard,
  output: standard,
  effect: "local-state",
  execute(input) {
    expectTypeOf(input, expectation<{ name: string; age: number }>());
    return { name: input.name };
  },
});
// @ts-expect-error -- this one does not convert itself
fromStandardSchema(trimmed);
declare const converting: StandardJsonSchema<string, number>;
expectTypeOf(fromStandardSchema(converting).parse("1"), expectation<number>());
expectTypeOf(fromStandardSchema(converting).validate("1"), expectation<number | Promise<number>>());

// Procedures.
const disable = procedure({
  id: "domain:devices.disable",
  description: "d",
  input: ids,
  output: count,
  effect: "destructive",
  bind: { ids: () => ["a"], notify: () => true },
  overridableFields: ["notify"],
  describe: () => "1 selected",
});
expectTypeOf(disable, expectation<ProcedureBinding>());
disable.config.when = () => false;
procedure({ id: "domain:a", description: "d", input: ids, effect: "server-query", bind: () => ({ ids: [] }), boundFields: ["ids"] });
procedure({ id: "domain:a", description: "d", input: ids, effect: "server-query", lockedFields: ["ids"], bind: { ids: () => [] } });
// @ts-expect-error -- `ids` is a list
procedure({ id: "domain:a", description: "d", input: ids, effect: "server-query", bind: { ids: () => "a" } });
// @ts-expect-error -- no such field to bind
procedure({ id: "domain:a", description: "d", input: ids, effect: "server-query", bind: { idz: () => [] } });
// @ts-expect-error -- a function does not say which fields it fills
procedure({ id: "domain:a", description: "d", input: ids, effect: "server-query", bind: () => ({ ids: [] }) });
// @ts-expect-error -- no such field to lock
procedure({ id: "domain:a", description: "d", input: ids, effect: "server-query", lockedFields: ["idz"] });
// @ts-expect-error -- the id names its plane
procedure({ id: "devices.disable", description: "d", input: ids, effect: "server-query" });
// @ts-expect-error -- a procedure has a server effect
procedure({ id: "domain:a", description: "d", input: ids, effect: "local-state" });

// Components.
const table = defineAgentComponent({
  type: "devices.table",
  instanceId: "main",
  description: "d",
  observations: { total: observation({ description: "d", output: count, read: () => ({ count: 1 }) }) },
  actions: { select },
  procedures: [disable],
});
table.actions.select.execute = () => ({ count: 0 });
// @ts-expect-error -- a component has a description
defineAgentComponent({ type: "devices.table" });
// @ts-expect-error -- an action is no observation
defineAgentComponent({ type: "a", description: "d", observations: { select } });
// @ts-expect-error -- a definition of a procedure must go through `procedure`
defineAgentComponent({ type: "a", description: "d", procedures: [{ id: "domain:a", description: "d", input: ids, effect: "server-query" }] });
