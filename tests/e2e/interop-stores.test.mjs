// The stores of `/interop` in Chromium: those in memory and those on IndexedDB keep one contract; the latter also between
// tabs and over reloads, and with an error of its own for whatever a browser's storage can refuse.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "./harness/server.mjs";

const HTML = {
  body: `<!doctype html><title>stores</title><script type="module" src="/pages/interop-stores.js"></script>`,
  headers: { "content-type": "text/html; charset=utf-8" },
};

let browser;
let server;
let context;
let page;
before(async () => {
  server = await serve({
    folders: { "/pkg/": PACKAGE, "/pages/": join(ROOT, "tests", "e2e", "pages") },
    headers: () => ({ "access-control-allow-origin": "*" }),
    answers: { "/index.html": HTML },
  });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});
/** Each test has storage of its own. */
beforeEach(async () => {
  context = await browser.newContext();
  page = await tab();
});
afterEach(() => context.close());

const ready = (frame) => frame.waitForSelector("html[data-ready]", { state: "attached" });
const tab = async () => {
  const opened = await context.newPage();
  await opened.goto(`${server.origin}/`);
  await ready(opened);
  return opened;
};
const reload = async () => {
  await page.reload();
  await ready(page);
};

const CONTRACT = {
  reservations: [
    null,
    true,
    ["a", "r:1", 130, null],
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_KEY_REUSED",
    false,
    true,
    ["a", "r:2", 161, null],
    true,
  ],
  commits: [
    false,
    false,
    false,
    ["a", "r:2", 161, null],
    true,
    ["a", "r:2", 161, 92],
    true,
    false,
    ["a", "r:2", 161, 92],
    false,
    "IDEMPOTENCY_KEY_REUSED",
  ],
  places: ["advanced", "duplicate", "conflict", "stale", "stale", "advanced", "stale", "advanced", "advanced", "duplicate"],
  numbers: [0, 1, 2, 1, "OUTBOUND_SEQUENCE_CAPACITY", 2, 3, "OUTBOUND_SEQUENCE_CAPACITY", 1, 3, 0],
  races: {
    reserves: [...Array(7).fill(false), true],
    takeovers: [...Array(7).fill(false), true],
    places: ["advanced", ...Array(7).fill("conflict")],
    numbers: [1, 2, 3, 4, 5, 6, 7, 8],
    numbersOfOneKey: Array(8).fill(9),
  },
  refused: ["INVALID_MEMBER", "INVALID_MEMBER", "INVALID_MEMBER", "INVALID_MEMBER", "MEMBER_OUT_OF_RANGE"],
};

test("stores in memory and on IndexedDB keep the same contract", async () => {
  assert.deepEqual(await page.evaluate(() => contract(memory())), CONTRACT);
  assert.deepEqual(await page.evaluate(async () => contract(await open())), CONTRACT);
});

test("a reload loses nothing", async () => {
  await page.evaluate(async () => {
    const stores = await open();
    await stores.idempotency.reserve(reservation("done", "a", "r:1", 100));
    await stores.idempotency.commit(commit("done", "a", "r:1", "c"));
    await stores.idempotency.reserve(reservation("open", "b", "r:2", 100));
    await stores.sequences.admit(claim(7, "a"));
    for (const key of ["x", "y", undefined]) await stores.outbound.next(allocation(99, key));
  });
  await reload();
  const found = await page.evaluate(async () => {
    const { idempotency, sequences, outbound } = await open();
    return [
      await idempotency.load("done"),
      await idempotency.commit(commit("done", "a", "r:1", "c")),
      await idempotency.reserve(reservation("done", "a", "r:3", 999)),
      await idempotency.reserve(reservation("open", "b", "r:3", 130)),
      await idempotency.commit(commit("open", "b", "r:2", "d")),
      await sequences.admit(claim(7, "a")),
      await sequences.admit(claim(7, "b")),
      await sequences.admit(claim(6, "b")),
      await outbound.current(allocation(99)),
      await outbound.next(allocation(99, "y")),
      await outbound.next(allocation(99, "z")),
    ];
  });
  const [record, ...rest] = found;
  assert.deepEqual([record.reservationId, record.reservedUntilLogicalMs], ["r:1", 130]);
  assert.match(record.response, /^{"responseDigest":"sha256:c+"}$/);
  assert.deepEqual(rest, [true, false, false, true, "duplicate", "conflict", "stale", 3, 2, 4]);
});

