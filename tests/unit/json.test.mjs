// Checked copies: what is JSON, what is not and where, and that a value is read once.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import vm from "node:vm";
import { checkedCopy, deepFreeze, JsonFault, jsonDeepEqual } from "../../pkg-template/lib/json.js";

const faultOf = (value, options) => {
  try {
    checkedCopy(value, options);
  } catch (fault) {
    assert.ok(fault instanceof JsonFault, `a ${fault?.constructor?.name} was thrown`);
    return fault;
  }
  return assert.fail("nothing was refused");
};

const nested = (levels, leaf = []) => {
  let value = leaf;
  for (let level = 1; level < levels; level++) value = [value];
  return value;
};

describe("a value that is JSON", () => {
  const values = [
    null, true, false, 0, -0, 1.5, 1e21, -1e-7, 5e-324, "", "a", "é€😀", "\u0000\u001f\"\\/\u2028", [], {}, [[], {}],
    { a: 1, b: [1, "2", null, { c: false }], "": 0, 10: "ten", 2: "two" },
    ["\\ud800", "\\\\udfff"],
  ];
  for (const value of values) {
    test(`${JSON.stringify(value).slice(0, 40)} is copied and written as the language writes it`, () => {
      const { copy, text } = checkedCopy(value);
      assert.equal(text, JSON.stringify(value));
      assert.deepEqual(copy, value);
      if (typeof value === "object" && value !== null) assert.notEqual(copy, value);
    });
  }

  test("an undefined property vanishes from copy and text", () => {
    const { copy, text } = checkedCopy({ a: undefined, b: 1, c: { d: undefined } });
    assert.equal(text, '{"b":1,"c":{}}');
    assert.deepEqual(Object.keys(copy), ["b", "c"]);
    assert.deepEqual(Object.keys(copy.c), []);
  });

  test("keys that are symbols, inherited or not enumerable are left out", () => {
    const value = Object.defineProperty({ a: 1, [Symbol("s")]: () => 1 }, "hidden", { value: () => 1 });
    const { copy, text } = checkedCopy(value);
    assert.equal(text, '{"a":1}');
    assert.deepEqual(Reflect.ownKeys(copy), ["a"]);
  });

  test("an object without a prototype becomes a plain one", () => {
    const { copy } = checkedCopy(Object.assign(Object.create(null), { a: 1 }));
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });

  test("a plain object of another realm is plain", () => {
    assert.equal(checkedCopy(vm.runInNewContext('({ a: [{ b: "x" }] })')).text, '{"a":[{"b":"x"}]}');
  });

  test("one object in two places is no cycle", () => {
    const shared = { a: 1 };
    assert.equal(checkedCopy([shared, { shared }, shared]).text, '[{"a":1},{"shared":{"a":1}},{"a":1}]');
  });

  test("an own `__proto__` stays an own key and changes no prototype", () => {
    const value = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":null}}');
    const { copy, text } = checkedCopy(value);
    assert.equal(text, '{"__proto__":{"polluted":1},"a":{"__proto__":null}}');
    assert.deepEqual(Object.getOwnPropertyNames(copy), ["__proto__", "a"]);
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
    assert.equal(copy.polluted, undefined);
    assert.notEqual(Object.getOwnPropertyDescriptor(copy, "__proto__").value, Object.getOwnPropertyDescriptor(value, "__proto__").value);
  });

  test("the copy does not follow the original", () => {
    const value = { list: [{ a: 1 }] };
    const { copy } = checkedCopy(value);
    value.list[0].a = 2;
    value.list.push(3);
    assert.deepEqual(copy, { list: [{ a: 1 }] });
  });

  test("a getter is read once, and what it gave is what is written", () => {
    let reads = 0;
    const value = { get a() { return ++reads; }, list: Object.defineProperty([0], 0, { get: () => ++reads, enumerable: true }) };
    const { copy, text } = checkedCopy(value);
    assert.equal(reads, 2);
    assert.deepEqual(copy, { a: 1, list: [2] });
    assert.equal(text, '{"a":1,"list":[2]}');
  });

  test("a proxy is asked once for each property", () => {
    const asked = [];
    const handler = { get: (target, key, receiver) => (asked.push(String(key)), Reflect.get(target, key, receiver)) };
    const value = new Proxy({ a: 1, b: new Proxy([5, 6], handler) }, handler);
    assert.equal(checkedCopy(value).text, '{"a":1,"b":[5,6]}');
    assert.deepEqual(asked.sort(), ["0", "1", "a", "b", "length"]);
  });

  test("`toJSON` is not called, on the value or on a patched prototype", () => {
    assert.equal(checkedCopy({ toJSON: "text" }).text, '{"toJSON":"text"}');
    for (const prototype of [Object.prototype, Array.prototype]) {
      prototype.toJSON = () => "patched";
      try {
        assert.equal(checkedCopy({ a: [1, { b: "é\"" }, []], __proto__: null }).text, '{"a":[1,{"b":"é\\""},[]]}');
      } finally {
        delete prototype.toJSON;
      }
    }
  });

  test("inherited setters and read-only properties of a patched prototype are not met", () => {
    Object.defineProperty(Object.prototype, "trap", { configurable: true, set: () => assert.fail("a setter ran"), get: () => 1 });
    try {
      assert.deepEqual(checkedCopy({ trap: { x: 1 } }).text, '{"trap":{"x":1}}');
    } finally {
      delete Object.prototype.trap;
    }
  });

  test("64 levels are a value, for arrays and for objects", () => {
    assert.equal(checkedCopy(nested(64)).text, "[".repeat(64) + "]".repeat(64));
    let value = {};
    for (let level = 1; level < 64; level++) value = { a: value };
    assert.equal(checkedCopy(value).text, JSON.stringify(value));
  });

  test("the copy is frozen through and through where that is asked", () => {
    const { copy } = checkedCopy({ a: [{ b: 1 }] }, { freeze: true });
    assert.ok([copy, copy.a, copy.a[0]].every(Object.isFrozen));
    assert.ok(!Object.isFrozen(checkedCopy({}).copy));
  });
});

