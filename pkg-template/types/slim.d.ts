/// <reference lib="esnext.disposable" />

/** The entry `agent-surface-wasm/slim`: brings no module, for libraries whose users decide how it is loaded. */

import type { InitOptions } from "./init.js";

export * from "./api.js";

/**
 * Loads the module that is given. Nothing to give where the app has called another entry's `init`.
 *
 * @example
 * import { init } from "agent-surface-wasm/slim";
 * await init({ url: "/assets/agent_surface.wasm" });
 */
export declare const init: (options?: InitOptions) => Promise<void>;
