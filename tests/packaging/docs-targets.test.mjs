// docs/targets.md: each of its turns, with what its SDK sends and takes in the place of the SDK, and what it says that all of them
// share. The SDKs themselves are in `targets-sdks.test.mjs`.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MessageSchema } from "@ag-ui/core/schemas";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

const MAIN = `
import { action, createAgentSurfaceRegistry, createAgentToolset, defineAgentComponent, emptyObjectSchema, fromJsonSchema, init } from "agent-surface-wasm";
import { initTargets, projectTools } from "agent-surface-wasm/targets";

await Promise.all([init(), initTargets()]);
const registry = createAgentSurfaceRegistry();
const added = [];
const items = [];
registry.register(defineAgentComponent({
  type: "shop.list",
  description: "The list",
  actions: {
    add: action({
      description: "Adds something",
      input: fromJsonSchema({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
      effect: "local-state",
      execute: ({ name }) => (items.push(name), { count: added.push(name) }),
    }),
    clear: action({
      description: "Empties it",
      input: emptyObjectSchema,
      effect: "local-state",
      when: () => items.length > 0,
      unavailableReason: "The list is empty",
      execute: () => { items.length = 0; },
    }),
  },
}));
const toolset = globalThis.toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
const ADD = "view_shop__list__add";

/** Answers one request after the other, and keeps what it was asked. */
const service = (...answers) => {
  const asked = [];
  return { asked, answer: async (request) => (asked.push(JSON.parse(JSON.stringify(request))), answers[asked.length - 1]) };
};
/** Takes turns until none is due. */
const converse = async ({ start, turn }, client, conversation) => {
  const projected = start(toolset);
  let turns = 1;
  while (await turn(projected, client, conversation)) turns += 1;
  return [turns, conversation];
};
const said = {};
const say = (target, run) => import(\`./\${target}.mjs\`).then(run).then((value) => { said[target] = value; });

await import("./begin.mjs");
// Two calls of one id, as some services make them, or of none: what is kept has an id for each.
await say("anthropic", (page) => {
  const { answer: create } = service(
    { content: ["milk", "eggs"].map((name) => ({ type: "tool_use", id: "toolu_1", name: ADD, input: { name } })), stop_reason: "tool_use" },
    { content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" },
  );
  return converse(page, { messages: { create } }, []);
});
await say("openai-responses", (page) => {
  const { answer: create } = service(
    { output: ["bread", "jam"].map((name) => ({ type: "function_call", call_id: "call_1", name: ADD, arguments: JSON.stringify({ name }) })) },
    { output: [{ type: "message", role: "assistant", content: [] }] },
  );
  return converse(page, { responses: { create } }, []);
});
await say("openai-chat", (page) => {
  const tool_calls = ["salt", "oats"].map((name) => ({ id: "", type: "function", function: { name: ADD, arguments: JSON.stringify({ name }) } }));
  const { answer: create } = service(
    { choices: [{ finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls } }] },
    { choices: [{ finish_reason: "stop", message: { role: "assistant", content: "Done." } }] },
  );
  return converse(page, { chat: { completions: { create } } }, []);
});
await say("gemini", (page) => {
  const parts = ["tea", "mugs"].map((name) => ({ functionCall: { id: "f", name: ADD, args: { name } }, thoughtSignature: name }));
  const { answer: generateContent } = service(
    { candidates: [{ content: { role: "model", parts } }] },
    { candidates: [{ content: { role: "model", parts: [{ text: "Done." }] } }] },
  );
  return converse(page, { models: { generateContent } }, []);
});
await say("ai-sdk", (page) => {
  const generateText = async ({ tools }) => tools[ADD].execute({ name: "rice" }, { toolCallId: "c1" });
  return page.say(page.start(toolset), { generateText, isStepCount: (count) => count }, "model", "Add rice");
});
await say("ai-sdk-chat", async (page) => {
  const { start } = await import("./ai-sdk.mjs");
  return new Promise((resolve) => {
    const returned = page.onToolCall(start(toolset), (output) => resolve([returned === undefined, output]))({
      toolCall: { toolCallId: "c1", toolName: ADD, input: { name: "corn" } },
    });
  });
});
await say("langchain", async (page) => {
  const { AIMessage, ToolMessage } = await import("@langchain/core/messages");
  const tool_calls = ["oil", "pasta"].map((name) => ({ id: "c", name: ADD, args: { name } }));
  const { answer: invoke } = service(new AIMessage({ content: "", tool_calls }), new AIMessage("Done."));
  const [turns, messages] = await converse(page, { model: { bindTools: (tools) => ({ invoke: tools.length === 2 ? invoke : undefined }) }, ToolMessage }, []);
  return [turns, messages.map((message) => [message.constructor === AIMessage, message.tool_calls, message.tool_call_id, message.content])];
});
await say("assistant-ui", async (page) => {
  const context = page.provider(toolset, page.start(toolset)).getModelContext();
  return [context.system, await context.tools[ADD].execute({ name: "nuts" }, { toolCallId: "c1" })];
});
await say("ag-ui", async (page) => {
  const toolCalls = ["figs", "kale"].map((name) => ({ id: "c1", type: "function", function: { name: ADD, arguments: JSON.stringify({ name }) } }));
  const messages = [{ id: "m1", role: "user", content: "Add figs" }];
  const run = async ({ messages: [{ role }] }) => [{ id: "m2", role: role === "user" ? "assistant" : "", toolCalls }];
  await page.turn(page.start(toolset), run, messages);
  return messages;
});
await say("mcp", async (page) => {
  const projected = page.start(toolset);
  return [page.list(projected).tools.map(({ name }) => name), await page.call(projected, { params: { name: ADD, arguments: { name: "dill" } } })];
});
await say("language-model", async (page) => {
  const session = await page.open(page.start(toolset), { create: async ({ tools }) => tools });
  return session[0].execute({ name: "mint" });
});

const { start } = await import("./anthropic.mjs");
await say("state", async ({ present }) => {
  const projected = start(toolset);
  const before = [projected.tools(), present(projected, [])];
  items.length = 0;
  const [{ role, content }] = present(projected, []);
  return { role, content, full: before[1], same: before[0] === projected.tools(), role2: present(projected, [], "developer")[0].role };
});
await say("report", ({ tell }) => {
  const tools = [
    { name: "level", description: "Sets it", inputSchema: { type: "object", properties: { to: { type: "integer", exclusiveMinimum: 0 } }, required: ["to"] } },
    { name: "text", description: "Takes a text", inputSchema: { type: "string" } },
    { name: "third", description: "Is one too many", inputSchema: { type: "object" } },
  ];
  const lines = [];
  tell(projectTools({ tools: () => tools }, { target: "gemini", maxTools: 1 }), (line) => lines.push(line));
  return lines;
});
await say("many", async (page) => {
  for (let count = 0; count < 140; count += 1) {
    registry.register(defineAgentComponent({
      type: "shop.shelf", instanceId: \`s\${count}\`, description: "A shelf",
      actions: { tidy: action({ description: "Tidies it", input: emptyObjectSchema, effect: "local-state", execute: () => undefined }) },
    }));
  }
  const projected = page.start(registry, { id: "copilot", kind: "embedded" });
  const names = projected.tools().map((tool) => tool.function.name);
  return [names.length, names.includes(ADD), names.includes("surface_discover"), projected.report().overflow.length];
});
await say("strict", async (page) => {
  const asked = [];
  const create = async ({ model, tools }) => {
    asked.push([model, tools.map(({ strict }) => strict === true)]);
    if (asked.length === 1) throw new Error("The compiled grammar is too large, …");
    return "answer";
  };
  const two = { tools: () => toolset.tools().slice(0, 2), wireNameMap: () => toolset.wireNameMap() };
  const answer = await page.ask(page.start(two), { messages: { create } }, { model: "m" });
  const other = new Error("overloaded");
  const failed = await page.ask(page.start(toolset), { messages: { create: async () => { throw other; } } }, {}).catch((error) => error === other);
  return { answer, asked, failed };
});
console.log(JSON.stringify({ said, added }));
process.exit(0);
`;

