// The packed package in Jest and Vitest with a page of jsdom.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../e2e/harness/server.mjs";
import { ALL, asCommon, asModule } from "./programs.mjs";
import { project } from "./project.mjs";

const execute = promisify(execFile);
const installed = (...path) => join(ROOT, "tests", "node_modules", ...path);

const SUITE = `
test("a component of the page is called, with and without approval", async () => {
  expect.extend(matchers);
  await init();
  const surface = createTestSurface({ consumer: { id: "c", kind: "embedded" } });
  document.body.innerHTML = "<p>old</p><agent-approvals></agent-approvals>";
  const text = fromJsonSchema({ type: "object", properties: { text: { type: "string", maxLength: 5 } }, required: ["text"] });
  const execute = ({ text }) => { document.querySelector("p").textContent = text; };
  surface.register(defineAgentComponent({
    type: "app.pad",
    description: "A pad",
    actions: {
      write: action({ description: "Writes", input: text, effect: "local-state", execute }),
      wipe: action({ description: "Wipes", input: text, effect: "local-state", confirmation: "required", execute }),
    },
  }));
  expect(await surface.invoke("view:app.pad.write", { text: "new" })).toBeOk();
  expect(document.querySelector("p").textContent).toBe("new");
  expect(await surface.invoke("view:app.pad.write", { text: "too long" })).toFailWith("INVALID_INPUT");

  document.querySelector("agent-approvals").registry = surface.registry;
  const asked = await surface.invoke("view:app.pad.wipe", { text: "ü €" });
  expect(asked).toFailWith("CONFIRMATION_REQUIRED");
  surface.confirmations.approve();
  expect(await surface.invoke("view:app.pad.wipe", { text: "ü €" }, asked.error.details)).toBeOk();
  expect(document.querySelector("p").textContent).toBe("ü €");
  // Nobody sees that page: the element is not defined there.
  expect([customElements.get("agent-approvals"), navigator.userAgent.includes("jsdom")]).toEqual([undefined, true]);
  surface.dispose();
});
`;

const FROM = {
  "agent-surface-wasm": "init, action, defineAgentComponent, fromJsonSchema",
  "agent-surface-wasm/testing": "createTestSurface",
  "agent-surface-wasm/testing/matchers": "matchers",
};

const ENTRIES = `test("every entry", async () => { expect(await run()).toBe(${JSON.stringify(ALL.answer)}); });`;

const RUNNERS = {
  "Jest with jsdom": {
    command: [installed("jest", "bin", "jest.js"), "--json", "--outputFile=report.json"],
    files: {
      "package.json": JSON.stringify({
        name: "app",
        private: true,
        jest: { testEnvironment: installed("jest-environment-jsdom"), testMatch: ["**/*.test.cjs"], transform: {} },
      }),
      "pad.test.cjs": Object.entries(FROM).map(([from, names]) => `const { ${names} } = require("${from}");`).join("\n") + SUITE,
      "entries.test.cjs": asCommon(ALL) + ENTRIES,
    },
    link: [],
  },
  "Vitest with jsdom": {
    command: [installed("vitest", "vitest.mjs"), "run", "--environment=jsdom", "--reporter=json", "--outputFile=report.json"],
    files: {
      "pad.test.mjs":
        ['import { expect, test } from "vitest";', ...Object.entries(FROM).map(([from, names]) => `import { ${names} } from "${from}";`)].join("\n") + SUITE,
      "entries.test.mjs": `import { expect, test } from "vitest";\n${asModule(ALL)}${ENTRIES}`,
    },
    link: ["vitest", "jsdom"],
  },
};

for (const [name, { command, files, link }] of Object.entries(RUNNERS)) {
  test(`${name}: components of a page are called, with and without approval`, async () => {
    const made = await project(files, { link });
    try {
      // With a failing test it ends with 1; the report says what failed.
      const env = { ...process.env, CI: "1" };
      const { stdout, stderr } = await execute(process.execPath, command, { cwd: made.folder, env }).catch((failed) => failed);
      const text = await readFile(made.path("report.json"), "utf8").catch(() => assert.fail(stdout + stderr));
      const found = JSON.parse(text).testResults.flatMap(({ assertionResults, message }) =>
        assertionResults.length === 0 ? [message] : assertionResults.map(({ status, failureMessages }) => [status, ...failureMessages]),
      );
      assert.deepEqual(found, [["passed"], ["passed"]]);
    } finally {
      await made.remove();
    }
  });
}
