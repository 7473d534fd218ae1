// Browsers and bundlers: the module of the projections is a file beside this one.

import { createInitTargets } from "./targets.js";

export { projectTools } from "./targets.js";
export const initTargets = /* @__PURE__ */ createInitTargets(
  () => new URL("./agent_surface_targets.wasm", import.meta.url),
);
