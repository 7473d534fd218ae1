// `checkAdapter` in Node: adapters of this package pass, and each of a set of broken ones fails in its own line only.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { PACKAGE } from "./harness/server.mjs";
import { usePage } from "./surface-page.mjs";

const load = (name) => import(pathToFileURL(join(PACKAGE, "dist", `${name}.mjs`)));
const A = await load("inline");
const { adapterChecks, checkAdapter } = await load("testing");
await A.init();

const IDS = ["duty", "checklist"].flatMap((list) => Array.from({ length: 8 }, (_, at) => `${list}-${at + 1}`));
const wire = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const available = (entries) => entries.filter((entry) => entry.available);

/** What an adapter that is written by hand does, each step of it open to be done wrong. */
const RIGHT = {
  snapshot: ({ registry, consumer, snapshotContext }) => registry.snapshot({ ...snapshotContext, consumer }),
  consumer: (host) => host.consumer,
  describe: (text) => text,
  names: (entries) => A.assignWireNames(entries),
  tokens: ({ registrationId, surfaceVersion }) => ({ registrationId, surfaceVersion }),
  invocationId: (attemptId) => attemptId,
  answer: ({ status, output, error }) => ({ status, output, error }),
  shown: (tools) => tools,
  again: (invoke, request) => invoke(request),
  merge: (entries) => entries,
  follows: true,
  stops: (unsubscribe) => unsubscribe(),
  declared: { topology: "remote" },
};

const entriesOf = (snapshot, describe) => {
  const label = (plane, effect, confirmation, text) =>
    describe(`[${plane} · ${effect}${confirmation === "required" ? " · requires confirmation" : ""}] ${text}`);
  const views = snapshot.components.flatMap(({ type, instanceId, registrationId, observations, actions }) =>
    available([...observations, ...actions]).map((each) => ({
      capabilityId: each.capabilityId,
      key: `${each.capabilityId}@${instanceId}`,
      instanceId,
      registrationId,
      description: label("view", each.effect ?? "read", each.confirmation, each.description),
      inputSchema: each.inputSchema ?? { type: "object", additionalProperties: false },
      isOneOf: snapshot.components.filter((other) => other.type === type).length > 1,
    })),
  );
  const domain = available(snapshot.procedures).map((each) => ({
    capabilityId: each.procedureId,
    key: each.procedureId,
    registrationId: each.registrationId,
    description: label("domain", each.effect, each.confirmation, each.description),
    inputSchema: each.inputSchema,
  }));
  return [...views, ...domain].map((entry) => ({ ...entry, surfaceVersion: snapshot.surfaceVersion }));
};

const peerOf = (wrong = {}) => {
  const how = { ...RIGHT, ...wrong };
  let host;
  let catalog = [];
  let unsubscribe = () => undefined;
  const look = () => {
    const entries = how.merge(entriesOf(how.snapshot(host), how.describe), catalog);
    const names = how.names(entries.map(({ capabilityId, instanceId, isOneOf }) => (isOneOf ? { capabilityId, instanceId } : { capabilityId })));
    catalog = entries.map((entry, at) => ({ ...entry, name: entry.name ?? names[at] }));
  };
  const adapter = {
    name: "by hand",
    start(given) {
      if (host) return;
      host = given;
      look();
      unsubscribe = host.registry.subscribe(({ type }) => type === "surface-changed" && how.follows && look());
    },
    stop() {
      how.stops(unsubscribe);
      host = undefined;
      catalog = [];
    },
  };
  const invoke = async (entry, input, attemptId, confirmationId) => {
    const { registry } = host;
    const run = (request) => registry.invoke(request, { consumer: how.consumer(host) });
    const { capabilityId, instanceId } = entry;
    const invocationId = how.invocationId(attemptId, entry);
    return how.again(run, { capabilityId, instanceId, ...how.tokens(entry), invocationId, input, confirmationId });
  };
  return {
    adapter,
    ...how.declared,
    tools: () => wire(how.shown(catalog.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })))),
    async call(name, input, { attemptId, confirmationId }) {
      const entry = catalog.find((each) => each.name === name);
      if (!entry) return { status: "error", error: { code: "CAPABILITY_NOT_FOUND", message: "no such tool", retry: "after-refresh" } };
      const answer = how.answer(await invoke(entry, wire(input), attemptId, confirmationId));
      return answer === undefined ? new Promise(() => undefined) : wire(answer);
    },
  };
};

