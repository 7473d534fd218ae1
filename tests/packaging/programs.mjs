// What the throw-away projects run: for each entry that brings a module, a program that loads it and has it do something.

/**
 * @typedef {object} Program
 * @property {Record<string, string>} uses  names by the entry that they are imported from
 * @property {string} run  an async function, as text
 * @property {string} answer  what it answers
 * @property {string[]} modules  the module files that a page loads for it, by their names in the package
 */

const DECLARE = "createAgentSurfaceRegistry, defineAgentComponent, fromJsonSchema, init, observation";

const DECLARED = `async () => {
  await init();
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const answer = observation({
    description: "Reads the answer",
    output: fromJsonSchema({ type: "object", properties: { answer: { type: "integer" } } }),
    read: () => ({ answer: 42 }),
  });
  registry.register(defineAgentComponent({ type: "packaging.probe", description: "Something to call", observations: { answer } }));
  const result = await registry.invoke({ capabilityId: "view:packaging.probe.answer" });
  registry.dispose();
  return JSON.stringify(result.output ?? result);
}`;

const declare = (entry, modules) => ({ uses: { [entry]: DECLARE }, run: DECLARED, answer: '{"answer":42}', modules });

/** Declares a capability and calls it. */
export const MAIN = declare("agent-surface-wasm", ["agent_surface.wasm"]);

/** The same, with the module inside the script. */
export const INLINE = declare("agent-surface-wasm/inline", []);

/** Checks values with a schema that only the engine takes. */
export const SCHEMA = {
  uses: { "agent-surface-wasm": "fromJsonSchema, init", "agent-surface-wasm/schema": "installSchemaEngine" },
  run: `async () => {
  const shape = fromJsonSchema({ oneOf: [{ type: "integer" }, { type: "string" }] });
  await Promise.all([init(), installSchemaEngine()]);
  try {
    return shape.parse(null);
  } catch (error) {
    return [shape.parse(42), error.name].join();
  }
}`,
  answer: "42,AgentSchemaError",
  modules: ["agent_surface.wasm", "agent_surface_schema.wasm"],
};

/** Projects tools, which need no surface, to a model's SDK. */
export const TARGETS = {
  uses: { "agent-surface-wasm/targets": "initTargets, projectTools" },
  run: `async () => {
  await initTargets();
  const tool = { name: "a.b", description: "d", inputSchema: { const: 1 }, state: { available: true }, execute: async () => ({ status: "ok", output: 42 }) };
  const tools = [tool, { ...tool, name: "c", inputSchema: { type: "object" } }];
  const projected = projectTools({ tools: () => tools }, { target: "openai-chat" });
  const call = { id: "c1", type: "function", function: { name: "c", arguments: "" } };
  const { messages } = await projected.answer([call]);
  return [messages[0].content, projected.report().quarantined.length].join();
}`,
  answer: "42,1",
  modules: ["agent_surface_targets.wasm"],
};

/** Answers an agent outside the page. */
export const SURFACE = {
  uses: {
    "agent-surface-wasm": "createAgentSurfaceRegistry, init",
    "agent-surface-wasm/surface": "createSurface, defineActions, initSurface",
    "agent-surface-wasm/surface/client": "SURFACE_PROTOCOL",
  },
  run: `async () => {
  await Promise.all([init(), initSurface()]);
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const double = { description: "d", input: { type: "object" }, handler: ({ n }) => 2 * n };
  defineActions(registry, { app: "a", actions: { "n.double": double } });
  const session = { agentId: "a", sessionId: "s", userId: "u", expiresAt: Date.now() + 60000, scope: ["n.double"] };
  const surface = createSurface({ registry, app: "a", expose: ["n.double"], session });
  const { ok, result } = await surface.handle({ protocol: SURFACE_PROTOCOL, id: "1", method: "invoke", capability: "n.double", input: { n: 21 } });
  registry.dispose();
  return [ok, result.output].join();
}`,
  answer: "true,42",
  modules: ["agent_surface.wasm", "agent_surface_kernel.wasm"],
};

