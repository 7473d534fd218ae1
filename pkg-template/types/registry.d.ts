/**
 * The registry: everything currently exposed, and the only way to call it.
 *
 * Scripts of its own realm are trusted: whoever can reach it may register, call and resolve. It keeps what crosses it typed,
 * fresh, governed and approved; it does not keep a script out that runs beside it.
 */

import type { AdapterHost, AgentSurfaceAdapter } from "./adapter.js";
import type { AgentAuditSink } from "./audit.js";
import type { AgentConfirmations, ConfirmationsView } from "./confirmation.js";
import type { AgentConsumer } from "./consumer.js";
import type { AgentComponentDefinition, MaybePromise } from "./definition.js";
import type { AgentSurfaceEvent } from "./events.js";
import type { InvocationOptions, InvocationRequest, InvocationResult } from "./invocation.js";
import type { JsonValue } from "./json.js";
import type { AgentSurfaceLimits } from "./limits.js";
import type { AgentPolicy } from "./policy.js";
import type { SnapshotContext, SurfaceSnapshot } from "./snapshot.js";
import type { WebMcpAdapter } from "./webmcp.js";

/** How a registry is made. Everything is optional. */
export interface AgentSurfaceRegistryOptions<Host = any> {
  /** `development` warns about what is probably a mistake, and prints the audit. `production` when absent. */
  readonly environment?: "production" | "development" | "test";
  /** What handlers and policies get as `host`, such as the signed-in user; or a function, asked each time. */
  readonly context?: Host | (() => Host);
  /** For every capability; they come before those of components. */
  readonly policies?: readonly AgentPolicy<Host>[];
  /** Where records go, such as `memoryAuditSink()`. The console in `development`, when absent. */
  readonly audit?: AgentAuditSink;
  /**
   * Asked after validation, before a duplicate is looked for. Only `accept` lets the component in; a guard that throws
   * rejects. It may use the registry.
   */
  onRegister?(request: {
    readonly definition: AgentComponentDefinition;
    /** Where `register` was called, as `Error.prototype.stack` has it; in `development` only. */
    readonly stack?: string;
  }): "accept" | "reject";
  /** The same type and instance id twice: the first one wins (`reject`, when absent), or the second replaces it. */
  readonly onDuplicateInstance?: "reject" | "replace";
  /**
   * What one name in both planes means, `view:a.b` beside a `domain:a.b` that a live component refers to or that the
   * procedure executor names in its `paths`: a line on the console and a `collision-suspected` event (`warn`, when
   * absent), an `AgentSurfaceDefinitionError` `DUPLICATE_CAPABILITY` from `register` (`error`), or nothing (`off`).
   */
  readonly duplicateSuffixPolicy?: "off" | "warn" | "error";
  /** Where the page is, or a function that says so, asked each time; shown in snapshots. */
  readonly route?: string | (() => string | undefined);
  readonly limits?: Partial<AgentSurfaceLimits>;
  /** The clock, in milliseconds. `Date.now` when absent. */
  now?(): number;
  /**
   * Whether a call that needs a person is refused at once (`CAPABILITY_NOT_AVAILABLE`, `approval-unavailable`) while
   * nobody could approve: no connected `<agent-approvals>` and no listener. `true` in a page outside `test`, when absent.
   */
  readonly requireApprover?: boolean;
}

/** One mount lifetime of a component. Once it ended, calls do nothing. */
export interface AgentRegistrationHandle {
  /** The staleness token of this lifetime. */
  readonly registrationId: string;
  /** `rejected` where the registry refused the component at run time: a duplicate instance, or the guard's answer. */
  readonly status: "active" | "rejected" | "unregistered";
  /**
   * Pushes what the registry cannot see. The surface's version moves once per call that changes something. Keys of
   * `availability` are names, procedure paths or full ids; `available: true` does not override `when`.
   *
   * @example
   * handle.update({ availability: { clearSelection: { available: false, reason: "Nothing is selected" } } });
   */
  update(change: {
    readonly enabled?: boolean;
    readonly availability?: {
      readonly [capability: string]: boolean | { readonly available: boolean; readonly reason?: string };
    };
  }): void;
  /** Says that something changed which consumers may want to look at: the version moves. */
  invalidate(): void;
  /** Idempotent. Calls in flight settle `COMPONENT_UNMOUNTED`. */
  unregister(): void;
  /** As `unregister`. */
  [Symbol.dispose](): void;
}

