// What the page gives a client or a router: functions, taken once, so that what is changed on the objects later changes
// nothing. Decides only whether they are functions. Called by `interop-client.js`, `interop-router.js` and
// `interop-adapters.js`.

import { givenText } from "./given.js";
import { isFunction } from "./thenable.js";
import { refuseOption } from "./interop-errors.js";

const { apply } = Reflect;

/** A method of an object, as it is now. */
export const methodOf = (object, name, refusal, detail) => {
  const method = object?.[name];
  if (!isFunction(method)) throw refuseOption(refusal, detail);
  return (...values) => apply(method, object, values);
};

/** Ports for signatures, and whom they sign as. */
export const authenticityOf = (authenticity, refusal) =>
  authenticity === undefined || authenticity === null
    ? undefined
    : {
        localSignerId: givenText(authenticity.localSignerId, "`localSignerId`", refuseOption),
        sign: methodOf(authenticity, "sign", refusal),
        verify: methodOf(authenticity, "verify", refusal),
      };

export const sequencesOf = (sequences) => methodOf(sequences, "next", "interop outbound sequence store is required");
