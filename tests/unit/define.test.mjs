// Definitions: what the builders make, and the form in which they cross into the core.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  action,
  defineAgentComponent,
  encodeCapability,
  encodeHeader,
  listCapabilities,
  observation,
  procedure,
} from "../../pkg-template/lib/define.js";
import { emptyObjectSchema, fromJsonSchema } from "../../pkg-template/lib/schema.js";

const policyRef = (policy) => ({ ref: 3, name: policy?.name, hooks: 2, guard: false });
const encode = (kind, name, definition) => encodeCapability("devices.table", kind, name, definition, policyRef);
const wireOf = (kind, name, definition) => JSON.parse(encode(kind, name, definition).text);
const run = () => undefined;

const ids = fromJsonSchema({
  type: "object",
  properties: { ids: { type: "array" }, force: { type: "boolean" }, note: { type: "string" } },
  required: ["ids", "note"],
  additionalProperties: false,
});

describe("builders", () => {
  test("give a shallow copy", () => {
    const definition = { description: "d", execute: run };
    for (const build of [observation, action, defineAgentComponent]) {
      assert.deepEqual(build(definition), definition);
      assert.notEqual(build(definition), definition);
    }
  });

  test("refuse what is no object", () => {
    for (const build of [observation, action, defineAgentComponent, procedure]) {
      for (const value of [undefined, null, "x", 1, []]) {
        assert.throws(() => build(value), { code: "INVALID_DEFINITION", message: /must be an object/ });
      }
    }
  });
});