test("of two tabs one wins, whatever they race for", async () => {
  const other = await tab();
  const tabs = [page, other];
  await Promise.all(tabs.map((each) => each.evaluate(async () => void (window.stores = await open()))));
  for (let round = 0; round < 10; round += 1) {
    const race = ([name, at]) =>
      Promise.all([
        eight((index) => stores.idempotency.reserve(reservation(name, "a", `${at}:${index}`, 100))),
        eight((index) => stores.sequences.admit(claim(5, at === 0 ? "a" : String(index), name))),
        eight((index) => stores.outbound.next(allocation(99, `key:${index}`, name))),
      ]);
    const [one, two] = await Promise.all(tabs.map((each, at) => each.evaluate(race, [`round:${round}`, at])));
    assert.equal([...one[0], ...two[0]].filter((is) => is === true).length, 1);
    assert.equal([...one[1], ...two[1]].filter((place) => place === "advanced").length, 1);
    assert.deepEqual(one[2], two[2], "one key, one number");
    assert.deepEqual([...one[2]].sort(), [1, 2, 3, 4, 5, 6, 7, 8]);
    const takeOver = ([name, at]) => eight((index) => stores.idempotency.reserve(reservation(name, "a", `late:${at}:${index}`, 200)));
    const late = await Promise.all(tabs.map((each, at) => each.evaluate(takeOver, [`round:${round}`, at])));
    assert.equal(late.flat().filter((is) => is === true).length, 1);
  }
});

test("an exclusive run keeps its operation past its lease, until it or its tab ends", async () => {
  const other = await tab();
  const tabs = [page, other];
  await Promise.all(tabs.map((each) => each.evaluate(async () => void (window.stores = await open({ exclusive: true })))));
  const reserve = (where, ...parts) => where.evaluate((given) => said(() => stores.idempotency.reserve(reservation(...given))), parts);
  assert.equal(await reserve(page, "k", "a", "r:1", 0), true);
  assert.equal(await reserve(other, "k", "a", "s:1", 10), false);
  assert.equal(await reserve(other, "k", "a", "s:1", 999), false, "it may still run");
  assert.equal(await reserve(page, "k", "a", "r:2", 999), false, "here, too");
  assert.equal(await reserve(other, "k", "b", "s:1", 999), "IDEMPOTENCY_KEY_REUSED");
  // It ends without a response: its lease holds all the same.
  await page.evaluate(() => stores.idempotency.release({ idempotencyKey: "k", reservationId: "r:1" }));
  assert.equal(await reserve(other, "k", "a", "s:1", 30), false);
  assert.equal(await reserve(other, "k", "a", "s:1", 999), true);
  // It ends with one.
  assert.equal(await other.evaluate(() => stores.idempotency.commit(commit("k", "a", "s:1", "c"))), true);
  assert.equal(await page.evaluate(async () => (await navigator.locks.query()).held.length), 0);
  assert.equal(await reserve(page, "k", "a", "r:3", 9999), false);
  assert.equal(await page.evaluate(async () => (await stores.idempotency.load("k")).reservationId), "s:1");
  // Its tab ends.
  assert.equal(await reserve(page, "l", "a", "r:4", 0), true);
  assert.equal(await reserve(page, "m", "a", "r:5", 0), true);
  assert.equal(await reserve(other, "l", "a", "s:4", 999), false);
  await page.evaluate(() => stores.close());
  assert.equal(await reserve(other, "l", "a", "s:4", 999), true);
  assert.equal(await reserve(other, "m", "a", "s:5", 30), false);
  await other.close();
  await page.evaluate(async () => {
    window.stores = await open({ exclusive: true });
    // A tab that closes is a moment later gone.
    await navigator.locks.request("agent-surface-interop/l", () => {});
  });
  assert.equal(await reserve(page, "l", "a", "r:6", 9999), true);
});

