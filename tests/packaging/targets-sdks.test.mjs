// What `/targets` makes, judged by the official packages: their validators, their converters, and their clients over a
// transport that answers as the services do.

import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { transformJSONSchema } from "@anthropic-ai/sdk/lib/transform-json-schema";
import { MessageSchema, ToolMessageSchema, ToolSchema } from "@ag-ui/core/schemas";
import { GoogleGenAI, Type } from "@google/genai";
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { isLangChainTool, convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { CallToolResultSchema, ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import { toStrictJsonSchema } from "openai/lib/transform";
import { ToolResponse } from "assistant-stream";
import { FILTER, WIPE, projectTools, surface } from "./targets-surface.mjs";

const INPUT = { status: "online" };

/** A `fetch` that answers with these bodies in turn and keeps what it was sent. */
const service = (...bodies) => {
  const sent = [];
  const fetch = async (_, { body }) => {
    sent.push(JSON.parse(body));
    return new Response(JSON.stringify(bodies[sent.length - 1]), { headers: { "content-type": "application/json" } });
  };
  return { sent, fetch };
};

const allStrict = async (target) => {
  const { toolset } = await surface();
  const tools = Object.fromEntries(toolset.tools().map(({ name }) => [name, { strict: true }]));
  return projectTools(toolset, { target, tools }).tools();
};

test("Anthropic: a loop over the client, and strict schemas that its converter leaves as they are", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "anthropic" });
  const block = { type: "tool_use", id: "toolu_1", name: FILTER, input: INPUT };
  const { sent, fetch } = service(
    { id: "m1", type: "message", role: "assistant", content: [block], stop_reason: "tool_use" },
    { id: "m2", type: "message", role: "assistant", content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" },
  );
  const client = new Anthropic({ apiKey: "none", fetch });
  const messages = [{ role: "user", content: "Show what is online" }];
  for (let turn = 0; turn < 2; turn++) {
    const message = await client.messages.create({ model: "m", max_tokens: 100, messages, tools: projected.tools() });
    const { messages: results } = await projected.answer(message);
    messages.push({ role: "assistant", content: message.content }, ...results);
  }
  assert.deepEqual(calls, [["filter", { status: "online", limit: 10 }]]);
  assert.deepEqual(sent[1].messages.at(-1).content, [{ type: "tool_result", tool_use_id: "toolu_1", content: '{"shown":1}' }]);
  for (const { input_schema, strict } of await allStrict("anthropic")) {
    assert.equal(strict, true);
    assert.deepEqual(transformJSONSchema(input_schema), input_schema);
  }
});

test("OpenAI: a loop over both clients, and strict schemas that its converter leaves as they are", async () => {
  const { toolset, calls } = await surface();
  const call = { type: "function_call", call_id: "call_1", name: FILTER, arguments: JSON.stringify(INPUT) };
  const toolCall = { id: "call_1", type: "function", function: { name: FILTER, arguments: JSON.stringify(INPUT) } };
  const { sent, fetch } = service(
    { id: "r1", object: "response", output: [call] },
    { id: "r2", object: "response", output: [] },
    { id: "c1", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: [toolCall] } }] },
    { id: "c2", object: "chat.completion", choices: [] },
  );
  const client = new OpenAI({ apiKey: "none", fetch });
  const responses = projectTools(toolset, { target: "openai-responses" });
  const input = [{ role: "user", content: "Show what is online" }];
  const response = await client.responses.create({ model: "m", input, tools: responses.tools() });
  await client.responses.create({ model: "m", input: [...input, ...response.output, ...(await responses.answer(response)).messages] });
  assert.deepEqual(sent[1].input.at(-1), { type: "function_call_output", call_id: "call_1", output: '{"shown":1}' });
  const chat = projectTools(toolset, { target: "openai-chat" });
  const completion = await client.chat.completions.create({ model: "m", messages: input, tools: chat.tools() });
  const { messages } = await chat.answer(completion.choices[0].message);
  await client.chat.completions.create({ model: "m", messages: [...input, completion.choices[0].message, ...messages] });
  assert.deepEqual(sent[3].messages.at(-1), { role: "tool", tool_call_id: "call_1", content: '{"shown":1}' });
  assert.equal(calls.length, 2);
  for (const { parameters, strict } of await allStrict("openai-responses")) {
    assert.equal(strict, true);
    assert.deepEqual(toStrictJsonSchema(parameters), parameters);
  }
});

test("Gemini: a loop over the client, with types and keys of its own", async (t) => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "gemini" });
  const parts = [{ functionCall: { name: FILTER, args: INPUT }, thoughtSignature: "c2ln" }, { functionCall: { name: FILTER, args: { status: "offline" } } }];
  const { sent, fetch } = service({ candidates: [{ content: { role: "model", parts } }] }, { candidates: [] });
  t.mock.method(globalThis, "fetch", fetch);
  const client = new GoogleGenAI({ apiKey: "none" });
  const contents = [{ role: "user", parts: [{ text: "Show some" }] }];
  const config = { tools: projected.tools() };
  const response = await client.models.generateContent({ model: "m", contents, config });
  const { messages } = await projected.answer(response);
  await client.models.generateContent({ model: "m", contents: [...contents, response.candidates[0].content, ...messages], config });
  assert.deepEqual(calls.map(([, { status }]) => status), ["online", "offline"]);
  const [, model, results] = sent[1].contents;
  assert.equal(model.parts[0].thoughtSignature, "c2ln");
  assert.deepEqual(results.parts.map(({ functionResponse }) => functionResponse), Array(2).fill({ name: FILTER, response: { output: { shown: 1 } } }));
  const known = new Set(Object.values(Type));
  JSON.stringify(config.tools, (key, value) => {
    if (key === "type") assert.ok(known.has(value), value);
    return value;
  });
});

