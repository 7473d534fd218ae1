// `/targets` from the built package: what a projection gives and takes, whatever the SDK. The official packages judge it in
// `targets-sdks.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FILTER, WIPE, main, projectTools, surface } from "./targets-surface.mjs";

const nested = (levels) => {
  let value = {};
  for (let at = 0; at < levels; at++) value = { status: value };
  return value;
};

const use = (id, name, input) => ({ type: "tool_use", id, name, input });

test("definitions are the same object while state alone changes, and the state block says what changed", async () => {
  const { toolset, select } = await surface();
  const projected = projectTools(toolset, { target: "anthropic" });
  const before = projected.tools();
  assert.match(projected.state(), /Not available now:\n- view_devices__table__clear: "Nothing is selected"/);
  select(true);
  assert.equal(projected.state(), "");
  assert.equal(projected.tools(), before);
});

test("each call has one result, in order, whatever became of it", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "anthropic" });
  projected.tools();
  const { messages, results } = await projected.answer([
    { type: "text", text: "Let me see." },
    use("toolu_1", FILTER, { status: "online", tags: '["a"]' }),
    use("toolu_2", FILTER, { status: "lost" }),
    use("toolu_3", "view_devices__table__boom", {}),
    use("toolu_4", "view_devices__table__clear", null),
    use("toolu_5", "made_up", {}),
  ]);
  assert.equal(messages.length, 1);
  const told = messages[0].content.map(({ tool_use_id, is_error, content }) => [tool_use_id, is_error ?? false, JSON.parse(content).code]);
  assert.deepEqual(told, [
    ["toolu_1", false, undefined],
    ["toolu_2", true, "INVALID_INPUT"],
    ["toolu_3", true, "EXECUTION_FAILED"],
    ["toolu_4", true, "CAPABILITY_NOT_AVAILABLE"],
    ["toolu_5", true, "CAPABILITY_NOT_FOUND"],
  ]);
  assert.doesNotMatch(JSON.stringify(messages), /4242|srv/);
  assert.deepEqual(results.map(({ tool }) => tool === undefined), [false, false, false, false, true]);
  assert.deepEqual(calls, [["filter", { status: "online", tags: ["a"], limit: 10 }]]);
});

test("a tool that rejects has failed, and the other calls keep their results", async () => {
  const { toolset } = await surface();
  const wrapped = toolset.tools().map((tool) => (tool.name === FILTER ? tool : { ...tool, execute: () => Promise.reject(new Error("card 4242")) }));
  const projected = projectTools({ ...toolset, tools: () => wrapped }, { target: "anthropic" });
  const { results, messages } = await projected.answer([use("a", WIPE, { id: "d1" }), use("b", FILTER, { status: "online" })]);
  assert.deepEqual(results.map(({ result }) => result.error?.code), ["EXECUTION_FAILED", undefined]);
  assert.deepEqual(results[1].result.output, { shown: 1 });
  assert.doesNotMatch(JSON.stringify(messages), /4242/);
});

test("a tool that gives no result has failed, whatever it gives", async () => {
  const { toolset } = await surface();
  const loop = { status: "ok" };
  loop.output = loop;
  for (const given of [undefined, null, "done", { done: true }, { status: "error" }, { status: "ok", output: 1n }, loop]) {
    const wrapped = toolset.tools().map((tool) => (tool.name === FILTER ? tool : { ...tool, execute: async () => given }));
    const projected = projectTools({ ...toolset, tools: () => wrapped }, { target: "anthropic" });
    const { results, messages } = await projected.answer([use("a", WIPE, { id: "d1" }), use("b", FILTER, { status: "online" })]);
    assert.deepEqual(results.map(({ result }) => result.error?.code), ["EXECUTION_FAILED", undefined]);
    assert.match(messages[0].content[0].content, /whether it took effect is unknown/);
  }
});

