// docs/getting-started.md and docs/react.md: their files, built by Vite from the packed package and used as they say. What `npx vite`
// serves is what is built here.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build as viteBuild } from "vite";
import { launch, openPage, pressUntil } from "../e2e/harness/browser.mjs";
import { serve } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";
import { filesOf, packagesIn } from "./snippets.mjs";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const drive = async (url) => {
  const page = await openPage(browser, url);
  const tool = (name) => page.getByRole("button", { name: `view_app__notes__${name}`, exact: true });
  const notes = () => page.locator("#notes li").allTextContents();
  const settled = (count) => page.waitForFunction((wanted) => document.querySelectorAll("#notes li").length === wanted, count);
  try {
    await tool("list").click();
    await page.getByText('["Water the plants"]', { exact: true }).waitFor();
    await tool("add").click();
    await settled(2);
    assert.deepEqual(await notes(), ["Water the plants", "Call back"]);
    await tool("clear").click();
    // The element takes the focus; its first half second decides nothing.
    await page.waitForFunction(() => document.activeElement?.localName === "agent-approvals");
    assert.equal((await notes()).length, 2);
    await page.keyboard.press("Tab");
    await pressUntil(page, async () => (await notes()).length === 0);
    await page.waitForFunction(() => [...document.querySelectorAll("button")].some(({ textContent, disabled }) => textContent.endsWith("clear") && disabled));
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
};

for (const [name, shown] of [
  ["getting-started", ["install", "serve", "index.html", "notes.js", "main.js", "copilot.js"]],
  ["react", ["install", "index.html", "main.jsx", "notes.jsx", "tools.jsx"]],
]) {
  test(`${name}: copied, built and used, it does what it says`, async () => {
    const { install, serve: command = "npx vite\n", ...files } = await filesOf(`docs/${name}.md`, shown);
    assert.equal(command, "npx vite\n");
    const made = await project(files, { link: packagesIn(install) });
    try {
      await viteBuild({ root: made.folder, logLevel: "error" });
      const server = await serve({ folders: { "/": made.path("dist") } });
      try {
        await drive(`${server.origin}/`);
      } finally {
        await server.close();
      }
    } finally {
      await made.remove();
    }
  });
}

/** A surface with a note, and a model that lists it, calls a tool that there is not, and ends; prints the conversation. */
const CONVERSE = `
import { createAgentSurfaceRegistry, createAgentToolset, defineAgentComponent, fromJsonSchema, init, observation } from "agent-surface-wasm";
import { converse } from "./copilot.js";
await init();
const registry = createAgentSurfaceRegistry();
const output = fromJsonSchema({ type: "array" });
registry.register(defineAgentComponent({ type: "app.notes", description: "Notes", observations: { list: observation({ description: "All", output, read: () => ["a"] }) } }));
const toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
const use = (name) => ({ type: "tool_use", id: "toolu_" + name, name, input: {} });
const answers = [[use("view_app__notes__list"), use("none")], [{ type: "text", text: "One." }]];
const asked = [];
const client = { messages: { create: async (request) => (asked.push(request.tools.length), { content: answers.shift() }) } };
const messages = [{ role: "user", content: "What is there?" }];
await converse(toolset, client, messages);
console.log(JSON.stringify({ asked, messages }));
process.exit(0);
`;

test("getting-started: its loop with a model answers each call, and ends", async () => {
  const { "copilot.js": copilot } = await filesOf("docs/getting-started.md", ["install", "serve", "index.html", "notes.js", "main.js", "copilot.js"]);
  const made = await project({ "copilot.js": copilot, "converse.js": CONVERSE });
  try {
    const { asked, messages } = JSON.parse(await made.node("converse.js"));
    assert.deepEqual(asked, [1, 1]);
    assert.deepEqual(messages.map(({ role }) => role), ["user", "assistant", "user", "assistant"]);
    const [listed, unknown] = messages[2].content;
    assert.deepEqual([listed.content, listed.is_error, unknown.is_error], ['["a"]', undefined, true]);
    assert.match(unknown.content, /CAPABILITY_NOT_FOUND/);
  } finally {
    await made.remove();
  }
});