describe("procedure", () => {
  const base = { id: "domain:devices.disable", description: "Disable devices", input: ids, effect: "destructive" };

  test("is the plain object of the documentation", () => {
    const when = () => true;
    const bind = { ids: () => ["a"], force: () => true };
    const built = procedure({ ...base, output: emptyObjectSchema, requiresApproval: true, when, bind, overridableFields: ["force"] });
    assert.deepEqual(built, {
      kind: "procedure-binding",
      ref: {
        id: "domain:devices.disable",
        path: "devices.disable",
        description: "Disable devices",
        inputSchema: ids.jsonSchema,
        effect: "destructive",
        outputSchema: emptyObjectSchema.jsonSchema,
        requiresApproval: true,
      },
      config: { when, bind, overridableFields: ["force"] },
      boundKeys: ["ids", "force"],
      lockedKeys: ["ids"],
      reducedInputSchema: {
        type: "object",
        properties: { force: { type: "boolean" }, note: { type: "string" } },
        required: ["note"],
        additionalProperties: false,
      },
    });
  });

  test("without bindings shows the whole schema", () => {
    const built = procedure(base);
    assert.deepEqual([built.boundKeys, built.lockedKeys], [[], []]);
    assert.deepEqual(built.reducedInputSchema, ids.jsonSchema);
    assert.ok(!("outputSchema" in built.ref) && !("requiresApproval" in built.ref));
  });

  test("bind as a function names its fields beside it", () => {
    const built = procedure({ ...base, bind: () => ({ ids: [] }), boundFields: ["ids"] });
    assert.deepEqual([built.boundKeys, built.lockedKeys], [["ids"], ["ids"]]);
  });

  test("locked fields leave the other bound ones overridable", () => {
    const bind = { ids: run, force: run };
    const built = procedure({ ...base, bind, lockedFields: ["ids"] });
    assert.deepEqual([built.lockedKeys, built.config.overridableFields], [["ids"], ["force"]]);
    assert.deepEqual(wireOf("procedure", "x", built).overridableFields, ["force"]);
  });

  test("what its author names as locked crosses beside what is bound, for the core to compare", () => {
    const { boundFields, lockedFields, overridableFields } = wireOf(
      "procedure", "x", procedure({ ...base, bind: { ids: run }, lockedFields: ["idz"], overridableFields: ["ids"] }),
    );
    assert.deepEqual([boundFields, lockedFields, overridableFields], [["ids"], ["idz"], ["ids"]]);
  });

  test("crosses as one flat definition", () => {
    const built = procedure({
      ...base, bind: { ids: run }, describe: () => "3 selected", when: run, confirmation: "required", timeoutMs: 5, policies: [{ name: "p" }],
      concurrency: { mode: "key", key: run }, requiresApproval: false,
    });
    assert.deepEqual(wireOf("procedure", "devices.disable", built), {
      bind: 1,
      describe: 1,
      when: 1,
      confirmation: "required",
      timeoutMs: 5,
      policies: [{ ref: 3, name: "p", hooks: 2, guard: false }],
      concurrency: { mode: "key", key: 1 },
      id: "domain:devices.disable",
      path: "devices.disable",
      description: "Disable devices",
      effect: "destructive",
      requiresApproval: false,
      kind: "procedure",
      boundFields: ["ids"],
      lockedFields: ["ids"],
      input: { text: JSON.stringify(ids.jsonSchema), own: false },
    });
  });

  test("keeps the author's own parse, through a spread too", () => {
    const input = { jsonSchema: { type: "object" }, parse: (value) => value };
    const built = procedure({ ...base, input });
    for (const each of [built, { ...built }, { ...built, ref: { ...built.ref, description: "other" } }]) {
      const { schemas, text } = encode("procedure", "x", each);
      assert.equal(schemas.input, input);
      assert.equal(JSON.parse(text).input.own, true);
    }
    const replaced = { ...built, ref: { ...built.ref, inputSchema: { type: "object" } } };
    assert.deepEqual(encode("procedure", "x", replaced).schemas, {});
  });

  test("a hand-written plain object is one", () => {
    const plain = {
      kind: "procedure-binding",
      ref: { id: "domain:a", path: "a", description: "d", inputSchema: { type: "object" }, effect: "server-query" },
      config: { bind: { x: run } }, boundKeys: ["x"], lockedKeys: ["x"], reducedInputSchema: { type: "object" },
    };
    const { text, functions } = encode("procedure", "a", plain);
    assert.deepEqual(JSON.parse(text).boundFields, ["x"]);
    assert.equal(functions, plain.config);
  });

  test("a list that is written by hand is refused, because only one could count", () => {
    const built = procedure({ ...base, bind: { ids: run } });
    for (const list of [{ boundFields: ["note"] }, { lockedFields: [] }]) {
      for (const binding of [{ ...built, ...list }, { ...built, config: { ...built.config, ...list } }]) {
        const message = new RegExp(`\`${Object.keys(list)[0]}\` of procedure .*build it with`);
        assert.throws(() => encode("procedure", "x", binding), { code: "INVALID_DEFINITION", message });
      }
    }
  });

  test("a definition that was not built says how", () => {
    assert.throws(() => encode("procedure", "x", base), { code: "INVALID_DEFINITION", message: /procedure\(\{…\}\)/ });
  });

  test("handlers are the author's object, so that a swap is seen", () => {
    const built = procedure({ ...base, bind: { ids: run } });
    const { functions } = encode("procedure", "x", built);
    built.config.when = () => false;
    assert.equal(functions.when(), false);
  });
});