const toolsetPeer = (topology) => () => {
  let toolset;
  const adapter = {
    name: "toolset",
    start({ registry, consumer, snapshotContext }) {
      toolset = A.createAgentToolset(registry, { consumer, topology, scope: snapshotContext?.scope });
    },
    stop() {
      toolset?.dispose();
    },
  };
  return {
    adapter,
    topology,
    tools: () => toolset.tools().filter(({ state }) => state.available),
    call: async (name, input, { attemptId, confirmationId }) => {
      const tool = toolset.tools().find((each) => each.name === name);
      if (!tool) return { status: "error", error: { code: "CAPABILITY_NOT_FOUND" } };
      return tool.execute(input, { toolCallId: attemptId, confirmationId });
    },
  };
};

const webMcpPeer = (options) => () => {
  const tools = new Map();
  const registerTool = async (tool, { signal }) => {
    if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
    tools.set(tool.name, tool);
    signal.addEventListener("abort", () => tools.delete(tool.name));
  };
  return {
    adapter: A.createWebMcpAdapter({ modelContext: { registerTool }, ...options }),
    topology: "remote",
    confirmations: options.confirmations,
    attempts: false,
    tools: () => [...tools.values()],
    call: async (name, input) => {
      const tool = tools.get(name);
      if (!tool) return { status: "error", error: { code: "CAPABILITY_NOT_FOUND" } };
      const { isError, structuredContent } = await tool.execute(input, { signal: new AbortController().signal });
      return isError ? { status: "error", error: structuredContent } : { status: "ok", output: structuredContent };
    },
  };
};

const failures = async (factory, timeoutMs) => {
  const report = await checkAdapter(factory, timeoutMs === undefined ? {} : { timeoutMs });
  assert.deepEqual(report.map(({ id }) => id), IDS);
  return report.filter(({ ok }) => !ok).map(({ id, message }) => `${id}: ${message}`);
};

for (const [name, factory] of Object.entries({
  "an adapter that is written by hand": () => peerOf(),
  "a toolset beside the page": toolsetPeer("embedded"),
  "a toolset on a server": toolsetPeer("remote"),
  "the WebMCP adapter": webMcpPeer({ confirmations: "two-phase" }),
  "the WebMCP adapter that waits": webMcpPeer({ confirmations: "wait" }),
})) {
  test(`${name} keeps every duty`, async () => assert.deepEqual(await failures(factory), []));
}

/** The first consumer that any adapter was given, and the last host. */
let first;
let last;

