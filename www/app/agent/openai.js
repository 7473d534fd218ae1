// A model behind an OpenAI-compatible chat-completions endpoint. The base URL includes the version (`…/v1`).

import { checkedBase, postJson } from "./http.js";
import { describeState, resultText } from "./loop.js";

export function openaiModel({ baseUrl, key, model }) {
  const url = `${checkedBase(baseUrl)}/chat/completions`;
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  return {
    label: model,
    async respond({ system, messages, tools, state, signal }) {
      const answer = await postJson(url, headers, {
        model,
        messages: [{ role: "system", content: `${system}\n\n${describeState(state)}` }, ...messages.flatMap(toMessages)],
        ...(tools.length > 0 && { tools: tools.map(toTool) }),
      }, signal);
      return fromMessage(answer.choices?.[0]?.message ?? {});
    },
  };
}

function toTool({ name, description, inputSchema }) {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

function toMessages(message) {
  if (message.role === "user") return [{ role: "user", content: message.text }];
  if (message.role === "tool") return message.results.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: resultText(result) }));
  const calls = message.toolCalls.map(({ id, name, input, rawInput }) => ({ id, type: "function", function: { name, arguments: rawInput ?? JSON.stringify(input ?? {}) } }));
  return [{ role: "assistant", content: message.text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
}

function fromMessage({ content, tool_calls: calls = [] }) {
  const toolCalls = (calls ?? []).map(({ id, function: { name, arguments: text } }) => ({ id, name, ...parseArguments(text) }));
  return { text: content || (toolCalls.length === 0 ? "The model gave no answer." : ""), toolCalls };
}

function parseArguments(text) {
  if (!text) return { input: {} };
  try {
    return { input: JSON.parse(text), rawInput: text };
  } catch {
    return { input: {}, rawInput: "{}", inputError: "The arguments were not JSON. Send them again as one JSON object." };
  }
}
