// The vectors that the protocol's other implementation produced, through the package's own interface: in a page and in
// Node. `INTEROP_VECTORS` names another folder of files of the same form. Beside them a property: the canonical form agrees
// with an independent one, written here.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, openPage } from "./harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "./harness/server.mjs";
import * as play from "./interop-play.mjs";
import { compareCanonical } from "./interop-canonical.mjs";

const FOLDER = process.env.INTEROP_VECTORS ?? join(ROOT, "tests", "vectors", "interop");
const NAMES = ["canonical", "manifest", "envelopes", "router", "adapters", "http"];
const DOCUMENTS = 3000;

const PAGE = `<!doctype html><title>interop</title><script type="module">
import * as I from "/pkg/dist/interop.js";
import { playAll } from "/e2e/interop-play.mjs";
import { compareCanonical } from "/e2e/interop-canonical.mjs";
await I.initInterop();
Object.assign(window, { I, playAll, compareCanonical });
document.documentElement.dataset.ready = "";
</script>`;

/** What the server of a case answers, beside \`{"a":1}\`. */
const BODIES = {
  "empty-body": Buffer.of(),
  bom: Buffer.from('\uFEFF{"a":1}'),
  "invalid-utf8": Buffer.from([0x22, 0xff, 0x22]),
  "json-null": Buffer.from("null"),
};
const STATUSES = { "ok-201": 201, "status-500": 500 };

let files;
let browser;
let server;
let peer;
let base;

before(async () => {
  const texts = await Promise.all(NAMES.map((name) => readFile(join(FOLDER, `${name}.json`), "utf8")));
  files = Object.fromEntries(NAMES.map((name, at) => [name, JSON.parse(texts[at])]));
  peer = createServer((request, response) => {
    const [, id] = request.url.split("/");
    const body = BODIES[id] ?? Buffer.from('{"a":1}');
    const declared = id === "declared-too-long" ? { "content-length": body.length } : {};
    const type = id === "content-type-ignored" ? "text/plain" : "application/json";
    response.writeHead(STATUSES[id] ?? 200, { "access-control-allow-origin": "*", "content-type": type, ...declared });
    response.end(body);
  });
  await new Promise((resolve) => peer.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${peer.address().port}/`;
  server = await serve({
    folders: { "/pkg/": PACKAGE, "/vectors/": FOLDER, "/e2e/": join(ROOT, "tests", "e2e") },
    answers: { "/page.html": { body: PAGE, headers: { "content-type": "text/html; charset=utf-8" } } },
  });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
  peer?.close();
});

const judge = (reports) => {
  for (const [name, { compared, failures }] of Object.entries(reports)) {
    assert.deepEqual(failures, [], name);
    assert.ok(compared > 10, `${name}: ${compared} compared`);
  }
  assert.deepEqual(Object.keys(reports).sort(), [...NAMES].sort());
};

test("every vector passes in Node", async () => {
  const I = await import(pathToFileURL(join(PACKAGE, "dist", "interop.mjs")));
  await I.initInterop();
  judge(await play.playAll(I, files, base));
});

test("every vector passes in a page", async () => {
  const page = await openPage(browser, `${server.origin}/page.html`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  const reports = await page.evaluate(
    async ([names, base]) => {
      const files = {};
      for (const name of names) files[name] = await (await fetch(`/vectors/${name}.json`)).json();
      return playAll(I, files, base);
    },
    [NAMES, base],
  );
  judge(reports);
  await page.close();
});

test("the canonical form of random values is the one of an independent implementation, in the same page", async () => {
  const page = await openPage(browser, `${server.origin}/page.html`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 32);
  const found = await page.evaluate(([seed, documents]) => compareCanonical(I, seed, documents), [seed, DOCUMENTS]);
  assert.deepEqual(found.failures, [], `seed ${seed}`);
  assert.ok(found.numbers > DOCUMENTS && found.surrogates > 100, `seed ${seed}: ${JSON.stringify(found)}`);
  await page.close();
});

test("the same in Node", async () => {
  const I = await import(pathToFileURL(join(PACKAGE, "dist", "interop.mjs")));
  await I.initInterop();
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 32);
  assert.deepEqual(compareCanonical(I, seed, DOCUMENTS).failures, [], `seed ${seed}`);
});
