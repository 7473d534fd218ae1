/** The toolset: the surface as tools for an agent loop in the page or on a server. */

import type { AgentConsumer } from "./consumer.js";
import type { InvocationResult } from "./invocation.js";
import type { JsonSchema } from "./json.js";
import type { AgentSurfaceRegistryView } from "./registry.js";

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

/** How a toolset is made: for whom, of what, and how confirmations are waited for. */
export type AgentToolsetOptions = ToolsetTopology & {
  readonly consumer: AgentConsumer;
  /** One tool per capability. */
  readonly mode?: "direct";
  /** Prefixes of component types; see `SnapshotContext`. */
  readonly scope?: readonly string[];
};

/** How a tool is called. */
export interface AgentToolCall {
  /** The provider's id of the call: a repeat with the same id and input gives the same result, and runs nothing twice. */
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
