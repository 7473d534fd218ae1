// What the surface tests share: a browser, a server with the built package, and a way to run a function in the page.
// Facts are gathered in the page (`A` is the package, `T` the helpers of pages/surface.js) and judged here.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "./harness/server.mjs";

export const FOLDERS = {
  "/pkg/": PACKAGE,
  "/polyfill/": join(ROOT, "tests", "node_modules", "@mcp-b", "webmcp-polyfill", "dist"),
  "/": join(ROOT, "tests", "e2e", "pages"),
};

/** Far past what any test takes: a page that hangs is a failure with a name, not a run that never ends. */
const HANGS_MS = 60_000;

/**
 * Opens `pages/surface.html` for the calling file. Gives `run(fn, argument)`, which answers with what `fn` returned in
 * the page; after the last test no error may be left that the page logged and no test took with `takeFaults`.
 *
 * @param {{ webmcp?: boolean, args?: string[], path?: string, server?: object }} [options]
 */
export function usePage({ webmcp, args, path = "/surface.html", server: serverOptions } = {}) {
  const held = {};
  before(async () => {
    held.server = await serve({ folders: FOLDERS, ...serverOptions });
    held.browser = await launch({ webmcp, args });
    held.page = await openPage(held.browser, held.server.origin + path);
    await held.page.waitForSelector("html[data-ready]", { state: "attached" });
  });
  after(async () => {
    await held.browser?.close();
    await held.server?.close();
    assert.deepEqual(held.page?.faults ?? [], [], "the page logged errors");
  });
  return {
    held,
    takeFaults: () => held.page.faults.splice(0),
    run: (fn, argument) => runIn(held.page, fn, argument),
  };
}

/** Runs `fn` in a page or frame. */
export async function runIn(page, fn, argument) {
  let timer;
  const hang = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the page did not answer within ${HANGS_MS} ms`)), HANGS_MS);
  });
  try {
    return await Promise.race([page.evaluate(fn, argument), hang]);
  } finally {
    clearTimeout(timer);
  }
}
