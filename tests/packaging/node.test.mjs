// The packed package in Node: both module formats, mixed, and after bundling.

import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import { INLINE, INTEROP, MAIN, PRINT, SCHEMA, SURFACE, TARGETS, asCommon, asModule } from "./programs.mjs";
import { project } from "./project.mjs";

const PROGRAMS = { main: MAIN, inline: INLINE, schema: SCHEMA, targets: TARGETS, surface: SURFACE, interop: INTEROP };

let app;
before(async () => {
  const files = Object.entries(PROGRAMS).flatMap(([name, program]) => [
    [`${name}.mjs`, asModule(program) + PRINT],
    [`${name}.cjs`, asCommon(program) + PRINT],
  ]);
  app = await project(Object.fromEntries(files));
});
after(() => app.remove());

for (const [name, { answer }] of Object.entries(PROGRAMS)) {
  for (const format of ["mjs", "cjs"]) {
    test(`${name}.${format} runs without any setting`, async () => {
      assert.equal((await app.node(`${name}.${format}`)).trim(), answer);
    });
  }
}

test("import, require and every entry share one instance and one set of error classes", async () => {
  await writeFile(
    app.path("mixed.mjs"),
    `import { createRequire } from "node:module";
     import * as main from "agent-surface-wasm";
     import * as slim from "agent-surface-wasm/slim";
     const common = createRequire(import.meta.url)("agent-surface-wasm");
     let code;
     try { slim.parseCapabilityId("view:a.b"); } catch (error) { code = error instanceof common.AgentSurfaceRuntimeError && error.code; }
     await common.init();
     await slim.init();
     const parsed = [main, slim, common].map((entry) => entry.parseCapabilityId("view:a.b") !== undefined);
     console.log(code, parsed.join(), main.AgentSurfaceError === slim.AgentSurfaceError);`,
  );
  assert.equal((await app.node("mixed.mjs")).trim(), "NOT_INITIALIZED true,true,true true");
});

test("the entry of the WebMCP adapter gives the adapter of the others, in either module format", async () => {
  await writeFile(
    app.path("webmcp.mjs"),
    `import { createRequire } from "node:module";
     import { createWebMcpAdapter, init } from "agent-surface-wasm";
     import * as own from "agent-surface-wasm/webmcp";
     const common = createRequire(import.meta.url)("agent-surface-wasm/webmcp");
     const found = [own, common].map((each) => each.createWebMcpAdapter === createWebMcpAdapter);
     await init();
     console.log(found.join(), Object.keys(own).join(), createWebMcpAdapter().diagnose().code);`,
  );
  assert.equal((await app.node("webmcp.mjs")).trim(), "true,true createWebMcpAdapter no-api");
});

test("the test entries work with either module format, over the one registry", async () => {
  await writeFile(
    app.path("testing.mjs"),
    `import { createRequire } from "node:module";
     import { init } from "agent-surface-wasm";
     import * as testing from "agent-surface-wasm/testing";
     import { matchers } from "agent-surface-wasm/testing/matchers";
     const require = createRequire(import.meta.url);
     const common = require("agent-surface-wasm/testing");
     await init();
     const surface = common.createTestSurface();
     const { snapshot } = testing.createTestSurface({ registry: surface.registry });
     console.log(common.createTestSurface === testing.createTestSurface, snapshot().surfaceId === surface.registry.surfaceId,
       require("agent-surface-wasm/testing/matchers").matchers === matchers);`,
  );
  assert.equal((await app.node("testing.mjs")).trim(), "true true true");
});

test("slim without a module says what to pass, and works with the bytes", async () => {
  await writeFile(
    app.path("slim.mjs"),
    `import { readFile } from "node:fs/promises";
     import { createRequire } from "node:module";
     ${asModule({ uses: { "agent-surface-wasm/slim": MAIN.uses["agent-surface-wasm"] }, run: MAIN.run.replace("await init()", "await ready()") })}
     const ready = async () => {
       const refused = await init().catch((error) => error);
       console.log(refused.code, refused.message.includes("{ bytes }"));
       for (const given of ["/agent_surface.wasm", new URL("file:///agent_surface.wasm"), new ArrayBuffer(8)]) {
         const { code, message } = await init(given).catch((error) => error);
         console.log(code, message.startsWith("\`init\` was given no module: call \`init\` with \`{ module }\`"));
       }
       const broken = await init({ bytes: new Uint8Array([1, 2, 3, 4]) }).catch((error) => error);
       console.log(broken.code);
       const path = createRequire(import.meta.url).resolve("agent-surface-wasm/agent_surface.wasm");
       await Promise.all([init({ bytes: await readFile(path) }), init()]);
     };
     console.log(await run());`,
  );
  const lines = (await app.node("slim.mjs")).trim().split("\n");
  assert.deepEqual(lines, [...Array(4).fill("NOT_INITIALIZED true"), "WASM_NOT_SERVED", MAIN.answer]);
});

