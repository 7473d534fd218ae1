// The lights of a house, and what an agent may see and do of them. The server behind them is a function here.

import { createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, observation, procedure } from "agent-surface-wasm";

const ROOMS = ["kitchen", "hall", "attic"];
const room = { type: "string", enum: ROOMS };

export function createLights() {
  const levels = new Map(ROOMS.map((name) => [name, 0]));
  const registry = createAgentSurfaceRegistry();
  registry.setProcedureExecutor({
    execute({ path, input }) {
      if (path === "lights.dim") levels.set(input.room, input.level);
      if (path === "lights.cut") for (const name of ROOMS) levels.set(name, 0);
      return Object.fromEntries(levels);
    },
  });
  registry.register(
    defineAgentComponent({
      type: "house.lights",
      description: "The lights of the house",
      observations: {
        levels: observation({
          description: "How bright each room is, in percent",
          output: fromJsonSchema({ type: "object" }),
          read: () => Object.fromEntries(levels),
        }),
      },
      procedures: [
        procedure({
          id: "domain:lights.dim",
          description: "Sets the light of one room",
          input: fromJsonSchema({
            type: "object",
            properties: { room, level: { type: "integer", minimum: 0, maximum: 100 } },
            required: ["room", "level"],
            additionalProperties: false,
          }),
          effect: "server-mutation",
          confirmation: "never",
        }),
        procedure({
          id: "domain:lights.cut",
          description: "Cuts the power of all lights",
          input: fromJsonSchema({ type: "object", additionalProperties: false }),
          effect: "destructive", // so a person approves each call
        }),
      ],
    }),
  );
  return { registry, levels };
}
