// `/react` of the packed package in Node, beside the React of its user, in both module formats.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { project } from "./project.mjs";

const PROGRAM = `
const h = createElement;
const Row = () => {
  useAgentComponent({ type: "app.row", description: "A row." });
  return h("p", null, useAgentSurface() ? "there" : "none");
};
const page = (registry) => renderToString(h(AgentSurfaceProvider, { registry }, h(Row), h(AgentApprovals, { modal: true })));
const run = async () => {
  const before = page(undefined);
  await init();
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  return [before, page(registry), registry.getVersion()].join(" ");
};
run().then(console.log);
`;
const NAMES = {
  "agent-surface-wasm": "{ init, createAgentSurfaceRegistry }",
  "agent-surface-wasm/react": "{ AgentApprovals, AgentSurfaceProvider, useAgentComponent, useAgentSurface }",
  react: "{ createElement }",
  "react-dom/server": "{ renderToString }",
};
const APPROVALS = '<agent-approvals modal=""></agent-approvals>';
const ANSWER = `<p>none</p>${APPROVALS} <p>there</p>${APPROVALS} 0`;

let app;
before(async () => {
  app = await project({}, { link: ["react", "react-dom", "scheduler"] });
});
after(() => app.remove());

const run = async (name, text) => {
  await writeFile(app.path(name), text);
  return (await app.node(name)).trim();
};

test("a server renders with it and registers nothing, in both module formats", async () => {
  const imports = Object.entries(NAMES).map(([from, names]) => `import ${names} from "${from}";`);
  const requires = Object.entries(NAMES).map(([from, names]) => `const ${names} = require("${from}");`);
  assert.equal(await run("esm.mjs", imports.join("\n") + PROGRAM), ANSWER);
  assert.equal(await run("cjs.cjs", requires.join("\n") + PROGRAM), ANSWER);
});

test("its scripts say that they are for the client, and no other script leads to React", async () => {
  const folder = "node_modules/agent-surface-wasm/dist";
  for (const name of (await app.files(folder)).filter((file) => /\.(js|cjs|mjs)$/.test(file))) {
    const text = await readFile(app.path(folder, name), "utf8");
    if (name.startsWith("react.")) assert.match(text, /^\/\*![^\n]*\*\/\s+"use client";/, name);
    else assert.doesNotMatch(text, /(from|require\()\s*"(react|\.\/react)/, name);
  }
});
