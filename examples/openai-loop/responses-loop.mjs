// The loop over the Responses API: ask, run the calls, send the outputs, until there are no more calls.

const MAX_TURNS = 20;

/** `input` is the conversation, as items, which grow; `onText` hears what the model says. Answers with how it ended. */
export async function converse({ client, model, instructions, projected, input, stream, onText }) {
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const state = projected.state();
    // The state stands behind the conversation and is in this request only.
    const items = state === "" ? input : [...input, { role: "developer", content: state }];
    const request = { model, instructions, input: items, tools: projected.tools() };
    const response = stream ? await streamed(client, request, onText) : await whole(client, request, onText);
    const { messages: outputs, history } = await projected.answer(response);
    input.push(...(history ?? response).output, ...outputs);
    if (outputs.length === 0) return response.status;
  }
  return "max_turns";
}

/** The final event has the response as the service keeps it; what the client adds while it streams is not sent back. */
async function streamed(client, request, onText) {
  let response;
  for await (const event of await client.responses.create({ ...request, stream: true })) {
    if (event.type === "response.output_text.delta") onText(event.delta);
    if (event.type === "response.completed" || event.type === "response.incomplete") ({ response } = event);
    if (event.type === "response.failed") throw new Error(event.response.error?.message ?? "The model failed.");
  }
  if (!response) throw new Error("The answer broke off.");
  return response;
}

async function whole(client, request, onText) {
  const response = await client.responses.create(request);
  onText(response.output_text);
  return response;
}
