// The state that one realm (page, worker, Node process) has once, whatever the number of entries and module formats
// that load this package: the instance, the state of `init`, the message of a trap. It decides nothing about the
// surface. `init.js` fills it; every facade module reads it through `requireWasm()`.

import { AgentSurfaceRuntimeError } from "./errors.js";
import { isTrap } from "./trap.js";

const KEY = Symbol.for("agent-surface-wasm/1");

/* global __VERSION__ -- set by the bundler; the files of this folder also run unbundled, in unit tests. */
export const VERSION = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0-unbundled";

const fresh = () => ({ version: VERSION, state: "new", hosts: new Set() });

/**
 * The realm's record, or a private one where another version of the package came first: the glue of one build cannot
 * drive the instance of another. The error classes in the shared record stay common to both.
 */
const pick = () => {
  const shared = (globalThis[KEY] ??= {});
  if (shared.version === undefined) return Object.assign(shared, fresh());
  if (shared.version === VERSION) return shared;
  if (!shared.warned) {
    shared.warned = true;
    globalThis.console?.warn(
      `agent-surface-wasm ${VERSION} is loaded beside ${shared.version}: neither knows the other's registries. ` +
        "Agree on one version.",
    );
  }
  return fresh();
};

/** `{ version, state: "new" | "loading" | "ready" | "poisoned", hosts }`, and in their time `wasm`, `module`, `loading` and `trap`. */
export const realm = /* @__PURE__ */ pick();

/** After this, `requireWasm()` answers with `wasm`, the namespace of the glue. */
export const setInstance = (wasm, module) => {
  realm.wasm = wasm;
  realm.module = module;
  realm.state = "ready";
};

/** A trap leaves the instance's memory in an unknown state: nothing is called in it again. The first message stands. */
export const poison = (message) => {
  if (realm.state === "poisoned") return;
  realm.state = "poisoned";
  realm.trap = message;
  for (const { stop } of realm.hosts) stop();
};

export const poisonedError = () =>
  new AgentSurfaceRuntimeError(
    "POISONED",
    `The WebAssembly instance stopped, after an internal error: ${realm.trap} ` +
      "Call `recover()` or reload the page; please report this.",
    { trap: realm.trap },
  );

/** The namespace of the glue. Throws `NOT_INITIALIZED` before `init()` is done and `POISONED` after a trap. */
export const requireWasm = () => {
  if (realm.state === "ready") return realm.wasm;
  if (realm.state === "poisoned") throw poisonedError();
  throw new AgentSurfaceRuntimeError(
    "NOT_INITIALIZED",
    realm.state === "loading"
      ? "`init()` was called but is not done: `await` it before the first use."
      : "Call `await init()` once before the first use.",
  );
};

/** What left the module: texts are thrown on purpose, and page code's errors pass; anything else has broken the instance. */
export const trapped = (error) => {
  if (typeof error === "string" || !isTrap(error)) return error;
  poison(String(error.message));
  return poisonedError();
};

/** Runs a call into the module that belongs to no registry. */
export const askModule = (call) => {
  const wasm = requireWasm();
  try {
    return call(wasm);
  } catch (error) {
    throw trapped(error);
  }
};

/** After a trap: a fresh instance of the same module, with what the page still holds. */
export const recover = async () => {
  if (realm.state !== "poisoned") return false;
  const { wasm, module } = realm;
  // Nothing of the broken instance is on the stack any more when this is done.
  const instance = await WebAssembly.instantiate(module, wasm.imports());
  if (realm.state !== "poisoned") return false;
  wasm.start(instance, module);
  realm.state = "ready";
  try {
    for (const { revive } of [...realm.hosts]) revive();
  } catch (error) {
    poison(String(error?.message));
    throw poisonedError();
  }
  return true;
};
