/// <reference lib="esnext.disposable" />

/** The entry `agent-surface-wasm/inline`. */

import type { Init } from "./init.js";

export * from "./api.js";

/** The module is inside this script: no second request, no address to get right, a third more to load. */
export declare const init: Init;
