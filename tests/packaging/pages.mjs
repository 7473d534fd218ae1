// Pages of the throw-away projects in a real browser: each ends with its answer in the title.

import assert from "node:assert/strict";
import { openPage } from "../e2e/harness/browser.mjs";
import { serve } from "../e2e/harness/server.mjs";

/** A page with one module script. */
export const page = (script) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body><script type="module" src="${script}"></script>`;

/** What the page at an address ends with; nothing else may go wrong in it. */
export async function titleAt(browser, url, { faults = [] } = {}) {
  const tab = await openPage(browser, url);
  try {
    await tab.waitForFunction(() => document.title !== "");
    assert.deepEqual(tab.faults.filter((fault) => !faults.some((known) => known.test(fault))), []);
    return await tab.title();
  } finally {
    await tab.close();
  }
}

/** The same for `index.html` of a folder. `options` are those of `serve`. */
export async function titleOf(browser, folder, { faults, ...options } = {}) {
  const server = await serve({ folders: { "/": folder }, ...options });
  try {
    return await titleAt(browser, `${server.origin}/`, { faults });
  } finally {
    await server.close();
  }
}
