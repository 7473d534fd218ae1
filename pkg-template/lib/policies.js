// The built-in policies, and the vote of a chain at discovery. A built-in also carries a guard, whose verdict is
// synchronous, so that the registry needs no promise for it; the hooks say the same to whoever composes them by hand.

import { AgentSurfaceError } from "./errors.js";

/**
 * On a built-in policy: `{ authorize?(ctx), invoke?(ctx), onAuthorize?, onInvoke? }`. The verdicts answer with null where
 * they let the call pass; the hooks are those they stand for.
 */
export const GUARD = Symbol.for("agent-surface-wasm.guard");

/** Whether a guard speaks for the policy. A spread copy that brings a hook of its own is judged by its hooks. */
export const isGuarded = ({ [GUARD]: guard, onAuthorize, onInvoke }) =>
  guard !== undefined && guard.onAuthorize === onAuthorize && guard.onInvoke === onInvoke;

/** On the context of `onInvoke`: `(summary?) => void`, asks for a person's approval of this call. */
export const CONFIRM = Symbol.for("agent-surface-wasm.confirm");

const attempt = (ask, otherwise) => {
  try {
    return ask();
  } catch {
    return otherwise;
  }
};

/** A policy that refuses with `payload` whoever is not `allowed(ctx)`, and hides the capability from them. */
const gate = (name, allowed, payload) => {
  const authorize = (ctx) => (allowed(ctx) ? null : payload);
  const onAuthorize = (ctx, next) => {
    const refusal = authorize(ctx);
    if (refusal) throw new AgentSurfaceError(refusal);
    return next();
  };
  return Object.freeze({
    name,
    onDiscovery: (ctx) => (allowed(ctx) ? "expose" : "hide"),
    onAuthorize,
    [GUARD]: { authorize, onAuthorize },
  });
};

/** Somebody is signed in: `host[key]`, of the registry's `context`, is truthy. */
export const authenticated = ({ key = "user" } = {}) =>
  gate("authenticated", (ctx) => attempt(() => !!ctx.host?.[key], false), {
    code: "NOT_AUTHENTICATED",
    message: "Ask the user to sign in, then try again.",
    retry: "no",
  });

/** `check(permission, ctx)` says yes. What it throws counts as no, and so does a promise: the answer is needed at once. */
export const hasPermission = (permission, check) =>
  gate(
    `has-permission:${permission}`,
    (ctx) => {
      const answer = attempt(() => check(permission, ctx), false);
      return !!answer && typeof answer.then !== "function";
    },
    {
      code: "NOT_AUTHORIZED",
      message: "The user has no permission for this. Do not try again; tell the user what is missing.",
      retry: "no",
      details: { origin: "client" },
    },
  );

/**
 * A person must approve the call. `if(ctx)` narrows it, `summary` (a text or `(ctx) => text`) says in a sentence what
 * is to be approved. What `if` throws counts as yes; observations are never asked about.
 */
export const requireConfirmation = ({ if: condition, summary } = {}) => {
  const invoke = (ctx) => {
    if (ctx.kind === "observation" || (condition && !attempt(() => condition(ctx), true))) return null;
    const text = typeof summary === "function" ? attempt(() => summary(ctx)) : summary;
    return typeof text === "string" && text ? { confirm: true, summary: text } : { confirm: true };
  };
  const onInvoke = (ctx, next) => {
    const verdict = invoke(ctx);
    // Without the registry's context nobody can be asked, and what needs approval must not run.
    if (verdict && !ctx[CONFIRM]) {
      throw new AgentSurfaceError({
        code: "CONFIRMATION_REQUIRED",
        message: "A person must approve this call.",
        retry: "with-confirmation",
      });
    }
    if (verdict) ctx[CONFIRM](verdict.summary);
    return next();
  };
  return Object.freeze({ name: "require-confirmation", onInvoke, [GUARD]: { invoke, onInvoke } });
};

const RANK = ["expose", "disable", "hide"];

/**
 * The vote of a chain: `{ outcome, reason? }`. The most restrictive wins and keeps its first reason; no answer means
 * `expose`; a policy that throws, or answers with anything else, hides.
 */
export const evaluateDiscovery = (policies, ctx) => {
  let rank = 0;
  let reason;
  for (const policy of policies) {
    const { outcome, reason: words } = attempt(() => {
      const answer = policy.onDiscovery?.(ctx);
      if (answer === undefined) return { outcome: "expose" };
      return typeof answer === "string" ? { outcome: answer } : { outcome: answer.outcome, reason: answer.reason };
    }, {});
    const level = RANK.includes(outcome) ? RANK.indexOf(outcome) : RANK.length - 1;
    if (level > rank) {
      rank = level;
      reason = undefined;
    }
    if (level === rank && rank > 0 && typeof words === "string") reason ??= words;
  }
  return reason === undefined ? { outcome: RANK[rank] } : { outcome: RANK[rank], reason };
};
