// A shopping list, and what an agent may see and do of it.

import { action, createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, emptyObjectSchema, observation } from "agent-surface-wasm";

const name = { type: "string", minLength: 1, maxLength: 40 };

export function createShopping() {
  const items = new Map();
  const registry = createAgentSurfaceRegistry();
  registry.register(
    defineAgentComponent({
      type: "shopping.list",
      description: "The shopping list",
      observations: {
        items: observation({
          description: "What is on the list",
          output: fromJsonSchema({ type: "array", items: { type: "object" } }),
          read: () => [...items].map(([item, count]) => ({ name: item, count })),
        }),
      },
      actions: {
        add: action({
          description: "Puts something on the list, or more of it",
          input: fromJsonSchema({
            type: "object",
            properties: { name, count: { type: "integer", minimum: 1, default: 1 } },
            required: ["name"],
            additionalProperties: false,
          }),
          effect: "local-state",
          execute: ({ name: item, count }) => {
            items.set(item, (items.get(item) ?? 0) + count);
            return { count: items.get(item) };
          },
        }),
        clear: action({
          description: "Forgets the whole list",
          input: emptyObjectSchema,
          effect: "local-state",
          confirmation: "required",
          when: () => items.size > 0,
          unavailableReason: "The list is empty",
          execute: () => items.clear(),
        }),
      },
    }),
  );
  return { registry, items };
}
