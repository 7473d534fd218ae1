/** Audit: what happened, for whoever must be able to tell later. */

import type { JsonValue } from "./json.js";

/** What is recorded. */
export type AgentAuditEventType =
  | "registration"
  | "unregistration"
  | "registration-rejected"
  | "invocation-started"
  | "invocation-settled"
  | "confirmation-requested"
  | "confirmation-approved"
  | "confirmation-denied"
  | "confirmation-expired"
  | "confirmation-consumed"
  | "late-settlement"
  | "collision-suspected"
  | "gesture-refused"
  | "surface-request-refused";

/** One record. Which fields there are depends on `type`. */
export interface AgentAuditEvent {
  readonly type: AgentAuditEventType;
  /** ISO 8601, by the registry's clock. */
  readonly at: string;
  readonly surfaceId: string;
  readonly invocationId?: string;
  readonly capabilityId?: string;
  readonly registrationId?: string;
  readonly confirmationId?: string;
  readonly componentType?: string;
  readonly instanceId?: string;
  /** `kind:id`. */
  readonly consumerId?: string;
  readonly status?: "ok" | "error";
  /** Of an error; of a `late-settlement` about a policy, what it did: `next-called-twice`, `threw-after-start`. */
  readonly code?: string;
  readonly reason?: string;
  /** What a person wrote, or how a gesture was refused. */
  readonly note?: string;
  /** From the call to its end; the two parts of it that the next lines tell are 0 where there was none. */
  readonly durationMs?: number;
  /** From admission to the start of the handler, or to the end of a call that did not start. */
  readonly queueWaitMs?: number;
  /** From the start of the handler. */
  readonly executionMs?: number;
  /**
   * Of a settled call at the level `full`: the effective input, once there is one, and the output. One of more than 8,192
   * bytes as JSON is `{ omittedBytes }` instead, its size. What the sink's `redact` makes of it, where it has one.
   */
  readonly payload?: { readonly input?: JsonValue; readonly output?: JsonValue };
  /** What a handler threw, when it was no `AgentSurfaceError`; it goes nowhere else. */
  readonly cause?: unknown;
  readonly [field: string]: unknown;
}

/**
 * Takes records. Must not throw and must not block: what one throws, or rejects with, goes to the console and harms neither
 * the call nor another sink. A settlement is recorded before its `invocation-settled` event.
 *
 * @example
 * const sink = {
 *   record: (event) => journal.append(event),
 *   redact: ({ input, output }) => ({ input: { ...input, password: undefined }, output }),
 * };
 */
export interface AgentAuditSink {
  record(event: AgentAuditEvent): void;
  /**
   * Takes out of a payload what must not be kept, before `record` sees it. Gives back the payload to keep, or nothing. A
   * record goes without its payload where this throws, or gives what is no JSON or past 16,384 bytes.
   */
  redact?(payload: NonNullable<AgentAuditEvent["payload"]>, event: AgentAuditEvent): unknown;
}

/** Keeps the last events in memory. */
export declare function memoryAuditSink(options?: {
  /** A whole number from 1; 1,000 when absent. */
  readonly capacity?: number;
}): AgentAuditSink & {
  /** A copy of what is kept, oldest first. */
  events(): AgentAuditEvent[];
  clear(): void;
};

/** Prints each event: `console.debug` in a page, `console.error` where there is no document. */
export declare function consoleAuditSink(): AgentAuditSink;
