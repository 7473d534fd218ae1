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