test("a full store begins nothing new and keeps what it has", async () => {
  const found = await page.evaluate(async () => {
    const few = await open({ name: "few", maximumEntries: 2 });
    const reserve = (stores, ...parts) => said(() => stores.idempotency.reserve(reservation(...parts)));
    const keep = (stores, ...parts) => said(() => stores.idempotency.commit(commit(...parts)));
    const small = await open({ name: "small", maximumBytes: 600 });
    const tiny = await open({ name: "tiny", maximumEntries: 1 });
    return {
      entries: [
        await reserve(few, "a", "a", "r:1", 0),
        await reserve(few, "b", "b", "r:2", 0),
        await reserve(few, "c", "c", "r:3", 0),
        await few.idempotency.load("c"),
        await reserve(few, "a", "a", "r:4", 40),
        await keep(few, "a", "a", "r:4", "d"),
      ],
      units: [
        await reserve(small, "a", "a", "r:1", 0),
        await keep(small, "a", "a", "r:1", "d"),
        await reserve(small, "b", "b", "r:2", 0),
        await reserve(small, "c", "c", "r:3", 0),
        // What ran is kept, and no more begins: not even what had begun.
        await keep(small, "b", "b", "r:2", "d"),
        await reserve(small, "c", "c", "r:3", 0),
      ],
      places: [
        await said(() => few.sequences.admit(claim(1, "a", "s:1"))),
        await said(() => few.sequences.admit(claim(1, "a", "s:2"))),
        await said(() => few.sequences.admit(claim(1, "a", "s:3"))),
        await said(() => few.sequences.admit(claim(2, "b", "s:2"))),
      ],
      numbers: [
        await said(() => few.outbound.next(allocation(9, "k:1"))),
        await said(() => few.outbound.next(allocation(9, "k:2"))),
        await said(() => few.outbound.next(allocation(9, "k:3"))),
        await said(() => few.outbound.next(allocation(9, "k:1"))),
        await said(() => few.outbound.next(allocation(9))),
      ],
      // The key would have had room, its session has none: neither is kept.
      halves: [
        await said(() => tiny.outbound.next(allocation(9, undefined, "s:1"))),
        await said(() => tiny.outbound.next(allocation(9, "k", "s:2"))),
        await said(() => tiny.outbound.next(allocation(9, "k", "s:2"))),
      ],
    };
  });
  assert.deepEqual(found, {
    entries: [true, true, "STORE_FULL", null, true, true],
    units: [true, true, true, "STORE_FULL", true, "STORE_FULL"],
    places: ["advanced", "advanced", "STORE_FULL", "advanced"],
    numbers: [1, 2, "STORE_FULL", 1, 3],
    halves: [1, "STORE_FULL", "STORE_FULL"],
  });
});

test("only what it is told to forget is forgotten, and that makes room", async () => {
  const found = await page.evaluate(async () => {
    const stores = await open({ durability: "relaxed", maximumEntries: 700, maximumResponseBytes: 1024 });
    const { idempotency, sequences, outbound } = stores;
    const add = async (index) => {
      await idempotency.reserve(reservation(`k:${index}`, "a", `r:${index}`, index));
      // Every tenth run has come to no end.
      if (index % 10 > 0) await idempotency.commit(commit(`k:${index}`, "a", `r:${index}`, "c"));
    };
    await Promise.all(Array.from({ length: 700 }, (_, index) => add(index)));
    const full = await said(() => idempotency.reserve(reservation("new", "a", "r", 0)));
    // Reserved until 30 and later: nothing ended before 30, one committed run (of 31) before 32.
    const counts = [await stores.prune({ logicalTimeMs: 30 }), await stores.prune({ logicalTimeMs: 32 })];
    const kept = [await idempotency.load("k:1"), (await idempotency.load("k:2")) !== null, (await idempotency.load("k:0")) !== null];
    counts.push(await stores.prune({ logicalTimeMs: 9999 }), await stores.prune({ logicalTimeMs: 9999 }));
    const open0 = await idempotency.reserve(reservation("k:0", "a", "again", 30));
    counts.push(await stores.prune({ logicalTimeMs: 9999, reservations: true }));
    await Promise.all(Array.from({ length: 700 }, (_, index) => idempotency.reserve(reservation(`n:${index}`, "a", "r", 0))));
    const fullAgain = await said(() => idempotency.reserve(reservation("new", "a", "r", 0)));
    const small = await open({ name: "small", maximumBytes: 600 });
    const units = [];
    for (const key of ["a", "b", "c", "c"]) {
      units.push(await said(() => small.idempotency.reserve(reservation(key, "a", key, 0))));
      if (key !== "c") await small.idempotency.commit(commit(key, "a", key, "d"));
      else units.push(await small.prune({ logicalTimeMs: 9999 }));
    }
    await sequences.admit(claim(5, "a"));
    await outbound.next(allocation(9, "k"));
    // One before it in every order, and one behind.
    for (const session of ["other", "s2"]) {
      await sequences.admit(claim(5, "a", session));
      await outbound.next(allocation(9, "k", session));
    }
    await stores.forgetSession({ issuerId: "i", sessionId: "s" });
    const sessions = [];
    for (const session of ["s", "other", "s2"]) {
      sessions.push(await sequences.admit(claim(1, "b", session)), await outbound.current(allocation(9, "k", session)));
      sessions.push(await outbound.next(allocation(9, "l", session)), await outbound.next(allocation(9, "k", session)));
    }
    return { full, counts, kept, open0, fullAgain, units, sessions, wrong: await said(() => stores.prune({ logicalTimeMs: -1 })) };
  });
  assert.deepEqual(found, {
    full: "STORE_FULL",
    counts: [0, 1, 629, 0, 70],
    kept: [null, true, true],
    open0: false,
    fullAgain: "STORE_FULL",
    units: [true, true, "STORE_FULL", 2, true, 0],
    sessions: ["advanced", 0, 1, 2, "stale", 1, 2, 1, "stale", 1, 2, 1],
    wrong: "MEMBER_OUT_OF_RANGE",
  });
});