test("importing touches no WebAssembly and no global but the realm's record", async () => {
  await writeFile(
    app.path("import.mjs"),
    `const calls = [];
     globalThis.WebAssembly = new Proxy(WebAssembly, { get(target, key) { calls.push(String(key)); return target[key]; } });
     const before = new Set(Reflect.ownKeys(globalThis));
     await import("agent-surface-wasm");
     const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);
     console.log(JSON.stringify({ calls, added }));`,
  );
  assert.deepEqual(JSON.parse(await app.node("import.mjs")), {
    calls: [],
    added: ["Symbol(agent-surface-wasm/1)"],
  });
});

test("another version in the same process keeps an instance of its own, warns once and shares the error classes", async () => {
  const core = (name) => app.path("node_modules", name, "dist", "core.cjs");
  await cp(app.path("node_modules", "agent-surface-wasm"), app.path("node_modules", "older"), { recursive: true });
  const text = await readFile(core("older"), "utf8");
  const { version } = JSON.parse(await readFile(app.path("node_modules", "older", "package.json"), "utf8"));
  await writeFile(core("older"), text.replaceAll(version, "0.0.1"));
  await writeFile(
    app.path("versions.cjs"),
    `const warnings = [];
     console.warn = (text) => warnings.push(text);
     const one = require("agent-surface-wasm");
     const two = require("older");
     const run = async () => {
       await one.init();
       const before = (() => { try { two.parseCapabilityId("view:a.b"); } catch (error) { return error; } })();
       await two.init();
       const works = two.parseCapabilityId("view:a.b") !== undefined;
       console.log(before.code, before instanceof one.AgentSurfaceRuntimeError, works, warnings.length, /0\\.0\\.1/.test(warnings[0]));
     };
     run();`,
  );
  assert.equal((await app.node("versions.cjs")).trim(), "NOT_INITIALIZED true true 1 true");
});

test("a bundle for Node needs no file beside it", async () => {
  for (const format of ["esm", "cjs"]) {
    const outfile = app.path("bundled", format === "esm" ? "app.mjs" : "app.cjs");
    const entry = format === "esm" ? "main.mjs" : "main.cjs";
    await esbuild.build({ entryPoints: [app.path(entry)], outfile, bundle: true, format, platform: "node", logLevel: "error" });
    assert.equal((await app.node(outfile)).trim(), MAIN.answer, format);
  }
});

test("a runtime whose imports of module files give modules runs the entries for it", async () => {
  const load = (build) =>
    build.onLoad({ filter: /\.wasm$/ }, async ({ path }) => ({
      contents: `export default new WebAssembly.Module(Uint8Array.from(atob("${(await readFile(path)).toString("base64")}"), (c) => c.charCodeAt(0)));`,
    }));
  // The second one asks for the module by a suffix, which esbuild leaves to a plugin.
  const resolve = (build) =>
    build.onResolve({ filter: /\.wasm\?module$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.replace("?module", "")) }));
  for (const condition of ["workerd", "edge-light"]) {
    const outfile = app.path("bundled", `${condition}.mjs`);
    const plugins = [{ name: "modules", setup: (build) => (resolve(build), load(build)) }];
    const options = { bundle: true, format: "esm", platform: "neutral", conditions: [condition], plugins, logLevel: "error" };
    await esbuild.build({ entryPoints: [app.path("main.mjs")], outfile, ...options });
    assert.equal((await app.node(outfile)).trim(), MAIN.answer, condition);
    assert.doesNotMatch(await readFile(outfile, "utf8"), /new URL\("/);
  }
});

test("the schema engine is one, whichever format installed it, and may be given its module", async () => {
  await writeFile(
    app.path("engines.mjs"),
    `import { readFile } from "node:fs/promises";
     import { createRequire } from "node:module";
     import * as main from "agent-surface-wasm";
     import { installSchemaEngine } from "agent-surface-wasm/schema";
     const require = createRequire(import.meta.url);
     const refused = await installSchemaEngine({ bytes: new Uint8Array([1, 2, 3, 4]) }).catch((error) => error.code);
     const other = await installSchemaEngine({ bytes: await readFile(require.resolve("agent-surface-wasm/agent_surface.wasm")) }).catch((error) => error.code);
     const bytes = await readFile(require.resolve("agent-surface-wasm/agent_surface_schema.wasm"));
     await installSchemaEngine({ module: await WebAssembly.compile(bytes) });
     const calls = [];
     WebAssembly.instantiate = () => calls.push("again");
     await require("agent-surface-wasm/schema").installSchemaEngine({ documents: { "https://example.com/n": { type: "number" } } });
     WebAssembly.instantiate = undefined;
     console.log(refused, other, calls.length);`,
  );
  assert.equal((await app.node("engines.mjs")).trim(), "WASM_NOT_SERVED WASM_NOT_SERVED 0");
});
