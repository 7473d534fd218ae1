/** What goes wrong: refused calls (values, not exceptions), defects of a definition, misuse at run time. */

import type { JsonObject } from "./json.js";

/**
 * The codes of a refused call, in the order of the table of error codes.
 *
 * Adding one is no breaking change: keep a default branch where you switch over them.
 */
export declare const AGENT_CAPABILITY_ERROR_CODES: readonly [
  "CAPABILITY_NOT_FOUND",
  "CAPABILITY_NOT_AVAILABLE",
  "AMBIGUOUS_INSTANCE",
  "COMPONENT_UNMOUNTED",
  "STALE_CAPABILITY",
  "INVOCATION_CONFLICT",
  "INVALID_INPUT",
  "NOT_AUTHENTICATED",
  "NOT_AUTHORIZED",
  "PRECONDITION_FAILED",
  "CONFIRMATION_REQUIRED",
  "CONFIRMATION_INVALID",
  "RATE_LIMITED",
  "TIMEOUT",
  "CANCELLED",
  "EXECUTION_FAILED",
];

/** A code of a refused call. */
export type AgentCapabilityErrorCode = (typeof AGENT_CAPABILITY_ERROR_CODES)[number];

/**
 * What a caller may do about a refused call. Each new try needs a new invocation id.
 *
 * - `no`: nothing
 * - `yes`: the same call again
 * - `after-refresh`: take a new snapshot or list the tools again, then decide
 * - `with-changes`: change the input
 * - `with-confirmation`: wait for the person's approval, then repeat the call with the `confirmationId`
 * - `after-delay`: the same call after `details.retryAfterMs`
 */
export type AgentRetry = "no" | "yes" | "after-refresh" | "with-changes" | "with-confirmation" | "after-delay";

/** One defect of a value under a schema. */
export interface AgentSchemaIssue {
  /** Dotted: `ids`, `ids[0]`, `a.b`; the root is `""`. */
  readonly path: string;
  /** The same place as an RFC 6901 JSON Pointer. */
  readonly pointer: string;
  /** Safe to show a model. */
  readonly message: string;
}

/** The `details` of each code. */
export interface AgentErrorDetails {
  /** None: what is unknown, and what is hidden by a policy that only votes at discovery, look the same. */
  CAPABILITY_NOT_FOUND: undefined;
  /** `reason`: the descriptor's `unavailableReason`, or `approval-unavailable` where nobody could approve. */
  CAPABILITY_NOT_AVAILABLE: { readonly reason: string };
  AMBIGUOUS_INSTANCE: {
    readonly instances: readonly {
      readonly instanceId: string;
      readonly registrationId: string;
      readonly description?: string;
    }[];
  };
  COMPONENT_UNMOUNTED: { readonly phase: "resolve" | "mid-flight" };
  STALE_CAPABILITY: {
    readonly reason: "registration-replaced" | "surface-reloaded" | "surface-version-mismatch";
    readonly liveRegistrationId?: string;
  };
  INVOCATION_CONFLICT: { readonly reason: "id-reused-with-different-request" };
  INVALID_INPUT: { readonly issues: readonly AgentSchemaIssue[]; readonly lockedFields?: readonly string[] };
  NOT_AUTHENTICATED: undefined;
  NOT_AUTHORIZED: { readonly origin: "client" | "server" };
  /** The author's own, or `{ reason: "binding-failed" }`. */
  PRECONDITION_FAILED: JsonObject | undefined;
  CONFIRMATION_REQUIRED: {
    readonly confirmationId: string;
    readonly summary: string;
    /** ISO 8601. */
    readonly expiresAt: string;
    readonly effect: string;
    readonly origin: "client" | "server";
  };
  CONFIRMATION_INVALID: {
    readonly reason: "expired" | "denied" | "consumed" | "mismatch";
    /** What the person wrote when denying. */
    readonly note?: string;
  };
  RATE_LIMITED: { readonly reason: "rate" | "queue-full"; readonly retryAfterMs: number };
  TIMEOUT: { readonly timeoutMs: number; readonly idempotent: boolean };
  CANCELLED: undefined;
  EXECUTION_FAILED:
    | {
        readonly reason?: "handler-error" | "output-invalid" | "output-too-large" | "transport";
        readonly transient?: boolean;
        /** The module stopped during the call: whether it took effect nobody knows (`recover`). */
        readonly outcome?: "unknown";
      }
    | undefined;
}

type PayloadOf<Code extends AgentCapabilityErrorCode> = {
  readonly code: Code;
  /** At most 300 characters, imperative, safe for a model. */
  readonly message: string;
  readonly retry: AgentRetry;
} & (undefined extends AgentErrorDetails[Code]
  ? { readonly details?: NonNullable<AgentErrorDetails[Code]> }
  : { readonly details: AgentErrorDetails[Code] });

