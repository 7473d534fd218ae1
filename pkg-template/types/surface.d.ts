/**
 * The external surface: a small, intended part of a page's capabilities for agents outside it. The entry
 * `agent-surface-wasm/surface`, with a module of its own beside the main one (40 kB with its script, brotli).
 *
 * A peer describes and invokes what is on an allowlist; each call goes through the registry, as every other. Confirmation
 * stays in the page: nothing that a peer can send approves anything.
 *
 * The boundary is the message. Scripts of the page's own realm are trusted: whatever runs there can reach the registry, the
 * session registry and the surfaces, wrap what this entry exports, and call handlers. Load an agent that you do not trust
 * into a frame of another origin, and let it use a transport.
 */

import type { AgentConsumer } from "./consumer.js";
import type { AgentSurfaceRegistryView, AgentSurfaceRegistry } from "./registry.js";
import type { InitOptions } from "./init.js";
import type { JsonSchema, JsonValue } from "./json.js";
import type { ActionContext, ActionEffect } from "./definition.js";
import type { AgentSchema } from "./schema.js";
import type { SurfaceRequest, SurfaceResponse } from "./surface-envelope.js";

export * from "./surface-envelope.js";
export * from "./surface-transport.js";

/**
 * Loads the kernel's module, once. May be called any number of times; after a failure, call it again. Rejects with an
 * `AgentSurfaceRuntimeError` that says what to do (`WASM_BLOCKED_BY_CSP`, `WASM_NOT_SERVED`). Everything else of this entry
 * throws `NOT_INITIALIZED` before it is done.
 */
export declare function initSurface(options?: InitOptions): Promise<void>;

/** Who a peer is, what it may use and until when. Data, not proof: whoever makes one has verified the peer. */
export interface SurfaceSession {
  readonly agentId: string;
  readonly sessionId: string;
  /** On whose behalf it acts. */
  readonly userId: string;
  /** ISO 8601, or milliseconds since the epoch. After this nothing is answered. */
  readonly expiresAt: string | number;
  /** Published ids. */
  readonly scope: readonly string[];
}

/** One entry of the allowlist: a capability id, the id of a `defineActions` action of this `app`, or a pair. */
export type SurfaceExposure =
  | string
  | {
      /** The published name: `[a-z][a-z0-9_.-]{0,127}`. */
      readonly id: string;
      /** `view:…` or `domain:…`. */
      readonly capability: string;
      readonly instanceId?: string;
    };

/** At most `limit` requests within `windowMs`, refilled evenly. */
export interface SurfaceRate {
  readonly limit: number;
  readonly windowMs: number;
}

/** Options of `createSurface`. */
export interface SurfaceOptions {
  /** The page's registry. With an adapter's view, what nobody waits for stays pending until it expires. */
  readonly registry: AgentSurfaceRegistry | AgentSurfaceRegistryView;
  /** The application's name. */
  readonly app: string;
  /** What exists for the peer, in the order in which it is described. */
  readonly expose: readonly SurfaceExposure[];
  readonly session: SurfaceSession;
  /** Records in a description, at most. 20 when absent. */
  readonly recordLimit?: number;
  /** What the page shows of its state, newest or most relevant first. */
  readonly records?: () => readonly unknown[];
  /**
   * In place of `registry.invoke` as `{ id: agentId + "/" + sessionId, kind: "other", grants: scope }`. `id` is the
   * published one. Gives `{ output? }` or `{ error }`, as `registry.invoke` does; what throws is `EXECUTION_FAILED`, or the
   * payload of an error of this library.
   */
  readonly execute?: (
    id: string,
    input: JsonValue | undefined,
    call: {
      readonly capabilityId: string;
      readonly instanceId?: string;
      readonly invocationId: string;
      readonly confirmationId?: string;
      readonly consumer: AgentConsumer;
      readonly signal: AbortSignal;
    },
  ) => unknown;
  /** UTF-8 bytes of a request. 262,144 when absent. */
  readonly maxBytes?: number;
  /** Requests that may be under way at a time, those whose caller left too. 32 when absent; more are `RATE_LIMITED`. */
  readonly maxInFlight?: number;
  readonly rate?: SurfaceRate;
  /** The clock, in milliseconds since the epoch. `Date.now` when absent. Where it throws or gives no time, sessions are over. */
  readonly now?: () => number;
}

