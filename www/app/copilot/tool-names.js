// Wire names as a person reads them.

import { decodeWireName } from "../package.js";
import { capabilityTitle } from "../names.js";

const LABEL = /^\[(?:view|domain) · ([a-z-]+)( · requires confirmation)?\]/;

/** (name, description) → `{ title, capabilityId, effect, confirmation }`; the toolset's map is the only sure way back to ids. */
export function toolDescriber(toolset) {
  return (name, description) => {
    const capabilityId = toolset.wireNameMap().get(name) ?? decodeWireName(name) ?? name;
    const [, label, confirmation] = LABEL.exec(description) ?? [];
    // A model may name a tool that there is not.
    if (label === undefined) return { title: name, capabilityId, effect: "unknown", confirmation: false };
    const effect = label === "observation" ? "read" : label;
    return { title: capabilityTitle(capabilityId, effect), capabilityId, effect, confirmation: confirmation !== undefined };
  };
}
