// The demo's agent loop and its models, without a browser: what a thread must never lack, and what a model is sent.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { anthropicModel } from "../../www/app/agent/anthropic.js";
import { createAgentLoop, describeState, resultText } from "../../www/app/agent/loop.js";
import { openaiModel } from "../../www/app/agent/openai.js";
import { EXAMPLES, scriptedModel } from "../../www/app/agent/scripted.js";
import { startModelServer } from "../../examples/model-server/server.mjs";

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

const available = { available: true };
const tool = (name, execute, state = available, inputSchema = { type: "object" }) => ({ name, description: `[view · local-state] ${name}`, inputSchema, state, execute });
const ok = (output) => Promise.resolve({ status: "ok", output });
const call = (id, name, input = {}) => ({ id, name, input });
const says = (text) => ({ text, toolCalls: [] });
const calls = (...toolCalls) => ({ text: "", toolCalls });

/** A loop over `tools()` and a model that gives `replies` in turn, with everything it was told. */
function loopOf(tools, replies, options = {}) {
  const heard = [];
  const requests = [];
  const model = {
    respond: async (request) => {
      requests.push({ ...request, messages: structuredClone(request.messages.map(({ raw, ...message }) => message)) });
      const reply = replies[requests.length - 1];
      return typeof reply === "function" ? reply(request) : reply;
    },
  };
  const on = Object.fromEntries(["turn", "text", "call", "result", "end"].map((name) => [name, (event) => heard.push([name, event])]));
  const loop = createAgentLoop({ toolset: { tools: () => tools }, model: () => model, system: "be brief", on, ...options });
  return { loop, heard, requests };
}

test("parallel calls run at once and each gets exactly one result, in the order of the calls", async () => {
  let release;
  const slow = tool("slow", () => new Promise((resolve) => {
    release = () => resolve({ status: "ok", output: 1 });
  }));
  const quick = tool("quick", () => {
    release();
    return ok(2);
  });
  const { loop, requests } = loopOf([slow, quick], [calls(call("a", "slow"), call("b", "quick")), says("done")]);
  assert.deepEqual(await loop.send("go"), { outcome: "done" });
  assert.deepEqual(requests[1].messages.at(-1).results.map(({ id, result }) => [id, result.output]), [["a", 1], ["b", 2]]);
});

test("a new conversation has nothing of a call that the old one still waited for", async () => {
  let release;
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const slow = tool("slow", () => {
    begin();
    return new Promise((resolve) => {
      release = () => resolve({ status: "error", error: { code: "CANCELLED" } });
    });
  });
  const { loop, requests } = loopOf([slow], [calls(call("a", "slow")), says("done")]);
  const first = loop.send("go");
  await begun;
  loop.reset();
  release();
  assert.deepEqual(await first, { outcome: "stopped" });
  await loop.send("again");
  assert.deepEqual(requests[1].messages, [{ role: "user", text: "again" }]);
});

test("an unknown tool, a tool that throws and unreadable arguments are answered too", async () => {
  const { error } = console;
  console.error = () => {};
  const broken = tool("broken", () => {
    throw new Error("boom");
  });
  const { loop, requests } = loopOf([broken], [calls(call("a", "nothing"), call("b", "broken"), { ...call("c", "broken"), inputError: "not JSON" }), says("done")]);
  await loop.send("go");
  console.error = error;
  const codes = requests[1].messages.at(-1).results.map(({ result }) => result.error.code);
  assert.deepEqual(codes, ["CAPABILITY_NOT_FOUND", "EXECUTION_FAILED", "INVALID_INPUT"]);
});

test("tools are listed again before each turn", async () => {
  const tools = [];
  const opens = tool("open", () => {
    tools.push(tool("inside", () => ok(7)));
    return ok(null);
  });
  tools.push(opens);
  const { loop, requests } = loopOf(tools, [calls(call("a", "open")), calls(call("b", "inside")), says("done")]);
  await loop.send("go");
  assert.deepEqual(requests.map((request) => request.tools.map(({ name }) => name)), [["open"], ["open", "inside"], ["open", "inside"]]);
  assert.equal(requests[2].messages.at(-1).results[0].result.output, 7);
});

test("stopping cancels the call that waits, answers it, and the thread goes on", async () => {
  let started;
  const begun = new Promise((resolve) => {
    started = resolve;
  });
  const waits = tool("waits", (_input, { signal }) => new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ status: "error", error: { code: "CANCELLED", message: "stopped", retry: "yes" } }));
    started();
  }));
  const { loop, requests } = loopOf([waits], [calls(call("a", "waits")), says("fine")]);
  const run = loop.send("go");
  await begun;
  loop.stop();
  assert.deepEqual(await run, { outcome: "stopped" });
  assert.equal(loop.busy, false);
  assert.deepEqual(await loop.send("again"), { outcome: "done" });
  assert.deepEqual(requests[1].messages.map(({ role }) => role), ["user", "assistant", "tool", "user"]);
  assert.equal(requests[1].messages[2].results[0].result.error.code, "CANCELLED");
});

