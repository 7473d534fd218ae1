// `/targets` with the official clients against the model server, which refuses what the services refuse: too many tools, too
// large a grammar, a call without its result.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { startModelServer } from "../../examples/model-server/server.mjs";
import { initTargets, main, projectTools } from "./targets-surface.mjs";

const { action, createAgentSurfaceRegistry, createAgentToolset, defineAgentComponent, emptyObjectSchema } = main;
const consumer = { id: "copilot", kind: "embedded" };

let server;
let script;
let anthropic;
let openai;
before(async () => {
  await Promise.all([main.init(), initTargets()]);
  server = await startModelServer((request) => script(request));
  anthropic = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
  openai = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
});
after(() => server.close());

/** A registry with actions `a0`, `a1`, … that note their names; `more` are others. */
const surfaceOf = (count, more = {}) => {
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const ran = [];
  const actions = { ...more };
  for (let at = 0; at < count; at++) {
    actions[`a${at}`] = action({ description: "One of many", input: emptyObjectSchema, effect: "local-state", execute: () => void ran.push(`a${at}`) });
  }
  // A component takes a hundred capabilities at most.
  const names = Object.keys(actions);
  for (let from = 0; from < names.length; from += 60) {
    const part = Object.fromEntries(names.slice(from, from + 60).map((name) => [name, actions[name]]));
    registry.register(defineAgentComponent({ type: `many.part${from / 60}`, description: "Many", actions: part }));
  }
  return { registry, ran, toolset: createAgentToolset(registry, { consumer, topology: "embedded" }) };
};

test("a grammar that the service finds too large: relaxed, the same tools are taken without it", async () => {
  const { toolset } = surfaceOf(40);
  const tools = Object.fromEntries(toolset.tools().map(({ name }) => [name, { strict: true }]));
  script = () => ({ text: "Hello" });
  const ask = (projected) => anthropic.messages.create({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }], tools: projected.tools() });
  const projected = projectTools(toolset, { target: "anthropic", tools, maxStrict: 20 });
  await assert.rejects(ask(projected), (error) => error.status === 400 && /grammar is too large/.test(error.message));
  const before = projected.tools().map(({ name }) => name);
  projected.relax();
  assert.equal((await ask(projected)).content[0].text, "Hello");
  assert.deepEqual(projected.tools().map(({ name }) => name), before);
  // Unless the page says otherwise, no more are strict than were ever taken.
  const careful = projectTools(toolset, { target: "anthropic", tools });
  await ask(careful);
  assert.equal(careful.tools().filter(({ strict }) => strict).length, 10);
});

test("three hundred capabilities: the service takes the request, and what has no room is called by way of the meta tools", async () => {
  const { registry, toolset, ran } = surfaceOf(300);
  const meta = createAgentToolset(registry, { consumer, topology: "embedded", mode: "meta" });
  const projected = projectTools(toolset, { target: "openai-responses", meta });
  assert.equal(projected.tools().length, 128);
  const { overflow } = projected.report();
  assert.equal(overflow.length, 300 - 125);
  const capability = [...toolset.wireNameMap()].find(([name]) => name === overflow.at(-1))[1];
  script = ({ round }) => (round === 0 ? { calls: [{ name: "surface_act", input: { capabilityId: capability, input: {} } }] } : { text: "Done" });
  const input = [{ role: "user", content: "Go" }];
  const ask = () => openai.responses.create({ model: "m", input, tools: projected.tools() });
  const response = await ask();
  const { messages } = await projected.answer(response);
  input.push(...response.output, ...messages);
  assert.equal((await ask()).output_text, "Done");
  assert.deepEqual(ran, [capability.split(".").at(-1)]);
});

test("calls that end at different times, one denied, one failed, one whose component goes: one continuation with all results", async () => {
  let open;
  const wait = () => new Promise((resolve) => (open = resolve));
  const more = {
    quick: action({ description: "Quick", input: emptyObjectSchema, effect: "local-state", execute: () => ({ ok: 1 }) }),
    slow: action({ description: "Slow", input: emptyObjectSchema, effect: "local-state", execute: wait }),
    risky: action({ description: "Risky", input: emptyObjectSchema, effect: "local-state", confirmation: "required", execute: () => undefined }),
    broken: action({
      description: "Broken",
      input: emptyObjectSchema,
      effect: "local-state",
      execute() {
        throw new Error("no");
      },
    }),
  };
  const { registry, toolset } = surfaceOf(0, more);
  const gone = registry.register(defineAgentComponent({ type: "many.gone", description: "Goes", actions: { leaving: action({ description: "Leaves", input: emptyObjectSchema, effect: "local-state", execute: () => new Promise(() => {}) }) } }));
  const projected = projectTools(toolset, { target: "openai-chat" });
  const named = (end) => projected.tools().find(({ function: { name } }) => name.endsWith(end)).function.name;
  script = ({ round, results }) =>
    round === 0 ? { calls: ["slow", "quick", "risky", "broken", "leaving"].map((end) => ({ name: named(end) })) } : { text: `${results.length} results` };
  const messages = [{ role: "user", content: "Go" }];
  const ask = async () => (await openai.chat.completions.create({ model: "m", messages, tools: projected.tools() })).choices[0];
  const choice = await ask();
  const answer = projected.answer(choice);
  while (registry.confirmations.pending().length === 0 || !open) await new Promise(setImmediate);
  registry.confirmations.resolve(registry.confirmations.pending()[0].confirmationId, { approved: false, reason: "no need" });
  gone.unregister();
  open({ late: true });
  const { messages: results } = await answer;
  messages.push(choice.message, ...results);
  assert.equal((await ask()).message.content, "5 results");
  const told = results.map(({ content }) => JSON.parse(content).error?.code ?? "ok");
  assert.deepEqual(told, ["ok", "ok", "CONFIRMATION_INVALID", "EXECUTION_FAILED", "COMPONENT_UNMOUNTED"]);
  assert.equal(server.requests.at(-1).refused, undefined);
});

test("a conversation that was kept while a call was open: repaired, the service takes it again, and nothing ran", async () => {
  const { toolset, ran } = surfaceOf(2);
  const projected = projectTools(toolset, { target: "anthropic" });
  const [{ name: a0 }, { name: a1 }] = projected.tools();
  script = ({ asked, round, results }) => {
    if (asked === "Still there?") return { text: "Yes" };
    return round === 0 ? { calls: [{ name: a0 }, { name: "gone_since" }] } : round === 1 ? { calls: [{ name: a1 }] } : { text: `${results.length} results` };
  };
  const messages = [{ role: "user", content: "Go" }];
  const ask = () => anthropic.messages.create({ model: "m", max_tokens: 9, messages, tools: projected.tools() });
  const first = await ask();
  messages.push({ role: "assistant", content: first.content }, ...(await projected.answer(first)).messages);
  messages.push({ role: "assistant", content: (await ask()).content });
  await assert.rejects(ask(), /without `tool_result`/);
  const { messages: repaired, results } = projectTools(createAgentToolset(createAgentSurfaceRegistry(), { consumer, topology: "embedded" }), { target: "anthropic" }).repair(messages);
  assert.deepEqual(results.map(({ name, result }) => [name, result.error.details]), [[a1, { outcome: "unknown" }]]);
  messages.push(...repaired);
  assert.equal((await ask()).content[0].text, "3 results");
  messages.push({ role: "assistant", content: "3 results" }, { role: "user", content: "Still there?" });
  assert.equal((await ask()).content[0].text, "Yes");
  assert.deepEqual(ran, ["a0"]);
});
