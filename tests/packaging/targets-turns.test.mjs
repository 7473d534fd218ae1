// `/targets` from the built package, over several turns: which call is which, what is no answer, and how MCP asks a person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FILTER, WIPE, projectTools, surface } from "./targets-surface.mjs";

const call = (id, input, name = FILTER) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } });
const turn = (...tool_calls) => ({ role: "assistant", content: null, tool_calls });

test("servers that count their calls anew in each turn are not answered with what an earlier turn had", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "openai-chat" });
  const first = turn(call("call_0", { status: "online" }), call("call_1", { status: "offline" }));
  await projected.answer(first);
  await projected.answer(turn(call("call_0", { status: "offline" })));
  await projected.answer(turn(call("call_0", { status: "offline" })));
  await projectTools(toolset, { target: "openai-chat" }).answer(turn(call("call_0", { status: "offline" })));
  assert.deepEqual(calls.map(([, { status }]) => status), ["online", "offline", "offline", "offline", "offline"]);
  // The same answer once more: of the application, not of the model.
  const again = await projected.answer(first);
  assert.deepEqual(again.messages.map(({ content }) => content), ['{"shown":1}', '{"shown":1}']);
  assert.equal(calls.length, 5);
});

test("a conversation that grows is the same list in each turn, and its calls are told apart all the same", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "openai-chat" });
  const messages = [{ role: "user", content: "Go" }];
  for (let time = 0; time < 3; time++) {
    messages.push(turn(call("call_0", { status: "online" })));
    const { messages: results } = await projected.answer(messages);
    assert.equal(results.length, 1);
    messages.push(...results);
  }
  assert.equal(calls.length, 3);
});

test("an id that was drawn at random names one call, in whatever form and from whatever conversation it comes again", async () => {
  const { toolset, calls } = await surface();
  const given = turn(call("call_9kyPaYpYAD1PVFQ5p8dgCw8T", { status: "online" }));
  for (let time = 0; time < 2; time++) {
    const projected = projectTools(toolset, { target: "openai-chat" });
    await projected.answer(structuredClone(given));
    await projected.answer(structuredClone(given));
  }
  assert.equal(calls.length, 1);
});

test("an answer that is held back is asked again in another form: what ran is not run again, and the decision is found", async () => {
  const { registry, toolset, calls } = await surface({ topology: "remote" });
  const projected = projectTools(toolset, { target: "openai-chat" });
  const given = turn(call("call_0", { status: "online" }), call("call_1", { id: "d1" }, WIPE), call("", { status: "offline" }));
  const held = await projected.answer(given, { hold: true });
  assert.deepEqual([held.messages.length, held.pending.length, calls.length], [2, 1, 2]);
  registry.confirmations.resolve(held.pending[0].confirmationId, { approved: true });
  const ended = await projected.answer(structuredClone(given), { hold: true });
  assert.deepEqual(ended.messages.map(({ content }) => content), ['{"shown":1}', '{"done":true}', '{"shown":1}']);
  assert.deepEqual(calls.map(([what]) => what), ["filter", "filter", "devices.wipe"]);
  // Nothing waits any more, so the next turn is one of its own.
  await projected.answer(structuredClone(given), { hold: true });
  assert.equal(calls.length, 5);
});

test("a thousand calls of one turn are answered, each once and in order", async () => {
  const { toolset, calls } = await surface();
  const projected = projectTools(toolset, { target: "openai-chat" });
  const given = turn(...Array.from({ length: 1_000 }, (_, at) => call(at % 2 ? "call_0" : `call_${at}`, { status: at % 3 ? "online" : "offline" })));
  const { messages, history } = await projected.answer(given);
  assert.equal(new Set(messages.map(({ tool_call_id }) => tool_call_id)).size, 1_000);
  assert.deepEqual(history.tool_calls.map(({ id }) => id), messages.map(({ tool_call_id }) => tool_call_id));
  assert.equal(calls.length, 1_000);
});

test("what is no answer is an error that says so, and an answer without calls is none", async () => {
  const { toolset } = await surface();
  const projected = projectTools(toolset, { target: "openai-chat" });
  const stream = { async *[Symbol.asyncIterator]() {} };
  for (const [given, message] of [
    [undefined, /it was given nothing/],
    ["call", /it was given a text/],
    [7, /a number/],
    [{ status: 200 }, /an object that is no response, message, part or call/],
    [Promise.resolve(turn()), /`await` what the model answers/],
    [stream, /read it to its end/],
    [{ tool_calls: [{ id: "c", name: FILTER, args: { n: 1n } }] }, /cannot be written as JSON/],
    [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: FILTER, input: {} }] }, /as they are in `anthropic`, and this projection is for `openai-chat`/],
  ]) {
    await assert.rejects(projected.answer(given), { name: "TypeError", message });
  }
  assert.deepEqual((await projected.answer({ role: "assistant", content: "Hello" })).messages, []);
  assert.deepEqual((await projected.answer([])).messages, []);
});

