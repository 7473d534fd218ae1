// The numbers that the facade and the boundary name their requests by are the same on both sides.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as acts from "../../pkg-template/lib/acts.js";
import * as codes from "../../pkg-template/lib/codes.js";

test("the codes of the facade are those of the module", () => {
  const source = readFileSync(new URL("../../src/codes.rs", import.meta.url), "utf8");
  const constants = [...source.matchAll(/pub const (\w+): u32 = (\d+);/g)].map(([, name, number]) => [name, Number(number)]);
  assert.ok(constants.length > 20);
  assert.deepEqual(Object.fromEntries(constants), { ...codes });
});

test("what the core does has the same numbers on both sides", () => {
  const source = readFileSync(new URL("../../src/convert.rs", import.meta.url), "utf8");
  const [, list] = source.match(/pub enum Act \{([^}]*)\}/);
  const names = list.match(/\w+/g).map((name) => name.replace(/(?!^)[A-Z]/g, "_$&").toUpperCase());
  const { act, ...numbers } = acts;
  assert.deepEqual(Object.fromEntries(names.map((name, number) => [name, number])), numbers);
});
