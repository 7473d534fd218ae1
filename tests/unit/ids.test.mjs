// Ids and checks that go through the core, with a stand-in for it: what crosses, and what is answered without it.

import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import * as codes from "../../pkg-template/lib/codes.js";
import * as ids from "../../pkg-template/lib/ids.js";
import { realm, setInstance } from "../../pkg-template/lib/realm.js";

/** A core that finds every id valid. `answers` replaces single answers; what was asked is kept, by the code's name. */
const core = (answers = {}) => {
  const asked = [];
  const named = {
    IS_COMPONENT_TYPE: () => "",
    IS_CAPABILITY_NAME: () => "",
    IS_INSTANCE_ID: () => "",
    PARSE_ID: (id) => JSON.stringify({ plane: "domain", path: id }),
    VIEW_ID: (type, name) => `view:${type}.${name}`,
    DOMAIN_ID: (path) => `domain:${path}`,
    WIRE_NAME: (id) => id.replace(":", "_"),
    WIRE_NAME_AT: (id, instance) => `${id}_at_${instance}`,
    ID_OF_WIRE_NAME: () => undefined,
    WIRE_NAMES: (text) => text,
    IN_SCOPE: () => "",
    SCHEMA_FAULT: () => undefined,
    schemaCheck: () => '{"value":1}',
    ...answers,
  };
  const name = (what, ...texts) => {
    const [code] = Object.keys(named).filter((each) => codes[each] === what);
    asked.push([code, ...texts]);
    return named[code](...texts);
  };
  const schemaCheck = (...given) => (asked.push(["schemaCheck", ...given]), named.schemaCheck(...given));
  setInstance({ name, schemaCheck }, null);
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
    core({ VIEW_ID: none, DOMAIN_ID: none, WIRE_NAME: none, WIRE_NAME_AT: none });
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
      ["domain:a", null], ["view:a.b", null], ["view:a.b", "x"],
    ]);
  });
});

describe("scopes", () => {
  test("are asked prefix by prefix until one has it; none or an empty one is all", () => {
    const asked = core({ IN_SCOPE: (type, prefix) => (prefix === "a" ? "" : undefined) });
    assert.equal(ids.matchesScope("a.b", ["b", "a", "c"]), true);
    assert.deepEqual(asked, [["IN_SCOPE", "a.b", "b"], ["IN_SCOPE", "a.b", "a"]]);
    assert.equal(ids.matchesScope("a.b", ["b"]), false);
    assert.equal(ids.matchesScope("a.b"), true);
    assert.equal(ids.matchesScope("a.b", []), true);
  });

  test("a scope of any size has an answer", () => {
    core({ IN_SCOPE: (type, prefix) => (prefix === "a" ? "" : undefined) });
    const large = Array.from({ length: 30_000 }, (_, n) => `component.of.no.page-${n}`);
    assert.equal(ids.matchesScope("a.b", large), false);
    assert.equal(ids.matchesScope("a.b", [...large, "a"]), true);
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
    core({ SCHEMA_FAULT: () => "`oneOf` at `/oneOf`" });
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
