// The built-in policies, and the vote of a chain at discovery. A built-in also carries a guard, whose verdict is
// synchronous, so that the registry needs no promise for it; the hooks say the same to whoever composes them by hand.

import { AgentSurfaceError, expect } from "./errors.js";
import { onlyOptions } from "./options.js";
import { attempt, isFunction, isThenable } from "./thenable.js";

/**
 * On a built-in policy: `{ authorize?(ctx), invoke?(ctx), onAuthorize?, onInvoke? }`. The verdicts answer with nothing where
 * they let the call pass; the hooks are those they stand for.
 */
export const GUARD = Symbol.for("agent-surface-wasm.guard");

/** Whether a guard speaks for the policy. A spread copy that brings a hook of its own is judged by its hooks. */
export const isGuarded = ({ [GUARD]: guard, onAuthorize, onInvoke }) =>
  guard !== undefined && guard.onAuthorize === onAuthorize && guard.onInvoke === onInvoke;

/** On every context: of which registry it is, `{ environment }`, the same object each time. */
export const REGISTRY = Symbol.for("agent-surface-wasm.registry");

/** On the contexts of hooks: which call it is, the same object whenever the call comes by. */
export const CALL = Symbol.for("agent-surface-wasm.call");

/** On the context of `onInvoke`: `(summary?) => void`, asks for a person's approval of this call. */
export const CONFIRM = Symbol.for("agent-surface-wasm.confirm");

/** On the context of `onInvoke`: `(level, sink?) => void`, has more of this call recorded, and in a sink of its own. */
export const AUDIT = Symbol.for("agent-surface-wasm.audit");

/** A policy that refuses with what `authorize(ctx)` answers, if anything: where it says no message, the core has one. */
const authorizing = (name, authorize, onDiscovery) => {
  const onAuthorize = (ctx, next) => {
    const refusal = authorize(ctx);
    if (refusal) throw new AgentSurfaceError(refusal);
    return next();
  };
  return Object.freeze({ name, onDiscovery, onAuthorize, [GUARD]: { authorize, onAuthorize } });
};

/**
 * A policy that refuses with `code` whoever is not `allowed(ctx)`, and hides the capability from them. What throws counts
 * as no, and `/explain` tells that it did.
 */
const gate = (name, allowed, code, details) => {
  const vote = (ctx) => attempt(() => (allowed(ctx) ? "expose" : "hide"), { outcome: "hide", threw: true });
  return authorizing(name, (ctx) => (vote(ctx) === "expose" ? null : { code, details }), vote);
};

const NOT_AUTHORIZED = ["NOT_AUTHORIZED", { origin: "client" }];

/** Somebody is signed in: `host[key]`, of the registry's `context`, is truthy. */
export const authenticated = ({ key = "user" } = {}) =>
  gate("authenticated", (ctx) => ctx.host?.[key], "NOT_AUTHENTICATED");

/** `check(permission, ctx)` says yes. What it throws counts as no, and so does a promise: the answer is needed at once. */
export const hasPermission = (permission, check) => {
  expect(isFunction(check), "`hasPermission` takes a permission and a function that checks it");
  const allowed = (ctx) => {
    const answer = check(permission, ctx);
    return answer && !isThenable(answer);
  };
  return gate(`has-permission:${permission}`, allowed, ...NOT_AUTHORIZED);
};

/** The tenant of the user, `current`, is that of what is shown, `expected`: values, or functions of the context. */
export const tenantBoundary = ({ current, expected } = {}) => {
  expect(current != null && expected != null, "`tenantBoundary` takes { current, expected }");
  const told = (tenant, ctx) => (isFunction(tenant) ? tenant(ctx) : tenant);
  const allowed = (ctx) => {
    const tenant = told(current, ctx);
    // Two tenants that nobody knows are not the same one.
    return tenant != null && tenant === told(expected, ctx);
  };
  return gate("tenant-boundary", allowed, ...NOT_AUTHORIZED);
};

/** The registry's `environment` is one of these. */
export const environment = (names) => {
  const known = ["production", "development", "test"];
  const isList = Array.isArray(names) && names.length > 0 && names.every((name) => known.includes(name));
  expect(isList, `\`environment\` takes a list of ${known.join(", ")}`);
  const listed = [...names];
  return gate("environment", (ctx) => listed.includes(ctx[REGISTRY]?.environment), "CAPABILITY_NOT_FOUND");
};

/** Consumers and capabilities that a limit is kept for: what is past them was used longest ago, and is let go. */
const MOST_BUCKETS = 10_000;

/**
 * At most `limit` calls at once and in every `windowMs` after, for each consumer and capability of a registry. A call that
 * comes by again when a person approved it takes nothing more.
 */