/** Runs the operations of the backend that `procedures` refer to. */
export interface ProcedureExecutor {
  /** The paths it knows. Absent: any. */
  readonly paths?: readonly string[];
  /**
   * Calls the backend. An error it throws with `transient: true` tells the agent to try again later.
   *
   * The backend must check everything again: what arrives there need not come from here.
   */
  execute(call: {
    readonly path: string;
    readonly input: any;
    readonly info: {
      readonly invocationId: string;
      readonly consumer: AgentConsumer;
      readonly signal: AbortSignal;
      readonly confirmation?: { readonly id: string; readonly approvedAt: string };
    };
  }): MaybePromise<unknown>;
}

/** What adapters are given: everything but the right to register, to resolve confirmations and to dispose. */
export interface AgentSurfaceRegistryView {
  /** `srf_` and 22 random characters. */
  readonly surfaceId: string;
  /**
   * What one consumer sees. Synchronous, runs no `read`, changes nothing. The same frozen object while nothing changes.
   *
   * @example
   * const { components } = registry.snapshot({ consumer: { id: "copilot", kind: "embedded" }, scope: ["devices"] });
   */
  snapshot(context?: SnapshotContext): SurfaceSnapshot;
  /** Calls a capability. Rejects only for programmer errors; a refusal is a result with `status: "error"`. */
  invoke<Output = JsonValue>(request: InvocationRequest, options?: InvocationOptions): Promise<InvocationResult<Output>>;
  /** Returns the way to unsubscribe: from then on it hears nothing more. A listener that throws harms no other. */
  subscribe(listener: (event: AgentSurfaceEvent) => void): () => void;
  /** A decimal counter from `"0"`. */
  getVersion(): string;
  readonly confirmations: ConfirmationsView;
}

/** The registry of one page. */
export interface AgentSurfaceRegistry extends AgentSurfaceRegistryView {
  readonly confirmations: AgentConfirmations;
  /**
   * Exposes a component until its handle is unregistered. Throws `AgentSurfaceDefinitionError` for a defect of the
   * definition; a refusal at run time is a handle whose `status` is `rejected`.
   *
   * @example
   * const handle = registry.register(table);
   * // when the table leaves the page
   * handle.unregister();
   */
  register(definition: AgentComponentDefinition): AgentRegistrationHandle;
  /**
   * Must be set before a component with procedures registers.
   *
   * @example
   * registry.setProcedureExecutor({
   *   execute({ path, input, info: { consumer, invocationId, signal } }) {
   *     // An invocation id is unique for its consumer only.
   *     const idempotencyKey = `${consumer.kind}:${consumer.id}/${invocationId}`;
   *     return backend.call(path, input, { signal, idempotencyKey });
   *   },
   * });
   */
  setProcedureExecutor(executor: ProcedureExecutor | undefined): void;
  /**
   * Starts an adapter with a view of this registry. Returns the way to detach it, which stops it.
   *
   * @example
   * const detach = registry.attach(createWebMcpAdapter(), { consumer: { id: "browser", kind: "webmcp" } });
   */
  attach(adapter: AgentSurfaceAdapter, options: Omit<AdapterHost, "registry">): () => void | Promise<void>;
  /** The WebMCP adapter makes up a consumer when none is given. */
  attach(adapter: WebMcpAdapter, options?: Partial<Omit<AdapterHost, "registry">>): () => void | Promise<void>;
  /** Settles every call `CANCELLED`, expires what is pending, and drops listeners, who hear these ends. Idempotent. */
  dispose(): void;
  /** As `dispose`. */
  [Symbol.dispose](): void;
}

/**
 * A registry. Call `await init()` before.
 *
 * @example
 * await init();
 * const registry = createAgentSurfaceRegistry({
 *   environment: "development",
 *   context: { user: session.user },
 *   policies: [authenticated()],
 * });
 */
export declare function createAgentSurfaceRegistry<Host = any>(
  options?: AgentSurfaceRegistryOptions<Host>,
): AgentSurfaceRegistry;
