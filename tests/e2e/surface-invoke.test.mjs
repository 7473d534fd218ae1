// The invocation pipeline, through the built package in Chromium.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage();

test("the handler starts inside `invoke`, and its result comes a microtask later at the earliest", async () => {
  const log = await run(async () => {
    const log = [];
    const registry = T.registry({
      policies: [
        {
          name: "prompt",
          onAuthorize: (_, next) => next(),
          onInvoke: (_, next) => next(),
        },
      ],
    });
    registry.register(T.component({ actions: { go: T.act(() => log.push("handler")) } }));
    const promise = registry.invoke({ capabilityId: "view:demo.go" }).then(({ status }) => log.push(status));
    log.push("returned");
    registry.register(T.component({ type: "later" }));
    await promise;
    return log;
  });
  assert.deepEqual(log, ["handler", "returned", "ok"]);
});

test("the version is read at delivery", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const handle = surface.register(T.component({ actions: { go: T.act(() => handle.invalidate()), plain: T.act() } }));
    const [moved, unmoved] = [
      await surface.invoke("view:demo.go"),
      await surface.invoke("view:demo.plain"),
    ];
    return [moved.surfaceVersion, moved.surfaceChanged, unmoved.surfaceVersion, unmoved.surfaceChanged];
  });
  assert.deepEqual(found, ["2", true, "2", undefined]);
});

test("results have exactly the documented keys and are frozen", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    surface.register(T.component({ actions: { go: T.act(() => ({ deep: [1] })), none: T.act(), zero: T.act(() => null) } }));
    const keys = (result) => Object.keys(result).sort().join(" ");
    const ok = await surface.invoke("view:demo.go");
    const none = await surface.invoke("view:demo.none");
    const zero = await surface.invoke("view:demo.zero");
    const missing = await surface.invoke("view:demo.nothing");
    return {
      keys: [ok, none, zero, missing].map(keys),
      zero: zero.output,
      error: missing.error,
      frozen: [ok, none, missing].every(T.isDeepFrozen),
      id: ok.invocationId.slice(0, 4),
    };
  });
  assert.deepEqual(found.keys, [
    "capabilityId invocationId output status surfaceVersion",
    "capabilityId invocationId status surfaceVersion",
    "capabilityId invocationId output status surfaceVersion",
    "capabilityId error invocationId status surfaceVersion",
  ]);
  assert.equal(found.zero, null);
  assert.equal(found.error.code, "CAPABILITY_NOT_FOUND");
  assert.equal(found.error.retry, "after-refresh");
  assert.equal("details" in found.error, false);
  assert.deepEqual([found.frozen, found.id], [true, "inv_"]);
});

test("one id is one call: joined in flight, replayed when settled, refused for another request", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const work = T.deferred();
    let runs = 0;
    surface.register(
      T.component({
        actions: {
          go: T.act(
            () => {
              runs++;
              return work.promise;
            },
            { input: T.object({ n: { type: "integer" }, m: { type: "integer" } }) },
          ),
        },
      }),
    );
    const call = (input, more) => surface.invoke("view:demo.go", input, { invocationId: "one", ...more });
    const first = call({ n: 1, m: 2 });
    const joined = call({ m: 2, n: 1 });
    const conflict = await call({ n: 2 });
    const stranger = call({ n: 2 }, { consumer: { id: "other", kind: "test" } });
    work.resolve("done");
    const result = await first;
    const replayed = await call({ n: 1, m: 2 });
    const moved = await call({ n: 1, m: 2 }, { surfaceVersion: "77" });
    const conflictLater = await call({ n: 3 });
    await stranger;
    return {
      joins: first === joined,
      replays: result === replayed,
      replaysMoved: result === moved,
      conflict: T.brief(conflict),
      conflictLater: T.brief(conflictLater),
      runs,
      started: surface.events.filter(({ type }) => type === "invocation-started").length,
    };
  });
  const refused = ["INVOCATION_CONFLICT", { reason: "id-reused-with-different-request" }];
  assert.deepEqual(found, {
    joins: true,
    replays: true,
    replaysMoved: true,
    conflict: refused,
    conflictLater: refused,
    runs: 2,
    started: 2,
  });
});