/** One peer's surface. Transports carry requests to it. */
export interface ExternalSurface {
  readonly session: SurfaceSession;
  /** Never rejects for what a peer sent; with `POISONED` where the module has stopped. Aborting `signal` says that the caller left. */
  handle(request: SurfaceRequest, options?: { readonly signal?: AbortSignal }): Promise<SurfaceResponse>;
  /** The same with JSON texts, for transports: a text that is too large is not read. */
  handleText(request: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
  /** Calls the listener when what `describe` lists has changed because something was mounted, unmounted or updated. */
  subscribe(listener: () => void): () => void;
  /** Ends the session here: what waits is answered `SESSION_REVOKED`, and what a person was asked is taken back. */
  revoke(): void;
  /** As `revoke`, and lets go of the registry. */
  dispose(): void;
}

/**
 * Throws an `AgentSurfaceDefinitionError` for an entry of `expose` that names no grammatical capability.
 *
 * @example
 * const surface = createSurface({
 *   registry, app: "support-queue", session, recordLimit: 2, records: () => queue.rows(),
 *   expose: ["todo.overview", { id: "todo.add", capability: "view:todo.list.add" }],
 * });
 * const response = await surface.handle({ protocol: SURFACE_PROTOCOL, id: "1", method: "describe" });
 */
export declare function createSurface(options: SurfaceOptions): ExternalSurface;

/** An action of a page without components. */
export interface SurfaceAction {
  /** At most 300 characters. */
  readonly description: string;
  /** A JSON Schema or a schema; the closed empty object when absent. */
  readonly input?: JsonSchema | AgentSchema<unknown>;
  readonly output?: JsonSchema | AgentSchema<unknown>;
  /** `true`, or why it is not available now. A function is asked each time. */
  readonly available?: true | string | (() => true | string);
  /**
   * `local-state` when absent, or `navigation`. What changes the backend is no action but a procedure (`PLANE_VIOLATION`):
   * published as `{ id, capability: "domain:…" }` it is shown and confirmed by its own effect, such as `destructive`.
   */
  readonly effect?: ActionEffect;
  /** `always`: a person decides each time, and it counts as not reversible. */
  readonly confirm?: "never" | "always";
  handler(input: any, context: ActionContext): unknown;
}

/**
 * Registers plain functions as actions, under ids such as `todo.clear_completed`: its capability is
 * `view:<app>.todo.clearCompleted`. Throws where an id and `app` make no capability id, and where two make the same.
 */
export declare function defineActions(
  registry: AgentSurfaceRegistry,
  options: { readonly app: string; readonly actions: { readonly [id: string]: SurfaceAction } },
): {
  /** Capability ids by published ids. */
  readonly capabilities: { readonly [id: string]: string };
  /** Says that availability may have changed. */
  invalidate(): void;
  unregister(): void;
};

/** The sessions of a page. */
export interface SurfaceSessionRegistry {
  /**
   * Nothing where there are `maxSessions` already, `origin` has `maxOfOrigin` of them, or the clock gives no time. `origin` is
   * what a transport proved; what the page makes for itself has none.
   */
  create(identity: {
    readonly agentId: string;
    readonly userId: string;
    readonly scope: readonly string[];
    readonly origin?: string;
  }):
    | (SurfaceSession & { readonly expiresAt: string })
    | undefined;
  /** A live session. */
  get(sessionId: string): SurfaceSession | undefined;
  /** The live ones, oldest first. */
  list(): readonly SurfaceSession[];
  /** Ends a session and what waits in it. Whether it was live. */
  revoke(sessionId: string): boolean;
  /** Called when one was created or revoked. What a listener throws is logged and changes nothing. */
  subscribe(listener: () => void): () => void;
}

/** The sessions of a page: how long each lives, and how many there may be at a time. */
export declare function createSessionRegistry(options: {
  /** Milliseconds. */
  readonly ttlMs: number;
  readonly maxSessions: number;
  /** Of one origin; half of `maxSessions`, rounded up, when absent, so that no origin has them all. */
  readonly maxOfOrigin?: number;
  readonly now?: () => number;
}): SurfaceSessionRegistry;
