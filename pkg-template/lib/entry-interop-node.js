// Node: the protocol's module is a file beside this one, and `fetch` reads no files.

import { readFile } from "node:fs/promises";
import { createInitInterop } from "./interop-module.js";

export * from "./interop-api.js";
export const initInterop = /* @__PURE__ */ createInitInterop(() =>
  readFile(new URL("./agent_surface_interop.wasm", import.meta.url)),
);
