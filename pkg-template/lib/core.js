// The root of the one shared bundle: the whole public API, and what the entries need to build their `init`. Every
// entry of the package imports this file, so that a page holds one copy of the facade whatever it imports.

import { defineAgentApprovals } from "./approvals.js";
import { createInit } from "./init.js";

export * from "./api.js";

/** An entry's `init`: where there is a document, `<agent-approvals>` is defined once the module is there. */
export const createEntryInit = (defaultSource) =>
  createInit(defaultSource, () => {
    if (typeof document !== "undefined" && typeof customElements !== "undefined") defineAgentApprovals();
  });