test("a target or a dialect that there is not is an error that names those that there are", async () => {
  const { toolset } = await surface();
  assert.throws(() => projectTools(toolset, { target: "claude" }), /`target` is one of `anthropic`, .*`language-model`, not `claude`/);
  assert.throws(() => projectTools(toolset, {}), /`target` is one of /);
  assert.throws(() => projectTools(toolset, { target: "ai-sdk", schema: "zod" }), /`schema` is one of `anthropic`, .*`json-schema`, not `zod`/);
});

test("tools that an SDK calls by itself: an id that counts is none", async () => {
  const { toolset, calls } = await surface();
  const { execute } = projectTools(toolset, { target: "ai-sdk" }).tools()[FILTER];
  for (const toolCallId of ["0", "0", "call_9kyPaYpYAD1PVFQ5p8dgCw8T", "call_9kyPaYpYAD1PVFQ5p8dgCw8T"]) await execute({ status: "online" }, { toolCallId });
  assert.equal(calls.length, 3);
});

/** A request as a client of MCP's revision of 2026-07-28 sends it. */
const request = (input, more = {}, capabilities = { elicitation: { form: {} } }) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: WIPE,
    arguments: input,
    ...more,
    _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": capabilities },
  },
});

test("MCP, input required: the call waits for the page's person, and comes back with the state that names the question", async () => {
  const { registry, toolset, calls } = await surface({ topology: "remote" });
  const projected = projectTools(toolset, { target: "mcp" });
  const ask = async (...of) => (await projected.answer(request(...of))).messages[0];
  const asked = await ask({ id: "d1" });
  assert.equal(asked.resultType, "input_required");
  const [{ confirmationId }] = registry.confirmations.pending();
  assert.equal(asked.requestState, confirmationId);
  const { method, params } = asked.inputRequests.approval;
  assert.deepEqual([method, params.mode, params.requestedSchema], ["elicitation/create", "form", { type: "object", properties: {} }]);

  // What the client's person says approves nothing.
  const accepted = { requestState: asked.requestState, inputResponses: { approval: { action: "accept", content: {} } } };
  assert.equal((await ask({ id: "d1" }, accepted)).resultType, "input_required");
  assert.deepEqual(calls, []);

  registry.confirmations.resolve(confirmationId, { approved: true });
  const forged = await ask({ id: "d1" }, { ...accepted, requestState: `${confirmationId}x` });
  const other = await ask({ id: "d2" }, accepted);
  for (const refused of [forged, other]) assert.match(refused.content[0].text, /CONFIRMATION_INVALID/);
  assert.deepEqual(calls, []);
  const done = await ask({ id: "d1" }, accepted);
  assert.deepEqual([done.resultType, done.structuredContent], ["complete", { done: true }]);
  const replayed = await ask({ id: "d1" }, accepted);
  assert.match(replayed.content[0].text, /CONFIRMATION_INVALID/);
  assert.deepEqual(calls, [["devices.wipe", { id: "d1" }]]);
});

test("MCP, input required: a person who declines in the client is heard, and a client that cannot ask gets a result", async () => {
  const { toolset, calls } = await surface({ topology: "remote" });
  const projected = projectTools(toolset, { target: "mcp" });
  const ask = async (...of) => (await projected.answer(request(...of))).messages[0];
  const { requestState } = await ask({ id: "d1" });
  const declined = await ask({ id: "d1" }, { requestState, inputResponses: { approval: { action: "decline" } } });
  assert.deepEqual([declined.resultType, declined.isError, JSON.parse(declined.content[0].text).details], ["complete", true, { reason: "denied" }]);
  const silent = await ask({ id: "d1" }, {}, {});
  assert.deepEqual([silent.resultType, silent.isError, JSON.parse(silent.content[0].text).code], ["complete", true, "CONFIRMATION_REQUIRED"]);
  const [earlier] = (await projected.answer({ params: { name: WIPE, arguments: { id: "d1" } } })).messages;
  assert.equal(earlier.resultType, undefined);
  assert.deepEqual(calls, []);
});
