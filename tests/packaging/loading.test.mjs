// `init()` of the built package in a real browser: once, from any source, with the approval element. (Policies and servers
// that get it wrong are in `tests/e2e/csp.test.mjs`.)

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../e2e/harness/browser.mjs";
import { PACKAGE, serve } from "../e2e/harness/server.mjs";

const HTML = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>loading</title>';
const WASM = "/pkg/dist/agent_surface.wasm";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Serves the package with these answers, and runs \`act\` in the page. */
const inPage = async ({ answers = {} }, act, argument) => {
  const server = await serve({
    folders: { "/pkg/": PACKAGE },
    answers: { "/index.html": { body: HTML, headers: { "content-type": "text/html" } }, ...answers },
  });
  const page = await browser.newPage();
  try {
    await page.goto(`${server.origin}/`);
    return await page.evaluate(act, argument);
  } finally {
    await page.close();
    await server.close();
  }
};

test("init is shared by concurrent callers, idempotent, and may be tried again after it failed", async () => {
  const counts = await inPage({}, async () => {
    const fetched = [];
    const original = globalThis.fetch;
    let broken = true;
    globalThis.fetch = (...args) => {
      fetched.push(String(args[0]));
      return broken ? Promise.reject(new TypeError("offline")) : original(...args);
    };
    const { init } = await import("/pkg/dist/index.js");
    const failures = await Promise.allSettled([init(), init()]);
    const afterFailure = fetched.length;
    broken = false;
    await Promise.all([init(), init(), init()]);
    await init();
    return { failed: failures.map(({ reason }) => reason.code), afterFailure, total: fetched.length };
  });
  assert.deepEqual(counts, { failed: ["WASM_NOT_SERVED", "WASM_NOT_SERVED"], afterFailure: 1, total: 2 });
});

test("two entries in one page share the instance", async () => {
  const shared = await inPage({}, async () => {
    const main = await import("/pkg/dist/index.js");
    const slim = await import("/pkg/dist/slim.js");
    await main.init();
    await slim.init();
    return main.parseCapabilityId === slim.parseCapabilityId && slim.parseCapabilityId("view:a.b") !== undefined;
  });
  assert.equal(shared, true);
});

const APPROVALS = "/pkg/dist/approvals.js";

for (const entry of ["index", "slim", "inline"]) {
  test(`${entry}: the approval element is there when init is done`, async () => {
    const defined = await inPage(
      {},
      async ({ entry, wasm }) => {
        const { init } = await import(`/pkg/dist/${entry}.js`);
        await init(entry === "slim" ? { url: wasm } : undefined);
        return customElements.get("agent-approvals") !== undefined;
      },
      { entry, wasm: WASM },
    );
    assert.equal(defined, true);
  });
}

test("without the approval element's file init succeeds and says so, and the next call tries again", async () => {
  let asked = 0;
  const answer = {
    headers: { "content-type": "text/javascript" },
    body: await readFile(join(PACKAGE, "dist", "approvals.js"), "utf8"),
    get status() {
      return asked++ === 0 ? 404 : 200;
    },
  };
  const result = await inPage({ answers: { [APPROVALS]: answer } }, async () => {
    const said = [];
    console.error = (...words) => said.push(words.map(String).join(" "));
    const { init, defineAgentApprovals, parseCapabilityId } = await import("/pkg/dist/index.js");
    await init();
    const before = customElements.get("agent-approvals") !== undefined;
    await defineAgentApprovals();
    return { said, before, works: parseCapabilityId("view:a.b") !== undefined, after: customElements.get("agent-approvals") !== undefined };
  });
  assert.deepEqual([result.before, result.works, result.after], [false, true, true]);
  assert.equal(result.said.length, 1);
  assert.match(result.said[0], /<agent-approvals> could not be loaded/);
});

test("a page defines the approval element under a name of its own, once", async () => {
  const names = await inPage({}, async () => {
    const { defineAgentApprovals } = await import("/pkg/dist/index.js");
    await Promise.all([defineAgentApprovals("my-approvals"), defineAgentApprovals("my-approvals")]);
    return ["my-approvals", "agent-approvals"].map((name) => customElements.get(name) !== undefined);
  });
  assert.deepEqual(names, [true, false]);
});

test("a page passes a compiled module, bytes or an address", async () => {
  for (const form of ["module", "bytes", "url"]) {
    const ready = await inPage(
      {},
      async ({ form, address }) => {
        const { init, parseCapabilityId } = await import("/pkg/dist/slim.js");
        const bytes = await (await fetch(address)).arrayBuffer();
        const options = { module: () => WebAssembly.compile(bytes), bytes: () => bytes, url: () => address };
        await init({ [form]: await options[form]() });
        return parseCapabilityId("view:a.b") !== undefined;
      },
      { form, address: WASM },
    );
    assert.equal(ready, true, form);
  }
});
