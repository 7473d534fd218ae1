// Bad input of every kind: each has its code, and nothing changes by it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run, held } = usePage();

test("every definition that is wrong throws its code and leaves no trace", async () => {
  const found = await run(async () => {
    const unhush = T.hush("warn");
    const registry = T.registry();
    registry.setProcedureExecutor({ execute: () => null });
    registry.register(T.component({ type: "base", actions: { go: T.act() } }));
    const events = [];
    registry.subscribe(({ type }) => events.push(type));
    await T.turn();
    events.length = 0;
    const before = registry.snapshot();
    const version = registry.getVersion();
    const action = (more) => T.component({ actions: { go: T.act(() => 1, more) } });
    const observe = (more) => T.component({ observations: { rows: T.read(() => 1, more) } });
    const input = (jsonSchema) => action({ input: A.fromJsonSchema(jsonSchema) });
    const call = (config) =>
      T.component({
        procedures: [A.procedure({ id: "domain:x", description: "X", input: T.object({ a: {}, b: {} }), effect: "server-query", ...config })],
      });
    const deep = (levels) => (levels ? { type: "object", properties: { a: deep(levels - 1) } } : {});
    const cycle = {};
    cycle.self = cycle;
    const cases = {
      // ids
      "type upper": [T.component({ type: "Devices" }), "INVALID_ID"],
      "type empty": [T.component({ type: "" }), "INVALID_ID"],
      "type underscore": [T.component({ type: "a_b" }), "INVALID_ID"],
      "type dots": [T.component({ type: "a..b" }), "INVALID_ID"],
      "type number": [T.component({ type: 7 }), "INVALID_DEFINITION"],
      "type missing": [{ description: "no type" }, "INVALID_DEFINITION"],
      "type surrogate": [T.component({ type: "a\ud800" }), "INVALID_ID"],
      "type long": [T.component({ type: "a".repeat(200) }), "INVALID_ID"],
      "type proto": [T.component({ type: "__proto__" }), "INVALID_ID"],
      "instance space": [T.component({ instanceId: "a b" }), "INVALID_ID"],
      "instance empty": [T.component({ instanceId: "" }), "INVALID_ID"],
      "name upper": [T.component({ actions: { Go: T.act() } }), "INVALID_ID"],
      "name underscore": [T.component({ actions: { go_there: T.act() } }), "INVALID_ID"],
      "name proto": [T.component({ actions: JSON.parse('{"__proto__x":1}') && { ["__proto__"]: T.act() } }), "INVALID_ID"],
      "id long": [T.component({ type: "a".repeat(100), actions: { [`b${"c".repeat(60)}`]: T.act() } }), "INVALID_ID"],
      "procedure id": [call({ id: "view:x" }), "INVALID_ID"],
      "procedure empty": [call({ id: "domain:" }), "INVALID_ID"],
      // shape
      "unknown field": [T.component({ wat: 1 }), "INVALID_DEFINITION"],
      "unknown action field": [action({ wat: 1 }), "INVALID_DEFINITION"],
      "no description": [T.component({ description: undefined }), "INVALID_DEFINITION"],
      "blank description": [T.component({ description: "  \n" }), "INVALID_DEFINITION"],
      "blank action description": [action({ description: "" }), "INVALID_DEFINITION"],
      "description number": [action({ description: 3 }), "INVALID_DEFINITION"],
      "no execute": [action({ execute: undefined }), "INVALID_DEFINITION"],
      "execute text": [action({ execute: "alert(1)" }), "INVALID_DEFINITION"],
      "when text": [action({ when: "yes" }), "INVALID_DEFINITION"],
      "no input": [action({ input: undefined }), "INVALID_DEFINITION"],
      "plain input": [action({ input: { type: "object" } }), "INVALID_DEFINITION"],
      "bad effect": [action({ effect: "magic" }), "INVALID_DEFINITION"],
      "bad confirmation": [action({ confirmation: "sometimes" }), "INVALID_DEFINITION"],
      "bad audit": [action({ audit: "loud" }), "INVALID_DEFINITION"],
      "bad timeout": [action({ timeoutMs: -1 }), "INVALID_DEFINITION"],
      "timeout NaN": [action({ timeoutMs: NaN }), "INVALID_DEFINITION"],
      "bad concurrency": [action({ concurrency: { mode: "wild" } }), "INVALID_DEFINITION"],
      "concurrency key": [action({ concurrency: { mode: "key" } }), "INVALID_DEFINITION"],
      "meta function": [T.component({ meta: { f: () => 1 } }), "INVALID_DEFINITION"],
      "meta cycle": [T.component({ meta: cycle }), "INVALID_DEFINITION"],
      "meta date": [action({ meta: { at: new Date() } }), "INVALID_DEFINITION"],
      "meta bigint": [action({ meta: { n: 1n } }), "INVALID_DEFINITION"],
      "policy number": [action({ policies: [7] }), "INVALID_DEFINITION"],
      "policy hook": [action({ policies: [{ name: "p", onAuthorize: { next: true } }] }), "INVALID_DEFINITION"],
      "policies object": [action({ policies: {} }), "INVALID_DEFINITION"],
      "priority text": [T.component({ priority: "high" }), "INVALID_DEFINITION"],
      "enabled text": [T.component({ enabled: "yes" }), "INVALID_DEFINITION"],
      "actions array": [T.component({ actions: [T.act()] }), "INVALID_DEFINITION"],
      "action null": [T.component({ actions: { go: null } }), "INVALID_DEFINITION"],
      "procedures object": [T.component({ procedures: {} }), "INVALID_DEFINITION"],
      "read missing": [observe({ read: undefined }), "INVALID_DEFINITION"],
      "definition null": [null, "INVALID_DEFINITION"],
      "definition text": ["x", "INVALID_DEFINITION"],
      "definition array": [[], "INVALID_DEFINITION"],
      "bind text": [call({ bind: { a: "x" } }), "INVALID_DEFINITION"],
      "locked unbound": [call({ bind: { a: () => 1 }, lockedFields: ["b"] }), "INVALID_DEFINITION"],
      "bad default": [input({ type: "object", properties: { a: { type: "integer", default: "x" } } }), "INVALID_DEFINITION"],
      // schemas
      oneOf: [input({ oneOf: [{}] }), "UNSUPPORTED_SCHEMA"],
      "remote ref": [input({ $ref: "https://evil.example/schema" }), "UNSUPPORTED_SCHEMA"],
      "open ref": [input({ $ref: "#/$defs/nothing" }), "UNSUPPORTED_SCHEMA"],
      "bad pattern": [input({ type: "string", pattern: "(" }), "UNSUPPORTED_SCHEMA"],
      "too deep": [input(deep(12)), "UNSUPPORTED_SCHEMA"],
      "too large": [input({ type: "object", description: "x".repeat(17_000) }), "UNSUPPORTED_SCHEMA"],
      "unknown keyword": [input({ type: "object", wat: 1 }), "UNSUPPORTED_SCHEMA"],
      "deep schema of one's own": [action({ input: { jsonSchema: deep(12), parse: (value) => value } }), "UNSUPPORTED_SCHEMA"],
      // planes, names, limits
      "view action with server effect": [action({ effect: "server-mutation" }), "PLANE_VIOLATION"],
      "view action that destroys": [action({ effect: "destructive" }), "PLANE_VIOLATION"],
      "one name twice": [T.component({ observations: { go: T.read() }, actions: { go: T.act() } }), "DUPLICATE_CAPABILITY"],
      "component description long": [T.component({ description: "é".repeat(501) }), "LIMIT_EXCEEDED"],
      "action description long": [action({ description: "é".repeat(301) }), "LIMIT_EXCEEDED"],
      "meta large": [T.component({ meta: { big: "x".repeat(3_000) } }), "LIMIT_EXCEEDED"],
    };
    const wrong = {};
    for (const [name, [definition, code]] of Object.entries(cases)) {
      const fault = await T.fault(() => registry.register(definition));
      const isRight =
        fault.name === "AgentSurfaceDefinitionError" && fault.code === code && fault.message.startsWith(`[${code}] `);
      if (!isRight) wrong[name] = [code, fault];
    }
    const limits = {
      description: registry.register(T.component({ type: "fits", description: "é".repeat(500) })).status,
      emoji: registry.register(T.component({ type: "emoji", description: "😀".repeat(500) })).status,
    };
    const after = registry.snapshot();
    return {
      wrong,
      limits,
      events: events.filter((type) => type !== "component-registered"),
      moved: Number(registry.getVersion()) - Number(version),
      kept: after.components[0] === before.components[0],
      printed: unhush(),
    };
  });
  assert.deepEqual(found.wrong, {});
  assert.deepEqual(found.limits, { description: "active", emoji: "active" });
  assert.deepEqual([found.events, found.moved, found.kept], [[], 2, true]);
});

