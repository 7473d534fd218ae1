// The packed declarations, as TypeScript finds them: from ES modules, from CommonJS, and for bundlers.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { project } from "./project.mjs";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

const USE = (entry) => `
import { init, createAgentSurfaceRegistry } from "agent-surface-wasm${entry}";
import type { AgentSurfaceRegistry } from "agent-surface-wasm${entry}";
export const ready: Promise<void> = init();
export const made: AgentSurfaceRegistry = createAgentSurfaceRegistry({ environment: "test" });
// @ts-expect-error: an environment that does not exist
export const refused = createAgentSurfaceRegistry({ environment: "staging" });
`;
const WEBMCP = `
import { createWebMcpAdapter } from "agent-surface-wasm/webmcp";
export const adapter = createWebMcpAdapter();
`;
const TESTING = `
import { checkAdapter, createTestSurface } from "agent-surface-wasm/testing";
import { matchers } from "agent-surface-wasm/testing/matchers";
export const surface = createTestSurface();
export const report: Promise<{ ok: boolean }[]> = checkAdapter(() => ({
  adapter: { name: "none", start() {}, stop() {} },
  topology: "remote",
  tools: () => [],
  call: (name) => ({ status: "error", error: { code: "CAPABILITY_NOT_FOUND", message: name } }),
}));
export const matches: unknown = matchers.toBeOk;
`;
const MATCHERS = (from) => `
import { expect } from "${from}";
import { createTestSurface } from "agent-surface-wasm/testing";
import { matchers } from "agent-surface-wasm/testing/matchers";
expect.extend(matchers);
const surface = createTestSurface();
expect(surface).toExpose("view:a.b");
expect(surface).not.toExposeUnavailable("view:a.b", "closed");
expect(await surface.invoke("view:a.b")).toFailWith("TIMEOUT", { timeoutMs: 1 });
await expect(surface.invoke("view:a.b")).resolves.toBeOk();
expect(surface).toMatchSurfaceSnapshot();
// @ts-expect-error -- no such code
expect(surface).toFailWith("NOT_A_CODE");
// @ts-expect-error -- no such matcher
expect(surface).toExposed("view:a.b");
`;
const EXPLAIN = `
import { explainSurface } from "agent-surface-wasm/explain";
import { createAgentSurfaceRegistry } from "agent-surface-wasm";
export const hidden = explainSurface(createAgentSurfaceRegistry()).capabilities.filter(({ outcome }) => outcome === "hide");
`;
const TARGETS = `
import { initTargets, projectTools } from "agent-surface-wasm/targets";
import type { AgentToolset } from "agent-surface-wasm";
export const ready: Promise<void> = initTargets();
export const names = (toolset: AgentToolset): string[] => projectTools(toolset, { target: "anthropic" }).tools().map(({ name }) => name);
`;
const SCHEMA = `
import { installSchemaEngine } from "agent-surface-wasm/schema";
export const ready: Promise<void> = installSchemaEngine({ documents: { "https://example.com/a.json": { type: "string" } } });
// @ts-expect-error: an option that does not exist
export const refused = installSchemaEngine({ document: {} });
`;
const REACT = `
import { useAgentComponent, useToolset } from "agent-surface-wasm/react";
export const useIt = (): string => useAgentComponent({ type: "a", description: "d" }).status;
// @ts-expect-error: who waits has no default
export const useTools = () => useToolset({ consumer: { id: "a", kind: "embedded" } });
`;
const SURFACE = `
import { createPostMessageTransport, createSessionRegistry, createSurface, defineActions, initSurface, SURFACE_PROTOCOL } from "agent-surface-wasm/surface";
import { SurfaceClient } from "agent-surface-wasm/surface/client";
import { createAgentSurfaceRegistry } from "agent-surface-wasm";
export const ready: Promise<void> = initSurface();
const registry = createAgentSurfaceRegistry();
defineActions(registry, { app: "a", actions: { "todo.add": { description: "Adds", confirm: "always", handler: ({ text }) => text } } });
const sessions = createSessionRegistry({ ttlMs: 1000, maxSessions: 2 });
const session = sessions.create({ agentId: "a", userId: "u", scope: ["todo.add"] })!;
const surface = createSurface({ registry, app: "a", expose: ["todo.add"], session });
export const response = surface.handle({ protocol: SURFACE_PROTOCOL, id: "1", method: "describe" });
const options = { surface: { registry, app: "a", expose: ["todo.add"] }, sessions, origins: ["https://a.example"] };
export const peers = createPostMessageTransport({ ...options, authorize: () => ({ userId: "u", scope: [] }) }).peers();
export const codes = async (client: SurfaceClient) => {
  const answer = await client.invoke("todo.add", {});
  if (!answer.ok) return answer.error.code;
  return answer.result.error === undefined ? answer.result.output : answer.result.error.code;
};
// @ts-expect-error: an exact origin must be said
export const refused = SurfaceClient.connect({ name: "x" });
`;
const INTEROP = `
import {
  createInteropManifest, createSchemaResolver, HttpInteropTransport, InMemoryInteropOutboundSequenceStore, initInterop, InteropClient,
  InteropEndpointRouter, InteropPortableAgentAdapter, InteropSimulationEnvironmentClient, isInteropError, WebCryptoAuthenticity,
} from "agent-surface-wasm/interop";
import type { InteropDurableStores, InteropManifestBody, InteropRouterOptions, InteropTransport } from "agent-surface-wasm/interop";
export const ready: Promise<void> = initInterop();
export const make = (body: InteropManifestBody, key: CryptoKey, stores: InteropDurableStores) => {
  const schemas = createSchemaResolver({ [body.inputSchemaDigest]: { type: "object" }, [body.outputSchemaDigest]: true });
  const authenticity = new WebCryptoAuthenticity({ localSignerId: body.endpointId, privateKey: key, resolve: () => undefined });
  const admission = { admit: () => true };
  const options = { routerInstanceId: "r", manifest: createInteropManifest(body), handlers: {}, admission, schemas, authenticity };
  const router = new InteropEndpointRouter({ ...options, durableStores: stores });
  new InteropEndpointRouter({ ...options, localOnly: true });
  // @ts-expect-error: one of the two must be said
  const silent: InteropRouterOptions = options;
  // @ts-expect-error: and not both
  const both: InteropRouterOptions = { ...options, localOnly: true, durableStores: stores };
  const direct: InteropTransport = {
    manifest: () => router.manifest,
    exchange: async (text) => (await router.handle(text, { logicalTimeMs: 1 })).text,
  };
  return [direct, new HttpInteropTransport({ baseUrl: "https://a.example/" }), silent, both];
};
export const use = async (client: InteropClient) => {
  const agent = new InteropPortableAgentAdapter(client);
  await agent.step({ sessionId: "s", stepSequence: 1, request: { stepId: "a", logicalTimeMs: 1 } });
  // @ts-expect-error: a step has a request
  await agent.step({ sessionId: "s", stepSequence: 1 });
  const environment = new InteropSimulationEnvironmentClient(client, "s", new InMemoryInteropOutboundSequenceStore());
  const { status } = await environment.reset({ seed: 1 }, 1);
  // @ts-expect-error: no such status
  return status === "done";
};
export const codeOf = (error: unknown): string | undefined => (isInteropError(error) ? error.code : undefined);
`;
const ENTRIES = { main: "", inline: "/inline", slim: "/slim" };

