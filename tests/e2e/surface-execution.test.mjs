// Admission, time, abort, unmount and output, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("actions of one registration run one at a time, two wait, the next is refused", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const works = [];
    const log = [];
    surface.register(
      T.component({
        actions: {
          go: T.act(
            ({ n }) => {
              log.push(n);
              const work = T.deferred();
              works.push(work);
              return work.promise;
            },
            { input: T.object({ n: { type: "integer" } }) },
          ),
        },
      }),
    );
    const controller = new AbortController();
    const call = (n, options) => surface.invoke("view:demo.go", { n }, options);
    const calls = [call(1), call(2, { signal: controller.signal }), call(3)];
    const full = await call(4);
    controller.abort();
    const aborted = await calls[1];
    const fifth = call(5);
    works[0].resolve("a");
    await calls[0];
    await T.turn();
    works[1].resolve("b");
    await calls[2];
    await T.turn();
    works[2].resolve("c");
    return { full: T.brief(full), aborted: T.brief(aborted), last: T.brief(await fifth), log };
  });
  assert.deepEqual(found, {
    full: ["RATE_LIMITED", { reason: "queue-full", retryAfterMs: 250 }],
    aborted: ["CANCELLED", undefined],
    last: ["ok", "c"],
    log: [1, 3, 5],
  });
});

test("each concurrency mode lets run what it says", async () => {
  const found = await run(async () => {
    const running = async (concurrency, calls) => {
      const surface = T.surface();
      let now = 0;
      let most = 0;
      const work = T.deferred();
      const definition = (name) => [
        name,
        T.act(
          async () => {
            most = Math.max(most, ++now);
            await work.promise;
            now--;
          },
          { concurrency, input: T.object({ k: { type: "string" } }) },
        ),
      ];
      surface.register(T.component({ actions: Object.fromEntries(["a", "b"].map(definition)) }));
      const results = calls.map(([name, k]) => surface.invoke(`view:demo.${name}`, { k }));
      await T.turn();
      work.resolve();
      const codes = (await Promise.all(results)).map((result) => result.error?.code ?? "ok");
      return [most, codes.join(" ")];
    };
    return {
      instance: await running(undefined, [["a", "x"], ["b", "x"]]),
      capability: await running({ mode: "capability" }, [["a", "x"], ["b", "x"], ["a", "x"]]),
      key: await running({ mode: "key", key: ({ k }) => k }, [["a", "x"], ["a", ""], ["a", "x"]]),
      parallel: await running({ mode: "parallel", max: 3 }, [["a", "x"], ["a", "x"], ["a", "x"], ["a", "x"]]),
      noQueue: await running({ mode: "instance", queueDepth: 0 }, [["a", "x"], ["b", "x"]]),
    };
  });
  assert.deepEqual(found, {
    instance: [1, "ok ok"],
    capability: [2, "ok ok ok"],
    key: [2, "ok ok ok"],
    parallel: [3, "ok ok ok ok"],
    noQueue: [1, "ok RATE_LIMITED"],
  });
});

test("a timeout aborts the signal, settles, and the late end is only audited", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    try {
      const surface = T.surface({ now: clock.now });
      const work = T.deferred();
      let signal;
      surface.register(
        T.component({
          observations: { rows: T.read(() => T.deferred().promise, { timeoutMs: 300 }) },
          actions: {
            go: T.act((_, ctx) => {
              signal = ctx.signal;
              return work.promise;
            }),
            safe: T.act(() => T.deferred().promise, { idempotent: true }),
          },
        }),
      );
      const go = surface.invoke("view:demo.go");
      const rows = surface.invoke("view:demo.rows");
      await clock.advance(300);
      const early = T.brief(await rows);
      await clock.advance(9_699);
      const before = signal.aborted;
      await clock.advance(1);
      const result = await go;
      const after = signal.aborted;
      work.resolve("late");
      await T.turn();
      const safe = surface.invoke("view:demo.safe", {}, { timeoutMs: 50 });
      await clock.advance(50);
      const retry = (await safe).error;
      return {
        early,
        before,
        after,
        go: [T.brief(result), result.error.retry],
        safe: [retry.details, retry.retry],
        late: surface.auditLog.filter(({ type }) => type === "late-settlement").length,
        timers: clock.armed,
      };
    } finally {
      clock.restore();
    }
  });
  assert.deepEqual(found.early, ["TIMEOUT", { timeoutMs: 300, idempotent: true }]);
  assert.deepEqual([found.before, found.after], [false, true]);
  assert.deepEqual(found.go, [["TIMEOUT", { timeoutMs: 10_000, idempotent: false }], "no"]);
  assert.deepEqual(found.safe, [{ timeoutMs: 50, idempotent: true }, "yes"]);
  assert.equal(found.late, 1);
});

