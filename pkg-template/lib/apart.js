// Modules beside the main one: loaded once, and started afresh where one stopped. It knows nothing of what they do. Called
// by what is the page's side of each.

import { AgentSurfaceRuntimeError } from "./errors.js";
import { createLoader } from "./load.js";

/** `call` is what the user calls, `entry` where it comes from, `file` the module's name in the package. */
export const createApart = (glue, call, entry, file) => {
  const load = createLoader(glue, call, file, "", `\`agent-surface-wasm/${entry}\` finds no module here`);
  let module;
  let loading;
  return {
    /** Builds an entry's `call`. `defaultSource()` answers with a module, bytes or an address, or a promise. */
    init: (defaultSource) =>
      /** Idempotent; concurrent callers share one load; after a failure the next call tries again. */
      async (options) => {
        if (module) return;
        loading ??= load(options, defaultSource)
          .then((loaded) => {
            module = loaded;
          })
          .finally(() => {
            loading = undefined;
          });
        await loading;
      },

    /** The glue, once there is an instance under it. */
    ready() {
      if (module) return glue;
      throw new AgentSurfaceRuntimeError("NOT_INITIALIZED", `\`${call}()\` is not done: \`await\` it before the first use.`);
    },

    /** A fresh instance in place of one that stopped: what the old one held is gone. */
    restart() {
      glue.start(new WebAssembly.Instance(module, glue.imports()), module);
    },
  };
};
