// Payload schemas by their digests. Those of `createSchemaResolver` are compiled in the module, which then compares payloads
// without a copy of them; others are the page's own functions. Called by `interop-drive.js`.

import { freeze, keys } from "./intrinsics.js";
import { textOf } from "./interop-json.js";
import { enter } from "./interop-module.js";
import { isFunction, isThenable } from "./thenable.js";

/** The module's schemas behind validators of this file. */
const compiled = /* @__PURE__ */ new WeakMap();

/** A resolver of schemas in the package's subset of JSON Schema: `{ [digest]: schema }`. */
export const createSchemaResolver = (schemas) => {
  const set = enter((glue) => new glue.Schemas());
  const validators = new Map();
  for (const schemaDigest of keys(schemas)) {
    const text = textOf(schemas[schemaDigest]);
    enter(() => set.add(schemaDigest, text));
    const validator = freeze({
      schemaDigest,
      validate({ payload }) {
        const value = textOf(payload);
        return enter(() => set.accept(schemaDigest, value));
      },
    });
    compiled.set(validator, set);
    validators.set(schemaDigest, validator);
  }
  return freeze({ resolve: (digest) => validators.get(digest) });
};

export const isFor = (validator, digest) => validator?.schemaDigest === digest && isFunction(validator.validate);

/** What `next` makes of a value that is there, or will be. */
const then = (value, next) => (isThenable(value) ? Promise.resolve(value).then(next) : next(value));

const isTrue = (answer) => answer === true;

/** Whether there is a validator of this digest. */
export const hasSchema = (resolve, digest) => then(resolve(digest), (validator) => isFor(validator, digest));

/** Whether a payload passes: an answer, or the module's schemas, which it asks itself. */
export const judge = (resolve, { schemaDigest, operation, direction }, payload) =>
  then(resolve(schemaDigest), (validator) => {
    if (!isFor(validator, schemaDigest)) return false;
    return compiled.get(validator) ?? then(validator.validate({ operation, direction, payload: payload() }), isTrue);
  });
