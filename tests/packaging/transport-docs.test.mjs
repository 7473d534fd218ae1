// docs/transports.md: its snippets are those of tests/examples, and the transport that they build carries conversations.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";
import { blocksIn } from "./snippets.mjs";

const read = (...path) => readFile(join(ROOT, ...path), "utf8");

test("every script of the page is a piece of the example, word for word", async () => {
  const [page, example] = [await read("docs", "transports.md"), await read("tests", "examples", "broadcast-transport.mjs")];
  const snippets = blocksIn(page).filter(({ language }) => language !== "text").map(({ text }) => text);
  assert.ok(snippets.length >= 6);
  for (const snippet of snippets) assert.ok(example.includes(snippet), snippet);
});

test("a transport of one's own connects, carries and ends as the page's own does", async () => {
  const names = ["broadcast-transport.mjs", "broadcast-transport.test.mjs"];
  const app = await project(Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read("tests", "examples", name)]))));
  try {
    const printed = await app.node("--test", "--test-timeout=60000", "--test-reporter=tap", names[1]);
    assert.match(printed, /^# pass 4$/m);
    assert.match(printed, /^# fail 0$/m);
  } finally {
    await app.remove();
  }
});
