// `createWebMcpAdapter`: the page's capabilities for the browser's own agent. All drift of the browsers' API is absorbed
// here and nowhere else; what is offered, withdrawn and answered is the core's decision.

import { ACCEPT_OFFER, BROWSER_STATUS, CLOSE_TOOLSET, OFFERED_TARGET, OFFERED_TOOL, RECONCILE } from "./codes.js";
import { toConsumer } from "./context.js";
import { must } from "./errors.js";
import { checkedCopy } from "./json.js";
import { invokeAs, readCall, runCall } from "./invoke.js";
import { oneOf, onlyContext, onlyOptions } from "./options.js";
import { hostOf } from "./registry.js";
import { budgetOf, describeFor, lookAs, scopeText } from "./snapshot.js";
import { requireWasm, trapped } from "./realm.js";
import { attempt, isFunction, isThenable, quietly } from "./thenable.js";
import { checkWaitMs } from "./toolset.js";

const DEFAULT_WAIT_MS = 60_000;
/** Pauses before an offer is made again, for a browser that frees a name late. */
const RETRY_MS = 20;

/** The status of an adapter that offers nothing. */
const nothing = () => ({ tools: [], skipped: [], rejected: [] });

/** Adapters that were given no consumer, for their ids. */
let anonymous = 0;

const SENTENCES = {
  ok: "The browser's agent sees the tools that `status()` lists.",
  "insecure-context": "WebMCP needs a secure context: https, or http://localhost.",
  "opaque-origin": "A document of an opaque origin (about:blank, data:) has no WebMCP: give it an address.",
  "permissions-policy": 'The permissions policy forbids WebMCP: add allow="tools" to the <iframe>, or allow it in the Permissions-Policy header.',
  "no-api": "This browser has no WebMCP: switch it on (Chrome: the WebMCP flag or an origin trial), or use another.",
  "unsupported-shape": "`modelContext` has neither `registerTool` nor `provideContext`: use another version.",
  "registration-rejected": "The browser refused tools: see `status().rejected`.",
};

const textOf = (error) =>
  attempt(() => `${error?.name ?? "Error"}: ${error?.message ?? error}`.toWellFormed().slice(0, 300), "Error");

/** A call's result in the form of MCP, which always resolves: a rejection reaches the agent without its reason. */
const toContent = (result) => {
  const isError = result.status !== "ok";
  const value = isError ? result.error : result.output;
  const content = [{ type: "text", text: value === undefined ? "null" : JSON.stringify(value) }];
  if (isError) return { content, isError, structuredContent: value };
  return value === undefined ? { content } : { content, structuredContent: value };
};

