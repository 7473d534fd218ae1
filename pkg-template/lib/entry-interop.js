// Browsers and bundlers: the protocol's module is a file beside this one.

import { createInitInterop } from "./interop-module.js";

export * from "./interop-api.js";
export const initInterop = /* @__PURE__ */ createInitInterop(
  () => new URL("./agent_surface_interop.wasm", import.meta.url),
);
