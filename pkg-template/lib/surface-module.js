// The kernel's module: loaded once, and entered through its door. Called by the other `surface*.js`.

import { glue } from "#kernel-glue";
import { createApart, createDoor } from "./apart.js";
import { AgentSurfaceDefinitionError } from "./errors.js";

const kernel = /* @__PURE__ */ createApart(glue, "initSurface", "surface", "agent_surface_kernel.wasm");

/** What is wrong with options, or with what a page defines. */
export const definitionFault = (text) => new AgentSurfaceDefinitionError("INVALID_DEFINITION", text);

const door = /* @__PURE__ */ createDoor(kernel, "The external surface", definitionFault);

export const createInitSurface = (defaultSource) => kernel.init(defaultSource);

/** Runs a call into the module. */
export const enter = (call) => door.enter(call);

/**
 * What `make` makes in the module, each of its methods by the door. Whoever calls one has numbers and texts ready: no code of
 * the page's runs inside.
 */
export const made = (make) => {
  const inner = enter(make);
  const outer = {};
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(inner))) {
    if (name !== "constructor") outer[name] = (...given) => enter(() => inner[name](...given));
  }
  return outer;
};
