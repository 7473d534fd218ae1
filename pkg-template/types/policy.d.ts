/** Policies: who may see, call, and must ask. */

import type { AgentConsumer } from "./consumer.js";
import type { AgentEffect, MaybePromise } from "./definition.js";
import type { JsonObject } from "./json.js";
import type { InvocationResult } from "./invocation.js";

/** What a policy is given. `Host` is the registry's `context`. */
export interface PolicyContext<Host = any> {
  readonly capabilityId: string;
  readonly plane: "view" | "domain";
  readonly kind: "observation" | "action" | "procedure";
  readonly effect: AgentEffect;
  readonly registrationId: string;
  readonly consumer: AgentConsumer;
  readonly host: Host;
  readonly meta: { readonly component?: JsonObject; readonly capability?: JsonObject };
  /** The component's `internal`. */
  readonly internal: any;
  /** The registry's clock, in milliseconds. */
  now(): number;
}

/** What `onInvoke` is given. */
export interface InvokePolicyContext<Host = any> extends PolicyContext<Host> {
  readonly invocationId: string;
  /** After bindings and defaults, validated, frozen: what would run. */
  readonly effectiveInput: any;
}

/** What a policy says about a capability in a catalog. `disable` lists it as unavailable, with the reason. */
export type DiscoveryDecision =
  | "expose"
  | "disable"
  | "hide"
  | { readonly outcome: "expose" | "disable" | "hide"; readonly reason?: string };

/**
 * A policy, for the registry, a component or a capability; chains run in that order, the registry's outermost.
 *
 * `onAuthorize` and `onInvoke` let a call pass by calling `next`, and refuse it by throwing an `AgentSurfaceError`. What
 * they return is ignored: no policy rewrites an input or a result. One that neither throws nor calls `next` is a defect,
 * and the call fails.
 *
 * @example
 * const officeHours = {
 *   name: "office-hours",
 *   onDiscovery: () => (isOpen() ? "expose" : { outcome: "disable", reason: "Closed until 9:00" }),
 *   onAuthorize(ctx, next) {
 *     if (!isOpen()) throw new AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "Try again after 9:00.", details: { origin: "client" } });
 *     return next();
 *   },
 * } satisfies AgentPolicy;
 */
export interface AgentPolicy<Host = any> {
  readonly name: string;
  /** Synchronous. The most restrictive decision of all policies wins; a throw hides; no answer exposes. */
  onDiscovery?(context: PolicyContext<Host>): DiscoveryDecision | undefined | void;
  /** Cannot see the input. */
  onAuthorize?(context: PolicyContext<Host>, next: () => Promise<InvocationResult>): MaybePromise<unknown>;
  onInvoke?(context: InvokePolicyContext<Host>, next: () => Promise<InvocationResult>): MaybePromise<unknown>;
}

/**
 * Only for somebody who is signed in: `context[key]` of the registry is truthy. Hides from others; a call answers
 * `NOT_AUTHENTICATED`.
 *
 * @example
 * createAgentSurfaceRegistry({ context: { user: session.user }, policies: [authenticated()] });
 */
export declare function authenticated(options?: {
  /** `user` when absent. */
  readonly key?: string;
}): AgentPolicy;

/**
 * Only where `check(permission, context)` says true. Hides otherwise; a call answers `NOT_AUTHORIZED`. What `check`
 * throws counts as no.
 *
 * @example
 * hasPermission("devices.write", (permission, { host }) => host.user.permissions.includes(permission));
 */
export declare function hasPermission<Host = any>(
  permission: string,
  check: (permission: string, context: PolicyContext<Host>) => boolean,
): AgentPolicy<Host>;

/**
 * A person must approve the call. Without effect on observations.
 *
 * @example
 * requireConfirmation({
 *   if: ({ effectiveInput }) => effectiveInput.ids.length > 10,
 *   summary: ({ effectiveInput }) => `Disable ${effectiveInput.ids.length} devices`,
 * });
 */
export declare function requireConfirmation<Host = any>(options?: {
  /** Narrows it; what it throws counts as true. */
  if?(context: InvokePolicyContext<Host>): boolean;
  /** A sentence for the person. Of several policies the first that has one. */
  readonly summary?: string | ((context: InvokePolicyContext<Host>) => string);
}): AgentPolicy<Host>;

/** The vote of a chain at discovery: the most restrictive decision, with its first reason. */
export declare function evaluateDiscovery<Host = any>(
  policies: readonly AgentPolicy<Host>[],
  context: PolicyContext<Host>,
): { outcome: "expose" | "disable" | "hide"; reason?: string };