test("an abort reaches the handler's signal and cancels; an aborted signal runs nothing", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    let ran = 0;
    let seen;
    surface.register(
      T.component({
        actions: {
          go: T.act((_, { signal }) => {
            ran++;
            seen = T.deferred();
            signal.addEventListener("abort", () => seen.resolve(signal.aborted));
            return T.deferred().promise;
          }),
        },
      }),
    );
    const controller = new AbortController();
    const call = surface.invoke("view:demo.go", {}, { signal: controller.signal });
    controller.abort();
    const result = await call;
    const aborted = await surface.invoke("view:demo.go", {}, { signal: AbortSignal.abort() });
    return { result: T.brief(result)[0], retry: result.error.retry, seen: await seen.promise, aborted: T.brief(aborted)[0], ran };
  });
  assert.deepEqual(found, { result: "CANCELLED", retry: "yes", seen: true, aborted: "CANCELLED", ran: 1 });
});

test("unmount in flight: settled at once, navigation may still finish", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const works = {};
    const signals = {};
    const work = (name) => (_, { signal }) => {
      works[name] = T.deferred();
      signals[name] = signal;
      return works[name].promise;
    };
    const mount = () =>
      surface.register(
        T.component({
          actions: {
            go: T.act(work("go"), { concurrency: { mode: "parallel" } }),
            open: T.act(work("open"), { effect: "navigation", concurrency: { mode: "parallel" } }),
            leave: T.act(work("leave"), { effect: "navigation", concurrency: { mode: "parallel" } }),
          },
        }),
      );
    const handle = mount();
    const calls = ["go", "open", "leave"].map((name) => surface.invoke(`view:demo.${name}`));
    handle.unregister();
    const go = await calls[0];
    works.open.resolve("arrived");
    works.leave.reject(new Error("stopped"));
    return {
      go: T.brief(go),
      open: T.brief(await calls[1]),
      leave: T.brief(await calls[2])[0],
      aborted: Object.values(signals).map(({ aborted }) => aborted),
    };
  });
  assert.deepEqual(found, {
    go: ["COMPONENT_UNMOUNTED", { phase: "mid-flight" }],
    open: ["ok", "arrived"],
    leave: "CANCELLED",
    aborted: [true, true, true],
  });
});

test("a precondition refuses with the author's words, before anybody is asked", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    let precondition = () => ({ message: "Select devices first.", details: { selected: 0 } });
    let runs = 0;
    surface.register(
      T.component({
        actions: {
          go: T.act(() => ++runs, { confirmation: "required", precondition: (...given) => precondition(...given) }),
        },
      }),
    );
    const call = () => surface.invoke("view:demo.go");
    const returned = await call();
    precondition = () => {
      throw { message: "Thrown words.", details: { a: 1 } };
    };
    const thrown = await call();
    precondition = async () => "A text.";
    const text = await call();
    precondition = () => undefined;
    const asked = await call();
    const pending = surface.confirmations.pending().length;
    return {
      returned: [T.brief(returned), returned.error.message],
      thrown: [T.brief(thrown), thrown.error.message],
      text: text.error.message,
      asked: asked.error.code,
      pending,
      runs,
    };
  });
  assert.deepEqual(found, {
    returned: [["PRECONDITION_FAILED", { selected: 0 }], "Select devices first."],
    thrown: [["PRECONDITION_FAILED", { a: 1 }], "Thrown words."],
    text: "A text.",
    asked: "CONFIRMATION_REQUIRED",
    pending: 1,
    runs: 0,
  });
});

