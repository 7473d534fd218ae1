// Brings `<agent-approvals>` into a page. Its code is a file of its own, which a server or a worker never loads and a
// page loads beside the module. Called by `init()`, and by pages that want the element under another name.

/** `() => module`, or a promise of it: how the entry in use gets at `approvals.js`. */
let load;

/** Remembers an entry's way; any entry's will do. */
export const setApprovalsSource = (source) => {
  load = source ?? load;
};

/**
 * Defines the element once; outside a browser, and for a name that is taken, it does nothing. Rejects where the file
 * does not come; the next call tries again.
 */
export const defineAgentApprovals = async (name = "agent-approvals") => {
  if (typeof document === "undefined" || typeof customElements === "undefined" || customElements.get(name)) return;
  (await load?.())?.defineAgentApprovals(name);
};