/** What one adapter offers while it runs; the host knows it among its toolsets. */
const openSession = (host, consumer, context, options, scope, budget) => {
  const { confirmations, waitMs, exposeCapability, exposedTo } = options;
  const offers = new Map();
  /** Old browsers take the whole list at once. */
  const isWhole = !isFunction(context.registerTool);
  let isDirty = false;
  let id;

  const open = () => {
    const waits = confirmations === "wait";
    id = host.enter((wasm) =>
      wasm.openToolset(consumer.kind, consumer.id, scope, waits, waits ? (waitMs ?? DEFAULT_WAIT_MS) : -1, true, ...budget),
    );
    host.toolsets.set(id, session);
    session.refresh();
  };

  const register = (entry, offer) => {
    const { signal } = offer.controller;
    const accepted = () => signal.aborted || host.late((wasm) => wasm.change(ACCEPT_OFFER, id, entry, offer.generation));
    const rejected = (error) => {
      if (session.closed || signal.aborted) return;
      if (error?.name === "NotAllowedError") session.blocked = true;
      let again = false;
      host.late((wasm) => {
        again = wasm.offerRejected(id, entry, offer.generation, textOf(error));
      });
      // Only a name that is still taken may be free a little later.
      if (again && error?.name === "InvalidStateError") {
        globalThis.setTimeout(() => session.closed || signal.aborted || register(entry, offer), RETRY_MS);
      }
    };
    try {
      const answer = context.registerTool(offer.tool, exposedTo === undefined ? { signal } : { signal, exposedTo: [...exposedTo] });
      offer.isTaken = !isThenable(answer);
      Promise.resolve(answer).then(accepted, rejected);
    } catch (error) {
      rejected(error);
    }
  };

  /** The list differs from what the browser has. Inside a drain the rest of the change is still to come. */
  const spoil = () => {
    if (!isDirty) queueMicrotask(provide);
    isDirty = true;
  };

  const provide = () => {
    if (!isDirty) return;
    isDirty = false;
    quietly(() => context.provideContext({ tools: Array.from(offers.values(), ({ tool }) => tool) }));
  };

  const call = (entry, offer, input, signal) => {
    const called = readCall(host, offer.capabilityId, consumer, input, false);
    // Whatever the agent's signal throws has nothing to do with the module.
    const isAborted = !!attempt(() => signal?.aborted);
    try {
      const slot =
        offers.get(entry) === offer
          ? host.wasm.invokeOffered(id, entry, offer.generation, called.kind, called.text, isAborted)
          : undefined;
      if (slot !== undefined) return runCall(host, called, slot, undefined, signal);
    } catch (error) {
      throw trapped(error);
    }
    // The browser held on to a tool that was withdrawn: the core says what became of it.
    return invokeAs(host, -1, { ...offer, input }, consumer, { signal });
  };

  const execute = async (entry, offer, input, signal) => {
    try {
      const given = typeof input === "string" ? parsed(input) : input;
      if (session.closed || host.disposed) throw new Error("stopped");
      const called = call(entry, offer, given, signal);
      return toContent(await called.promise.catch(() => called.result));
    } catch {
      const error = {
        code: "CAPABILITY_NOT_FOUND",
        message: "The page no longer offers this tool. List the tools again.",
        retry: "after-refresh",
      };
      return toContent({ status: "error", error });
    }
  };

  const withdrawAll = () => offers.forEach(({ generation }, entry) => session.withdraw(entry, generation));

  const session = {
    closed: false,
    blocked: false,

    /** In a fresh instance: what the browser has belongs to the last one. */
    reopen() {
      withdrawAll();
      open();
    },

    refresh() {
      if (session.closed) return;
      lookAs(host, consumer, (wasm) => wasm.change(RECONCILE, id, exposeCapability !== undefined));
      provide();
    },

    /** What the page wants to show of one capability: 0 as it is, 1 with the text's overrides, 2 nothing. */
    expose(slot, at) {
      try {
        const answer = options.exposeCapability(describeFor(host, slot, at));
        if (answer === null) return 2;
        if (answer === undefined) return 0;
        // Neither a word such as `false` nor an answer that comes later may show what the page wanted to leave out.
        if (typeof answer !== "object" || isThenable(answer)) throw answer;
        const { title, description, annotations } = answer;
        host.give(checkedCopy({ title, description, annotations }).text);
        return 1;
      } catch (error) {
        host.develop("`exposeCapability` failed, and the capability is left out:", error);
        return 2;
      }
    },

    offer(entry, generation) {
      const { wasm, registrations } = host;
      const text = wasm.read(OFFERED_TOOL, id, entry);
      if (text === undefined) return;
      const definition = JSON.parse(text);
      const [slot, at] = wasm.rows(OFFERED_TARGET, id, entry);
      const { id: registrationId, members } = registrations[slot];
      const offer = { generation, capabilityId: members[at].id, registrationId, definition, controller: new AbortController() };
      offer.tool = { ...definition, execute: (input, extra) => execute(entry, offer, input, attempt(() => extra.signal)) };
      offers.set(entry, offer);
      if (isWhole) spoil();
      else register(entry, offer);
    },

    withdraw(entry, generation) {
      const offer = offers.get(entry);
      if (offer?.generation !== generation) return;
      offers.delete(entry);
      if (isWhole) spoil();
      offer.controller.abort();
      // Before Chrome 148 `registerTool` knew no signal, and answered at once. A name that it refused is another script's.
      // One that was gone with its signal already may be refused now.
      if (offer.isTaken) attempt(() => context.unregisterTool?.(offer.definition.name));
    },

    status() {
      const text = session.closed ? undefined : host.enter((wasm) => wasm.read(BROWSER_STATUS, id));
      return text === undefined ? nothing() : JSON.parse(text);
    },

    dispose() {
      if (session.closed) return;
      if (host.wasm) host.enter((wasm) => wasm.change(CLOSE_TOOLSET, id));
      else withdrawAll();
      provide();
      session.closed = true;
      host.toolsets.delete(id);
    },
  };
  open();
  return session;
};

