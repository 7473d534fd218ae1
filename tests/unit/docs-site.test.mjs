// The documentation site (`xtask/js/docs`), made as a developer would by hand.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
const tests = fileURLToPath(new URL("../", import.meta.url));
const script = join("..", "xtask", "js", "docs", "site.mjs");

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "agent-surface-docs-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("it is made from relative paths, with a page for each text", async () => {
  const site = join(folder, "site");
  const { stdout } = await execute(process.execPath, [script, "..", relative(tests, site)], { cwd: tests });
  assert.match(stdout, /^docs: \d+ pages\n$/);
  const texts = (await readdir(join(tests, "..", "docs"), { recursive: true })).filter((name) => name.endsWith(".md"));
  const pages = await readdir(site, { recursive: true });
  assert.deepEqual(texts.filter((name) => !pages.includes(name.replace(/\.md$/, ".html"))), []);
  const page = await readFile(join(site, "getting-started.html"), "utf8");
  assert.match(page, /<figcaption>main\.js<\/figcaption>/);
  assert.doesNotMatch(page, /part=/);
  const recipe = await readFile(join(site, "recipes", "vue.html"), "utf8");
  assert.match(recipe, /&lt;script<\/span> setup<span class="keyword">&gt;<\/span>\n<span class="keyword">import<\/span>/, "a script inside markup has its colours");
  // In the repository that link leads to the types.
  assert.match(await readFile(join(site, "guide.html"), "utf8"), /<a href="reference\/main\.html">The types<\/a>/);
});

test("without its two paths it says which they are", async () => {
  await assert.rejects(execute(process.execPath, [script, ".."], { cwd: tests }), /`node site\.mjs <root> <folder>`/);
});
