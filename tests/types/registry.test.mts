// Registry, calls, errors, confirmations, toolset, adapters, and the approval element.

import {
  AgentSchemaError, AgentSurfaceDefinitionError, AgentSurfaceError, AgentSurfaceRuntimeError, AGENT_CAPABILITY_ERROR_CODES,
  authenticated, consoleAuditSink, createAgentSurfaceRegistry, createAgentToolset, createWebMcpAdapter, decodeWireName,
  DEFAULT_LIMITS, defineAgentComponent, evaluateDiscovery, hasPermission, init, isAgentSurfaceError, isValidInstanceId,
  audit, environment, memoryAuditSink, parseCapabilityId, rateLimit, requireConfirmation, tenantBoundary, validateJsonSchemaDocument,
} from "agent-surface-wasm";
import type {
  AgentCapabilityErrorCode, AgentPolicy, AgentSurfaceAdapter, AgentSurfaceEvent, AgentSurfaceRegistry, AgentSurfaceRegistryView, AgentTool,
  InvocationResult, JsonValue, PendingConfirmation, PolicyContext, SurfaceSnapshot,
} from "agent-surface-wasm";
import { init as initInline } from "agent-surface-wasm/inline";
import { init as initSlim } from "agent-surface-wasm/slim";
import { createWebMcpAdapter as fromEntry } from "agent-surface-wasm/webmcp";
import { explainSurface } from "agent-surface-wasm/explain";
import { expectation, expectType, expectTypeOf, type Equal } from "./expect.mjs";

// init
expectTypeOf(init(), expectation<Promise<void>>());
init({ url: new URL("https://example.test/agent_surface.wasm") });
initInline({ bytes: new Uint8Array(8) });
declare const module: WebAssembly.Module;
initSlim({ module });
// @ts-expect-error -- no such source
init({ path: "x" });

interface Host {
  user: { permissions: string[] };
}
const sink = memoryAuditSink({ capacity: 10 });
const registry = createAgentSurfaceRegistry<Host>({
  environment: "test",
  context: { user: { permissions: [] } },
  policies: [
    authenticated(),
    authenticated({ key: "user" }),
    hasPermission<Host>("write", (permission, { host }) => host.user.permissions.includes(permission)),
    tenantBoundary<Host>({ current: ({ host }) => host.user.permissions[0], expected: "acme" }),
    environment(["development", "test"]),
    rateLimit({ limit: 10, windowMs: 60_000 }),
    audit(memoryAuditSink(), "full"),
    requireConfirmation({ if: ({ effectiveInput }) => effectiveInput.ids.length > 1, summary: ({ consumer }) => consumer.id }),
  ],
  audit: sink,
  onRegister: ({ definition }) => (definition.type === "a" ? "accept" : "reject"),
  limits: { maxInputBytes: 10 },
  route: () => "/devices",
  now: () => 0,
  requireApprover: false,
});
expectTypeOf(registry, expectation<AgentSurfaceRegistry>());
expectTypeOf(sink.events().length, expectation<number>());
createAgentSurfaceRegistry({ audit: consoleAuditSink() });
// @ts-expect-error -- no such environment
createAgentSurfaceRegistry({ environment: "staging" });
// @ts-expect-error -- no such limit
createAgentSurfaceRegistry({ limits: { maxInput: 1 } });
// @ts-expect-error -- limits are read-only
DEFAULT_LIMITS.maxInputBytes = 1;

// Registrations.
{
  using handle = registry.register(defineAgentComponent({ type: "a", description: "d" }));
  handle.update({ enabled: false, availability: { clear: { available: false, reason: "r" }, other: true } });
  handle.invalidate();
  expectTypeOf(handle.status, expectation<"active" | "rejected" | "unregistered">());
  // @ts-expect-error -- `available` is missing
  handle.update({ availability: { clear: { reason: "r" } } });
}

// Snapshots.
const snapshot = registry.snapshot({ consumer: { id: "copilot", kind: "embedded" }, scope: ["devices"] });
expectTypeOf(snapshot, expectation<SurfaceSnapshot>());
// @ts-expect-error -- frozen
snapshot.components[0]!.actions[0]!.available = true;
// @ts-expect-error -- no such kind of consumer
registry.snapshot({ consumer: { id: "copilot", kind: "human" } });

