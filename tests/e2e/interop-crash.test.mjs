// Exchanges over the stores on IndexedDB while pages crash, the browser is killed and tabs race. The effect is recorded
// here, outside all of it: none may be lost, and none may come again but for a run that died before its commit, after its
// lease. `INTEROP_CRASH_SEED` repeats a run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { ARGUMENTS, chromePath, launch } from "./harness/browser.mjs";
import { PACKAGE, ROOT, serve } from "./harness/server.mjs";

const HTML = {
  body: `<!doctype html><title>crash</title><script type="module" src="/pages/interop-crash.js"></script>`,
  headers: { "content-type": "text/html; charset=utf-8" },
};
const EXCHANGES = 200;
const LEASE = 30_000;
const METHODS = ["next", "load", "admit", "reserve", "effect", "commit"];
const POINTS = METHODS.flatMap((method) => [`before ${method}`, `after ${method}`]);

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

let server;
before(async () => {
  server = await serve({
    folders: { "/pkg/": PACKAGE, "/pages/": join(ROOT, "tests", "e2e", "pages") },
    answers: { "/index.html": HTML },
  });
});
after(() => server?.close());

/** The world outside: every effect that happened, in order, by the key of its request. */
const makeWorld = () => {
  const effects = new Map();
  let runs = 0;
  return {
    of: (key) => effects.get(key) ?? [],
    count: () => runs,
    effect({ key, at, start }) {
      runs += 1;
      effects.set(key, [...(effects.get(key) ?? []), { run: runs, at, start }]);
      return runs;
    },
  };
};