test("an id that was made up replays its call; of a large input, only as it was sent", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const schema = T.object({ long: { type: "string" }, n: { type: "integer" } });
    surface.register(T.component({ actions: { go: T.act(() => "done", { input: schema }) } }));
    const call = (input, invocationId) => surface.invoke("view:demo.go", input, { invocationId });
    const outcome = async (first, ...repeats) => {
      const result = await call(first);
      const answers = await Promise.all(repeats.map((input) => call(input, result.invocationId)));
      return answers.map((answer) => (answer === result ? "replay" : answer.error.code));
    };
    const long = "x".repeat(2000);
    return {
      small: await outcome({ long: "x", n: 1 }, { long: "x", n: 1 }, { n: 1, long: "x" }, { long: "x", n: 2 }),
      large: await outcome({ long, n: 1 }, { long, n: 1 }, { n: 1, long }, { long, n: 2 }),
    };
  });
  assert.deepEqual(found, {
    small: ["replay", "replay", "INVOCATION_CONFLICT"],
    large: ["replay", "INVOCATION_CONFLICT", "INVOCATION_CONFLICT"],
  });
});

test("input crosses by value: read once, defaults filled, every issue told, policies and handler share no object", async () => {
  const found = await run(async () => {
    const seen = {};
    const surface = T.surface({
      policies: [
        {
          name: "look",
          onInvoke(ctx, next) {
            seen.policy = ctx.effectiveInput;
            return next();
          },
        },
      ],
    });
    const input = T.object(
      {
        name: { type: "string", minLength: 2 },
        size: { type: "integer", default: 3 },
        tags: { type: "array", items: { type: "string" } },
      },
      { required: ["name"] },
    );
    surface.register(
      T.component({
        actions: {
          go: T.act(
            (value, ctx) => {
              seen.handler = value;
              seen.context = Object.keys(ctx).sort().join(" ");
              value.size = 99;
              return value;
            },
            { input },
          ),
        },
      }),
    );
    let reads = 0;
    const given = {
      get name() {
        reads++;
        return "abc";
      },
      gone: undefined,
    };
    const ok = await surface.invoke("view:demo.go", given);
    const bad = await surface.invoke("view:demo.go", { name: "x", size: "3", tags: ["a", 1], more: 1 });
    const missing = await surface.invoke("view:demo.go");
    const wrong = [];
    for (const each of [null, [], "text", 3]) {
      wrong.push((await surface.invoke("view:demo.go", each)).error.code);
    }
    return {
      reads,
      output: ok.output,
      policy: seen.policy,
      policyFrozen: T.isDeepFrozen(seen.policy),
      apart: seen.policy !== seen.handler,
      context: seen.context,
      paths: bad.error.details.issues.map(({ path, pointer }) => `${path} ${pointer}`).sort(),
      keys: Object.keys(bad.error.details.issues[0]).sort().join(" "),
      missing: missing.error.details.issues.map(({ path, pointer }) => `${path} ${pointer}`),
      wrong,
    };
  });
  assert.deepEqual(found, {
    reads: 1,
    output: { name: "abc", size: 99 },
    policy: { name: "abc", size: 3 },
    policyFrozen: true,
    apart: true,
    context: "capabilityId consumer host invocationId registrationId signal",
    paths: ["more /more", "name /name", "size /size", "tags[1] /tags/1"],
    keys: "message path pointer",
    missing: ["name /name"],
    wrong: ["INVALID_INPUT", "INVALID_INPUT", "INVALID_INPUT", "INVALID_INPUT"],
  });
});

test("instances: one is taken, several are named, a live registration picks", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const add = (instanceId) =>
      surface.register(T.component({ instanceId, actions: { go: T.act(() => instanceId) } }));
    const a = add("a");
    const one = await surface.invoke("view:demo.go");
    const b = add("b");
    const several = await surface.invoke("view:demo.go");
    const picked = await surface.invoke("view:demo.go", {}, { instanceId: "b" });
    const byToken = await surface.invoke("view:demo.go", {}, { registrationId: a.registrationId });
    b.unregister();
    const gone = await surface.invoke("view:demo.go", {}, { instanceId: "b" });
    const never = await surface.invoke("view:demo.go", {}, { instanceId: "c" });
    return {
      one: one.output,
      several: several.error.details.instances.map(({ instanceId, ...more }) => [instanceId, Object.keys(more).sort().join()]),
      picked: picked.output,
      byToken: byToken.output,
      gone: T.brief(gone),
      never: T.brief(never)[0],
    };
  });
  assert.equal(found.one, "a");
  assert.deepEqual(found.several.map(([id]) => id), ["a", "b"]);
  assert.ok(found.several.every(([, keys]) => keys.includes("registrationId")));
  assert.deepEqual([found.picked, found.byToken], ["b", "a"]);
  assert.deepEqual(found.gone, ["COMPONENT_UNMOUNTED", { phase: "resolve" }]);
  assert.equal(found.never, "CAPABILITY_NOT_FOUND");
});

