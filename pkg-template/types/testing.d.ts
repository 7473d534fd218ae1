/// <reference lib="esnext.disposable" />

/**
 * The entry `agent-surface-wasm/testing`: a registry as the tests of a page want it, and a conformance suite for
 * adapters. Call `await init()` of the app's own entry before, in Node in a setup file.
 */

import type { AgentSurfaceAdapter } from "./adapter.js";
import type { AgentAuditEvent } from "./audit.js";
import type { PendingConfirmation } from "./confirmation.js";
import type { AgentConsumer, AgentConsumerKind } from "./consumer.js";
import type { AgentComponentDefinition, MaybePromise } from "./definition.js";
import type { AgentErrorPayload } from "./errors.js";
import type { AgentSurfaceEvent } from "./events.js";
import type { InvocationResult } from "./invocation.js";
import type { JsonSchema, JsonValue } from "./json.js";
import type { AgentRegistrationHandle, AgentSurfaceRegistry } from "./registry.js";
import type { SnapshotContext, SurfaceSnapshot } from "./snapshot.js";

/** A capability as it was at one moment: what a call needs that is to be stale later. Frozen. */
export interface CapabilityRef {
  readonly capabilityId: string;
  readonly registrationId: string;
  readonly surfaceVersion: string;
}

/** How a call of a test surface is made. */
export interface TestInvocationOptions {
  readonly instanceId?: string;
  readonly registrationId?: string;
  readonly surfaceVersion?: string;
  readonly invocationId?: string;
  readonly confirmationId?: string;
  /** The surface's own when absent. */
  readonly consumer?: AgentConsumer;
  readonly signal?: AbortSignal;
  /** For execution, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The decisions of the person in front of the page. Without an id the only pending question is meant. */
export interface TestConfirmations {
  /** What waits, oldest first, whoever asked. */
  pending(): readonly PendingConfirmation[];
  /** Whether the question was still pending. */
  approve(confirmationId?: string): boolean;
  /** Whether the question was still pending. `reason` goes to the agent as `details.note`. */
  deny(confirmationId?: string, reason?: string): boolean;
  /**
   * Ends the time of one question, pending or approved, without waiting: the registry looks at it once by a clock that
   * stands past its `expiresAt`. Other questions, timers and the test's own clock stay as they are. Whether it was still
   * open.
   */
  expire(confirmationId?: string): boolean;
}

/** A registry through the eyes of one consumer, with what happened in it. */
export interface TestSurface {
  readonly registry: AgentSurfaceRegistry;
  readonly consumer: AgentConsumer;
  /** As `registry.register`. */
  register(definition: AgentComponentDefinition): AgentRegistrationHandle;
  /** What the consumer sees. */
  snapshot(context?: SnapshotContext): SurfaceSnapshot;
  /** Calls as the consumer: by id, or what `captureRef` gave, as it was then. */
  invoke<Output = JsonValue>(
    capability: string | CapabilityRef,
    input?: unknown,
    options?: TestInvocationOptions,
  ): Promise<InvocationResult<Output>>;
  /**
   * The output of an observation. Rejects with an `AgentSurfaceError` where the call is refused, with an `Error` where the
   * surface moved to another version meanwhile (reading changes nothing), and with a `TypeError` for an action or a
   * procedure, which it does not run.
   */
  observe<Output = JsonValue>(capability: string | CapabilityRef, options?: TestInvocationOptions): Promise<Output>;
  /**
   * A capability as it is now, for a call that is stale later. Throws where the consumer does not see it, or sees several
   * instances and none is named.
   *
   * @example
   * const ref = surface.captureRef("view:devices.table.selectRows");
   * handle.unregister();
   * expect(await surface.invoke(ref, { ids: [] })).toFailWith("COMPONENT_UNMOUNTED");
   */
  captureRef(
    capabilityId: string,
    options?: { readonly instanceId?: string; readonly consumer?: AgentConsumer },
  ): CapabilityRef;
  /** The same registry, events and audit, seen and called by another consumer. */
  as(consumer: AgentConsumer): TestSurface;
  readonly confirmations: TestConfirmations;
  /** A copy of the last 1,000 events since the surface was made, oldest first. */
  readonly events: readonly AgentSurfaceEvent[];
  /** A copy of the last 1,000 audit records since the surface was made, oldest first. The registry's own sink gets them, too. */
  readonly auditLog: readonly AgentAuditEvent[];
  /** Leaves the registry as it was found, or disposes it where the surface made it. Idempotent. */
  dispose(): void;
  /** As `dispose`. */
  [Symbol.dispose](): void;
}

/**
 * A surface for tests. Works under real timers and under fake ones, installed before or after; nothing in it waits.
 *
 * Without `registry` it makes one, with `environment: "test"`: a call that needs a person then waits for the test's
 * decision. A registry that is given keeps its options; the surface counts as someone who could approve. `host` is what
 * handlers and policies get as `host`, for as long as the surface lives.
 *
 * @example
 * const surface = createTestSurface({ host: { user: { role: "operator" } } });
 * surface.register(table);
 * expect(await surface.invoke("view:devices.table.reset")).toFailWith("CONFIRMATION_REQUIRED");
 * const [{ confirmationId }] = surface.confirmations.pending();
 * surface.confirmations.approve();
 * expect(await surface.invoke("view:devices.table.reset", {}, { confirmationId })).toBeOk();
 * surface.dispose();
 */
export declare function createTestSurface(options?: {
  readonly registry?: AgentSurfaceRegistry;
  /** `{ id: "test", kind: "test" }` when absent. */
  readonly consumer?: AgentConsumer;
  readonly host?: unknown;
}): TestSurface;

/**
 * A snapshot as JSON text that is the same in every run: registration ids become `<reg#1>`, `<reg#2>`, … in the order in
 * which they appear; `surfaceId`, `capturedAt` and, unless it is asked for, `surfaceVersion` are left out.
 */
export declare function serializeSurfaceSnapshot(
  snapshot: SurfaceSnapshot,
  options?: { readonly includeVersion?: boolean },
): string;

/** A tool as the peer of an adapter is shown it: what a model reads of it. */
export interface AdapterTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: object;
  readonly inputSchema?: JsonSchema;
}

