/** Loading the WebAssembly module. */

/** Where the module comes from. At most one. */
export interface InitOptions {
  readonly module?: WebAssembly.Module;
  readonly bytes?: ArrayBuffer | ArrayBufferView;
  readonly url?: string | URL;
}

/**
 * Loads the module, once per page. May be called any number of times, at once too; after a failure, call it again.
 * Rejects with an `AgentSurfaceRuntimeError` that says what to do: `WASM_BLOCKED_BY_CSP`, `WASM_NOT_SERVED`.
 *
 * Also defines `<agent-approvals>` where there is a document.
 *
 * @example
 * import { init } from "agent-surface-wasm";
 * await init();
 */
export type Init = (options?: InitOptions) => Promise<void>;

/**
 * After `POISONED`: puts a fresh instance of the module in the place of the one that stopped, and registers anew what the
 * page still holds. Asynchronous, because what is left of the broken instance must be off the stack first. Answers `true`
 * when it did, `false` when there was nothing to do: the instance is whole, or another call was first. Rejects with
 * `POISONED` when the fresh instance broke, too.
 *
 * When the module stops, every call in flight settles `EXECUTION_FAILED` with `details.outcome: "unknown"`, its `signal` is
 * aborted, every `waitFor` answers `"expired"` and every policy's `next()` has its end; no event tells of these calls. Until
 * `recover()` whatever needs the module throws `POISONED`; `dispose()` works, and what is unregistered or disposed meanwhile
 * does not come back.
 *
 * Afterwards registries, handles, toolsets, adapters, listeners and approval elements work as before, `surfaceId` is the
 * same, and versions are above all earlier ones. Handles have new `registrationId`s, and calls that name an old one are
 * `STALE_CAPABILITY` with `reason: "surface-reloaded"`. Confirmations that were pending have expired. Forgotten are: evidence,
 * who unregistered before, and the results of earlier invocation ids. A call repeated by its id runs again.
 *
 * @example
 * try {
 *   registry.snapshot();
 * } catch (error) {
 *   if (error.code !== "POISONED") throw error;
 *   report(error);
 *   await recover();
 * }
 */
export declare const recover: () => Promise<boolean>;

// Empty where the environment's own declarations are there: this package needs no particular one.
declare global {
  namespace WebAssembly {
    interface Module {}
  }
  interface URL {}
  interface AbortSignal {}
}
