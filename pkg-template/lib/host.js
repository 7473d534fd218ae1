// The facade's side of one registry: the functions, texts, promises and timers that the core names by number, and what
// it does when the core says so. No function here throws: whatever page code throws becomes an answer. Holds no rule.

import { act } from "./acts.js";
import { recordIn } from "./audit.js";
import { AgentSchemaError, because, isAgentSurfaceError } from "./errors.js";
import { ABORT, AUDIT_CALL, CALL_GENERATION, CHECKED, DEADLINE, ESCALATE, HANDLER_DONE, NEXT, POLICY_DONE, POLICY_FAILED, POLICY_REFUSED, PRECONDITION_DONE, SET_AUDIENCE, TICK, VERSION } from "./codes.js";
import { CallContext, SETTLED, handlerContext, policyContext } from "./context.js";
import { freeze } from "./intrinsics.js";
import { checkedCopy, deepFreeze, JsonFault } from "./json.js";
import { open } from "./instance.js";
import { GUARD, answerOf } from "./policies.js";
import { poisonedError, realm, trapped } from "./realm.js";
import { attempt, isFunction, isThenable, quietly, whenEnded } from "./thenable.js";

/**
 * Beside what its constructor makes: `running` the call whose drain runs, `viewer` whose
 * view is being looked through, and what `registry.js` adds.
 */
export class Host {
  constructor({ environment, context, audit, now, route }) {
    this.isProduction = environment === "production";
    this.isDevelopment = environment === "development";
    this.contextOption = context;
    this.auditSink = audit;
    this.audits = audit !== undefined;
    this.facts = freeze({ environment });
    this.nowOption = now;
    this.routeOption = route;
    this.registrations = [];
    this.specs = [];
    this.components = [];
    this.policies = [];
    this.entries = [];
    this.routes = new Map();
    this.timers = [];
    /** Of events and of confirmations, by the registry and by the views of adapters, in this order. */
    this.listeners = [new Map(), new Map(), new Map(), new Map()];
    /** Approval elements that are connected. */
    this.approvers = 0;
    /** Confirmations that listeners heard of and heard no end of. */
    this.asked = new Set();
    /** How many instances broke under this registry. */
    this.recoveries = 0;
    this.waiters = new Map();
    this.toolsets = new Map();
    /** How many looks lie within each other. */
    this.looks = 0;
    /** The same of registration guards. */
    this.guards = 0;
    this.lastTime = 0;
    this.isTelling = false;
    this.tick = () => this.answerLate(TICK, 0, 0);
    /** The texts that the core said before it acts: the last one, and the one before. */
    this.said = this.saidBefore = "";
    this.disposed = false;
    this.specIds = new Map();
    this.known = new WeakMap();
    this.views = new Map();
    this.attached = [];
    this.labels = [];
    /** What a registry says that nobody used. */
    this.lastVersion = "0";
  }

  /** The core: opened by the first use, absent once it is broken or freed. */
  get wasm() {
    open(this);
    return this.wasm;
  }

  set wasm(value) {
    Object.defineProperty(this, "wasm", { value, writable: true });
  }

  /** Runs a call into the core; a trap poisons the instance. */
  enter(call) {
    if (!this.wasm) throw poisonedError();
    try {
      return call(this.wasm);
    } catch (error) {
      throw trapped(error);
    }
  }

  /** An answer that arrives on its own, from a promise or a timer: nobody is there to catch. */
  late(call) {
    if (this.wasm) quietly(() => this.enter(call));
  }

  answerLate(what, slot, generation, number = 0, text = undefined) {
    this.late((wasm) => wasm.answer(what, slot, generation, number, text));
  }

  /** A late answer to a call, while the core has it: an instance that came after another one uses its numbers again. */
  reply(entry, what, generation, number, text) {
    if (this.entries[entry.slot] === entry) this.answerLate(what, entry.slot, generation, number, text);
  }

  /** Who listens, and who could approve. */
  announce() {
    if (this.disposed) return;
    const [events, confirmations, ...ofViews] = this.listeners.map(({ size }) => size);
    const listens = events + confirmations;
    const adapters = ofViews[0] + ofViews[1];
    if (listens + adapters === 0) this.asked.clear();
    // What an adapter subscribes makes it no approver.
    this.enter((core) => core.change(SET_AUDIENCE, listens + adapters > 0, this.audits, this.approvers + listens));
  }

