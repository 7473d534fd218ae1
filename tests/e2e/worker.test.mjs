// The built package in a browser's workers: no document, no window, and everything but the approval element works.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import { launch } from "./harness/browser.mjs";
import { PACKAGE, serve } from "./harness/server.mjs";

const PROGRAM = `
const program = async () => {
  await A.init();
  const registry = A.createAgentSurfaceRegistry({ environment: "test" });
  const input = A.fromJsonSchema({ type: "object", properties: { n: { type: "integer" } } });
  registry.register(A.defineAgentComponent({
    type: "worker",
    description: "In a worker",
    observations: { look: A.observation({ description: "Looks", output: A.fromJsonSchema({}), read: () => [typeof document, typeof window] }) },
    actions: { ask: A.action({ description: "Asks", input, effect: "local-state", confirmation: "required", execute: ({ n }) => n }) },
  }));
  const [look, ask] = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" }).tools();
  const asked = ask.execute({ n: 3 });
  await null;
  const [{ confirmationId }] = registry.confirmations.pending();
  registry.confirmations.resolve(confirmationId, { approved: true });
  const found = [(await look.execute()).output, (await asked).output, registry.snapshot().components.length, await A.recover()];
  registry.dispose();
  return found;
};
program().then(postMessage, (error) => postMessage(String(error.stack)));
`;

const FOUND = [["undefined", "undefined"], 3, 1, false];

let browser;
let server;
before(async () => {
  const script = { "content-type": "text/javascript" };
  const bundled = await esbuild.build({
    stdin: { contents: `import * as A from ${JSON.stringify(join(PACKAGE, "dist", "inline.js"))};${PROGRAM}`, resolveDir: PACKAGE },
    bundle: true,
    format: "iife",
    write: false,
  });
  server = await serve({
    folders: { "/pkg/": PACKAGE },
    answers: {
      "/index.html": { body: "<!doctype html><title>workers</title>", headers: { "content-type": "text/html" } },
      "/module.js": { body: `import * as A from "/pkg/dist/index.js";${PROGRAM}`, headers: script },
      "/classic.js": { body: bundled.outputFiles[0].text, headers: script },
    },
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

for (const type of ["module", "classic"]) {
  test(`a ${type} worker runs the whole of it`, async () => {
    const page = await browser.newPage();
    await page.goto(`${server.origin}/`);
    const found = await page.evaluate(
      (kind) =>
        new Promise((resolve) => {
          const worker = new Worker(`/${kind}.js`, { type: kind });
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = (event) => resolve(event.message ?? "the worker did not start");
        }),
      type,
    );
    await page.close();
    assert.deepEqual(found, FOUND);
  });
}
