// `createSurface`: runs what the kernel orders. It asks the registry through the view that an adapter gets, which cannot
// approve; taking back what nobody waits for is all that it does to a request for approval. Rules live in the kernel.

import { AgentSurfaceDefinitionError, isAgentSurfaceError } from "./errors.js";
import { checkedCopy, JsonFault } from "./json.js";
import { emptyObjectSchema, fromJsonSchema } from "./schema.js";
import { definitionFault, enter, made } from "./surface-module.js";
import { attempt, clockOf, report } from "./surface-page.js";
import { whenEnded } from "./surface-sessions.js";

export { createInitSurface } from "./surface-module.js";

/** Of a request, where the page says nothing else. */
export const MAX_BYTES = 262_144;
/** As deep as the kernel reads, so that a deeper request is refused with its place. */
const MAX_REQUEST_DEPTH = 65;
/** Of the records in one description; the kernel shows far less. */
const MAX_RECORD_BYTES = 1 << 20;
/** Of what `execute` may give. */
const MAX_RESULT_BYTES = 1 << 20;
/** The longest that a timer can be. */
const MAX_TIMER = 2 ** 31 - 1;

const FAILED = JSON.stringify({ error: { code: "EXECUTION_FAILED", message: "The page could not run this.", retry: "no" } });

const only = (options, names, what) => {
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown !== undefined) throw definitionFault(`\`${unknown}\` is no option of ${what}; it takes ${names.join(", ")}`);
};

const OPTIONS = ["registry", "app", "expose", "session", "recordLimit", "records", "execute", "maxBytes", "maxInFlight", "rate", "now"];

/** The registry as an adapter has it, how it lets go of it, and the consumer as the registry knows it already. */
const viewOf = (registry, consumer) => {
  if (typeof registry?.attach !== "function") return { view: registry, consumer, detach() {} };
  let host;
  const start = (given) => {
    host = given;
  };
  const detach = registry.attach({ name: "surface", start, stop() {} }, { consumer });
  return { view: host.registry, consumer: host.consumer, detach };
};

/** What a call of the page's promises, whatever it does. */
const promised = (call) => new Promise((resolve) => resolve(call()));

/** The kernel of these options; what is wrong with one of them is an error. */
const kernelOf = (options, scope, expiresAt) => {
  only(options, OPTIONS, "`createSurface`");
  const { registry, app, expose, recordLimit = 20, maxBytes = MAX_BYTES, maxInFlight = 32, rate } = options;
  const isCalled = (name) => options[name] === undefined || typeof options[name] === "function";
  if (typeof registry?.snapshot !== "function" || !["records", "execute", "now"].every(isCalled)) {
    throw definitionFault("a surface needs the page's `registry`; `records`, `execute` and `now` are functions");
  }
  let text;
  try {
    ({ text } = checkedCopy({ app, expose, scope, recordLimit, maxBytes, maxInFlight, ...(rate && { rate }) }));
  } catch (fault) {
    throw fault instanceof JsonFault ? definitionFault(`\`${fault.path}\` ${fault.message}`) : fault;
  }
  return made((glue) => new glue.SurfaceKernel(text, expiresAt));
};

/** Refuses options that no peer could be served with, before there is one. */
export const checkSurface = (options) => kernelOf(options, [], 0).free();

class Surface {
  constructor(options) {
    const { registry, session, records, execute, maxBytes = MAX_BYTES, now = () => Date.now() } = options;
    const { agentId, sessionId, userId, scope } = session;
    const expiresAt = typeof session.expiresAt === "string" ? Date.parse(session.expiresAt) : session.expiresAt;
    if (![agentId, sessionId, userId].every((each) => typeof each === "string") || !Number.isFinite(expiresAt)) {
      throw definitionFault("a session is { agentId, sessionId, userId, expiresAt, scope }");
    }
    this.kernel = kernelOf(options, scope, expiresAt);
    this.exposures = JSON.parse(this.kernel.exposures());
    this.session = session;
    const { view, consumer, detach } = viewOf(registry, { id: `${agentId}/${sessionId}`, kind: "other", grants: [...scope] });
    Object.assign(this, { registry, view, consumer, detach, records, execute, maxBytes, now: clockOf(now) });
    /** What a description may need of the surface; all of it where a procedure is published. */
    this.types = this.exposures.map(({ capability }) => /^view:(.*)\.\w+$/.exec(capability)?.[1]);
    if (this.types.includes(undefined)) this.types = undefined;
    this.tokens = 0;
    /** Who waits for a response, by token: `respond`, and `fail` for whom there will be none. */
    this.waiting = new Map();
    /** What aborts a call of the kernel's, by its number. */
    this.controllers = new Map();
    this.listeners = new Set();
    this.isDraining = false;
    this.forget = whenEnded(sessionId, (isExpired) => this.end(isExpired));
  }

