// Vercel's edge runtime: as in `entry-workerd.js`, but the compiled module is asked for by a suffix.

import { init as createEntryInit } from "#core";
import module from "./agent_surface.wasm?module";

export * from "#api";
export const init = /* @__PURE__ */ createEntryInit(() => module);
