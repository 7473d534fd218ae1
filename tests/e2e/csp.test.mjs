// A Content Security Policy with and without WebAssembly, and servers that do not give the module.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { serve } from "./harness/server.mjs";
import { FOLDERS, runIn } from "./surface-page.mjs";

const WASM = "/pkg/dist/agent_surface.wasm";

let browser;
let server;
let policy;
const answers = {};
before(async () => {
  server = await serve({
    folders: FOLDERS,
    answers,
    headers: () => (policy === undefined ? {} : { "content-security-policy": policy }),
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

async function report(given, entry = "index.js") {
  policy = given;
  try {
    const page = await openPage(browser, `${server.origin}/csp.html?entry=${entry}`);
    const text = await page.locator("output").textContent();
    await page.close();
    return JSON.parse(text);
  } finally {
    policy = undefined;
  }
}

for (const entry of ["index.js", "inline.js"]) {
  test(`without 'wasm-unsafe-eval' ${entry} fails with a typed error, and the page goes on`, async () => {
    const found = await report("default-src 'self'; script-src 'self'", entry);
    for (const each of [found.init, found.again]) {
      assert.deepEqual([each.name, each.code], ["AgentSurfaceRuntimeError", "WASM_BLOCKED_BY_CSP"]);
      assert.match(each.message, /'wasm-unsafe-eval'.*script-src/);
      assert.equal(each.cause, "CompileError");
    }
    assert.equal(found.use.code, "NOT_INITIALIZED");
    assert.equal(found.page, "runs");
    assert.equal(found.eval.name, "EvalError");
  });

  test(`with 'wasm-unsafe-eval' ${entry} works, schemas and patterns included, and needs no eval`, async () => {
    const found = await report("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'", entry);
    assert.equal(found.init, "nothing was thrown");
    assert.deepEqual(found.calls, ["AB12", "INVALID_INPUT", "INVALID_INPUT"]);
    assert.equal(found.eval.name, "EvalError");
    assert.equal(found.page, "runs");
  });
}

const html = { "content-type": "text/html; charset=utf-8" };
const cases = {
  "a 404": [{ status: 404, body: "none", headers: { "content-type": "text/plain" } }, { status: 404, contentType: "text/plain" }],
  "an index.html with 200": [{ body: "<!doctype html>", headers: html }, { status: 200, contentType: html["content-type"] }],
  "a page served as WebAssembly": [{ body: "<!doctype html>", headers: { "content-type": "application/wasm" } }, { status: 200, contentType: "application/wasm" }],
  "a page without a type": [{ body: "<!doctype html>" }, { status: 200, contentType: "" }],
  "an empty file": [{ body: "", headers: { "content-type": "application/octet-stream" } }, { status: 200, contentType: "application/octet-stream" }],
  "a file that broke off": [{ body: "\0asm\x01\0\0\0\x01", headers: { "content-type": "application/wasm" } }, { status: 200, contentType: "application/wasm" }],
  "an error of the server": [{ status: 500, body: "oops", headers: html }, { status: 500, contentType: html["content-type"] }],
};

for (const [name, [answer, expected]] of Object.entries(cases)) {
  test(`WASM_NOT_SERVED for ${name}, with address, status and type; then a retry works`, async () => {
    answers[WASM] = answer;
    const page = await openPage(browser, `${server.origin}/surface.html?late`);
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    const init = () =>
      runIn(page, async () => {
        try {
          await A.init();
          return "done";
        } catch ({ name, code, message, details }) {
          return { name, code, message, details };
        }
      });
    const found = await init();
    delete answers[WASM];
    const retried = await init();
    const works = await runIn(page, () => T.registry().getVersion());
    await page.close();
    assert.deepEqual([found.name, found.code], ["AgentSurfaceRuntimeError", "WASM_NOT_SERVED"]);
    assert.deepEqual(found.details, { url: server.origin + WASM, ...expected });
    assert.ok(found.message.includes(WASM), found.message);
    assert.deepEqual([retried, works], ["done", "0"]);
  });
}

test("WASM_NOT_SERVED where nobody answers", async () => {
  const page = await openPage(browser, `${server.origin}/surface.html?late`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.route(`**${WASM}`, (route) => route.abort());
  const found = await runIn(page, () => A.init().catch(({ code, details }) => ({ code, details })));
  await page.unroute(`**${WASM}`);
  const retried = await runIn(page, () => A.init().then(() => "done"));
  await page.close();
  assert.equal(found.code, "WASM_NOT_SERVED");
  assert.deepEqual([found.details.url, found.details.status], [server.origin + WASM, 0]);
  assert.equal(retried, "done");
});

test("without a wasm content type the module still loads", async () => {
  const page = await openPage(browser, `${server.origin}/surface.html?late`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.route(`**${WASM}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "content-type": "application/octet-stream" } });
  });
  const done = await runIn(page, () => A.init().then(() => T.registry().getVersion()));
  await page.close();
  assert.equal(done, "0");
});