  /** Tells the kernel something and does what it orders. Where the module has stopped, nobody waits in vain. */
  tell(say) {
    try {
      say(this.kernel);
      this.drain();
    } catch (error) {
      this.stop(error);
    }
  }

  /** The token of someone who waits. */
  expect(respond, fail) {
    this.tokens = (this.tokens + 1) >>> 0;
    this.waiting.set(this.tokens, { respond, fail });
    return this.tokens;
  }

  /**
   * Takes a request as text; `respond` gets the response as text, and what an audit says of it, maybe at once, or `fail` why
   * there is none. Gives what says that the caller left.
   */
  submit(text, respond, fail, isGone = false) {
    const token = this.expect(respond, fail);
    const now = this.now();
    this.tell((kernel) => {
      if (text.length > this.maxBytes) kernel.unreadable(token, undefined, true, `must not be larger than ${this.maxBytes} bytes`);
      else if (!text.isWellFormed()) kernel.unreadable(token, undefined, false, "must not hold a lone surrogate");
      else kernel.request(now, token, text);
      if (isGone) kernel.left(token);
    });
    return () => this.tell((kernel) => kernel.left(token));
  }

  /** The same for a caller with a signal, or without one. */
  submitUntil(signal, text, respond, fail) {
    let isAnswered = false;
    // The answer may come at once.
    let leave = () => {};
    const done = (settle) => (outcome) => {
      isAnswered = true;
      signal?.removeEventListener("abort", leave);
      settle(outcome);
    };
    leave = this.submit(text, done(respond), done(fail), signal?.aborted);
    if (!isAnswered) signal?.addEventListener("abort", leave);
  }

