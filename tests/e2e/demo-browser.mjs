// Chromium for the demo's check: found, started with native WebMCP, and watched for errors.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const CANDIDATES = [process.env.CHROME, "/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/chromium-browser"];
const ARGUMENTS = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--no-first-run", "--enable-blink-features=WebMCP",
];

/** A page, its devtools session, and what went wrong in it: console errors, uncaught exceptions, refused resources. */
export async function openBrowser() {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("No Chromium or Chrome was found: set CHROME to its path.");
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`exception: ${error.stack ?? error}`));
  page.on("console", (message) => {
    const { url } = message.location();
    if (message.type() === "error" && !isRefusal(message.text(), url)) faults.push(`console: ${message.text()} (${url})`);
  });
  const devtools = await context.newCDPSession(page);
  await devtools.send("DOM.enable");
  return { browser, page, devtools, faults };
}

/** The browser also notes what the backend, the environment or the endpoint that plays a model refused, and was meant to. */
function isRefusal(text, url) {
  return text.startsWith("Failed to load resource") && /^\/((api|v1)\/|exchange$)/.test(new URL(url).pathname);
}
