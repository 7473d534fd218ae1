/** The toolset: the surface as tools for an agent loop in the page or on a server. */

import type { AgentConsumer } from "./consumer.js";
import type { InvocationResult } from "./invocation.js";
import type { JsonSchema } from "./json.js";
import type { AgentSurfaceRegistryView } from "./registry.js";
import type { SnapshotBudget } from "./snapshot.js";

/**
 * How long a call may wait for a person. A loop in the page can wait (`embedded`: one call, one final result); one on a
 * server should not hold its run open (`remote`: the call answers `CONFIRMATION_REQUIRED`, and the same call again, once
 * the person has decided, completes).
 */
export type ToolsetTopology =
  | { readonly topology: "embedded"; readonly confirmations?: "wait" | "two-phase"; readonly waitMs?: number }
  | { readonly topology: "remote"; readonly confirmations?: "two-phase"; readonly waitMs?: undefined }
  | { readonly topology: "remote"; readonly confirmations: "wait"; readonly waitMs: number }
  | { readonly topology?: undefined; readonly confirmations: "wait" | "two-phase"; readonly waitMs?: number };

/** What a toolset lists: a budget is for what `surface_discover` gives. */
export type ToolsetCatalog =
  | { readonly mode?: "direct"; readonly budget?: undefined }
  | { readonly mode: "meta"; readonly budget?: SnapshotBudget };

/** How a toolset is made: for whom, of what, and how confirmations are waited for. */
export type AgentToolsetOptions = ToolsetTopology & ToolsetCatalog & {
  readonly consumer: AgentConsumer;
  /**
   * Prefixes of component types; see `SnapshotContext`. In meta mode a floor: `surface_discover` may narrow it, never
   * widen it, and no call reaches past it.
   */
  readonly scope?: readonly string[];
  /**
   * `direct`, when absent: one tool per capability. `meta`: three tools for a surface of any size, the same bytes for
   * ever, so that `tools()` always gives the same array, `wireNameMap()` is empty and subscribers are never called.
   *
   * - `surface_discover({ scope? })` gives a `SurfaceSnapshot`, with `scopeRejected: { prefixes }` where it was asked for
   *   what lies outside the scope below: each such prefix once, in the order of the request. At most 256 prefixes.
   * - `surface_read({ capabilityId, instanceId?, input? })` runs observations and procedures with the effect
   *   `server-query`, nothing else: hosts approve reads by themselves.
   * - `surface_act({ capabilityId, instanceId?, input, invocationId?, confirmationId?, surfaceVersion? })` runs any
   *   capability. An `input` that is the JSON text of an object is parsed where the capability takes an object.
   *
   * An envelope with unknown or missing properties, empty strings or a wrong `scope` answers `INVALID_INPUT` with all
   * issues, before anything is looked for; `null` and nothing are `{}`. The result's `capabilityId` is then the tool's
   * name, as that of `surface_discover` always is. `invocationId` and `confirmationId` in an envelope go before
   * `toolCallId` and `confirmationId` of the `AgentToolCall`. No `registrationId` is sent, and only that
   * `surfaceVersion` that the envelope has: the model says what it looked at.
   */
  readonly mode?: "direct" | "meta";
};

/** How a tool is called. */
export interface AgentToolCall {
  /**
   * The provider's id of the call: a repeat with the same id and input gives the same result, and runs nothing twice. In
   * meta mode an `invocationId` in the envelope goes before it.
   */
  readonly toolCallId?: string;
  /** Of a `CONFIRMATION_REQUIRED`. A remote toolset remembers it by itself. */
  readonly confirmationId?: string;
  readonly signal?: AbortSignal;
}

/** One capability as a tool. */
export interface AgentTool {
  /** At most 64 characters of `A-Z a-z 0-9 _ -`, as every provider takes it. */
  readonly name: string;
  /** Stable, so that it can sit in a cached prompt. Starts with its label: `[domain · destructive · requires confirmation]`. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What changes from turn to turn. */
  readonly state: { readonly available: boolean; readonly unavailableReason?: string; readonly note?: string };
  /** Never throws and never rejects. */
  execute(input: unknown, call?: AgentToolCall): Promise<InvocationResult>;
}

/** A set of tools that follows the surface. */
export interface AgentToolset {
  /** Listed again before each turn. The same array while nothing changes. */
  tools(): readonly AgentTool[];
  /** From the names of the present tools to capability ids: a name alone need not say it. */
  wireNameMap(): ReadonlyMap<string, string>;
  /** Called with the new tools when a name, description, schema or state differs. Returns the way to unsubscribe. */
  subscribe(listener: (tools: readonly AgentTool[]) => void): () => void;
  /** Ends every wait. Idempotent. */
  dispose(): void;
  /** As `dispose`. */
  [Symbol.dispose](): void;
}

/**
 * The surface as tools. `topology` says where the agent loop runs; it has no default.
 *
 * @example
 * const toolset = createAgentToolset(registry, { consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
 * const tools = toolset.tools();
 * // give `tools` to the model; for each call it makes:
 * const tool = tools.find(({ name }) => name === call.name);
 * const result = await tool.execute(call.input, { toolCallId: call.id });
 */
export declare function createAgentToolset(
  registry: AgentSurfaceRegistryView,
  options: AgentToolsetOptions,
): AgentToolset;
