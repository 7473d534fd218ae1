// The two audit sinks of the package, and how any sink is given a record. What is recorded is the core's decision.

import { expect } from "./errors.js";
import { checkedCopy } from "./json.js";
import { isThenable, quietly, whenEnded } from "./thenable.js";

/** Keeps the last `capacity` events; the oldest leave first. */
export const memoryAuditSink = ({ capacity = 1000 } = {}) => {
  expect(Number.isInteger(capacity) && capacity > 0, "`capacity` must be a whole number from 1");
  let kept = [];
  return {
    record(event) {
      kept.push(event);
      if (kept.length > capacity) kept.shift();
    },
    events: () => kept.slice(),
    clear() {
      kept = [];
    },
  };
};

/** Prints each event. Where there is no document it goes to stderr: a command's stdout may be its protocol. */
export const consoleAuditSink = () => ({
  record(event) {
    console[typeof document === "undefined" ? "error" : "debug"]("[agent-surface audit]", event);
  },
});

/** Bytes of what a `redact` leaves; the core bounds what goes in. */
const MOST_PAYLOAD = 16_384;

/** What a sink's `redact` makes of a payload; nothing where that fails, or is no JSON, or is too much. */
const redacted = (sink, event) => {
  const kept = sink.redact(event.payload, event);
  return kept && checkedCopy(kept, { maxBytes: MOST_PAYLOAD }).copy;
};

/** Whatever a sink does with a record, the next one gets it, too. */
export const recordIn = (sink, event) =>
  quietly(() => {
    if (event.payload && sink.redact) event.payload = quietly(() => redacted(sink, event));
    const ending = sink.record(event);
    // One that writes in the background and fails must not end a process in Node.
    if (isThenable(ending)) whenEnded(ending, () => undefined, (error) => console.error(error));
  });
