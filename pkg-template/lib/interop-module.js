// The protocol's module: loaded once, and asked through `enter`. Called by the other `interop-*.js`.

import { glue } from "#interop-glue";
import { createApart } from "./apart.js";
import { AgentSurfaceRuntimeError } from "./errors.js";
import { fromModule } from "./interop-errors.js";

const interop = /* @__PURE__ */ createApart(glue, "initInterop", "interop", "agent_surface_interop.wasm");
/** The message of whatever stopped the module. */
let trap;

export const createInitInterop = (defaultSource) => interop.init(defaultSource);

/** Runs a call into the module. A text that it throws is the protocol's error; anything else has stopped it for good. */
export const enter = (call) => {
  if (trap !== undefined) throw new AgentSurfaceRuntimeError("POISONED", `The interop module stopped: ${trap} Reload the page.`);
  const ready = interop.ready();
  try {
    return call(ready);
  } catch (error) {
    if (typeof error === "string") throw fromModule(error);
    trap = String(error?.message ?? error);
    throw error;
  }
};

/** Frees what the module keeps for one request; what a trap has left is not touched. */
export const release = (object) => {
  if (trap === undefined) object.free();
};
