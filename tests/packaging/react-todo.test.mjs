// `examples/react-todo`, built by Vite from the packed package with React 18 and 19, and driven as a person would.

import assert from "node:assert/strict";
import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createServer, build as viteBuild } from "vite";
import { launch, openPage, pressUntil } from "../e2e/harness/browser.mjs";
import { ROOT, serve } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";

const EXAMPLE = join(ROOT, "examples", "react-todo");

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** The example as a project with one version of React, at the places where npm would have put it. */
const example = async (version) => {
  const files = {};
  for (const name of ["index.html", ...(await readdir(join(EXAMPLE, "src"))).map((name) => `src/${name}`)]) {
    files[name] = await readFile(join(EXAMPLE, name), "utf8");
  }
  const made = await project(files);
  const suffix = version === 18 ? "18" : "";
  for (const name of ["react", "react-dom"]) {
    await symlink(join(ROOT, "tests", "node_modules", name + suffix), made.path("node_modules", name));
  }
  return made;
};

const settings = (made) => ({ root: made.folder, logLevel: "error", resolve: { dedupe: ["react", "react-dom"] } });

const drive = async (url) => {
  const page = await openPage(browser, url);
  const tool = (name) => page.getByRole("button", { name, exact: true });
  const said = (text) => page.locator(".history li").filter({ hasText: text }).waitFor();
  try {
    await page.getByText("6 tools").waitFor();
    assert.equal(await page.locator("header p").first().textContent(), "1 of 3 done");

    await tool("view_todos__task__toggle_at_2").click();
    await page.getByText("2 of 3 done").waitFor();
    await tool("view_todos__list__add").click();
    await page.getByText("Call the dentist").first().waitFor();
    await tool("view_todos__task__toggle_at_4").waitFor();
    await tool("view_todos__list__tasks").click();
    await said("Call the dentist");

    await page.getByRole("checkbox", { name: "Book the train" }).check();
    await tool("view_todos__list__clearDone").click();
    // The element takes the focus; its first half second decides nothing.
    await page.waitForFunction(() => document.activeElement?.localName === "agent-approvals");
    await page.keyboard.press("Tab");
    await pressUntil(page, async () => (await page.getByRole("checkbox").count()) === 1);
    await said("clearDone");
    assert.equal(await page.locator("header p").first().textContent(), "0 of 1 done");
    await page.getByText("4 tools").waitFor();
    assert.equal(await tool("view_todos__list__clearDone").isDisabled(), true);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
};

for (const version of [18, 19]) {
  test(`with React ${version} it builds and follows agent and person`, async () => {
    const made = await example(version);
    try {
      await viteBuild(settings(made));
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

test("Vite's development server serves it", async () => {
  const made = await example(19);
  try {
    const server = await createServer({ ...settings(made), server: { host: "127.0.0.1", port: 0, fs: { strict: false } } });
    await server.listen();
    try {
      await drive(`http://127.0.0.1:${server.httpServer.address().port}/`);
    } finally {
      await server.close();
    }
  } finally {
    await made.remove();
  }
});