test("calls without ids, or with equal ones, are calls of their own, and the history is repaired", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "openai-chat" });
  const call = (id, status) => ({ id, type: "function", function: { name: FILTER, arguments: JSON.stringify({ status }) } });
  const given = { role: "assistant", content: null, tool_calls: [call("call_1", "online"), call("call_1", "offline"), call(undefined, "online")] };
  const { messages, history } = await projected.answer(given);
  const ids = messages.map((message) => message.tool_call_id);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual({ ...history, tool_calls: [] }, { ...given, tool_calls: [] });
  assert.deepEqual(history.tool_calls.map(({ id }) => id), ids);
  assert.deepEqual(calls.map(([, { status }]) => status), ["online", "offline", "online"]);
  assert.equal((await projected.answer({ ...given, tool_calls: [] })).messages.length, 0);
});

test("arguments that are no JSON, too deep or too large are answered, and nothing runs", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "openai-chat" });
  const deep = `{"status":${"[".repeat(500)}${"]".repeat(500)}}`;
  const given = ["{", deep, JSON.stringify(deep), JSON.parse(deep), nested(200_000), `{"status":"${"x".repeat(300_000)}"}`, 7, []];
  const tool_calls = given.map((args, at) => ({ id: `c${at}`, type: "function", function: { name: FILTER, arguments: args } }));
  const { messages } = await projected.answer({ tool_calls });
  assert.deepEqual(messages.map(({ content }) => JSON.parse(content).error?.code), given.map(() => "INVALID_INPUT"));
  assert.deepEqual(calls, []);
});

test("a call that is repeated by its id runs once", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "anthropic" });
  const turn = [use("toolu_1", FILTER, { status: "online" })];
  const first = await projected.answer(turn);
  assert.deepEqual((await projected.answer(turn)).messages, first.messages);
  assert.equal(calls.length, 1);
});

test("a call goes to the tool that the model was shown, so that a replaced one is stale", async () => {
  const { registry, toolset, handle } = await surface();
  const projected = projectTools(toolset, { target: "openai-responses" });
  projected.tools();
  handle.unregister();
  const call = { type: "function_call", call_id: "call_1", name: FILTER, arguments: '{"status":"online"}' };
  const { messages } = await projected.answer({ output: [call] });
  assert.equal(JSON.parse(messages[0].output).error.code, "COMPONENT_UNMOUNTED");
  assert.equal(registry.snapshot().components.length, 0);
});

test("strict calls say null for what they leave out, and the handler sees neither", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "openai-responses", tools: { [FILTER]: { strict: true }, "domain:devices.wipe": { strict: true } } });
  const tools = projected.tools();
  const strict = tools.filter((tool) => tool.strict);
  assert.deepEqual(strict.map(({ name }) => name).sort(), [WIPE, FILTER]);
  assert.deepEqual(strict.find(({ name }) => name === FILTER).parameters.required, ["status", "limit", "near", "tags"]);
  const sent = { status: "online", limit: null, near: null, tags: null };
  await projected.answer([{ type: "function_call", call_id: "c", name: FILTER, arguments: JSON.stringify(sent) }]);
  assert.deepEqual(calls, [["filter", { status: "online", near: null, limit: 10 }]]);
  projected.relax();
  assert.equal(projected.tools().filter((tool) => tool.strict).length, 0);
});

test("a person's no reaches the model in the words of the target, and a wait that is held back has no message", async () => {
  const { registry, toolset, calls } = await surface({ topology: "remote" });
  const call = [{ toolCallId: "c1", toolName: WIPE, input: { id: "d1" } }];
  const projected = projectTools(toolset, { target: "ai-sdk" });
  const asked = await projected.answer(call, { hold: true });
  assert.equal(asked.messages.length, 0);
  assert.deepEqual(asked.pending.map(({ id, name }) => [id, name]), [["c1", WIPE]]);
  registry.confirmations.resolve(asked.pending[0].confirmationId, { approved: false, reason: "wrong customer" });
  const denied = await projected.answer([{ ...call[0], toolCallId: "c2" }]);
  assert.deepEqual(denied.messages[0].content[0].output, { type: "execution-denied", reason: "wrong customer" });
  assert.deepEqual(calls, []);
});

