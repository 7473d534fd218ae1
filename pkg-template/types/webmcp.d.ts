/// <reference lib="esnext.disposable" />

/** The WebMCP adapter: offers the surface to the browser's own agent. The entry `agent-surface-wasm/webmcp`. */

import type { AdapterHost, AgentSurfaceAdapter } from "./adapter.js";
import type { AgentConsumer } from "./consumer.js";
import type { AgentCapabilityDescriptorUnion, SnapshotContext } from "./snapshot.js";

/** What the page says about a tool instead of what the capability says. */
export interface WebMcpToolInit {
  readonly title?: string;
  readonly description?: string;
  /** Merged over those that the contract gives; unknown ones pass through. */
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly consequentialHint?: boolean;
    readonly untrustedContentHint?: boolean;
    readonly [hint: string]: unknown;
  };
}

/** How the adapter is made. */
export interface WebMcpAdapterOptions {
  /** A `scope` is a good idea: the browser's agent is the least trusted consumer. What `attach` says goes before it. */
  readonly snapshotContext?: Omit<SnapshotContext, "consumer">;
  /**
   * Asked for each capability; `null` leaves it out, and so does what is no object, comes later (a promise) or throws. It can
   * replace neither schema nor execution.
   */
  exposeCapability?(descriptor: AgentCapabilityDescriptorUnion): WebMcpToolInit | null | undefined;
  /**
   * `two-phase` (when absent): a call that needs approval answers `CONFIRMATION_REQUIRED`, and the same call again, once
   * the person has decided, completes. `wait`: the call stays open for up to `waitMs`, then falls back to two-phase.
   */
  readonly confirmations?: "two-phase" | "wait";
  /** In milliseconds; 60,000 when absent. */
  readonly waitMs?: number;
  /** Origins of embedding pages that may see the tools. None when absent. */
  readonly exposedTo?: readonly string[];
  /** Instead of `document.modelContext`: for tests and polyfills. */
  readonly modelContext?: object;
}

/** What the adapter offers at the moment. */
export interface WebMcpStatus {
  /** `unsupported`: this browser has no WebMCP, and `start` did nothing. */
  readonly state: "stopped" | "unsupported" | "active";
  /** Which entry point was found, such as `document.modelContext`. */
  readonly api: string | undefined;
  /** The names of the tools that the browser took. */
  readonly tools: readonly string[];
  /** Capabilities that are available but cannot be offered, and why. */
  readonly skipped: readonly { readonly capabilityId: string; readonly reason: string }[];
  /** Tools that the browser refused, with its reason: another script may own the name. */
  readonly rejected: readonly { readonly name: string; readonly capabilityId?: string; readonly reason: string }[];
}

/** Why no tool is visible, in a word and in a sentence that says what to do. */
export interface WebMcpDiagnosis {
  readonly code:
    | "ok"
    | "insecure-context"
    | "opaque-origin"
    | "permissions-policy"
    | "no-api"
    | "unsupported-shape"
    | "registration-rejected";
  readonly message: string;
}

/** The WebMCP adapter. */
export interface WebMcpAdapter extends AgentSurfaceAdapter {
  /** Offers the tools before it returns. Without a `consumer`: kind `webmcp`, id `webmcp-<n>`. */
  start(host: Omit<AdapterHost, "consumer"> & { readonly consumer?: AgentConsumer }): Promise<void>;
  /** Withdraws every tool. May be started again. */
  stop(): Promise<void>;
  status(): WebMcpStatus;
  diagnose(): WebMcpDiagnosis;
}

/**
 * An adapter for the browser's own agent. Works wherever some shape of the API is found, and does nothing elsewhere.
 *
 * @example
 * const adapter = createWebMcpAdapter({ snapshotContext: { scope: ["devices"] } });
 * const detach = registry.attach(adapter, { consumer: { id: "browser", kind: "webmcp" } });
 * console.log(adapter.diagnose().message);
 */
export declare function createWebMcpAdapter(options?: WebMcpAdapterOptions): WebMcpAdapter;