test("every input that is no JSON, or too much of it, is INVALID_INPUT before anything runs", async () => {
  const found = await run(async () => {
    let runs = 0;
    const asked = [];
    const registry = T.registry({ policies: [{ name: "p", onInvoke: (_, next) => asked.push(1) && next() }] });
    registry.register(
      T.component({
        actions: { go: T.act(() => ++runs, { confirmation: "required", input: A.fromJsonSchema({}) }) },
      }),
    );
    const before = registry.snapshot();
    const version = registry.getVersion();
    const cycle = { a: { b: [] } };
    cycle.a.b.push(cycle);
    let nested = [];
    for (let n = 0; n < 100_000; n++) nested = [nested];
    let objects = {};
    for (let n = 0; n < 100_000; n++) objects = { a: objects };
    // Accessors keep the engine's `stringify` from its way without recursion: this one overflows its stack.
    let deepest = [];
    for (let n = 0; n < 100_000; n++) {
      const inner = deepest;
      deepest = Object.defineProperty({}, "a", { enumerable: true, get: () => inner });
    }
    const overflows = (() => {
      try {
        JSON.stringify(deepest);
        return "no";
      } catch (error) {
        return error.name;
      }
    })();
    const holes = [1, , 2];
    const hidden = Object.defineProperty({}, "x", { enumerable: true, get: () => { throw new Error("boo"); } });
    const proxy = new Proxy({}, { ownKeys: () => { throw new Error("boo"); } });
    const liar = new Proxy([], { get: (target, key) => (key === "length" ? 2 ** 32 : target[key]) });
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const cases = {
      nan: { a: { b: [NaN] } },
      infinity: Infinity,
      bigint: { n: 1n },
      cycle,
      surrogate: { text: "a\ud800b" },
      "surrogate key": { ["k\udc00"]: 1 },
      nested,
      objects,
      deepest,
      "65 levels": Array.from({ length: 64 }).reduce((inner) => [inner], []),
      getter: hidden,
      proxy,
      liar,
      revoked,
      date: new Date(),
      map: new Map(),
      instance: new (class Thing {})(),
      regexp: /x/,
      function: () => 1,
      symbol: Symbol("x"),
      boxed: new String("x"),
      holes,
      typed: new Uint8Array(3),
      "10 MB": { text: "x".repeat(10_000_000) },
      "10 MB of keys": Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`key-number-${n}`, n])),
      "a million items": Array.from({ length: 1_000_000 }, () => 0),
      "multi-byte past the limit": "é".repeat(140_000),
    };
    const wrong = {};
    const paths = {};
    for (const [name, input] of Object.entries(cases)) {
      const result = await registry.invoke({ capabilityId: "view:demo.go", input });
      const issues = result.error?.details?.issues;
      if (result.error?.code !== "INVALID_INPUT" || !issues?.length || JSON.stringify(result).length > 2_000) {
        wrong[name] = result.error?.code ?? result.status;
      }
      paths[name] = issues?.[0]?.path;
    }
    return {
      wrong,
      paths,
      overflows,
      runs,
      asked: asked.length,
      same: registry.snapshot() === before,
      moved: registry.getVersion() !== version,
      pending: registry.confirmations.pending().length,
    };
  });
  assert.deepEqual(found.wrong, {});
  const { nan, bigint, cycle, surrogate, getter, holes } = found.paths;
  assert.deepEqual({ nan, bigint, cycle, surrogate, getter, holes }, {
    nan: "a.b[0]",
    bigint: "n",
    cycle: "a.b[0]",
    surrogate: "text",
    getter: "x",
    holes: "[1]",
  });
  assert.equal(found.overflows, "RangeError");
  assert.deepEqual([found.runs, found.asked, found.same, found.moved, found.pending], [0, 0, true, false, 0]);
});

