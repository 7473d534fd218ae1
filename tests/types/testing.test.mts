// `/testing` and `/testing/matchers`.

import type { AdapterHost, AgentConsumer, AgentSurfaceAdapter, InvocationResult, JsonValue, SurfaceSnapshot } from "agent-surface-wasm";
import { adapterChecks, checkAdapter, createTestSurface, serializeSurfaceSnapshot } from "agent-surface-wasm/testing";
import type { AdapterCheckResult, AdapterPeer, CapabilityRef, TestSurface } from "agent-surface-wasm/testing";
import { matchers, type SurfaceMatchers } from "agent-surface-wasm/testing/matchers";
import { expectation, expectType, expectTypeOf, type Equal } from "./expect.mjs";

const surface = createTestSurface({ consumer: { id: "copilot", kind: "embedded" }, host: { user: "a" } });
expectTypeOf(surface.snapshot({ scope: ["devices"] }), expectation<SurfaceSnapshot>());
expectTypeOf(surface.invoke("view:a.b", { text: "a" }, { instanceId: "main" }), expectation<Promise<InvocationResult<JsonValue>>>());
expectTypeOf(surface.invoke<{ rows: number }>("view:a.b"), expectation<Promise<InvocationResult<{ rows: number }>>>());
expectTypeOf(surface.observe<string[]>("view:a.b"), expectation<Promise<string[]>>());
const ref = surface.captureRef("view:a.b", { instanceId: "main" });
expectTypeOf(ref, expectation<CapabilityRef>());
surface.invoke(ref, {});
expectTypeOf(surface.as({ id: "browser", kind: "webmcp" }), expectation<TestSurface>());
surface.confirmations.approve();
surface.confirmations.deny("cnf_1", "not now");
expectTypeOf(surface.confirmations.expire(), expectation<boolean>());
expectTypeOf(serializeSurfaceSnapshot(surface.snapshot(), { includeVersion: true }), expectation<string>());
// @ts-expect-error -- no such option
createTestSurface({ consumers: [] });
// @ts-expect-error -- no such kind
surface.as({ id: "x", kind: "robot" });

expectType<Equal<AdapterHost["consumer"], AgentConsumer>>();
declare const adapter: AgentSurfaceAdapter;
const peer: AdapterPeer = {
  adapter,
  topology: "remote",
  tools: async () => [{ name: "a", description: "A" }],
  call: (name, input, { attemptId, confirmationId }) => ({ status: "ok", output: [name, input, attemptId, confirmationId] }),
};
expectTypeOf(checkAdapter(() => peer), expectation<Promise<AdapterCheckResult[]>>());
for (const check of adapterChecks(async () => peer, { kind: "mcp-bridge" })) expectTypeOf(check.run(), expectation<Promise<void>>());
// @ts-expect-error -- an answer has a status
const wrong: AdapterPeer = { ...peer, call: () => ({ output: 1 }) };

declare const extended: SurfaceMatchers;
extended.toFailWith("TIMEOUT", { timeoutMs: 1 });
expectTypeOf(matchers.toBeOk({}).pass, expectation<boolean>());
