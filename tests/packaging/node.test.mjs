// The packed package in Node: both module formats, mixed, and after bundling.

import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import * as esbuild from "esbuild";
import { ANSWER, NAMES, PROGRAM, SCHEMA_ANSWER, SCHEMA_PROGRAM, TARGETS_ANSWER, TARGETS_PROGRAM, project } from "./project.mjs";

let app;
const SURFACE_PROGRAM = `
const run = async () => {
  await init();
  await S.initSurface();
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  S.defineActions(registry, { app: "a", actions: { "n.double": { description: "d", input: { type: "object" }, handler: ({ n }) => 2 * n } } });
  const session = { agentId: "a", sessionId: "s", userId: "u", expiresAt: Date.now() + 60000, scope: ["n.double"] };
  const surface = S.createSurface({ registry, app: "a", expose: ["n.double"], session });
  const { ok, result } = await surface.handle({ protocol: SURFACE_PROTOCOL, id: "1", method: "invoke", capability: "n.double", input: { n: 21 } });
  return ok + " " + result.output;
};
`;

before(async () => {
  app = await project({
    "esm.mjs": `import ${NAMES} from "agent-surface-wasm";${PROGRAM}console.log(await run());`,
    "cjs.cjs": `const ${NAMES} = require("agent-surface-wasm");${PROGRAM}run().then(console.log);`,
    "schema.mjs": `import { fromJsonSchema, init } from "agent-surface-wasm";
      import { installSchemaEngine } from "agent-surface-wasm/schema";${SCHEMA_PROGRAM}console.log(await run());`,
    "schema.cjs": `const { fromJsonSchema, init } = require("agent-surface-wasm");
      const { installSchemaEngine } = require("agent-surface-wasm/schema");${SCHEMA_PROGRAM}run().then(console.log);`,
    "targets.mjs": `import { initTargets, projectTools } from "agent-surface-wasm/targets";${TARGETS_PROGRAM}console.log(await run());`,
    "targets.cjs": `const { initTargets, projectTools } = require("agent-surface-wasm/targets");${TARGETS_PROGRAM}run().then(console.log);`,
    "surface.mjs": `import ${NAMES} from "agent-surface-wasm"; import * as S from "agent-surface-wasm/surface";
      import { SURFACE_PROTOCOL } from "agent-surface-wasm/surface/client";${SURFACE_PROGRAM}console.log(await run());`,
    "surface.cjs": `const ${NAMES} = require("agent-surface-wasm"); const S = require("agent-surface-wasm/surface");
      const { SURFACE_PROTOCOL } = require("agent-surface-wasm/surface/client");${SURFACE_PROGRAM}run().then(console.log);`,
    "inline.mjs": `import ${NAMES} from "agent-surface-wasm/inline";${PROGRAM}console.log(await run());`,
  });
});
after(() => app.remove());

for (const file of ["esm.mjs", "cjs.cjs", "inline.mjs"]) {
  test(`${file} declares and calls a capability without any setting`, async () => {
    assert.equal((await app.node(file)).trim(), ANSWER);
  });
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
     import ${NAMES} from "agent-surface-wasm/slim";
     ${PROGRAM.replace("await init()", "await ready()")}
     const ready = async () => {
       const refused = await init().catch((error) => error);
       console.log(refused.code, refused.message.includes("{ bytes }"));
       const broken = await init({ bytes: new Uint8Array([1, 2, 3, 4]) }).catch((error) => error);
       console.log(broken.code);
       const path = createRequire(import.meta.url).resolve("agent-surface-wasm/agent_surface.wasm");
       await Promise.all([init({ bytes: await readFile(path) }), init()]);
     };
     console.log(await run());`,
  );
  const lines = (await app.node("slim.mjs")).trim().split("\n");
  assert.deepEqual(lines, ["NOT_INITIALIZED true", "WASM_NOT_SERVED", ANSWER]);
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
    const entry = format === "esm" ? "esm.mjs" : "cjs.cjs";
    await esbuild.build({ entryPoints: [app.path(entry)], outfile, bundle: true, format, platform: "node", logLevel: "error" });
    assert.equal((await app.node(outfile)).trim(), ANSWER, format);
  }
});

for (const file of ["targets.mjs", "targets.cjs"]) {
  test(`${file} projects tools without any setting and without the main module`, async () => {
    assert.equal((await app.node(file)).trim(), TARGETS_ANSWER);
  });
}

for (const file of ["surface.mjs", "surface.cjs"]) {
  test(`${file} answers an agent outside without any setting`, async () => {
    assert.equal((await app.node(file)).trim(), "true 42");
  });
}

for (const file of ["schema.mjs", "schema.cjs"]) {
  test(`${file} checks values with the schema engine without any setting`, async () => {
    assert.equal((await app.node(file)).trim(), SCHEMA_ANSWER);
  });
}

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