/** What the page shows, by name; the test runs all of it. */
const TARGETS = ["anthropic", "openai-responses", "openai-chat", "gemini", "ai-sdk", "langchain", "assistant-ui", "ag-ui", "mcp", "language-model"];
const OTHERS = ["ai-sdk-chat", "state", "report", "many", "strict"];
const NAMES = ["begin", "state", ...[...TARGETS, ...OTHERS].map((name) => `${name}.mjs`)];

let said;
let added;
let shown;
before(async () => {
  const { begin, state, ...files } = await filesOf("docs/targets.md", NAMES);
  const app = await project({ ...files, "begin.mjs": begin, "main.mjs": MAIN }, { link: ["@langchain/core"] });
  shown = state;
  try {
    ({ said, added } = JSON.parse(await app.node("main.mjs")));
  } finally {
    await app.remove();
  }
});

test("each target's turn in the documentation runs the call and sends its result", () => {
  assert.deepEqual(added, [
    ...["milk", "eggs", "bread", "jam", "salt", "oats", "tea", "mugs", "rice", "corn", "oil", "pasta", "nuts", "figs", "kale", "dill", "mint"],
  ]);
  const count = (value) => JSON.stringify({ count: value });
  assert.deepEqual(said.anthropic[1][1].content.map(({ content }) => content), [count(1), count(2)]);
  assert.deepEqual(said["openai-responses"][1].slice(2, 4).map(({ output }) => output), [count(3), count(4)]);
  assert.deepEqual(said["openai-chat"][1].slice(1, 3).map(({ content }) => content), [count(5), count(6)]);
  assert.deepEqual(said.gemini[1][1].parts.map(({ functionResponse }) => functionResponse.response.output.count), [7, 8]);
  assert.deepEqual(said["ai-sdk"].output, { count: 9 });
  assert.deepEqual(said["ai-sdk-chat"], [true, { tool: "view_shop__list__add", toolCallId: "c1", output: { count: 10 } }]);
  for (const target of ["anthropic", "openai-responses", "openai-chat", "gemini", "langchain"]) assert.equal(said[target][0], 2, target);
  assert.deepEqual([said["assistant-ui"][1].result, said["assistant-ui"][1].isError], [{ count: 13 }, false]);
  assert.deepEqual(said.mcp[0], ["view_shop__list__add", "view_shop__list__clear"]);
  assert.deepEqual(said.mcp[1].structuredContent, { count: 16 });
  assert.equal(said["language-model"], count(17));
});