  sendExecutor() {
    this.enter((core) => core.setExecutor(this.executor !== undefined, this.paths));
  }

  /** The caller of a call gave up. */
  abortCall(slot, generation) {
    this.answerLate(ABORT, slot, generation);
  }

  time() {
    // A `now` that uses the registry is asked by it in turn: that must end.
    if (this.isTelling) return this.lastTime;
    this.isTelling = true;
    const time = attempt(this.nowOption ?? Date.now, this.lastTime);
    this.isTelling = false;
    if (Number.isFinite(time)) this.lastTime = time;
    return this.lastTime;
  }

  now() {
    return this.time();
  }

  context() {
    return isFunction(this.contextOption) ? this.contextOption() : this.contextOption;
  }

  develop(...message) {
    if (this.isDevelopment) this.warn(...message);
  }

  /** What page code threw is the cause of a call's failure, which the caller is not told. */
  blame(entry, error) {
    entry.cause ??= error;
    this.develop(`\`${entry.capabilityId}\` failed:`, error);
  }

  warn(...message) {
    console.warn("[agent-surface]", ...message);
  }

  /** The core says a text that belongs to what it has done next. */
  say(text) {
    this.saidBefore = this.said;
    this.said = text;
  }

  /** What the core asks and wants done. */
  act(what, call, generation, slot, at, x, y) {
    // What is left on the stack of an instance that broke.
    if (!this.wasm) throw poisonedError();
    return act(this, what, call, generation, slot, at, x, y);
  }

  // Questions of the core. Each answers with a number; a text that belongs to it goes ahead through `wasm.text`.

  give(text) {
    this.wasm.text(text.toWellFormed());
  }

  voteOf(call, slot, at, ref) {
    try {
      const registration = this.registrations[slot];
      const consumer = call < 0 ? this.viewer : this.entries[call].consumer;
      const answer = answerOf(this.policies[ref].policy, policyContext(this, registration, at, consumer));
      const { outcome, reason } = answer;
      if (outcome === "expose" && Object.hasOwn(answer, "outcome")) return 0;
      if (outcome !== "disable") {
        if (outcome !== "hide") this.develop("a discovery policy answered with", answer, "and hides the capability");
        return 1;
      }
      this.give(typeof reason === "string" ? reason : "");
      return 2;
    } catch (error) {
      this.develop("a discovery policy threw and hides the capability:", error);
      return 1;
    }
  }

  when(slot, at) {
    try {
      const answer = this.registrations[slot].members[at].functions.when();
      if (answer === true) return 1;
      if (!isThenable(answer)) return +(answer !== false);
      whenEnded(answer, Boolean, Boolean);
      throw new TypeError("`when` gave a promise, and the answer is needed at once");
    } catch (error) {
      this.develop("a `when` threw, its capability is not available:", error);
      return 2;
    }
  }

  /** A text that a function of the author gives, or nothing. */
  ask(read) {
    const text = attempt(read);
    if (typeof text !== "string" || !text) return 0;
    this.give(text);
    return 1;
  }

  key(call, slot, at) {
    const { functions } = this.registrations[slot].members[at];
    const key = attempt(() => String(functions.concurrency.key(this.entries[call].effectiveInput())));
    if (key === undefined) return 0;
    this.give(key);
    return 1;
  }

  guard(call, invokes, ref, slot, at) {
    const entry = this.entries[call];
    try {
      const guard = this.policies[ref].policy[GUARD];
      const context = policyContext(this, this.registrations[slot], at, entry.consumer, entry, invokes);
      const verdict = invokes ? guard.invoke(context) : guard.authorize(context);
      if (!verdict) return 0;
      this.give(checkedCopy(verdict).text);
      return 1;
    } catch (error) {
      this.blame(entry, error);
      return 4;
    }
  }