/**
 * Why a call was refused. `code` tells which `details` there are.
 *
 * @example
 * if (result.status === "error" && result.error.code === "INVALID_INPUT") {
 *   for (const { path, message } of result.error.details.issues) console.log(path, message);
 * }
 */
export type AgentErrorPayload = { [Code in AgentCapabilityErrorCode]: PayloadOf<Code> }[AgentCapabilityErrorCode];

/** What an author throws to choose the answer of a call. */
export interface AgentErrorInit {
  readonly code: AgentCapabilityErrorCode;
  /** Cut to 300 characters. Agents read it: no secrets, no stack, no internal address. */
  readonly message: string;
  /** The one of the code, and of its `idempotent` or `transient`, when absent. */
  readonly retry?: AgentRetry;
  /** JSON, at most 4,096 bytes; dropped with a warning in development when it is not. */
  readonly details?: object;
}

/**
 * Thrown by a handler, policy, precondition or executor to choose the answer of a call. Any other throw becomes
 * `EXECUTION_FAILED`, and its text stays in the audit.
 *
 * @example
 * throw new AgentSurfaceError(
 *   { code: "PRECONDITION_FAILED", message: "Select at least one device first.", details: { selected: 0 } },
 *   { cause },
 * );
 */
export declare class AgentSurfaceError extends Error {
  constructor(payload: AgentErrorInit, options?: { cause?: unknown });
  readonly name: "AgentSurfaceError";
  readonly payload: AgentErrorInit;
  readonly code: AgentCapabilityErrorCode;
  readonly retry: AgentRetry | undefined;
  readonly details: object | undefined;
}

/** True for an `AgentSurfaceError`, also of another copy of the package. Never throws. */
export declare function isAgentSurfaceError(value: unknown): value is AgentSurfaceError;

/**
 * Why a definition is refused.
 *
 * - `INVALID_ID`: a type, name, instance id or path outside the grammar
 * - `INVALID_DEFINITION`: an unknown field, a missing description, metadata that is no JSON
 * - `UNSUPPORTED_SCHEMA`: a schema outside the subset, too deep or too large; `details` name keyword and place
 * - `PLANE_VIOLATION`: a view action with a server effect, or a procedure while no executor is set
 * - `DUPLICATE_CAPABILITY`: one name twice
 * - `LIMIT_EXCEEDED`: a description or metadata too long
 */
export type AgentDefinitionErrorCode =
  | "INVALID_ID"
  | "INVALID_DEFINITION"
  | "UNSUPPORTED_SCHEMA"
  | "PLANE_VIOLATION"
  | "DUPLICATE_CAPABILITY"
  | "LIMIT_EXCEEDED";

/** A defect of a definition. Its message is `[CODE] text`. */
export declare class AgentSurfaceDefinitionError extends Error {
  constructor(
    code: AgentDefinitionErrorCode,
    text: string,
    details?: { readonly pointer?: string; readonly keyword?: string },
    options?: { cause?: unknown },
  );
  readonly name: "AgentSurfaceDefinitionError";
  readonly code: AgentDefinitionErrorCode;
  readonly details: { readonly pointer?: string; readonly keyword?: string } | undefined;
}

/** A value does not fit its schema: what `parse` throws. Its message joins the issues with `"; "`. */
export declare class AgentSchemaError extends Error {
  constructor(issues: readonly AgentSchemaIssue[], options?: { cause?: unknown });
  readonly name: "AgentSchemaError";
  /** All of them, up to 32. */
  readonly issues: readonly AgentSchemaIssue[];
}

/**
 * How the library is misused.
 *
 * - `NOT_INITIALIZED`: call `await init()` first
 * - `DISPOSED`: the registry is gone
 * - `WASM_BLOCKED_BY_CSP`: add `'wasm-unsafe-eval'` to the `script-src` of the Content Security Policy
 * - `WASM_NOT_SERVED`: the module's address answers with something else; `details` say what
 * - `POISONED`: the module stopped after an internal error; call `recover()`, or reload the page
 */
export type AgentRuntimeErrorCode =
  | "NOT_INITIALIZED"
  | "DISPOSED"
  | "WASM_BLOCKED_BY_CSP"
  | "WASM_NOT_SERVED"
  | "POISONED";

/** The library is used before, after or where it cannot be. */
export declare class AgentSurfaceRuntimeError extends Error {
  constructor(code: AgentRuntimeErrorCode, message: string, details?: object, options?: { cause?: unknown });
  readonly name: "AgentSurfaceRuntimeError";
  readonly code: AgentRuntimeErrorCode;
  /** For `WASM_NOT_SERVED`, as far as known: what was asked, and the answer. For `POISONED`: what the module stopped with. */
  readonly details:
    | { readonly url?: string; readonly status?: number; readonly contentType?: string; readonly trap?: string }
    | undefined;
}