test("turns are bounded", async () => {
  const again = tool("again", () => ok(null));
  const { loop, requests } = loopOf([again], Array.from({ length: 9 }, (_, index) => calls(call(`c${index}`, "again"))), { maxTurns: 3 });
  const ending = await loop.send("go");
  assert.equal(ending.outcome, "bounded");
  assert.equal(requests.length, 3);
});

test("a model that fails ends the run with its words", async () => {
  const { loop, heard } = loopOf([], [() => Promise.reject(new Error("no credit"))]);
  assert.deepEqual(await loop.send("go"), { outcome: "failed", message: "no credit" });
  assert.deepEqual(heard.at(-1), ["end", { outcome: "failed", message: "no credit" }]);
});

test("state is told apart from the definitions", () => {
  const state = [{ name: "a", available: true }, { name: "b", available: false, unavailableReason: "nothing selected" }, { name: "c", available: true, note: "3 devices selected" }];
  assert.equal(describeState(state), "State of the tools now:\n- b: not available now (nothing selected)\n- c: 3 devices selected");
  assert.equal(resultText({ status: "ok" }), '{"ok":true}');
});

/** Answers every request with `answer`, and keeps the requests. A server that does not stream answers so, too. */
function serve(answer, status = 200) {
  const sent = [];
  globalThis.fetch = async (url, init) => {
    sent.push({ url, ...init, body: JSON.parse(init.body) });
    return new Response(JSON.stringify(answer), { status });
  };
  return sent;
}

const thread = [
  { role: "user", text: "hello" },
  { role: "assistant", text: "", toolCalls: [call("t1", "a", { x: 1 })] },
  { role: "tool", results: [{ id: "t1", name: "a", result: { status: "error", error: { code: "TIMEOUT", message: "late", retry: "no" } } }] },
];
const request = { system: "be brief", messages: thread, tools: [{ name: "a", description: "does a", inputSchema: { type: "object" } }], state: [], signal: new AbortController().signal };
const options = { baseUrl: "https://models.example/", key: "k", model: "m" };

test("the Messages API is spoken both ways", async () => {
  const content = [{ type: "thinking", thinking: "…", signature: "s" }, { type: "text", text: "one moment" }, { type: "tool_use", id: "t2", name: "a", input: { x: 2 } }];
  const sent = serve({ content, stop_reason: "tool_use" });
  const reply = await anthropicModel({ ...options, baseUrl: "https://models.example" }).respond(request);
  assert.equal(sent[0].url, "https://models.example/v1/messages");
  assert.equal(sent[0].headers["anthropic-dangerous-direct-browser-access"], "true");
  assert.deepEqual(sent[0].body.messages.map(({ role }) => role), ["user", "assistant", "user"]);
  assert.deepEqual(sent[0].body.messages[1].content, [{ type: "tool_use", id: "t1", name: "a", input: { x: 1 } }]);
  const [result, state] = sent[0].body.messages[2].content;
  assert.deepEqual([result.type, result.tool_use_id, result.is_error, state.type], ["tool_result", "t1", true, "text"]);
  assert.deepEqual(reply, { text: "one moment", toolCalls: [{ id: "t2", name: "a", input: { x: 2 }, inputError: undefined }], raw: { anthropic: content } });
  await anthropicModel(options).respond({ ...request, messages: [thread[0], { role: "assistant", ...reply }, { role: "tool", results: [] }] });
  assert.deepEqual(sent[1].body.messages[1].content, content);
});

test("a call cut off by the token limit is not executed", async () => {
  serve({ content: [{ type: "tool_use", id: "t1", name: "a", input: {} }, { type: "tool_use", id: "t2", name: "a", input: {} }], stop_reason: "max_tokens" });
  const { toolCalls } = await anthropicModel(options).respond(request);
  assert.deepEqual(toolCalls.map(({ inputError }) => inputError === undefined), [true, false]);
});

test("chat completions are spoken both ways, and malformed arguments stay answerable", async () => {
  const toolCalls = [{ id: "c1", type: "function", function: { name: "a", arguments: '{"x":2}' } }, { id: "c2", type: "function", function: { name: "a", arguments: "{" } }];
  const sent = serve({ choices: [{ message: { content: null, tool_calls: toolCalls } }] });
  const model = openaiModel({ ...options, baseUrl: "https://models.example/v1/" });
  const reply = await model.respond(request);
  assert.equal(sent[0].url, "https://models.example/v1/chat/completions");
  assert.deepEqual(sent[0].body.messages.map(({ role }) => role), ["system", "user", "assistant", "tool"]);
  assert.deepEqual(sent[0].body.messages[2].tool_calls[0].function, { name: "a", arguments: '{"x":1}' });
  assert.deepEqual(reply.toolCalls.map(({ id, input, inputError }) => [id, input, inputError !== undefined]), [["c1", { x: 2 }, false], ["c2", {}, true]]);
});

