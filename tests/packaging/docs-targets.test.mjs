// docs/targets.md: each of its turns, with what its SDK sends and takes in the place of the SDK. The SDKs themselves are in
// `targets-sdks.test.mjs`.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { project } from "./project.mjs";
import { filesOf } from "./snippets.mjs";

const MAIN = `
import { action, createAgentSurfaceRegistry, createAgentToolset, defineAgentComponent, fromJsonSchema, init } from "agent-surface-wasm";
import { initTargets } from "agent-surface-wasm/targets";

await Promise.all([init(), initTargets()]);
const registry = createAgentSurfaceRegistry();
const added = [];
registry.register(defineAgentComponent({
  type: "shop.list",
  description: "The list",
  actions: {
    add: action({
      description: "Adds something",
      input: fromJsonSchema({ type: "object", properties: { name: { type: "string" } }, required: ["name"] }),
      effect: "local-state",
      execute: ({ name }) => ({ count: added.push(name) }),
    }),
  },
}));
const toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
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

await say("anthropic", (page) => {
  const { answer: create } = service(
    { content: [{ type: "tool_use", id: "toolu_1", name: ADD, input: { name: "milk" } }], stop_reason: "tool_use" },
    { content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" },
  );
  return converse(page, { messages: { create } }, []);
});
await say("openai-responses", (page) => {
  const { answer: create } = service(
    { output: [{ type: "function_call", call_id: "call_1", name: ADD, arguments: '{"name":"bread"}' }] },
    { output: [{ type: "message", role: "assistant", content: [] }] },
  );
  return converse(page, { responses: { create } }, []);
});
await say("openai-chat", (page) => {
  const call = { id: "call_1", type: "function", function: { name: ADD, arguments: '{"name":"salt"}' } };
  const { answer: create } = service(
    { choices: [{ finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: [call] } }] },
    { choices: [{ finish_reason: "stop", message: { role: "assistant", content: "Done." } }] },
  );
  return converse(page, { chat: { completions: { create } } }, []);
});
await say("gemini", (page) => {
  const { answer: generateContent } = service(
    { candidates: [{ content: { role: "model", parts: [{ functionCall: { name: ADD, args: { name: "tea" } } }] } }] },
    { candidates: [{ content: { role: "model", parts: [{ text: "Done." }] } }] },
  );
  return converse(page, { models: { generateContent } }, []);
});
await say("ai-sdk", (page) => {
  const generateText = async ({ tools }) => tools[ADD].execute({ name: "rice" }, { toolCallId: "c1" });
  return page.say(page.start(toolset), { generateText, isStepCount: (count) => count }, "model", "Add rice");
});
await say("langchain", (page) => {
  class ToolMessage { constructor(fields) { Object.assign(this, fields); } }
  const { answer: invoke } = service({ tool_calls: [{ id: "c1", name: ADD, args: { name: "oil" } }] }, { content: "Done.", tool_calls: [] });
  return converse(page, { model: { bindTools: (tools) => ({ invoke: tools.length === 1 ? invoke : undefined }) }, ToolMessage }, []);
});
await say("assistant-ui", async (page) => {
  const context = page.provider(toolset, page.start(toolset)).getModelContext();
  return [context.system, await context.tools[ADD].execute({ name: "nuts" }, { toolCallId: "c1" })];
});
await say("ag-ui", (page) => {
  const events = [
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: ADD },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"name":"figs"}' },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
  ];
  return page.turn(page.start(toolset), async () => events, []);
});
await say("mcp", async (page) => {
  const projected = page.start(toolset);
  return [page.list(projected).tools.map(({ name }) => name), await page.call(projected, { params: { name: ADD, arguments: { name: "dill" } } })];
});
await say("language-model", async (page) => {
  const session = await page.open(page.start(toolset), { create: async ({ tools }) => tools });
  return session[0].execute({ name: "mint" });
});
console.log(JSON.stringify({ said, added }));
process.exit(0);
`;

const cleanups = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

test("each target's turn in the documentation runs the call and sends its result", async () => {
  const app = await project({ ...(await filesOf("targets.md")), "main.mjs": MAIN });
  cleanups.push(app.remove);
  const { said, added } = JSON.parse(await app.node("main.mjs"));
  assert.deepEqual(added, ["milk", "bread", "salt", "tea", "rice", "oil", "nuts", "figs", "dill", "mint"]);
  const count = (value) => JSON.stringify({ count: value });
  assert.deepEqual(said.anthropic[1][1], { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: count(1) }] });
  assert.deepEqual(said["openai-responses"][1][1], { type: "function_call_output", call_id: "call_1", output: count(2) });
  assert.deepEqual(said["openai-chat"][1][1], { role: "tool", tool_call_id: "call_1", content: count(3) });
  assert.deepEqual(said.gemini[1][1].parts[0].functionResponse.response, { output: { count: 4 } });
  assert.deepEqual(said["ai-sdk"].output, { count: 5 });
  assert.deepEqual([said.langchain[1][1].tool_call_id, said.langchain[1][1].content], ["c1", count(6)]);
  for (const target of ["anthropic", "openai-responses", "openai-chat", "gemini", "langchain"]) assert.equal(said[target][0], 2, target);
  assert.deepEqual([said["assistant-ui"][1].result, said["assistant-ui"][1].isError], [{ count: 7 }, false]);
  assert.deepEqual(said["ag-ui"].results.map(({ toolCallId, content }) => [toolCallId, content]), [["c1", count(8)]]);
  assert.deepEqual(said.mcp[0], ["view_shop__list__add"]);
  assert.deepEqual(said.mcp[1].structuredContent, { count: 9 });
  assert.equal(said["language-model"], count(10));
});