test("a response is kept as it is, up to the size that was promised", async () => {
  const found = await page.evaluate(async () => {
    const stores = await open({ maximumResponseBytes: 1024 });
    const texts = { fits: "€".repeat(341) + "x", over: "€".repeat(342), odd: `"\u0000\ud800"` };
    const answers = [stores.maximumResponseBytes];
    for (const key of Object.keys(texts)) {
      await stores.idempotency.reserve(reservation(key, "a", "r", 0));
      answers.push(await said(() => stores.idempotency.commit(commit(key, "a", "r", "c", texts[key]))));
      answers.push((await stores.idempotency.load(key)).response === texts[key]);
    }
    answers.push(await said(() => stores.idempotency.commit({ ...commit("over", "a", "r", "c"), response: 5 })));
    return answers;
  });
  assert.deepEqual(found, [1024, true, true, "RESPONSE_TOO_LARGE", false, true, true, "INVALID_MEMBER"]);
});

test("a browser without room refuses before the effect, and a full disk loses nothing", async () => {
  const found = await page.evaluate(async () => {
    const { idempotency, sequences, outbound } = await open();
    const reserve = (...parts) => said(() => idempotency.reserve(reservation(...parts)));
    const keep = () => said(() => idempotency.commit(commit("next", "a", "r:3", "c")));
    await reserve("running", "a", "r:1", 0);
    await outbound.next(allocation(9, "k"));
    await sequences.admit(claim(1, "a"));

    // A disk of so many bytes. The room for the run that is under way was taken when it began.
    const { put, delete: remove } = IDBObjectStore.prototype;
    const full = () => new DOMException("", "QuotaExceededError");
    let free = 400_000;
    IDBObjectStore.prototype.put = function (value, key) {
      const size = value.byteLength ?? value.response?.length ?? 0;
      if (size > free) throw full();
      free -= size;
      return put.call(this, value, key);
    };
    IDBObjectStore.prototype.delete = function (key) {
      if (this.name === "rooms") free += 1_048_576;
      return remove.call(this, key);
    };
    const big = commit("running", "a", "r:1", "c", "x".repeat(1_000_000));
    const facts = {};
    facts.disk = [
      await reserve("more", "a", "r:2", 0),
      await idempotency.load("more"),
      await said(() => idempotency.commit(big)),
      (await idempotency.load("running")).response.length,
      // The rest is too little for another response.
      await reserve("late", "a", "r:2", 0),
      await idempotency.load("late"),
    ];
    IDBObjectStore.prototype.delete = remove;
    IDBObjectStore.prototype.put = put;
    await reserve("next", "a", "r:3", 0);

    // A disk that is full says so at a write, or only when all of a transaction is to be kept.
    const all = async () => [
      await reserve("new", "a", "r:4", 31),
      await keep(),
      await said(() => outbound.next(allocation(9, "l"))),
      await said(() => sequences.admit(claim(2, "b"))),
    ];
    IDBObjectStore.prototype.put = () => {
      throw full();
    };
    facts.writes = await all();
    IDBObjectStore.prototype.put = function (...parts) {
      const { transaction } = this;
      Object.defineProperty(transaction, "error", { get: full });
      const request = put.apply(this, parts);
      request.addEventListener("success", () => transaction.abort());
      return request;
    };
    facts.ends = await all();
    IDBObjectStore.prototype.put = put;
    facts.kept = [
      await idempotency.load("new"),
      (await idempotency.load("next")).response,
      await outbound.current(allocation(9)),
      await sequences.admit(claim(1, "a")),
      await keep(),
      await reserve("new", "a", "r:4", 31),
      await outbound.next(allocation(9, "l")),
    ];
    return facts;
  });
  const quota = Array(4).fill("STORE_QUOTA");
  assert.deepEqual(found, {
    disk: ["STORE_QUOTA", null, true, 1_000_000, "STORE_QUOTA", null],
    writes: quota,
    ends: quota,
    kept: [null, null, 1, "duplicate", true, true, 2],
  });
});