describe("what is no JSON is refused with its place", () => {
  class Device {}
  const cyclic = { a: { list: [0] } };
  cyclic.a.list.push(cyclic);
  const selfish = [];
  selfish.push(selfish);
  const cases = [
    ["undefined", undefined, "", ""],
    ["a function", () => 1, "", ""],
    ["a function in an object", { a: { b: () => 1 } }, "a.b", "/a/b"],
    ["NaN", { rows: [{ n: NaN }] }, "rows[0].n", "/rows/0/n"],
    ["infinity", [1, -Infinity], "[1]", "/1"],
    ["a bigint", { a: 1n }, "a", "/a"],
    ["a symbol", [Symbol("s")], "[0]", "/0"],
    ["an undefined item", [1, undefined], "[1]", "/1"],
    ["a hole", { ids: [1, , 3] }, "ids[1]", "/ids/1"],
    ["a Date", { when: new Date(0) }, "when", "/when"],
    ["a Map", new Map([["a", 1]]), "", ""],
    ["an instance", [new Device()], "[0]", "/0"],
    ["a typed array", { bytes: new Uint8Array(2) }, "bytes", "/bytes"],
    ["a wrapped string", { s: new String("x") }, "s", "/s"],
    ["a regular expression", { r: /x/ }, "r", "/r"],
    ["an inherited value", { o: Object.create({ a: 1 }) }, "o", "/o"],
    ["a promise", { p: Promise.resolve() }, "p", "/p"],
    ["a cycle through an object", cyclic, "a.list[1]", "/a/list/1"],
    ["an array that holds itself", selfish, "[0]", "/0"],
    ["a lone surrogate", { a: ["ok", "\ud800x"] }, "a[1]", "/a/1"],
    ["a lone trailing surrogate", "x\udc00", "", ""],
    ["a reversed pair", ["\udc00\ud800"], "[0]", "/0"],
    ["a key with a lone surrogate", { a: { "k\udfff": 1 } }, "a.k\ufffd", "/a/k\ufffd"],
    ["a key to be escaped in a pointer", { "a/b~c": NaN }, "a/b~c", "/a~1b~0c"],
  ];
  for (const [name, value, path, pointer] of cases) {
    test(name, () => {
      const fault = faultOf(value);
      assert.deepEqual([fault.path, fault.pointer], [path, pointer]);
      assert.match(fault.message, /^must /);
      assert.equal(fault.tooLarge, false);
    });
  }

  test("a lone surrogate is found among texts that look like its escape", () => {
    assert.equal(faultOf({ a: "\\ud800", b: "\ud800" }).path, "b");
  });

  test("a lone surrogate is found where a prototype has a `toJSON`", () => {
    Object.prototype.toJSON = () => 1;
    try {
      assert.equal(faultOf({ b: ["\ud800"] }).path, "b[0]");
    } finally {
      delete Object.prototype.toJSON;
    }
  });

  test("a throwing getter, wherever it stands", () => {
    const thrown = new Error("secret");
    const throwing = { fine: 1, get a() { throw thrown; }, later: 2 };
    for (const [value, path] of [
      [throwing, "a"],
      [{ rows: [{}, throwing] }, "rows[1].a"],
      [{ deep: { list: [1] }, last: throwing }, "last.a"],
      [{ list: Object.defineProperty([1, 2], 1, { get() { throw thrown; } }) }, "list[1]"],
    ]) {
      const fault = faultOf(value);
      assert.equal(fault.path, path);
      assert.equal(fault.cause, thrown);
      assert.doesNotMatch(fault.message, /secret/);
    }
  });

  test("a proxy whose every trap throws, and a revoked one", () => {
    const trap = () => { throw new Error("trap"); };
    const traps = new Proxy({}, { get: () => trap });
    assert.equal(faultOf({ a: new Proxy({}, traps) }).path, "a");
    assert.equal(faultOf([[], new Proxy([], traps)]).path, "[1]");
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    assert.equal(faultOf({ b: { c: proxy } }).path, "b.c");
  });

  test("a 65th level, and a hundred thousand", () => {
    assert.equal(faultOf(nested(65)).path, "[0]".repeat(64));
    const deep = nested(100_000);
    const fault = faultOf(deep);
    assert.equal(fault.tooDeep, true);
    assert.equal(fault.path, "[0]".repeat(64));
    assert.throws(() => JSON.stringify(deep), RangeError);
  });

  test("a proxy that answers with ever new proxies", () => {
    const endless = () => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: endless(), enumerable: true, configurable: true }), get: endless });
    assert.equal(faultOf(endless()).tooDeep, true);
  });

  test("a long key does not fill the path", () => {
    assert.equal(faultOf({ ["k".repeat(10_000)]: NaN }).path.length, 100);
    assert.ok(faultOf({ [`${"k".repeat(99)}😀`]: NaN }).path.isWellFormed());
  });
});

