// `createAgentSurfaceRegistry`: the page's plain object over the core. It normalizes what it is given, keeps the host
// in step and builds what the core described. Rules live in the core.

import { Stamp } from "./stamp.js";
import { AgentSurfaceRuntimeError, expect, invalid, must } from "./errors.js";
import { APPROVE, CALL_GENERATION, CLOSE_VIEW, DENY, DESCRIPTION, END, GESTURE_REFUSED, IS_IDLE, LOOK, PENDING_CONFIRMATIONS, REGISTRATION_HEAD, STATUS, VERSION, VIEW_CELL, VIEW_NEWS } from "./codes.js";
import { Entry, toConsumer } from "./context.js";
import { consoleAuditSink } from "./audit.js";
import { Host } from "./host.js";
import { freeze } from "./intrinsics.js";
import { checkedCopy, deepFreeze, JsonFault } from "./json.js";
import { DEFAULT_LIMITS } from "./ids.js";
import { open } from "./instance.js";
import { ASK, ASKED, DISPOSE, PolicyTable, describeCapability, register, toJson } from "./registration.js";
import { poisonedError, realm, requireWasm, trapped } from "./realm.js";
import { isFunction } from "./thenable.js";

/** What the approval element asks of a registry beside its public side. */
const APPROVER = Symbol.for("agent-surface-wasm.approver");

/** Views that are kept between snapshots, for each registry. */
const MOST_VIEWS = 16;

/** A closure that is asked may look at the surface itself, and be asked again: that must end before the stack does. */
const MOST_LOOKS = 2;

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

const disposedError = () =>
  new AgentSurfaceRuntimeError("DISPOSED", "This registry was disposed. Create another with `createAgentSurfaceRegistry`.");

/** An option that is one of these words. */
export const oneOf = (value, name, words) => {
  expect(words.includes(value), `\`${name}\` must be ${words.join(" or ")}`);
};

/** Refuses what is no option: a misspelt `policies` or `scope` would leave a page open without a word. */
export const onlyOptions = (options, names, what) => {
  const known = names.split(" ");
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw invalid(`\`${key.toWellFormed().slice(0, 100)}\` is no option of \`${what}\`; it takes ${known.join(", ")}`);
  }
};

const NO_UNICODE = "\u0000";

/** A text token of a call. One that is no Unicode names nothing, and is the same as no other one. */
const token = (value, name) => {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new TypeError(`\`${name}\` must be a string`);
  return value.isWellFormed() ? value : NO_UNICODE + JSON.stringify(value);
};

const refuseInput = (entry, path, pointer, message) => {
  entry.kind = 2;
  entry.text = JSON.stringify([{ path, pointer, message }]).toWellFormed();
};

const readInput = ({ limits }, entry, input) => {
  const { maxInputBytes: maxBytes, maxValueDepth: maxDepth } = limits;
  try {
    const { copy, text } = checkedCopy(input, { maxBytes, maxDepth });
    if (text.length > maxBytes) throw new JsonFault([], `must not be larger than ${maxBytes} bytes as JSON`);
    entry.copy = copy;
    if (text === "{}") {
      entry.kind = 3;
    } else {
      entry.kind = 1;
      entry.text = text;
    }
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    refuseInput(entry, fault.path, fault.pointer, fault.message);
  }
};

/** A call to be: what its caller sent is read. */
export const readCall = (host, capabilityId, consumer, input, isDirect) => {
  const entry = new Entry(capabilityId, consumer, isDirect);
  if (input !== undefined) readInput(host, entry, input);
  if (!host.wasm) throw poisonedError();
  return entry;
};

/** The call runs as far as it can now. `slot` is the core's, negative for the join of a call that is there already. */
export const runCall = (host, entry, slot, invocationId, signal) => {
  if (slot < 0) return host.entries[-1 - slot];
  const { wasm } = host;
  entry.slot = slot;
  entry.invocationId = invocationId ?? `inv_${host.mark}_${wasm.invoked()}`;
  host.entries[slot] = entry;
  if (signal) entry.listen(host, signal, wasm.number(CALL_GENERATION, slot));
  const outer = host.running;
  host.running = entry;
  wasm.go();
  if (host.running !== entry) entry.tickWith(host.tick);
  host.running = outer;
  return entry;
};

/** Capabilities whose routes are kept, for each registry: an agent may call by any number of ids that there are not. */
const MOST_ROUTES = 256;

/** The number by which the core knows who calls what: ids cross once, not with each call. */
const routeOf = ({ wasm, routes }, capabilityId, { kind, id }) => {
  let route = routes.get(capabilityId);
  if (route !== undefined && route.id === id && route.kind === kind) return route.number;
  if (route === undefined) {
    if (routes.size >= MOST_ROUTES) routes.clear();
    route = { number: routes.size, kind, id };
    routes.set(capabilityId, route);
  }
  route.kind = kind;
  route.id = id;
  const isId = capabilityId.length <= 256 && capabilityId.isWellFormed();
  wasm.route(route.number, isId ? capabilityId : "", kind, id);
  return route.number;
};

