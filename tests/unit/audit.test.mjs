// The audit sinks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { consoleAuditSink, memoryAuditSink } from "../../pkg-template/lib/audit.js";

test("the memory sink keeps the last events, a thousand unless told otherwise", () => {
  const sink = memoryAuditSink({ capacity: 2 });
  for (const n of [1, 2, 3]) sink.record({ n });
  assert.deepEqual(sink.events(), [{ n: 2 }, { n: 3 }]);
  const large = memoryAuditSink();
  for (let n = 0; n < 1500; n++) large.record({ n });
  assert.deepEqual([large.events().length, large.events()[0].n], [1000, 500]);
});

test("what it gives out is a copy, and it can be cleared", () => {
  const sink = memoryAuditSink();
  sink.record({ n: 1 });
  sink.events().pop();
  assert.equal(sink.events().length, 1);
  sink.clear();
  assert.deepEqual(sink.events(), []);
});

test("a capacity that would keep nothing, or everything, is refused", () => {
  for (const capacity of [NaN, Infinity, 0, -1, 1.5, "5", null]) {
    assert.throws(() => memoryAuditSink({ capacity }), { code: "INVALID_DEFINITION", message: /`capacity`/ });
  }
});

test("the console sink prints to stderr in Node and to the debug level in a page", (t) => {
  const error = t.mock.method(console, "error", () => undefined);
  const debug = t.mock.method(console, "debug", () => undefined);
  const sink = consoleAuditSink();
  sink.record({ type: "registration" });
  globalThis.document = {};
  try {
    sink.record({ type: "unregistration" });
  } finally {
    delete globalThis.document;
  }
  assert.deepEqual(error.mock.calls[0].arguments, ["[agent-surface audit]", { type: "registration" }]);
  assert.deepEqual(debug.mock.calls[0].arguments, ["[agent-surface audit]", { type: "unregistration" }]);
});
