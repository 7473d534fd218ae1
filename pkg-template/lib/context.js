// What page code is handed beside its input: the contexts of policies and handlers, and who calls. Made anew for each
// call and read lazily, so that nothing is built that nobody reads. Holds no rule.

import { freeze } from "./intrinsics.js";
import { checkedCopy, deepFreeze } from "./json.js";
import { quietly } from "./thenable.js";
import { AUDIT, CALL, CONFIRM, REGISTRY } from "./policies.js";

const KINDS = ["embedded", "webmcp", "mcp-bridge", "test", "other"];

/** What a promise that is to run in the next microtask hangs on. (`queueMicrotask` takes browsers five times as long.) */
export const SETTLED = /* @__PURE__ */ Promise.resolve();

/** Who calls when nobody says: `embedded:anonymous`. */
const ANONYMOUS = freeze({ id: "anonymous", kind: "embedded" });

/** Consumers that were found in order. What a page changes in one of them is noticed, by value. */
const known = new WeakMap();

const grantsOf = (grants) => {
  try {
    return checkedCopy(grants, { freeze: true }).copy;
  } catch ({ path, message }) {
    throw new TypeError(`\`consumer.grants\`${path && ` at \`${path}\``} ${message}`);
  }
};

/** A frozen `{ id, kind, grants? }`, or a TypeError that says what is expected. */
export const toConsumer = (given) => {
  if (given === undefined || given === null || given === ANONYMOUS) return ANONYMOUS;
  const { id, kind, grants } = given;
  const before = known.get(given);
  // Grants are the same where they are those of our own copy, which nobody can change, or none.
  if (before && before.id === id && before.kind === kind && before.grants === grants) return before;
  if (typeof id !== "string" || !id || id.length > 256 || !id.isWellFormed() || !KINDS.includes(kind)) {
    throw new TypeError(
      `\`consumer\` must be { id, kind, grants? } with an id of 1 to 256 characters and one of the kinds ${KINDS.join(", ")}`,
    );
  }
  const consumer = grants === undefined ? { id, kind } : { id, kind, grants: grantsOf(grants) };
  known.set(given, freeze(consumer)).set(consumer, consumer);
  return consumer;
};

/** What a policy sees; of a call its hooks are asked about, which one. `onInvoke` also sees its id and its effective input. */
export const policyContext = (host, registration, at, consumer, entry, invokes) => {
  const member = registration.members[at];
  const context = {
    capabilityId: member.id,
    plane: member.kind === "procedure" ? "domain" : "view",
    kind: member.kind,
    effect: member.effect,
    registrationId: registration.id,
    consumer,
    host: host.context(),
    meta: registration.meta(at),
    internal: registration.definition.internal,
    now: () => host.time(),
    [REGISTRY]: host.facts,
  };
  if (entry) context[CALL] = entry.mark ??= {};
  if (invokes) {
    context.invocationId = entry.invocationId;
    context.effectiveInput = entry.effectiveInput();
    context[CONFIRM] = (summary) => host.escalate(entry, summary);
    context[AUDIT] = (level, sink) => host.auditCall(entry, level, sink);
  }
  return context;
};

const ENTRY = Symbol();
const SIGNAL = {
  enumerable: true,
  get() {
    return this[ENTRY].signal();
  },
};

/**
 * What the procedure executor is given as `info`, and most of what a handler is given. Its `signal` is its own, so that a
 * copy has it, and made when it is read: an `AbortController` costs most of a microsecond. One getter serves all.
 */
export class CallContext {
  constructor(entry, evidence) {
    // Under a symbol, not private: a proxy of the context reads it, too.
    this[ENTRY] = entry;
    this.invocationId = entry.invocationId;
    this.consumer = entry.consumer;
    Object.defineProperty(this, "signal", SIGNAL);
    if (evidence) this.confirmation = freeze(evidence);
  }
}

