// The packed package in a Next app: a server component, a client component, and a route in each of Next's runtimes; built
// and from the development server, with no setting.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, openPage } from "../e2e/harness/browser.mjs";
import { ROOT } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";

const TESTS = join(ROOT, "tests");
const ROUTE = `import { init, parseCapabilityId } from "agent-surface-wasm";
export async function GET() {
  await init();
  return Response.json(parseCapabilityId("view:a.b"));
}`;

const FILES = {
  "app/layout.js": `export default function Layout({ children }) {
    return <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;
  }`,
  "app/page.js": `import { createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, init, observation } from "agent-surface-wasm";
    import { Client } from "./client";
    export const dynamic = "force-dynamic";
    const answer = observation({ description: "Reads", output: fromJsonSchema({}), read: () => 42 });
    const probe = defineAgentComponent({ type: "server.probe", description: "Something to call", observations: { answer } });
    export default async function Page() {
      await init();
      const registry = createAgentSurfaceRegistry({ environment: "test" });
      registry.register(probe);
      const { output } = await registry.invoke({ capabilityId: "view:server.probe.answer" });
      registry.dispose();
      return <main><p>{output}</p><Client /></main>;
    }`,
  "app/client.js": `"use client";
    import { useState } from "react";
    import { action, createAgentSurfaceRegistry, emptyObjectSchema, init } from "agent-surface-wasm";
    import { AgentApprovals, AgentSurfaceProvider, useAgentComponent, useAgentSurface } from "agent-surface-wasm/react";
    const makeRegistry = async () => (await init(), createAgentSurfaceRegistry());
    function Counter() {
      const [count, setCount] = useState(0);
      const registry = useAgentSurface();
      const execute = () => setCount(count + 1);
      useAgentComponent({ type: "app.counter", description: "A counter.", actions: {
        increment: action({ description: "Adds one.", input: emptyObjectSchema, effect: "local-state", execute }) } });
      const call = () => registry.invoke({ capabilityId: "view:app.counter.increment", input: {} });
      return <><output>{count}</output><button disabled={!registry} onClick={call}>Call</button></>;
    }
    export const Client = () => <AgentSurfaceProvider registry={makeRegistry}><Counter /><AgentApprovals /></AgentSurfaceProvider>;`,
  "app/node/route.js": `${ROUTE}
export const dynamic = "force-dynamic";`,
  "app/edge/route.js": `${ROUTE}
export const runtime = "edge";`,
};

let browser;
let made;
before(async () => {
  browser = await launch();
  // Below the packages of the tests, where Next finds its own: it follows no link out of its root.
  made = await project(FILES, { parent: join(TESTS, "target") });
});
after(async () => {
  await browser?.close();
  await made?.remove();
});

const next = (...args) => {
  const program = createRequire(import.meta.url).resolve("next/dist/bin/next");
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: undefined };
  return spawn(process.execPath, [program, ...args], { cwd: made.folder, env, stdio: ["ignore", "pipe", "pipe"] });
};

/** All that a process prints, as it comes; `done` when it ends, `said` when its output has something. */
const watch = (child) => {
  let text = "";
  const waiting = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
      for (const look of waiting) look();
    });
  }
  const done = new Promise((resolve) => child.once("close", (code) => resolve({ code, text })));
  const said = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text);
        if (found) resolve(found);
        else waiting.add(look);
      };
      look();
      done.then(() => reject(new Error(`Next ended: ${text}`)));
    });
  return { done, said, text: () => text };
};

/** Runs one of Next's servers and acts with its address. */
const served = async (command, act) => {
  const child = next(command, "--hostname", "127.0.0.1", "--port", "0");
  const { done, said, text } = watch(child);
  try {
    const [, origin] = await said(/Local: +(http:\/\/\S+)/);
    await said(/Ready in/);
    await act(origin);
    assert.doesNotMatch(text(), /ENOENT|hydrat/i);
  } finally {
    child.kill();
    await done;
  }
};

const everything = async (origin) => {
  for (const route of ["node", "edge"]) {
    const answer = await fetch(`${origin}/${route}`);
    assert.deepEqual([answer.status, (await answer.json()).name], [200, "b"], route);
  }
  // The development server builds the page when it is first asked for.
  assert.equal((await fetch(origin)).status, 200);
  const page = await openPage(browser, origin);
  try {
    assert.equal(await page.locator("main p").textContent(), "42");
    const button = page.getByRole("button", { name: "Call", exact: true });
    for (const count of ["1", "2"]) {
      await button.click();
      await page.locator("output").filter({ hasText: count }).waitFor();
    }
    assert.equal(await page.evaluate(() => customElements.get("agent-approvals") !== undefined), true);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
};

const digest = async (file) => createHash("sha256").update(await readFile(file)).digest("hex");

test("Next builds server component, client component and routes, with one module file for pages; all of them run", async () => {
  const { code, text } = await watch(next("build")).done;
  assert.equal(code, 0, text);
  const files = (await made.files(join(".next", "static"))).filter((name) => name.endsWith(".wasm"));
  assert.equal(files.length, 1);
  const module = made.path("node_modules", "agent-surface-wasm", "dist", "agent_surface.wasm");
  assert.equal(await digest(made.path(".next", "static", files[0])), await digest(module));
  await served("start", everything);
});

test("Next's development server runs all of them", () => served("dev", everything));