  /** A request that is no JSON, or too much of it. */
  refuse(request, fault, respond, fail) {
    let id;
    try {
      id = /^[ -~]{1,128}$/.exec(typeof request?.id === "string" ? request.id : "")?.[0];
    } catch {
      // A getter that throws: there is no id to repeat.
    }
    const problem = `${fault.path && `at \`${fault.path.slice(0, 200)}\` `}${fault.message}`.toWellFormed();
    const token = this.expect(respond, fail);
    this.tell((kernel) => kernel.unreadable(token, id, fault.tooLarge, problem));
  }

  drain() {
    // What the loop outside is not done with it will do; page code runs within it.
    if (this.isDraining) return;
    this.isDraining = true;
    try {
      for (let line; (line = this.kernel.poll()) !== undefined; ) {
        const space = line.indexOf(" ");
        this[line[0]](Number(line.slice(1, space)), line.slice(space + 1));
      }
    } finally {
      this.isDraining = false;
    }
    this.arm();
  }

  /** There is no kernel any more. */
  stop(error) {
    clearTimeout(this.timer);
    const controllers = [...this.controllers.values()];
    const waiting = [...this.waiting.values()];
    this.controllers.clear();
    this.waiting.clear();
    for (const controller of controllers) controller.abort();
    for (const { fail } of waiting) fail(error);
  }

  /** A timer for the session's end. It stays when nobody waits any more: calls are many, and sessions last. */
  arm() {
    const at = this.kernel.timeout();
    if (this.timer === undefined) {
      if (at >= 0) this.wait(at);
    } else if (at < 0) {
      this.isSure = false;
      // Where a timer keeps a process alive.
      this.timer.unref?.();
    } else this.timer.ref?.();
  }

  wait(at) {
    const rest = at - this.now();
    // What is no time is past every end.
    const isLong = rest > MAX_TIMER;
    this.isSure = !isLong;
    this.timer = setTimeout(() => this.tell((kernel) => this.wake(kernel)), isLong ? MAX_TIMER : Math.max(0, rest || 0) + 1);
  }

  wake(kernel) {
    const until = kernel.timeout();
    this.timer = undefined;
    if (until < 0) return;
    // It is believed, whatever the clock says, by those who have waited for all of it.
    if (this.isSure) kernel.ended(true);
    else this.wait(until);
  }

  end(isExpired) {
    this.tell((kernel) => kernel.ended(isExpired));
  }

  // What the kernel orders, by letter.

  R(token, text) {
    const waiting = this.waiting.get(token);
    this.waiting.delete(token);
    const end = text.indexOf("\n");
    waiting?.respond(text.slice(end + 1), text.slice(0, end));
  }

  D(call, limit) {
    let snapshot;
    let records;
    let total = 0;
    try {
      snapshot = this.look();
      const list = this.records?.() ?? [];
      if (!Array.isArray(list)) throw new TypeError("`records` must give an array");
      total = list.length >>> 0;
      records = checkedCopy(list.slice(0, Number(limit)), { maxBytes: MAX_RECORD_BYTES }).text;
    } catch (error) {
      report("a description failed:", error);
    }
    const isKnown = snapshot === undefined || snapshot === this.described;
    this.kernel.described(call, isKnown ? undefined : JSON.stringify(snapshot), records, total);
    this.described = snapshot ?? this.described;
  }

  I(call, text) {
    const { exposure, id: invocationId, input, confirmation: confirmationId } = JSON.parse(text);
    const { id, capability: capabilityId, instance: instanceId } = this.exposures[exposure];
    const { consumer } = this;
    const { signal } = this.control(call);
    const request = { capabilityId, instanceId, invocationId, confirmationId };
    promised(() =>
      this.execute
        ? this.execute(id, input, { ...request, consumer, signal })
        : this.view.invoke({ ...request, input }, { consumer, signal }),
    ).then(
      (result) => this.settle(call, () => result),
      // Whatever it is, nothing as well: what was thrown is no result.
      (error) =>
        this.settle(call, () => {
          throw error;
        }),
    );
  }

  /** `ended` gives the result of an execution, or throws what it threw. */
  settle(call, ended) {
    this.controllers.delete(call);
    let text = FAILED;
    try {
      const result = ended() ?? {};
      text = this.execute ? checkedCopy(result, { maxBytes: MAX_RESULT_BYTES }).text : JSON.stringify(result);
    } catch (thrown) {
      if (isAgentSurfaceError(thrown)) text = JSON.stringify({ error: thrown.payload });
      else report("a call failed:", thrown);
    }
    const whole = text.toWellFormed();
    this.tell((kernel) => kernel.result(call, whole));
  }

  W(call, confirmation) {
    const { signal } = this.control(call);
    const decided = (outcome) => {
      this.controllers.delete(call);
      const now = this.now();
      this.tell((kernel) => kernel.decided(now, call, outcome === "expired"));
    };
    promised(() => this.view.confirmations.waitFor(confirmation, { signal })).then(decided, (error) => {
      report("a decision could not be waited for:", error);
      decided("expired");
    });
  }

  A(call) {
    this.controllers.get(call)?.abort();
  }

  X(_, text) {
    const space = text.indexOf(" ");
    // Only a page's own registry has it. A refusal takes the request back: nobody is asked what has no use.
    attempt("a request for approval could not be taken back:", () =>
      this.registry.confirmations.resolve?.(text.slice(0, space), { approved: false, reason: text.slice(space + 1) }),
    );
  }

  control(call) {
    const controller = new AbortController();
    this.controllers.set(call, controller);
    return controller;
  }

  look() {
    return this.view.snapshot({ consumer: this.consumer, scope: this.types });
  }

  /** Calls the listener when what `describe` lists has changed. */
  subscribe(listener) {
    if (!this.unwatch) {
      this.isNew();
      this.unwatch = this.view.subscribe(({ type }) => {
        if (type !== "surface-changed" || !attempt("a change could not be looked at:", () => this.isNew())) return;
        for (const each of [...this.listeners]) attempt("a listener failed:", each);
      });
    }
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.rest();
    };
  }

  /** Watches the registry no more. */
  rest() {
    const { unwatch } = this;
    this.unwatch = undefined;
    attempt("a registry could not be left:", () => unwatch?.());
  }

  isNew() {
    const snapshot = JSON.stringify(this.look());
    return this.kernel.look(snapshot);
  }

  dispose() {
    this.forget();
    this.end(false);
    clearTimeout(this.timer);
    this.listeners.clear();
    this.rest();
    attempt("a registry could not be left:", () => this.detach());
  }
}

/** Surfaces by the objects that stand for them. */
const surfaces = new WeakMap();
export const innerOf = (surface) => surfaces.get(surface);

export const createSurface = (options) => {
  const inner = new Surface(options);
  const surface = Object.freeze({
    session: inner.session,
    handle: (request, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const respond = (text) => resolve(JSON.parse(text));
        let text;
        try {
          ({ text } = checkedCopy(request, { maxBytes: inner.maxBytes, maxDepth: MAX_REQUEST_DEPTH }));
        } catch (fault) {
          if (!(fault instanceof JsonFault)) throw fault;
          inner.refuse(request, fault, respond, reject);
          return;
        }
        inner.submitUntil(signal, text, respond, reject);
      }),
    handleText: (text, { signal } = {}) => new Promise((resolve, reject) => inner.submitUntil(signal, String(text), resolve, reject)),
    subscribe: (listener) => inner.subscribe(listener),
    revoke: () => inner.end(false),
    dispose: () => inner.dispose(),
  });
  surfaces.set(surface, inner);
  return surface;
};

const toSchema = (input) => {
  if (input === undefined) return emptyObjectSchema;
  return typeof input?.parse === "function" ? input : fromJsonSchema(input);
};

/** The text of why an action is not available; undefined where it is. */
const reasonOf = ({ available = true }) => {
  const said = typeof available === "function" ? available() : available;
  return said === true ? undefined : String(said);
};

const CONFIRM = {
  never: {},
  always: { confirmation: "required", reversible: false },
};

export const defineActions = (registry, { app, actions }) => {
  const components = new Map();
  const capabilities = {};
  const given = typeof app === "string" ? app : "";
  for (const id of Object.keys(actions)) {
    const capability = enter((glue) => glue.capabilityOf(given, id));
    if (capability === undefined) {
      throw new AgentSurfaceDefinitionError("INVALID_ID", `\`${app}\` and \`${id}\` make no capability id: \`app\` is lower-case words, an id such as \`todo.clear_completed\``);
    }
    const other = Object.keys(capabilities).find((key) => capabilities[key] === capability);
    if (other !== undefined) {
      throw new AgentSurfaceDefinitionError("DUPLICATE_CAPABILITY", `\`${id}\` and \`${other}\` are the same capability, \`${capability}\``);
    }
    capabilities[id] = capability;
    const dot = capability.lastIndexOf(".");
    const type = capability.slice("view:".length, dot);
    const action = actions[id];
    only(action, ["description", "input", "output", "available", "effect", "confirm", "handler"], `the action \`${id}\``);
    const { description, input, output, effect = "local-state", confirm = "never" } = action;
    if (!Object.hasOwn(CONFIRM, confirm) || typeof action.handler !== "function") {
      throw definitionFault(`the action \`${id}\` needs a \`handler\`, and \`confirm\` is "never" or "always"`);
    }
    const members = components.get(type) ?? {};
    components.set(type, members);
    members[capability.slice(dot + 1)] = {
      description,
      input: toSchema(input),
      ...(output !== undefined && { output: toSchema(output) }),
      effect,
      ...CONFIRM[confirm],
      when: () => reasonOf(action) === undefined,
      unavailableReason: () => reasonOf(action) ?? "",
      // Read at each call, so that a page may swap it.
      execute: (given, context) => action.handler(given, context),
    };
  }
  const handles = [];
  try {
    for (const [type, members] of components) {
      handles.push(registry.register({ type, description: `Actions of ${app}`, actions: members }));
    }
  } catch (error) {
    for (const handle of handles) handle.unregister();
    throw error;
  }
  return Object.freeze({
    capabilities: Object.freeze(capabilities),
    invalidate: () => handles.forEach((handle) => handle.invalidate()),
    unregister: () => handles.forEach((handle) => handle.unregister()),
  });
};
