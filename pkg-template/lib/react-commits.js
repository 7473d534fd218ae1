// When React has shown what a handler changed. An action's result is given after that commit, so that the next call and
// the next look of an agent find the state that the action left. Each provider has one of these.

/** What handlers wait for in one provider. */
export class Commits {
  constructor() {
    this.asked = 0;
    this.waiting = [];
    /** Has the provider render with a number, in the batch of what a handler just set. */
    this.render = undefined;
  }

  /**
   * Calls `told` when what was set until now is on the page. Not in an environment of `act`, which renders when its
   * callback is over: a test that waits for the result in there would wait for ever.
   */
  next(told) {
    if (!this.render || globalThis.IS_REACT_ACT_ENVIRONMENT) return told();
    this.waiting.push({ number: ++this.asked, told });
    return this.render(this.asked);
  }

  /** The provider's render with this number is on the page. */
  done(number) {
    const after = this.waiting.findIndex((each) => each.number > number);
    const ready = this.waiting.splice(0, after < 0 ? this.waiting.length : after);
    // Outside React's commit: the end of one call may start the handler of the next.
    if (ready.length > 0) queueMicrotask(() => ready.forEach(({ told }) => told()));
  }

  close() {
    this.render = undefined;
    this.done(this.asked);
  }
}

/**
 * What `execute` answered, as a promise that is kept after the commit. `ends` holds what is not kept yet: called, each
 * keeps its promise at once, in this turn, so that a component that an action takes away ends the call well before it goes.
 */
export const afterCommit = (commits, ends, value) => {
  const promise = new Promise(() => undefined);
  // The registry calls the `then` that a promise has of its own; a real one is kept in a later turn.
  promise.then = (done, failed) => {
    const finish = (result) => {
      const end = () => {
        ends.delete(end);
        done(result);
      };
      ends.add(end);
      commits.next(end);
    };
    if (typeof value?.then === "function") Promise.resolve(value).then(finish, failed);
    else finish(value);
  };
  return promise;
};