test("what is just within the limits passes", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    registry.register(
      T.component({ actions: { go: T.act((input) => JSON.stringify(input).length, { input: A.fromJsonSchema({}) }) } }),
    );
    const call = async (input) => T.brief(await registry.invoke({ capabilityId: "view:demo.go", input }));
    const levels = (n) => Array.from({ length: n - 1 }).reduce((inner) => [inner], []);
    const flat = T.registry({ limits: { maxValueDepth: 3 }, environment: "production" });
    let output;
    flat.register(T.component({ actions: { go: T.act(() => output) } }));
    const outputs = [];
    for (output of [levels(3), levels(4)]) outputs.push((await flat.invoke({ capabilityId: "view:demo.go" })).error?.details.reason);
    return {
      outputs,
      size: await call("x".repeat(262_142)),
      past: (await call("x".repeat(262_143)))[0],
      depth: await call(levels(64)),
      tooDeep: (await call(levels(65)))[0],
      "null prototype": await call(Object.assign(Object.create(null), { a: 1 })),
      undefineds: await call({ a: undefined, b: 1 }),
      pair: await call("😀"),
    };
  });
  assert.deepEqual(found, {
    outputs: [undefined, "output-invalid"],
    size: ["ok", 262_144],
    past: "INVALID_INPUT",
    depth: ["ok", 128],
    tooDeep: "INVALID_INPUT",
    "null prototype": ["ok", 7],
    undefineds: ["ok", 7],
    pair: ["ok", 4],
  });
});

