// Every block of code in the README and in docs/ is one that a test takes up: a new one fails here until it has a name, and its
// page's test (which names all that it runs) until it is run there.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { blocksIn } from "../packaging/snippets.mjs";

const root = new URL("../../", import.meta.url);
const read = (path) => readFile(new URL(path, root), "utf8");

/** The tests that run the named blocks of a page. Where `isExcerpt`, blocks without a name are pieces of an example, word for word. */
const TAKEN = {
  "README.md": { by: ["docs-pages"] },
  "docs/adapters.md": { by: ["adapter-docs"], isExcerpt: true },
  "docs/csp-and-bundlers.md": { by: ["docs-bundlers"] },
  "docs/external-agents.md": { by: ["external-agents-docs"] },
  "docs/getting-started.md": { by: ["docs-start"] },
  "docs/guide.md": { by: ["docs-pages"] },
  "docs/interop.md": { by: ["docs-pages"] },
  "docs/react.md": { by: ["docs-start"] },
  "docs/recipes/langgraph.md": { by: ["recipes-servers"] },
  "docs/recipes/mastra.md": { by: ["recipes-servers"] },
  "docs/recipes/svelte.md": { by: ["recipes-ui"] },
  "docs/recipes/vue.md": { by: ["recipes-ui"] },
  "docs/targets.md": { by: ["docs-targets"] },
  "docs/testing.md": { by: ["docs-pages"] },
  "docs/transports.md": { by: ["transport-docs"], isExcerpt: true },
};

const LANGUAGES = ["js", "jsx", "ts", "tsx", "html", "sh", "vue", "svelte", "json", "text"];

const names = (await readdir(new URL("docs", root), { recursive: true })).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...names.map((name) => `docs/${name.replaceAll("\\", "/")}`)];
const blocks = new Map(await Promise.all(pages.map(async (page) => [page, blocksIn(await read(page))])));

test("every block says its language, and has a name by which a test runs it", () => {
  const amiss = [];
  for (const [page, shown] of blocks) {
    for (const { language, name, text } of shown) {
      const isRun = name !== undefined || language === "text" || (language === "js" && TAKEN[page]?.isExcerpt);
      if (!LANGUAGES.includes(language) || !isRun) amiss.push(`${page}: \`${language}\`: ${text.split("\n")[0]}`);
    }
  }
  assert.deepEqual(amiss, []);
});

test("every page that shows code has a test, which asks for that page", async () => {
  const shown = pages.filter((page) => blocks.get(page).some(({ language, name }) => name !== undefined || language !== "text"));
  assert.deepEqual(shown.sort(), Object.keys(TAKEN).sort());
  for (const [page, { by }] of Object.entries(TAKEN)) {
    const word = page.replace(/^docs\/(?:recipes\/)?|\.md$/g, "");
    for (const name of by) assert.ok((await read(`tests/packaging/${name}.test.mjs`)).includes(word), `tests/packaging/${name}.test.mjs runs nothing of ${page}`);
  }
});

test("a fence is read whole, and what stands behind its language is a name or nothing", () => {
  const fence = "```";
  assert.deepEqual(blocksIn(`a\n${fence}js file=a.js\none\n\n${fence}\nb\n${fence}text\ntwo\n${fence}\n`), [
    { language: "js", name: "a.js", text: "one\n\n" },
    { language: "text", name: undefined, text: "two\n" },
  ]);
  assert.throws(() => blocksIn(`${fence}js title=a\none\n${fence}\n`), /behind the language of a block/);
});

test("the commands of `cargo xtask` that the documentation names are there", async () => {
  const known = new Set(Array.from((await read("xtask/src/main.rs")).matchAll(/"([a-z]+)"/g), ([, name]) => name));
  const named = new Map();
  for (const page of [...pages, "CONTRIBUTING.md", "ARCHITECTURE.md"]) {
    for (const [, command] of (await read(page)).matchAll(/cargo xtask ([a-z]+)/g)) named.set(command, page);
  }
  assert.ok(named.size > 5);
  assert.deepEqual([...named].filter(([command]) => !known.has(command)), []);
});
