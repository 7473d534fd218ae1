// The durable stores under the browser's own quota, which a full disk makes small: a run that began has room for its
// response, and what makes room needs none. In Chromium, whose quota is counted on the disk.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGUMENTS, chromePath } from "./harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "./harness/server.mjs";

const HTML = {
  body: `<!doctype html><title>quota</title><script type="module" src="/pages/interop-stores.js"></script>`,
  headers: { "content-type": "text/html; charset=utf-8" },
};

let server;
let folder;
let context;
let page;
let setQuota;
before(async () => {
  server = await serve({
    folders: { "/pkg/": PACKAGE, "/pages/": join(ROOT, "tests", "e2e", "pages") },
    answers: { "/index.html": HTML },
  });
  folder = await mkdtemp(join(tmpdir(), "quota-"));
  // A profile on the disk: a private one keeps its databases in memory.
  context = await chromium.launchPersistentContext(folder, { executablePath: chromePath(), args: ARGUMENTS });
  page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  setQuota = (bytes) => devtools.send("Storage.overrideQuotaForOrigin", { origin: server.origin, ...(bytes && { quotaSize: bytes }) });
  // Before anything is stored: what there is room for the browser counts then.
  await setQuota(3_500_000);
  await page.goto(`${server.origin}/`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.evaluate(async () => {
    const noise = (size) => {
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      return bytes;
    };
    /** What no browser can press together, with a wide character. */
    const response = (size) => `${noise(size / 2).reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "").slice(0, size - 3)}中`;
    const put = (db, size) =>
      new Promise((resolve) => {
        const transaction = db.transaction(["all"], "readwrite");
        transaction.objectStore("all").put(noise(size));
        transaction.oncomplete = () => resolve(true);
        transaction.onabort = () => resolve(false);
      });
    /** Another program of the origin takes whatever there is, until it is told to give it back. */
    const fill = async () => {
      const db = await raw("other", 1, (made) => made.createObjectStore("all", { autoIncrement: true }));
      for (let size = 400_000; size > 100; ) if (!(await put(db, size))) size >>= 1;
      return () => (db.close(), remove("other"));
    };
    Object.assign(window, { response, fill });
  });
});
after(async () => {
  await context?.close();
  await server?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test("runs that began keep their responses where the quota is used up, short ones and wide ones, and others do not begin", async () => {
  const found = await page.evaluate(async () => {
    const facts = [];
    for (const size of [4096, 200_000]) {
      const name = `of ${size}`;
      const { idempotency, close } = await open({ name, maximumResponseBytes: size });
      const keys = ["a", "b"];
      for (const key of keys) facts.push(await said(() => idempotency.reserve(reservation(key, "a", `r:${key}`, 100))));
      const empty = await fill();
      facts.push(await said(() => idempotency.reserve(reservation("c", "a", "r:c", 100))));
      for (const key of keys) facts.push(await said(() => idempotency.commit(commit(key, "a", `r:${key}`, "c", response(size)))));
      close();
      await remove(name);
      await empty();
    }
    return facts;
  });
  assert.deepEqual(found, [true, true, "STORE_QUOTA", true, true, true, true, "STORE_QUOTA", true, true]);
});

test("where the quota is used up what is to be forgotten can be, and what is left is counted", async () => {
  const full = await page.evaluate(async () => {
    window.stores = await open({ maximumResponseBytes: 4096, maximumEntries: 3 });
    const { idempotency, outbound, sequences } = stores;
    for (const key of ["a", "b"]) {
      await idempotency.reserve(reservation(key, "a", `r:${key}`, 100));
      await idempotency.commit(commit(key, "a", `r:${key}`, "c"));
    }
    await idempotency.reserve(reservation("running", "a", "r:1", 900));
    await sequences.admit(claim(1, "a"));
    await outbound.next(allocation(9, "k"));
    await outbound.next(allocation(9, "k", "other"));
    await fill();
    return [
      await said(() => outbound.next(allocation(9, "more"))),
      await said(() => stores.prune({ logicalTimeMs: 500 })),
      await said(async () => (await stores.forgetSession(allocation(9))) ?? "forgotten"),
      await idempotency.load("a"),
      (await idempotency.load("running")).reservationId,
      await outbound.current(allocation(9)),
    ];
  });
  assert.deepEqual(full, ["STORE_QUOTA", 2, "forgotten", null, "r:1", 0]);
  await setQuota();
  const again = await page.evaluate(async () => {
    const { idempotency, outbound } = stores;
    const facts = [];
    for (const key of ["c", "d", "e"]) facts.push(await said(() => idempotency.reserve(reservation(key, "a", `r:${key}`, 1000))));
    facts.push(await idempotency.commit(commit("running", "a", "r:1", "c")));
    for (const key of ["l", "m", "n"]) facts.push(await said(() => outbound.next(allocation(9, key))));
    return facts;
  });
  assert.deepEqual(again, [true, true, "STORE_FULL", true, 1, 2, "STORE_FULL"]);
});
