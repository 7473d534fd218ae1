// Matchers over surfaces and results, for any `expect` that Jest's `expect.extend` fits: Jest's own and Vitest's. They
// import neither, and what an assertion runs in comes in as `this`.

import { serializeSurfaceSnapshot } from "./testing-serialize.js";

const print = (value) => JSON.stringify(value, null, 2) ?? String(value);

/** A snapshot, or whatever takes one: a test surface, a registry. */
const snapshotOf = (received) => {
  if (Array.isArray(received?.components)) return received;
  if (typeof received?.snapshot === "function") return received.snapshot();
  throw new TypeError("expected a test surface, a registry or a snapshot");
};

const resultOf = (received) => {
  if (received?.status === "ok" || received?.status === "error") return received;
  const hint = typeof received?.then === "function" ? ": `await` the call first" : "";
  throw new TypeError(`expected the result of a call${hint}`);
};

const capabilitiesOf = ({ components, procedures }) => [
  ...components.flatMap(({ observations, actions }) => [...observations, ...actions]),
  ...procedures,
];

const idOf = ({ capabilityId, procedureId }) => capabilityId ?? procedureId;

/** How a capability stands in a snapshot, with a sentence that says so. */
const standing = (received, capabilityId) => {
  const all = capabilitiesOf(snapshotOf(received));
  const found = all.filter((capability) => idOf(capability) === capabilityId);
  if (found.some(({ available }) => available)) return { is: "exposed", says: "it is exposed and available" };
  if (found.length > 0) {
    const reason = found[0].unavailableReason;
    return { is: "unavailable", reason, says: `it is listed as unavailable: ${print(reason)}` };
  }
  const ids = [...new Set(all.map(idOf))];
  return { is: "absent", says: `it is not there. There is: ${ids.length > 0 ? ids.join(", ") : "nothing"}` };
};

/** `expected` is a value, an asymmetric matcher, or an object whose properties are among those of `actual`. */
const holds = (equals, actual, expected) => {
  const isPart =
    typeof expected === "object" && expected !== null && !Array.isArray(expected) && !("asymmetricMatch" in expected);
  if (!isPart) return equals(actual, expected);
  if (typeof actual !== "object" || actual === null) return false;
  return Object.entries(expected).every(([key, value]) => holds(equals, actual[key], value));
};

const describe = (result) =>
  result.status === "ok" ? `it is ok, with the output ${print(result.output)}` : `it is refused: ${print(result.error)}`;

/** Jest gives its own matchers to those of others; Vitest has one `expect` for its realm. */
const matchText = (state, text, hint) => {
  const rest = hint === undefined ? [] : [hint];
  const jest = globalThis[Symbol.for("$$jest-matchers-object")]?.matchers?.toMatchSnapshot;
  if (jest) return jest.call(state, text, ...rest);
  const expect = globalThis[Symbol.for("expect-global")] ?? globalThis.expect;
  if (typeof expect !== "function") throw new Error("`toMatchSurfaceSnapshot` works in Vitest and in Jest");
  if (state.isNot) throw new Error('toMatchSurfaceSnapshot cannot be used with "not"');
  const { assertionCalls } = expect.getState();
  const assertion = expect(text);
  // One assertion, for whoever counts them; and of this test, where several run at once.
  expect.setState({ assertionCalls });
  (state.task && assertion.withTest ? assertion.withTest(state.task) : assertion).toMatchSnapshot(...rest);
  return { pass: true, message: () => "the surface matches its snapshot" };
};

export const matchers = {
  toExpose(received, capabilityId) {
    const { is, says } = standing(received, capabilityId);
    const pass = is === "unavailable" ? this.isNot : is === "exposed";
    const more = is === "unavailable" ? " (`toExposeUnavailable` is for that)" : "";
    const wanted = this.isNot ? "not to be exposed" : "to be exposed";
    return { pass, message: () => `expected \`${capabilityId}\` ${wanted}, but ${says}${more}` };
  },
  toExposeUnavailable(received, capabilityId, ...reasons) {
    const { is, reason, says } = standing(received, capabilityId);
    const pass = is === "unavailable" && (reasons.length === 0 || this.equals(reason, reasons[0]));
    const because = reasons.length > 0 ? ` because of ${print(reasons[0])}` : "";
    const wanted = `${this.isNot ? "not " : ""}to be listed as unavailable${because}`;
    return { pass, message: () => `expected \`${capabilityId}\` ${wanted}, but ${says}` };
  },
  toBeOk(received) {
    const result = resultOf(received);
    const wanted = this.isNot ? "not to be ok" : "to be ok";
    return {
      pass: result.status === "ok",
      message: () => `expected the call of \`${result.capabilityId}\` ${wanted}, but ${describe(result)}`,
    };
  },
  toFailWith(received, code, details) {
    const result = resultOf(received);
    const { error } = result;
    const sameCode = error?.code === code;
    const pass = sameCode && (details === undefined || holds(this.equals, error.details, details));
    const part = details === undefined ? "" : ` and details with ${print(details)}`;
    const wanted = `${this.isNot ? "not " : ""}to fail with \`${code}\`${part}`;
    return { pass, message: () => `expected the call of \`${result.capabilityId}\` ${wanted}, but ${describe(result)}` };
  },
  toMatchSurfaceSnapshot(received, hint) {
    return matchText(this, serializeSurfaceSnapshot(snapshotOf(received)), hint);
  },
};
