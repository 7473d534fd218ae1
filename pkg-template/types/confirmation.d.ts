/** Confirmations: what waits for a person's approval. */

import type { AgentEffect } from "./definition.js";
import type { JsonValue } from "./json.js";

/** One request for approval. It binds to exactly this input, capability, registration and consumer. */
export interface PendingConfirmation {
  readonly confirmationId: string;
  readonly capabilityId: string;
  readonly registrationId: string;
  /** `kind:id` of the consumer that asks. */
  readonly consumerKey: string;
  readonly effect: AgentEffect;
  /** What is to be approved, in a sentence. */
  readonly summary: string;
  /** The exact effective input, frozen. */
  readonly input: JsonValue;
  /** ISO 8601. */
  readonly requestedAt: string;
  /** ISO 8601. Approved or not, after this nothing runs. */
  readonly expiresAt: string;
}

/** How a request ended. */
export type ConfirmationOutcome = "approved" | "denied" | "expired";

/** The part of the confirmations that adapters see: they cannot resolve one. */
export interface ConfirmationsView {
  /** What waits, oldest first. */
  pending(): readonly PendingConfirmation[];
  /** The outcome, once there is one. For an unknown id, or once `signal` is aborted: `expired`. */
  waitFor(confirmationId: string, options?: { readonly signal?: AbortSignal }): Promise<ConfirmationOutcome>;
  /** Called whenever what is pending changes. Who subscribes counts as someone who could approve. */
  subscribe(listener: () => void): () => void;
}

/**
 * `registry.confirmations`, for a user interface of your own; `<agent-approvals>` is one that is ready.
 *
 * @example
 * registry.confirmations.subscribe(() => {
 *   for (const request of registry.confirmations.pending()) show(request);
 * });
 * approveButton.onclick = (event) => {
 *   if (event.isTrusted) registry.confirmations.resolve(request.confirmationId, { approved: true });
 * };
 */
export interface AgentConfirmations extends ConfirmationsView {
  /** Whether the request was still pending. `reason` goes to the agent as `details.note` when it was denied. */
  resolve(confirmationId: string, decision: { readonly approved: boolean; readonly reason?: string }): boolean;
}
