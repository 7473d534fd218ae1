/// <reference lib="esnext.disposable" />

/**
 * Declare what an agent may see and do in a web page.
 *
 * @example
 * import { createAgentSurfaceRegistry, defineAgentComponent, init } from "agent-surface-wasm";
 *
 * await init();
 * const registry = createAgentSurfaceRegistry();
 * const handle = registry.register(defineAgentComponent({ type: "devices.table", description: "…", actions: { … } }));
 */

import type { Init } from "./init.js";

export * from "./api.js";

/** Finds the module beside this package's script. */
export declare const init: Init;