test("what the documentation's turns keep has an id for each call, and its result behind it", () => {
  const pairs = {
    anthropic: ([calls, results]) => [calls.content.map(({ id }) => id), results.content.map(({ tool_use_id }) => tool_use_id)],
    "openai-responses": (items) => [items.slice(0, 2).map(({ call_id }) => call_id), items.slice(2, 4).map(({ call_id }) => call_id)],
    "openai-chat": ([calls, ...results]) => [calls.tool_calls.map(({ id }) => id), results.slice(0, 2).map(({ tool_call_id }) => tool_call_id)],
    gemini: ([calls, results]) => [calls.parts.map(({ functionCall }) => functionCall.id), results.parts.map(({ functionResponse }) => functionResponse.id)],
    langchain: ([[, calls], ...results]) => [calls.map(({ id }) => id), results.slice(0, 2).map(([, , id]) => id)],
  };
  for (const [target, idsOf] of Object.entries(pairs)) {
    const [calls, results] = idsOf(said[target][1]);
    assert.deepEqual([new Set(calls).size, calls], [2, results], target);
    assert.ok(calls.every(Boolean), target);
  }
  assert.deepEqual(said.gemini[1][0].parts.map(({ thoughtSignature }) => thoughtSignature), ["tea", "mugs"]);
  assert.deepEqual(said.langchain[1].map(([isAnswer]) => isAnswer), [true, false, false, true]);
  const conversation = said["ag-ui"].map((message) => MessageSchema.parse(message));
  const [, calls, ...results] = conversation;
  assert.deepEqual(conversation.map(({ role }) => role), ["user", "assistant", "tool", "tool"]);
  assert.deepEqual(calls.toolCalls.map(({ id }) => id), results.map(({ toolCallId }) => toolCallId));
  assert.equal(new Set(results.map(({ toolCallId }) => toolCallId)).size, 2);
});

test("the documentation says what is unavailable, lost, left out, and strict as the module does", () => {
  const { content, ...state } = said.state;
  assert.equal(`${content}\n`, shown);
  assert.deepEqual(state, { role: "user", full: [], same: true, role2: "developer" });
  assert.deepEqual(said.report, [
    "level/properties/to/exclusiveMinimum is rewritten: the next whole number, inclusive",
    "text is not offered, for /inputSchema/type: the input of a tool must be an object",
    "third had no room",
  ]);
  const [count, hasFirst, hasMeta, left] = said.many;
  assert.deepEqual([count, hasFirst, hasMeta], [128, true, true]);
  assert.ok(left > 0);
  assert.deepEqual(said.strict, { answer: "answer", asked: [["m", [true, false]], ["m", [false, false]]], failed: true });
});
