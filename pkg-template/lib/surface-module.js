// The kernel's module: loaded once, asked by `surface.js` and `surface-sessions.js`.

import { glue } from "#kernel-glue";
import { createApart } from "./apart.js";
import { AgentSurfaceDefinitionError, AgentSurfaceRuntimeError } from "./errors.js";

const kernel = /* @__PURE__ */ createApart(glue, "initSurface", "surface", "agent_surface_kernel.wasm");
/** The message of whatever stopped the module. */
let trap;

export const createInitSurface = (defaultSource) => kernel.init(defaultSource);

/** Runs a call into the module. A text that it throws is a definition's fault; anything else has stopped it for good. */
export const ask = (call) => {
  if (trap !== undefined) throw new AgentSurfaceRuntimeError("POISONED", `The external surface stopped: ${trap} Reload the page.`);
  const ready = kernel.ready();
  try {
    return call(ready);
  } catch (error) {
    if (typeof error === "string") throw new AgentSurfaceDefinitionError("INVALID_DEFINITION", error);
    trap = String(error?.message ?? error);
    throw error;
  }
};
