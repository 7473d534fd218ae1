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

// Empty where the environment's own declarations are there: this package needs no particular one.
declare global {
  namespace WebAssembly {
    interface Module {}
  }
  interface URL {}
  interface AbortSignal {}
}
