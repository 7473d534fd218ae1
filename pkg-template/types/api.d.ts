/** Everything that each entry offers beside its `init`. */

export type {
  AdapterHost,
  AgentSurfaceAdapter,
} from "./adapter.js";
export {
  defineAgentApprovals,
  type AgentApprovalEvent,
  type AgentApprovalsElement,
  type AgentApprovalsStrings,
  type ApprovalRequest,
  type ApprovalText,
} from "./approvals.js";
export {
  consoleAuditSink,
  memoryAuditSink,
  type AgentAuditEvent,
  type AgentAuditEventType,
  type AgentAuditSink,
} from "./audit.js";
export type {
  AgentConfirmations,
  ConfirmationOutcome,
  ConfirmationsView,
  PendingConfirmation,
} from "./confirmation.js";
export type { AgentConsumer, AgentConsumerKind } from "./consumer.js";
export {
  action,
  defineAgentComponent,
  observation,
  procedure,
  type ActionContext,
  type ActionDefinition,
  type ActionEffect,
  type AgentComponentDefinition,
  type AgentEffect,
  type AuditLevel,
  type Binding,
  type Concurrency,
  type ConfirmationLevel,
  type HandlerOutput,
  type MaybePromise,
  type ObservationDefinition,
  type PreconditionFailure,
  type ProcedureBinding,
  type ProcedureDefinition,
  type ProcedureEffect,
  type ReadContext,
} from "./definition.js";
export {
  AGENT_CAPABILITY_ERROR_CODES,
  AgentSchemaError,
  AgentSurfaceDefinitionError,
  AgentSurfaceError,
  AgentSurfaceRuntimeError,
  isAgentSurfaceError,
  type AgentCapabilityErrorCode,
  type AgentDefinitionErrorCode,
  type AgentErrorDetails,
  type AgentErrorInit,
  type AgentErrorPayload,
  type AgentRetry,
  type AgentRuntimeErrorCode,
  type AgentSchemaIssue,
} from "./errors.js";
export type { AgentSurfaceEvent } from "./events.js";
export {
  MAX_ID_LENGTH,
  MAX_WIRE_NAME_LENGTH,
  assignWireNames,
  decodeWireName,
  encodeWireName,
  encodeWireNameForInstance,
  formatDomainCapabilityId,
  formatViewCapabilityId,
  isValidCapabilityName,
  isValidComponentType,
  isValidInstanceId,
  jsonDeepEqual,
  matchesScope,
  parseCapabilityId,
  validateJsonSchemaDocument,
  validateValueAgainstSchema,
  type CapabilityIdParts,
} from "./ids.js";
export { recover, type Init, type InitOptions } from "./init.js";
export type {
  InvocationFailure,
  InvocationOptions,
  InvocationRequest,
  InvocationResult,
  InvocationSuccess,
} from "./invocation.js";
export type {
  AcceptedByJsonSchema,
  FromJsonSchema,
  JsonObject,
  JsonSchema,
  JsonSchemaObject,
  JsonTypeName,
  JsonValue,
} from "./json.js";
export { DEFAULT_LIMITS, type AgentSurfaceLimits } from "./limits.js";
export {
  audit,
  authenticated,
  environment,
  evaluateDiscovery,
  hasPermission,
  rateLimit,
  requireConfirmation,
  tenantBoundary,
  type AgentPolicy,
  type DiscoveryDecision,
  type InvokePolicyContext,
  type PolicyContext,
  type TenantOf,
} from "./policy.js";
export {
  createAgentSurfaceRegistry,
  type AgentRegistrationHandle,
  type AgentSurfaceRegistry,
  type AgentSurfaceRegistryOptions,
  type AgentSurfaceRegistryView,
  type ProcedureExecutor,
} from "./registry.js";
export {
  emptyObjectSchema,
  fromJsonSchema,
  fromStandardSchema,
  type AcceptedBy,
  type AgentSchema,
  type ParsedBy,
  type StandardAgentSchema,
  type StandardJsonSchema,
  type StandardResult,
  type StandardSchema,
} from "./schema.js";
export type {
  ActionDescriptor,
  AgentCapabilityDescriptorUnion,
  ComponentDescriptor,
  ObservationDescriptor,
  ProcedureDescriptor,
  SnapshotBudget,
  SnapshotContext,
  SurfaceSnapshot,
} from "./snapshot.js";
export {
  createAgentToolset,
  type AgentTool,
  type AgentToolCall,
  type AgentToolset,
  type AgentToolsetOptions,
  type ToolsetTopology,
} from "./toolset.js";
export {
  createWebMcpAdapter,
  type WebMcpAdapter,
  type WebMcpAdapterOptions,
  type WebMcpDiagnosis,
  type WebMcpStatus,
  type WebMcpToolInit,
} from "./webmcp.js";

// What the module exports and imports, as it was when these types were last compared with it: `cargo xtask tidy` tells when
// it has changed.
// boundary: 85a6eaaf427b76e5