const BROKEN = {
  "duty-1: takes its snapshots as nobody": [
    { snapshot: ({ registry, snapshotContext }) => registry.snapshot(snapshotContext) },
    /acted as `embedded:anonymous`/,
  ],
  "duty-2: keeps the descriptors of an earlier version": [
    { merge: (entries, before) => entries.map((entry) => ({ ...entry, ...pick(before.find(({ key }) => key === entry.key)) })) },
    /not shown `The second words`/,
  ],
  "duty-3: leaves out the registration": [{ tokens: ({ surfaceVersion }) => ({ surfaceVersion }) }, /no `registrationId`/],
  "duty-4: makes the id of a call from its tool": [{ invocationId: (_, { name }) => name }, /did not run/],
  "duty-5: shortens errors to code and message": [
    { answer: ({ status, output, error }) => ({ status, output, error: error && { code: error.code, message: error.message } }) },
    /`retry` "after-refresh" arrived as undefined/,
  ],
  "duty-6: leaves the label off": [{ describe: (text) => text.replace(/^\[.*?\] /, "") }, /does not say `local-state`/],
  "duty-7: uses ids as names": [
    { names: (entries) => entries.map(({ capabilityId, instanceId }) => (instanceId ? `${capabilityId}@${instanceId}` : capabilityId)) },
    /is no name that every provider takes/,
  ],
  "duty-8: declares no topology": [{ declared: {} }, /says who waits/],
  "checklist-1: every instance acts as the first one": [
    {
      consumer: ({ consumer }) => (first ??= consumer),
      snapshot: ({ registry, snapshotContext, consumer }) => registry.snapshot({ ...snapshotContext, consumer: (first ??= consumer) }),
    },
    /share the namespace/,
  ],
  "checklist-2: never drops a tool": [
    { merge: (entries, before) => [...entries, ...before.filter(({ key }) => !entries.some((entry) => entry.key === key))] },
    /still shown a capability that is gone/,
  ],
  "checklist-3: leaves out the version": [{ tokens: ({ registrationId }) => ({ registrationId }) }, /no `surfaceVersion`/],
  "checklist-4: tries again under another id": [
    {
      again: async (invoke, request) => {
        const answer = await invoke(request);
        if (answer.error?.code !== "INVOCATION_CONFLICT") return answer;
        return invoke({ ...request, invocationId: `${request.invocationId}-again` });
      },
    },
    /another request under the same attempt id was answered with ok/,
  ],
  "checklist-5: swallows what was cancelled": [
    { answer: (result) => (result.error?.code === "CANCELLED" ? undefined : RIGHT.answer(result)) },
    /no answer when the registry was disposed/,
  ],
  "checklist-6: keeps what a name meant first": [
    {
      merge: (entries, before) => entries.map((entry) => ({ ...entry, registrationId: kept(before, entry).registrationId })),
      tokens: RIGHT.tokens,
    },
    /whose component is mounted anew/,
  ],
  "checklist-7: stays subscribed": [
    {
      stops: () => undefined,
      snapshot: (host) => RIGHT.snapshot((last = host ?? last)),
    },
    /still looked at the surface/,
  ],
  "checklist-8: offers the first twenty": [{ merge: (entries) => entries.slice(0, 20) }, /the peer is not shown `Reads part/],
};

const allAvailable = (snapshot) => {
  const open = (list) => list.map((each) => ({ ...each, available: true }));
  const components = snapshot.components.map((each) => ({ ...each, actions: open(each.actions), observations: open(each.observations) }));
  return { ...snapshot, components };
};
const pick = (before) => (before ? { description: before.description, inputSchema: before.inputSchema } : {});
const kept = (before, entry) => before.find(({ capabilityId }) => capabilityId === entry.capabilityId) ?? entry;

for (const [name, [wrong, message]] of Object.entries(BROKEN)) {
  test(`a broken adapter fails its own line only: ${name}`, async () => {
    first = undefined;
    const found = await failures(() => peerOf(wrong), 400);
    const [id] = name.split(":");
    assert.deepEqual(found.map((line) => line.split(":")[0]), [id], found.join("\n"));
    assert.match(found[0], message);
  });
}

/** Other ways to break the same lines; some break a second one, which then says so, too. */
const ALSO = {
  "duty-1 checklist-1": [{ consumer: () => undefined }],
  "duty-4 checklist-4": [{ invocationId: () => undefined }],
  "duty-5": [
    { answer: ({ status, output, error }) => ({ status, output, error: error && { ...error, retry: "no" } }) },
    { answer: ({ status, error }) => ({ status, output: "done", error }) },
  ],
  "duty-6": [{ shown: (tools) => [...tools, { name: "ping", description: "[view · read] Answers" }] }],
  "duty-7": [{ names: (entries) => entries.map(({ capabilityId, instanceId }) => `${A.encodeWireName(capabilityId)}-${instanceId ?? ""}-`.padEnd(65, "x")) }],
  "duty-8": [{ declared: { topology: "embedded" } }, { declared: { confirmations: "never" } }],
  "checklist-1": [{ snapshot: ({ registry, consumer }) => registry.snapshot({ consumer }) }],
  "checklist-8": [{ snapshot: (host) => allAvailable(RIGHT.snapshot(host)) }],
};

for (const [ids, ways] of Object.entries(ALSO)) {
  ways.forEach((wrong, at) =>
    test(`another broken adapter fails in ${ids} (${at + 1})`, async () => {
      const found = await failures(() => peerOf(wrong), 400);
      assert.deepEqual(found.map((line) => line.split(":")[0]), ids.split(" "), found.join("\n"));
    }),
  );
}

test("there is a broken adapter for each line", () => {
  assert.deepEqual(Object.keys(BROKEN).map((name) => name.split(":")[0]), IDS);
});

test("a check is a function for a test runner, with a name, that rejects with what was seen", async () => {
  const checks = adapterChecks(() => peerOf({ declared: {} }));
  assert.deepEqual(checks.map(({ id, duty, name }) => name === `${id}: ${duty}`), checks.map(() => true));
  await assert.rejects(checks.find(({ id }) => id === "duty-8").run(), /neither `topology` nor `confirmations`/);
  await checks.find(({ id }) => id === "duty-1").run();
});

test("a factory that gives no peer is told so, in every line", async () => {
  const report = await checkAdapter(() => ({ adapter: { name: "x", start() {}, stop() {} } }), { timeoutMs: 50 });
  assert.ok(report.every(({ ok, message }) => !ok && /the factory gives no `tools` function/.test(message)));
});

test("an end that fails or never comes is told, unless the check itself found something", async () => {
  const run = (id, more, wrong) => {
    const factory = () => ({ ...peerOf(wrong), ...more });
    return adapterChecks(factory, { timeoutMs: 400 }).find((check) => check.id === id).run();
  };
  const never = () => new Promise(() => undefined);
  const fails = () => {
    throw new Error("the line is down");
  };
  await assert.rejects(run("duty-1", { close: fails }), /the line is down/);
  await assert.rejects(run("duty-1", { close: never }), /the peer did not close within 400 ms/);
  await assert.rejects(run("duty-8", { close: fails }, { declared: {} }), /says who waits/);
  // A call that fails while nobody waits for it yet is no error of the process.
  await assert.rejects(run("checklist-5", { call: async () => fails() }), /the call did not run/);
  const [absent] = adapterChecks(never, { timeoutMs: 50 });
  await assert.rejects(absent.run(), /the factory gave no peer within 50 ms/);
});

test("whatever an adapter throws, and whatever it lists, each line says what was seen", async () => {
  const odd = [Object.create(null), Symbol("odd"), Object.defineProperty(new Error(), "message", { get: () => odd[0] }), undefined, Object.assign(new Error(), { message: Symbol("m") })];
  for (const thrown of odd) {
    const report = await checkAdapter(() => Promise.reject(thrown), { timeoutMs: 50 });
    assert.deepEqual(report.map(({ id, ok, message }) => [id, ok, typeof message]), IDS.map((id) => [id, false, "string"]));
  }
  // A list that would answer yes to every question.
  const yes = { name: "a", description: { includes: () => true } };
  for (const listed of ["abc", [null], [{ description: "x" }], [yes]]) {
    const factory = () => ({ ...peerOf(), tools: () => listed });
    const check = adapterChecks(factory, { timeoutMs: 50 }).find(({ id }) => id === "duty-2");
    await assert.rejects(check.run(), /gave no list of \{ name, description\?, … \}/);
  }
});

test("a time to wait that is none is refused, and nothing waits for ever", async () => {
  for (const timeoutMs of [NaN, Infinity, 0, -1, 2 ** 31, "soon"]) {
    assert.throws(() => adapterChecks(() => peerOf(), { timeoutMs }), /`timeoutMs` must be a number from 1 to 2147483647/);
    await assert.rejects(checkAdapter(() => peerOf(), { timeoutMs }), TypeError);
  }
});

const { run } = usePage({ webmcp: true });

test("in a page, with the browser's own WebMCP, the adapter keeps every duty", async () => {
  const failed = await run(async () => {
    const { checkAdapter } = await import("/pkg/dist/testing.js");
    const context = document.modelContext;
    const createPeer = () => ({
      adapter: A.createWebMcpAdapter(),
      topology: "remote",
      attempts: false,
      tools: () => context.getTools(),
      async call(name, input) {
        const tool = (await context.getTools()).find((each) => each.name === name);
        if (!tool) return { status: "error", error: { code: "CAPABILITY_NOT_FOUND" } };
        const { isError, structuredContent } = JSON.parse(await context.executeTool(tool, input));
        return isError ? { status: "error", error: structuredContent } : { status: "ok", output: structuredContent };
      },
    });
    // One document has one set of names: a second adapter beside the first has nothing to offer there.
    const report = await checkAdapter(createPeer, { kind: "webmcp", timeoutMs: 5_000 });
    return report.filter(({ ok }) => !ok);
  });
  assert.deepEqual(failed, []);
});
