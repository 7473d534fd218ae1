// The built-in policies, as guards and composed by hand, and the vote at discovery.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isAgentSurfaceError } from "../../pkg-template/lib/errors.js";
import {
  AUDIT,
  audit,
  authenticated,
  CALL,
  CONFIRM,
  environment,
  evaluateDiscovery,
  GUARD,
  hasPermission,
  rateLimit,
  REGISTRY,
  requireConfirmation,
  tenantBoundary,
} from "../../pkg-template/lib/policies.js";

const context = (more) => ({ kind: "action", host: {}, ...more });
const boom = () => { throw new Error("boom"); };
const hides = (policy, ctx) => evaluateDiscovery([policy], ctx).outcome;
const refusalOf = (policy, ctx) => {
  let found;
  assert.throws(() => policy.onAuthorize(ctx, () => assert.fail("next was called")), (error) => ((found = error), isAgentSurfaceError(error)));
  return found.payload;
};

describe("authenticated", () => {
  test("lets a signed-in user pass, and the result of next is the answer", () => {
    const ctx = context({ host: { user: { id: 1 } } });
    const policy = authenticated();
    assert.equal(policy.name, "authenticated");
    assert.equal(policy[GUARD].authorize(ctx), null);
    assert.equal(policy.onDiscovery(ctx), "expose");
    assert.equal(policy.onAuthorize(ctx, () => "inner"), "inner");
  });

  test("hides from everybody else and answers NOT_AUTHENTICATED without details", () => {
    for (const host of [undefined, null, {}, { user: null }, Object.defineProperty({}, "user", { get: boom })]) {
      const ctx = context({ host });
      const payload = authenticated()[GUARD].authorize(ctx);
      assert.deepEqual(payload, { code: "NOT_AUTHENTICATED", details: undefined });
      assert.equal(hides(authenticated(), ctx), "hide");
      assert.deepEqual(refusalOf(authenticated(), ctx), payload);
    }
  });

  test("looks under another key where one is given", () => {
    assert.equal(authenticated({ key: "session" })[GUARD].authorize(context({ host: { session: "s" } })), null);
    assert.notEqual(authenticated({ key: "session" })[GUARD].authorize(context({ host: { user: "u" } })), null);
  });
});

describe("hasPermission", () => {
  test("asks the page with permission and context", () => {
    const ctx = context();
    const asked = [];
    const policy = hasPermission("devices.write", (...given) => asked.push(given) > 0);
    assert.equal(policy[GUARD].authorize(ctx), null);
    assert.deepEqual(asked, [["devices.write", ctx]]);
  });

  test("a no, a throw and a promise are no", () => {
    for (const check of [() => false, () => undefined, boom, async () => true]) {
      const policy = hasPermission("p", check);
      const payload = policy[GUARD].authorize(context());
      assert.deepEqual(payload, { code: "NOT_AUTHORIZED", details: { origin: "client" } });
      assert.equal(hides(policy, context()), "hide");
      assert.equal(refusalOf(policy, context()).code, "NOT_AUTHORIZED");
    }
  });

  test("does not tell an agent the name of the permission", () => {
    const payload = hasPermission("admin.secret", () => false)[GUARD].authorize(context());
    assert.doesNotMatch(JSON.stringify(payload), /admin/);
  });
});

const refusesToBeMade = (make) => assert.throws(make, { name: "AgentSurfaceDefinitionError", code: "INVALID_DEFINITION" });

describe("tenantBoundary", () => {
  const internal = { tenant: "t1" };
  const boundary = tenantBoundary({ current: ({ host }) => host.tenant, expected: (ctx) => ctx.internal.tenant });

  test("lets the same tenant pass, by values or functions of the context", () => {
    assert.equal(boundary.name, "tenant-boundary");
    const ctx = context({ host: { tenant: "t1" }, internal });
    assert.equal(boundary[GUARD].authorize(ctx), null);
    assert.equal(boundary.onDiscovery(ctx), "expose");
    assert.equal(boundary.onAuthorize(ctx, () => "inner"), "inner");
    assert.equal(tenantBoundary({ current: 7, expected: () => 7 })[GUARD].authorize(context()), null);
  });

  test("another tenant, a tenant that nobody knows and a throw are hidden and not authorized", () => {
    const strangers = [
      [boundary, { host: { tenant: "t2" }, internal }],
      [boundary, { host: {}, internal }],
      [boundary, { host: {}, internal: {} }],
      [boundary, { host: {} }],
      [tenantBoundary({ current: () => null, expected: () => null }), {}],
      [tenantBoundary({ current: "1", expected: () => 1 }), {}],
      [tenantBoundary({ current: boom, expected: boom }), {}],
      [tenantBoundary({ current: async () => 1, expected: async () => 1 }), {}],
    ];
    for (const [policy, more] of strangers) {
      const payload = policy[GUARD].authorize(context(more));
      assert.deepEqual(payload, { code: "NOT_AUTHORIZED", details: { origin: "client" } });
      assert.equal(hides(policy, context(more)), "hide");
      assert.deepEqual(refusalOf(policy, context(more)), payload);
    }
  });

  test("is not made without both tenants", () => {
    for (const options of [undefined, {}, { current: 1 }, { expected: 1 }, { current: null, expected: null }]) {
      refusesToBeMade(() => tenantBoundary(options));
    }
  });
});

