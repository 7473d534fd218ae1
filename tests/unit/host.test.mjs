// What the facade makes of an error that left the module.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Host } from "../../pkg-template/lib/host.js";
import { realm } from "../../pkg-template/lib/realm.js";

const leaving = (error) => {
  const host = new Host({});
  host.wasm = {};
  realm.state = "ready";
  try {
    host.enter(() => {
      throw error;
    });
  } catch (thrown) {
    return { thrown, state: realm.state };
  }
};

test("a definition error and an error of the page go through", () => {
  for (const error of ['{"code":"INVALID_ID"}', new Error("the page's own"), new TypeError("panic"), null, { message: 1 }]) {
    assert.deepEqual(leaving(error), { thrown: error, state: "ready" });
  }
});

test("a panic of the core and a stop of the engine poison the instance, with their message", () => {
  const panic = new Error("panic: attempt to divide by zero at crates/agent-surface-core/src/core.rs:7");
  for (const error of [panic, new WebAssembly.RuntimeError("unreachable"), new RangeError("Maximum call stack size exceeded")]) {
    const { thrown, state } = leaving(error);
    assert.deepEqual([thrown.code, thrown.details, state], ["POISONED", { trap: error.message }, "poisoned"]);
  }
});

const recordedBy = (redact, t) => {
  const printed = t.mock.method(console, "error", () => undefined);
  const kept = [];
  const host = new Host({ audit: { record: (event) => kept.push(event), ...(redact && { redact }) } });
  host.audit('{"type":"invocation-settled","payload":{"input":{"password":"s3cret"},"output":1}}', -1);
  return { kept: kept.map((event) => JSON.parse(JSON.stringify(event))), printed: printed.mock.callCount() };
};

test("what a sink redacts is what it is given", (t) => {
  const redact = ({ output }, { type }) => ({ input: type, output });
  const payload = { input: "invocation-settled", output: 1 };
  assert.deepEqual(recordedBy(redact, t), { kept: [{ type: "invocation-settled", payload }], printed: 0 });
});

test("a `redact` that throws, or gives what cannot be kept, costs the record its payload and nothing else", (t) => {
  const failing = [
    (payload) => {
      payload.seen = true;
      throw new Error("no");
    },
    () => undefined,
    () => 1n,
    () => ({ input: "x".repeat(20_000) }),
    (payload) => (payload.self = payload),
  ];
  for (const redact of failing) assert.deepEqual(recordedBy(redact, t).kept, [{ type: "invocation-settled" }]);
});

test("a sink that throws, now or later, is heard of on the console, and the next one still gets the record", async (t) => {
  const printed = t.mock.method(console, "error", () => undefined);
  const kept = [];
  const host = new Host({
    audit: {
      record() {
        throw new Error("full");
      },
    },
  });
  const late = async () => {
    throw new Error("disk");
  };
  host.entries[0] = { sinks: [{ record: late }, { record: (event) => kept.push(event) }], cause: new Error("of the handler") };
  host.audit('{"type":"invocation-settled"}', 0);
  await new Promise(setImmediate);
  assert.deepEqual([kept.length, kept[0].cause.message, printed.mock.callCount()], [1, "of the handler", 2]);
});
