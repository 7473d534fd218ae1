// Capabilities as a person reads them.

import { words } from "./format.js";

// Where the pieces of an id do not make a phrase.
const PHRASES = { "domain:devices.rename": "Rename device" };

/** `view:devices.table.selectRows` → `Select rows`; `domain:devices.disable` → `Disable devices`; a reading `rows` → `Read rows`. */
export function capabilityTitle(id, effect) {
  if (Object.hasOwn(PHRASES, id)) return PHRASES[id];
  const parts = id.replace(/^\w+:/, "").split(".");
  const name = parts.at(-1);
  const owner = parts.at(-2) ?? "";
  if (id.startsWith("domain:")) return `${words(name)} ${owner}`;
  if (effect !== "read") return words(name);
  return `Read ${(name === "read" ? owner : words(name)).toLowerCase()}`;
}