/** Speaks to a model server and answers with its reply, what it was heard to say meanwhile, and the requests. */
async function stream(t, make, base, script, more = {}) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const said = [];
  const reply = await make({ ...options, baseUrl: server.url + base }).respond({ ...request, ...more, onText: (text) => said.push(text) });
  return { reply, said, requests: server.requests };
}

const WIRES = [["the Messages API", anthropicModel, ""], ["chat completions", openaiModel, "/v1"]];

for (const [name, make, base] of WIRES) {
  test(`streamed, ${name}: text comes in pieces, and calls whose arguments do are whole`, async (t) => {
    const script = () => ({ text: "I look for two of them.", calls: [{ name: "a", input: { text: "Zürich — \"7\"" } }, { name: "a" }] });
    const { reply, said, requests } = await stream(t, make, base, script);
    assert.ok(said.length > 1);
    assert.equal(said.join(""), reply.text);
    assert.equal(reply.text, "I look for two of them.");
    assert.deepEqual(reply.toolCalls.map(({ name, input, inputError }) => [name, input, inputError]), [["a", { text: "Zürich — \"7\"" }, undefined], ["a", {}, undefined]]);
    assert.equal(new Set(reply.toolCalls.map(({ id }) => id)).size, 2);
    assert.equal(requests[0].refused, undefined);
  });

  test(`streamed, ${name}: a call that was cut off, by the limit or in its arguments, is not executed`, async (t) => {
    const script = () => ({ calls: [{ name: "a", input: {} }, { name: "a", text: '{"x":[1' }], isCut: true });
    const { reply } = await stream(t, make, base, script);
    assert.deepEqual(reply.toolCalls.map(({ inputError }) => inputError === undefined), [true, false]);
    const cutAtStart = await stream(t, make, base, () => ({ calls: [{ name: "a", text: "" }], isCut: true }));
    assert.notEqual(cutAtStart.reply.toolCalls[0].inputError, undefined);
  });

  test(`streamed, ${name}: an answer that breaks off is a failure`, async (t) => {
    globalThis.fetch = async (url, init) => {
      const response = await fetch(url, init);
      const text = await response.text();
      return new Response(text.slice(0, text.length / 2), { headers: { "content-type": "text/event-stream" } });
    };
    await assert.rejects(stream(t, make, base, () => ({ text: "A long answer of many words, which ends in the middle." })), /broke off|JSON/);
  });
}

test("an endpoint's refusal is reported with its own words and never with the key", async () => {
  serve({ error: { message: "model `m` is unknown" } }, 404);
  await assert.rejects(openaiModel(options).respond(request), (error) => error.message === "models.example answered 404: model `m` is unknown" && !error.message.includes("Bearer"));
  assert.throws(() => openaiModel({ ...options, baseUrl: "javascript:alert(1)" }), /must start with https/);
});

const filters = tool("view_devices__filters__setFilters", undefined, available, { type: "object", properties: { city: { enum: ["all", "Milan", "Kraków"] }, status: { enum: ["all", "offline"] }, kind: { enum: ["all", "camera"] } } });
const seen = (tools) => tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
const ask = (model, messages, tools) => model.respond({ system: "", messages, tools: seen(tools), state: tools.map(({ name, state }) => ({ name, ...state })), signal: new AbortController().signal });

test("the scripted agent reads the choices from the tool, accents or not", async () => {
  const { toolCalls } = await ask(scriptedModel(), [{ role: "user", text: "Show the offline cameras in krakow!" }], [filters]);
  assert.equal(toolCalls[0].name, filters.name);
  assert.deepEqual(toolCalls[0].input, { city: "Kraków", status: "offline", kind: "camera", q: "" });
});

test("the scripted agent says what it understands instead of guessing", async () => {
  for (const text of ["make me a sandwich", "disable the purple devices", "show the cameras on the moon"]) {
    const { text: answer, toolCalls } = await ask(scriptedModel(), [{ role: "user", text }], [filters]);
    assert.deepEqual(toolCalls, []);
    for (const example of EXAMPLES) assert.ok(answer.includes(example), example);
  }
});

test("the scripted agent gives the reason when a tool is not available", async () => {
  const blocked = tool("domain_devices__disable", undefined, { available: false, unavailableReason: "Select at least one device first" });
  const { text } = await ask(scriptedModel(), [{ role: "user", text: "disable the selected devices" }], [blocked]);
  assert.equal(text, "I cannot disable them: Select at least one device first.");
});
