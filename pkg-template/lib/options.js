// Options of whatever takes some: a wrong or misspelt one is refused where it is given.

import { expect, invalid } from "./errors.js";

/** An option that is one of these words. */
export const oneOf = (value, name, words) => {
  expect(words.includes(value), `\`${name}\` must be ${words.join(" or ")}`);
};

/** Refuses what is no option: a misspelt `policies` or `scope` would leave a page open without a word. */
export const onlyOptions = (options, names, what) => {
  const known = names.split(" ");
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw invalid(`\`${key.toWellFormed().slice(0, 100)}\` is no option of \`${what}\`; it takes ${known.join(", ")}`);
  }
};

/** The same of what a host or a page says an adapter may show: a misspelt `scope` would show everything. */
export const onlyContext = (snapshotContext) => onlyOptions(snapshotContext ?? {}, "scope includeUnavailable budget", "snapshotContext");
