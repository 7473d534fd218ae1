// A model behind the Anthropic Messages API (version 2023-06-01), called from the page.

import { checkedBase, postJson } from "./http.js";
import { describeState, resultText } from "./loop.js";

const MAX_TOKENS = 4096;

export function anthropicModel({ baseUrl, key, model }) {
  const url = `${checkedBase(baseUrl)}/v1/messages`;
  const headers = { "x-api-key": key, "anthropic-version": "2023-06-01", "anthropic-dangerous-direct-browser-access": "true" };
  return {
    label: model,
    async respond({ system, messages, tools, state, signal }) {
      const answer = await postJson(url, headers, {
        model,
        max_tokens: MAX_TOKENS,
        system,
        messages: withState(messages.map(toMessage), describeState(state)),
        tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
      }, signal);
      return fromAnswer(answer);
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

function fromAnswer({ content = [], stop_reason: reason }) {
  const text = content.filter((block) => block.type === "text").map((block) => block.text).join("\n\n");
  const cut = reason === "max_tokens" ? "The answer was cut off before this call was complete. Send it again." : undefined;
  const uses = content.filter((block) => block.type === "tool_use");
  const toolCalls = uses.map(({ id, name, input }, index) => ({ id, name, input, inputError: index === uses.length - 1 ? cut : undefined }));
  const silent = text === "" && toolCalls.length === 0;
  return { text: silent ? `The model gave no answer (${reason}).` : text, toolCalls, raw: silent ? undefined : { anthropic: content } };
}
