// docs/recipes/langgraph.md and mastra.md: their files, with the frameworks themselves, over the wire format of a model's service.
// What goes between page and server goes as JSON.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startModelServer } from "../../examples/model-server/server.mjs";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

const cleanups = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

/** A surface with a list that has a tool less while it is empty, and a conversation by the recipe; prints what came of it. */
const program = (server) => `
import { action, createAgentSurfaceRegistry, createAgentToolset, defineAgentComponent, emptyObjectSchema, fromJsonSchema, init } from "agent-surface-wasm";
import { initTargets } from "agent-surface-wasm/targets";
import { createConversation } from "./loop.mjs";
${server}
await Promise.all([init(), initTargets()]);
const registry = createAgentSurfaceRegistry();
const items = [];
registry.register(defineAgentComponent({
  type: "shop.list",
  description: "The list",
  actions: {
    add: action({
      description: "Adds something",
      input: fromJsonSchema({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
      effect: "local-state",
      execute: ({ name }) => (items.push(name), { count: items.length }),
    }),
    clear: action({
      description: "Empties it", input: emptyObjectSchema, effect: "local-state", confirmation: "required",
      when: () => items.length > 0, unavailableReason: "It is empty", execute: () => { items.length = 0; },
    }),
  },
}));
registry.confirmations.subscribe(() => {
  for (const { confirmationId } of registry.confirmations.pending()) registry.confirmations.resolve(confirmationId, { approved: false, reason: "not today" });
});
const toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
const overTheWire = async (request) => JSON.parse(JSON.stringify(await answer(JSON.parse(JSON.stringify(request)))));
const say = createConversation({ toolset, send: overTheWire });
const said = [await say("Add milk and bread, and clear it"), await say("And now?")];
console.log(JSON.stringify({ said, items }));
process.exit(0);
`;

const LANGGRAPH = `
import { ChatOpenAI } from "@langchain/openai";
import { createGraph, run } from "./graph.mjs";
const graph = createGraph(new ChatOpenAI({ model: "none", apiKey: "none", configuration: { baseURL: process.env.MODEL_URL } }));
const answer = (request) => run(graph, request);
`;

const MASTRA = `
import { createChat } from "./server.mjs";
const answer = createChat({ id: "custom/none", url: process.env.MODEL_URL, apiKey: "none" });
`;

const ADD = "view_shop__list__add";
const CLEAR = "view_shop__list__clear";

/** The model adds two things at once, one of them wrongly; then clears the list, which a person denies. */
const script = ({ asked, results, tools }) => {
  if (asked !== "Add milk and bread, and clear it") return { text: `I have ${tools.length} tools.` };
  if (results.length === 0) return { calls: [{ name: ADD, input: { name: "milk" } }, { name: ADD, input: { nam: "bread" } }, { name: ADD, input: { name: "bread" } }] };
  return results.length === 3 ? { calls: [{ name: CLEAR }] } : { text: "Done." };
};

for (const [recipe, server, files, link] of [
  ["langgraph", LANGGRAPH, ["graph.mjs", "loop.mjs"], ["@langchain/core", "@langchain/langgraph", "@langchain/openai"]],
  ["mastra", MASTRA, ["server.mjs", "loop.mjs"], ["@mastra/core"]],
]) {
  test(`${recipe}: the page's tools are forwarded in each turn, and every call has its result`, async () => {
    const model = await startModelServer(script);
    cleanups.push(model.close);
    const made = await project({ ...(await filesOf(`docs/recipes/${recipe}.md`, files)), "main.mjs": `process.env.MODEL_URL = ${JSON.stringify(`${model.url}/v1`)};\n${program(server)}` }, { link });
    cleanups.push(made.remove);
    const printed = await made.node("main.mjs");
    const { said, items } = JSON.parse(printed.trim().split("\n").at(-1));
    assert.deepEqual(said, ["Done.", "I have 2 tools."]);
    assert.deepEqual(items, ["milk", "bread"]);
    assert.deepEqual(model.requests.map(({ refused }) => refused), [undefined, undefined, undefined, undefined]);
    const [first, second, third] = model.requests.map(({ body }) => body);
    assert.deepEqual(first.tools.map(({ function: { name } }) => name), [ADD, CLEAR]);
    assert.match(JSON.stringify(first.messages), /Not available now/);
    assert.doesNotMatch(JSON.stringify(second.messages), /Not available now/);
    const results = second.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    assert.deepEqual([results.length, results[0], /INVALID_INPUT/.test(results[1])], [3, '{"count":1}', true]);
    assert.match(JSON.stringify(third.messages.at(-1).content), /not today/);
  });
}
