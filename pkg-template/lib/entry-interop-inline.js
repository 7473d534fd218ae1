// The protocol's module inside the script: for development servers, which move scripts without their assets.

import { bytes } from "./bytes.js";
import { createInitInterop } from "./interop-module.js";

export * from "./interop-api.js";
export const initInterop = /* @__PURE__ */ createInitInterop(bytes);
