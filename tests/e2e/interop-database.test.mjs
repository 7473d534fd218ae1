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

/** Opens the stores of a tab, and leaves them in the page. */
const openIn = (each, options) => each.evaluate(async (options) => void (window.stores = await open(options)), options);
const reserveIn = (each, id, key = "k") =>
  each.evaluate(([id, key]) => said(() => stores.idempotency.reserve(reservation(key, "a", id, 100))), [id, key]);

test("a database with a run under way is deleted when the run has ended, and until then nobody begins it again", async () => {
  const [other, third] = [await tab(), await tab()];
  for (const each of [page, third]) await openIn(each);
  assert.equal(await reserveIn(page, "r:1"), true);
  await other.evaluate(() => {
    window.blocked = new Promise((resolve) => {
      const request = indexedDB.deleteDatabase("agent-surface-interop");
      request.onblocked = () => resolve();
      window.deleted = new Promise((done) => {
        request.onsuccess = () => done("deleted");
      });
    });
    return window.blocked;
  });
  // Who has nothing under way gave way at once, and whoever opens it anew waits.
  assert.equal(await reserveIn(third, "r:2"), "STORE_CLOSED");
  assert.equal(await third.evaluate(() => said(() => open({ openTimeoutMs: 100 }))), "STORE_BLOCKED");
  const found = await page.evaluate(async () => {
    const { idempotency, sequences, outbound } = stores;
    return [
      await said(() => idempotency.reserve(reservation("more", "a", "r:3", 1))),
      await said(() => sequences.admit(claim(1, "a"))),
      await said(() => outbound.next(allocation(9))),
      (await idempotency.load("k")).reservationId,
      await said(() => idempotency.commit(commit("k", "a", "r:1", "c"))),
      await said(() => idempotency.load("k")),
    ];
  });
  assert.deepEqual(found, ["STORE_CLOSED", "STORE_CLOSED", "STORE_CLOSED", "r:1", true, "STORE_CLOSED"]);
  assert.equal(await other.evaluate(() => window.deleted), "deleted");
  assert.equal(await other.evaluate(async () => (await open()).idempotency.load("k")), null);
});

test("a run that is given up lets the database go, too", async () => {
  const other = await tab();
  await openIn(page);
  assert.equal(await reserveIn(page, "r:1"), true);
  assert.equal(await reserveIn(page, "r:2"), false);
  const deleted = other.evaluate(() => remove("agent-surface-interop"));
  await page.evaluate(() => stores.idempotency.release({ idempotencyKey: "k", reservationId: "r:1" }));
  assert.equal(await deleted, "deleted");
});

test("tabs that race while the database is deleted again and again run nothing twice at once, and all come to an end", async () => {
  const tabs = [page, await tab(), await tab()];
  const keys = ["k:0", "k:1", "k:2", "k:3"];
  const running = new Map();
  const overlaps = [];
  let runs = 0;
  const began = (key, run) => {
    if (running.has(key)) overlaps.push(`${key}: ${running.get(key)} and ${run}`);
    running.set(key, run);
    runs += 1;
  };
  const ended = (key, run) => running.get(key) === run && running.delete(key);
  await context.exposeFunction("began", began);
  await context.exposeFunction("ended", ended);
  for (const each of tabs) {
    await each.reload();
    await each.waitForSelector("html[data-ready]", { state: "attached" });
  }
  /** As a router does: reserve, run, commit or give up; stores that were closed are opened again. */
  const race = ([name, keys]) => {
    window.codes = [];
    const work = async (key, round) => {
      const id = `r:${name}:${round}:${key}`;
      try {
        window.stores ??= open();
        const { idempotency } = await window.stores;
        if (!(await idempotency.reserve(reservation(key, "a", id, 100)))) return;
        await began(key, id);
        // Long enough for another tab to make the database anew and begin.
        for (let turn = 0; turn < 8; turn += 1) (await raw("elsewhere", 1)).close();
        await ended(key, id);
        if (round % 2) await idempotency.commit(commit(key, "a", id, "c"));
        else await idempotency.release({ idempotencyKey: key, reservationId: id });
      } catch (error) {
        window.codes.push(I.isInteropError(error) ? error.code : String(error));
        if (error.code === "STORE_CLOSED") window.stores = undefined;
      }
    };
    return (async () => {
      for (let round = 0; round < 20; round += 1) {
        await Promise.all(keys.map((key) => work(key, round)));
        if (round % 2 === 1 && name === 0) await remove("agent-surface-interop");
      }
      return window.codes;
    })();
  };
  const codes = (await Promise.all(tabs.map((each, name) => each.evaluate(race, [name, keys])))).flat();
  assert.deepEqual(overlaps, []);
  assert.ok(runs >= keys.length, `${runs} runs`);
  assert.deepEqual([...new Set(codes)].filter((code) => code !== "STORE_CLOSED"), []);
});

