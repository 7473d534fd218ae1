// Measures `/interop` in Chromium: round trips per second between a client and a router in one page, for payloads of
// different kinds and sizes, unsigned and signed, beside those of the protocol's other implementation. What is counted is
// the processor's time, so that other programs disturb it less: the page's thread, and where it signs, which happens beside
// it, the whole process. Every round measures every row. Argument: the number of rounds (default 5).

import { join } from "node:path";
import { launch, openPage } from "../e2e/harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "../e2e/harness/server.mjs";

/** Kind, bytes, round trips per second of the other implementation (unsigned), and how many times as many are wanted. */
const ROWS = [
  ["blob", 100, 615, 10],
  ["blob", 4_000, 479, 10],
  ["blob", 64_000, 157, 10],
  ["blob", 1_000_000, 9.6, 10],
  ["structured", 100],
  ["structured", 4_000, 83, 100],
  ["structured", 64_000, 6.6, 100],
  ["structured", 1_000_000, 0.36, 100],
];
/** The least seconds of a sample. */
const SAMPLE = 0.15;
/** Round trips of a sample at most: stores keep every response. */
const MOST = 4000;

const rounds = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 5);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const server = await serve({ answers: { "/favicon.ico": { status: 204 } }, folders: { "/bench/": join(ROOT, "tests", "bench"), "/pkg/": PACKAGE } });
const browser = await launch();
try {
  const page = await openPage(browser, `${server.origin}/bench/interop.html`);
  await page.waitForFunction(() => globalThis.ready);
  await page.evaluate(() => globalThis.ready);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });

  /** Seconds of the processor so far. */
  const spent = async (name) => (await devtools.send("Performance.getMetrics")).metrics.find((metric) => metric.name === name).value;

  /** How often per second `act` was done: `act(count)` does it so many times. */
  async function rate(metric, act) {
    for (let count = 1; ; count *= 2) {
      const before = await spent(metric);
      await act(count);
      const seconds = (await spent(metric)) - before;
      if (seconds >= SAMPLE || count >= MOST) return count / seconds;
    }
  }

  const rows = ROWS.flatMap(([kind, bytes, peer, aim]) => [false, true].map((isSigned) => ({ kind, bytes, peer, aim, isSigned, samples: [] })));
  const references = [];
  for (let round = 0; round < rounds + 1; round++) {
    const reference = await rate("ThreadTime", (count) => page.evaluate((times) => globalThis.reference(times), count));
    if (round > 0) references.push(reference);
    for (const { kind, bytes, isSigned, samples } of rows) {
      await page.evaluate((signs) => globalThis.begin(signs), isSigned);
      const sample = await rate(isSigned ? "ProcessTime" : "ThreadTime", (count) => page.evaluate(([what, size, times]) => globalThis.roundTrips(what, size, times), [kind, bytes, count]));
      // The first round only warms up.
      if (round > 0) samples.push(sample);
    }
  }

  const cell = (value, width) => String(value).padStart(width);
  const figure = (value) => value.toFixed(value < 100 ? 1 : 0);
  console.log(`round trips per second in one page, in Chromium; medians of ${rounds} rounds`);
  console.log(`${"payload".padEnd(12)}${cell("bytes", 10)}${cell("unsigned", 12)}${cell("signed", 12)}${cell("peer", 10)}${cell("times", 8)}${cell("aim", 8)}`);
  for (let at = 0; at < rows.length; at += 2) {
    const [unsigned, signed] = [rows[at], rows[at + 1]].map(({ samples }) => median(samples));
    const { kind, bytes, peer, aim } = rows[at];
    const beside = peer === undefined ? "" : `${cell(peer, 10)}${cell((unsigned / peer).toFixed(1), 8)}${cell(aim, 8)}`;
    console.log(`${kind.padEnd(12)}${cell(bytes, 10)}${cell(figure(unsigned), 12)}${cell(figure(signed), 12)}${beside}`);
  }
  console.log(`reference: JSON.parse(JSON.stringify(v)) of 32 kB ${figure(median(references))} times per second`);
  for (const fault of page.faults) console.error(fault);
} finally {
  await browser.close();
  await server.close();
}
