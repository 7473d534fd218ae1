// The Responses API: what a request must be, and an answer as JSON and as events.

import { argumentsOf, checkTools, newId, pieces, refuse } from "./refusal.mjs";

export const path = "/v1/responses";

export { faultOf } from "./openai-chat.mjs";

const KNOWN = ["id", "type", "status", "call_id", "name", "arguments", "namespace", "caller"];

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n"));

/** The request as every script sees it; refuses what the service refuses. It keeps no conversation: `input` has it all. */
export const read = (body, headers) => {
  if (!headers.authorization) refuse("You didn't provide an API key.", 401);
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
  if (!Array.isArray(items) || items.length === 0) refuse("Missing required parameter: 'input'.");
  const tools = (body.tools ?? []).map(({ name, description, parameters: schema, strict }) => ({ name, description, schema, strict }));
  checkTools(tools, { pattern: /^[a-zA-Z0-9_-]{1,64}$/, most: 128, root: "parameters" });
  const outputs = items.filter(({ type }) => type === "function_call_output");
  const calls = items.filter(({ type }) => type === "function_call");
  for (const call of calls) {
    const unknown = Object.keys(call).find((key) => !KNOWN.includes(key));
    if (unknown) refuse(`Unknown parameter: 'input[${items.indexOf(call)}].${unknown}'.`);
  }
  for (const { call_id: id } of calls) {
    if (!outputs.some((output) => output.call_id === id)) refuse(`No tool output found for function call ${id}.`);
  }
  for (const { call_id: id } of outputs) {
    if (!calls.some((call) => call.call_id === id)) refuse(`No tool call found for function call output with call_id ${id}.`);
  }
  const last = items.findLastIndex(({ role }) => role === "user");
  const results = items.slice(last + 1).filter(({ type }) => type === "function_call_output");
  return {
    system: [body.instructions ?? "", ...items.filter(({ role }) => role === "developer" || role === "system").map(({ content }) => textOf(content))].join("\n").trim(),
    asked: textOf(items[last]?.content),
    round: results.filter((_, at) => items.indexOf(results[at - 1]) !== items.indexOf(results[at]) - 1).length,
    results: results.map(({ call_id: id, output }) => ({ id, text: textOf(output) })),
    tools,
  };
};

const outputItems = ({ text, calls = [] }) => [
  ...(text ? [{ id: newId("msg_", 48), type: "message", status: "completed", role: "assistant", content: [{ type: "output_text", text, annotations: [], logprobs: [] }] }] : []),
  ...calls.map((call) => ({ id: newId("fc_", 48), type: "function_call", status: "completed", call_id: call.id ?? newId("call_"), name: call.name, arguments: argumentsOf(call) })),
];

const head = (body, reply, output, status) => ({
  id: newId("resp_", 48),
  object: "response",
  created_at: 1_795_000_000,
  status,
  error: null,
  incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
  instructions: body.instructions ?? null,
  model: body.model,
  output,
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: body.tools ?? [],
  temperature: 1,
  top_p: 1,
  metadata: {},
  usage: status === "in_progress" ? null : { input_tokens: 100, input_tokens_details: { cached_tokens: 0 }, output_tokens: 50, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 150 },
});

const statusOf = ({ isCut }) => (isCut ? "incomplete" : "completed");

/** The answer as one JSON text. */
export const whole = (reply, body) => head(body, reply, outputItems(reply), statusOf(reply));

/** The answer as events. */
export const events = (reply, body) => {
  const output = outputItems(reply);
  const begun = head(body, reply, [], "in_progress");
  const said = [{ type: "response.created", response: begun }, { type: "response.in_progress", response: begun }];
  for (const [at, item] of output.entries()) {
    said.push(...(item.type === "message" ? messageEvents(item, at) : callEvents(item, at)));
  }
  const status = statusOf(reply);
  said.push({ type: `response.${status}`, response: { ...head(body, reply, output, status), id: begun.id } });
  return said.map((data, at) => ({ event: data.type, data: { ...data, sequence_number: at } }));
};

const messageEvents = (item, at) => {
  const place = { item_id: item.id, output_index: at, content_index: 0 };
  const [part] = item.content;
  return [
    { type: "response.output_item.added", output_index: at, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...pieces(part.text).slice(1).map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: at, item },
  ];
};

const callEvents = (item, at) => {
  const place = { item_id: item.id, output_index: at };
  return [
    { type: "response.output_item.added", output_index: at, item: { ...item, status: "in_progress", arguments: "" } },
    ...pieces(item.arguments).slice(1).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
    { type: "response.output_item.done", output_index: at, item },
  ];
};
