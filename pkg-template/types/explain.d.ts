/** Why a consumer sees what it sees. The entry `agent-surface-wasm/explain`; nothing of it is in any other. */

import type { AgentConsumer } from "./consumer.js";
import type { AgentSurfaceRegistry } from "./registry.js";

/** One policy of a capability's chain. */
export interface PolicyExplanation {
  readonly name: string;
  /** Where it is attached. */
  readonly scope: "registry" | "component" | "capability";
  /** Which of `onDiscovery`, `onAuthorize` and `onInvoke` it has. */
  readonly phases: readonly ("discovery" | "authorize" | "invoke")[];
  /** What its `onDiscovery` says for this consumer. */
  readonly discovery?: { readonly outcome: "expose" | "disable" | "hide"; readonly reason?: string };
  /** Its `onDiscovery` threw, or what a built-in policy asks did, which hides. */
  readonly threw?: true;
  /** It may have a person asked: `requireConfirmation`, anywhere but on an observation. */
  readonly confirmationEscalation?: true;
}

/** One capability of one registration, hidden or not. */
export interface CapabilityExplanation {
  /** `view:…` or `domain:…`. */
  readonly capabilityId: string;
  readonly kind: "observation" | "action" | "procedure";
  readonly plane: "view" | "domain";
  readonly description: string;
  readonly registrationId: string;
  readonly component: { readonly type: string; readonly instanceId: string };
  /** What a snapshot makes of it: listed as available, listed as unavailable, not listed. */
  readonly outcome: "expose" | "disable" | "hide";
  /** Of `disable` the snapshot's `unavailableReason`, of `hide` the first that a hiding policy gives. */
  readonly reason?: string;
  /** The chain, outermost first. */
  readonly policies: readonly PolicyExplanation[];
  /** The snapshot's own; of what is hidden what a snapshot would say if nobody hid it. */
  readonly availability: { readonly available: boolean; readonly reason?: string };
}

/** The whole surface, as one consumer has it. Frozen. */
export interface SurfaceExplanation {
  readonly surfaceId: string;
  /** A decimal counter. */
  readonly surfaceVersion: string;
  /** ISO 8601: the snapshot's. */
  readonly capturedAt: string;
  readonly route?: string;
  readonly consumer: AgentConsumer;
  /** In the order of a snapshot's components, and of each as the author declared them. */
  readonly capabilities: readonly CapabilityExplanation[];
}

/**
 * What a consumer sees, what it does not, and which policy or state is why. For developers: it tells what policies hide,
 * so no adapter can get at it, and what it says belongs into no answer to an agent. Closures (`when`, reasons,
 * `onDiscovery`, `describe`) are asked twice. A component without capabilities has nothing to explain.
 *
 * @example
 * import { explainSurface } from "agent-surface-wasm/explain";
 *
 * const hidden = explainSurface(registry, { consumer: { id: "copilot", kind: "embedded" } })
 *   .capabilities.filter(({ outcome }) => outcome === "hide");
 */
export declare function explainSurface(
  registry: AgentSurfaceRegistry,
  context?: {
    /** `embedded:anonymous` when absent. */
    readonly consumer?: AgentConsumer;
    /** Prefixes of component types, as for a snapshot. */
    readonly scope?: readonly string[];
  },
): SurfaceExplanation;