test("`__proto__`, `constructor` and friends are names like any other and pollute nothing", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const received = [];
    const go = (jsonSchema) => T.act((input) => received.push(input) && input, { input: A.fromJsonSchema(jsonSchema) });
    registry.register(
      T.component({
        actions: {
          open: go({ type: "object" }),
          closed: go({ type: "object", properties: { a: {} }, additionalProperties: false }),
          defaulted: go({ type: "object", properties: JSON.parse('{"__proto__":{"type":"object","default":{"polluted":1}},"a":{"default":1}}') }),
        },
      }),
    );
    const call = (name, input) => registry.invoke({ capabilityId: `view:demo.${name}`, input });
    const evil = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}');
    const open = await call("open", evil);
    const closed = await call("closed", evil);
    const inherited = [];
    for (const key of ["toString", "constructor", "hasOwnProperty", "__proto__", "__defineGetter__"]) {
      const input = JSON.parse(`{"${key}":1}`);
      inherited.push((await call("closed", input)).error?.code);
    }
    const defaulted = await call("defaulted", {});
    const required = validate({ type: "object", required: ["toString"] }, {});
    function validate(schema, value) {
      return A.validateValueAgainstSchema(value, schema).length;
    }
    const merged = await registry.invoke(
      JSON.parse('{"capabilityId":"view:demo.open","__proto__":{"input":{"x":1}}}'),
      JSON.parse('{"__proto__":{"consumer":{"id":"admin","kind":"embedded"}}}'),
    );
    return {
      own: Object.hasOwn(open.output, "__proto__") && Object.getPrototypeOf(open.output) === Object.prototype,
      handler: Object.hasOwn(received[0], "__proto__") && received[0].polluted === undefined,
      closed: closed.error.code,
      inherited: [...new Set(inherited)],
      defaulted: defaulted.status,
      required,
      polluted: {}.polluted,
      merged: merged.status,
    };
  });
  assert.deepEqual(found, {
    own: true,
    handler: true,
    closed: "INVALID_INPUT",
    inherited: ["INVALID_INPUT"],
    defaulted: "ok",
    required: 1,
    polluted: undefined,
    merged: "ok",
  });
});

