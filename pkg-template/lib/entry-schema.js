// Browsers and bundlers: the engine's module is a file beside this one.

import { createInstall } from "./schema-engine.js";

export const installSchemaEngine = /* @__PURE__ */ createInstall(
  () => new URL("./agent_surface_schema.wasm", import.meta.url),
);
