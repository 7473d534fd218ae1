// The module of the projections inside the script: for development servers, which move scripts without their assets.

import { bytes } from "./bytes.js";
import { createInitTargets } from "./targets.js";

export { projectTools } from "./targets.js";
export const initTargets = /* @__PURE__ */ createInitTargets(bytes);