export const rateLimit = (options = {}) => {
  const { limit, windowMs } = options;
  onlyOptions(options, "limit windowMs", "rateLimit");
  const isLimit = Number.isInteger(limit) && limit > 0 && Number.isFinite(windowMs) && windowMs > 0;
  expect(isLimit, "`rateLimit` takes { limit, windowMs }: a whole number from 1 and milliseconds above 0");
  const registries = new WeakMap();
  const admitted = new WeakSet();
  const authorize = (ctx) => {
    const call = ctx[CALL];
    if (admitted.has(call)) return null;
    const registry = ctx[REGISTRY] ?? registries;
    const buckets = registries.get(registry) ?? new Map();
    registries.set(registry, buckets);
    const now = ctx.now();
    const key = `${ctx.capabilityId} ${ctx.consumer.kind}:${ctx.consumer.id}`;
    // What was taken and did not flow back yet. A call takes `windowMs`, and `limit` flows back in each millisecond, so that
    // whole milliseconds stay whole.
    const { taken, at } = buckets.get(key) ?? { taken: 0, at: now };
    const left = Math.max(0, taken - Math.max(0, now - at) * limit);
    const missing = left + windowMs - limit * windowMs;
    buckets.delete(key);
    buckets.set(key, { taken: missing > 0 ? left : left + windowMs, at: now });
    // In order of use: those that were not used for a window are full, and are as good as none.
    for (const [oldest, bucket] of buckets) {
      if (buckets.size <= MOST_BUCKETS && now - bucket.at < windowMs) break;
      buckets.delete(oldest);
    }
    if (missing > 0) {
      return { code: "RATE_LIMITED", details: { reason: "rate", retryAfterMs: Math.ceil(missing / limit) } };
    }
    if (call) admitted.add(call);
    return null;
  };
  return authorizing("rate-limit", authorize);
};

/** A policy that lets every call pass, but for what `invoke(ctx)` asks of the registry, or throws. */
const asking = (name, invoke) => {
  const onInvoke = (ctx, next) => {
    invoke(ctx);
    return next();
  };
  return Object.freeze({ name, onInvoke, [GUARD]: { invoke, onInvoke } });
};

/**
 * A person must approve the call. `if(ctx)` narrows it, `summary` (a text or `(ctx) => text`) says in a sentence what
 * is to be approved. What `if` throws counts as yes; observations are never asked about.
 */
export const requireConfirmation = (options = {}) => {
  const { if: condition, summary } = options;
  onlyOptions(options, "if summary", "requireConfirmation");
  return asking("require-confirmation", (ctx) => {
    if (ctx.kind === "observation" || (condition && !attempt(() => condition(ctx), true))) return;
    // Without the registry's context nobody can be asked, and what needs approval must not run.
    if (!ctx[CONFIRM]) throw new AgentSurfaceError({ code: "CONFIRMATION_REQUIRED" });
    ctx[CONFIRM](isFunction(summary) ? attempt(() => summary(ctx)) : summary);
  });
};

/**
 * Records calls that are off to run at this level at least, and gives what is recorded of them to `sink`, too. Without a
 * sink the registry's own has it.
 */
export const audit = (sink, level = "metadata") => {
  const isSink = sink === undefined || isFunction(sink?.record);
  expect(isSink && ["metadata", "full"].includes(level), "`audit` takes a sink with `record(event)`, and metadata or full");
  return asking("audit", (ctx) => ctx[AUDIT]?.(level, sink));
};

/** What a policy answers at discovery. A text is an outcome, no answer means `expose`. */
export const answerOf = (policy, ctx) => {
  const answer = policy.onDiscovery?.(ctx);
  return answer === undefined || typeof answer === "string" ? { outcome: answer ?? "expose" } : answer;
};

const RANK = ["hide", "disable", "expose"];

/**
 * The vote of a chain: `{ outcome, reason? }`. The most restrictive wins and keeps its first reason; no answer means
 * `expose`; a policy that throws, or answers with anything else, hides.
 */
export const evaluateDiscovery = (policies, ctx) => {
  let rank = 2;
  let reason;
  for (const policy of policies) {
    const [outcome, words] = attempt(() => {
      const answer = answerOf(policy, ctx);
      return Object.hasOwn(answer, "outcome") ? [answer.outcome, answer.reason] : [];
    }, []);
    const level = Math.max(RANK.indexOf(outcome), 0);
    if (level < rank) {
      rank = level;
      reason = undefined;
    }
    if (level === rank && rank < 2 && typeof words === "string") reason ||= words;
  }
  const outcome = RANK[rank];
  return reason ? { outcome, reason } : { outcome };
};
