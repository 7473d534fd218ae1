// The pages whose snippets continue each other (README, guide, remote agents, testing), put together in their order, in the places
// that they are for: a page of Chromium with a frame of another origin, Node, Vitest. What they call "your own code" is here.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { launch, openPage, pressUntil } from "../e2e/harness/browser.mjs";
import { ROOT, serve } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

const execute = promisify(execFile);

/** Where the entries of the packed package are, for pages without a bundler. */
const ENTRIES = { "": "index", "/targets": "targets", "/surface": "surface", "/surface/client": "surface-client", "/interop": "interop" };
const IMPORTS = Object.fromEntries(
  Object.entries(ENTRIES).map(([entry, file]) => [`agent-surface-wasm${entry}`, `/node_modules/agent-surface-wasm/dist/${file}.js`]),
);

const TABLE = `
let selected = [];
export const resets = [];
export const table = {
  rows: () => [{ id: "d1" }, { id: "d2" }],
  select: (ids) => { selected = ids; },
  selectedIds: () => selected,
  reset: () => { selected = []; resets.push(1); },
};
`;
const API = "export const calls = []; export const api = { call: async (path, input) => { calls.push([path, input]); return { done: true }; } };";
const SESSION = 'export const session = { user: { id: "u1", tenantId: "t-1" } };';

/** The one place of a page that is an address somebody else has. */
const readdress = (text, from, to) => {
  assert.equal(text.split(from).length, 2, `the page names ${from} once`);
  return text.replace(from, to);
};

