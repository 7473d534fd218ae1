// The schema constructors, with the core's answer played by a stand-in.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { AgentSchemaError } from "../../pkg-template/lib/errors.js";
import { realm, setInstance } from "../../pkg-template/lib/realm.js";
import { emptyObjectSchema, encodeSchema, fromJsonSchema, fromStandardSchema } from "../../pkg-template/lib/schema.js";

/** Lets `schemaCheck` answer with `answer` and keeps what it was asked. */
const answerWith = (answer) => {
  const asked = [];
  setInstance({ schemaCheck: (...texts) => (asked.push(texts), JSON.stringify(answer)) }, null);
  return asked;
};

afterEach(() => {
  realm.state = "new";
});

const schemaErrorOf = (run) => {
  let found;
  assert.throws(run, (error) => ((found = error), error instanceof AgentSchemaError));
  return found;
};

/** A Standard Schema that answers with `answer(value)`. */
const standard = (answer, more) => ({ "~standard": { version: 1, vendor: "test", validate: answer, ...more } });

describe("fromJsonSchema", () => {
  test("keeps a frozen copy of the schema as the author wrote it", () => {
    const written = { type: "object", properties: { b: { type: "string" }, a: {} }, description: "é" };
    const { jsonSchema } = fromJsonSchema(written);
    assert.deepEqual(jsonSchema, written);
    assert.deepEqual(Object.keys(jsonSchema.properties), ["b", "a"]);
    assert.notEqual(jsonSchema, written);
    assert.ok(Object.isFrozen(jsonSchema.properties.b));
  });

  test("what is no JSON is a definition error with the place", () => {
    assert.throws(() => fromJsonSchema({ properties: { a: { default: NaN } } }), {
      name: "AgentSurfaceDefinitionError",
      code: "INVALID_DEFINITION",
      details: { pointer: "/properties/a/default" },
      message: /\/properties\/a\/default/,
    });
    const cyclic = {};
    cyclic.items = cyclic;
    assert.throws(() => fromJsonSchema(cyclic), { code: "INVALID_DEFINITION" });
    assert.throws(() => fromJsonSchema(undefined), { code: "INVALID_DEFINITION" });
  });

  test("what is too deep or too large is unsupported", () => {
    let deep = {};
    for (let level = 0; level < 100_000; level++) deep = { items: deep };
    assert.throws(() => fromJsonSchema(deep), { code: "UNSUPPORTED_SCHEMA" });
    assert.throws(() => fromJsonSchema({ enum: Array(2_000_000).fill(1) }), { code: "UNSUPPORTED_SCHEMA" });
  });

  test("parse before init says what to do", () => {
    assert.throws(() => fromJsonSchema({}).parse(1), { name: "AgentSurfaceRuntimeError", code: "NOT_INITIALIZED", message: /await init/ });
  });

  test("parse hands schema and value to the core as texts, with defaults to be filled", () => {
    const asked = answerWith({ value: { a: 1, b: 2 } });
    assert.deepEqual(fromJsonSchema({ type: "object" }).parse({ a: 1, c: undefined }), { a: 1, b: 2 });
    assert.deepEqual(asked, [['{"type":"object"}', '{"a":1}', true]]);
  });

  test("parse throws every issue the core names", () => {
    const issues = [{ path: "a", pointer: "/a", message: "must be a string" }, { path: "b", pointer: "/b", message: "is required" }];
    answerWith({ issues });
    const error = schemaErrorOf(() => fromJsonSchema({}).parse({}));
    assert.deepEqual(error.issues, issues);
    assert.equal(error.message, "a: must be a string; b: is required");
  });

  test("parse of what is no JSON is an issue, and the core is not asked", () => {
    const asked = answerWith({ value: 1 });
    const [issue, ...others] = schemaErrorOf(() => fromJsonSchema({}).parse({ when: [new Date(0)] })).issues;
    assert.deepEqual([issue.path, issue.pointer, others.length], ["when[0]", "/when/0", 0]);
    assert.deepEqual(Object.keys(issue), ["path", "pointer", "message"]);
    assert.equal(schemaErrorOf(() => fromJsonSchema({}).parse(undefined)).issues[0].path, "");
    assert.equal(asked.length, 0);
  });

  test("parse under a schema that is none throws its definition error", () => {
    const refusal = JSON.stringify({ code: "UNSUPPORTED_SCHEMA", message: "`oneOf` is not supported", keyword: "oneOf", pointer: "/oneOf" });
    setInstance({ schemaCheck: () => { throw refusal; } }, null);
    assert.throws(() => fromJsonSchema({ oneOf: [] }).parse(1), {
      code: "UNSUPPORTED_SCHEMA",
      message: "[UNSUPPORTED_SCHEMA] `oneOf` is not supported",
      details: { keyword: "oneOf", pointer: "/oneOf" },
    });
  });

  test("what else the module throws passes as it is", () => {
    const poisoned = new Error("poisoned");
    setInstance({ schemaCheck: () => { throw poisoned; } }, null);
    assert.throws(() => fromJsonSchema({}).parse(1), poisoned);
  });

  test("the empty object schema is closed", () => {
    assert.deepEqual(emptyObjectSchema.jsonSchema, { type: "object", properties: {}, additionalProperties: false });
  });
});