describe("environment", () => {
  const within = (name) => context({ [REGISTRY]: { environment: name } });

  test("lets pass where the registry's environment is one of the list, and nowhere else", () => {
    const list = ["development", "test"];
    const policy = environment(list);
    list.push("production");
    assert.equal(policy.name, "environment");
    for (const name of ["development", "test"]) {
      assert.equal(policy[GUARD].authorize(within(name)), null);
      assert.equal(policy.onDiscovery(within(name)), "expose");
    }
    for (const ctx of [within("production"), context()]) {
      assert.equal(policy.onDiscovery(ctx), "hide");
      assert.equal(policy[GUARD].authorize(ctx).code, "CAPABILITY_NOT_FOUND");
      assert.equal(refusalOf(policy, ctx).code, "CAPABILITY_NOT_FOUND");
    }
  });

  test("is not made of what is no list of environments", () => {
    for (const names of [undefined, [], "test", ["staging"], ["test", 1]]) refusesToBeMade(() => environment(names));
  });
});

test("what is no option of a built-in policy is refused by name", () => {
  for (const [make, option] of [
    [() => rateLimit({ limit: 1, windowMs: 1, scope: "consumer" }), "scope"],
    [() => requireConfirmation({ sumary: "Refund?" }), "sumary"],
  ]) {
    assert.throws(make, { code: "INVALID_DEFINITION", message: new RegExp(`\`${option}\` is no option of`) });
  }
});

