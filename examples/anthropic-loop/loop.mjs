// The loop: ask the model, run its calls, send the results, until it makes no more calls.

const MAX_TURNS = 20;

/**
 * `messages` is the conversation, which grows; `onText` hears what the model says, piece by piece where it is streamed.
 *
 * @returns {Promise<string>}  why the last answer ended
 */
export async function converse({ client, model, system, projected, messages, stream, onText }) {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    // Tools and state are looked at anew for each turn: what the last calls did may have changed them.
    const request = { model, max_tokens: 4096, system, tools: projected.tools(), messages: withState(messages, projected.state()) };
    const message = stream ? await streamed(client, request, onText) : await whole(client, request, onText);
    // Every call has exactly one result, also those that were refused, denied or cut off.
    const { messages: results, history } = await projected.answer(message);
    messages.push({ role: "assistant", content: (history ?? message).content }, ...results);
    if (results.length === 0) return message.stop_reason;
  }
  return "max_turns";
}

async function streamed(client, request, onText) {
  const events = client.messages.stream(request);
  events.on("text", onText);
  return events.finalMessage();
}

async function whole(client, request, onText) {
  const message = await client.messages.create(request);
  for (const block of message.content) if (block.type === "text") onText(block.text);
  return message;
}

/** The state goes into the newest message of this request only, so that all before it can stay in the provider's cache. */
function withState(messages, state) {
  if (state === "") return messages;
  const last = messages.at(-1);
  const content = typeof last.content === "string" ? [{ type: "text", text: last.content }] : last.content;
  return [...messages.slice(0, -1), { ...last, content: [...content, { type: "text", text: state }] }];
}
