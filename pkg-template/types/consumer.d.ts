/** Who is on the agent's side of a call. */

/** What kind of client an agent speaks through. */
export type AgentConsumerKind = "embedded" | "webmcp" | "mcp-bridge" | "test" | "other";

/**
 * An identified agent-side client. Policies match on it, and invocation ids belong to it: two clients of one page must
 * not share `kind` and `id`.
 */
export interface AgentConsumer {
  readonly id: string;
  readonly kind: AgentConsumerKind;
  /** What the page granted it, for policies; the library does not read it. */
  readonly grants?: readonly string[];
}
