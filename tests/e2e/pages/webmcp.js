// The page that the WebMCP tests drive: what surface.js has, and `W`, the ways of the browser's agent and the shapes
// that browsers give to `modelContext`.

import "./surface.js";

const context = () => document.modelContext;

const tools = () => context().getTools();
const names = async () => (await tools()).map(({ name }) => name).sort();

/** Calls a tool as the browser's agent does: with what `getTools` gave, and back comes text. */
const call = async (name, input = {}, options) => {
  const tool = (await tools()).find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return JSON.parse(await context().executeTool(tool, input, options));
};

/** `["ok", value]` or `[code, details]` of MCP content. */
const told = ({ isError, structuredContent }) =>
  isError ? [structuredContent.code, structuredContent.details] : ["ok", structuredContent];

/** An adapter on a registry; `stop` detaches it. */
const attach = (registry, options, consumer = { id: "browser", kind: "webmcp" }) => {
  const adapter = A.createWebMcpAdapter(options);
  return { adapter, stop: registry.attach(adapter, { consumer }) };
};

/** Counts what reaches `registerTool` of a context, and the aborts of what was registered. */
const spy = (host) => {
  const counts = { registered: 0, aborted: 0 };
  const real = host.registerTool;
  host.registerTool = (tool, options) => {
    counts.registered++;
    options.signal.addEventListener("abort", () => counts.aborted++);
    return real.call(host, tool, options);
  };
  counts.restore = () => delete host.registerTool;
  counts.take = () => {
    const { registered, aborted } = counts;
    counts.registered = counts.aborted = 0;
    return [registered, aborted];
  };
  return counts;
};

/**
 * A host of some shape. `frees`: when an aborted name is free again (`now`, `later`); `knowsSignals`: whether it looks
 * at `signal`; `whole`: only `provideContext`; `asText`: hands arguments as JSON text.
 */
const host = ({ frees = "now", knowsSignals = true, unregisters = false, whole = false, asText = false } = {}) => {
  const held = new Map();
  const log = [];
  const made = { held, log };
  const add = (tool, signal) => {
    if (held.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
    held.set(tool.name, tool);
    log.push(`+${tool.name}`);
    signal?.addEventListener("abort", () => {
      log.push(`-${tool.name}`);
      const free = () => held.get(tool.name) === tool && held.delete(tool.name);
      if (frees === "now") free();
      else globalThis.setTimeout(free, 30);
    });
  };
  if (whole) {
    made.provideContext = ({ tools: list }) => {
      log.push(list.map(({ name }) => name).join(" "));
      held.clear();
      for (const tool of list) held.set(tool.name, tool);
    };
  } else if (knowsSignals) {
    made.registerTool = async (tool, { signal } = {}) => add(tool, signal);
  } else {
    made.registerTool = (tool) => add(tool);
  }
  if (unregisters) {
    made.unregisterTool = (name) => {
      if (!held.delete(name)) throw new DOMException("Invalid tool name", "InvalidStateError");
      log.push(`-${name}`);
    };
  }
  made.call = (name, input, extra) => held.get(name).execute(asText ? JSON.stringify(input) : input, extra);
  return made;
};

globalThis.W = { attach, call, host, names, spy, told, tools };