/** A host that hands the arguments as JSON text. What does not parse is left to the core, which says what it expected. */
const parsed = (text) => attempt(() => JSON.parse(text), text);

/** The entry point: what the page gave, what the browser has, or nothing. */
const find = ({ modelContext }) => {
  if (modelContext !== undefined) return { entry: "options.modelContext", context: modelContext };
  let found = null;
  requireWasm().findModelContext(globalThis, { found: (entry, context) => (found = { entry, context }) });
  return found;
};

const hasShape = ({ context }) => isFunction(context?.registerTool) || isFunction(context?.provideContext);

const isForbidden = () => {
  const policy = globalThis.document?.permissionsPolicy ?? globalThis.document?.featurePolicy;
  return attempt(() => policy.features().includes("tools") && !policy.allowsFeature("tools"));
};

export const createWebMcpAdapter = (options = {}) => {
  const { confirmations, exposeCapability, snapshotContext: own } = options;
  onlyOptions(options, "snapshotContext exposeCapability confirmations waitMs exposedTo modelContext", "createWebMcpAdapter");
  onlyContext(own);
  if (confirmations !== undefined) oneOf(confirmations, "confirmations", ["wait", "two-phase"]);
  checkWaitMs(options.waitMs);
  must(exposeCapability === undefined || isFunction(exposeCapability), "`exposeCapability` must be a function");
  let session;
  let found = null;
  let state = "stopped";
  const adapter = {
    name: "webmcp",
    async start({ registry, consumer, snapshotContext }) {
      if (session) return;
      found = find(options);
      if (!found || !hasShape(found)) {
        state = "unsupported";
        return;
      }
      // What the host leaves open is as the page said: a `scope` of undefined must not widen it.
      const { scope = own?.scope, budget = own?.budget } = { ...snapshotContext };
      const identity = toConsumer(consumer ?? { kind: "webmcp", id: `webmcp-${++anonymous}` });
      session = openSession(hostOf(registry), identity, found.context, options, scopeText(scope), budgetOf(budget));
      state = "active";
    },
    async stop() {
      session?.dispose();
      session = undefined;
      if (state === "active") state = "stopped";
    },
    status() {
      const held = session ? session.status() : nothing();
      return { state: session?.closed ? "stopped" : state, api: state === "unsupported" ? undefined : found?.entry, ...held };
    },
    diagnose() {
      const code = diagnosis(session, options);
      const refused = code === "registration-rejected" ? session.status().rejected[0] : undefined;
      return { code, message: SENTENCES[code] + (refused ? ` The first: \`${refused.name}\`, ${refused.reason}` : "") };
    },
  };
  return adapter;
};

const diagnosis = (session, options) => {
  const found = find(options);
  if (!found) {
    if (globalThis.origin === "null") return "opaque-origin";
    if (globalThis.isSecureContext === false) return "insecure-context";
    return isForbidden() ? "permissions-policy" : "no-api";
  }
  if (!hasShape(found)) return "unsupported-shape";
  if (session?.blocked) return "permissions-policy";
  return session && session.status().rejected.length > 0 ? "registration-rejected" : "ok";
};
