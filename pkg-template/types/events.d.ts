/** What a registry tells its listeners. */

import type { AgentCapabilityErrorCode } from "./errors.js";

/** One event. All but `surface-changed`, which comes once per microtask, arrive before the mutating call returns. */
export type AgentSurfaceEvent =
  | { readonly type: "surface-changed"; readonly surfaceVersion: string }
  | {
      readonly type: "component-registered" | "component-unregistered";
      readonly registrationId: string;
      readonly componentType: string;
      readonly instanceId: string;
    }
  | {
      readonly type: "component-rejected";
      readonly componentType: string;
      readonly instanceId: string;
      readonly reason: "duplicate" | "guard";
    }
  | {
      readonly type: "availability-changed";
      readonly registrationId: string;
      readonly capabilityId: string;
      readonly available: boolean;
    }
  | { readonly type: "collision-suspected"; readonly viewCapabilityId: string; readonly domainProcedureId: string }
  | {
      readonly type: "invocation-started";
      readonly invocationId: string;
      readonly capabilityId: string;
      readonly consumerId: string;
    }
  | {
      readonly type: "invocation-settled";
      readonly invocationId: string;
      readonly capabilityId: string;
      readonly status: "ok" | "error";
      readonly code?: AgentCapabilityErrorCode;
      readonly durationMs: number;
    }
  | {
      readonly type: "confirmation-requested";
      readonly confirmationId: string;
      readonly capabilityId: string;
      /** ISO 8601. */
      readonly expiresAt: string;
    }
  | {
      readonly type: "confirmation-resolved";
      readonly confirmationId: string;
      readonly outcome: "approved" | "denied" | "expired";
    };
