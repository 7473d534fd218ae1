// The Chat Completions API: what a request must be, and an answer as JSON and as chunks.

import { argumentsOf, checkTools, newId, pieces, refuse } from "./refusal.mjs";

export const path = "/v1/chat/completions";

export const faultOf = ({ status, message }) => ({ error: { message, type: status < 500 ? "invalid_request_error" : "server_error", param: null, code: null } });

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n"));

/** The request as every script sees it; refuses what the service refuses. */
export const read = (body, headers) => {
  if (!headers.authorization) refuse("You didn't provide an API key.", 401);
  if (!Array.isArray(body.messages) || body.messages.length === 0) refuse("Invalid 'messages': empty array.");
  const tools = (body.tools ?? []).map(({ function: { name, description, parameters: schema, strict } }) => ({ name, description, schema, strict }));
  checkTools(tools, { pattern: /^[a-zA-Z0-9_-]{1,64}$/, most: 128, root: "parameters" });
  checkResults(body.messages);
  const last = body.messages.findLastIndex(({ role }) => role === "user");
  const results = body.messages.slice(last + 1).filter(({ role }) => role === "tool");
  return {
    system: body.messages.filter(({ role }) => role === "system" || role === "developer").map(({ content }) => textOf(content)).join("\n"),
    asked: textOf(body.messages[last]?.content),
    round: body.messages.slice(last + 1).filter(({ role }) => role === "assistant").length,
    results: results.map(({ tool_call_id: id, content }) => ({ id, text: textOf(content) })),
    tools,
  };
};

const KNOWN = ["id", "type", "function"];

const checkResults = (messages) => {
  for (const [at, { role, tool_calls: calls = [] }] of messages.entries()) {
    for (const call of calls ?? []) {
      const unknown = Object.keys(call).find((key) => !KNOWN.includes(key)) ?? Object.keys(call.function).find((key) => !["name", "arguments"].includes(key));
      if (unknown) refuse(`Unknown parameter: 'messages[${at}].tool_calls.${unknown}'.`);
    }
    if (role === "tool" && !["tool", "assistant"].includes(messages[at - 1]?.role)) refuse("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.");
    let end = at + 1;
    while (messages[end]?.role === "tool") end += 1;
    const answered = messages.slice(at + 1, end).map(({ tool_call_id: id }) => id);
    const open = (calls ?? []).filter(({ id }) => answered.filter((other) => other === id).length !== 1);
    if (open.length > 0) {
      refuse(`An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.map(({ id }) => id).join(", ")}`);
    }
  }
};

const named = (calls = []) => calls.map((call) => ({ id: call.id ?? newId("call_"), type: "function", function: { name: call.name, arguments: argumentsOf(call) } }));

const finishReason = ({ calls = [], isCut }) => (isCut ? "length" : calls.length > 0 ? "tool_calls" : "stop");

const head = (body, object) => ({ id: newId("chatcmpl-"), object, created: 1_795_000_000, model: body.model });

const USAGE = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };

/** The answer as one JSON text. */
export const whole = (reply, body) => {
  const calls = named(reply.calls);
  const message = { role: "assistant", content: reply.text ?? null, refusal: null, ...(calls.length > 0 && { tool_calls: calls }) };
  return { ...head(body, "chat.completion"), choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }], usage: USAGE };
};

/** The answer as chunks. Calls grow side by side, as servers that run several at once send them. */
export const events = (reply, body) => {
  const frame = head(body, "chat.completion.chunk");
  const usage = body.stream_options?.include_usage ? { usage: null } : {};
  const chunk = (delta, finish = null) => ({ ...frame, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage });
  const said = [chunk({ role: "assistant", content: reply.text ? "" : null, refusal: null })];
  for (const content of pieces(reply.text ?? "").slice(1)) said.push(chunk({ content }));
  const calls = named(reply.calls).map((call) => ({ call, left: pieces(call.function.arguments) }));
  while (calls.some(({ left }) => left.length > 0)) {
    for (const [index, { call, left }] of calls.entries()) {
      const piece = left.shift();
      if (piece === undefined) continue;
      const start = piece === "" ? { id: call.id, type: "function", function: { name: call.function.name, arguments: "" } } : { function: { arguments: piece } };
      said.push(chunk({ tool_calls: [{ index, ...start }] }));
    }
  }
  said.push(chunk({}, finishReason(reply)));
  if (body.stream_options?.include_usage) said.push({ ...frame, choices: [], usage: USAGE });
  return [...said.map((data) => ({ data })), { data: "[DONE]" }];
};
