/** Snapshots: what one consumer sees, as plain frozen JSON. */

import type { AgentConsumer } from "./consumer.js";
import type { ActionEffect, ConfirmationLevel, ProcedureEffect } from "./definition.js";
import type { JsonObject, JsonSchema } from "./json.js";

/** For whom and of what a snapshot is taken. */
export interface SnapshotContext {
  readonly consumer?: AgentConsumer;
  /** Prefixes of component types, whole words: `devices` covers `devices.table`, not `devicesx`. Empty means all. */
  readonly scope?: readonly string[];
  /**
   * Whether capabilities are listed for which this is not the moment. `true` when absent; `false` leaves them out, and
   * components that have no other.
   */
  readonly includeUnavailable?: boolean;
  /** How much is listed. Without it, or without one of its numbers: everything. */
  readonly budget?: SnapshotBudget;
}

/**
 * How many components a snapshot lists. What is past it is dropped from the end: the lowest priority first, among equals
 * the later; `truncated` says how many. Procedures are never dropped. Whole numbers from 0 up.
 */
export interface SnapshotBudget {
  readonly maxComponents?: number;
  /** UTF-8 bytes of `components` as compact JSON. */
  readonly maxBytes?: number;
}

interface Availability {
  readonly available: boolean;
  readonly unavailableReason?: string;
}

/** An observation in a snapshot. */
export interface ObservationDescriptor extends Availability {
  readonly capabilityId: string;
  readonly name: string;
  readonly description: string;
  readonly outputSchema: JsonSchema;
  readonly meta?: JsonObject;
}

/** An action in a snapshot. */
export interface ActionDescriptor extends Availability {
  readonly capabilityId: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly effect: ActionEffect;
  readonly idempotent: boolean;
  readonly reversible: boolean;
  readonly confirmation: ConfirmationLevel;
  readonly meta?: JsonObject;
}

/** A procedure reference in a snapshot. */
export interface ProcedureDescriptor extends Availability {
  readonly procedureId: string;
  readonly description: string;
  /** What the definition's `describe()` says. */
  readonly contextualNote?: string;
  /** Without the fields that the page locks. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly effect: ProcedureEffect;
  readonly confirmation: ConfirmationLevel;
  /** Which fields the page fills; never their values. */
  readonly boundFields: readonly { readonly path: string; readonly locked: boolean; readonly source: "ui-state" }[];
  readonly registrationId: string;
  readonly context?: { readonly type: string; readonly instanceId?: string };
  readonly meta?: JsonObject;
}

/** Any capability in a snapshot. */
export type AgentCapabilityDescriptorUnion = ObservationDescriptor | ActionDescriptor | ProcedureDescriptor;

/** A component in a snapshot. */
export interface ComponentDescriptor {
  readonly type: string;
  readonly instanceId: string;
  /** One mount lifetime; the staleness token of calls. */
  readonly registrationId: string;
  readonly description: string;
  readonly parent?: { readonly type: string; readonly instanceId?: string };
  readonly meta?: JsonObject;
  readonly observations: readonly ObservationDescriptor[];
  readonly actions: readonly ActionDescriptor[];
}

/** A catalog for one consumer. Frozen; the same object while nothing changes. */
export interface SurfaceSnapshot {
  readonly surfaceId: string;
  /** A decimal counter. */
  readonly surfaceVersion: string;
  /** ISO 8601: when this content was first captured. */
  readonly capturedAt: string;
  readonly route?: string;
  /** By priority (high first), type, instance id. */
  readonly components: readonly ComponentDescriptor[];
  readonly procedures: readonly ProcedureDescriptor[];
  /** How many components a budget dropped; absent when none. */
  readonly truncated?: { readonly droppedComponents: number };
}
