// The door of a module beside the main one, and what is made of a page's values before it: no value of a page's stops a
// module, and nothing that stops one is forgotten.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createDoor } from "../../pkg-template/lib/apart.js";
import { givenMembers, givenNumber, givenText } from "../../pkg-template/lib/given.js";

const GLUE = { add: (one, two) => one + two };
const doorOf = (ready = () => GLUE) => createDoor({ ready }, "The module", (text) => new TypeError(text));
const throwing = (error) => () => {
  throw error;
};
const refuse = (message) => new SyntaxError(message);

test("a text that the module throws is its refusal, and it goes on", () => {
  const door = doorOf();
  assert.throws(() => door.enter(throwing("no")), { name: "TypeError", message: "no" });
  assert.equal(door.enter(({ add }) => add(1, 2)), 3);
});

test("what is no trap passes as it is, and the module goes on", () => {
  const door = doorOf();
  const hostile = { get name() { throw new Error("no"); }, get message() { throw new Error("no"); } };
  for (const error of [new TypeError("Cannot convert"), { message: 1 }, null, undefined, 7, Object.create(null), hostile, Symbol("s")]) {
    let thrown = door;
    try {
      door.enter(throwing(error));
    } catch (found) {
      thrown = found;
    }
    assert.equal(thrown, error);
    assert.equal(door.enter(({ add }) => add(1, 2)), 3);
  }
});

test("a trap is one typed error from then on, with its cause, and nothing is called or freed any more", () => {
  for (const trap of [new WebAssembly.RuntimeError("unreachable"), new RangeError("Maximum call stack size exceeded"), new Error("panic: at x.rs:1")]) {
    const door = doorOf();
    const check = (error) => {
      assert.deepEqual([error.code, error.cause, error.details], ["POISONED", trap, { trap: trap.message }]);
      assert.match(error.message, /^The module stopped: /);
      return true;
    };
    assert.throws(() => door.enter(throwing(trap)), check);
    assert.throws(() => door.enter(() => assert.fail("called")), check);
    door.release({ free: () => assert.fail("freed") });
  }
});

test("what is not loaded is no trap", () => {
  let isLoaded = false;
  const door = doorOf(() => {
    if (isLoaded) return GLUE;
    throw new RangeError("not yet");
  });
  assert.throws(() => door.enter(() => 1), { message: "not yet" });
  isLoaded = true;
  assert.equal(door.enter(() => 1), 1);
});

test("texts and numbers are taken as they are, and nothing is made one", () => {
  assert.equal(givenText("", "`id`", refuse), "");
  assert.equal(givenNumber(-1.5, "`at`", refuse), -1.5);
  const told = { toString: () => assert.fail("converted"), valueOf: () => assert.fail("converted") };
  const texts = [[undefined, "nothing"], [null, "`null`"], [7, "`7`"], [1n, "a bigint"], [told, "an object"], [Symbol("s"), "a symbol"], ["\ud800", "one with half a surrogate pair"]];
  for (const [value, found] of texts) {
    assert.throws(() => givenText(value, "`id`", refuse), { name: "SyntaxError", message: `expected \`id\` to be a text, found ${found}` });
  }
  for (const [value, found] of [[undefined, "nothing"], [null, "`null`"], ["", "``"], ["1", "`1`"], [NaN, "`NaN`"], [Infinity, "`Infinity`"], [1n, "a bigint"], [told, "an object"]]) {
    assert.throws(() => givenNumber(value, "the clock", refuse), { message: `expected the clock to be a finite number, found ${found}` });
  }
});

test("members cross as JSON, those that are not there are left out, and no other kind is let through", () => {
  const members = { a: "\ud800\"", b: 1e21, c: null, d: undefined, e: true, more: 1n };
  assert.equal(givenMembers(members, ["a", "b", "c", "d", "e", "f"], refuse), '{"a":"\\ud800\\"","b":1e+21,"c":null,"e":true}');
  assert.equal(givenMembers(undefined, ["a"], refuse), "{}");
  for (const value of [1n, NaN, {}, [], () => {}, { toJSON: () => "1" }]) {
    assert.throws(() => givenMembers({ sequence: value }, ["sequence"], refuse), { name: "SyntaxError", message: /^expected `sequence` to be a text or a finite number, found / });
  }
});
