// The kernel's module inside the script: for development servers, which move scripts without their assets.

import { bytes } from "./bytes.js";
import { createInitSurface } from "./surface.js";

export * from "./surface-api.js";
export const initSurface = /* @__PURE__ */ createInitSurface(bytes);
