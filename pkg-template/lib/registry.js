// `createAgentSurfaceRegistry`: the page's plain object over the core. It normalizes what it is given, keeps the host
// in step and builds what the core described. Rules live in the core.

import { consoleAuditSink } from "./audit.js";
import { APPROVE, DENY, DESCRIPTION, END, GESTURE_REFUSED, IS_IDLE, PENDING_CONFIRMATIONS, STATUS, VERSION } from "./codes.js";
import { toConsumer } from "./context.js";
import { disposedError, expect, must } from "./errors.js";
import { Host } from "./host.js";
import { DEFAULT_LIMITS } from "./ids.js";
import { open } from "./instance.js";
import { freeze } from "./intrinsics.js";
import { invokeAs } from "./invoke.js";
import { deepFreeze } from "./json.js";
import { oneOf, onlyContext, onlyOptions } from "./options.js";
import { realm, requireWasm } from "./realm.js";
import { ASK, ASKED, DISPOSE, PolicyTable, register, toJson } from "./registration.js";
import { snapshot } from "./snapshot.js";
import { Stamp } from "./stamp.js";
import { isFunction } from "./thenable.js";

/** What the approval element asks of a registry beside its public side. */
const APPROVER = Symbol.for("agent-surface-wasm.approver");

/** The host of a registry, of the view an adapter was given, or of a copied or proxied one, by its `invoke`. */
export const hostOf = (registry) => {
  const host = Stamp.of(registry) ?? Stamp.of(registry?.invoke);
  if (!host) {
    const copies = registry?.[APPROVER] ? ": this one is of another copy of agent-surface-wasm, load only one" : "";
    throw new TypeError("expected a registry of `createAgentSurfaceRegistry`, or the view an adapter was given" + copies);
  }
  if (host.disposed) throw disposedError();
  return host;
};

/** What ends a subscription, however often it is called. */
const once = (end) => {
  let isOver = false;
  return () => {
    if (isOver) return undefined;
    isOver = true;
    return end();
  };
};

/** `which` of the host's listeners. */
const subscribeTo = (host, which) => (listener) => {
  const listeners = host.listeners[which];
  must(isFunction(listener), "`subscribe` expects a function");
  if (host.disposed) return () => undefined;
  listeners.set(listener, (listeners.get(listener) ?? 0) + 1);
  host.announce();
  return once(() => {
    const left = (listeners.get(listener) ?? 1) - 1;
    if (left > 0) listeners.set(listener, left);
    else listeners.delete(listener);
    host.announce();
  });
};

const waitFor = (host, id, signal) => {
  if (typeof id !== "string") return Promise.reject(new TypeError("`waitFor` expects a confirmation id"));
  if (host.disposed || signal?.aborted || !id.isWellFormed()) return Promise.resolve("expired");
  const status = host.enter((wasm) => wasm.confirmation(STATUS, id));
  if (status !== "pending") return Promise.resolve(status);
  return new Promise((resolve) => {
    const waiting = host.waiters.get(id) ?? new Set();
    host.waiters.set(id, waiting);
    const end = (outcome) => {
      waiting.delete(end);
      signal?.removeEventListener("abort", gone);
      resolve(outcome);
    };
    const gone = () => end("expired");
    waiting.add(end);
    signal?.addEventListener("abort", gone, { once: true });
    if (signal?.aborted) gone();
  });
};

const pending = (host) =>
  host.disposed ? freeze([]) : deepFreeze(JSON.parse(host.enter((wasm) => wasm.read(PENDING_CONFIRMATIONS))));

const resolveConfirmation = (host, id, decision) => {
  const { approved, reason } = decision ?? {};
  // An own property: nobody approves by putting one on every object's prototype.
  const isDecision = typeof id === "string" && typeof approved === "boolean" && Object.hasOwn(decision, "approved");
  must(isDecision, "`resolve` expects a confirmation id and { approved: boolean, reason?: string }");
  if (host.disposed) return false;
  const note = typeof reason === "string" ? reason.toWellFormed().slice(0, 500) : undefined;
  return host.enter((wasm) => wasm.confirmation(approved ? APPROVE : DENY, id.toWellFormed(), note)) !== undefined;
};

