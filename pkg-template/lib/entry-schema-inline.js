// The engine's module inside the script: for development servers, which move scripts without their assets.

import { bytes } from "./bytes.js";
import { createInstall } from "./schema-engine.js";

export const installSchemaEngine = /* @__PURE__ */ createInstall(bytes);