// Calls: the code tells which details there are.
const result = await registry.invoke({ capabilityId: "view:a.b", input: { ids: [] } }, { signal: new AbortController().signal });
expectTypeOf(result, expectation<InvocationResult>());
if (result.status === "ok") {
  expectTypeOf(result.output, expectation<JsonValue | undefined>());
  // @ts-expect-error -- a call that ran has no error
  void result.error;
} else if (result.error.code === "CONFIRMATION_REQUIRED") {
  expectTypeOf(result.error.details.confirmationId, expectation<string>());
} else if (result.error.code === "STALE_CAPABILITY") {
  expectTypeOf(result.error.details.liveRegistrationId, expectation<string | undefined>());
} else if (result.error.code === "CAPABILITY_NOT_FOUND") {
  expectTypeOf(result.error.details, expectation<undefined>());
} else if (result.error.code === "CONFIRMATION_INVALID") {
  expectTypeOf(result.error.details.reason, expectation<"expired" | "denied" | "consumed" | "mismatch">());
}
const counted = await registry.invoke<{ count: number }>({ capabilityId: "view:a.b" });
if (counted.status === "ok") expectTypeOf(counted.output?.count, expectation<number | undefined>());
// @ts-expect-error -- a call names its capability
registry.invoke({ input: {} });

// Errors.
expectType<Equal<(typeof AGENT_CAPABILITY_ERROR_CODES)[number], AgentCapabilityErrorCode>>();
const error = new AgentSurfaceError({ code: "NOT_AUTHORIZED", message: "m", details: { origin: "server" } }, { cause: 1 });
expectTypeOf(error.code, expectation<AgentCapabilityErrorCode>());
// @ts-expect-error -- no such code
new AgentSurfaceError({ code: "FORBIDDEN", message: "m" });
declare const thrown: unknown;
if (isAgentSurfaceError(thrown)) expectTypeOf(thrown.payload.message, expectation<string>());
if (thrown instanceof AgentSurfaceDefinitionError && thrown.code === "UNSUPPORTED_SCHEMA") void thrown.details?.keyword;
if (thrown instanceof AgentSurfaceRuntimeError && thrown.code === "WASM_NOT_SERVED") void thrown.details?.status;
if (thrown instanceof AgentSchemaError) expectTypeOf(thrown.issues[0]?.pointer, expectation<string | undefined>());

// Events narrow by type.
const unsubscribe = registry.subscribe((event) => {
  expectTypeOf(event, expectation<AgentSurfaceEvent>());
  if (event.type === "confirmation-resolved") expectTypeOf(event.outcome, expectation<"approved" | "denied" | "expired">());
  // @ts-expect-error -- only some events have it
  void event.capabilityId;
});
unsubscribe();

// Confirmations.
const [request] = registry.confirmations.pending();
expectTypeOf(request, expectation<PendingConfirmation | undefined>());
registry.confirmations.resolve("cnf_1", { approved: false, reason: "no" });
expectTypeOf(await registry.confirmations.waitFor("cnf_1"), expectation<"approved" | "denied" | "expired">());
// @ts-expect-error -- a decision says yes or no
registry.confirmations.resolve("cnf_1", { reason: "no" });

// Procedures.
registry.setProcedureExecutor({ paths: ["a"], execute: async ({ path, input, info }) => [path, input, info.consumer.id] });
registry.setProcedureExecutor(undefined);

// Policies.
const policy: AgentPolicy<Host> = {
  name: "p",
  onDiscovery: ({ host }) => (host.user.permissions.length ? "expose" : { outcome: "disable", reason: "r" }),
  async onAuthorize(context, next) {
    // @ts-expect-error -- no input in sight
    void context.effectiveInput;
    const inner = await next();
    expectTypeOf(inner, expectation<InvocationResult>());
  },
  onInvoke: ({ effectiveInput }, next) => (effectiveInput.ok ? next() : undefined),
};
declare const context: PolicyContext<Host>;
expectTypeOf(evaluateDiscovery([policy], context).outcome, expectation<"expose" | "disable" | "hide">());
// @ts-expect-error -- discovery is synchronous
const slow: AgentPolicy = { name: "p", onDiscovery: async () => "hide" };

