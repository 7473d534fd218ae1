// The scripted agent: no model, a handful of sentences. It sits where a model sits and sees what a model sees, tool
// definitions and results; what it does, it does by tool calls.
//
// Each plan is a generator that yields tool calls, is resumed with their results, and returns the answer.

import { PLANS } from "./scripted-plans.js";

const THINKING_MS = 350;

export function scriptedModel() {
  // The run of the sentence that is being answered; a new sentence, or another thread, starts a new one.
  let run = null;
  return {
    label: "Scripted agent, no model",
    scripted: true,
    async respond({ messages, tools, state, signal }) {
      await pause(THINKING_MS, signal);
      const sentence = messages.findLast((message) => message.role === "user");
      if (run?.sentence !== sentence) run = startRun(sentence, tools);
      if (run === undefined) return { text: help(), toolCalls: [] };
      run.box.see(tools, state);
      return resume(run, messages.at(-1));
    },
  };
}

/** Undefined when no plan understands the sentence. */
function startRun(sentence, tools) {
  for (const plan of PLANS) {
    const start = plan.understand(sentence.text, tools);
    if (!start) continue;
    const box = toolbox();
    return { sentence, box, steps: start(box), several: false };
  }
  return undefined;
}

function resume(run, last) {
  const outcomes = last.role === "tool" ? last.results.map(({ result }) => result) : [];
  const step = run.steps.next(run.several ? outcomes : outcomes[0]);
  if (step.done) return { text: step.value, toolCalls: [] };
  run.several = Array.isArray(step.value);
  return { text: "", toolCalls: [step.value].flat().map(({ name, input }) => ({ id: `call_${crypto.randomUUID()}`, name, input })) };
}

/** Finds tools by the end of their name; `call` names one that may be missing too, and the answer says so. */
function toolbox() {
  let tools = [];
  let state = [];
  const find = (suffix) => tools.find(({ name }) => name.endsWith(suffix) || name.includes(`${suffix}_at_`));
  return {
    see(nowTools, nowState) {
      tools = nowTools;
      state = nowState;
    },
    call: (suffix, input = {}) => ({ name: find(suffix)?.name ?? suffix, input }),
    /** Why the tool cannot be used now, or undefined when it can. */
    obstacle(suffix) {
      const tool = find(suffix);
      if (!tool) return "I have no tool for that here";
      const { available, unavailableReason } = state.find(({ name }) => name === tool.name);
      return available ? undefined : unavailableReason;
    },
  };
}

function help() {
  return `I am a script and understand only a few sentences, for example:\n${EXAMPLES.map((example) => `• ${example}`).join("\n")}\nConnect a model in the settings for anything else.`;
}

/** Sentences that it understands, also offered as suggestions. */
export const EXAMPLES = ["Disable the offline devices in Milan", "Show the cameras in Lisbon", "Select all offline devices", "Open dev-007", "Rename dev-007 to Lobby camera", "What is selected?", "Clear the selection"];

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}