describe("the form of an observation or action", () => {
  test("functions are 1, what should be one and is not is quoted", () => {
    const wire = wireOf("action", "select", {
      description: "d", input: ids, effect: "local-state", execute: run, when: true, unavailableReason: run, precondition: null,
      meta: { a: [1] }, policies: [{ name: "p" }, null], concurrency: { mode: "parallel", max: 2 },
    });
    assert.deepEqual(wire, {
      description: "d", effect: "local-state", execute: 1, when: true, unavailableReason: 1, precondition: null, meta: { a: [1] },
      policies: [{ ref: 3, name: "p", hooks: 2, guard: false }, { ref: 3, hooks: 2, guard: false }], concurrency: { mode: "parallel", max: 2 },
      kind: "action", name: "select", input: { text: JSON.stringify(ids.jsonSchema), own: false },
    });
  });

  test("a number where a reason belongs cannot pass as a function", () => {
    assert.deepEqual(wireOf("action", "a", { unavailableReason: 1 }).unavailableReason, [1]);
    assert.equal(wireOf("action", "a", { unavailableReason: "text" }).unavailableReason, "text");
    assert.deepEqual(wireOf("action", "a", { execute: 1 }).execute, [1]);
    assert.deepEqual(wireOf("action", "a", { concurrency: { mode: "key", key: 1 } }).concurrency.key, [1]);
    assert.deepEqual(wireOf("action", "a", { bind: { a: 1, b: run } }).bind, { a: 1 });
  });

  test("a function where a number or metadata belongs is refused", () => {
    for (const key of ["meta", "priority", "timeoutMs"]) {
      assert.throws(() => encode("action", "a", { [key]: run }), { code: "INVALID_DEFINITION", message: /must be JSON, found a function/ });
    }
  });

  test("unknown keys go as they are, for the core to name", () => {
    const wire = wireOf("observation", "rows", { description: "d", wen: run, colour: "red", gone: undefined });
    assert.deepEqual(wire, { description: "d", wen: 1, colour: "red", kind: "observation", name: "rows" });
  });

  test("kind and name are the registry's, not the definition's", () => {
    assert.deepEqual(wireOf("action", "a", { kind: "observation", name: "b" }), { kind: "action", name: "a" });
  });

  test("what is no JSON is a definition error with its place", () => {
    assert.throws(() => encode("action", "select", { meta: { a: new Map() } }), {
      code: "INVALID_DEFINITION", message: /`meta\.a` of action `select` of `devices\.table` must be JSON/, details: { pointer: "/meta/a" },
    });
    assert.throws(() => encode("action", "\ud800", {}), { code: "INVALID_ID" });
    assert.throws(() => encode("action", "a", { meta: { a: "x".repeat(2 ** 21) } }), { code: "LIMIT_EXCEEDED" });
  });

  test("an author's schema is kept for the call, a schema of the core is not", () => {
    const output = { jsonSchema: {}, parse: run };
    assert.deepEqual(encode("action", "a", { input: ids, output }).schemas, { output });
  });
});

describe("a component", () => {
  test("crosses without its capabilities, and of `internal` only that there is one", () => {
    const text = encodeHeader(
      { type: "devices.table", instanceId: "main", description: "d", internal: { secret: run }, enabled: false, priority: 2, parent: { type: "devices" }, policies: [{ name: "p" }], observations: {}, typo: 1 },
      policyRef,
    );
    assert.deepEqual(JSON.parse(text), {
      type: "devices.table", instanceId: "main", description: "d", enabled: false, priority: 2, parent: { type: "devices" },
      policies: [{ ref: 3, name: "p", hooks: 2, guard: false }], typo: 1, internal: 1,
    });
  });

  test("one capability in its place says where it belongs, and a policy in place of a list goes by its name", () => {
    for (const one of [action({ description: "d", execute: run }), observation({ description: "d", read: run })]) {
      assert.throws(() => encodeHeader(one, policyRef), { code: "INVALID_DEFINITION", message: /into `actions` or `observations` of a component/ });
    }
    const policy = { name: "authenticated", onDiscovery: run };
    const header = encodeHeader({ type: "a.b", description: "d", policies: policy }, policyRef);
    assert.deepEqual(JSON.parse(header).policies, { name: "authenticated" });
  });

  test("an id that is no Unicode is an invalid id", () => {
    for (const more of [{ type: "\ud800" }, { type: "a", instanceId: "\udc00" }]) {
      assert.throws(() => encodeHeader({ description: "d", ...more }, policyRef), { code: "INVALID_ID" });
    }
    assert.throws(() => encodeHeader({ type: "a", description: "\ud800" }, policyRef), { code: "INVALID_DEFINITION" });
    assert.throws(() => encodeHeader({ type: "a", priority: NaN }, policyRef), { code: "INVALID_DEFINITION" });
  });

  test("lists its capabilities in the author's order", () => {
    const disable = procedure({ id: "domain:b", description: "d", input: emptyObjectSchema, effect: "server-query" });
    const z = {};
    const a = {};
    assert.deepEqual(listCapabilities({ observations: { z }, actions: { a, z }, procedures: [disable] }), [
      ["observation", "z", z], ["action", "a", a], ["action", "z", z], ["procedure", "b", disable],
    ]);
    assert.deepEqual(listCapabilities({}), []);
  });

  test("lists of the wrong kind are named", () => {
    assert.throws(() => listCapabilities({ procedures: {} }), { code: "INVALID_DEFINITION", message: /`procedures`/ });
    assert.throws(() => listCapabilities({ actions: [] }), { code: "INVALID_DEFINITION", message: /`actions`/ });
    assert.throws(() => encode("procedure", undefined, null), { code: "INVALID_DEFINITION" });
  });
});