/** Declares an endpoint for agents of other machines. */
export const INTEROP = {
  uses: { "agent-surface-wasm/interop": "createInteropManifest, initInterop" },
  run: `async () => {
  await initInterop();
  const digest = (digit) => "sha256:" + digit.repeat(64);
  const manifest = createInteropManifest({
    endpointId: "endpoint:a", endpointVersion: "1", implementationId: "implementation:a", endpointKind: "agent",
    operations: ["agent.step"], inputSchemaDigest: digest("1"), outputSchemaDigest: digest("2"),
    supportsCancellation: false, supportsDeterministicReplay: false, supportsCheckpoint: false,
    requiresRequestSignature: true, signsResponses: true,
    maximumRequestBytes: 4096, maximumResponseBytes: 4096, maximumStepsPerSession: 9,
  });
  return [manifest.protocol, manifest.manifestDigest.slice(0, 14)].join();
}`,
  answer: "agentplat-interop/1,sha256:c56d985",
  modules: ["agent_surface_interop.wasm"],
};

/** A page that shows `frame.html`, and what the peer there says at last. */
export const PEERED = {
  uses: {
    "agent-surface-wasm": "createAgentSurfaceRegistry, init",
    "agent-surface-wasm/surface": "createPostMessageTransport, createSessionRegistry, defineActions, initSurface",
  },
  run: `async () => {
  await Promise.all([init(), initSurface()]);
  const registry = createAgentSurfaceRegistry({ environment: "test" });
  const actions = { answer: { description: "Answers", handler: () => 42 }, hidden: { description: "Hidden", handler: () => 0 } };
  defineActions(registry, { app: "packaging", actions });
  const origins = [location.origin];
  const sessions = createSessionRegistry({ ttlMs: 60000, maxSessions: 1 });
  const surface = { registry, app: "packaging", expose: ["answer"] };
  createPostMessageTransport({ surface, sessions, origins, authorize: () => ({ userId: "u", scope: ["answer"] }) });
  const frame = document.body.appendChild(document.createElement("iframe"));
  frame.src = "frame.html";
  return new Promise((resolve) => { window.said = resolve; });
}`,
  answer: "42,CAPABILITY_NOT_EXPOSED",
  modules: ["agent_surface.wasm", "agent_surface_kernel.wasm"],
};

/** The peer in that frame. */
export const PEER = {
  uses: { "agent-surface-wasm/surface/client": "SurfaceClient" },
  run: `async () => {
  const client = await SurfaceClient.connect({ origin: location.origin });
  const [given, refused] = [await client.invoke("answer"), await client.invoke("hidden")];
  return [given.result.output, refused.error.code].join();
}`,
};

const parts = [MAIN, SCHEMA, TARGETS, SURFACE, INTEROP];

/** All of them in one script. */
export const ALL = {
  uses: parts.reduce((all, { uses }) => {
    for (const [entry, names] of Object.entries(uses)) {
      all[entry] = [...new Set([...(all[entry]?.split(", ") ?? []), ...names.split(", ")])].join(", ");
    }
    return all;
  }, {}),
  run: `async () => [${parts.map(({ run }) => `await (${run})()`).join(", ")}].join(" ")`,
  answer: parts.map(({ answer }) => answer).join(" "),
  modules: [...new Set(parts.flatMap(({ modules }) => modules))],
};

const lines = (uses, line) => Object.entries(uses).map(([entry, names]) => line(`{ ${names} }`, JSON.stringify(entry))).join("\n");

/** As an ES module, with `run`. */
export const asModule = ({ uses, run }) => `${lines(uses, (names, entry) => `import ${names} from ${entry};`)}\nconst run = ${run};\n`;

/** As CommonJS, with `run`. */
export const asCommon = ({ uses, run }) => `${lines(uses, (names, entry) => `const ${names} = require(${entry});`)}\nconst run = ${run};\n`;

/** For a console: prints the answer. */
export const PRINT = "run().then(console.log, (error) => { console.error(error); process.exitCode = 1; });\n";

/** For a page: its title becomes the answer, or the error with its code. */
export const SHOW =
  'run().then((answer) => { document.title = answer; }, (error) => { document.title = [error.code, error.message].join(" "); });\n';

/** For a page that starts the worker `worker.js`: its title becomes what that posts. */
export const WORKER = `
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => { document.title = data; };
worker.onerror = ({ message }) => { document.title = message ?? "the worker did not start"; };
`;

/** For a frame: tells the page that shows it. */
export const TELL = "run().then(parent.said, (error) => parent.said(String(error)));\n";

/** For that worker: posts the answer. */
export const POST = "run().then(postMessage, (error) => postMessage(String(error)));\n";
