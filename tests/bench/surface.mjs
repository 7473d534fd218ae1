// Measures the external surface in Chromium: a page, a frame of another origin, and requests through the port of
// `createPostMessageTransport`. Beside each stands a bare echo of the same bytes, through a port between the same two, in
// the same rounds. Argument: the number of rounds (default 15).

import { launch, openPage } from "../e2e/harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "../e2e/harness/server.mjs";
import { join } from "node:path";

const rounds = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 15);
const folders = { "/bench/": join(ROOT, "tests", "bench"), "/pkg/": PACKAGE };
const answers = { "/favicon.ico": { status: 204 } };
const [home, other] = await Promise.all([0, 0].map(() => serve({ answers, folders })));
const browser = await launch();
try {
  const page = await openPage(browser, `${home.origin}/bench/surface.html`);
  await page.waitForFunction(() => typeof globalThis.start === "function");
  await page.evaluate((origin) => globalThis.start(origin), other.origin);
  const frame = page.frames().find((each) => each.url().startsWith(other.origin));
  await frame.waitForFunction(() => typeof globalThis.measure === "function");
  const results = await frame.evaluate(([origin, count]) => globalThis.measure(origin, count), [home.origin, rounds]);
  const cell = (value, width) => String(value).padStart(width);
  console.log(`${"medians, µs".padEnd(44)}${cell("bytes out", 10)}${cell("back", 8)}${cell("surface", 9)}${cell("echo", 8)}${cell("more", 8)}`);
  for (const { name, sent, got, micros, echo } of results) {
    const more = cell((micros - echo).toFixed(0), 8);
    console.log(`${name.padEnd(44)}${cell(sent, 10)}${cell(got, 8)}${cell(micros.toFixed(0), 9)}${cell(echo.toFixed(0), 8)}${more}`);
  }
  for (const fault of page.faults) console.error(fault);
} finally {
  await browser.close();
  for (const server of [home, other]) await server.close();
}