test("stale tokens", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    surface.registry.setProcedureExecutor({ execute: () => "ran" });
    const definition = T.component({
      actions: { go: T.act(() => "ran") },
      procedures: [A.procedure({ id: "domain:wipe", description: "Wipe", input: A.emptyObjectSchema, effect: "destructive" })],
    });
    const old = surface.register(definition);
    const { registrationId, surfaceVersion } = surface.captureRef("view:demo.go");
    old.unregister();
    const none = await surface.invoke("view:demo.go", {}, { registrationId });
    const withoutToken = await surface.invoke("view:demo.go");
    const live = surface.register(definition);
    const ask = async (more, capabilityId = "view:demo.go") => T.brief(await surface.invoke(capabilityId, undefined, more));
    return {
      liveId: live.registrationId,
      none: T.brief(none),
      withoutToken: T.brief(withoutToken),
      replaced: await ask({ registrationId }),
      reloaded: await ask({ registrationId: "reg_99_unknown" }),
      unknown: await ask({ registrationId: "reg_99_unknown" }, "view:demo.nothing"),
      versionOfAction: await ask({ surfaceVersion }),
      versionOfDestructive: await ask({ surfaceVersion }, "domain:wipe"),
      current: (await ask({ surfaceVersion: surface.registry.getVersion() }, "domain:wipe"))[0],
    };
  });
  assert.deepEqual(found, {
    liveId: found.liveId,
    none: ["COMPONENT_UNMOUNTED", { phase: "resolve" }],
    withoutToken: ["COMPONENT_UNMOUNTED", { phase: "resolve" }],
    replaced: ["STALE_CAPABILITY", { reason: "registration-replaced", liveRegistrationId: found.liveId }],
    reloaded: ["STALE_CAPABILITY", { reason: "surface-reloaded", liveRegistrationId: found.liveId }],
    unknown: ["CAPABILITY_NOT_FOUND", undefined],
    versionOfAction: ["ok", "ran"],
    versionOfDestructive: ["STALE_CAPABILITY", { reason: "surface-version-mismatch" }],
    current: "CONFIRMATION_REQUIRED",
  });
});

test("procedures: bound, locked and overridable fields, defaults, the executor and its errors", async () => {
  const found = await run(async () => {
    const surface = T.surface();
    const early = await T.fault(() =>
      surface.register(
        T.component({
          procedures: [A.procedure({ id: "domain:x", description: "X", input: A.emptyObjectSchema, effect: "server-query" })],
        }),
      ),
    );
    const seen = [];
    let answer = () => "saved";
    surface.registry.setProcedureExecutor({
      execute({ path, input, info }) {
        seen.push({ path, input, info: Object.keys(info).sort().join(" "), kind: info.consumer.kind });
        return answer();
      },
    });
    let ids = ["d1"];
    let description = "two selected";
    surface.register(
      T.component({
        procedures: [
          A.procedure({
            id: "domain:devices.save",
            description: "Save devices",
            input: T.object(
              {
                ids: { type: "array", items: { type: "string" } },
                city: { type: "string" },
                mode: { type: "string", default: "fast" },
                note: { type: "string" },
              },
              { required: ["ids", "city"] },
            ),
            effect: "server-query",
            bind: { ids: () => ids, city: () => "Milan" },
            overridableFields: ["city"],
            describe: () => description,
          }),
        ],
      }),
    );
    const call = async (input) => T.brief(await surface.invoke("domain:devices.save", input));
    const [descriptor] = surface.snapshot().procedures;
    description = "none selected";
    const results = {
      early,
      properties: Object.keys(descriptor.inputSchema.properties),
      required: descriptor.inputSchema.required ?? [],
      bound: descriptor.boundFields,
      notes: [descriptor.contextualNote, surface.snapshot().procedures[0].contextualNote],
      plain: await call(),
      own: await call({ city: "Osaka", note: "n" }),
      locked: await call({ ids: ["evil"] }),
    };
    ids = [3];
    results.badBinding = await call();
    ids = undefined;
    results.missing = await call();
    ids = ["d2"];
    answer = () => {
      throw Object.assign(new Error("connect 10.0.0.7"), { transient: true });
    };
    const transient = await surface.invoke("domain:devices.save");
    results.transient = [T.brief(transient), transient.error.retry, /10\.0/.test(JSON.stringify(transient))];
    answer = () => {
      throw new Error("SELECT * FROM secrets");
    };
    const failed = await surface.invoke("domain:devices.save");
    results.failed = [T.brief(failed), /SELECT/.test(JSON.stringify(failed))];
    results.seen = seen.slice(0, 2);
    results.runs = seen.length;
    return results;
  });
  assert.equal(found.early.code, "PLANE_VIOLATION");
  assert.deepEqual(found.properties, ["city", "mode", "note"]);
  assert.deepEqual(found.required, []);
  assert.deepEqual(found.bound, [
    { path: "ids", locked: true, source: "ui-state" },
    { path: "city", locked: false, source: "ui-state" },
  ]);
  assert.deepEqual(found.notes, ["two selected", "none selected"]);
  assert.deepEqual([found.plain, found.own], [["ok", "saved"], ["ok", "saved"]]);
  assert.equal(found.locked[0], "INVALID_INPUT");
  assert.deepEqual(found.locked[1].lockedFields, ["ids"]);
  for (const each of [found.badBinding, found.missing]) {
    assert.equal(each[0], "PRECONDITION_FAILED");
    assert.equal(each[1].reason, "binding-failed");
  }
  assert.deepEqual(found.transient, [["EXECUTION_FAILED", { reason: "transport", transient: true }], "after-delay", false]);
  assert.deepEqual(found.failed, [["EXECUTION_FAILED", { reason: "handler-error" }], false]);
  assert.deepEqual(found.seen, [
    {
      path: "devices.save",
      input: { ids: ["d1"], city: "Milan", mode: "fast" },
      info: "consumer invocationId signal",
      kind: "embedded",
    },
    {
      path: "devices.save",
      input: { ids: ["d1"], city: "Osaka", mode: "fast", note: "n" },
      info: "consumer invocationId signal",
      kind: "embedded",
    },
  ]);
  assert.equal(found.runs, 4);
});

