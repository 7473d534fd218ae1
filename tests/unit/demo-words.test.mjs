// The demo's pages in two languages: neither has words that the other lacks.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { DEFAULT_STRINGS } from "../../pkg-template/lib/approvals-strings.js";
import { WORDS as AGENT } from "../../www/agent/words.js";
import { REPLACED } from "../../www/queue/app/replaced.js";
import { APPROVALS, WORDS as QUEUE } from "../../www/queue/app/words.js";

/** What stands where: the same names with the same kinds of values, and as many of each. */
const shape = (value) => {
  if (typeof value === "function") return `function of ${value.length}`;
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shape(each)]));
  return value.length > 0 ? typeof value : "empty";
};

for (const [name, words] of Object.entries({ queue: QUEUE, agent: AGENT })) {
  test(`the ${name} says everything in both languages`, () => {
    assert.deepEqual(Object.keys(words), ["en", "zh"]);
    assert.deepEqual(shape(words.zh), shape(words.en));
  });
}

test("the approval element has every word in Chinese", () => {
  assert.deepEqual(Object.keys(APPROVALS.zh).sort(), Object.keys(DEFAULT_STRINGS).sort());
});

test("every line that the queue shows as its own is one of its lines", () => {
  const folder = new URL("../../www/queue/app/", import.meta.url);
  const sources = readdirSync(folder).filter((name) => name !== "replaced.js").map((name) => readFileSync(new URL(name, folder), "utf8"));
  for (const { name, now } of REPLACED) {
    assert.ok(QUEUE.en.replaced[name]);
    for (const line of now) assert.ok(sources.some((text) => text.includes(line)), line);
  }
});
