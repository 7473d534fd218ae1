// Which properties of the facade get short names in the package. Called by `bundle.mjs`. A name is short everywhere in
// a script or nowhere, so none may also be part of the public API, of a text that crosses from or into the core, or of the
// realm's record, which scripts with whole names and other versions share.

/** Properties of the facade's own objects, by who has them. */
const FACADE = `
  Host: isProduction isDevelopment contextOption auditSink nowOption routeOption registrations listeners
    isTelling guards tick asked ask escalate known
    approvers waiters toolsets viewer looks lastTime
    enter trapped late develop give answer settle checkWith callHandler handlerEnded returned handlerThrew payloadOf
    failure soonOrLate specs running routes said saidBefore abortCall answerLate voteOf runPolicy resumeNext interim
    checkOutput arm disarm succeeded failed schedule confirmationResolved timers disposed views policyTable specIds attached labels announce lastVersion audits facts auditCall recoveries reply press sendExecutor
  Entry: slot sent isDirect notJson result isAborted isAnswered fault made controller frozen release frames replaceInput takeInput listen
    tickWith isOver over parsed mark sinks end
  Registration, Spec, PolicyTable: members unmount handle pushed shared encoded toolDescription functions schemas generation head header unavailable wireName base refs uses used drop
  Tools, sessions, offers, views: targets build blocked offer isTaken reopen cells stamp fixed closed refresh withdraw place
  JsonFault, Text, walk: copy raw owner tooLarge tooDeep reached
`;

/** `Math.floor` would become a name that nobody has, and so would what an iterator answers with. */
const LANGUAGE = new Set(
  [{ done: true, value: 0 }, Array, Date, Error, JSON, Map, Math, Number, Object, Promise, Reflect, RegExp, Set, Symbol, Uint8Array, WeakMap]
    .flatMap((each) => [each, each.prototype ?? {}])
    .flatMap(Object.getOwnPropertyNames),
);

const words = (text) => text.match(/\w+/g) ?? [];

/** What the glue calls on the facade's host, and what the facade calls on the glue's registry. */
const glueNames = (glue) => {
  const methods = glue.match(/^class Registry \{[^]*?^\}/m)[0].matchAll(/^ {4}(\w+)\(/gm);
  const questions = glue.matchAll(/\barg0\.(\w+)\(/g);
  const names = [...methods, ...questions].map(([, name]) => name);
  // `rows` is a word of the core's texts, too; `constructor` is the language's.
  return [...names, "__wbg_ptr", "__destroy_into_raw"].filter((name) => !["rows", "constructor"].includes(name));
};

/**
 * @param {string} glue  as `fitGlue` gives it
 * @param {string} types  all declarations of the package
 */
export const internalProperties = (glue, types) => {
  // With the hyphens of codes: `late-settlement` is no `late`.
  const known = new Set(types.replace(/\/\*[^]*?\*\/|\/\/.*/g, "").match(/[\w-]+/g));
  const own = words(FACADE.replace(/^ {2}[\w, ]+:/gm, ""));
  const published = own.filter((name) => known.has(name) || LANGUAGE.has(name));
  if (published.length > 0) throw new Error(`the types or the language name ${published.join(", ")}: take them off the list of internal.mjs`);
  const names = [...own, ...glueNames(glue).filter((name) => !known.has(name))];
  return new RegExp(`^(?:${[...new Set(names)].join("|")})$`);
};
