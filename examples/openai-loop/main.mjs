// node main.mjs [--chat] [--whole] "what should happen": one conversation over the OpenAI API, in the terminal.

import { createInterface } from "node:readline/promises";
import { createAgentToolset, init } from "agent-surface-wasm";
import { initTargets, projectTools } from "agent-surface-wasm/targets";
import OpenAI from "openai";
import * as chatLoop from "./chat-loop.mjs";
import { createLights } from "./lights.mjs";
import * as responsesLoop from "./responses-loop.mjs";

const flags = process.argv.filter((word) => word.startsWith("--"));
const content = process.argv.slice(2).filter((word) => !word.startsWith("--")).join(" ") || "Make the kitchen bright.";

await Promise.all([init(), initTargets()]);
const { registry, levels } = createLights();
const toolset = createAgentToolset(registry, { consumer: { id: "house-agent", kind: "embedded" }, topology: "embedded" });
const terminal = createInterface({ input: process.stdin, output: process.stdout });
askAPerson();

const isChat = flags.includes("--chat");
const common = {
  client: new OpenAI(), // OPENAI_API_KEY, and OPENAI_BASE_URL for another server
  model: process.env.MODEL ?? "gpt-5.5",
  instructions: "You control the lights of a house by means of tools. Be brief.",
  projected: projectTools(toolset, { target: isChat ? "openai-chat" : "openai-responses" }),
  stream: !flags.includes("--whole"),
  onText: (text) => process.stdout.write(text),
};
const said = [{ role: "user", content }];
const ending = isChat ? await chatLoop.converse({ ...common, messages: said }) : await responsesLoop.converse({ ...common, input: said });
console.log(`\n\n${ending}; the lights: ${JSON.stringify(Object.fromEntries(levels))}`);
terminal.close();
toolset.dispose();
registry.dispose();

/** A call that needs a person waits until somebody at the terminal has decided. A terminal asks one question at a time. */
function askAPerson() {
  let isAsking = false;
  registry.confirmations.subscribe(async () => {
    if (isAsking) return;
    isAsking = true;
    for (let open; ([open] = registry.confirmations.pending()) && open; ) {
      const answer = await terminal.question(`\n${open.summary}? [y/N] `);
      registry.confirmations.resolve(open.confirmationId, { approved: /^y(es)?$/i.test(answer.trim()) });
    }
    isAsking = false;
  });
}
