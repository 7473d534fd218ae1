// A model behind the Anthropic Messages API (version 2023-06-01), called from the page, its answer streamed.

import { checkedBase, post } from "./http.js";
import { describeState, resultText } from "./loop.js";

const MAX_TOKENS = 4096;

export function anthropicModel({ baseUrl, key, model }) {
  const url = `${checkedBase(baseUrl)}/v1/messages`;
  const headers = { "x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" };
  return {
    label: model,
    async respond({ system, messages, tools, state, signal, onText }) {
      const { events, json } = await post(url, headers, {
        model,
        max_tokens: MAX_TOKENS,
        stream: true,
        system,
        messages: withState(messages.map(toMessage), describeState(state)),
        tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
      }, signal);
      return fromAnswer(json ?? (await gathered(events, onText)));
    },
  };
}

function toMessage(message) {
  if (message.role === "user") return { role: "user", content: [{ type: "text", text: message.text }] };
  if (message.role === "assistant") return { role: "assistant", content: message.raw?.anthropic ?? assistantBlocks(message) };
  return {
    role: "user",
    content: message.results.map(({ id, result }) => ({ type: "tool_result", tool_use_id: id, content: resultText(result), is_error: result.status === "error" })),
  };
}

function assistantBlocks({ text, toolCalls }) {
  const calls = toolCalls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input: input ?? {} }));
  return text || calls.length === 0 ? [{ type: "text", text: text || "(no answer)" }, ...calls] : calls;
}

/** The state goes into the newest message of the request only, never into the thread. */
function withState(messages, text) {
  const last = messages.at(-1);
  return [...messages.slice(0, -1), { ...last, content: [...last.content, { type: "text", text }] }];
}

/** The message that the events make. Of a call, `input` is put together as text and read at its end. */
async function gathered(events, onText) {
  const content = [];
  const texts = [];
  let stopReason;
  for await (const event of events) {
    const { type, index, delta } = event;
    if (type === "error") throw new Error(event.error?.message ?? "The model failed.");
    if (type === "message_stop") return { content, stop_reason: stopReason };
    if (type === "message_delta") stopReason = delta.stop_reason;
    if (type === "content_block_start") content[index] = event.content_block;
    if (type === "content_block_delta") grow(content[index], delta, texts, index, onText);
    if (type === "content_block_stop" && content[index].type === "tool_use") Object.assign(content[index], inputOf(texts[index]));
  }
  throw new Error("The answer broke off.");
}

function grow(block, delta, texts, index, onText) {
  if (delta.type === "text_delta") {
    block.text += delta.text;
    onText?.(delta.text);
  }
  if (delta.type === "thinking_delta") block.thinking += delta.thinking;
  if (delta.type === "signature_delta") block.signature = delta.signature;
  if (delta.type === "input_json_delta") texts[index] = (texts[index] ?? "") + delta.partial_json;
}

/** What cannot be read goes back as an empty object, which the API takes, and is not executed. */
function inputOf(text) {
  try {
    return { input: JSON.parse(text || "{}") };
  } catch {
    return { input: {}, isBroken: true };
  }
}

function fromAnswer({ content: blocks = [], stop_reason: reason }) {
  const broken = new Set(blocks.filter((block) => block.isBroken).map(({ id }) => id));
  const content = blocks.map(({ isBroken, ...block }) => block);
  const text = content.filter((block) => block.type === "text").map((block) => block.text).join("\n\n");
  const uses = content.filter((block) => block.type === "tool_use");
  const isCut = ({ id }, index) => broken.has(id) || (reason === "max_tokens" && index === uses.length - 1);
  const toolCalls = uses.map((use, index) => ({ id: use.id, name: use.name, input: use.input, inputError: isCut(use, index) ? "The answer was cut off before this call was complete. Send it again." : undefined }));
  const silent = text === "" && toolCalls.length === 0;
  return { text: silent ? `The model gave no answer (${reason}).` : text, toolCalls, raw: silent ? undefined : { anthropic: content } };
}
