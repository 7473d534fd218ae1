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
  readonly code?: string;
  readonly reason?: string;
  /** What a person wrote, or how a gesture was refused. */
  readonly note?: string;
  readonly durationMs?: number;
  readonly queueWaitMs?: number;
  readonly executionMs?: number;
  /** For capabilities with `audit: "full"`: input and output, bounded in size. */
  readonly payload?: { readonly input?: JsonValue; readonly output?: JsonValue };
  /** What a handler threw, when it was no `AgentSurfaceError`; it goes nowhere else. */
  readonly cause?: unknown;
  readonly [field: string]: unknown;
}

/** Takes records. Must not throw and must not block. */
export interface AgentAuditSink {
  record(event: AgentAuditEvent): void;
}

/** Keeps the last events in memory. */
export declare function memoryAuditSink(options?: {
  /** 1,000 when absent. */
  readonly capacity?: number;
}): AgentAuditSink & {
  /** A copy of what is kept, oldest first. */
  events(): AgentAuditEvent[];
  clear(): void;
};

/** Prints each event: `console.debug` in a page, `console.error` where there is no document. */
export declare function consoleAuditSink(): AgentAuditSink;
