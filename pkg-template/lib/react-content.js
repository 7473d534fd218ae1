// Definitions by content: whether one render's definition says the same as another's, and a copy whose functions can be
// swapped while what was registered stands. Only React's hooks compare; the registry itself freezes what it registers.

const { isArray } = Array;
const { keys } = Object;

/** As deep as any JSON of a definition; what goes deeper is compared by identity. */
const MOST_DEPTH = 64;

const isFunction = (value) => typeof value === "function";

const isPlain = (value) => {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const told = (value) => keys(value).filter((key) => value[key] !== undefined);

/** The same plain values in the same order, and functions where functions are. Objects with a class are compared by identity. */
export const same = (a, b, depth = 0) => {
  if (Object.is(a, b) || (isFunction(a) && isFunction(b))) return true;
  if (depth > MOST_DEPTH) return false;
  if (isArray(a) && isArray(b)) return a.length === b.length && a.every((each, at) => same(each, b[at], depth + 1));
  if (!isPlain(a) || !isPlain(b)) return false;
  const names = told(a);
  const others = told(b);
  return names.length === others.length && names.every((name, at) => name === others[at] && same(a[name], b[name], depth + 1));
};

/** `enabled` is pushed, and `internal` read at each call: neither needs another registration. */
const structureOf = (definition) => ({ ...definition, enabled: undefined, internal: definition.internal !== undefined });

export const sameStructure = (a, b) => a === b || same(structureOf(a), structureOf(b));

const mapValues = (record, change) =>
  isPlain(record) ? Object.fromEntries(keys(record).map((name) => [name, change(record[name])])) : record;

const copyPolicies = (policies) => (isArray(policies) ? policies.map((policy) => (isPlain(policy) ? { ...policy } : policy)) : policies);

const copyFields = (fields) => (isPlain(fields) ? { ...fields, policies: copyPolicies(fields.policies) } : fields);

const copyProcedure = (procedure) => (isPlain(procedure) ? { ...procedure, config: copyFields(procedure.config) } : procedure);

/** A definition to register, whose functions `swap` exchanges. */
export const copyDefinition = (definition) => {
  const { observations, actions, procedures } = definition;
  const copy = copyFields({ ...definition });
  if (observations) copy.observations = mapValues(observations, copyFields);
  if (actions) copy.actions = mapValues(actions, copyFields);
  if (isArray(procedures)) copy.procedures = procedures.map(copyProcedure);
  return copy;
};

/** What the registry knows by identity. Their content is the same. */
const KEPT = ["policies", "input", "output"];

/** A rate limit keeps its count in itself: a new one each render would limit nothing. */
const isCounting = ({ name }) => name === "rate-limit";

const swapPolicies = (held, next) => {
  if (!isArray(held) || !isArray(next)) return;
  held.forEach((policy, at) => {
    if (isPlain(policy) && isPlain(next[at]) && !isCounting(policy)) Object.assign(policy, next[at]);
  });
};

const swapFields = (held, next) => {
  if (!isPlain(held) || !isPlain(next) || held === next) return;
  for (const key of keys(next)) if (!KEPT.includes(key)) held[key] = next[key];
  swapPolicies(held.policies, next.policies);
};

/** Puts the functions of `next`, whose structure is the same, into a copy. */
export const swap = (copy, next) => {
  copy.internal = next.internal;
  swapPolicies(copy.policies, next.policies);
  for (const kind of ["observations", "actions"]) {
    for (const name of keys(copy[kind] ?? {})) swapFields(copy[kind][name], next[kind]?.[name]);
  }
  if (isArray(copy.procedures)) copy.procedures.forEach((each, at) => swapFields(each?.config, next.procedures?.[at]?.config));
};
