// Node: the module of the projections is a file beside this one, and `fetch` reads no files.

import { readFile } from "node:fs/promises";
import { createInitTargets } from "./targets.js";

export { projectTools } from "./targets.js";
export const initTargets = /* @__PURE__ */ createInitTargets(() =>
  readFile(new URL("./agent_surface_targets.wasm", import.meta.url)),
);
