// Why no tool is visible: each environment has its code, and a sentence that says what to do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { serve } from "./harness/server.mjs";
import { FOLDERS, runIn } from "./surface-page.mjs";

/** A page that is served without being allowed the feature. */
const FORBIDDEN = "/forbidden/";
/** A name that resolves to this machine and is no secure context. */
const INSECURE_HOST = "insecure.test";

let server;
let native;
let plain;
before(async () => {
  server = await serve({
    folders: { "/forbidden/": FOLDERS["/"], ...FOLDERS },
    headers: (path) => ({
      "access-control-allow-origin": "*",
      ...(path.startsWith(FORBIDDEN) ? { "permissions-policy": "tools=()" } : {}),
    }),
  });
  native = await launch({ webmcp: true, args: [`--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`] });
  plain = await launch();
});
after(async () => {
  await native?.close();
  await plain?.close();
  await server?.close();
});

/** What the adapter says in a page or frame, that calls in the page go on, and which tools it listed. */
const look = (page) =>
  runIn(page, async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act(() => "ran") } }));
    const adapter = A.createWebMcpAdapter();
    const before = adapter.diagnose().code;
    const stop = registry.attach(adapter);
    await new Promise((resolve) => globalThis.setTimeout(resolve));
    await T.turn();
    const { code, message } = adapter.diagnose();
    const { state, tools } = adapter.status();
    const { output } = await registry.invoke({ capabilityId: "view:demo.go" });
    await stop();
    return { before, code, message, state, tools, output };
  });

const ready = (page) => page.waitForSelector("html[data-ready]", { state: "attached" });

async function inPage(browser, url) {
  const page = await openPage(browser, url);
  await ready(page);
  const found = await look(page);
  await page.close();
  return found;
}

async function inFrame(attributes) {
  const page = await openPage(native, `${server.origin}/webmcp.html`);
  await ready(page);
  await page.evaluate((given) => document.body.append(Object.assign(document.createElement("iframe"), given)), attributes);
  await page.waitForFunction(() => frames.length === 1);
  const frame = page.frames()[1];
  await ready(frame);
  const found = await look(frame);
  await page.close();
  return found;
}

function judge(found, code, state = "unsupported") {
  assert.equal(found.code, code);
  assert.equal(found.state, state);
  assert.equal(found.output, "ran", "the page itself goes on");
  assert.ok(found.message.length > 20 && found.message.length < 400, found.message);
}

test("ok where the browser has it", async () => {
  const found = await inPage(native, `${server.origin}/webmcp.html`);
  judge(found, "ok", "active");
  assert.deepEqual([found.before, found.tools], ["ok", ["view_demo__go"]]);
});

test("ok on the loopback address too", async () => {
  judge(await inPage(native, `${server.origin.replace("localhost", "127.0.0.1")}/webmcp.html`), "ok", "active");
});

test("no-api where the browser has none", async () => {
  judge(await inPage(plain, `${server.origin}/webmcp.html`), "no-api");
});

test("insecure-context on plain http to another host", async () => {
  const found = await inPage(native, `${server.origin.replace("localhost", INSECURE_HOST)}/webmcp.html`);
  judge(found, "insecure-context");
  assert.match(found.message, /https/);
});

test("opaque-origin in a data: frame", async () => {
  const html = `<!doctype html><script type="module" src="${server.origin}/webmcp.js"></script>`;
  judge(await inFrame({ src: `data:text/html,${encodeURIComponent(html)}` }), "opaque-origin");
});

test("a sandboxed frame needs allow too, and then works", async () => {
  const sandboxed = { sandbox: "allow-scripts", src: "/webmcp.html" };
  const found = await inFrame(sandboxed);
  judge(found, "permissions-policy", found.state);
  judge(await inFrame({ ...sandboxed, allow: "tools" }), "ok", "active");
});

test("permissions-policy in a foreign frame without allow, ok with it", async () => {
  const src = `${server.origin.replace("localhost", "127.0.0.1")}/webmcp.html`;
  const found = await inFrame({ src });
  judge(found, "permissions-policy", found.state);
  assert.deepEqual(found.tools, []);
  assert.match(found.message, /allow="tools"/);
  judge(await inFrame({ src, allow: "tools" }), "ok", "active");
});

test("permissions-policy where the server's header forbids it", async () => {
  const found = await inPage(native, `${server.origin}${FORBIDDEN}webmcp.html`);
  judge(found, "permissions-policy", found.state);
  assert.deepEqual(found.tools, []);
});

test("unsupported-shape where nothing can be registered, registration-rejected with the browser's reason", async () => {
  const page = await openPage(plain, `${server.origin}/webmcp.html`);
  await ready(page);
  const found = await runIn(page, async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    const outcome = async (modelContext) => {
      const adapter = A.createWebMcpAdapter({ modelContext });
      const stop = registry.attach(adapter);
      await T.turn();
      const diagnosis = { ...adapter.diagnose(), state: adapter.status().state };
      await stop();
      return diagnosis;
    };
    return [
      await outcome({}),
      await outcome({ registerTool: () => Promise.reject(new TypeError("member annotations.x is not known")) }),
      await outcome({ registerTool: () => Promise.reject(new DOMException("blocked", "NotAllowedError")) }),
    ];
  });
  await page.close();
  assert.deepEqual(found.map(({ code }) => code), ["unsupported-shape", "registration-rejected", "permissions-policy"]);
  assert.deepEqual(found.map(({ state }) => state), ["unsupported", "active", "active"]);
  assert.match(found[1].message, /member annotations\.x is not known/);
});
