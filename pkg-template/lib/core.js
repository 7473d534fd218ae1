// The root of the one shared bundle: the whole public API, and what the entries need to build their `init`. Every
// entry of the package imports this file, so that a page holds one copy of the facade whatever it imports.

import { defineAgentApprovals, setApprovalsSource } from "./approvals-load.js";
import { createInit } from "./init.js";

export * from "./api.js";

/** In a page the calls that come are answered without the element: that it is missing must not keep the page from them. */
const withApprovals = () =>
  defineAgentApprovals().catch((error) => console.error("[agent-surface] <agent-approvals> could not be loaded:", error));

/**
 * An entry's `init`. `loadApprovals()` answers with the module that defines `<agent-approvals>`, or a promise of it; it
 * is asked where there is a document, at the same time as the module, and the element is there when `init()` is done.
 */
const createEntryInit = (defaultSource, loadApprovals) => {
  setApprovalsSource(loadApprovals);
  return createInit(defaultSource, withApprovals);
};

// Under the name that each entry exports itself, so that `export *` of an entry gives the public names and no other.
export { createEntryInit as init };
