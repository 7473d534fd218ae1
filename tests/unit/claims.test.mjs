// `docs/claims.md`: every test that it names exists, and every claim of the README that can be counted has one.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const read = (path) => readFile(new URL(path, root), "utf8");

const claims = await read("docs/claims.md");
const readme = await read("README.md");

const rows = Array.from(claims.matchAll(/^\| (.+?) \| `([\w/-]+)` \| (.+) \|$/gm), ([, claim, file, name]) => ({ claim, file, name }));

/** A text of a script, as a pattern: what a template fills in may be anything. */
const patternOf = (text) => {
  const literal = (part) => part.replace(/\\(.)/g, "$1").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${text.split(/\$\{[^}]*\}/).map(literal).join(".+")}$`);
};

/** The titles of a script's tests; where a title is a variable, every text that begins a line may be it. */
const titlesIn = (script) => {
  const said = Array.from(script.matchAll(/\btest\(\s*(["'`])((?:\\.|(?!\1).)+)\1/g), ([, , text]) => text);
  const keys = Array.from(script.matchAll(/^\s*(["'`])((?:\\.|(?!\1).)+)\1:/gm), ([, , text]) => text);
  return [...said, ...(/\btest\(\s*\w+,/.test(script) ? keys : [])].map(patternOf);
};

test("every test that a claim names exists", async () => {
  assert.ok(rows.length > 0);
  const missing = [];
  for (const { file, name } of rows) {
    const script = await read(`tests/${file}.test.mjs`).catch(() => "");
    if (!titlesIn(script).some((title) => title.test(name))) missing.push(`tests/${file}.test.mjs: ${name}`);
  }
  assert.deepEqual(missing, []);
});

test("every row of the claims is read", () => {
  const lines = claims.split("\n").filter((line) => line.startsWith("|") && !/^\| (---|claim|entry|place) /.test(line));
  assert.equal(rows.length, lines.length);
});

test("every point of what you can rely on has a test", () => {
  const points = Array.from(readme.matchAll(/^- (\*\*.+?\*\*)/gm), ([, point]) => point);
  assert.ok(points.length > 0);
  assert.deepEqual(points.filter((point) => !rows.some(({ claim }) => claim.startsWith(point))), []);
});

test("every entry of the package is in the README, and has a test", async () => {
  const { exports } = JSON.parse(await read("pkg-template/package.json"));
  const entries = Object.keys(exports).filter((name) => !/\.(wasm|json)$/.test(name));
  const table = Array.from(readme.matchAll(/^\| (`agent-surface-wasm.*?) \|/gm), ([, cell]) => cell).join();
  for (const entry of entries) {
    const name = `agent-surface-wasm${entry.slice(1)}`;
    assert.ok(rows.some(({ claim }) => claim.includes(`\`${name}\``)), `docs/claims.md has no row for \`${name}\``);
    assert.ok(table.includes(`\`${entry === "." ? name : name.slice("agent-surface-wasm".length)}\``) || table.includes(`\`${name}\``), `the README has no row for \`${name}\``);
  }
});

test("every tool and place that the README names has a test", () => {
  const [, line] = /^It runs in (.*?)\.$/ms.exec(readme);
  const tools = Array.from(line.matchAll(/\*\*(.+?)\*\*/g), ([, tool]) => tool);
  assert.ok(tools.length > 0);
  assert.deepEqual(tools.filter((tool) => !rows.some(({ claim }) => claim.includes(tool))), []);
});