test("serial calls of one batch see each other's effects, and a swapped handler is the one that runs", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    let count = 0;
    const definition = T.component({
      actions: {
        add: T.act(async () => {
          const seen = count;
          await null;
          count = seen + 1;
          return count;
        }),
      },
    });
    surface.register(definition);
    const batch = await Promise.all([1, 2, 3].map(() => surface.invoke("view:demo.add")));
    definition.actions.add.execute = () => "swapped";
    const swapped = await surface.invoke("view:demo.add");
    return [batch.map(({ output }) => output), swapped.output];
  });
  assert.deepEqual(found, [[1, 2, 3], "swapped"]);
});

test("calls from inside handlers, reads and executors work, and one that waits for itself times out", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    const unhush = T.hush("warn", "debug");
    try {
      const registry = T.registry({ now: clock.now, environment: "development" });
      const names = [];
      registry.register(
        T.component({
          observations: { rows: T.read(() => registry.invoke({ capabilityId: "view:other.rows" }).then(({ output }) => output)) },
          actions: {
            outer: T.act(async () => {
              const handle = registry.register(T.component({ type: "inner", actions: { go: T.act(() => "inner") } }));
              const result = await registry.invoke({ capabilityId: "view:inner.go" });
              handle.unregister();
              names.push(registry.snapshot().components.map(({ type }) => type));
              return result.output;
            }),
            self: T.act(() => registry.invoke({ capabilityId: "view:demo.outer" }).then(({ status }) => status)),
            suicide: T.act(() => {
              mine.unregister();
              return "done";
            }),
          },
        }),
      );
      registry.register(T.component({ type: "other", observations: { rows: T.read(() => [1]) } }));
      const mine = registry.register(
        T.component({ type: "mine", actions: { end: T.act(() => mine.unregister()) } }),
      );
      const outer = T.brief(await registry.invoke({ capabilityId: "view:demo.outer" }));
      const rows = T.brief(await registry.invoke({ capabilityId: "view:demo.rows" }));
      const end = T.brief(await registry.invoke({ capabilityId: "view:mine.end" }));
      const self = registry.invoke({ capabilityId: "view:demo.self" });
      await clock.advance(10_000);
      return { outer, rows, end, self: T.brief(await self)[0], names, warned: unhush().length > 0 };
    } finally {
      clock.restore();
      unhush();
    }
  });
  assert.deepEqual(found.outer, ["ok", "inner"]);
  assert.deepEqual(found.rows, ["ok", [1]]);
  assert.deepEqual(found.end, ["COMPONENT_UNMOUNTED", { phase: "mid-flight" }]);
  assert.equal(found.self, "TIMEOUT");
  assert.deepEqual(found.names[0], ["demo", "mine", "other"]);
  assert.equal(found.warned, true);
});

