// Measures the built package in Chromium and prints a table: the median of repeated runs, the reference operation of
// the same run (`JSON.parse(JSON.stringify(v))` of a 32 kB value), and how many times as fast as the TypeScript library
// that is. Arguments: the number of rounds (default 15), and `--check` to fail below a floor.

import { join } from "node:path";
import { launch, openPage } from "../e2e/harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "../e2e/harness/server.mjs";

/** What the reference took, in µs, where the figures of the TypeScript library were measured. */
const REFERENCE_THERE = 250;

const rounds = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 15);
const answers = { "/favicon.ico": { status: 204 } };
const server = await serve({ answers, folders: { "/bench/": join(ROOT, "tests", "bench"), "/pkg/": PACKAGE } });
const browser = await launch();
try {
  const page = await openPage(browser, `${server.origin}/bench/page.html`);
  await page.waitForFunction(() => typeof globalThis.measure === "function");
  const results = await page.evaluate((count) => globalThis.measure(count), rounds);
  const cell = (value, width) => String(value).padStart(width);
  console.log(`${"operation".padEnd(38)}${cell("µs", 9)}${cell("reference", 11)}${cell("TypeScript", 12)}${cell("times", 8)}${cell("floor", 7)}`);
  let below = 0;
  for (const { name, figure, floor, micros, reference } of results) {
    const ratio = (figure / micros) * (reference / REFERENCE_THERE);
    const isBelow = floor !== undefined && ratio < floor;
    below += isBelow ? 1 : 0;
    console.log(
      `${name.padEnd(38)}${cell(micros.toFixed(micros < 10 ? 2 : 1), 9)}${cell(reference.toFixed(0), 11)}` +
        `${cell(figure ?? "", 12)}${cell(figure ? ratio.toFixed(1) : "", 8)}${cell(floor ?? "", 7)}${isBelow ? "  below" : ""}`,
    );
  }
  const { sizes, results: curves } = await page.evaluate((count) => globalThis.measureScale(count), rounds);
  console.log(`\n${"µs at components of ten capabilities".padEnd(38)}${sizes.map((size) => cell(size, 9)).join("")}${cell("growth", 11)}`);
  for (const { name, micros } of curves) {
    const growth = micros.at(-1) / micros[0];
    console.log(`${name.padEnd(38)}${micros.map((each) => cell(each.toFixed(each < 10 ? 2 : 1), 9)).join("")}${cell(growth.toFixed(1), 11)}`);
  }
  const start = await page.evaluate((count) => globalThis.measureStart(count), rounds);
  console.log(`\ninit() from bytes, in a new document: ${start.toFixed(1)} ms`);
  for (const fault of page.faults) console.error(fault);
  if (process.argv.includes("--check") && below > 0) process.exitCode = 1;
} finally {
  await browser.close();
  await server.close();
}