describe("rateLimit", () => {
  /** A registry's contexts, at a time that the test moves. */
  const place = () => {
    const facts = {};
    const at = { now: 1_000_000 };
    const ctx = (more) =>
      context({ capabilityId: "view:a.b", consumer: { kind: "embedded", id: "x" }, now: () => at.now, [REGISTRY]: facts, ...more });
    return { at, ctx };
  };
  const asked = (policy, ctx) => policy[GUARD].authorize(ctx)?.details.retryAfterMs ?? "pass";

  test("passes as many as the limit at once, then one whenever a token has come back", () => {
    const policy = rateLimit({ limit: 3, windowMs: 1000 });
    const { at, ctx } = place();
    assert.equal(policy.name, "rate-limit");
    assert.equal(policy.onDiscovery, undefined);
    assert.deepEqual([1, 2, 3, 4].map(() => asked(policy, ctx())), ["pass", "pass", "pass", 334]);
    assert.deepEqual(policy[GUARD].authorize(ctx()), { code: "RATE_LIMITED", details: { reason: "rate", retryAfterMs: 334 } });
    at.now += 333;
    assert.equal(asked(policy, ctx()), 1);
    at.now += 1;
    assert.equal(asked(policy, ctx()), "pass");
    assert.equal(asked(policy, ctx()), 333);
    at.now += 5000;
    assert.deepEqual([1, 2, 3, 4].map(() => asked(policy, ctx())), ["pass", "pass", "pass", 334]);
  });

  test("a call that waits as long as it was told to passes, whatever the numbers", () => {
    for (const [limit, windowMs] of [[1, 1], [1, 60_000], [7, 1000], [1000, 1], [3, 0.5], [11, 86_400_000]]) {
      const policy = rateLimit({ limit, windowMs });
      const { at, ctx } = place();
      at.now = 1_796_000_000_000;
      for (let count = 0; count < 50; count++) {
        const wait = asked(policy, ctx());
        if (wait === "pass") continue;
        assert.ok(Number.isInteger(wait) && wait >= 1, `${wait}`);
        at.now += wait;
        assert.equal(asked(policy, ctx()), "pass", `limit ${limit} in ${windowMs}`);
      }
    }
  });

  test("never passes more than the limit and what flowed back", () => {
    const policy = rateLimit({ limit: 5, windowMs: 1000 });
    const { at, ctx } = place();
    const start = at.now;
    let passed = 0;
    for (let step = 0; step < 5000; step++) {
      if (asked(policy, ctx()) === "pass") passed++;
      assert.ok(passed <= 5 + ((at.now - start) * 5) / 1000);
      at.now += (step * 7919) % 97;
    }
    assert.ok(passed >= ((at.now - start) * 5) / 1000 - 1);
  });

  test("each consumer and each capability has its own bucket", () => {
    const policy = rateLimit({ limit: 1, windowMs: 1000 });
    const { ctx } = place();
    const others = [
      {},
      { capabilityId: "view:a.c" },
      { consumer: { kind: "embedded", id: "y" } },
      { consumer: { kind: "webmcp", id: "x" } },
    ];
    for (const more of others) assert.equal(asked(policy, ctx(more)), "pass");
    for (const more of others) assert.equal(asked(policy, ctx(more)), 1000);
  });

  test("registries that share the policy are kept apart", () => {
    const policy = rateLimit({ limit: 1, windowMs: 1000 });
    const [one, other] = [place(), place()];
    assert.equal(asked(policy, one.ctx()), "pass");
    assert.equal(asked(policy, other.ctx()), "pass");
    assert.equal(asked(policy, one.ctx()), 1000);
  });

  test("a clock that was set back neither locks a consumer out nor gives tokens away", () => {
    const policy = rateLimit({ limit: 1, windowMs: 1000 });
    const { at, ctx } = place();
    assert.equal(asked(policy, ctx()), "pass");
    at.now -= 500_000;
    assert.equal(asked(policy, ctx()), 1000);
    at.now += 1000;
    assert.equal(asked(policy, ctx()), "pass");
  });

  test("a call that comes by again takes nothing more", () => {
    const policy = rateLimit({ limit: 1, windowMs: 1000 });
    const { ctx } = place();
    const [first, second] = [{ [CALL]: {} }, { [CALL]: {} }];
    assert.deepEqual([first, first, second, second].map((more) => asked(policy, ctx(more))), ["pass", "pass", 1000, 1000]);
  });

  test("made-up consumers take bounded memory, and buckets that are full none", () => {
    const sizes = [];
    const { Map: Real } = globalThis;
    globalThis.Map = class extends Real {
      set(...pair) {
        const result = super.set(...pair);
        sizes.push(this.size);
        return result;
      }
    };
    try {
      const policy = rateLimit({ limit: 1, windowMs: 1000 });
      const { at, ctx } = place();
      for (let n = 0; n < 12_000; n++) asked(policy, ctx({ consumer: { kind: "other", id: `${n}` } }));
      assert.equal(Math.max(...sizes), 10_001);
      at.now += 1000;
      asked(policy, ctx());
      asked(policy, ctx());
      assert.equal(sizes.at(-1), 1);
    } finally {
      globalThis.Map = Real;
    }
  });

  test("by hand it gives the same verdict as the guard", () => {
    const policy = rateLimit({ limit: 1, windowMs: 1000 });
    const { ctx } = place();
    assert.equal(policy.onAuthorize(ctx(), () => "inner"), "inner");
    assert.deepEqual(refusalOf(policy, ctx()), { code: "RATE_LIMITED", details: { reason: "rate", retryAfterMs: 1000 } });
    const bare = { ...ctx(), [REGISTRY]: undefined };
    assert.equal(policy.onAuthorize({ ...bare }, () => "inner"), "inner");
    assert.equal(refusalOf(policy, { ...bare }).code, "RATE_LIMITED");
  });

  test("is not made of numbers out of range", () => {
    const good = { limit: 1, windowMs: 1 };
    for (const bad of [undefined, 0, -1, NaN, Infinity, "1", null]) {
      refusesToBeMade(() => rateLimit({ ...good, limit: bad }));
      refusesToBeMade(() => rateLimit({ ...good, windowMs: bad }));
    }
    refusesToBeMade(() => rateLimit({ limit: 1.5, windowMs: 1 }));
    refusesToBeMade(() => rateLimit());
  });
});