test("observations: eight at a time for a consumer, eight wait, thirty-two in all", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const work = T.deferred();
    let running = 0;
    surface.register(
      T.component({
        observations: {
          rows: T.read(() => {
            running++;
            return work.promise;
          }),
        },
      }),
    );
    const call = (id) => surface.invoke("view:demo.rows", {}, { consumer: { id, kind: "test" } });
    const mine = Array.from({ length: 17 }, () => call("me"));
    const forOne = running;
    const overflow = T.brief(await mine[16]);
    const others = ["a", "b", "c", "d"].flatMap((id) => Array.from({ length: 8 }, () => call(id)));
    const inAll = running;
    work.resolve("read");
    const results = await Promise.all([...mine.slice(0, 16), ...others]);
    return { forOne, inAll, overflow, ok: results.every(({ status }) => status === "ok"), running };
  });
  assert.deepEqual(found, {
    forOne: 8,
    inAll: 32,
    overflow: ["RATE_LIMITED", { reason: "queue-full", retryAfterMs: 250 }],
    ok: true,
    running: 48,
  });
});
test("an output that is not JSON rejects outside production, naming its path, and settles in production", async () => {
  const found = await run(async () => {
    const outcome = async (environment, output) => {
      const unhush = T.hush("warn", "debug", "error");
      const surface = T.surface({ environment });
      surface.register(T.component({ actions: { go: T.act(() => output) } }));
      const call = surface.invoke("view:demo.go");
      const toolset = A.createAgentToolset(surface.registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
      const tool = T.brief(await toolset.tools()[0].execute({}));
      const direct = await call.then(T.brief, T.facts);
      unhush();
      return { direct, tool };
    };
    const big = "x".repeat(32_767);
    return {
      test: await outcome("test", { rows: [{ at: new Date() }] }),
      development: await outcome("development", { rows: [1n] }),
      production: await outcome("production", { rows: [NaN] }),
      large: await outcome("test", big),
      fits: (await outcome("test", big.slice(1))).direct[0],
    };
  });
  const invalid = ["EXECUTION_FAILED", "output-invalid"];
  for (const [name, path] of [["test", "rows[0].at"], ["development", "rows[0]"]]) {
    assert.match(found[name].direct.message, /JsonValue/);
    assert.ok(found[name].direct.message.includes(path), found[name].direct.message);
    assert.deepEqual([found[name].tool[0], found[name].tool[1].reason], invalid);
  }
  assert.deepEqual([found.production.direct[0], found.production.direct[1].reason], invalid);
  assert.deepEqual(found.large.direct, ["EXECUTION_FAILED", { reason: "output-too-large" }]);
  assert.equal(found.fits, "ok");
});

test("what a handler throws tells an agent nothing, unless it is an AgentSurfaceError", async () => {
  const found = await run(async () => {
    const unhush = T.hush("warn", "debug");
    const surface = T.surface({ environment: "development" });
    let thrown;
    surface.register(
      T.component({
        actions: {
          go: T.act(() => {
            throw thrown;
          }),
          later: T.act(async () => {
            throw thrown;
          }),
        },
      }),
    );
    const call = async (error, name = "go") => {
      thrown = error;
      const result = await surface.invoke(`view:demo.${name}`);
      return { text: JSON.stringify(result), ...result.error };
    };
    const payload = { code: "NOT_AUTHORIZED", message: "Ask an admin.", retry: "no", details: { origin: "server" } };
    const cause = new Error("card 4242 declined at /srv/app.js:12");
    const copy = Object.assign(new Error("x"), { name: "AgentSurfaceError", payload });
    const results = {
      plain: await call(cause),
      plainLater: await call(cause, "later"),
      chosen: await call(new A.AgentSurfaceError(payload, { cause })),
      copied: await call(copy),
      unknown: await call(new A.AgentSurfaceError({ ...payload, code: "MY_OWN" })),
      long: await call(new A.AgentSurfaceError({ ...payload, message: "é".repeat(400) })),
      fat: await call(new A.AgentSurfaceError({ ...payload, details: { big: "x".repeat(5_000) } })),
      cyclic: await call(new A.AgentSurfaceError({ ...payload, details: { bad: 1n } })),
      // Only an executor speaks for a backend.
      transient: await call(Object.assign(new Error("x"), { transient: true })),
    };
    const settled = surface.auditLog.filter(({ type }) => type === "invocation-settled");
    return {
      results,
      causes: settled.map((event) => event.cause === cause).slice(0, 3),
      recognized: [A.isAgentSurfaceError(copy), A.isAgentSurfaceError(cause)],
      warnings: unhush().filter((line) => line.includes("details")).length,
    };
  });
  const { plain, plainLater, chosen, copied, unknown, long, fat, cyclic, transient } = found.results;
  for (const each of [plain, plainLater, transient]) {
    assert.equal(each.code, "EXECUTION_FAILED");
    assert.deepEqual(each.details, { reason: "handler-error" });
    assert.doesNotMatch(each.text, /4242|srv/);
  }
  for (const each of [chosen, copied]) {
    assert.deepEqual(
      [each.code, each.message, each.retry, each.details],
      ["NOT_AUTHORIZED", "Ask an admin.", "no", { origin: "server" }],
    );
  }
  assert.equal(unknown.code, "EXECUTION_FAILED");
  assert.equal([...long.message].length, 300);
  assert.deepEqual([fat.details, cyclic.details], [undefined, undefined]);
  assert.deepEqual(found.causes, [true, true, true]);
  assert.deepEqual(found.recognized, [true, false]);
  assert.ok(found.warnings >= 2);
});
