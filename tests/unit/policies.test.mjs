// The built-in policies, as guards and composed by hand, and the vote at discovery.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isAgentSurfaceError } from "../../pkg-template/lib/errors.js";
import {
  authenticated,
  CONFIRM,
  evaluateDiscovery,
  GUARD,
  hasPermission,
  requireConfirmation,
} from "../../pkg-template/lib/policies.js";

const context = (more) => ({ kind: "action", host: {}, ...more });
const boom = () => { throw new Error("boom"); };
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
      assert.deepEqual(Object.keys(payload), ["code", "message", "retry"]);
      assert.deepEqual([payload.code, payload.retry], ["NOT_AUTHENTICATED", "no"]);
      assert.equal(authenticated().onDiscovery(ctx), "hide");
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
      assert.deepEqual([payload.code, payload.retry, payload.details], ["NOT_AUTHORIZED", "no", { origin: "client" }]);
      assert.equal(policy.onDiscovery(context()), "hide");
      assert.equal(refusalOf(policy, context()).code, "NOT_AUTHORIZED");
    }
  });

  test("does not tell an agent the name of the permission", () => {
    const payload = hasPermission("admin.secret", () => false)[GUARD].authorize(context());
    assert.doesNotMatch(JSON.stringify(payload), /admin/);
  });
});

describe("requireConfirmation", () => {
  const verdict = (options, ctx = context()) => requireConfirmation(options)[GUARD].invoke(ctx);

  test("always asks, unless its condition says no", () => {
    assert.deepEqual(verdict(), { confirm: true });
    assert.deepEqual(verdict({ if: () => true }), { confirm: true });
    assert.equal(verdict({ if: () => false }), null);
  });

  test("a condition that throws counts as yes", () => assert.deepEqual(verdict({ if: boom }), { confirm: true }));

  test("never asks about observations", () => assert.equal(verdict({ if: () => true }, context({ kind: "observation" })), null));

  test("a summary is a text or made from the context; a throwing one falls back", () => {
    assert.deepEqual(verdict({ summary: "Disable?" }), { confirm: true, summary: "Disable?" });
    const summary = ({ effectiveInput }) => `Disable ${effectiveInput.ids.length} devices`;
    assert.deepEqual(verdict({ summary }, context({ effectiveInput: { ids: [1, 2] } })), { confirm: true, summary: "Disable 2 devices" });
    for (const bad of [boom, () => 1, () => "", async () => "late"]) assert.deepEqual(verdict({ summary: bad }), { confirm: true });
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
    assert.deepEqual(vote(disable(7)), { outcome: "disable" });
  });

  test("a throw, a promise and any other answer hide", () => {
    const hostile = new Proxy({}, { get: boom });
    for (const answer of [boom, null, 1, true, "show", {}, [], { outcome: "hidden" }, async () => "expose", () => hostile]) {
      assert.deepEqual(vote(answer), { outcome: "hide" });
    }
  });

  test("a policy is called as a method of itself", () => {
    const policy = { name: "p", level: "disable", onDiscovery() { return this.level; } };
    assert.deepEqual(evaluateDiscovery([policy], context()), { outcome: "disable" });
  });
});
