// Browsers and bundlers: the kernel's module is a file beside this one.

import { createInitSurface } from "./surface.js";

export * from "./surface-api.js";
export const initSurface = /* @__PURE__ */ createInitSurface(
  () => new URL("./agent_surface_kernel.wasm", import.meta.url),
);
