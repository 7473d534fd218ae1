// docs/recipes/vue.md and svelte.md: their files, built by Vite from the packed package and driven as agent and person would.

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
  const tool = (name) => page.getByRole("button", { name: `view_shop__basket__${name}`, exact: true });
  const shows = (text) => page.getByText(text, { exact: true }).waitFor();
  try {
    await shows("0 in the basket, 0 ordered");
    assert.equal(await tool("order").isDisabled(), true);
    await tool("add").click();
    await shows("2 in the basket, 0 ordered");
    // A person's click is seen by the agent, and the news reaches the list of tools.
    await page.getByRole("button", { name: "Add an apple" }).click();
    await tool("content").click();
    await shows('{"apples":3,"ordered":0}');
    await tool("order").click();
    // The element takes the focus; its first half second decides nothing.
    await page.waitForFunction(() => document.activeElement?.localName === "agent-approvals");
    await shows("3 in the basket, 0 ordered");
    await page.keyboard.press("Tab");
    await pressUntil(page, () => page.getByText("0 in the basket, 3 ordered").isVisible());
    await page.waitForFunction(() => [...document.querySelectorAll("button")].some((button) => button.textContent.endsWith("order") && button.disabled));
    // What is gone is out of reach, and what comes back is there once.
    await page.getByRole("button", { name: "Close the basket" }).click();
    await tool("add").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Open the basket" }).click();
    await tool("add").click();
    await shows("2 in the basket, 0 ordered");
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
};

const COMMON = ["install", "src/main.js", "vite.config.js", "index.html"];

for (const [name, shown] of [
  ["vue", ["src/agent.js", "src/Basket.vue", "src/App.vue"]],
  ["svelte", ["src/agent.svelte.js", "src/Basket.svelte", "src/App.svelte"]],
]) {
  test(`${name}: the recipe builds, follows agent and person, and lets go`, async () => {
    const { install, ...files } = await filesOf(`docs/recipes/${name}.md`, [...shown, ...COMMON]);
    const made = await project(files, { link: packagesIn(install) });
    try {
      await viteBuild({ root: made.folder, configFile: made.path("vite.config.js"), logLevel: "error" });
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
