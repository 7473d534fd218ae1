// node main.mjs [--whole] "what should happen": one conversation over the Anthropic API, in the terminal.

import { createInterface } from "node:readline/promises";
import Anthropic from "@anthropic-ai/sdk";
import { createAgentToolset, init } from "agent-surface-wasm";
import { initTargets, projectTools } from "agent-surface-wasm/targets";
import { converse } from "./loop.mjs";
import { createShopping } from "./shopping.mjs";

const SYSTEM = "You keep a shopping list by means of tools. Be brief.";
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));

await Promise.all([init(), initTargets()]);
const { registry, items } = createShopping();
const toolset = createAgentToolset(registry, { consumer: { id: "shopping-agent", kind: "embedded" }, topology: "embedded" });

// Whoever sits at the terminal decides, one question after the other. Without an answer, nothing happens.
const terminal = createInterface({ input: process.stdin, output: process.stdout });
let isAsking = false;
registry.confirmations.subscribe(async () => {
  if (isAsking) return;
  isAsking = true;
  for (let open; ([open] = registry.confirmations.pending()) && open; ) {
    const answer = await terminal.question(`\n${open.summary}? [y/N] `);
    registry.confirmations.resolve(open.confirmationId, { approved: answer.trim().toLowerCase() === "y" });
  }
  isAsking = false;
});

const ending = await converse({
  client: new Anthropic(), // ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for another server
  model: process.env.MODEL ?? "claude-sonnet-5",
  system: SYSTEM,
  projected: projectTools(toolset, { target: "anthropic" }),
  messages: [{ role: "user", content: words.join(" ") || "Put milk and two loaves of bread on the list." }],
  stream: !process.argv.includes("--whole"),
  onText: (text) => process.stdout.write(text),
});
console.log(`\n\n${ending}; the list: ${JSON.stringify(Object.fromEntries(items))}`);
terminal.close();
toolset.dispose();
registry.dispose();