/** The answer to a call as the peer got it: read out of the wire's format, nothing added. */
export type AdapterAnswer =
  | { readonly status: "ok"; readonly output?: unknown }
  | { readonly status: "error"; readonly error: Pick<AgentErrorPayload, "code"> & Partial<AgentErrorPayload> };

/** An adapter, and the agent's end of its transport. */
export interface AdapterPeer {
  readonly adapter: AgentSurfaceAdapter;
  /** The declared topology: who waits while a person decides. Or `confirmations`, where the adapter says that itself. */
  readonly topology?: "embedded" | "remote";
  readonly confirmations?: "wait" | "two-phase";
  /** `false` where the transport has no ids for attempts, so that each call is one of its own. */
  readonly attempts?: boolean;
  /** What may be called now. An adapter that also shows what is unavailable leaves that out here. */
  tools(): MaybePromise<readonly AdapterTool[]>;
  /**
   * Calls one. `attemptId` is the transport's id of the attempt, which its repeats share; `confirmationId` that of an
   * earlier `CONFIRMATION_REQUIRED`, where the transport can carry it.
   */
  call(
    name: string,
    input: unknown,
    attempt: { readonly attemptId: string; readonly confirmationId?: string },
  ): MaybePromise<AdapterAnswer>;
  /** Ends the peer's side. */
  close?(): MaybePromise<void>;
}

/** How the suite runs. */
export interface AdapterCheckOptions {
  /** Of the consumers that the adapter is given; `other` when absent. */
  readonly kind?: AgentConsumerKind;
  /** How long the transport may take for anything, in milliseconds of the real clock, from 1 to 2,147,483,647; 1,000 when absent. */
  readonly timeoutMs?: number;
}

/** One duty of adapters (`duty-1` to `duty-8`), or one line of the checklist for custom ones (`checklist-1` to `-8`). */
export interface AdapterCheck {
  readonly id: string;
  readonly duty: string;
  /** `id` and `duty`, for a test runner. */
  readonly name: string;
  /** Rejects where the duty is not kept, with an error that says what was seen. */
  run(): Promise<void>;
}

/** What came of one check. */
export interface AdapterCheckResult {
  readonly id: string;
  readonly duty: string;
  readonly ok: boolean;
  /** What was seen instead; empty when `ok`. */
  readonly message: string;
}

/**
 * The conformance suite, for a test runner. Each check asks `factory` for an adapter (some for two) and attaches it to a
 * registry of its own.
 *
 * @example
 * for (const check of adapterChecks(createPeer)) test(check.name, check.run);
 */
export declare function adapterChecks(
  factory: () => MaybePromise<AdapterPeer>,
  options?: AdapterCheckOptions,
): AdapterCheck[];

/**
 * Runs the conformance suite, one check after the other. Never rejects.
 *
 * @example
 * const failed = (await checkAdapter(createPeer)).filter(({ ok }) => !ok);
 */
export declare function checkAdapter(
  factory: () => MaybePromise<AdapterPeer>,
  options?: AdapterCheckOptions,
): Promise<AdapterCheckResult[]>;