test("hand-written and Standard Schemas check input and output, at once or later", async () => {
  const found = await run(async () => {
    const standard = (validate) => ({ "~standard": { version: 1, vendor: "hand", validate } });
    const jsonSchema = { type: "object", properties: { n: { type: "number" } } };
    const positive = (value) =>
      value?.n > 0 ? { value: { n: value.n, seen: true } } : { issues: [{ message: "n must be positive", path: ["n"] }] };
    const sync = A.fromStandardSchema(standard(positive), { jsonSchema });
    const later = A.fromStandardSchema(standard(async (value) => positive(value)), { jsonSchema });
    const hand = {
      jsonSchema: { oneOf: [{}], title: "opaque" },
      parse(value) {
        if (value?.n === 1) return value;
        throw new A.AgentSchemaError([{ path: "n", pointer: "/n", message: "must be one" }]);
      },
    };
    const rude = {
      jsonSchema: { type: "object" },
      parse() {
        throw new Error("at /srv/app.js:12 secret");
      },
    };
    const surface = T.surface();
    const echo = (input, more) => T.act((value) => value, { input, ...more });
    surface.register(
      T.component({
        actions: {
          sync: echo(sync),
          later: echo(later),
          hand: echo(hand),
          rude: echo(rude),
          output: T.act(({ n }) => ({ n }), { input: T.object({ n: { type: "number" } }), output: later }),
          strict: T.act(() => ({ total: "12" }), { output: T.object({ total: { type: "number" } }) }),
        },
      }),
    );
    const call = async (name, n) => T.brief(await surface.invoke(`view:demo.${name}`, { n }));
    return {
      sync: [await call("sync", 1), await call("sync", -1)],
      later: [await call("later", 1), await call("later", -1)],
      hand: [await call("hand", 1), await call("hand", 2)],
      rude: await call("rude", 1),
      output: [await call("output", 2), await call("output", -2)],
      strict: T.brief(await surface.invoke("view:demo.strict")),
      parse: [sync.parse({ n: 4 }), await T.fault(() => sync.parse({ n: -4 })), (await T.fault(() => later.parse({ n: 4 }))).name],
      listed: surface.snapshot().components[0].actions.find(({ name }) => name === "hand").inputSchema,
    };
  });
  const issues = [{ path: "n", pointer: "/n", message: "n must be positive" }];
  assert.deepEqual(found.sync, [["ok", { n: 1, seen: true }], ["INVALID_INPUT", { issues }]]);
  assert.deepEqual(found.later, found.sync);
  assert.deepEqual(found.hand, [
    ["ok", { n: 1 }],
    ["INVALID_INPUT", { issues: [{ path: "n", pointer: "/n", message: "must be one" }] }],
  ]);
  assert.equal(found.rude[0], "INVALID_INPUT");
  assert.doesNotMatch(JSON.stringify(found.rude), /srv|secret/);
  assert.equal(found.output[0][0], "ok");
  assert.equal(found.output[1][0], "EXECUTION_FAILED");
  assert.equal(found.output[1][1].reason, "output-invalid");
  assert.equal(found.strict[1].reason, "output-invalid");
  assert.deepEqual(found.parse[0], { n: 4, seen: true });
  assert.equal(found.parse[1].name, "AgentSchemaError");
  assert.equal(found.parse[2], "AgentSchemaError");
  assert.deepEqual(found.listed, { oneOf: [{}], title: "opaque" });
});
