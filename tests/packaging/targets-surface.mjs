// A surface for the tests of `/targets`: from the built package, with what each of them calls.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../e2e/harness/server.mjs";

const dist = join(process.env.AGENT_SURFACE_PACKAGE ?? join(ROOT, "target", "pkg"), "dist");
const load = (file) => import(pathToFileURL(join(dist, file)).href);

export const main = await load("inline.mjs");
export const { initTargets, projectTools } = await load("targets.mjs");

const { action, createAgentSurfaceRegistry, createAgentToolset, defineAgentComponent, fromJsonSchema, observation, procedure } = main;

const filter = fromJsonSchema({
  type: "object",
  properties: {
    status: { type: "string", enum: ["online", "offline"], description: "Which ones." },
    limit: { type: "integer", exclusiveMinimum: 0, default: 10 },
    near: { anyOf: [{ type: "object", properties: { lat: { type: "number" } }, required: ["lat"], additionalProperties: false }, { type: "null" }] },
    tags: { type: "array", items: { type: "string", minLength: 1 } },
  },
  required: ["status"],
  additionalProperties: false,
});

/**
 * A registry with a table, and its toolset. `calls` is what the handlers were given.
 *
 * @param {object} [options]  of the toolset; embedded when absent
 */
export async function surface(options = { topology: "embedded" }) {
  await Promise.all([main.init(), initTargets()]);
  const calls = [];
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  registry.setProcedureExecutor({
    execute({ path, input }) {
      calls.push([path, input]);
      return { done: true };
    },
  });
  let selected = false;
  const handle = registry.register(
    defineAgentComponent({
      type: "devices.table",
      description: "The table",
      observations: { rows: observation({ description: "What is shown", output: fromJsonSchema({ type: "object" }), read: () => ({ rows: 2 }) }) },
      actions: {
        filter: action({ description: "Show some", effect: "local-state", input: filter, execute: (input) => (calls.push(["filter", input]), { shown: 1 }) }),
        boom: action({
          description: "Fails",
          effect: "local-state",
          input: main.emptyObjectSchema,
          execute() {
            throw new Error("card 4242 declined at /srv/app.js:12");
          },
        }),
        clear: action({
          description: "Clear the selection",
          effect: "local-state",
          input: main.emptyObjectSchema,
          when: () => selected,
          unavailableReason: () => "Nothing is selected",
          execute: () => undefined,
        }),
      },
      procedures: [
        procedure({ id: "domain:devices.wipe", description: "Wipe a device", effect: "destructive", input: fromJsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"] }) }),
      ],
    }),
  );
  const toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, ...options });
  return { registry, toolset, calls, handle, select: (value) => (selected = value) };
}

export const FILTER = "view_devices__table__filter";
export const WIPE = "domain_devices__wipe";
