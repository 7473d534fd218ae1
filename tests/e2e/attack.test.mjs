// What a careless page gets wrong and must not suffer from: a policy that is not asked, an output that nobody checked, a
// clock that stops the registry, a request that no person sees.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, takeFaults } = usePage();

test("a copy of a built-in policy is judged by the hooks that it brings", async () => {
  const outcomes = await run(async () => {
    const refuse = () => {
      throw new Error("no");
    };
    const allowed = () => A.hasPermission("x", () => true);
    const policies = {
      spread: { ...allowed(), onAuthorize: refuse },
      added: { ...allowed(), onInvoke: refuse },
      inherited: Object.create(allowed(), { onAuthorize: { value: refuse } }),
      confirmation: { ...A.requireConfirmation({ if: () => false }), onInvoke: refuse },
      renamed: { ...allowed(), name: "mine" },
    };
    const outcomes = {};
    for (const [name, policy] of Object.entries(policies)) {
      let ran = 0;
      const registry = A.createAgentSurfaceRegistry({ policies: [policy] });
      registry.register(
        A.defineAgentComponent({
          type: "a",
          description: "d",
          actions: {
            go: A.action({ description: "Go", input: A.emptyObjectSchema, effect: "local-state", execute: () => void ran++ }),
          },
        }),
      );
      const result = await registry.invoke({ capabilityId: "view:a.go" });
      outcomes[name] = [result.error?.code ?? result.status, ran];
      registry.dispose();
    }
    return outcomes;
  });
  const refused = ["EXECUTION_FAILED", 0];
  assert.deepEqual(outcomes, {
    spread: refused,
    added: refused,
    inherited: refused,
    confirmation: refused,
    renamed: ["ok", 1],
  });
});

test("a built-in policy itself cannot be changed into one that is not asked", async () => {
  const frozen = await run(() => [A.authenticated(), A.hasPermission("x", () => true), A.requireConfirmation()].map(Object.isFrozen));
  assert.deepEqual(frozen, [true, true, true]);
});

test("a promise with a `then` of its own ends a call once: its first word is checked, and it stands", async () => {
  const facts = await run(async () => {
    const odd = (then) => Object.assign(Promise.resolve(), { then });
    const number = A.fromJsonSchema({ type: "number" });
    const call = async (more) => {
      const registry = A.createAgentSurfaceRegistry();
      const definition = { description: "Go", input: A.fromJsonSchema({ type: "object" }), effect: "local-state" };
      registry.register(
        A.defineAgentComponent({ type: "a", description: "d", actions: { go: A.action({ ...definition, execute: () => 1, ...more }) } }),
      );
      const result = await registry.invoke({ capabilityId: "view:a.go", input: {} });
      registry.dispose();
      return result.status === "ok" ? result.output : result.error.code;
    };
    const twice = (first, second) =>
      odd((done, failed) => {
        done(first);
        done(second);
        failed(new Error("late"));
        throw new Error("later");
      });
    const own = { jsonSchema: { type: "object" }, parse: (value) => value, validate: () => twice({ a: 1 }, { a: 2 }) };
    return {
      handler: await call({ output: number, execute: () => twice(1, "unchecked") }),
      refused: await call({ output: number, execute: () => twice("unchecked", 1) }),
      validator: await call({ input: own, execute: (input) => input }),
      precondition: await call({ precondition: () => twice("no", undefined) }),
      thrown: await call({
        execute: () =>
          odd(() => {
            throw new Error("at once");
          }),
      }),
    };
  });
  assert.deepEqual(facts, {
    handler: 1,
    refused: "EXECUTION_FAILED",
    validator: { a: 1 },
    precondition: "PRECONDITION_FAILED",
    thrown: "EXECUTION_FAILED",
  });
});