test("malformed calls: unknown ids disclose nothing, and misuse of the call itself rejects", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    registry.register(T.component({ actions: { go: T.act(() => ++runs) } }));
    const version = registry.getVersion();
    const snapshot = registry.snapshot();
    const code = async (request, options) => {
      try {
        const result = await registry.invoke(request, options);
        return result.error?.code ?? result.status;
      } catch (error) {
        return error.name;
      }
    };
    const id = "view:demo.go";
    const unknown = ["", "x", "view:", "view:demo", "view:demo.", "demo.go", "VIEW:demo.go", "view:demo.go ", "view:demo.go\u0000", "view:demo.\ud800", "domain:demo.go", "view:demo.toString", "view:demo.__proto__", "a".repeat(1_000_000)];
    const results = {
      unknown: [...new Set(await Promise.all(unknown.map((capabilityId) => code({ capabilityId }))))],
      misuse: [
        await code(),
        await code(null),
        await code("view:demo.go"),
        await code({}),
        await code({ capabilityId: 7 }),
        await code({ capabilityId: id, invocationId: 7 }),
        await code({ capabilityId: id, registrationId: {} }),
        await code({ capabilityId: id }, { timeoutMs: -1 }),
        await code({ capabilityId: id }, { timeoutMs: NaN }),
        await code({ capabilityId: id }, { consumer: { id: "", kind: "embedded" } }),
        await code({ capabilityId: id }, { consumer: { id: "x", kind: "root" } }),
        await code({ capabilityId: id }, { consumer: "admin" }),
        await code({ capabilityId: id }, { consumer: { id: "x", kind: "test", grants: { a: 1n } } }),
      ],
      tokens: [
        await code({ capabilityId: id, instanceId: "\ud800" }),
        await code({ capabilityId: id, registrationId: "reg_\udfff" }),
        await code({ capabilityId: id, registrationId: "x".repeat(1_000_000) }),
        await code({ capabilityId: id, instanceId: "x".repeat(1_000_000) }),
        await code({ capabilityId: id, confirmationId: "x".repeat(1_000_000) }),
        await code({ capabilityId: id, invocationId: "x".repeat(257) }),
        await code({ capabilityId: id, invocationId: "x".repeat(1_000_000) }),
        await code({ capabilityId: id, invocationId: "\ud800" }),
        await code({ capabilityId: id, invocationId: "" }),
      ],
      same: registry.snapshot() === snapshot && registry.getVersion() === version,
    };
    const ranBefore = runs;
    results.fits = await code({ capabilityId: id, invocationId: "x".repeat(256) });
    return { ...results, ranBefore, runs };
  });
  assert.deepEqual(found.unknown, ["CAPABILITY_NOT_FOUND"]);
  assert.deepEqual(found.misuse, found.misuse.map(() => "TypeError"));
  const [instance, registration, longRegistration, longInstance, confirmation, ...ids] = found.tokens;
  for (const each of [instance, registration, longRegistration, longInstance]) {
    assert.match(each, /^(CAPABILITY_NOT_FOUND|STALE_CAPABILITY)$/);
  }
  assert.match(confirmation, /^(ok|CONFIRMATION_INVALID)$/);
  assert.deepEqual(ids.slice(0, 3), ["INVALID_INPUT", "INVALID_INPUT", "INVALID_INPUT"]);
  assert.equal(found.same, true);
  assert.equal(found.fits, "ok");
});

test("snapshot, update, resolve and subscribe refuse what they do not take", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const handle = registry.register(T.component({ actions: { go: T.act() } }));
    const version = registry.getVersion();
    const faults = [
      await T.fault(() => registry.snapshot({ scope: "devices" })),
      await T.fault(() => registry.snapshot({ scope: [7] })),
      await T.fault(() => registry.snapshot({ consumer: { id: 7 } })),
      await T.fault(() => handle.update({ enabled: "no" })),
      await T.fault(() => handle.update({ availability: { go: { available: "no" } } })),
      await T.fault(() => handle.update({ availability: { go: { available: 1n } } })),
      await T.fault(() => registry.confirmations.resolve("cnf_x", {})),
      await T.fault(() => registry.confirmations.resolve(7, { approved: true })),
      await T.fault(() => registry.confirmations.resolve("cnf_x", { approved: "yes" })),
      await T.fault(() => registry.subscribe("x")),
      await T.fault(() => registry.setProcedureExecutor({})),
      await T.fault(() => registry.attach({})),
      await T.fault(() => registry.confirmations.waitFor(7)),
      await T.fault(() => A.createAgentSurfaceRegistry({ environment: "prod" })),
      await T.fault(() => A.createAgentSurfaceRegistry({ limits: { nothing: 1 } })),
      await T.fault(() => A.createAgentSurfaceRegistry({ limits: { maxInputBytes: -1 } })),
      await T.fault(() => A.createAgentSurfaceRegistry({ limits: { maxInputBytes: 1.5 } })),
      await T.fault(() => A.createAgentSurfaceRegistry({ policies: {} })),
      await T.fault(() => A.createAgentSurfaceRegistry({ policies: [null] })),
      await T.fault(() => A.createAgentSurfaceRegistry({ policies: [{ name: "p", onInvoke: "next" }] })),
      await T.fault(() => A.createAgentSurfaceRegistry({ audit: {} })),
      await T.fault(() => A.createAgentToolset({}, { topology: "embedded", consumer: { id: "c", kind: "test" } })),
      await T.fault(() => A.createWebMcpAdapter({ confirmations: "never" })),
    ];
    return { faults: faults.map((fault) => fault.name ?? fault), moved: registry.getVersion() !== version, status: handle.status };
  });
  for (const name of found.faults) assert.match(name, /^(TypeError|AgentSurfaceDefinitionError)$/);
  assert.deepEqual([found.moved, found.status], [false, "active"]);
});

