// Brings the WebAssembly module into the page: finds it, checks it, compiles it, once. It holds no rule of the surface.
// Called by the entries, which differ only in the default source.

import { glue } from "#glue";
import { createLoader } from "./load.js";
import { poisonedError, realm, setInstance } from "./realm.js";

const load = /* @__PURE__ */ createLoader(
  glue,
  "init",
  "agent_surface.wasm",
  ", or import `agent-surface-wasm/inline`, which carries it inside",
  "`agent-surface-wasm/slim` brings no module, as `agent-surface-wasm` does",
);

const start = async (options, defaultSource) => setInstance(glue, await load(options, defaultSource));

/**
 * Builds an entry's `init`. `defaultSource()` answers with a module, bytes or an address (or a promise of one);
 * without it the caller must pass one. `beside()` runs at each call, and is waited for: it must be idempotent, and its
 * promise never reject.
 */
export const createInit =
  (defaultSource, beside) =>
  /** Idempotent; concurrent callers share one load; after a failure the next call tries again. */
  async function init(options) {
    if (realm.state === "poisoned") throw poisonedError();
    const other = beside?.();
    if (realm.state !== "ready") {
      realm.state = "loading";
      realm.loading ??= start(options, defaultSource)
        .catch((error) => {
          if (realm.state === "loading") realm.state = "new";
          throw error;
        })
        .finally(() => {
          realm.loading = null;
        });
      await realm.loading;
    }
    await other;
  };
