// The agent's turn loop, the same for every model. A model is `{ label, respond({ system, messages, tools, state, signal,
// onText }) → { text, toolCalls: [{ id, name, input, inputError? }], raw? } }`; `onText` hears the text piece by piece, where
// it is streamed. A model sees tool definitions and results and nothing else.
//
// Messages: `{ role: "user", text }`, `{ role: "assistant", text, toolCalls, raw? }`, `{ role: "tool", results: [{ id, name,
// result }] }`. Every tool call gets exactly one result, whatever happens: a thread with an unanswered call is broken for good.

const MAX_TURNS = 12;

/**
 * `toolset.tools()` is listed again before each turn, since what the agent did may have changed what it can do.
 * `on` hears `turn({ turn })`, `piece(text)` while a model speaks, `text(text)` when it has spoken, `call({ call, tool })`,
 * `result({ call, result, ms })`, `end({ outcome, message? })`; outcomes are `done`, `stopped`, `bounded` and `failed`.
 */
export function createAgentLoop({ toolset, model, system, on, maxTurns = MAX_TURNS }) {
  let thread = [];
  let controller = null;

  async function send(text) {
    if (controller !== null) throw new Error("The agent is still at work.");
    controller = new AbortController();
    const { signal } = controller;
    const messages = thread;
    messages.push({ role: "user", text });
    let ending;
    try {
      ending = await turns(messages, signal);
    } catch (error) {
      ending = signal.aborted ? { outcome: "stopped" } : { outcome: "failed", message: messageOf(error) };
    }
    controller = null;
    on.end(ending);
    return ending;
  }

  async function turns(messages, signal) {
    for (let turn = 1; turn <= maxTurns; turn += 1) {
      on.turn({ turn });
      const tools = toolset.tools();
      const reply = await model().respond({ system, messages, tools: tools.map(definition), state: stateOf(tools), signal, onText: (text) => on.piece?.(text) });
      signal.throwIfAborted();
      messages.push({ role: "assistant", text: reply.text, toolCalls: reply.toolCalls, raw: reply.raw });
      if (reply.text) on.text(reply.text);
      if (reply.toolCalls.length === 0) return { outcome: "done" };
      const results = await Promise.all(reply.toolCalls.map((call) => run(call, tools, signal)));
      messages.push({ role: "tool", results });
      if (signal.aborted) return { outcome: "stopped" };
    }
    return { outcome: "bounded", message: `Stopped after ${maxTurns} turns.` };
  }

  async function run(call, tools, signal) {
    const tool = tools.find(({ name }) => name === call.name);
    on.call({ call, tool });
    const began = performance.now();
    const result = await execute(call, tool, signal);
    on.result({ call, result, ms: performance.now() - began });
    return { id: call.id, name: call.name, result };
  }

  return {
    send,
    /** Ends the run: the call that waits for a person is cancelled too. */
    stop: () => controller?.abort(),
    get busy() {
      return controller !== null;
    },
    /** A new thread. What the old one still waits for comes into that. */
    reset() {
      controller?.abort();
      thread = [];
    },
  };
}

async function execute(call, tool, signal) {
  if (tool === undefined) return refusal("CAPABILITY_NOT_FOUND", `There is no tool ${call.name}. Use the tools of this turn.`);
  if (call.inputError) return refusal("INVALID_INPUT", call.inputError);
  try {
    return await tool.execute(call.input, { toolCallId: call.id, signal });
  } catch (error) {
    // `execute` promises not to throw; a broken promise must not leave the call unanswered.
    console.error(error);
    return refusal("EXECUTION_FAILED", "The tool failed.");
  }
}

function refusal(code, message) {
  return { status: "error", error: { code, message, retry: "with-changes" } };
}

function definition({ name, description, inputSchema }) {
  return { name, description, inputSchema };
}

/** What changes between turns, apart from the definitions, so that those can stay in a cached prompt prefix. */
function stateOf(tools) {
  return tools.map(({ name, state }) => ({ name, available: state.available, unavailableReason: state.unavailableReason, note: state.note }));
}

/** The state as lines for a model. */
export function describeState(state) {
  const lines = state.flatMap(({ name, available, unavailableReason, note }) => {
    if (!available) return [`- ${name}: not available now (${unavailableReason})`];
    return note ? [`- ${name}: ${note}`] : [];
  });
  return lines.length === 0 ? "All tools are available." : `State of the tools now:\n${lines.join("\n")}`;
}

/** The result of a call as the text that a model reads. */
export function resultText(result) {
  return JSON.stringify(result.status === "ok" ? (result.output ?? { ok: true }) : { error: result.error });
}

function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