/** Invokes for a consumer, through a toolset when its number is not negative. `kindOf` says what the input is instead. */
export const invokeAs = (host, toolset, request, consumer, options, isDirect = false, kindOf = undefined) => {
  must(typeof request === "object" && request !== null, "`invoke` expects a request object");
  const { capabilityId, input } = request;
  const signal = options?.signal ?? undefined;
  const timeoutMs = options?.timeoutMs;
  must(typeof capabilityId === "string", "`capabilityId` must be a string");
  const isTime = timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs >= 0 && timeoutMs < 2 ** 31);
  must(isTime, "`timeoutMs` must be a whole number of milliseconds below 2^31");
  must(signal === undefined || isFunction(signal.addEventListener), "`signal` must be an AbortSignal");
  const isAborted = signal?.aborted === true;
  const invocationId = token(request.invocationId, "invocationId");
  const instanceId = token(request.instanceId, "instanceId");
  const registrationId = token(request.registrationId, "registrationId");
  const surfaceVersion = token(request.surfaceVersion, "surfaceVersion");
  const confirmationId = token(request.confirmationId, "confirmationId");
  const entry = readCall(host, capabilityId, consumer, input, isDirect);
  entry.confirmationId = confirmationId;
  if (invocationId?.[0] === NO_UNICODE) refuseInput(entry, "invocationId", "/invocationId", "must be well-formed Unicode");
  try {
    const slot = host.wasm.invoke(
      routeOf(host, capabilityId, consumer),
      toolset,
      kindOf ? kindOf(entry) : entry.kind,
      entry.text,
      timeoutMs ?? -1,
      isAborted,
      instanceId,
      registrationId,
      surfaceVersion,
      invocationId,
      confirmationId,
    );
    return runCall(host, entry, slot, invocationId, isAborted ? undefined : signal);
  } catch (error) {
    throw trapped(error);
  }
};

/** Component-type prefixes as the text that crosses; undefined means all. */
export const scopeText = (scope) => {
  if (scope === undefined) return undefined;
  const isList = Array.isArray(scope) && scope.every((prefix) => typeof prefix === "string");
  must(isList, "`scope` must be an array of component-type prefixes");
  return toJson(scope, "scope").text;
};

const ALL = [-1, -1];

const isCount = (most) => most === undefined || (Number.isInteger(most) && most >= 0 && most < 2 ** 32);

/** How many components a snapshot lists, and how many bytes they take. */
export const budgetOf = (budget) => {
  if (budget === undefined) return ALL;
  const { maxComponents, maxBytes, ...unknown } = Object(budget);
  const isBudget = Object(budget) === budget && isCount(maxComponents) && isCount(maxBytes) && !Object.keys(unknown).length;
  must(isBudget, "`budget` must be { maxComponents?, maxBytes? }, whole numbers");
  return [maxComponents ?? -1, maxBytes ?? -1];
};

/** Runs `look` with the consumer that policies and closures are asked for. */
export const lookAs = (host, consumer, look) => {
  if (host.looks >= MOST_LOOKS) {
    throw new Error("a policy or `when` looks at the surface and is asked for that, without an end");
  }
  const before = host.viewer;
  host.viewer = consumer;
  host.looks++;
  try {
    return host.enter(look);
  } finally {
    host.looks--;
    host.viewer = before;
  }
};

/** `shown` is what the core's `view_cell` says. */
const buildCell = (host, place, stamp, shown) => {
  const slot = place >> 1;
  const registration = host.registrations[slot];
  const { members } = registration;
  const observations = [];
  const actions = [];
  const procedures = [];
  const show = (at, reason, note) => {
    const { kind, spec } = members[at];
    if (kind !== "procedure") {
      (kind === "action" ? actions : observations).push(describeCapability(host, spec, reason === null, reason));
      return;
    }
    const { meta, ...base } = host.specs[spec].descriptor(host.wasm, spec);
    const state = reason === null ? { available: true } : { available: false, unavailableReason: reason };
    const { type, instanceId } = headOf(host, slot);
    procedures.push(
      freeze({
        ...base,
        ...(note === null ? undefined : { contextualNote: note }),
        ...state,
        registrationId: registration.id,
        context: freeze({ type, instanceId }),
        ...(meta === undefined ? undefined : { meta }),
      }),
    );
  };
  if (shown === null) members.forEach((_, at) => show(at, null, null));
  else for (let at = 0; at < shown.length; at += 3) show(shown[at], shown[at + 1], shown[at + 2]);
  const lists = { observations: freeze(observations), actions: freeze(actions) };
  const component = place & 1 ? freeze({ ...headOf(host, slot), ...lists }) : undefined;
  return { place, stamp, component, procedures };
};

