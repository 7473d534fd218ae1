// `/explain` of the packed package in Node: both module formats, and that nothing else of the package leads to it.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { project } from "./project.mjs";

const PROGRAM = `
const run = async () => {
  await init();
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const hidden = { name: "nobody", onDiscovery: () => "hide" };
  const look = observation({ description: "Reads", output: fromJsonSchema({}), read: () => 1 });
  registry.register(defineAgentComponent({ type: "probe", description: "d", policies: [hidden], observations: { look } }));
  const { capabilities } = explainSurface(registry);
  return capabilities.map(({ capabilityId, outcome, policies }) => [capabilityId, outcome, policies[0].name].join(" ")).join();
};
`;
const NAMES = "{ init, createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, observation }";
const ANSWER = "view:probe.look hide nobody";

let app;
before(async () => {
  app = await project({});
});
after(() => app.remove());

const run = async (name, text) => {
  await writeFile(app.path(name), text);
  return (await app.node(name)).trim();
};

test("it explains registries of every entry, in both module formats", async () => {
  const imports = `import { explainSurface } from "agent-surface-wasm/explain";`;
  const requires = `const { explainSurface } = require("agent-surface-wasm/explain");`;
  for (const entry of ["agent-surface-wasm", "agent-surface-wasm/inline"]) {
    const esm = await run("esm.mjs", `import ${NAMES} from "${entry}";${imports}${PROGRAM}console.log(await run());`);
    const cjs = await run("cjs.cjs", `const ${NAMES} = require("${entry}");${requires}${PROGRAM}run().then(console.log);`);
    const mixed = await run("mixed.mjs", `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);
      import ${NAMES} from "${entry}";${requires}${PROGRAM}console.log(await run());`);
    assert.deepEqual([esm, cjs, mixed], [ANSWER, ANSWER, ANSWER], entry);
  }
});

test("it is no part of the other scripts, which export nothing of that name", async () => {
  const folder = "node_modules/agent-surface-wasm/dist";
  for (const name of (await app.files(folder)).filter((file) => /\.(js|cjs|mjs)$/.test(file) && !file.startsWith("explain."))) {
    assert.doesNotMatch(await readFile(app.path(folder, name), "utf8"), /explain/i, name);
  }
  const names = await run(
    "names.mjs",
    `import * as main from "agent-surface-wasm"; import * as webmcp from "agent-surface-wasm/webmcp"; import * as own from "agent-surface-wasm/explain";
     console.log(Object.keys({ ...main, ...webmcp }).filter((name) => /explain/i.test(name)).length, Object.keys(own).join());`,
  );
  assert.equal(names, "0 explainSurface");
});
