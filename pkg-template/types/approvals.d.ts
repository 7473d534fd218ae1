/** `<agent-approvals>`: shows what waits for a person's approval, and takes the answer. */

import type { AgentSurfaceRegistry } from "./registry.js";
import type { PendingConfirmation } from "./confirmation.js";

/** The request that a text is about. */
export interface ApprovalRequest extends PendingConfirmation {
  readonly description: string;
  readonly title?: string;
  readonly consumer: { readonly id: string; readonly kind: string };
  readonly instanceId: string;
  /** Nobody waits for the answer any more. */
  readonly callerGone?: boolean;
  /** Its place in the queue, from 1. */
  readonly position: number;
  /** How many wait. */
  readonly total: number;
}

/** A text, or one made from the request shown and what is counted (items, characters or seconds). */
export type ApprovalText = string | ((request: ApprovalRequest, count: number) => string);

/** Every word that the element shows or says. */
export interface AgentApprovalsStrings {
  readonly eyebrow: ApprovalText;
  readonly queue: ApprovalText;
  readonly expires: ApprovalText;
  readonly heading: ApprovalText;
  readonly effect: ApprovalText;
  readonly warning: ApprovalText;
  readonly askedBy: ApprovalText;
  readonly consumerKind: ApprovalText;
  readonly action: ApprovalText;
  readonly instance: ApprovalText;
  readonly input: ApprovalText;
  readonly noInput: ApprovalText;
  readonly emptyList: ApprovalText;
  readonly emptyObject: ApprovalText;
  readonly items: ApprovalText;
  readonly fields: ApprovalText;
  readonly characters: ApprovalText;
  readonly more: ApprovalText;
  readonly invisible: ApprovalText;
  readonly callerGone: ApprovalText;
  readonly reason: ApprovalText;
  readonly deny: ApprovalText;
  readonly approve: ApprovalText;
  readonly hint: ApprovalText;
  readonly saidApproved: ApprovalText;
  readonly saidDenied: ApprovalText;
  readonly saidExpired: ApprovalText;
  readonly saidWithdrawn: ApprovalText;
  readonly saidRefused: ApprovalText;
  readonly saidNext: ApprovalText;
  readonly saidLeft: ApprovalText;
}

/**
 * The approval element. Bound to a registry by its property; `init()` defines it.
 *
 * Only a real gesture decides: a click or key that a script made is ignored, and recorded in the audit as
 * `gesture-refused`. Escape denies the request shown, with focus inside.
 *
 * Attributes: `modal` (keeps the page behind it inert), `theme` (`light` or `dark`; the system's when absent), `dir`.
 * Styles: the custom properties `--agent-approvals-…` (`background` `text` `muted` `border` `surface` `accent`
 * `accent-text` `danger` `danger-text` `warning` `mono` `font` `radius` `focus` `input-height`) and parts (`dialog`
 * `eyebrow` `queue` `timer` `heading` `badge` `warning` `summary` `description` `facts` `input` `reason` `actions`
 * `approve` `deny` `hint` `note`).
 *
 * Fires `agent-approval` after each decision.
 *
 * @example
 * // <agent-approvals modal></agent-approvals>
 * const approvals = document.querySelector("agent-approvals");
 * approvals.registry = registry;
 * approvals.strings = { approve: "Genehmigen", deny: "Ablehnen" };
 */
export interface AgentApprovalsElement extends HTMLElement {
  /** Which registry's requests are shown. */
  registry: AgentSurfaceRegistry | null | undefined;
  /** Replaces texts; what is left out keeps the default. */
  strings: Partial<AgentApprovalsStrings> | undefined;
}

/** The event after each decision. */
export type AgentApprovalEvent = CustomEvent<{ readonly confirmationId: string; readonly approved: boolean }>;

/**
 * Defines the element, once, under this name. `init()` calls it; outside a browser, and in what only imitates one (jsdom),
 * it does nothing. The element's code is a file of its own: the promise is fulfilled when the element is defined, and
 * rejects where the file does not come; the next call tries again.
 */
export declare function defineAgentApprovals(name?: string): Promise<void>;

declare global {
  // Empty where the declarations of the DOM are there: a server that imports this package needs none.
  interface HTMLElement {}
  interface CustomEvent<T = any> {}
  interface HTMLElementTagNameMap {
    "agent-approvals": AgentApprovalsElement;
  }
  interface HTMLElementEventMap {
    "agent-approval": AgentApprovalEvent;
  }
}