const headOf = (host, slot) => {
  const registration = host.registrations[slot];
  return (registration.head ??= deepFreeze(JSON.parse(host.wasm.read(REGISTRATION_HEAD, slot))));
};

/** A row of a view is `place`, twice the slot and one more where it is listed as a component, and `stamp`, its content. */
const buildLists = (host, { id, rows, cells }) => {
  const components = [];
  const procedures = [];
  for (let at = 0; at < rows.length; at += 2) {
    const place = rows[at];
    const slot = place >> 1;
    let cell = cells[slot];
    if (cell?.stamp !== rows[at + 1] || cell.place !== place) {
      cell = cells[slot] = buildCell(host, place, rows[at + 1], JSON.parse(host.wasm.read(VIEW_CELL, id, slot)));
    }
    if (cell.component) components.push(cell.component);
    if (cell.procedures.length > 0) procedures.push(...cell.procedures);
  }
  return { components: freeze(components), procedures: freeze(procedures) };
};

/** The last snapshot's lists with the rows whose content differs since; nothing where one of them has procedures. */
const patchLists = (host, { rows, cells, snapshot }, changes) => {
  const components = [...snapshot.components];
  let procedures = 0;
  for (let at = 0; at < changes.length; at += 3) {
    const row = changes[at] * 2;
    const slot = rows[row] >> 1;
    const last = cells[slot];
    const cell = (cells[slot] = buildCell(host, rows[row], (rows[row + 1] = changes[at + 1]), changes[at + 2]));
    procedures += last.procedures.length + cell.procedures.length;
    if (cell.component) components[components.indexOf(last.component)] = cell.component;
  }
  return procedures > 0 ? undefined : { components: freeze(components), procedures: snapshot.procedures };
};

/** From the core's `view_news`. */
const buildSnapshot = (host, view) => {
  const { surfaceId, wasm } = host;
  const news = JSON.parse(wasm.read(VIEW_NEWS, view.id));
  const { version: surfaceVersion, time: capturedAt, route, rows, changes, dropped } = news;
  if (rows) view.rows = rows;
  const { components, procedures } = (changes && patchLists(host, view, changes)) ?? buildLists(host, view);
  const shown = { surfaceId, surfaceVersion, capturedAt, ...(route !== undefined && { route }), components, procedures };
  if (dropped) shown.truncated = freeze({ droppedComponents: dropped });
  return freeze(shown);
};

const openView = (host, scope, includeUnavailable, budget) => ({
  id: host.enter((wasm) => wasm.openView(scope, includeUnavailable, ...budget)),
  stamp: undefined,
  rows: undefined,
  cells: [],
  snapshot: undefined,
});

export const snapshot = (host, options = {}) => {
  if (host.disposed) throw disposedError();
  const { scope, includeUnavailable = true, budget } = options ?? {};
  const consumer = toConsumer(options?.consumer);
  const prefixes = scopeText(scope);
  const most = budgetOf(budget);
  const key = `${includeUnavailable ? 1 : 0}${most === ALL ? "" : most}${consumer.kind}:${consumer.id}\n${prefixes ?? ""}`;
  let view = host.views.get(key);
  if (view === undefined) {
    if (host.views.size >= MOST_VIEWS) {
      // The oldest that nobody is looking through.
      const closes = ([, { id }]) => host.enter((wasm) => wasm.change(CLOSE_VIEW, id));
      host.views.delete([...host.views].find(closes)?.[0]);
    }
    view = openView(host, prefixes, !!includeUnavailable, most);
    host.views.set(key, view);
  }
  const stamp = lookAs(host, consumer, (wasm) => wasm.number(LOOK, view.id));
  if (stamp >= 0) {
    if (stamp !== view.stamp) {
      view.snapshot = host.enter(() => buildSnapshot(host, view));
      view.stamp = stamp;
    }
    return view.snapshot;
  }
  // A closure that this very view is asking wants a snapshot too: it gets one of its own.
  const once = openView(host, prefixes, !!includeUnavailable, most);
  try {
    lookAs(host, consumer, (wasm) => wasm.number(LOOK, once.id));
    return host.enter(() => buildSnapshot(host, once));
  } finally {
    host.enter((wasm) => wasm.change(CLOSE_VIEW, once.id));
  }
};

/** The current tools of a view belong to the descriptors of a snapshot: what `exposeCapability` is shown. */
export const describeFor = (host, slot, at) => {
  const { spec, kind } = host.registrations[slot].members[at];
  const base = describeCapability(host, spec, true);
  return kind === "procedure" ? freeze({ ...base, registrationId: host.registrations[slot].id }) : base;
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
