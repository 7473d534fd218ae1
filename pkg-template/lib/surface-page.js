// The page's own functions, as `/surface` calls them: what they throw is told where a developer looks, and ends nothing but
// themselves. Called by the other `surface*.js` and `post-message.js`.

/** So that the end of every session that begins by then is a date. */
const LATEST = 8.64e15 - 2 ** 32;

export const report = (what, error) => console.error(`[agent-surface] ${what}`, error);

/** Runs code of the page's, or a connection that may be gone. Gives nothing where that throws. */
export const attempt = (what, run) => {
  try {
    return run();
  } catch (error) {
    report(what, error);
    return undefined;
  }
};

/** A page's clock as the module takes it. Where it gives no time that is told, and no time is past every end. */
export const clockOf = (now) => () => {
  const at = attempt("`now` failed:", now);
  if (typeof at === "number" && Math.abs(at) <= LATEST) return at;
  if (at !== undefined) report("`now` gives no milliseconds since the epoch:", at);
  return NaN;
};

/** A time of such a clock as text. Where it gave none, the browser's own is better than no record. */
export const timeOf = (at) => new Date(Number.isNaN(at) ? Date.now() : at).toISOString();