test("page code that misbehaves is answered with a code: throws of any kind, promises that never end, odd answers", async () => {
  const found = await run(async () => {
    const clock = T.clock();
    const unhush = T.hush("warn", "error", "debug");
    try {
      const audit = A.memoryAuditSink();
      const registry = T.registry({ audit, now: clock.now });
      const thrown = ["a string", undefined, null, 7, 1n, Symbol("s"), {}, [], () => 1, Object.create(null), new Proxy({}, { get: () => { throw new Error("boo"); } })];
      let at = 0;
      registry.register(
        T.component({
          actions: {
            throws: T.act(() => {
              throw thrown[at];
            }),
            rejects: T.act(() => Promise.reject(thrown[at])),
            thenThrows: T.act(() => ({
              get then() {
                throw new Error("boo");
              },
            })),
            thenCallsTwice: T.act(() => ({
              then(resolve, reject) {
                resolve("first");
                resolve("second");
                reject(new Error("third"));
              },
            })),
            never: T.act(() => new Promise(() => undefined)),
            self: T.act(() => {
              const value = {};
              value.value = value;
              return value;
            }),
          },
        }),
      );
      const call = (name) => registry.invoke({ capabilityId: `view:demo.${name}` }).then(T.brief, (error) => [error.name]);
      const codes = [];
      for (at = 0; at < thrown.length; at++) codes.push((await call("throws"))[0], (await call("rejects"))[0]);
      const thenThrows = await call("thenThrows");
      const thenCallsTwice = await call("thenCallsTwice");
      const self = await call("self");
      const never = call("never");
      await clock.advance(10_000);
      const settled = audit.events().filter(({ type }) => type === "invocation-settled").length;
      const started = audit.events().filter(({ type }) => type === "invocation-started").length;
      return { codes: [...new Set(codes)], thenThrows: thenThrows[0], thenCallsTwice, self, never: (await never)[0], balanced: started === settled };
    } finally {
      clock.restore();
      unhush();
    }
  });
  assert.deepEqual(found, {
    codes: ["EXECUTION_FAILED"],
    thenThrows: found.thenThrows,
    thenCallsTwice: ["ok", "first"],
    self: ["TypeError"],
    never: "TIMEOUT",
    balanced: true,
  });
  assert.match(found.thenThrows, /^(EXECUTION_FAILED|TypeError)$/);
});

test("patched prototypes change no decision", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    let runs = 0;
    registry.register(
      T.component({
        actions: { go: T.act((input) => ++runs && input, { input: T.object({ a: { type: "integer" } }, { required: ["a"] }) }) },
      }),
    );
    const saved = [];
    const patch = (owner, name, value) => {
      saved.push([owner, name, Object.getOwnPropertyDescriptor(owner, name)]);
      Object.defineProperty(owner, name, { configurable: true, writable: true, value });
    };
    patch(Object.prototype, "toJSON", () => ({ a: 666 }));
    patch(Array.prototype, "toJSON", () => [666]);
    patch(String.prototype, "toJSON", () => "evil");
    patch(Object.prototype, "a", 7);
    patch(Object.prototype, "available", true);
    patch(Object.prototype, "code", "EVIL");
    patch(Array.prototype, "includes", () => false);
    patch(RegExp.prototype, "test", () => true);
    patch(RegExp.prototype, "exec", () => ["x"]);
    patch(JSON, "stringify", () => '{"a":666}');
    let results;
    try {
      const good = await registry.invoke({ capabilityId: "view:demo.go", input: { a: 1 } });
      const missing = await registry.invoke({ capabilityId: "view:demo.go", input: {} });
      const wrong = await registry.invoke({ capabilityId: "view:demo.go", input: { a: "1" } });
      results = [good.output?.a, missing.error?.code, wrong.error?.code];
    } finally {
      for (const [owner, name, descriptor] of saved.reverse()) {
        if (descriptor) Object.defineProperty(owner, name, descriptor);
        else delete owner[name];
      }
    }
    return { results, runs, still: (await registry.invoke({ capabilityId: "view:demo.go", input: { a: 2 } })).output };
  });
  assert.deepEqual(found, { results: [1, "INVALID_INPUT", "INVALID_INPUT"], runs: 1, still: { a: 2 } });
});