/** What a handler is given as its second (an observation: its first) argument. */
export const handlerContext = (host, registration, member, entry, evidence) => {
  const { id: capabilityId } = member;
  const { id: registrationId } = registration;
  if (member.kind === "observation") {
    return { capabilityId, registrationId, consumer: entry.consumer, host: host.context() };
  }
  const context = new CallContext(entry, evidence);
  context.capabilityId = capabilityId;
  context.registrationId = registrationId;
  context.host = host.context();
  return context;
};

/**
 * One call, as the facade keeps it until the core forgets it. Few calls have more: `mark` (what policies know it by), `sinks`
 * (where policies want its records), `frames` and `interim` of policies, `cause`, `notJson`, `controller`.
 */
export class Entry {
  constructor(capabilityId, consumer, isDirect) {
    this.slot = 0;
    this.isDirect = isDirect;
    this.capabilityId = capabilityId;
    this.consumer = consumer;
    /** What the caller sent: 0 nothing, 1 `text`, 2 the issues of what is not JSON as `text`, 3 `{}`. */
    this.kind = 0;
    this.text = undefined;
    this.sent = undefined;
    this.copy = undefined;
    this.invocationId = "";
    this.confirmationId = undefined;
    this.result = undefined;
    this.output = undefined;
    this.isAborted = false;
    this.frozen = undefined;
    this.release = undefined;
    /** Why the caller gets no result: a defect of the page, or a trap. */
    this.fault = undefined;
    /** Its handler answered within the drain that runs for it, so that the next tick settles it. */
    this.isAnswered = false;
    this.made = undefined;
    this.end = undefined;
  }

  /** The caller's promise. It is made as late as can be: that of a call which has ended costs much less. */
  get promise() {
    return (this.made ??= this.isOver() ? this.over() : this.pending());
  }

  /** The tick settles this call, and one promise is both the tick and what the caller waits for. */
  tickWith(tick) {
    if (this.made) {
      SETTLED.then(tick);
      return;
    }
    this.made = SETTLED.then(() => {
      tick();
      if (this.fault !== undefined) throw this.fault;
      return this.result ?? this.pending();
    });
  }

  isOver() {
    return this.result !== undefined || this.fault !== undefined;
  }

  over() {
    return this.fault === undefined ? Promise.resolve(this.result) : Promise.reject(this.fault);
  }

  pending() {
    return new Promise((resolve, reject) => {
      this.end = () => {
        if (this.fault === undefined) resolve(this.result);
        else reject(this.fault);
      };
    });
  }

  /** Settled: whoever waits hears of it. */
  settle(result, fault) {
    this.result = result;
    this.fault = fault;
    this.copy = this.text = this.sent = this.frozen = undefined;
    this.end?.();
    this.release?.();
  }

  /** Policies that still wait for an inner one will hear of no end of it from the core. */
  close() {
    this.frames?.reverse().forEach((frame) => frame.resolve(this.result));
  }

  signal() {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.isAborted) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** The caller's signal: it is let go when the call is settled. One that throws aborts nothing, and breaks nothing. */
  listen(host, signal, generation) {
    const abort = () => host.abortCall(this.slot, generation);
    quietly(() => {
      signal.addEventListener("abort", abort, { once: true });
      this.release = () => signal.removeEventListener("abort", abort);
      // It may have been aborted since the call was taken in: whoever listens now hears nothing of that.
      if (signal.aborted) abort();
    });
  }

  abort() {
    this.isAborted = true;
    this.controller?.abort();
  }

  /** The one frozen input that policies and preconditions share. */
  effectiveInput() {
    return (this.frozen ??= deepFreeze(this.parsed()));
  }

  /** The core filled or bound fields: this is the input from now on. What was sent is checked anew when a person decided. */
  replaceInput(text) {
    this.sent ??= this.kind === 1 ? this.text : "{}";
    this.kind = 1;
    this.text = text;
    this.copy = undefined;
    this.frozen = undefined;
  }

  /** The handler's own copy; the one that the caller's object was read into serves once. */
  takeInput() {
    const { copy } = this;
    this.copy = undefined;
    return copy === undefined ? this.parsed() : copy;
  }

  parsed() {
    return this.kind === 1 ? JSON.parse(this.text) : {};
  }
}
