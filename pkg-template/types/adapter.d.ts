/** Adapters: what brings a surface to agents outside the page's own code. */

import type { AgentConsumer } from "./consumer.js";
import type { AgentSurfaceRegistryView } from "./registry.js";
import type { SnapshotContext } from "./snapshot.js";

/** What an adapter works with. */
export interface AdapterHost {
  /** Cannot resolve confirmations. */
  readonly registry: AgentSurfaceRegistryView;
  /** As whom the adapter calls. Two adapters of one registry need two. */
  readonly consumer: AgentConsumer;
  readonly snapshotContext?: Omit<SnapshotContext, "consumer">;
}

/**
 * An adapter. `registry.attach` starts it; start and stop may come any number of times. `docs/adapters.md` in the
 * repository builds one step by step, and `checkAdapter` of `agent-surface-wasm/testing` proves that it keeps its duties.
 */
export interface AgentSurfaceAdapter {
  readonly name: string;
  start(host: AdapterHost): void | Promise<void>;
  stop(): void | Promise<void>;
}