test("a pattern cannot hang the page", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const text = (pattern) => T.act(() => 1, { input: T.object({ s: { type: "string", pattern } }) });
    registry.register(T.component({ actions: { nested: text("^(a+)+$"), overlapping: text("^(a|a)*$"), long: text("^(\\w+\\s?)*$") } }));
    const times = {};
    const codes = [];
    for (const [name, s] of [["nested", `${"a".repeat(40)}!`], ["overlapping", `${"a".repeat(5_000)}!`], ["long", `${"word ".repeat(20_000)}!`]]) {
      const from = performance.now();
      codes.push((await registry.invoke({ capabilityId: `view:demo.${name}`, input: { s } })).error.code);
      times[name] = performance.now() - from;
    }
    return { codes, times };
  });
  assert.deepEqual([...new Set(found.codes)], ["INVALID_INPUT"]);
  // Ten times the bound, for a machine that runs other things: a backtracking engine needs years.
  assert.ok(found.times.nested < 100, `${found.times.nested} ms`);
  for (const [name, time] of Object.entries(found.times)) assert.ok(time < 2_000, `${name}: ${time} ms`);
});

test("ten thousand capabilities of one component, and as many instances, work and leave", async () => {
  const found = await run(async () => {
    const registry = T.registry();
    const actions = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`go${n}`, T.act(() => n)]));
    const handle = registry.register(T.component({ actions }));
    const listed = registry.snapshot().components[0].actions.length;
    const last = (await registry.invoke({ capabilityId: "view:demo.go9999" })).output;
    handle.unregister();
    const handles = Array.from({ length: 2_000 }, (_, n) => registry.register(T.component({ instanceId: `i${n}`, actions: { go: T.act(() => n) } })));
    const one = (await registry.invoke({ capabilityId: "view:demo.go", instanceId: "i1999" })).output;
    const ambiguous = await registry.invoke({ capabilityId: "view:demo.go" });
    const toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "test" }, topology: "embedded" });
    const names = new Set(toolset.tools().map(({ name }) => name)).size;
    toolset.dispose();
    for (const each of handles) each.unregister();
    return { status: handle.status, listed, last, one, ambiguous: ambiguous.error.code, names, left: registry.snapshot().components.length };
  });
  assert.deepEqual(found, { status: "unregistered", listed: 10_000, last: 9_999, one: 1_999, ambiguous: "AMBIGUOUS_INSTANCE", names: 2_000, left: 0 });
});

test("the id functions never throw on content", async () => {
  const found = await run(() => {
    const odd = [undefined, null, 7, {}, [], "", "\ud800", "x".repeat(1_000_000), "view:a.b", "domain:a_b", "view:a.__proto__"];
    return {
      parsed: odd.map((each) => A.parseCapabilityId(each)?.plane ?? null),
      decoded: odd.map((each) => A.decodeWireName(each) ?? null).filter(Boolean),
      valid: odd.map((each) => [A.isValidComponentType(each), A.isValidCapabilityName(each), A.isValidInstanceId(each)].some(Boolean)),
    };
  });
  assert.deepEqual(found.parsed, [null, null, null, null, null, null, null, null, "view", "domain", null]);
  assert.deepEqual(found.decoded, []);
  assert.deepEqual(found.valid, odd(11));
  function odd(length) {
    return Array.from({ length }, () => false);
  }
});

test("a schema outside the subset judges no value: it is refused, and never taken for a match", async () => {
  const found = await run(async () => {
    const schema = { oneOf: [{ type: "string" }] };
    const parse = await T.fault(() => A.fromJsonSchema(schema).parse(3));
    const validate = await T.fault(() => A.validateValueAgainstSchema(3, schema));
    const { ok, reason } = A.validateJsonSchemaDocument(schema);
    return { codes: [parse.code, validate.code], ok, named: reason.startsWith("`oneOf`") };
  });
  assert.deepEqual(found, { codes: ["UNSUPPORTED_SCHEMA", "UNSUPPORTED_SCHEMA"], ok: false, named: true });
});

test("after all of it the page is whole", async () => {
  const state = await run(() => globalThis[Symbol.for("agent-surface-wasm/1")].state);
  assert.equal(state, "ready");
  assert.deepEqual(held.page.faults, []);
});
