// Brings `<agent-approvals>` into a page. Its code is a file of its own, which a server or a worker never loads and a
// page loads beside the module. Called by `init()`, and by pages that want the element under another name.

/** `() => module`, or a promise of it: how the entry in use gets at `approvals.js`. */
let load;

/** Remembers an entry's way; any entry's will do. */
export const setApprovalsSource = (source) => {
  load = source ?? load;
};

/**
 * Defines the element once; for a name that is taken, and where nobody sees a page, it does nothing: outside a browser, or
 * in a test's imitation of one. Rejects where the file does not come; the next call tries again.
 */
export const defineAgentApprovals = async (name = "agent-approvals") => {
  const { CSSStyleSheet, IntersectionObserver } = globalThis;
  if (!IntersectionObserver || !CSSStyleSheet?.prototype.replaceSync || customElements.get(name)) return;
  (await load?.())?.defineAgentApprovals(name);
};