let starts = 0;
/** A page of the context, ready, with the world and the end at hand. */
const openPage = async (context, more = "") => {
  const page = await context.newPage();
  starts += 1;
  await page.goto(`${server.origin}/?start=${starts}${more}`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  return page;
};

/** A browser that keeps its data in a folder, and that can be killed. */
const startBrowser = async (folder, world, end) => {
  const args = [...ARGUMENTS, "--disable-breakpad", `--user-data-dir=${folder}`, "--remote-debugging-port=0", "about:blank"];
  const child = spawn(chromePath(), args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  let endpoint;
  for await (const line of createInterface({ input: child.stderr })) {
    endpoint = /DevTools listening on (ws:.*)/.exec(line)?.[1];
    if (endpoint) break;
  }
  child.stderr.resume();
  const browser = await chromium.connectOverCDP(endpoint);
  const [context] = browser.contexts();
  await context.exposeFunction("effect", world.effect);
  await context.exposeFunction("crash", end);
  return {
    context,
    async kill() {
      child.kill("SIGKILL");
      await exited;
      await browser.close();
    },
  };
};

/** Which exchanges end early, where, and how. */
const planEnds = (next) => {
  const ends = POINTS.flatMap((point) => [true, false].map((waits) => ({ point, waits, kills: false })));
  for (let more = 0; more < 8; more += 1) ends.push({ point: POINTS[Math.floor(next() * POINTS.length)], waits: next() < 0.3, kills: false });
  for (const point of ["after reserve", "after effect", "after commit"]) ends.push({ point, waits: next() < 0.5, kills: true });
  const plans = new Map();
  for (const end of ends) {
    let index;
    do index = Math.floor(next() * EXCHANGES);
    while (plans.has(index));
    plans.set(index, end);
  }
  return plans;
};

test("pages crash and browsers die at any point of 200 exchanges: no effect is lost or doubled", async (t) => {
  const seed = Number(process.env.INTEROP_CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`INTEROP_CRASH_SEED=${seed}`);
  const plans = planEnds(random(seed));
  const world = makeWorld();
  const folder = await mkdtemp(join(tmpdir(), "interop-crash-"));
  let browser;
  let page;
  let kills;
  const crashed = [];
  const end = () => {
    if (kills) void browser.kill();
    else page.cdp.send("Page.crash").catch(() => {});
  };
  const begin = async () => {
    browser ??= await startBrowser(folder, world, end);
    page = await openPage(browser.context);
    page.cdp = await browser.context.newCDPSession(page);
  };
  /** Runs into the end that is planned. What the client still heard it may rely on. */
  const runInto = async (index, at, plan) => {
    ({ kills } = plan);
    const gone = once(page, kills ? "close" : "crash");
    const heard = await page.evaluate((call) => exchange(call), { index, at, ending: plan }).catch(() => undefined);
    await gone;
    crashed.push(`${plan.point}${plan.waits ? "" : ", running on"}${kills ? ", killed" : ""}`);
    if (kills) browser = undefined;
    else await page.close();
    await begin();
    return heard;
  };
  const ask = (index, at) => page.evaluate((call) => exchange(call), { index, at });

  t.after(async () => {
    await browser?.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await begin();
  const texts = [];
  for (let index = 0; index < EXCHANGES; index += 1) {
    const at = index * 1_000_000;
    const plan = plans.get(index);
    const heard = plan && (await runInto(index, at, plan));
    let answer = await ask(index, at);
    if (answer.status === "deferred") {
      assert.equal(answer.reasonCode, "interop_request_in_progress");
      // The run died with its page, and nobody else may begin before its lease is over.
      assert.equal((await ask(index, at + LEASE)).reasonCode, "interop_request_in_progress");
      answer = await ask(index, at + LEASE + 1);
    }
    assert.deepEqual([answer.status, answer.sequence], ["completed", index + 1], `${index}: ${JSON.stringify(plan)}`);
    if (heard?.status === "completed") assert.equal(answer.text, heard.text, "heard before the crash");
    texts.push(answer.text);
    const effects = world.of(`key:${index}`);
    assert.equal(effects.at(-1)?.run, answer.run, "the response is that of the last effect");
    assert.ok(effects.length <= (plan ? 2 : 1), `${index}: ${JSON.stringify(effects)}`);
    if (effects.length === 2) {
      const [first, second] = effects;
      assert.ok(second.start !== first.start && second.at > first.at + LEASE, JSON.stringify({ plan, effects }));
    }
    // Where the page stood still it is known what it had done.
    if (plan?.waits) assert.equal(effects.length, ["after effect", "before commit"].includes(plan.point) ? 2 : 1, plan.point);
  }
  assert.equal(crashed.length, plans.size);

  // A last restart, and a retry of everything: each gets the same, and nothing runs.
  await browser.kill();
  browser = undefined;
  await begin();
  const before = world.count();
  const again = await page.evaluate(async (count) => {
    const all = [];
    for (let index = 0; index < count; index += 1) all.push((await exchange({ index, at: 1e12 })).text);
    return all;
  }, EXCHANGES);
  assert.deepEqual(again, texts);
  assert.equal(world.count(), before);
  t.diagnostic(`${crashed.length} ends, ${before - EXCHANGES} runs that died after their effect`);
});

test("two tabs that race on the same request: one enters, the other waits or gets its response", async () => {
  const browser = await launch();
  try {
    const world = makeWorld();
    const context = await browser.newContext();
    await context.exposeFunction("effect", world.effect);
    const tabs = [await openPage(context), await openPage(context)];
    for (let index = 0; index < 20; index += 1) {
      const call = { index, at: 0 };
      const race = (each) => each.evaluate((it) => Promise.all([exchange(it), exchange(it)]), call);
      const answers = (await Promise.all(tabs.map(race))).flat();
      assert.equal(world.of(`key:${index}`).length, 1);
      const completed = answers.filter(({ status }) => status === "completed");
      assert.ok(completed.length >= 1);
      assert.equal(new Set(completed.map(({ text }) => text)).size, 1);
      for (const { status, reasonCode, sequence } of answers) {
        assert.equal(sequence, index + 1);
        if (status !== "completed") assert.equal(reasonCode, "interop_request_in_progress");
      }
      const late = await Promise.all(tabs.map((each) => each.evaluate((it) => exchange(it), { index, at: LEASE * 9 })));
      assert.deepEqual(late.map(({ text }) => text), [completed[0].text, completed[0].text]);
    }
    assert.equal(world.count(), 20);
  } finally {
    await browser.close();
  }
});

test("an exclusive run that lives past its lease is not taken over, and one that was given up is", async () => {
  const browser = await launch();
  try {
    const world = makeWorld();
    const context = await browser.newContext();
    await context.exposeFunction("effect", world.effect);
    const [one, two] = [await openPage(context, "&exclusive"), await openPage(context, "&exclusive")];
    const ask = (page, at) => page.evaluate((call) => exchange(call), { index: 0, at });
    await one.evaluate(() => {
      window.giving = new AbortController();
      window.given = exchange({ index: 0, at: 0, signal: giving.signal }).catch((error) => error.name);
    });
    await one.waitForSelector("html[data-lingers]", { state: "attached" });
    assert.equal((await ask(two, 0)).reasonCode, "interop_request_in_progress");
    assert.equal((await ask(two, LEASE * 5)).reasonCode, "interop_request_in_progress");
    assert.equal(await one.evaluate(() => (giving.abort(), given)), "AbortError");
    assert.equal((await ask(two, LEASE)).reasonCode, "interop_request_in_progress", "its lease holds");
    const { status, text } = await ask(two, LEASE * 5);
    assert.equal(status, "completed");
    assert.equal((await ask(one, LEASE * 5)).text, text);
    assert.equal(world.count(), 1);
    // Only a run without a response is told of.
    const released = await Promise.all([one, two].map((each) => each.evaluate(() => window.released)));
    assert.deepEqual(released.map(({ length }) => length), [1, 0]);
  } finally {
    await browser.close();
  }
});
