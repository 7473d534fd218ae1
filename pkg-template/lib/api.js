// The public API, without `init`, which belongs to the entries.

export {
  AgentSchemaError,
  AgentSurfaceDefinitionError,
  AgentSurfaceError,
  AgentSurfaceRuntimeError,
  isAgentSurfaceError,
} from "./errors.js";
export { emptyObjectSchema, fromJsonSchema, fromStandardSchema } from "./schema.js";
export { action, defineAgentComponent, observation, procedure } from "./define.js";
export {
  audit,
  authenticated,
  environment,
  evaluateDiscovery,
  hasPermission,
  rateLimit,
  requireConfirmation,
  tenantBoundary,
} from "./policies.js";
export { consoleAuditSink, memoryAuditSink } from "./audit.js";
export * from "./ids.js";
export { jsonDeepEqual } from "./json.js";
export { createAgentSurfaceRegistry } from "./registry.js";
export { createAgentToolset } from "./toolset.js";
export { createWebMcpAdapter } from "./webmcp.js";
export { recover } from "./realm.js";
export { defineAgentApprovals } from "./approvals-load.js";
