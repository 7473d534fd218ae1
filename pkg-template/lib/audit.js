// The two audit sinks of the package. A sink takes what the registry hands it; what is recorded is the core's decision.

/** Keeps the last `capacity` events; the oldest leave first. */
export const memoryAuditSink = ({ capacity = 1000 } = {}) => {
  let kept = [];
  return {
    record(event) {
      kept.push(event);
      // Written so that a capacity that is no number keeps nothing instead of everything.
      if (!(kept.length <= capacity)) kept.shift();
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
