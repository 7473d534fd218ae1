// What the package exports is what its types declare, and nothing runs at import.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as api from "../../pkg-template/lib/api.js";
import { DEFAULT_LIMITS } from "../../pkg-template/lib/ids.js";

const declared = (file) => readFileSync(new URL(`../../pkg-template/types/${file}`, import.meta.url), "utf8");

test("every value of the types is exported, and no other", () => {
  const lists = declared("api.d.ts").matchAll(/^export \{([^}]*)\}/gm);
  const names = [...lists].flatMap(([, list]) => list.split(",").map((name) => name.trim())).filter((name) => name && !name.startsWith("type "));
  assert.deepEqual(Object.keys(api).sort(), names.sort());
});

test("every limit has its type, in the same order", () => {
  const names = [...declared("limits.d.ts").matchAll(/readonly (\w+): number/g)].map(([, name]) => name);
  assert.deepEqual(Object.keys(DEFAULT_LIMITS), names);
});

test("the limits are those of the core", () => {
  const source = readFileSync(new URL("../../crates/agent-surface-core/src/limits.rs", import.meta.url), "utf8");
  const core = [...source.matchAll(/^ +\w+ "(\w+)" ([\d_]+);$/gm)].map(([, name, value]) => [name, Number(value.replaceAll("_", ""))]);
  assert.deepEqual(Object.entries(DEFAULT_LIMITS), core);
});

test("a name that explains hidden capabilities is not among them", () => {
  assert.deepEqual(Object.keys(api).filter((name) => /explain/i.test(name)), []);
});
