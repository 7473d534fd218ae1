// Drives the demo's story in Chromium: `node demo-check.mjs <url>`. Prints the transcript, saves screenshots under
// target/demo/, and exits non-zero when anything differs.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openBrowser } from "./demo-browser.mjs";
import { CHAPTERS } from "./demo-story.mjs";
import { demoPage } from "./demo-page.mjs";
import { createReport } from "./demo-report.mjs";

const [url] = process.argv.slice(2);
if (!url) {
  console.error("usage: node demo-check.mjs <url of the demo>");
  process.exit(2);
}

const folder = fileURLToPath(new URL("../../target/demo", import.meta.url));
mkdirSync(folder, { recursive: true });
const report = createReport();
const { browser, page, devtools, faults } = await openBrowser();
page.setDefaultTimeout(15_000);
const demo = demoPage({ page, devtools, url, folder, note: report.note });

for (const [index, [title, run]] of CHAPTERS.entries()) {
  report.chapter(`${index + 1} · ${title}`);
  try {
    await demo.open();
    await run(demo, report);
  } catch (error) {
    await demo.shot("broke-off");
    report.broke(error);
  }
}
report.chapter("Throughout");
report.equal("the page reported no error and the policy refused nothing", faults, []);
await browser.close();
process.exitCode = report.close() ? 0 : 1;
