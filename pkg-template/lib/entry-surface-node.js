// Node: the kernel's module is a file beside this one, and `fetch` reads no files.

import { readFile } from "node:fs/promises";
import { createInitSurface } from "./surface.js";

export * from "./surface-api.js";
export const initSurface = /* @__PURE__ */ createInitSurface(() =>
  readFile(new URL("./agent_surface_kernel.wasm", import.meta.url)),
);
