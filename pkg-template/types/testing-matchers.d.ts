/**
 * The entry `agent-surface-wasm/testing/matchers`: matchers for Vitest and Jest.
 *
 * Importing this declares them for Vitest, for `@types/jest` and for `@jest/globals`. Another runner's `expect` can be extended
 * by `SurfaceMatchers`.
 *
 * @example
 * import { matchers } from "agent-surface-wasm/testing/matchers";
 * expect.extend(matchers);
 */

import type { AgentCapabilityErrorCode } from "./errors.js";

/** The matchers, as methods of what `expect(…)` gives. */
export interface SurfaceMatchers<R = void> {
  /**
   * The test surface, the registry (to a caller without a name) or the snapshot shows the capability, and it is
   * available. With `.not`: it is not shown at all; one that is listed as unavailable fails either way.
   */
  toExpose(capabilityId: string): R;
  /**
   * The capability is listed, and this is not the moment for it: for any reason, or for this one, which may be an
   * asymmetric matcher.
   */
  toExposeUnavailable(capabilityId: string, reason?: unknown): R;
  /** The call ran. */
  toBeOk(): R;
  /** The call was refused with this code, and with at least these details; a value in them may be an asymmetric matcher. */
  toFailWith(code: AgentCapabilityErrorCode, partialDetails?: object): R;
  /** As `toMatchSnapshot`, over what `serializeSurfaceSnapshot` makes of the surface. */
  toMatchSurfaceSnapshot(hint?: string): R;
}

interface MatcherResult {
  pass: boolean;
  message(): string;
}

/** For `expect.extend`. */
export declare const matchers: {
  [Name in keyof SurfaceMatchers]: (
    this: any,
    received: unknown,
    ...expected: Parameters<SurfaceMatchers[Name]>
  ) => MatcherResult;
};

// Vitest's `expect`, which has what Chai's has.
declare global {
  namespace Chai {
    interface Assertion extends SurfaceMatchers<void> {}
  }
}

// `@types/jest`.
declare global {
  namespace jest {
    interface Matchers<R, T = {}> extends SurfaceMatchers<R> {}
  }
}

// `@jest/globals`. Where that is not installed there is nothing to extend, and no need to.
// @ts-ignore
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends SurfaceMatchers<R> {}
}