/** What the approval element asks for; `/testing` and `/explain` work with the host itself. */
class Approver {
  constructor(host) {
    this.host = host;
  }

  now() {
    return this.host.time();
  }

  connect() {
    const { host } = this;
    host.approvers++;
    host.announce();
    return once(() => {
      host.approvers--;
      host.announce();
    });
  }

  describe(id) {
    const { host } = this;
    const text = host.disposed ? undefined : host.enter((wasm) => wasm.confirmation(DESCRIPTION, id));
    return text === undefined ? undefined : JSON.parse(text);
  }

  refused(id, how) {
    const { host } = this;
    if (!host.disposed) host.enter((wasm) => wasm.confirmation(GESTURE_REFUSED, id, String(how).toWellFormed()));
  }
}

/** Attaches an adapter with a view that cannot resolve confirmations. */
const attach = (host, view, adapter, options = {}) => {
  const { consumer, snapshotContext } = options;
  if (host.disposed) throw disposedError();
  onlyOptions(options, "consumer snapshotContext", "attach");
  onlyContext(snapshotContext);
  must(isFunction(adapter?.start) && isFunction(adapter.stop), "`attach` expects an adapter with `start` and `stop`");
  const identity = consumer === undefined ? undefined : toConsumer(consumer);
  const key = identity && `${identity.kind}:${identity.id}`;
  if (key && host.attached.includes(key)) {
    host.warn(`two adapters act as \`${key}\`: their invocation ids share one namespace; give each its own id`);
  }
  const started = adapter.start({ registry: view, consumer: identity, snapshotContext });
  if (key) host.attached.push(key);
  started?.then?.(undefined, (error) => console.error(error));
  return once(() => {
    if (key) host.attached.splice(host.attached.indexOf(key), 1);
    return adapter.stop();
  });
};

const OPTIONS =
  "environment context policies audit onRegister onDuplicateInstance duplicateSuffixPolicy route limits now requireApprover";

export const createAgentSurfaceRegistry = (options = {}) => {
  requireWasm();
  const { environment = "production", policies = [], audit, onRegister, ...rest } = options;
  const { onDuplicateInstance = "reject", duplicateSuffixPolicy = "warn", requireApprover, limits } = rest;
  oneOf(environment, "environment", ["production", "development", "test"]);
  oneOf(onDuplicateInstance, "onDuplicateInstance", ["reject", "replace"]);
  oneOf(duplicateSuffixPolicy, "duplicateSuffixPolicy", ["off", "warn", "error"]);
  oneOf(requireApprover ?? true, "requireApprover", [true, false]);
  onlyOptions(options, OPTIONS, "createAgentSurfaceRegistry");
  expect(Array.isArray(policies), "`policies` must be an array");
  expect(audit === undefined || isFunction(audit?.record), "`audit` must be a sink with `record(event)`");
  expect([onRegister ?? isFunction, rest.now ?? isFunction].every(isFunction), "`onRegister` and `now` must be functions");
  const sink = audit ?? (environment === "development" ? consoleAuditSink() : undefined);
  const host = new Host({ ...rest, environment, audit: sink });
  host.policyTable = new PolicyTable(host);
  host.limits = { ...DEFAULT_LIMITS, ...limits };
  host.chain = policies.map((policy) => host.policyTable.take(policy, []));
  host.config = () =>
    toJson(
      {
        policies: host.chain,
        onDuplicate: onDuplicateInstance,
        refusesCollisions: duplicateSuffixPolicy === "off" ? undefined : duplicateSuffixPolicy === "error",
        requireApprover: requireApprover ?? (typeof document !== "undefined" && environment !== "test"),
        hasRoute: host.routeOption !== undefined,
        limits,
      },
      "options",
    ).text;
  // At once where the core has something to refuse; else with the first use.
  if (policies.length > 0 || limits !== undefined) open(host);
  return buildRegistry(host, onRegister);
};

