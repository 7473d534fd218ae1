// Modules beside the main one: loaded once, entered through one door, and started afresh where one stopped. It knows
// nothing of what they do. Called by what is the page's side of each.

import { AgentSurfaceRuntimeError, because } from "./errors.js";
import { createLoader } from "./load.js";
import { attempt } from "./thenable.js";
import { isTrap } from "./trap.js";

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

/**
 * The one way into a module that keeps what a page gave it. `name` is the module's in a sentence; `refusal(text)` is the
 * error for a text that it throws.
 */
export const createDoor = (apart, name, refusal) => {
  /** What stopped it for good. */
  let trap;
  const stopped = () =>
    new AgentSurfaceRuntimeError(
      "POISONED",
      `${name} stopped: ${trap.message} Reload the page; please report this.`,
      { trap: trap.message },
      because(trap),
    );
  return {
    /**
     * Runs a call into the module. No code of the page's runs inside: what it gave is texts, numbers and bytes by then
     * (`given.js`), so that what is thrown is the module's. A text is a refusal; a trap leaves the module as it is for ever.
     */
    enter(call) {
      if (trap) throw stopped();
      const glue = apart.ready();
      try {
        return call(glue);
      } catch (error) {
        if (typeof error === "string") throw refusal(error);
        if (!attempt(() => isTrap(error))) throw error;
        trap = error;
        throw stopped();
      }
    },

    /** Frees what the module keeps; what a trap has left is not touched. */
    release(object) {
      if (!trap) object.free();
    },
  };
};
