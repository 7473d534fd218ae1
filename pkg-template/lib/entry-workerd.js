// Cloudflare's runtime: fetch cannot reach the worker's own files and compiling bytes is forbidden there; an import of
// a `.wasm` file gives a compiled module.

import { init as createEntryInit } from "#core";
import module from "./agent_surface.wasm";

export * from "#api";
export const init = /* @__PURE__ */ createEntryInit(() => module);
