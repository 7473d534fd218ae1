/** Calls and their results. */

import type { AgentConsumer } from "./consumer.js";
import type { AgentErrorPayload } from "./errors.js";
import type { JsonValue } from "./json.js";

/** A call. */
export interface InvocationRequest {
  readonly capabilityId: string;
  /** Needed where several instances of a component offer the capability, unless `registrationId` says which. */
  readonly instanceId?: string;
  /** Of the catalog entry that is called. A registration that was replaced since then answers `STALE_CAPABILITY`. */
  readonly registrationId?: string;
  /** Of the snapshot that is acted on. A newer surface answers `STALE_CAPABILITY` for what is dangerous. */
  readonly surfaceVersion?: string;
  /**
   * Identifies the call, so that a transport may repeat it: the same id with the same content gives the same promise or
   * result, and nothing runs twice. At most 256 characters. Made up when absent; whoever repeats the call by such an id
   * sends the same content in the same order, if it is over 1,024 bytes. An id belongs to its consumer and is no secret:
   * one that was made up tells what the next one is, and nobody else's call can be reached by it.
   */
  readonly invocationId?: string;
  /** JSON, at most 262,144 bytes. `{}` when absent, where the schema's root is an object. */
  readonly input?: unknown;
  /** Of a `CONFIRMATION_REQUIRED`, once the person approved. */
  readonly confirmationId?: string;
}

/** How a call is made. */
export interface InvocationOptions {
  /** `{ kind: "embedded", id: "anonymous" }` when absent. */
  readonly consumer?: AgentConsumer;
  readonly signal?: AbortSignal;
  /** For execution, in milliseconds. */
  readonly timeoutMs?: number;
}

interface Settled {
  readonly invocationId: string;
  readonly capabilityId: string;
  /** The surface's version when the result was delivered. */
  readonly surfaceVersion: string;
  /** `true` where the surface changed since the call began. */
  readonly surfaceChanged?: boolean;
}

/** A call that ran. */
export interface InvocationSuccess<Output = JsonValue> extends Settled {
  readonly status: "ok";
  /** Absent where the handler returned nothing. */
  readonly output?: Output;
}

/** A call that was refused, or failed. */
export interface InvocationFailure extends Settled {
  readonly status: "error";
  readonly error: AgentErrorPayload;
}

/**
 * How a call ended. Frozen.
 *
 * @example
 * const result = await registry.invoke({ capabilityId: "view:devices.table.selectRows", input: { ids: ["dev-001"] } });
 * if (result.status === "ok") console.log(result.output);
 * else console.log(result.error.code, result.error.retry, result.error.message);
 */
export type InvocationResult<Output = JsonValue> = InvocationSuccess<Output> | InvocationFailure;