  runPolicy(call, generation, invokes, frame, ref, slot, at) {
    const entry = this.entries[call];
    const ended = (how, text) => this.reply(entry, how, generation, frame, text);
    const threw = (error) => {
      const payload = this.payloadOf(error);
      if (payload === undefined) this.blame(entry, error);
      else entry.cause ??= error.cause;
      ended(payload === undefined ? POLICY_FAILED : POLICY_REFUSED, payload);
    };
    try {
      const { policy } = this.policies[ref];
      const context = policyContext(this, this.registrations[slot], at, entry.consumer, entry, invokes);
      let deferred;
      const next = () => {
        deferred ??= Promise.withResolvers?.() ?? withResolvers();
        (entry.frames ??= [])[frame] = deferred;
        if (entry.result) deferred.resolve(entry.result);
        this.reply(entry, NEXT, generation, frame);
        return deferred.promise;
      };
      const done = () => {
        if (!deferred) this.develop(`the policy \`${policy.name}\` neither called \`next\` nor threw`);
        ended(POLICY_DONE);
      };
      const ending = invokes ? policy.onInvoke(context, next) : policy.onAuthorize(context, next);
      if (isThenable(ending)) whenEnded(ending, done, threw);
      else done();
    } catch (error) {
      threw(error);
    }
  }

  /** A policy asks for a person's approval. */
  escalate(entry, summary) {
    this.press(entry, ESCALATE, 0, typeof summary === "string" && summary ? summary : undefined);
  }

  /** What a policy wants of its call, at whatever time. */
  press(entry, what, number, text) {
    if (this.wasm) this.reply(entry, what, this.wasm.number(CALL_GENERATION, entry.slot), number, text);
  }

  /** A policy wants a call on record, at this level at least, and perhaps in a sink of its own. */
  auditCall(entry, level, sink) {
    if (sink) {
      entry.sinks = [...(entry.sinks ?? []).filter((other) => other !== sink), sink];
      if (!this.audits) {
        this.audits = true;
        this.announce();
      }
    }
    this.press(entry, AUDIT_CALL, +(level === "full"));
  }

  resumeNext(call, frame) {
    const entry = this.entries[call];
    entry?.frames?.[frame]?.resolve(entry.result ?? entry.interim);
  }

  interim(call, text) {
    const entry = this.entries[call];
    entry.interim = this.failure(entry, text, this.wasm.number(VERSION));
  }

  /** The author's own schema over the input: 0 later, 1 a value, 2 issues. */
  check(call, generation, slot, at, text) {
    const entry = this.entries[call];
    const { input } = this.registrations[slot].members[at].schemas;
    const sent = text ?? entry.sent;
    return this.checkWith(input, () => (sent === undefined ? entry.takeInput() : JSON.parse(sent)), entry, generation);
  }

  checkOutput(call, generation, slot, at) {
    const { output } = this.registrations[slot].members[at].schemas;
    const entry = this.entries[call];
    return this.checkWith(output, () => entry.output, entry, generation);
  }

  checkWith(schema, read, entry, generation) {
    const value = (checked) => [1, checkedCopy(checked, { maxDepth: this.limits.maxValueDepth }).text];
    const issues = (error) => {
      // What the caller is not told of its words may be a defect of the schema.
      const isFault = error instanceof JsonFault;
      const isWorded = error instanceof AgentSchemaError;
      if (!isWorded) this.blame(entry, isFault ? new TypeError(error.message) : error);
      const list = Array.isArray(error?.issues) ? error.issues : [error];
      const known = list.map((issue) => ({
        path: String(issue?.path ?? ""),
        pointer: String(issue?.pointer ?? ""),
        message: isWorded || isFault ? String(issue.message).slice(0, 300) : "does not match the schema",
      }));
      return [2, JSON.stringify(known.slice(0, 32)).toWellFormed()];
    };
    const check = () => (schema.validate ? schema.validate(read()) : schema.parse(read()));
    return this.soonOrLate(entry, CHECKED, generation, check, value, (error) => attempt(() => issues(error)) ?? issues());
  }

  /**
   * What `run` gives, or promises, answers a question: as `answerOf(value)` says, or where that or `run` throws
   * `failed(error)`. 0 means later.
   */
  soonOrLate(entry, what, generation, run, answerOf, failed) {
    const settle = (value) => {
      try {
        return answerOf(value);
      } catch (error) {
        return failed(error);
      }
    };
    const later = ([answer, text]) => this.reply(entry, what, generation, answer, text);
    try {
      const value = run();
      if (!isThenable(value)) return this.answer(settle(value));
      whenEnded(value, (result) => later(settle(result)), (error) => later(failed(error)));
      return 0;
    } catch (error) {
      return this.answer(failed(error));
    }
  }

  answer([number, text]) {
    this.wasm.text(text);
    return number;
  }

