// Node: the engine's module is a file beside this one, and `fetch` reads no files.

import { readFile } from "node:fs/promises";
import { createInstall } from "./schema-engine.js";

export const installSchemaEngine = /* @__PURE__ */ createInstall(() =>
  readFile(new URL("./agent_surface_schema.wasm", import.meta.url)),
);