test("a database that is closed, deleted, newer, blocked or another's is said to be so", async () => {
  const found = await page.evaluate(async () => {
    const facts = {};
    const stores = await open({ name: "closed" });
    // What is under way is done.
    const under = stores.sequences.admit(claim(1, "a"));
    stores.close();
    stores.close();
    facts.closed = [await said(() => under), await said(() => stores.idempotency.load("k"))];
    facts.closed.push(await said(async () => (await open({ name: "closed" })).sequences.admit(claim(1, "a"))));

    const deleted = await open({ name: "deleted" });
    await deleted.outbound.next(allocation(9, "k"));
    facts.deleted = [await remove("deleted"), await said(() => deleted.outbound.current(allocation(9)))];

    (await raw("newer", 99)).close();
    facts.newer = await said(() => open({ name: "newer" }));

    (await raw("theirs", 1, (db) => db.createObjectStore("things"))).close();
    facts.theirs = await said(() => open({ name: "theirs" }));

    const first = await open({ name: "blocked" });
    await first.outbound.next(allocation(9, "k"));
    first.close();
    const deaf = await raw("blocked", 1);
    const removing = remove("blocked");
    facts.blocked = [await said(() => open({ name: "blocked", openTimeoutMs: 200 }))];
    deaf.close();
    await removing;
    const again = await open({ name: "blocked" });
    facts.blocked.push(await again.outbound.current(allocation(9)));
    // The attempt that came too late holds nothing open.
    again.close();
    facts.blocked.push(await remove("blocked"));
    return facts;
  });
  assert.deepEqual(found, {
    closed: ["advanced", "STORE_CLOSED", "duplicate"],
    deleted: ["deleted", "STORE_CLOSED"],
    newer: "STORE_VERSION",
    theirs: "STORE_FAILED",
    blocked: ["STORE_BLOCKED", 0, "deleted"],
  });
});

test("without IndexedDB there is a typed error, and wrong options are named", async () => {
  const frame = await page.evaluateHandle(() => {
    const element = document.createElement("iframe");
    element.sandbox = "allow-scripts";
    element.src = "/";
    document.body.append(element);
    return element;
  });
  const inside = await frame.asElement().contentFrame();
  await ready(inside);
  assert.equal(await inside.evaluate(() => said(() => open())), "STORE_UNAVAILABLE");
  const { openIndexedDbInteropStores } = await import(pathToFileURL(join(PACKAGE, "dist", "interop.mjs")).href);
  await assert.rejects(openIndexedDbInteropStores(), { name: "InteropError", code: "STORE_UNAVAILABLE" });
  for (const [options, message] of [
    [{ path: "x" }, /`path` is no option/],
    [{ name: "" }, /`name`/],
    [{ durability: "no" }, /`durability`/],
    [{ exclusive: 1 }, /`exclusive`/],
    [{ maximumEntries: 0 }, /`maximumEntries`/],
    [{ maximumResponseBytes: 2 ** 27 }, /`maximumResponseBytes`/],
    [{ openTimeoutMs: 1.5 }, /`openTimeoutMs`/],
  ]) {
    await assert.rejects(openIndexedDbInteropStores(options), (error) => error.code === "INVALID_OPTION" && message.test(error.message));
  }
});
