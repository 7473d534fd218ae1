// What page code is handed beside its input: the contexts of policies and handlers, and who calls. Made anew for each
// call and read lazily, so that nothing is built that nobody reads. Holds no rule.

import { checkedCopy, deepFreeze } from "./json.js";
import { CONFIRM } from "./policies.js";

const KINDS = ["embedded", "webmcp", "mcp-bridge", "test", "other"];
const { freeze } = Object;

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
  if (before !== undefined && before.id === id && before.kind === kind && grants === undefined && before.grants === undefined) {
    return before;
  }
  if (typeof id !== "string" || !id || id.length > 256 || !id.isWellFormed() || !KINDS.includes(kind)) {
    throw new TypeError(
      `\`consumer\` must be { id, kind, grants? } with an id of 1 to 256 characters and one of the kinds ${KINDS.join(", ")}`,
    );
  }
  const consumer = grants === undefined ? { id, kind } : { id, kind, grants: grantsOf(grants) };
  known.set(given, freeze(consumer));
  return consumer;
};

/** What a policy sees. `onInvoke` also sees the id and the effective input of its call. */
export const policyContext = (host, registration, at, consumer, entry) => {
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
  };
  if (entry) {
    context.invocationId = entry.invocationId;
    context.effectiveInput = entry.effectiveInput();
    context[CONFIRM] = (summary) => host.escalate(entry, summary);
  }
  return context;
};

/** What a handler is given as its second (an observation: its first) argument. */
export const handlerContext = (host, registration, member, entry, evidence) => {
  const { id: capabilityId } = member;
  const { id: registrationId } = registration;
  const { consumer, invocationId } = entry;
  const context = host.context();
  if (member.kind === "observation") return { capabilityId, registrationId, consumer, host: context };
  return withEvidence(
    {
      capabilityId,
      registrationId,
      consumer,
      host: context,
      invocationId,
      // An `AbortController` costs most of a microsecond: it is made when its signal is read.
      get signal() {
        return entry.signal();
      },
    },
    evidence,
  );
};

/** What the procedure executor is given as `info`. */
export const executorInfo = (entry, evidence) =>
  withEvidence(
    {
      invocationId: entry.invocationId,
      consumer: entry.consumer,
      get signal() {
        return entry.signal();
      },
    },
    evidence,
  );

const withEvidence = (context, evidence) => {
  if (evidence) context.confirmation = freeze(evidence);
  return context;
};

/** One call, as the facade keeps it until the core forgets it. */
export class Entry {
  constructor(capabilityId, consumer, copy, text, slot, isDirect) {
    this.slot = slot;
    this.isDirect = isDirect;
    this.capabilityId = capabilityId;
    this.consumer = consumer;
    this.copy = copy;
    this.text = text;
    this.invocationId = "";
    this.generation = 0;
    this.result = undefined;
    this.interim = undefined;
    this.output = undefined;
    this.cause = undefined;
    this.notJson = undefined;
    this.frames = undefined;
    this.controller = undefined;
    this.aborted = false;
    this.frozen = undefined;
    this.release = undefined;
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  signal() {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.aborted) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** The caller's signal: it is let go when the call is settled. One that throws aborts nothing, and breaks nothing. */
  listen(host, signal) {
    const abort = () => host.late((wasm) => wasm.abort(this.slot, this.generation));
    try {
      if (signal.aborted) return;
      signal.addEventListener("abort", abort, { once: true });
      this.release = () => signal.removeEventListener("abort", abort);
    } catch (error) {
      console.error(error);
    }
  }

  abort() {
    this.aborted = true;
    this.controller?.abort();
  }

  /** The one frozen input that policies and preconditions share. */
  effectiveInput() {
    return (this.frozen ??= deepFreeze(this.text === undefined ? {} : JSON.parse(this.text)));
  }

  /** The core filled or bound fields: this is the input from now on. */
  replaceInput(text) {
    this.text = text;
    this.copy = undefined;
    this.frozen = undefined;
  }

  /** The handler's own copy; the one that the caller's object was read into serves once. */
  takeInput() {
    const { copy, text } = this;
    this.copy = undefined;
    if (copy !== undefined) return copy;
    return text === undefined ? {} : JSON.parse(text);
  }
}