test("when the site's data are cleared, every call ends with an error that says so", async () => {
  await openIn(page);
  assert.equal(await reserveIn(page, "r:1"), true);
  const devtools = await context.newCDPSession(page);
  const flood = page.evaluate(async () => {
    const said = [];
    let isClosed = false;
    for (let round = 0; !isClosed; round += 1) {
      const all = [
        stores.idempotency.load("k"),
        stores.sequences.admit(claim(round + 1, "a")),
        stores.outbound.next(allocation(999_999)),
        stores.idempotency.commit(commit("none", "a", "r:1", "c")),
      ];
      for (const { reason, status } of await Promise.allSettled(all)) {
        if (status === "fulfilled") continue;
        said.push(I.isInteropError(reason) ? `${reason.code}: ${reason.message}` : `raw: ${reason}`);
        isClosed ||= reason?.code === "STORE_CLOSED";
      }
    }
    return said;
  });
  await devtools.send("Storage.clearDataForOrigin", { origin: server.origin, storageTypes: "indexeddb" });
  for (const each of await flood) assert.match(each, /^(STORE_CLOSED: expected open stores: |STORE_FAILED: the database failed)/);
  assert.match(await page.evaluate(() => stores.idempotency.commit(commit("k", "a", "r:1", "c")).catch(({ message }) => message)), /the browser has closed the database/);
});

test("a response that a full disk cannot keep is an error, and its request does not run again before its lease ends", async () => {
  const found = await page.evaluate(async () => {
    const [INPUT, OUTPUT] = [digest("1"), digest("2")];
    const manifest = I.createInteropManifest({
      endpointId: "endpoint:a",
      endpointVersion: "1",
      implementationId: "implementation:a",
      endpointKind: "agent",
      operations: ["agent.step"],
      inputSchemaDigest: INPUT,
      outputSchemaDigest: OUTPUT,
      supportsCancellation: false,
      supportsDeterministicReplay: false,
      supportsCheckpoint: false,
      requiresRequestSignature: false,
      signsResponses: false,
      maximumRequestBytes: 4096,
      maximumResponseBytes: 4096,
      maximumStepsPerSession: 9,
    });
    const schemas = I.createSchemaResolver({ [INPUT]: {}, [OUTPUT]: {} });
    let runs = 0;
    const router = new I.InteropEndpointRouter({
      routerInstanceId: "router:a",
      manifest,
      schemas,
      admission: { admit: () => true },
      handlers: { "agent.step": () => ({ status: "completed", reasonCode: "done", payload: { run: (runs += 1) } }) },
      durableStores: await open({ exclusive: true }),
    });
    let now = 10;
    const exchange = async (text) => (await router.handle(text, { logicalTimeMs: now })).text;
    const client = new I.InteropClient({ clientId: "client:a", transport: { manifest: () => manifest, exchange }, schemas });
    const step = () =>
      said(async () => {
        const { status, reasonCode, payload } = await client.invoke({
          requestId: "request:1",
          idempotencyKey: "key:1",
          sessionId: "session:1",
          operation: "agent.step",
          sequence: 1,
          logicalTimeMs: 1,
          deadlineLogicalMs: 99_999,
          payload: {},
        });
        return `${status} ${reasonCode} ${payload?.run ?? ""}`;
      });
    // Full when all of a transaction is to be kept: first for whatever would begin, then for a response.
    const { put } = IDBObjectStore.prototype;
    const fill = (isFull) => {
      IDBObjectStore.prototype.put = function (...parts) {
        const { transaction } = this;
        const request = put.apply(this, parts);
        if (isFull(this, ...parts)) {
          Object.defineProperty(transaction, "error", { get: () => new DOMException("", "QuotaExceededError") });
          request.addEventListener("success", () => transaction.abort());
        }
        return request;
      };
    };
    const facts = [];
    fill((store) => store.name === "records");
    facts.push(await step());
    fill((store, value) => Boolean(value.response));
    facts.push(await step(), await step());
    IDBObjectStore.prototype.put = put;
    facts.push(await step());
    now += 30_001;
    facts.push(await step(), await step(), runs);
    return facts;
  });
  assert.deepEqual(found, [
    "STORE_QUOTA",
    "STORE_QUOTA",
    "deferred interop_request_in_progress ",
    "deferred interop_request_in_progress ",
    "completed done 2",
    "completed done 2",
    2,
  ]);
});

test("a transaction that somebody else ends, and a lock that fails or is stolen, are typed errors, and a result stands", async () => {
  const found = await page.evaluate(async () => {
    const facts = {};
    const told = (call) => call().then((value) => value, (error) => (I.isInteropError(error) ? [error.code, error.cause?.name ?? null] : String(error)));
    const stores = await open({ exclusive: true });
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...parts) {
      const made = transaction.apply(this, parts);
      queueMicrotask(() => made.abort());
      return made;
    };
    facts.ended = await told(() => stores.outbound.next(allocation(9)));
    IDBDatabase.prototype.transaction = transaction;
    facts.next = await told(() => stores.outbound.next(allocation(9)));

    const { request } = LockManager.prototype;
    LockManager.prototype.request = async () => {
      throw new DOMException("", "InvalidStateError");
    };
    facts.refused = await told(() => stores.idempotency.reserve(reservation("k", "a", "r:1", 1)));
    LockManager.prototype.request = request;
    facts.reserved = await told(() => stores.idempotency.reserve(reservation("k", "a", "r:1", 1)));
    await navigator.locks.request("agent-surface-interop/k", { steal: true }, () => {});
    facts.committed = await told(() => stores.idempotency.commit(commit("k", "a", "r:1", "c")));
    return facts;
  });
  assert.deepEqual(found, {
    ended: ["STORE_FAILED", null],
    next: 1,
    refused: ["STORE_FAILED", "InvalidStateError"],
    reserved: true,
    committed: true,
  });
});