describe("audit", () => {
  test("has the call recorded at its level and lets it pass, as a guard and by hand", () => {
    const sink = { record() {} };
    for (const [policy, expected] of [[audit(), ["metadata", undefined]], [audit(sink, "full"), ["full", sink]]]) {
      const told = [];
      const ctx = context({ [AUDIT]: (...given) => told.push(given) });
      assert.equal(policy.name, "audit");
      policy[GUARD].invoke(ctx);
      assert.equal(policy.onInvoke(ctx, () => "inner"), "inner");
      assert.equal(policy.onInvoke(context(), () => "inner"), "inner");
      assert.deepEqual(told, [expected, expected]);
    }
  });

  test("is not made of what is no sink or no level", () => {
    for (const sink of [null, {}, "console", { record: 1 }]) refusesToBeMade(() => audit(sink));
    for (const level of ["none", "all", null, 1]) refusesToBeMade(() => audit(undefined, level));
  });
});

describe("requireConfirmation", () => {
  /** What a person is asked: a list of summaries. */
  const asks = (options, ctx = context()) => {
    const asked = [];
    const verdict = requireConfirmation(options)[GUARD].invoke({ ...ctx, [CONFIRM]: (summary) => asked.push(summary) });
    assert.equal(verdict, undefined);
    return asked;
  };

  test("always asks, unless its condition says no", () => {
    assert.deepEqual(asks(), [undefined]);
    assert.deepEqual(asks({ if: () => true }), [undefined]);
    assert.deepEqual(asks({ if: () => false }), []);
  });

  test("a condition that throws counts as yes", () => assert.deepEqual(asks({ if: boom }), [undefined]));

  test("never asks about observations", () => assert.deepEqual(asks({ if: () => true }, context({ kind: "observation" })), []));

  test("a summary is a text or made from the context; a throwing one falls back", () => {
    assert.deepEqual(asks({ summary: "Disable?" }), ["Disable?"]);
    const summary = ({ effectiveInput }) => `Disable ${effectiveInput.ids.length} devices`;
    assert.deepEqual(asks({ summary }, context({ effectiveInput: { ids: [1, 2] } })), ["Disable 2 devices"]);
    assert.deepEqual(asks({ summary: boom }), [undefined]);
  });

  test("composed by hand it asks through the registry's context", () => {
    const asked = [];
    const ctx = context({ [CONFIRM]: (summary) => asked.push(summary) });
    assert.equal(requireConfirmation({ summary: "s" }).onInvoke(ctx, () => "inner"), "inner");
    assert.equal(requireConfirmation({ if: () => false }).onInvoke(ctx, () => "inner"), "inner");
    assert.deepEqual(asked, ["s"]);
  });

  test("where nobody can be asked the call does not run", () => {
    assert.throws(() => requireConfirmation().onInvoke(context(), () => assert.fail("it ran")), { code: "CONFIRMATION_REQUIRED" });
  });
});

describe("the vote at discovery", () => {
  const vote = (...answers) =>
    evaluateDiscovery(answers.map((answer) => ({ name: "p", onDiscovery: typeof answer === "function" ? answer : () => answer })), context());

  test("nobody, or nobody with an opinion, exposes", () => {
    assert.deepEqual(vote(), { outcome: "expose" });
    assert.deepEqual(evaluateDiscovery([{ name: "p" }, { name: "q", onInvoke: boom }], context()), { outcome: "expose" });
    assert.deepEqual(vote(undefined, "expose", { outcome: "expose", reason: "ignored" }), { outcome: "expose" });
  });

  test("the most restrictive wins, whatever the order", () => {
    assert.deepEqual(vote("disable", "expose"), { outcome: "disable" });
    assert.deepEqual(vote("hide", "disable"), { outcome: "hide" });
    assert.deepEqual(vote({ outcome: "disable", reason: "closed" }, "hide"), { outcome: "hide" });
  });

  test("its first reason is kept", () => {
    const disable = (reason) => ({ outcome: "disable", reason });
    assert.deepEqual(vote(disable("first"), disable("second")), { outcome: "disable", reason: "first" });
    assert.deepEqual(vote("disable", disable("only")), { outcome: "disable", reason: "only" });
    assert.deepEqual(vote(disable(""), disable("said")), { outcome: "disable", reason: "said" });
    assert.deepEqual(vote(disable(7)), { outcome: "disable" });
  });

  test("a throw, a promise and any other answer hide", () => {
    const hostile = new Proxy({}, { get: boom });
    for (const answer of [boom, null, 1, true, "show", {}, [], { outcome: "hidden" }, Object.create({ outcome: "expose" }), async () => "expose", () => hostile]) {
      assert.deepEqual(vote(answer), { outcome: "hide" });
    }
  });

  test("a policy is called as a method of itself", () => {
    const policy = { name: "p", level: "disable", onDiscovery() { return this.level; } };
    assert.deepEqual(evaluateDiscovery([policy], context()), { outcome: "disable" });
  });
});