// Toolsets: a topology, or a way to confirm.
const consumer = { id: "copilot", kind: "embedded" } as const;
const toolset = createAgentToolset(registry, { consumer, topology: "embedded" });
expectTypeOf(toolset.tools(), expectation<readonly AgentTool[]>());
expectTypeOf(toolset.wireNameMap().get("x"), expectation<string | undefined>());
expectTypeOf(await toolset.tools()[0]!.execute({}, { toolCallId: "c1" }), expectation<InvocationResult>());
createAgentToolset(registry, { consumer, topology: "remote" });
createAgentToolset(registry, { consumer, topology: "remote", confirmations: "wait", waitMs: 1000 });
createAgentToolset(registry, { consumer, confirmations: "two-phase" });
createAgentToolset(registry, { consumer, topology: "remote", mode: "meta", scope: ["devices"], budget: { maxComponents: 10 } });
createAgentToolset(registry, { consumer, topology: "embedded", mode: "meta" as "direct" | "meta" });
// @ts-expect-error -- a direct toolset is narrowed by its scope
createAgentToolset(registry, { consumer, topology: "embedded", budget: { maxComponents: 10 } });
// @ts-expect-error -- neither topology nor confirmations
createAgentToolset(registry, { consumer });
// @ts-expect-error -- a remote loop must bound its wait
createAgentToolset(registry, { consumer, topology: "remote", confirmations: "wait" });

// Adapters: they cannot resolve confirmations.
const adapter: AgentSurfaceAdapter = {
  name: "mine",
  start({ registry: view }) {
    view.confirmations.pending();
    // @ts-expect-error -- not for adapters
    view.confirmations.resolve("cnf_1", { approved: true });
    // @ts-expect-error -- not for adapters
    view.register({ type: "a", description: "d" });
  },
  stop() {},
};
const detach = registry.attach(adapter, { consumer: { id: "mine", kind: "other" }, snapshotContext: { scope: ["a"] } });
detach();
const webmcp = createWebMcpAdapter({
  exposeCapability: (descriptor) => ("procedureId" in descriptor ? null : { title: descriptor.name, annotations: { later: 1 } }),
});
expectTypeOf(fromEntry(), expectation<typeof webmcp>());
if (webmcp.diagnose().code === "permissions-policy") void webmcp.status().rejected[0]?.reason;
webmcp.start({ registry });
registry.attach(webmcp, { consumer: { id: "browser", kind: "webmcp" } });
registry.attach(webmcp);
// @ts-expect-error -- who calls through an adapter of one's own?
registry.attach(adapter);
// Explaining takes the registry itself.
const { capabilities: explained } = explainSurface(registry, { consumer: { id: "c", kind: "test" }, scope: ["a"] });
expectTypeOf(explained[0]!.outcome, expectation<"expose" | "disable" | "hide">());
void explained[0]!.policies[0]?.discovery?.reason;
// @ts-expect-error -- an adapter's view has nothing to explain
explainSurface({} as AgentSurfaceRegistryView);
createAgentSurfaceRegistry({ duplicateSuffixPolicy: "error", onRegister: ({ stack }) => (stack ? "reject" : "accept") });
// @ts-expect-error -- no such policy
createAgentSurfaceRegistry({ duplicateSuffixPolicy: "throw" });
expectTypeOf(registry.snapshot({ budget: { maxComponents: 3, maxBytes: 9 } }).truncated?.droppedComponents, expectation<number | undefined>());
// @ts-expect-error -- no such budget
registry.snapshot({ budget: { maxTokens: 3 } });
createAgentSurfaceRegistry<Host>({ context: () => ({ user: { permissions: [] } }), route: "/devices" });

// The approval element.
const approvals = document.querySelector("agent-approvals")!;
approvals.registry = registry;
approvals.strings = { approve: "Ja", expires: ({ summary }, seconds) => `${summary} ${seconds}` };
// @ts-expect-error -- no such text
approvals.strings = { aprove: "Ja" };
document.createElement("agent-approvals").addEventListener("agent-approval", ({ detail }) => {
  expectTypeOf(detail.approved, expectation<boolean>());
});

// Ids.
const parts = parseCapabilityId("view:a.b");
if (parts?.plane === "view") expectTypeOf(parts.componentType, expectation<string>());
expectTypeOf(decodeWireName("x"), expectation<string | undefined>());
declare const anything: unknown;
if (isValidInstanceId(anything)) expectTypeOf(anything, expectation<string>());
const checked = validateJsonSchemaDocument({});
if (!checked.ok) expectTypeOf(checked.reason, expectation<string>());

registry[Symbol.dispose]();
toolset[Symbol.dispose]();

export { slow };