const compile = async (compilerOptions, extension) => {
  const uses = Object.entries(ENTRIES).map(([name, entry]) => [`${name}.${extension}`, USE(entry)]);
  const files = Object.fromEntries([...uses, [`webmcp.${extension}`, WEBMCP], [`testing.${extension}`, TESTING], [`explain.${extension}`, EXPLAIN], [`schema.${extension}`, SCHEMA], [`targets.${extension}`, TARGETS], [`react.${extension}`, REACT], [`surface.${extension}`, SURFACE], [`interop.${extension}`, INTEROP]]);
  return check(files, compilerOptions, ["react", "@types/react", "csstype"]);
};

/** What the compiler says of a project. */
const check = async (files, compilerOptions, link) => {
  const options = { strict: true, noEmit: true, types: [], target: "es2022", lib: ["es2022", "dom"], ...compilerOptions };
  const made = await project({ ...files, "tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["."] }) }, { link });
  try {
    const run = promisify(execFile)(process.execPath, [tsc, "-p", made.folder]);
    return await run.then(
      () => "",
      (error) => error.stdout,
    );
  } finally {
    await made.remove();
  }
};

test("an ES module finds them", async () => {
  assert.equal(await compile({ module: "nodenext", moduleResolution: "nodenext" }, "mts"), "");
});

test("a CommonJS module finds them, as CommonJS", async () => {
  assert.equal(await compile({ module: "node16", moduleResolution: "node16" }, "cts"), "");
});

test("a bundler's resolution finds them", async () => {
  assert.equal(await compile({ module: "esnext", moduleResolution: "bundler" }, "ts"), "");
});

const RUNNERS = { vitest: ["vitest"], "@jest/globals": ["@jest/globals", "expect"] };
for (const [from, link] of Object.entries(RUNNERS)) {
  test(`${from} knows the matchers`, async () => {
    // Their own declarations are not held to our options.
    const options = { module: "nodenext", moduleResolution: "nodenext", skipLibCheck: true, lib: ["es2022", "dom", "esnext.disposable"] };
    assert.equal(await check({ "matchers.mts": MATCHERS(from) }, options, link), "");
  });
}