  /** 1 the bound fields, 2 the field that failed, 0 the function failed. */
  bind(call, slot, at) {
    const { bind } = this.registrations[slot].members[at].functions;
    let field;
    try {
      let bound;
      if (isFunction(bind)) {
        bound = bind();
      } else {
        bound = {};
        for (field of Object.keys(bind)) bound[field] = bind[field]();
        field = undefined;
      }
      const { maxInputBytes: maxBytes, maxValueDepth: maxDepth } = this.limits;
      return this.answer([1, checkedCopy(bound, { maxBytes, maxDepth }).text]);
    } catch (error) {
      this.blame(this.entries[call], error);
      return field === undefined ? 0 : this.answer([2, field.toWellFormed()]);
    }
  }

  precondition(call, generation, slot, at) {
    const entry = this.entries[call];
    const registration = this.registrations[slot];
    const member = registration.members[at];
    const judge = (refusal) => {
      if (refusal === undefined || refusal === null || refusal === true) return [1, ""];
      const payload = typeof refusal === "string" ? { message: refusal } : refusal;
      const { message, details } = payload === false ? {} : payload;
      return [2, attempt(() => checkedCopy({ message, details }).text) ?? attempt(() => checkedCopy({ message }).text, "{}")];
    };
    const threw = (error) => {
      const payload = this.payloadOf(error);
      if (payload !== undefined) return [3, payload];
      if (!(error instanceof Error) && typeof error?.message === "string") return judge(error);
      this.blame(entry, error);
      return [4, ""];
    };
    const ask = () => {
      const context = handlerContext(this, registration, member, entry);
      return member.functions.precondition(entry.effectiveInput(), context);
    };
    return this.soonOrLate(entry, PRECONDITION_DONE, generation, ask, judge, threw);
  }

  callHandler(call, generation, slot, at, evidence) {
    const entry = this.entries[call];
    let isBackend = false;
    let value;
    try {
      const registration = this.registrations[slot];
      const member = registration.members[at];
      isBackend = member.kind === "procedure";
      if (isBackend) {
        const info = new CallContext(entry, evidence);
        value = this.executor.execute({ path: member.name, input: entry.takeInput(), info });
      } else {
        const context = handlerContext(this, registration, member, entry, evidence);
        const { functions } = member;
        value = member.kind === "action" ? functions.execute(entry.takeInput(), context) : functions.read(context);
      }
      if (value === undefined) {
        entry.isAnswered = true;
        return 1;
      }
      if (isThenable(value)) {
        whenEnded(
          value,
          (result) => this.handlerEnded(entry, generation, this.returned(entry, result)),
          (error) => this.handlerEnded(entry, generation, this.handlerThrew(entry, error, isBackend)),
        );
        return 0;
      }
      entry.isAnswered = true;
      return this.answer(this.returned(entry, value));
    } catch (error) {
      entry.isAnswered = true;
      return this.answer(this.handlerThrew(entry, error, isBackend));
    }
  }

  handlerEnded(entry, generation, [answer, text]) {
    this.reply(entry, HANDLER_DONE, generation, answer, text);
  }

  /** 1 nothing, 2 a value, 5 not JSON, 6 larger than an output may be. */
  returned(entry, value) {
    if (value === undefined) return [1, ""];
    try {
      const { maxOutputBytes: maxBytes, maxValueDepth: maxDepth } = this.limits;
      const { copy, text } = checkedCopy(value, { maxBytes, maxDepth, freeze: true });
      entry.output = copy;
      return [2, text];
    } catch (fault) {
      if (fault.tooLarge) return [6, ""];
      entry.notJson = fault;
      entry.cause = fault.cause;
      const { path, message } = fault;
      return [5, JSON.stringify({ path, message: String(message) }).toWellFormed()];
    }
  }

  /** 3 a payload of the author's, 7 a backend that may be there again, 4 anything else. */
  handlerThrew(entry, error, isBackend) {
    const payload = this.payloadOf(error);
    if (payload !== undefined) {
      entry.cause ??= error.cause;
      return [3, payload];
    }
    this.blame(entry, error);
    return [isBackend && attempt(() => error.transient) === true ? 7 : 4, ""];
  }