test("a clock that throws or uses the registry stops nothing", async () => {
  const facts = await run(async () => {
    const make = (options) => {
      const registry = A.createAgentSurfaceRegistry(options);
      registry.register(
        A.defineAgentComponent({
          type: "a",
          description: "d",
          actions: { go: A.action({ description: "Go", input: A.emptyObjectSchema, effect: "local-state", execute: () => 1 }) },
        }),
      );
      return registry;
    };
    const request = { capabilityId: "view:a.go" };
    const real = Date.now;
    const plain = make();
    Date.now = () => {
      throw new Error("clock");
    };
    const broken = (await plain.invoke(request)).status;
    Date.now = real;
    const after = (await plain.invoke(request)).status;
    let asked = 0;
    let inner;
    const curious = make({
      now() {
        if (asked++ < 3) inner = curious?.invoke(request);
        curious?.snapshot();
        return 5;
      },
    });
    const outer = (await curious.invoke(request)).status;
    return { broken, after, outer, inner: (await inner)?.status ?? "none" };
  });
  assert.equal(facts.broken, "ok");
  assert.equal(facts.after, "ok");
  assert.equal(facts.outer, "ok");
});

test("`execute` of a tool resolves whatever its options are, and a disposed registry says so", async () => {
  const facts = await run(async () => {
    const registry = A.createAgentSurfaceRegistry();
    registry.register(
      A.defineAgentComponent({
        type: "a",
        description: "d",
        actions: { go: A.action({ description: "Go", input: A.emptyObjectSchema, effect: "local-state", execute: () => 1 }) },
      }),
    );
    const options = { consumer: { id: "c", kind: "embedded" }, topology: "embedded" };
    const [tool] = A.createAgentToolset(registry, options).tools();
    const hostile = new Proxy(
      {},
      {
        get() {
          throw hostile;
        },
      },
    );
    const results = [];
    for (const each of [null, undefined, hostile, 5, { signal: 5 }, { toolCallId: {} }]) {
      const result = await tool.execute({}, each);
      results.push(result.error?.code ?? result.status);
    }
    registry.dispose();
    await new Promise((resolve) => setTimeout(resolve));
    let code;
    try {
      A.createAgentToolset(registry, options);
    } catch (error) {
      code = error.code;
    }
    return { results, code };
  });
  const failed = "EXECUTION_FAILED";
  assert.deepEqual(facts, { results: ["ok", "ok", failed, "ok", failed, failed], code: "DISPOSED" });
});

test("the approval element goes by the registry's clock", async () => {
  const shown = await run(async () => {
    const shown = [];
    for (const offset of [-3_600_000, 0, 3_600_000]) {
      const registry = A.createAgentSurfaceRegistry({ now: () => Date.now() + offset });
      registry.register(
        A.defineAgentComponent({
          type: "a",
          description: "d",
          actions: {
            go: A.action({
              description: "Go",
              input: A.emptyObjectSchema,
              effect: "local-state",
              confirmation: "required",
              execute: () => 1,
            }),
          },
        }),
      );
      const element = document.createElement("agent-approvals");
      element.registry = registry;
      document.body.append(element);
      const result = await registry.invoke({ capabilityId: "view:a.go" });
      await new Promise((resolve) => setTimeout(resolve));
      shown.push([result.error.code, element.hasAttribute("pending")]);
      element.remove();
      registry.dispose();
    }
    return shown;
  });
  assert.deepEqual(shown, Array(3).fill(["CONFIRMATION_REQUIRED", true]));
});

test("what the realm keeps of a registry leads no script to it", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(T.component({ actions: { go: T.act() } }));
    const seen = new Set();
    const walk = (value) => {
      if (Object(value) !== value || seen.has(value)) return;
      seen.add(value);
      for (const key of Reflect.ownKeys(value)) walk(attempt(() => value[key]));
      if (value instanceof Set) value.forEach(walk);
    };
    const attempt = (read) => {
      try {
        return read();
      } catch {
        return undefined;
      }
    };
    const { hosts } = globalThis[Symbol.for("agent-surface-wasm/1")];
    walk(hosts);
    const { Registry } = globalThis[Symbol.for("agent-surface-wasm/1")].wasm;
    const facts = [hosts.size > 0, seen.has(registry), [...seen].some((value) => value instanceof Registry)];
    registry.dispose();
    return facts;
  });
  assert.deepEqual(found, [true, false, false]);
});

test("page code that threw was not logged as a fault of the package", () => {
  assert.deepEqual(takeFaults(), []);
});
