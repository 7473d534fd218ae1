// What the tests of the external surface share: a page, and frames of other origins that are its peers. Facts are gathered in
// the page and its frames (`A` is the package, `S` its entry `/surface`, `C` the peer's) and judged in the tests.

import { after, before, beforeEach } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { PACKAGE, serve } from "./harness/server.mjs";

const html = (script) => ({
  body: `<!doctype html><title>surface</title><script type="module">${script}</script>`,
  headers: { "content-type": "text/html; charset=utf-8" },
});

/** A support queue with three published actions and one that is not, and a transport for two origins. */
const PAGE = html(`
import * as A from "/pkg/dist/index.js";
import * as S from "/pkg/dist/surface.js";
await A.init();
await S.initSurface();
/** Options of the transport, and besides: those of the registry, and actions that are published too. */
const start = (origins, { registryOptions, published = {}, ttlMs = 60_000, ...more } = {}) => {
  const registry = A.createAgentSurfaceRegistry({ requireApprover: false, ...registryOptions });
  const ran = [];
  const actions = {
    "todo.overview": { description: "Counts", handler: () => ({ open: ran.length }) },
    "todo.add": {
      description: "Adds a task",
      input: { type: "object", properties: { text: { type: "string", maxLength: 40 } }, required: ["text"], additionalProperties: false },
      handler: ({ text }) => { ran.push(text); return { added: text }; },
    },
    "todo.clear_completed": { description: "Clears", confirm: "always", handler: () => { ran.push("clear"); return { cleared: 1 }; } },
    "row.complete": { description: "Completes a row", handler: () => { ran.push("row"); } },
    ...published,
  };
  const defined = S.defineActions(registry, { app: "support-queue", actions });
  const sessions = S.createSessionRegistry({ ttlMs, maxSessions: 8 });
  const audit = [];
  const scope = ["todo.overview", "todo.add", "todo.clear_completed", ...Object.keys(published)];
  const surface = { registry, app: "support-queue", expose: scope, recordLimit: 2, records: () => [{ id: 1 }, { id: 2 }, { id: 3 }] };
  const transport = S.createPostMessageTransport({
    surface, sessions, origins, authorize: () => ({ userId: "u1", scope }), audit: (record) => audit.push(record), heartbeatMs: 300, ...more,
  });
  return { registry, ran, defined, sessions, transport, audit, surface, scope };
};
const frame = (src, sandbox) => new Promise((resolve) => {
  const element = document.createElement("iframe");
  if (sandbox) element.sandbox = sandbox;
  element.src = src;
  element.onload = () => resolve(element);
  document.body.append(element);
});
Object.assign(window, { A, S, start, frame });
document.documentElement.dataset.ready = "";
`);
const PEER = html(`
import * as C from "/pkg/dist/surface-client.js";
const until = async (test) => { while (!test()) await new Promise((resolve) => setTimeout(resolve, 10)); };
Object.assign(window, { C, until });
document.documentElement.dataset.ready = "";
`);

/** What a test does with the page and its frames. */
const drive = (page, { home, one, two }) => {
  const pageDoes = (fn, argument) => page.evaluate(fn, argument);
  return {
    pageDoes,
    /** `T` in the page: a registry, a transport for the origins `one` and `two`, and what ran. */
    start: (more) => pageDoes(([origins, options]) => void (window.T = start(origins, options)), [[one.origin, two.origin], more]),
    /** A frame of an origin, ready. */
    async open(server, sandbox) {
      const handle = await page.evaluateHandle(([src, box]) => frame(src, box), [`${server.origin}/`, sandbox]);
      const inside = await handle.asElement().contentFrame();
      await inside.waitForSelector("html[data-ready]", { state: "attached" });
      return inside;
    },
    /** `client` in the frame. */
    connect: (inside, name) =>
      inside.evaluate(async ([origin, called]) => void (window.client = await C.SurfaceClient.connect({ origin, name: called })), [home.origin, name]),
    eventually: (fn) => page.waitForFunction(fn, undefined, { polling: 50, timeout: 20_000 }),
  };
};

/**
 * A browser and four origins for the calling file, and a fresh page for each test, which the functions are about.
 * `openHome()` opens another.
 */
export function useOrigins() {
  const held = {};
  const openHome = async () => {
    const page = await openPage(held.browser, `${held.home.origin}/`);
    await page.waitForSelector("html[data-ready]", { state: "attached" });
    return { page, ...drive(page, held) };
  };
  before(async () => {
    const folders = { "/pkg/": PACKAGE };
    const headers = () => ({ "access-control-allow-origin": "*" });
    held.home = await serve({ folders, answers: { "/index.html": PAGE } });
    const peers = await Promise.all([0, 0, 0].map(() => serve({ folders, headers, answers: { "/index.html": PEER } })));
    [held.one, held.two, held.stranger] = peers;
    held.browser = await launch();
  });
  after(async () => {
    await held.browser?.close();
    for (const server of [held.home, held.one, held.two, held.stranger]) await server?.close();
  });
  beforeEach(async () => {
    await held.page?.close();
    Object.assign(held, await openHome());
  });
  const current = (name) => (...words) => held[name](...words);
  const names = ["pageDoes", "start", "open", "connect", "eventually"];
  return { held, openHome, ...Object.fromEntries(names.map((name) => [name, current(name)])) };
}
