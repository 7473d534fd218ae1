// What a page gives: a promise told apart from a value and heard once, and a function that may throw.

export const isFunction = (value) => typeof value === "function";

export const isThenable = (value) => isFunction(value?.then);

/** What a function of the page gives, or `otherwise` when it throws. */
export const attempt = (ask, otherwise) => {
  try {
    return ask();
  } catch {
    return otherwise;
  }
};

/** Calls a function of the page whose failing is its own affair: it is told where a developer looks. */
export const quietly = (call) => {
  try {
    return call();
  } catch (error) {
    console.error(error);
  }
};

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