test("AI SDK: a step of generateText runs the tool and writes its outcome for the model", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "ai-sdk" });
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const call = (toolCallId, toolName, input) => ({ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) });
  const model = new MockLanguageModelV4({
    doGenerate: [
      { content: [call("c1", FILTER, INPUT), call("c2", FILTER, { status: "lost" })], finishReason: { unified: "tool-calls" }, usage, warnings: [] },
    ],
  });
  const { response } = await generateText({ model, prompt: "Show what is online", tools: projected.tools() });
  const offered = model.doGenerateCalls[0].tools.find(({ name }) => name === FILTER);
  assert.equal(offered.inputSchema.properties.status.type, "string");
  const outputs = response.messages.at(-1).content.map(({ output }) => output);
  assert.deepEqual(outputs[0], { type: "json", value: { shown: 1 } });
  assert.deepEqual([outputs[1].type, outputs[1].value.code], ["error-json", "INVALID_INPUT"]);
  assert.deepEqual(calls, [["filter", { status: "online", limit: 10 }]]);
});

test("LangChain: definitions convert, messages are read, and results are tool messages", async () => {
  const { toolset } = await surface();
  const projected = projectTools(toolset, { target: "langchain" });
  for (const tool of projected.tools()) {
    assert.ok(isLangChainTool(tool));
    assert.equal(convertToOpenAITool(tool).function.name, tool.name);
  }
  const message = new AIMessage({
    content: "",
    tool_calls: [{ id: "c1", name: FILTER, args: INPUT, type: "tool_call" }],
    invalid_tool_calls: [{ id: "c2", name: WIPE, args: '{"id":', type: "invalid_tool_call" }],
  });
  const { messages } = await projected.answer(message);
  const made = messages.map((fields) => new ToolMessage(fields));
  assert.equal((await projected.answer(message.tool_calls)).messages[0].tool_call_id, "c1");
  assert.deepEqual(made.map(({ tool_call_id, status }) => [tool_call_id, status]), [["c1", "success"], ["c2", "error"]]);
});

test("assistant-ui: a frontend tool answers with a ToolResponse", async () => {
  const { toolset } = await surface();
  const tools = projectTools(toolset, { target: "assistant-ui" }).tools();
  const shown = await tools[FILTER].execute(INPUT, { toolCallId: "c1" });
  assert.ok(shown instanceof ToolResponse);
  assert.deepEqual([shown.result, shown.isError], [{ shown: 1 }, false]);
  const refused = await tools[FILTER].execute({ status: "lost" }, { toolCallId: "c2" });
  assert.deepEqual([refused.result.code, refused.isError], ["INVALID_INPUT", true]);
});

test("AG-UI: tools and messages are what its own schemas accept, and events of a run are read", async () => {
  const { toolset } = await surface({ topology: "remote" });
  const projected = projectTools(toolset, { target: "ag-ui" });
  for (const tool of projected.tools()) ToolSchema.parse(tool);
  const { messages, pending } = await projected.answer([
    { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: FILTER },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"status":' },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '"online"}' },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c2", toolCallName: WIPE, delta: '{"id":"d1"}' },
  ]);
  for (const message of messages) {
    ToolMessageSchema.parse(message);
    MessageSchema.parse(message);
  }
  assert.deepEqual(messages.map(({ toolCallId, error }) => [toolCallId, error === undefined]), [["c1", true], ["c2", false]]);
  assert.deepEqual([pending[0].request.toolCallId, pending[0].request.reason], ["c2", "confirmation"]);
});

test("MCP: tools and results are what its own schemas accept", async () => {
  const { toolset } = await surface();
  const projected = projectTools(toolset, { target: "mcp" });
  const { tools } = ListToolsResultSchema.parse({ tools: projected.tools() });
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, [annotations.readOnlyHint, annotations.destructiveHint]]));
  assert.deepEqual(hints[WIPE], [false, true]);
  assert.deepEqual(hints.view_devices__table__rows, [true, false]);
  const answer = async (name, args) => (await projected.answer({ params: { name, arguments: args } })).messages[0];
  assert.deepEqual(CallToolResultSchema.parse(await answer(FILTER, INPUT)).structuredContent, { shown: 1 });
  assert.equal(CallToolResultSchema.parse(await answer(FILTER, {})).isError, true);
  assert.equal((await answer("made_up", {})).error.code, -32602);
});

test("LanguageModel: instances of the browser's classes where it has them, else an `execute` for it to call", async (t) => {
  const { toolset } = await surface();
  const closed = projectTools(toolset, { target: "language-model" }).tools().find(({ name }) => name === FILTER);
  assert.equal(await closed.execute(INPUT), '{"shown":1}');
  await assert.rejects(closed.execute({ status: "lost" }), /INVALID_INPUT/);
  const names = ["LanguageModelToolCall", "LanguageModelToolSuccess", "LanguageModelToolError"];
  for (const name of names) globalThis[name] = class { constructor(fields) { Object.assign(this, fields); } };
  t.after(() => names.forEach((name) => delete globalThis[name]));
  const open = projectTools(toolset, { target: "language-model" });
  assert.equal(open.tools()[0].execute, undefined);
  const call = (callId, input) => ({ type: "tool-call", value: { callId, name: FILTER, arguments: input } });
  const { messages } = await open.answer([call("c1", INPUT), call("c2", {})]);
  const [success, error] = messages[0].content.map(({ value }) => value);
  assert.ok(success instanceof globalThis.LanguageModelToolSuccess && error instanceof globalThis.LanguageModelToolError);
  assert.deepEqual(success.result, [{ type: "object", value: { shown: 1 } }]);
});
