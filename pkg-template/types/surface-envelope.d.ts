/** The envelope of the external surface: what peers and pages say to each other, whatever carries it. */

import type { JsonSchema, JsonValue } from "./json.js";

/** The protocol and its version: `agent-surface/1`. */
export declare const SURFACE_PROTOCOL: "agent-surface/1";

/** What a peer sends. No other keys. */
export interface SurfaceRequest {
  readonly protocol: string;
  /**
   * 1 to 128 printable ASCII characters. The same request under the same id joins the first while it is in flight and gets
   * its stored answer later; another request under it is `REPLAYED_REQUEST`.
   */
  readonly id: string;
  readonly method: "describe" | "invoke";
  /** Of `invoke`: a published id. */
  readonly capability?: string;
  /** Of `describe`: `{ limit? }`, how many records at most. Of `invoke`: the capability's own. */
  readonly input?: unknown;
}

/** Why a request failed before its action. */
export type SurfaceErrorCode =
  | "PROTOCOL_MISMATCH"
  | "INVALID_REQUEST"
  | "CAPABILITY_NOT_EXPOSED"
  | "SESSION_EXPIRED"
  | "SESSION_REVOKED"
  | "SCOPE_DENIED"
  | "RATE_LIMITED"
  | "REPLAYED_REQUEST"
  | "REQUEST_TOO_LARGE";

/** The exchange failed; nothing ran for this request. */
export interface SurfaceFailure<Code extends string = SurfaceErrorCode> {
  readonly protocol: "agent-surface/1";
  /** `null` for a request without a usable id. */
  readonly id: string | null;
  readonly ok: false;
  readonly error: { readonly code: Code; readonly message: string };
}

/** The exchange succeeded. Whether the action did is in `result`: look at both. */
export interface SurfaceSuccess<Result> {
  readonly protocol: "agent-surface/1";
  readonly id: string;
  readonly ok: true;
  readonly result: Result | SurfaceActionError;
}

/** The action failed: the registry's own payload, or `PERMISSION_DENIED` where a person refused. */
export interface SurfaceActionError {
  readonly error: {
    /** `PERMISSION_DENIED` (`details.reason` is `denied`), or an `AgentCapabilityErrorCode`. */
    readonly code: string;
    readonly message: string;
    readonly retry: string;
    readonly details?: { readonly [key: string]: JsonValue };
  };
}

/** What an action gave; no `output` where it gives nothing. */
export interface SurfaceOutput {
  readonly output?: JsonValue;
  readonly error?: undefined;
}

/** One published capability. What nothing visible backs has only `id`, `available` and the reason `not-mounted`. */
export interface SurfaceCapability {
  readonly id: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly effect?: string;
  readonly confirmation?: "never" | "optional" | "required";
  readonly available: boolean;
  /** The page's own, `not-mounted`, or `ambiguous-instance`: several back an entry that names none. */
  readonly unavailableReason?: string;
}

/** What `describe` answers. */
export interface SurfaceDescription {
  readonly protocol: "agent-surface/1";
  readonly app: string;
  /** A decimal counter. */
  readonly surfaceVersion: string;
  /** In the order of `expose`, within the session's scope. */
  readonly capabilities: readonly SurfaceCapability[];
  readonly context: {
    /** At most `recordLimit`, the request's limit, and 32,768 bytes. */
    readonly records: readonly JsonValue[];
    readonly total: number;
    readonly truncated: boolean;
  };
  readonly error?: undefined;
}

/** A response, of either method. */
export type SurfaceResponse<Result = SurfaceDescription | SurfaceOutput, Code extends string = SurfaceErrorCode> =
  | SurfaceSuccess<Result>
  | SurfaceFailure<Code>;
