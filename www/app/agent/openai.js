// A model behind an OpenAI-compatible chat-completions endpoint, its answer streamed. The base URL includes the version (`…/v1`).

import { checkedBase, post } from "./http.js";
import { describeState, resultText } from "./loop.js";

export function openaiModel({ baseUrl, key, model }) {
  const url = `${checkedBase(baseUrl)}/chat/completions`;
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  return {
    label: model,
    async respond({ system, messages, tools, state, signal, onText }) {
      const { events, json } = await post(url, headers, {
        model,
        stream: true,
        messages: [{ role: "system", content: `${system}\n\n${describeState(state)}` }, ...messages.flatMap(toMessages)],
        ...(tools.length > 0 && { tools: tools.map(toTool) }),
      }, signal);
      return fromChoice(json ? (json.choices?.[0] ?? {}) : await gathered(events, onText));
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

/** The choice that the chunks make. Calls grow side by side, each at its index; some servers repeat the name or send no id. */
async function gathered(events, onText) {
  const message = { content: "", tool_calls: [] };
  let finish;
  for await (const { choices, error } of events) {
    if (error) throw new Error(error.message ?? "The model failed.");
    const [choice] = choices ?? [];
    finish = choice?.finish_reason ?? finish;
    const { content, tool_calls: pieces } = choice?.delta ?? {};
    if (content) {
      message.content += content;
      onText?.(content);
    }
    for (const { index, id, function: part } of pieces ?? []) {
      const call = (message.tool_calls[index] ??= { id, function: { name: "", arguments: "" } });
      call.function.name ||= part?.name ?? "";
      call.function.arguments += part?.arguments ?? "";
    }
  }
  if (finish === undefined) throw new Error("The answer broke off.");
  return { message, finish_reason: finish };
}

function fromChoice({ message: { content, tool_calls: calls } = {}, finish_reason: reason }) {
  const made = (calls ?? []).filter(Boolean);
  const toolCalls = made.map(({ id, function: { name, arguments: text } }) => ({ id: id ?? `call_${crypto.randomUUID()}`, name, ...parseArguments(text) }));
  // Arguments that broke off may still read as JSON, or as none at all.
  if (reason === "length" && toolCalls.length > 0) Object.assign(toolCalls.at(-1), { input: {}, rawInput: "{}", inputError: "The answer was cut off before this call was complete. Send it again." });
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
