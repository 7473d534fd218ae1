// Browsers and bundlers: the module is a file beside this one. The form `new URL("…", import.meta.url)` is what
// bundlers look for when they copy an asset.

import { init as createEntryInit } from "#core";

export * from "#api";
export const init = /* @__PURE__ */ createEntryInit(
  () => new URL("./agent_surface.wasm", import.meta.url),
  () => import("#approvals"),
);
