// What a page gives as a promise: told apart from a value, and heard once.

export const isThenable = (value) => typeof value?.then === "function";

/**
 * Calls `done` or `failed`, once. `Promise.resolve` hands on a promise that the page gave a `then` of its own, which
 * calls back when and as often as it likes, or throws.
 */
export const whenEnded = (promise, done, failed) => {
  let ended = false;
  const first = (call) => (value) => {
    if (ended) return;
    ended = true;
    call(value);
  };
  const threw = first(failed);
  try {
    Promise.resolve(promise).then(first(done), threw);
  } catch (error) {
    threw(error);
  }
};
