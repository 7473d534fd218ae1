// The database of the durable stores when it is not left in peace: what it holds is broken, it is deleted under way, its
// transactions abort, two tabs race after that. Nothing runs twice, nothing hangs, and every error says what happened. In Chromium.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { join } from "node:path";
import { launch } from "./harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "./harness/server.mjs";

const HTML = {
  body: `<!doctype html><title>database</title><script type="module" src="/pages/interop-stores.js"></script>`,
  headers: { "content-type": "text/html; charset=utf-8" },
};

let browser;
let server;
let context;
let page;
before(async () => {
  server = await serve({
    folders: { "/pkg/": PACKAGE, "/pages/": join(ROOT, "tests", "e2e", "pages") },
    answers: { "/index.html": HTML },
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});
const tab = async () => {
  const opened = await context.newPage();
  await opened.goto(`${server.origin}/`);
  await opened.waitForSelector("html[data-ready]", { state: "attached" });
  return opened;
};
/** Each test has storage of its own. */
beforeEach(async () => {
  context = await browser.newContext();
  page = await tab();
});
afterEach(() => context.close());

test("what is stored and is no head, number or record is not taken for none", async () => {
  const found = await page.evaluate(async () => {
    const { idempotency, sequences, outbound } = await open();
    await idempotency.reserve(reservation("k", "a", "r:1", 100));
    await sequences.admit(claim(3, "a"));
    await outbound.next(allocation(9, "key"));
    const db = await raw("agent-surface-interop", 1);
    const write = (store, value, key) =>
      new Promise((resolve, reject) => {
        const transaction = db.transaction([store], "readwrite");
        transaction.objectStore(store).put(value, key);
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    const told = async (call) => {
      try {
        return await call();
      } catch (error) {
        return I.isInteropError(error) && /^what the store holds is broken: /.test(error.message) ? error.code : String(error);
      }
    };
    const wholes = [null, 0, -1, 1.5, NaN, "7", 1n, {}];
    const facts = { heads: [], allocated: [], places: [], reserves: [], commits: [] };
    for (const value of wholes) {
      await write("numbers", value, ["i", "s"]);
      facts.heads.push(await told(() => outbound.next(allocation(9))), await told(() => outbound.current(allocation(9))));
    }
    await write("numbers", 1, ["i", "s"]);
    for (const value of wholes) {
      await write("allocated", value, ["i", "s", "key"]);
      facts.allocated.push(await told(() => outbound.next(allocation(9, "key"))));
    }
    const head = { sequence: 3, requestDigest: digest("a") };
    const heads = [null, "3", {}, ...wholes.map((sequence) => ({ ...head, sequence })), { ...head, requestDigest: "a" }, { sequence: 3 }];
    for (const value of heads) {
      await write("sequences", value, ["i", "s", "agent.step"]);
      facts.places.push(await told(() => sequences.admit(claim(4, "b"))));
    }
    const record = { state: "reserved", requestDigest: digest("a"), reservationId: "r:1", reservedUntilLogicalMs: 1, response: null };
    const records = [
      null,
      "text",
      {},
      { ...record, requestDigest: "a" },
      { ...record, reservationId: undefined },
      { ...record, reservedUntilLogicalMs: "1" },
      { ...record, reservedUntilLogicalMs: undefined },
      { ...record, response: undefined },
      { ...record, response: "{}" },
    ];
    for (const value of records) {
      await write("records", value, "k");
      facts.reserves.push(await told(() => idempotency.reserve(reservation("k", "a", "r:2", 500))));
      facts.commits.push(await told(() => idempotency.commit(commit("k", "a", "r:1", "c"))));
    }
    db.close();
    // What is whole goes on.
    facts.whole = [await outbound.next(allocation(9)), await sequences.admit(claim(5, "b", "t")), await idempotency.reserve(reservation("l", "a", "r:2", 1))];
    return facts;
  });
  const { whole, ...broken } = found;
  for (const [name, codes] of Object.entries(broken)) assert.deepEqual([...new Set(codes)], ["INTERNAL"], `${name}: ${codes}`);
  assert.deepEqual(whole, [2, "advanced", true]);
});