describe("fromStandardSchema", () => {
  const jsonSchema = { type: "string" };

  test("parse and validate give the validator's value", () => {
    const schema = fromStandardSchema(standard((value) => ({ value: value.trim() })), { jsonSchema });
    assert.equal(schema.parse(" a "), "a");
    assert.equal(schema.validate(" a "), "a");
    assert.deepEqual(schema.jsonSchema, jsonSchema);
  });

  test("a validator that is a function is one", () => {
    const type = Object.assign(() => undefined, standard((value) => ({ value })));
    assert.equal(fromStandardSchema(type, { jsonSchema }).parse(1), 1);
  });

  test("issues keep their place, in both forms, and are at most 32", () => {
    const schema = fromStandardSchema(
      standard(() => ({ issues: [{ message: "bad", path: ["rows", 0, { key: "a/b" }] }, { message: "worse" }, ...Array(40).fill({ message: "more" })] })),
      { jsonSchema },
    );
    const { issues } = schemaErrorOf(() => schema.parse(1));
    assert.deepEqual(issues.slice(0, 2), [
      { path: "rows[0].a/b", pointer: "/rows/0/a~1b", message: "bad" },
      { path: "", pointer: "", message: "worse" },
    ]);
    assert.equal(issues.length, 32);
    schemaErrorOf(() => schema.validate(1));
  });

  test("an asynchronous validator validates, and parse refuses it", async () => {
    const schema = fromStandardSchema(standard(async (value) => (value === "ok" ? { value } : { issues: [{ message: "bad" }] })), { jsonSchema });
    assert.equal(await schema.validate("ok"), "ok");
    await assert.rejects(schema.validate("no"), { name: "AgentSchemaError", message: "bad" });
    assert.match(schemaErrorOf(() => schema.parse("ok")).message, /asynchronous/);
  });

  test("a promise that parse refuses may reject without harm", async () => {
    const unhandled = [];
    const note = (reason) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const schema = fromStandardSchema(standard(() => Promise.reject(new Error("late"))), { jsonSchema });
    schemaErrorOf(() => schema.parse(1));
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, []);
  });

  test("without a JSON Schema the validator's own conversion is asked for the input", () => {
    const targets = [];
    const converts = { jsonSchema: { input: ({ target }) => (targets.push(target), { type: "number" }) } };
    assert.deepEqual(fromStandardSchema(standard((value) => ({ value }), converts)).jsonSchema, { type: "number" });
    assert.deepEqual(targets, ["draft-2020-12"]);
  });

  test("without either it says what to pass", () => {
    assert.throws(() => fromStandardSchema(standard(() => ({ value: 1 }))), { code: "INVALID_DEFINITION", message: /jsonSchema/ });
  });

  test("what is no Standard Schema is refused", () => {
    for (const value of [undefined, null, {}, { "~standard": {} }, jsonSchema]) {
      assert.throws(() => fromStandardSchema(value, { jsonSchema }), { code: "INVALID_DEFINITION" });
    }
  });
});

describe("the form in which a schema crosses", () => {
  test("a schema of the core goes with its text", () => {
    assert.deepEqual(JSON.parse(encodeSchema(fromJsonSchema({ type: "string" }), "input")), { text: '{"type":"string"}', own: false });
  });

  test("a parse of the author's own is marked, also on a spread copy", () => {
    const parse = (value) => value;
    for (const schema of [
      { jsonSchema: { oneOf: [] }, parse },
      { ...fromJsonSchema({ oneOf: [] }), parse },
      fromStandardSchema(standard((value) => ({ value })), { jsonSchema: { oneOf: [] } }),
    ]) {
      assert.deepEqual(JSON.parse(encodeSchema(schema, "input")), { text: '{"oneOf":[]}', own: true });
    }
  });

  test("a bare JSON Schema says how to wrap it", () => {
    for (const value of [{ type: "object" }, null, 1, { jsonSchema: {} }]) {
      assert.throws(() => encodeSchema(value, "output"), { code: "INVALID_DEFINITION", message: /`output`.*fromJsonSchema/ });
    }
  });
});
