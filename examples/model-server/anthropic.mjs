// The Messages API (version 2023-06-01): what a request must be, and an answer as JSON and as events.

import { argumentsOf, checkTools, newId, pieces, refuse } from "./refusal.mjs";

export const path = "/v1/messages";

export const faultOf = ({ status, message }) => ({
  type: "error",
  error: { type: { 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error" }[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message },
});

const blocksOf = ({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

/** The request as every script sees it; refuses what the service refuses. */
export const read = (body, headers) => {
  if (!headers["x-api-key"] && !headers.authorization) refuse("x-api-key header is required", 401);
  if (!headers["anthropic-version"]) refuse("anthropic-version: header is required");
  if (!Number.isInteger(body.max_tokens)) refuse("max_tokens: Field required");
  if (!Array.isArray(body.messages) || body.messages.length === 0) refuse("messages: at least one message is required");
  const tools = (body.tools ?? []).map(({ name, description, input_schema: schema, strict }) => ({ name, description, schema, strict }));
  checkTools(tools, { pattern: /^[a-zA-Z0-9_-]{1,128}$/, most: Infinity, root: "input_schema" });
  if (tools.filter(({ strict }) => strict).length > 12) refuse("The compiled grammar is too large, which would cause performance issues.");
  checkResults(body.messages);
  const last = body.messages.findLastIndex((message) => message.role === "user" && blocksOf(message).every(({ type }) => type !== "tool_result"));
  const results = body.messages.slice(last + 1).flatMap(blocksOf).filter(({ type }) => type === "tool_result");
  return {
    system: body.system ?? "",
    asked: textOf(body.messages[last]),
    round: body.messages.slice(last + 1).filter(({ role }) => role === "assistant").length,
    results: results.map(({ tool_use_id: id, content, is_error: isError = false }) => ({ id, text: textIn(content), isError })),
    tools,
  };
};

const textIn = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n"));

const textOf = (message) => (message ? blocksOf(message).filter(({ type }) => type === "text").map(({ text }) => text).join("\n") : "");

/** Every `tool_use` has its result in the next message, before anything else there. */
const checkResults = (messages) => {
  const known = new Set();
  for (const [at, message] of messages.entries()) {
    const uses = message.role === "assistant" ? blocksOf(message).filter(({ type }) => type === "tool_use") : [];
    for (const { id } of uses) {
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) refuse(`messages.${at}.content: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      if (known.has(id)) refuse(`messages.${at}: \`tool_use\` ids must be unique`);
      known.add(id);
    }
    const next = at + 1 < messages.length ? blocksOf(messages[at + 1]) : [];
    const answered = next.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => id);
    const open = uses.filter(({ id }) => !answered.includes(id));
    if (open.length > 0) {
      refuse(`messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(({ id }) => id).join(", ")}.`);
    }
    if (new Set(answered).size < answered.length || answered.length > uses.length) refuse(`messages.${at + 1}: each tool_use must have a single result`);
    if (next.slice(0, answered.length).some(({ type }) => type !== "tool_result")) refuse(`messages.${at + 1}: tool_result blocks must come first`);
  }
};

const blocks = ({ text, calls = [] }) => [
  ...(text ? [{ type: "text", text }] : []),
  ...calls.map((call) => ({ type: "tool_use", id: call.id ?? newId("toolu_01", 22), name: call.name, input: call })),
];

const stopReason = ({ calls = [], isCut }) => (isCut ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn");

const head = (body, content, reason) => ({
  id: newId("msg_01", 22),
  type: "message",
  role: "assistant",
  model: body.model,
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: reason === null ? 1 : 50 },
});

/** The answer as one JSON text. Arguments that are no JSON cannot be said here; the service would not, either. */
export const whole = (reply, body) => {
  const content = blocks(reply).map((block) => (block.type === "text" ? block : { ...block, input: JSON.parse(argumentsOf(block.input)) }));
  return head(body, content, stopReason(reply));
};

/** The answer as events. */
export const events = (reply, body) => {
  const said = [{ type: "message_start", message: head(body, [], null) }, { type: "ping" }];
  for (const [index, block] of blocks(reply).entries()) {
    const isText = block.type === "text";
    said.push({ type: "content_block_start", index, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } });
    for (const piece of pieces(isText ? block.text : argumentsOf(block.input))) {
      if (isText && piece === "") continue;
      const delta = isText ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece };
      said.push({ type: "content_block_delta", index, delta });
    }
    said.push({ type: "content_block_stop", index });
  }
  said.push({ type: "message_delta", delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage: { output_tokens: 50 } });
  said.push({ type: "message_stop" });
  return said.map((data) => ({ event: data.type, data }));
};
