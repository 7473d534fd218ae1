// Brings the durable stores into a page that opens them: their code is a file of its own, and the rules that they lack
// come from here. Public through `interop-api.js`.

import { InteropError } from "./interop-errors.js";
import * as rules from "./interop-rules.js";

const load = async () => {
  try {
    return await import("#interop-stores");
  } catch (cause) {
    throw new InteropError("STORE_UNAVAILABLE", "expected the package's `interop-stores.js` beside the script of `/interop`", { cause });
  }
};

export const openIndexedDbInteropStores = async (options = {}) => (await load()).openStores(options, rules);
