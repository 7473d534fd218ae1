// Ids and checks that go through the core, with a stand-in for it: what crosses, and what is answered without it.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import * as ids from "../../pkg-template/lib/ids.js";
import { realm, setInstance } from "../../pkg-template/lib/realm.js";

/** A core that finds every id valid. `answers` replaces single functions; what was asked is kept. */
const core = (answers = {}) => {
  const asked = [];
  const functions = {
    isValidComponentType: () => true,
    isValidCapabilityName: () => true,
    isValidInstanceId: () => true,
    parseCapabilityId: (id) => JSON.stringify({ plane: "domain", path: id }),
    formatViewCapabilityId: (type, name) => `view:${type}.${name}`,
    formatDomainCapabilityId: (path) => `domain:${path}`,
    encodeWireName: (id) => id.replace(":", "_"),
    encodeWireNameForInstance: (id, instance) => `${id}_at_${instance}`,
    decodeWireName: () => undefined,
    assignWireNames: (text) => text,
    matchesScope: () => true,
    schemaDocument: () => undefined,
    schemaCheck: () => '{"value":1}',
    ...answers,
  };
  const noted = Object.entries(functions).map(([name, act]) => [name, (...given) => (asked.push([name, ...given]), act(...given))]);
  setInstance(Object.fromEntries(noted), null);
  return asked;
};

afterEach(() => {
  realm.state = "new";
});

const strange = [undefined, null, 1, {}, [], Symbol("s"), "\ud800", "x".repeat(10_000_000), new String("a")];

describe("before init", () => {
  test("everything that asks the core says so, whatever it is given", () => {
    const calls = [
      ["parseCapabilityId", 1], ["isValidComponentType", 1], ["isValidCapabilityName", 1], ["isValidInstanceId", 1],
      ["formatViewCapabilityId", "a", "b"], ["formatDomainCapabilityId", "a"], ["encodeWireName", "view:a.b"],
      ["encodeWireNameForInstance", "view:a.b", "c"], ["decodeWireName", "x"], ["assignWireNames", ["view:a.b"]],
      ["matchesScope", "a", []], ["validateJsonSchemaDocument", {}], ["validateValueAgainstSchema", 1, {}],
    ];
    for (const [name, ...given] of calls) {
      assert.throws(() => ids[name](...given), { name: "AgentSurfaceRuntimeError", code: "NOT_INITIALIZED" }, name);
    }
  });

  test("constants are there, and frozen", () => {
    assert.deepEqual([ids.MAX_ID_LENGTH, ids.MAX_WIRE_NAME_LENGTH], [128, 64]);
    assert.equal(Object.keys(ids.DEFAULT_LIMITS).length, 24);
    assert.ok(Object.isFrozen(ids.DEFAULT_LIMITS));
  });
});

describe("ids", () => {
  test("the parts come as an object", () => {
    core();
    assert.deepEqual(ids.parseCapabilityId("a"), { plane: "domain", path: "a" });
  });

  test("what can be no id never crosses and never throws", () => {
    const asked = core();
    for (const value of strange) {
      assert.equal(ids.parseCapabilityId(value), undefined);
      assert.equal(ids.decodeWireName(value), undefined);
      for (const name of ["isValidComponentType", "isValidCapabilityName", "isValidInstanceId", "matchesScope"]) assert.equal(ids[name](value), false);
    }
    assert.deepEqual(asked, []);
  });

  test("an id that is to be formatted or encoded must be one", () => {
    const none = () => undefined;
    core({ formatViewCapabilityId: none, formatDomainCapabilityId: none, encodeWireName: none, encodeWireNameForInstance: none });
    const invalid = { name: "AgentSurfaceDefinitionError", code: "INVALID_ID" };
    assert.throws(() => ids.formatViewCapabilityId("a", "B"), invalid);
    assert.throws(() => ids.formatDomainCapabilityId("a b"), { ...invalid, message: /found `a b`/ });
    assert.throws(() => ids.encodeWireNameForInstance("view:a.b", "c d"), invalid);
    for (const value of strange) assert.throws(() => ids.encodeWireName(value), invalid);
    assert.throws(() => ids.assignWireNames(["nonsense"]), invalid);
  });

  test("format and encode", () => {
    core();
    assert.equal(ids.formatViewCapabilityId("devices.table", "clear"), "view:devices.table.clear");
    assert.equal(ids.formatDomainCapabilityId("devices.disable"), "domain:devices.disable");
    assert.equal(ids.encodeWireName("domain:a"), "domain_a");
    assert.equal(ids.encodeWireNameForInstance("domain:a", "main"), "domain:a_at_main");
  });

  test("a catalog goes as ids with the instances that are to show", () => {
    core();
    assert.deepEqual(ids.assignWireNames(["domain:a", { capabilityId: "view:a.b" }, { capabilityId: "view:a.b", instanceId: "x" }]), [
      { id: "domain:a" }, { id: "view:a.b" }, { id: "view:a.b", instance: "x" },
    ]);
  });
});

describe("scopes", () => {
  test("go as a list; none is the empty one", () => {
    const asked = core();
    ids.matchesScope("a.b", ["a", "b"]);
    ids.matchesScope("a.b");
    assert.deepEqual(asked, [["matchesScope", "a.b", '["a","b"]'], ["matchesScope", "a.b", "[]"]]);
  });

  test("a scope of nothing that could match does not become the scope of all", () => {
    core();
    assert.equal(ids.matchesScope("a.b", ["\ud800", 1]), false);
  });
});

describe("single schema checks", () => {
  test("a document is ok, or has a reason, and nothing else", () => {
    core();
    assert.deepEqual(ids.validateJsonSchemaDocument({ type: "string" }), { ok: true });
    core({ schemaDocument: () => "`oneOf` at `/oneOf`" });
    assert.deepEqual(ids.validateJsonSchemaDocument({ oneOf: [] }), { ok: false, reason: "`oneOf` at `/oneOf`" });
    const { ok, reason, ...others } = ids.validateJsonSchemaDocument({ default: 1n });
    assert.deepEqual([ok, others], [false, {}]);
    assert.match(reason, /\/default/);
  });

  test("a value has issues or none, and no default is filled", () => {
    const asked = core();
    assert.deepEqual(ids.validateValueAgainstSchema(1, { type: "number" }), []);
    assert.deepEqual(asked, [["schemaCheck", '{"type":"number"}', "1", false]]);
    core({ schemaCheck: () => '{"issues":[{"path":"","pointer":"","message":"must be a number"}]}' });
    assert.deepEqual(ids.validateValueAgainstSchema("1", {}), [{ path: "", pointer: "", message: "must be a number" }]);
  });
});