  /** The payload of an error that names its answer, as text; without details that are not JSON. */
  payloadOf(error) {
    if (!isAgentSurfaceError(error)) return undefined;
    const { code, message, retry, details } = error.payload;
    // Without a message the core has one for the code.
    const core = { code: String(code), message: message === undefined ? message : String(message), retry };
    try {
      return checkedCopy({ ...core, details }).text;
    } catch {
      this.develop("the details of an error are not JSON and were dropped:", details);
      return attempt(() => checkedCopy({ code: core.code, message: core.message?.toWellFormed() }).text, "{}");
    }
  }

  // What the core wants done.

  arm(timer, generation, ms) {
    const { setTimeout } = globalThis;
    const running = this.timers[timer];
    // Armed again: it runs on, but where it runs on timers that the page has replaced since, by those of a test or back.
    if (running?.generation === generation && running.setTimeout === setTimeout) return;
    const armed = { generation, setTimeout };
    const fire = () => this.timers[timer] === armed && this.answerLate(DEADLINE, timer, generation);
    armed.handle = setTimeout(fire, ms);
    this.timers[timer] = armed;
    // A command in Node may end while something could still expire.
    armed.handle?.unref?.();
  }

  disarm(timer) {
    globalThis.clearTimeout(this.timers[timer].handle);
  }

  succeeded(call, version, changed, text) {
    const entry = this.entries[call];
    if (text !== undefined) entry.output = deepFreeze(JSON.parse(text));
    const result = { status: "ok", invocationId: entry.invocationId, capabilityId: entry.capabilityId };
    if (entry.output !== undefined) result.output = entry.output;
    result.surfaceVersion = String(version);
    if (changed) result.surfaceChanged = true;
    entry.settle(freeze(result));
  }

  failed(call, version, changed, text) {
    const entry = this.entries[call];
    const result = this.failure(entry, text, version, changed);
    if (entry.notJson && !this.isProduction) {
      const { path, message, cause } = entry.notJson;
      const fault = new TypeError(
        `\`${entry.capabilityId}\` returned what is no JsonValue: ${path ? `\`${path}\` ` : ""}${message}`,
        because(cause),
      );
      if (entry.isDirect) return entry.settle(result, fault);
      this.develop(fault);
    } else if (["output-invalid", "approval-unavailable"].includes(result.error.details?.reason)) {
      this.develop(entry.capabilityId, result.error.message, entry.output ?? "");
    }
    return entry.settle(result);
  }

  failure(entry, text, version, changed) {
    const result = {
      status: "error",
      invocationId: entry.invocationId,
      capabilityId: entry.capabilityId,
      error: deepFreeze(JSON.parse(text)),
      surfaceVersion: String(version),
    };
    if (changed) result.surfaceChanged = true;
    return freeze(result);
  }

  event(text) {
    const event = deepFreeze(JSON.parse(text));
    const confirms = event.type.startsWith("confirmation-");
    if (confirms) this.asked[event.outcome ? "delete" : "add"](event.confirmationId);
    this.listeners.forEach((listeners, at) => {
      if (at % 2 > +confirms) return;
      for (const listener of [...listeners.keys()]) quietly(() => listeners.has(listener) && listener(event));
    });
  }

  audit(text, call) {
    const { sinks = [], cause } = this.entries[call] ?? {};
    // A start that names its call is for the sink of the policy that asked for the call's records last.
    const isOwn = call >= 0 && text.startsWith('{"type":"invocation-started"');
    for (const sink of isOwn ? sinks.slice(-1) : [this.auditSink, ...sinks]) {
      if (!sink) continue;
      // Each instance under a registry makes an id of its own.
      const event = { ...JSON.parse(text), surfaceId: this.surfaceId };
      if (cause !== undefined) event.cause = cause;
      recordIn(sink, event);
    }
  }

  confirmationResolved(id, outcome) {
    const waiting = this.waiters.get(id);
    this.waiters.delete(id);
    for (const resolve of waiting ?? []) resolve(outcome);
  }

  schedule() {
    // The promise of a call that the tick settles runs it, too.
    if (this.running?.isAnswered) this.running = undefined;
    else SETTLED.then(this.tick);
  }

  refresh(toolset) {
    quietly(() => this.toolsets.get(toolset)?.refresh());
  }

  fault(cause) {
    if (!this.wasm) throw cause;
    console.error("[agent-surface]", cause);
  }
}

const withResolvers = () => {
  const deferred = {};
  deferred.promise = new Promise((resolve) => {
    deferred.resolve = resolve;
  });
  return deferred;
};
