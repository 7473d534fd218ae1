// Drives the demo in Chromium: `node demo-check.mjs <url> [story…]`. A story is a file `demo-check-<name>.mjs` that exports
// `open({ page, devtools, url, folder, note })`, whose result has `open()` (a fresh page) and `shot(name)`, and `CHAPTERS`,
// a list of `[title, async (demo, report) => {…}]`. Prints the transcript, saves screenshots under target/demo/, and exits
// non-zero when anything differs.
import { mkdirSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openBrowser } from "./demo-browser.mjs";
import { createReport } from "./demo-report.mjs";

const [url, ...wanted] = process.argv.slice(2);
const known = readdirSync(new URL(".", import.meta.url)).flatMap((file) => /^demo-check-(.+)\.mjs$/.exec(file)?.[1] ?? []).sort();
const unknown = wanted.filter((name) => !known.includes(name));
if (!url || unknown.length > 0) {
  console.error(`usage: node demo-check.mjs <url of the demo> [${known.join("|")}]…`);
  process.exit(2);
}

const folder = fileURLToPath(new URL("../../target/demo", import.meta.url));
mkdirSync(folder, { recursive: true });
const report = createReport();

for (const name of wanted.length > 0 ? wanted : known) {
  const { CHAPTERS, open } = await import(`./demo-check-${name}.mjs`);
  const { browser, page, devtools, faults } = await openBrowser();
  page.setDefaultTimeout(15_000);
  const demo = open({ page, devtools, url, folder, note: report.note });
  for (const [index, [title, run]] of CHAPTERS.entries()) {
    report.chapter(`${name} ${index + 1} · ${title}`);
    try {
      await demo.open();
      await run(demo, report);
    } catch (error) {
      await demo.shot(`${name}-broke-off`);
      report.broke(error);
    }
  }
  report.chapter(`${name} · throughout`);
  report.equal("the page reported no error and the policy refused nothing", faults, []);
  await browser.close();
}
process.exitCode = report.close() ? 0 : 1;