const buildRegistry = (host, onRegister) => {
  // Not an async function: a join answers with the very promise of the call it joins.
  const invoker = (isDirect) => (request, callOptions) => {
    try {
      if (host.disposed) throw disposedError();
      return invokeAs(host, -1, request, toConsumer(callOptions?.consumer), callOptions, isDirect).promise;
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const surfaceId = () => {
    if (host.surfaceId === undefined) {
      open(host);
      // Somebody asks an unused registry for its id after all: it begins, and ends again.
      if (host.disposed) end(host);
    }
    return host.surfaceId;
  };
  const shared = {
    snapshot: (snapshotOptions) => snapshot(host, snapshotOptions),
    getVersion: () => (host.disposed ? host.lastVersion : String(host.enter((wasm) => wasm.number(VERSION)))),
  };
  const confirmations = {
    pending: () => pending(host),
    waitFor: (id, options) => waitFor(host, id, options?.signal),
  };
  let view;
  const viewForAdapters = () => {
    // An adapter answers somebody else: it gets the settled result, whatever is wrong with it.
    const invoke = invoker(false);
    view = {
      surfaceId: surfaceId(),
      ...shared,
      invoke,
      subscribe: subscribeTo(host, 2),
      confirmations: freeze({ ...confirmations, subscribe: subscribeTo(host, 3) }),
    };
    new Stamp(invoke, host);
    return freeze(new Stamp(view, host));
  };
  const registry = {
    ...shared,
    invoke: invoker(true),
    register(definition) {
      if (host.disposed) throw disposedError();
      return register(host, definition, onRegister);
    },
    subscribe: subscribeTo(host, 0),
    confirmations: {
      ...confirmations,
      resolve: (id, decision) => resolveConfirmation(host, id, decision),
      subscribe: subscribeTo(host, 1),
    },
    setProcedureExecutor(executor) {
      if (host.disposed) throw disposedError();
      const isExecutor = executor === undefined || (isFunction(executor?.execute) && Array.isArray(executor.paths ?? []));
      expect(isExecutor, "a procedure executor is { paths?, execute({ path, input, info }) }");
      host.executor = executor;
      host.paths = executor?.paths && toJson(executor.paths, "paths").text;
      host.sendExecutor();
    },
    attach: (adapter, attachOptions) => attach(host, view ?? viewForAdapters(), adapter, attachOptions),
    dispose: () => dispose(host),
  };
  registry[DISPOSE] = registry.dispose;
  registry[APPROVER] = new Approver(host);
  registry[ASK] = surfaceId;
  new Stamp(registry.invoke, host);
  return Object.defineProperty(new Stamp(registry, host), "surfaceId", ASKED);
};

const dispose = (host) => {
  if (host.disposed) return;
  // Where nobody used it there is nothing to end.
  if (host.surfaceId === undefined) host.disposed = true;
  else end(host);
};

const end = (host) => {
  // Where the instance broke, everything has ended already; and a registry that is disposed is not brought back.
  const { wasm } = host;
  if (wasm) host.lastVersion = String(host.enter(() => wasm.number(VERSION)));
  host.disposed = true;
  // First: whoever waits for a person in a toolset is cancelled with the registry.
  if (wasm) host.enter(() => wasm.change(END));
  for (const toolset of [...host.toolsets.values()]) toolset.dispose();
  host.timers.forEach(({ handle }) => globalThis.clearTimeout(handle));
  // The core is freed when nothing of this turn can be inside it any more; late answers are dropped from then on.
  const free = () => {
    // It may have broken since.
    if (host.wasm?.number(IS_IDLE) === 0) return setTimeout(free);
    // Not before: who heard of a beginning hears of its end.
    for (const each of host.listeners) each.clear();
    realm.hosts.delete(host.life);
    if (!host.wasm) return undefined;
    host.wasm = undefined;
    for (const entry of host.entries) entry?.close();
    return wasm.free();
  };
  queueMicrotask(free);
};
