/** Policies: who may see, call, and must ask. */

import type { AgentAuditSink } from "./audit.js";
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
 * Only within one tenant: `current`, of the user, is the same as `expected`, of what is shown (compared with `===`). Each
 * is a value or a function of the context; what it throws, null and undefined are no tenant. Hides otherwise; a call
 * answers `NOT_AUTHORIZED`. Throws `AgentSurfaceDefinitionError` when one of the two is missing.
 *
 * @example
 * tenantBoundary({ current: ({ host }) => host.user.tenantId, expected: ({ internal }) => internal.tenantId });
 */
export declare function tenantBoundary<Host = any>(options: {
  readonly current: TenantOf<Host>;
  readonly expected: TenantOf<Host>;
}): AgentPolicy<Host>;

/** A tenant's id, or how to find it. */
export type TenantOf<Host = any> = string | number | bigint | ((context: PolicyContext<Host>) => unknown);

/**
 * Only where the registry's `environment` is one of these. Hides elsewhere, and a call answers `CAPABILITY_NOT_FOUND`, as
 * if there were no such capability. Throws `AgentSurfaceDefinitionError` when the list is empty or names another one.
 *
 * @example
 * environment(["development", "test"]);
 */
export declare function environment(among: readonly ("production" | "development" | "test")[]): AgentPolicy;

/**
 * At most `limit` calls at once, and as many in every `windowMs` after, for each consumer and capability of a registry: a
 * token bucket that refills continuously, on the registry's clock. A call too many answers `RATE_LIMITED` with
 * `{ reason: "rate", retryAfterMs }`, the whole milliseconds until one call is free. The policy may be shared by
 * registries, which it keeps apart. It has no vote in the catalog. It counts what is asked for, before the input is looked
 * at: a call that is refused later has counted. A call that waits for a person counts once; one that its caller repeats
 * with the approval (two-phase) is another call: there, `limit` must be 2 at least, or no approved call ever runs. Throws `AgentSurfaceDefinitionError` when a number is out of range.
 *
 * @example
 * rateLimit({ limit: 10, windowMs: 60_000 });
 */
export declare function rateLimit(options: {
  /** A whole number from 1. */
  readonly limit: number;
  /** Milliseconds, above 0. */
  readonly windowMs: number;
}): AgentPolicy;

/**
 * Has the audit record each call that comes as far as the `onInvoke` chain, at this level at least: also one of a
 * capability with `audit: "none"`, such as an observation. `sink` gets the records of these calls, too, beside the
 * registry's own. Put it first: what a policy before it refuses does not reach it.
 *
 * @example
 * observation({ description: "The salary", output: salary, read, policies: [audit(complianceSink, "full")] });
 */
export declare function audit(
  /** Absent: the registry's. */
  sink?: AgentAuditSink,
  /** `metadata` when absent; `full` has the payload, too. */
  level?: "metadata" | "full",
): AgentPolicy;

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
