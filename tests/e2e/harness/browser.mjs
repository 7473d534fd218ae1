// Starts the Chrome or Chromium of this machine, headless, with the arguments that every test of this project uses.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/** The browser: `CHROME`, which `cargo xtask` sets, or the first one on `PATH`. */
export function chromePath() {
  if (process.env.CHROME) return process.env.CHROME;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error("no Chrome or Chromium on PATH: run `cargo xtask setup`, or name one in CHROME");
  return found;
}

/** What root in a container needs, and what keeps the browser off the network. */
export const ARGUMENTS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/**
 * @param {{ webmcp?: boolean, args?: string[] }} [options]  `webmcp`: with the browser's own `document.modelContext`
 * @returns {Promise<import("playwright-core").Browser>}
 */
export function launch({ webmcp = false, args = [] } = {}) {
  const native = webmcp ? ["--enable-blink-features=WebMCP"] : [];
  return chromium.launch({ executablePath: chromePath(), args: [...ARGUMENTS, ...native, ...args] });
}

/**
 * Opens a page that keeps what went wrong in it.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @returns {Promise<import("playwright-core").Page & { faults: string[] }>}
 */
export async function openPage(browser, url, options = {}) {
  const page = await browser.newPage(options);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") page.faults.push(message.text());
  });
  await page.goto(url);
  return page;
}

/**
 * Presses Enter until something holds: the approval element takes no input in its first half second. Fails when it does not in
 * `times` presses.
 *
 * @param {import("playwright-core").Page} page
 * @param {() => Promise<boolean>} holds
 */
export async function pressUntil(page, holds, times = 300) {
  for (let time = 0; time < times; time += 1) {
    if (await holds()) return;
    await page.keyboard.press("Enter");
    // As often as the page is drawn, so that the bound is one of time.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  throw new Error(`Enter was pressed ${times} times, and nothing came of it`);
}