/** A page with these scripts; the last one of `body` runs. */
const html = (...body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>${body.join("\n")}</html>`;
const module = (text) => `<script type="module">${text}</script>`;

const made = [];
let browser;
before(async () => {
  browser = await launch({ webmcp: true });
});
after(async () => {
  await browser?.close();
  for (const each of made) await each.remove();
});

const projectOf = async (files, options) => {
  const app = await project(files, options);
  made.push(app);
  return app;
};

/** Serves a folder, and runs `use` with its address. */
const served = async (folder, use) => {
  const server = await serve({ folders: { "/": folder } });
  try {
    return await use(server.origin);
  } finally {
    await server.close();
  }
};

/** Runs `use` with a page of a project, where nothing may fail. */
const opened = async (url, use) => {
  const page = await openPage(browser, url);
  try {
    await page.waitForFunction(() => globalThis.ready);
    const result = await use(page);
    assert.deepEqual(page.faults, []);
    return result;
  } finally {
    await page.close();
  }
};

/** A person approves by keys: the element takes the focus, and its first half second decides nothing. */
const approve = async (page) => {
  await page.waitForFunction(() => document.activeElement?.localName === "agent-approvals");
  await page.keyboard.press("Tab");
  await pressUntil(page, () => page.evaluate(() => document.activeElement?.localName !== "agent-approvals"));
};

test("README: the page of the first lines asks a person, and then runs", async () => {
  const { page: lines, install, clone } = await filesOf("README.md", ["page", "install", "clone"]);
  assert.equal(install, "npm install agent-surface-wasm\n");
  assert.match(clone, /^cargo xtask demo .*\ncargo xtask test .*\n$/);
  const AFTER = `
    const { createAgentToolset } = await import("agent-surface-wasm");
    const toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
    globalThis.result = toolset.tools()[0].execute({}).then(({ status }) => [toolset.tools()[0].name, status, todos.length]);
    globalThis.ready = true;`;
  const todos = '<script>globalThis.todos = Object.assign(["milk", "bread"], { clear() { this.length = 0; } });</script>';
  const app = await projectOf({ "index.html": html("<agent-approvals></agent-approvals>", todos, module(`${lines}${AFTER}`)) });
  await served(app.folder, (origin) =>
    opened(`${origin}/`, async (page) => {
      await approve(page);
      assert.deepEqual(await page.evaluate(() => result), ["view_todo__list__clear", "ok", 0]);
    }),
  );
});

const GUIDE = ["page", "approvals", "policies", "own-policy", "partner", "end", "headless"];

test("guide: the page registers, is called by a copilot, a model, the browser's agent and a frame, and ends", async () => {
  const guide = await filesOf("docs/guide.md", GUIDE);
  const CALLS = `
    import { resets } from "./table.js";
    import { calls } from "./api.js";
    const later = (call) => call.then((result) => [result.status, result.error?.code]);
    Object.assign(globalThis, {
      copilot: async () => {
        const selected = await run({ id: "c1", name: "view_devices__table__selectRows", input: { ids: ["d1"] } });
        const rows = await run({ id: "c2", name: "view_devices__table__rows", input: {} });
        const wrong = await run({ id: "c3", name: "view_devices__table__selectRows", input: { ids: [7] } });
        const copied = await run({ id: "c8", name: "view_devices__export__copy", input: {} });
        table.select([]);
        const none = await run({ id: "c9", name: "view_devices__export__copy", input: {} });
        return [selected.status, rows.output, wrong.error.code, copied.output, none.error.message, tools.map(({ name }) => name)];
      },
      reset: () => later(run({ id: "c4", name: "view_devices__table__reset", input: {} })).then((ended) => [...ended, resets.length]),
      model: async () => {
        const answers = [
          [{ type: "tool_use", id: "toolu_01", name: "view_devices__table__rows", input: {} }],
          [{ type: "text", text: "Two." }],
        ];
        const client = { messages: { create: async () => ({ content: answers.shift() }) } };
        const messages = [{ role: "user", content: "How many?" }];
        while (await turn(client, messages)) continue;
        return messages.map(({ role, content }) => [role, content[0].type]);
      },
      disable: async () => {
        const disable = () => toolset.tools().find(({ name }) => name === "domain_devices__disable");
        const before = [disable().state, disable().inputSchema.properties];
        await run({ id: "c5", name: "view_devices__table__selectRows", input: { ids: ["d2"] } });
        globalThis.disabled = disable().execute({}).then(({ status }) => [status, calls]);
        return before;
      },
      webmcp: async () => {
        const context = document.modelContext;
        return (await context.getTools()).map(({ name }) => name);
      },
      peers: () => transport.peers().length,
      end: async () => { ${guide.end} return toolset.tools().length; },
    });
    globalThis.ready = true;`;
  const partner = await projectOf({});
  await served(partner.folder, async (other) => {
    const text = readdress(guide.page, "https://partner.example", other);
    const app = await projectOf({
      "index.html": html(guide.approvals, '<script type="module" src="./main.js"></script>'),
      "main.js": `${text}\n${CALLS}`,
      "table.js": TABLE,
      "api.js": API,
      "session.js": SESSION,
    });
    await served(app.folder, async (origin) => {
      const frame = `${readdress(guide.partner, "https://console.example", origin)}\nparent.postMessage({ response }, ${JSON.stringify(origin)});`;
      await writeFile(partner.path("index.html"), html(module(frame)));
      await opened(`${origin}/`, async (page) => {
        const ids = ["export__copy", "table__rows", "table__selectRows", "table__reset"];
        const names = ids.map((id) => `view_devices__${id}`);
        const said = ["ok", [{ id: "d1" }, { id: "d2" }], "INVALID_INPUT", { copied: 1 }, "Select at least one device first.", names];
        assert.deepEqual(await page.evaluate(() => copilot()), said);
        assert.deepEqual(await page.evaluate(() => model()), [["user", undefined], ["assistant", "tool_use"], ["user", "tool_result"], ["assistant", "text"]]);
        const answer = await page.evaluate(
          (src) =>
            new Promise((resolve) => {
              addEventListener("message", ({ data }) => data.response && resolve(data.response));
              document.body.append(Object.assign(document.createElement("iframe"), { src }));
            }),
          `${other}/`,
        );
        assert.equal(answer.ok, true);
        assert.deepEqual([answer.result.error, await page.evaluate(() => peers())], [undefined, 1]);
        await page.evaluate(() => { globalThis.wiped = reset(); });
        await approve(page);
        assert.deepEqual(await page.evaluate(() => wiped), ["ok", undefined, 1]);
        const [state, properties] = await page.evaluate(() => disable());
        assert.deepEqual([state, properties], [{ available: false, unavailableReason: "Select at least one device first" }, {}]);
        await approve(page);
        assert.deepEqual(await page.evaluate(() => disabled), ["ok", [["devices.disable", { ids: ["d2"] }]]]);
        assert.deepEqual((await page.evaluate(() => webmcp())).sort(), ["domain_devices__disable", ...names].sort());
        assert.equal(await page.evaluate(() => end()), 0);
        assert.deepEqual(await page.evaluate(() => webmcp()), []);
      });
    });
  });
});

/** The definition of the guide as a module of its own, as the pages that use it say. */
const devicesOf = (guide) => {
  const [imports] = /^import \{[^}]*\} from "agent-surface-wasm";\n/.exec(guide.page);
  const definition = guide.page.slice(guide.page.indexOf("const devicesTable"), guide.page.indexOf("const handle"));
  return `${imports}import { table } from "./table.js";\nexport ${definition}`;
};

test("guide: policies hide what is another tenant's, one of the page's own keeps hours, and without a document its code decides", async () => {
  const guide = await filesOf("docs/guide.md", GUIDE);
  const app = await projectOf({
    "devices.js": devicesOf(guide),
    "table.js": TABLE,
    "session.js": SESSION,
    "main.js": `
      import { init } from "agent-surface-wasm";
      import { session as who } from "./session.js";
      await init();
      const { registry } = await import("./policies.js");
      const consumer = { id: "copilot", kind: "embedded" };
      const seen = () => registry.snapshot({ consumer }).components.length;
      const call = (more) => registry.invoke({ capabilityId: "view:devices.table.reset", input: {}, consumer, ...more });
      const before = [seen(), (await call()).error.code];
      ${guide.headless}
      const approved = await call({ confirmationId });
      who.user = { id: "u2", tenantId: "t-2" };
      const after = [seen(), (await call()).error.code];
      registry.dispose();
      const { createAgentSurfaceRegistry, createAgentToolset } = await import("agent-surface-wasm");
      const { devicesTable } = await import("./devices.js");
      const { officeHours } = await import("./office-hours.js");
      let isOpen = true;
      const office = createAgentSurfaceRegistry({ policies: [officeHours(() => isOpen)] });
      const mounted = office.register(devicesTable);
      const toolset = createAgentToolset(office, { consumer, topology: "embedded" });
      const rows = async () => {
        const [tool] = toolset.tools();
        const { status, error } = await tool.execute({});
        return [tool.state.unavailableReason, error?.message ?? status];
      };
      const hours = [await rows()];
      isOpen = false;
      mounted.invalidate();
      hours.push(await rows());
      console.log(JSON.stringify({ before, approved: approved.status, after, hours }));
      office.dispose();
    `,
    "office-hours.js": guide["own-policy"],
    "policies.js": guide.policies.replace("const registry", "export const registry"),
  });
  const { before: first, approved, after: last, hours } = JSON.parse(await app.node("main.js"));
  assert.deepEqual([first, approved], [[1, "CONFIRMATION_REQUIRED"], "ok"]);
  assert.deepEqual(last, [0, "NOT_AUTHORIZED"]);
  assert.deepEqual(hours, [[null, "ok"], ["Closed until 9:00", "Try again after 9:00."]]);
});

test("testing: the page's test passes in Vitest with the guide's component", async () => {
  const guide = await filesOf("docs/guide.md", GUIDE);
  const files = await filesOf("docs/testing.md", ["devices.test.js"]);
  const app = await projectOf({ ...files, "devices.js": devicesOf(guide), "table.js": TABLE }, { link: ["vitest"] });
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const env = { ...process.env, CI: "", NO_COLOR: "1" };
  delete env.NODE_TEST_CONTEXT;
  const { stdout } = await execute(process.execPath, [vitest, "run", "--root", app.folder], { cwd: app.folder, env });
  assert.match(stdout, /Tests {2}1 passed \(1\)/);
  const written = await app.files("__snapshots__");
  assert.deepEqual(written, ["devices.test.js.snap"]);
});

const INTEROP = ["contract.js", "client.js", "endpoint.js", "worker.js", "server.js"];
const WORK = "export const done = []; export const work = async (task) => { done.push(task); return `${task}: done`; };";
const KEYS = `
const ids = ["client:console", "endpoint:worker"];
const pairs = new Map(await Promise.all(ids.map(async (id) => [id, await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"])])));
export const privateKeyOf = (id) => pairs.get(id).privateKey;
export const publicKeyOf = (id) => pairs.get(id)?.publicKey;`;
/** Two steps, the first of them asked twice. */
const STEPS = '[await ask(1, "Sort the list"), await ask(1, "Sort the list"), await ask(2, "Count it"), done]';
const STEPPED = [{ answer: "Sort the list: done" }, { answer: "Sort the list: done" }, { answer: "Count it: done" }, ["Sort the list", "Count it"]];

test("remote agents: an endpoint in one page is asked over HTTP, and a step that is asked again happens once", async () => {
  const { "client.js": client, ...files } = await filesOf("docs/interop.md", INTEROP);
  const app = await projectOf({
    ...files,
    "keys.js": KEYS,
    "work.js": WORK,
    "index.html": html('<script type="module" src="./main.js"></script>'),
    "main.js": `
      import { manifest } from "./endpoint.js";
      import { exchange } from "./worker.js";
      import { ask } from "./client.js";
      import { done } from "./work.js";
      Object.assign(globalThis, { exchange, manifest, steps: async () => ${STEPS}, ready: true });`,
  });
  await served(app.folder, async (origin) => {
    await writeFile(app.path("client.js"), readdress(client, "https://agents.example", origin));
    await opened(`${origin}/`, async (page) => {
      await page.route("**/worker/*", async (route) => {
        const isManifest = route.request().url().endsWith("/manifest");
        const body = isManifest ? await page.evaluate(() => JSON.stringify(manifest)) : await page.evaluate((text) => exchange(text), route.request().postData());
        await route.fulfill({ contentType: "application/json", body });
      });
      assert.deepEqual(await page.evaluate(() => steps()), STEPPED);
    });
  });
});

test("remote agents: the server in Node answers the same, and what is no request with a status", async () => {
  const { "client.js": client, "server.js": server, ...files } = await filesOf("docs/interop.md", INTEROP);
  const app = await projectOf({
    ...files,
    "keys.js": KEYS,
    "work.js": WORK,
    "client.js": client.replace('"https://agents.example/worker/"', "globalThis.baseUrl"),
    "server.js": readdress(server, "8787", "0"),
    "main.js": `
      import { once } from "node:events";
      import { done } from "./work.js";
      import { server } from "./server.js";
      if (!server.listening) await once(server, "listening");
      globalThis.baseUrl = \`http://127.0.0.1:\${server.address().port}/worker/\`;
      const { ask } = await import("./client.js");
      const steps = ${STEPS};
      const statusOf = async (path, body) => (await fetch(baseUrl + path, { method: "POST", body })).status;
      const statuses = [await statusOf("exchange", "{}"), await statusOf("exchange", "x".repeat(300_000)), await statusOf("other", "{}")];
      console.log(JSON.stringify({ steps, statuses }));
      process.exit(0);`,
  });
  const { steps, statuses } = JSON.parse(await app.node("main.js"));
  assert.deepEqual(steps, STEPPED);
  assert.deepEqual(statuses, [400, 413, 404]);
});

test("errors and limits: the codes and the limits are those of the package, with what each is by default", async () => {
  const text = await readFile(join(ROOT, "docs", "errors-and-limits.md"), "utf8");
  const app = await projectOf({
    "main.js": `
      import * as A from "agent-surface-wasm";
      await A.init();
      const returning = async (environment, value) => {
        const registry = A.createAgentSurfaceRegistry({ environment, audit: { record() {} } });
        const go = A.action({ description: "Goes", input: A.emptyObjectSchema, effect: "local-state", execute: () => value });
        registry.register(A.defineAgentComponent({ type: "app.pad", description: "A pad", actions: { go } }));
        const call = registry.invoke({ capabilityId: "view:app.pad.go", input: {} });
        return call.then(({ error }) => error.code, ({ message }) => message).finally(() => registry.dispose());
      };
      const ended = [];
      for (const environment of ["development", "test", "production"]) ended.push(await returning(environment, { at: new Date() }));
      console.log(JSON.stringify([A.AGENT_CAPABILITY_ERROR_CODES, A.DEFAULT_LIMITS, ended]));`,
  });
  const [codes, limits, [inDevelopment, inTest, inProduction]] = JSON.parse(await app.node("main.js"));
  const listed = [...text.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(([, cell]) => cell.replaceAll("`", "").split(", "));
  assert.deepEqual(listed, codes);
  const defaults = [...text.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(([, name, value]) => [name, Number(value.replaceAll(",", ""))]);
  assert.deepEqual(Object.fromEntries(defaults), limits);
  for (const message of [inDevelopment, inTest]) assert.match(message, /`at` must be JSON/);
  assert.equal(inProduction, "EXECUTION_FAILED");
});
