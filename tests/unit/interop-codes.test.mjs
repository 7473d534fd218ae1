// The codes of the remote protocol, as the types name them, against those that the crate has and the facade adds.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

/** Codes of servers alone: no page makes them. */
const NATIVE = ["REQUEST_TIMEOUT", "REQUEST_BODY"];

test("the types name every code that a page can see, and no other", async () => {
  const types = await read("pkg-template/types/interop.d.ts");
  const union = types.match(/export type InteropErrorCode =([^;]+);/)[1];
  const named = Array.from(union.matchAll(/"([A-Z_]+)"/g), ([, code]) => code);
  assert.equal(new Set(named).size, named.length);

  const error = await read("crates/agent-surface-interop/src/error.rs");
  const rules = Array.from(error.matchAll(/^ {4}\w+ (?:Type|Plain|Range) \d+ "([A-Z_]+)"/gm), ([, code]) => code);
  const others = Array.from(error.matchAll(/=> "([A-Z_]+)",/g), ([, code]) => code);
  assert.ok(rules.length > 40 && others.length > 7, "error.rs is written in another way");
  const stores = await Promise.all(["interop-stores.js", "interop-database.js"].map((name) => read(`pkg-template/lib/${name}`)));
  const facade = ["INVALID_OPTION", "UNSUPPORTED_SCHEMA"];
  const known = new Set([...rules, ...others, ...facade].filter((code) => !NATIVE.includes(code)));
  const own = new Set(Array.from(stores.join("\n").matchAll(/"(STORE_[A-Z_]+)"/g), ([, code]) => code));
  assert.deepEqual(named.filter((code) => !own.has(code)).sort(), [...known].filter((code) => !own.has(code)).sort());
});
