// docs/getting-started.md and docs/react.md: their files, built by Vite from the packed package and used as they say.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build as viteBuild } from "vite";
import { launch, openPage } from "../e2e/harness/browser.mjs";
import { serve } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

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
    while ((await notes()).length > 0) await page.keyboard.press("Enter");
    await page.waitForFunction(() => [...document.querySelectorAll("button")].some(({ textContent, disabled }) => textContent.endsWith("clear") && disabled));
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
};

for (const [name, link] of [
  ["getting-started", []],
  ["react", ["react", "react-dom"]],
]) {
  test(`${name}: copied, built and used, it does what it says`, async () => {
    const made = await project(await filesOf(`${name}.md`), { link });
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
