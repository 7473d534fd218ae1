// The kernel's module: loaded once, asked by `surface.js` and `surface-sessions.js`.

import { glue } from "#kernel-glue";
import { AgentSurfaceDefinitionError, AgentSurfaceRuntimeError } from "./errors.js";
import { createLoader } from "./load.js";

const loader = /* @__PURE__ */ createLoader(
  "initSurface",
  "agent_surface_kernel.wasm",
  "",
  "`agent-surface-wasm/surface` finds no module here",
);

let isReady = false;
let loading;
/** The message of whatever stopped the module. */
let trap;

const start = async (options, defaultSource) => {
  const module = await loader.compile(options ?? {}, defaultSource);
  try {
    glue.start(await WebAssembly.instantiate(module, glue.imports()), module);
  } catch (error) {
    throw loader.misfit(error, options);
  }
  isReady = true;
};

/** Builds an entry's `initSurface`. `defaultSource()` answers with a module, bytes or an address, or a promise. */
export const createInitSurface = (defaultSource) =>
  /** Idempotent; concurrent callers share one load; after a failure the next call tries again. */
  async function initSurface(options) {
    if (isReady) return;
    loading ??= start(options, defaultSource).finally(() => {
      loading = undefined;
    });
    await loading;
  };

/** Runs a call into the module. A text that it throws is a definition's fault; anything else has stopped it for good. */
export const ask = (call) => {
  if (trap !== undefined) throw new AgentSurfaceRuntimeError("POISONED", `The external surface stopped: ${trap} Reload the page.`);
  if (!isReady) {
    throw new AgentSurfaceRuntimeError("NOT_INITIALIZED", "`initSurface()` is not done: `await` it before the first use.");
  }
  try {
    return call(glue);
  } catch (error) {
    if (typeof error === "string") throw new AgentSurfaceDefinitionError("INVALID_DEFINITION", error);
    trap = String(error?.message ?? error);
    throw error;
  }
};
