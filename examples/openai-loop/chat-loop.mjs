// The loop over Chat Completions, which many servers speak.

const MAX_TURNS = 20;

/** `messages` is the conversation, which grows; `onText` hears what the model says. Answers with how it ended. */
export async function converse({ client, model, instructions, projected, messages, stream, onText }) {
  messages.unshift({ role: "system", content: instructions });
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const state = projected.state();
    const present = state === "" ? messages : [...messages, { role: "system", content: state }];
    const request = { model, messages: present, tools: projected.tools() };
    const choice = stream ? await streamed(client, request, onText) : await whole(client, request, onText);
    // The whole choice: its `finish_reason` says whether the last call was cut off.
    const { messages: results, history } = await projected.answer(choice);
    messages.push((history ?? choice).message, ...results);
    if (results.length === 0) return choice.finish_reason;
  }
  return "max_turns";
}

/** Calls come in pieces, several side by side: each has an index, and its id and name come once. */
async function streamed(client, request, onText) {
  const message = { role: "assistant", content: "" };
  let finish;
  for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
    const [choice] = choices;
    if (!choice) continue;
    finish = choice.finish_reason ?? finish;
    const { content, tool_calls: pieces = [] } = choice.delta;
    if (content) {
      message.content += content;
      onText(content);
    }
    for (const { index, id, function: part } of pieces) {
      message.tool_calls ??= [];
      const call = (message.tool_calls[index] ??= { id, type: "function", function: { name: "", arguments: "" } });
      call.function.name ||= part?.name ?? "";
      call.function.arguments += part?.arguments ?? "";
    }
  }
  if (finish === undefined) throw new Error("The answer broke off.");
  return { message, finish_reason: finish };
}

async function whole(client, request, onText) {
  const { choices } = await client.chat.completions.create(request);
  onText(choices[0].message.content ?? "");
  return choices[0];
}
