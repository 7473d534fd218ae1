// The error classes: their fields, and that the copies of a package in one realm share them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as errors from "../../pkg-template/lib/errors.js";

const {
  AGENT_CAPABILITY_ERROR_CODES,
  AgentSchemaError,
  AgentSurfaceDefinitionError,
  AgentSurfaceError,
  AgentSurfaceRuntimeError,
  isAgentSurfaceError,
} = errors;

test("the codes are sixteen, different and frozen", () => {
  assert.equal(new Set(AGENT_CAPABILITY_ERROR_CODES).size, 16);
  assert.ok(Object.isFrozen(AGENT_CAPABILITY_ERROR_CODES));
});

test("the codes are those of the core and of the types, in one order", () => {
  const golden = process.env.GOLDEN ?? new URL("../golden", import.meta.url).pathname;
  const core = readFileSync(`${golden}/error-codes.txt`, "utf8").trim().split("\n").map((line) => line.split(" ")[0]);
  assert.deepEqual(AGENT_CAPABILITY_ERROR_CODES, core);
  const types = readFileSync(new URL("../../pkg-template/types/errors.d.ts", import.meta.url), "utf8");
  const [, list] = /AGENT_CAPABILITY_ERROR_CODES: readonly \[([^\]]*)\]/.exec(types);
  assert.deepEqual(list.match(/[A-Z_]+/g), core);
});

test("an AgentSurfaceError carries its payload, and shows the parts", () => {
  const cause = new Error("below");
  const payload = { code: "PRECONDITION_FAILED", message: "Select a device first.", retry: "with-changes", details: { n: 1 } };
  const error = new AgentSurfaceError(payload, { cause });
  assert.ok(error instanceof Error);
  const { name, message, code, retry, details } = error;
  assert.deepEqual({ name, message, code, retry, details }, { name: "AgentSurfaceError", ...payload });
  assert.equal(error.payload, payload);
  assert.equal(error.cause, cause);
  assert.match(String(error), /^AgentSurfaceError: Select/);
});

test("a definition error puts its code before the text", () => {
  const error = new AgentSurfaceDefinitionError("INVALID_ID", "expected a name", { pointer: "/a" });
  assert.equal(error.name, "AgentSurfaceDefinitionError");
  assert.equal(error.message, "[INVALID_ID] expected a name");
  assert.equal(error.code, "INVALID_ID");
  assert.deepEqual(error.details, { pointer: "/a" });
});

test("a schema error joins its issues", () => {
  const issues = [
    { path: "", pointer: "", message: "must be an object" },
    { path: "ids[0]", pointer: "/ids/0", message: "must be a string" },
  ];
  const error = new AgentSchemaError(issues);
  assert.equal(error.name, "AgentSchemaError");
  assert.equal(error.message, "must be an object; ids[0]: must be a string");
  assert.equal(error.issues, issues);
});

test("a runtime error has code and details", () => {
  const error = new AgentSurfaceRuntimeError("WASM_NOT_SERVED", "no module there", { status: 404 });
  assert.equal(error.name, "AgentSurfaceRuntimeError");
  assert.deepEqual([error.code, error.message, error.details], ["WASM_NOT_SERVED", "no module there", { status: 404 }]);
});

test("a defect that the module found comes as its text, with or without the code in front", () => {
  for (const message of ["no such field", "[INVALID_DEFINITION] no such field"]) {
    const error = errors.fromModule(JSON.stringify({ code: "INVALID_DEFINITION", message, pointer: "/a" }));
    assert.ok(error instanceof AgentSurfaceDefinitionError);
    assert.equal(error.message, "[INVALID_DEFINITION] no such field");
    assert.deepEqual(error.details, { pointer: "/a" });
  }
  const other = new Error("x");
  assert.equal(errors.fromModule(other), other);
});

test("an AgentSurfaceError of another package is known by its name and payload", () => {
  const foreign = Object.assign(new Error("x"), { name: "AgentSurfaceError", payload: { code: "TIMEOUT", message: "x" } });
  assert.ok(isAgentSurfaceError(new AgentSurfaceError({ code: "TIMEOUT", message: "x" })));
  assert.ok(isAgentSurfaceError(foreign));
});

test("nothing else is one, and asking never throws", () => {
  const trap = () => { throw new Error("trap"); };
  const hostile = new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap });
  for (const value of [undefined, null, "AgentSurfaceError", 1, new Error("x"), {}, { name: "AgentSurfaceError" }, { name: "AgentSurfaceError", payload: null }, { payload: { code: "TIMEOUT" } }, hostile, Symbol("s")]) {
    assert.equal(isAgentSurfaceError(value), false);
  }
});

test("a second copy of the module has the same classes", async () => {
  const second = await import("../../pkg-template/lib/errors.js?second");
  assert.notEqual(second, errors);
  for (const name of Object.keys(errors).filter((each) => each.endsWith("Error") && each.startsWith("Agent"))) {
    assert.equal(second[name], errors[name], name);
  }
});