test("a chat on the client gets its outputs without being waited for", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "ai-sdk" });
  const added = [];
  // As `useChat` does: an output is taken only once `onToolCall` has returned.
  let returned = false;
  const addToolOutput = async (output) => added.push([returned, output]);
  const onToolCall = ({ toolCall }) => {
    projected.answer([toolCall]).then(({ outputs }) => outputs.forEach((output) => void addToolOutput(output)));
  };
  onToolCall({ toolCall: { type: "tool-call", toolCallId: "c1", toolName: FILTER, input: { status: "online" } } });
  onToolCall({ toolCall: { type: "tool-call", toolCallId: "c2", toolName: FILTER, input: {} } });
  onToolCall({ toolCall: { type: "tool-call", toolCallId: "c3", toolName: "server_lookup", input: {} } });
  returned = true;
  while (added.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(added.map(([late, { toolCallId, state }]) => [late, toolCallId, state]).sort(), [
    [true, "c1", undefined],
    [true, "c2", "output-error"],
  ]);
  assert.deepEqual(added.find(([, { toolCallId }]) => toolCallId === "c1")[1], { tool: FILTER, toolCallId: "c1", output: { shown: 1 } });
  assert.equal(calls.length, 1);
});

test("past 128 tools the meta tools come in, and what had no room is named and can be reached", async () => {
  const { registry, toolset } = await surface();
  for (let at = 0; at < 300; at++) {
    registry.register(
      main.defineAgentComponent({
        type: "many.cell",
        instanceId: `c${at}`,
        description: "One of many",
        observations: { value: main.observation({ description: "Its value", output: main.fromJsonSchema({ type: "integer" }), read: () => at }) },
      }),
    );
  }
  const meta = main.createAgentToolset(registry, { consumer: { id: "copilot-meta", kind: "embedded" }, topology: "embedded", mode: "meta" });
  const projected = projectTools(toolset, { target: "openai-chat", meta });
  const names = projected.tools().map((tool) => tool.function.name);
  assert.equal(names.length, 128);
  assert.deepEqual(names.slice(0, 3), ["surface_discover", "surface_read", "surface_act"]);
  const { overflow } = projected.report();
  assert.equal(overflow.length, toolset.tools().length - 125);
  assert.ok(projected.state().includes(`- ${overflow.at(-1)}\n`));
  const input = { capabilityId: "view:many.cell.value", instanceId: "c299" };
  const call = { id: "call_9", type: "function", function: { name: "surface_read", arguments: JSON.stringify(input) } };
  const { messages } = await projected.answer({ tool_calls: [call] });
  assert.match(messages[0].content, /299/);
});

test("what a server answers is left alone where servers have tools, or where the page says so", async () => {
  const { toolset } = await surface();
  const calls = [
    { id: "c1", type: "function", function: { name: "server_lookup", arguments: "{}" } },
    { id: "c2", type: "function", function: { name: FILTER, arguments: '{"status":"online"}' } },
  ];
  const ids = async (options) => (await projectTools(toolset, options).answer(calls)).results.map(({ id }) => id);
  assert.deepEqual(await ids({ target: "ag-ui" }), ["c2"]);
  assert.deepEqual(await ids({ target: "openai-chat", others: ["server_lookup"] }), ["c2"]);
});

test("a target or a dialect that there is not, and a toolset that is none, are said at once", async () => {
  const { toolset } = await surface();
  assert.throws(() => projectTools(toolset, { target: "clippy" }), TypeError);
  assert.throws(() => projectTools(toolset, { target: "gemini", schema: "xml" }), TypeError);
  assert.throws(() => projectTools({}, { target: "gemini" }), TypeError);
  const slip = (options) => () => projectTools(toolset, { target: "gemini", ...options });
  assert.throws(slip({ other: "ignore" }), { name: "TypeError", message: /^`other` is no option of `projectTools`; it takes target, .*others$/ });
  assert.throws(slip({ tools: { [FILTER]: { stric: true } } }), { name: "TypeError", message: /^`stric` is no option of `.*` in `tools`/ });
});
