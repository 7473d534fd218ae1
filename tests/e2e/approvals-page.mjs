// What the approval tests share: Chromium, and a page with `<agent-approvals>` over a small fake registry
// (pages/approvals.html). Files are served by interception, under a CSP without inline styles.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./harness/browser.mjs";

const ORIGIN = "http://localhost:1";
const CSP = "default-src 'self'; style-src 'nonce-test'; script-src 'self' 'nonce-test'";
export const LIB = new URL("../../pkg-template/", import.meta.url);
const PAGES = new URL("pages/", import.meta.url);

let browser;
export let page;
/** What the page logged as an error; a test that expects some takes them out. */
export let faults;

async function serve(route) {
  const path = new URL(route.request().url()).pathname.slice(1);
  const file = fileURLToPath(new URL(path, path.startsWith("lib/") ? LIB : PAGES));
  const contentType = file.endsWith(".js") ? "text/javascript" : "text/html";
  await route.fulfill({ body: await readFile(file), contentType, headers: { "content-security-policy": CSP } });
}

/** A fresh page; the last one is closed. */
export async function open(options = {}) {
  await page?.context().close();
  const context = await browser.newContext({ viewport: { width: 560, height: 760 }, ...options });
  page = await context.newPage();
  faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.route(`${ORIGIN}/**`, serve);
  await page.goto(`${ORIGIN}/approvals.html`);
  await page.waitForSelector("[data-ready]");
}

/** Installs browser and page for every test of the calling file. */
export function useBrowser() {
  before(async () => {
    browser = await launch();
  });
  after(() => browser.close());
  beforeEach(() => open());
  afterEach(() => assert.deepEqual(faults, [], "the page logged errors"));
}

/** Milliseconds on the page's monotonic clock. */
export const clock = () => page.evaluate(() => performance.now());

/** Runs `attempt` on a fresh page until the machine was quick enough for all of it to happen within one guard, counted from
 * the time that it returns. */
export async function withinGuard(attempt) {
  for (let tries = 0; tries < 10; tries++) {
    await open();
    const began = await attempt();
    if ((await clock()) - began < 390) return;
  }
  assert.fail("this machine is too slow to act within the guard");
}

export const ask = (...requests) =>
  page.evaluate(async (all) => {
    const ids = all.map((request) => registry.ask(request));
    await painted();
    return ids;
  }, requests.length ? requests : [{}]);
export const guardOver = () => page.evaluate(() => guardOver());
export const resolved = () => page.evaluate(() => registry.log.resolved);
export const refused = () => page.evaluate(() => registry.log.refused);
export const focused = () => page.evaluate(() => focused());
export const pending = () => page.evaluate(() => element.hasAttribute("pending"));
/** The text of a part; `null` where there is none. */
export const textOf = (name) => page.evaluate((part) => inside().querySelector(`[part=${part}]`)?.innerText ?? null, name);
export const notes = () => page.evaluate(() => [...inside().querySelectorAll("[role=status]")].map((note) => note.textContent).join(""));

export async function centre(selector) {
  return page.evaluate((inner) => {
    const { x, y, width, height } = inside().querySelector(inner).getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  }, selector);
}
export const click = async (selector) => page.mouse.click(...(await centre(selector)));
