// Two copies of the packed package in one page, as an app and a widget with bundles of their own have them.

import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import { launch, openPage } from "../e2e/harness/browser.mjs";
import { serve } from "../e2e/harness/server.mjs";
import { project } from "./project.mjs";

const HTML = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><agent-approvals></agent-approvals>';

let browser;
let made;
before(async () => {
  browser = await launch();
  const others = ["same", "older"];
  made = await project(
    Object.fromEntries(["agent-surface-wasm", ...others].map((name) => [`${name}.js`, `export * from "${name}/inline";`])),
  );
  for (const name of others) {
    await cp(made.path("node_modules", "agent-surface-wasm"), made.path("node_modules", name), { recursive: true });
  }
  const core = made.path("node_modules", "older", "dist", "core.js");
  const { version } = JSON.parse(await readFile(made.path("node_modules", "older", "package.json"), "utf8"));
  const text = await readFile(core, "utf8");
  await writeFile(core, text.replaceAll(version, "0.0.1"));
  const entryPoints = ["agent-surface-wasm", ...others].map((name) => made.path(`${name}.js`));
  await esbuild.build({ entryPoints, outdir: made.path("dist"), bundle: true, format: "esm", logLevel: "error" });
  await writeFile(made.path("dist", "index.html"), HTML);
});
after(async () => {
  await browser?.close();
  await made?.remove();
});

/** Loads both copies into one page and answers with what `act` finds, and what the page warned of. */
const together = async (other, act) => {
  const server = await serve({ folders: { "/": made.path("dist") } });
  const page = await openPage(browser, `${server.origin}/`);
  try {
    const warnings = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    await page.evaluate(async (name) => {
      globalThis.compiled = 0;
      const { compile } = WebAssembly;
      WebAssembly.compile = (...args) => ((globalThis.compiled += 1), compile.apply(WebAssembly, args));
      globalThis.A = await import("/agent-surface-wasm.js");
      globalThis.B = await import(`/${name}.js`);
      globalThis.declare = ({ createAgentSurfaceRegistry, action, emptyObjectSchema }) => {
        const registry = createAgentSurfaceRegistry({ requireApprover: true });
        const clear = action({ description: "Clears", input: emptyObjectSchema, effect: "local-state", confirmation: "required", execute: () => "cleared" });
        registry.register({ type: "pad", description: "A pad", actions: { clear } });
        return registry;
      };
    }, other);
    const found = await page.evaluate(act);
    assert.deepEqual(page.faults, []);
    return { found, warnings };
  } finally {
    await page.close();
    await server.close();
  }
};

test("two copies of one version have one instance, one set of error classes and one approval element", async () => {
  const { found, warnings } = await together("same", async () => {
    await Promise.all([B.init(), A.init()]);
    const registry = declare(A);
    const call = async () => (await registry.invoke({ capabilityId: "view:pad.clear" })).error.code;
    const codes = [await call()];
    document.querySelector("agent-approvals").registry = registry;
    codes.push(await call());
    return { compiled, codes, classes: A.AgentSurfaceError === B.AgentSurfaceError, parsed: A.parseCapabilityId("view:a.b")?.name };
  });
  assert.deepEqual(found, { compiled: 1, codes: ["CAPABILITY_NOT_AVAILABLE", "CONFIRMATION_REQUIRED"], classes: true, parsed: "b" });
  assert.deepEqual(warnings, []);
});

test("a registry that went to the other copy is refused in clear words", async () => {
  const { found } = await together("same", async () => {
    await A.init();
    const refusals = [];
    for (const given of [declare(A), {}]) {
      try {
        B.createAgentToolset(given, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
      } catch (error) {
        refusals.push(error.message);
      }
    }
    return refusals;
  });
  assert.match(found[0], /expected a registry of `createAgentSurfaceRegistry`.*another copy of agent-surface-wasm, load only one$/);
  assert.match(found[1], /expected a registry of `createAgentSurfaceRegistry`.*given$/);
});

test("two versions warn once, keep apart and both work", async () => {
  const { found, warnings } = await together("older", async () => {
    await A.init();
    let before;
    try {
      declare(B);
    } catch (error) {
      before = [error.code, error instanceof A.AgentSurfaceRuntimeError];
    }
    await B.init();
    const registries = [declare(A), declare(B)];
    return { compiled, before, components: registries.map((registry) => registry.snapshot().components.length) };
  });
  assert.deepEqual(found, { compiled: 2, before: ["NOT_INITIALIZED", true], components: [1, 1] });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /agent-surface-wasm 0\.0\.1 is loaded beside .*Agree on one version/);
});
