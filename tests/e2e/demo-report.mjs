// The transcript of a check: what was done, what was expected, what was seen.
import { isDeepStrictEqual } from "node:util";

export function createReport() {
  const differences = [];
  let checks = 0;

  /** One thing that must hold; `seen` is printed when it does not. */
  function holds(sentence, truth, seen) {
    checks += 1;
    console.log(`   ${truth ? "ok" : "DIFFERS"}  ${sentence}`);
    if (truth) return;
    const text = seen === undefined ? "" : JSON.stringify(seen);
    differences.push(`${sentence}${text ? `: ${text}` : ""}`);
    if (text) console.log(`        seen: ${text.slice(0, 1500)}`);
  }

  return {
    chapter: (title) => console.log(`\n${title}`),
    note: (text) => console.log(`   ${text}`),
    holds,
    equal: (sentence, seen, expected) => holds(sentence, isDeepStrictEqual(seen, expected), { seen, expected }),
    /** A chapter that broke off differs, and the next ones still run. */
    broke: (error) => holds(`goes to its end`, false, String(error?.stack ?? error)),
    /** Prints the verdict; true when nothing differs. */
    close() {
      console.log(differences.length === 0 ? `\nThe story holds: ${checks} checks.` : `\n${differences.length} of ${checks} checks differ:`);
      for (const difference of differences) console.log(`- ${difference.slice(0, 400)}`);
      return differences.length === 0;
    },
  };
}