describe("size", () => {
  const limit = { maxBytes: 1000 };

  test("what cannot fit is refused before a text is made", () => {
    for (const value of ["x".repeat(2000), ["x".repeat(600), "y".repeat(600)], { a: "x".repeat(1000) }, { ["k".repeat(1000)]: 1 }]) {
      const fault = faultOf(value, limit);
      assert.equal(fault.tooLarge, true);
      assert.equal(fault.path, "");
    }
  });

  test("what may fit is left to the core, which counts", () => {
    for (const value of ["x".repeat(998), Array(499).fill(1), { a: "x".repeat(992) }, Array(199).fill(null), [...Array(160)].map(() => true)]) {
      assert.ok(checkedCopy(value, limit).text.length <= 1000);
    }
  });

  test("an array that claims a great length is not read", () => {
    assert.equal(faultOf(new Array(2 ** 32 - 1), limit).tooLarge, true);
    const boast = new Proxy([], { get: (target, key) => (key === "length" ? 2 ** 53 - 1 : assert.fail(`read ${String(key)}`)) });
    assert.equal(faultOf(boast, limit).tooLarge, true);
  });

  test("a value that is small but unfolds without end is stopped", () => {
    let value = [1];
    for (let level = 0; level < 60; level++) value = [value, value];
    assert.equal(faultOf(value, { maxBytes: 262144 }).tooLarge, true);
    let names = {};
    for (let level = 0; level < 60; level++) names = { a: names, b: names };
    assert.equal(faultOf(names).tooLarge, true);
  });
});

describe("deepFreeze", () => {
  test("freezes every part and answers with the value", () => {
    const value = { a: [{ b: {} }], n: 1 };
    assert.equal(deepFreeze(value), value);
    assert.ok([value, value.a, value.a[0], value.a[0].b].every(Object.isFrozen));
    assert.equal(deepFreeze("text"), "text");
    assert.equal(deepFreeze(null), null);
  });
});

describe("jsonDeepEqual", () => {
  const equal = [
    [1, 1], [0, -0], ["a", "a"], [null, null], [[], []], [{}, {}], [{ a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 }],
    [{ a: undefined, b: 1 }, { b: 1 }], [{ length: { a: 1 } }, { length: { a: 1 } }],
  ];
  const different = [
    [1, 2], [1, "1"], [null, {}], [[], {}], [[1, 2], [2, 1]], [[1], [1, undefined]], [{ a: 1 }, { b: 1 }], [{ a: 1 }, { a: 1, b: 2 }],
    [{}, { toString: 1 }], [{ toString: 1 }, {}], [{ a: null }, {}], [JSON.parse('{"__proto__":1}'), {}],
  ];
  for (const [left, right] of equal) {
    test(`${JSON.stringify(left)} equals ${JSON.stringify(right)}`, () => assert.equal(jsonDeepEqual(left, right), true));
  }
  for (const [left, right] of different) {
    test(`${JSON.stringify(left)} differs from ${JSON.stringify(right)}`, () => {
      assert.equal(jsonDeepEqual(left, right), false);
      assert.equal(jsonDeepEqual(right, left), false);
    });
  }
  test("two cycles end", () => {
    const make = () => { const value = {}; value.a = value; value.b = value; return value; };
    assert.equal(jsonDeepEqual(make(), make()), false);
  });
});
