// The text of a value that is JSON through and through: what cannot be said on the wire is refused, never dropped. It is
// not canonical yet: the module makes it so. Called wherever a value of the page goes out.

import { givenBytes } from "./given.js";
import { isArray, isFinite, keys, stringify } from "./intrinsics.js";
import { InteropError } from "./interop-errors.js";

const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is } = Object;
const { apply, ownKeys } = Reflect;
/** As deep as the module reads. */
const MAX_DEPTH = 1100;

const refuse = (message, options) => {
  throw new InteropError("JSON", message, { type: "TypeError", status: 400, ...options });
};

/** `Object.prototype` of whatever realm, or none. */
const isPlain = (value) => {
  const prototype = getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    (getPrototypeOf(prototype) === null && hasOwn(prototype, "isPrototypeOf"))
  );
};

const check = (value, seen, depth) => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!isFinite(value) || is(value, -0)) refuse("interop JSON number is invalid");
      return;
    case "object":
      if (value !== null) checkObject(value, seen, depth);
      return;
    default:
      refuse("interop value is not canonical JSON");
  }
};

const checkObject = (value, seen, depth) => {
  if (seen.has(value)) refuse("interop JSON object reference is repeated");
  if (depth >= MAX_DEPTH) refuse("the JSON value is nested too deeply", { type: "RangeError" });
  seen.add(value);
  const names = ownKeys(value);
  if (isArray(value)) {
    const { length } = value;
    // The indices and `length`, and the prototype of an array in any realm is an array itself.
    if (names.length !== length + 1) refuse("interop JSON array is sparse or extended");
    if (!isArray(getPrototypeOf(value))) refuse("interop JSON object prototype is invalid");
    for (let index = 0; index < length; index++) {
      const item = getOwnPropertyDescriptor(value, index);
      if (item === undefined) refuse("interop JSON array is sparse or extended");
      if (!item.enumerable || !("value" in item)) refuse("interop JSON array entries must be enumerable data");
      check(item.value, seen, depth + 1);
    }
    return;
  }
  if (!isPlain(value)) refuse("interop JSON object prototype is invalid");
  for (const name of names) {
    if (typeof name === "symbol") refuse("interop JSON symbol keys are invalid");
    const member = getOwnPropertyDescriptor(value, name);
    if (!member?.enumerable || !("value" in member)) refuse("interop JSON properties must be enumerable data");
    check(member.value, seen, depth + 1);
  }
};

/** Says what a property's getter is, without an object for the answer as a descriptor is. */
const lookupGetter = Object.prototype.__lookupGetter__;

/**
 * Whether a value is surely JSON through and through, in half the time of `check`. `false` says nothing: `check` decides
 * then, with the words of the protocol.
 */
const isCertain = (value, seen, depth) => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return isFinite(value) && !is(value, -0);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  const before = seen.size;
  if (depth >= MAX_DEPTH || seen.add(value).size === before) return false;
  const prototype = getPrototypeOf(value);
  let count = 0;
  if (isArray(value)) {
    // What is missing reads as `undefined`.
    for (; count < value.length; count++) {
      if (apply(lookupGetter, value, [count]) !== undefined || !isCertain(value[count], seen, depth + 1)) return false;
    }
    return prototype === Array.prototype && ownKeys(value).length === count + 1;
  }
  if (prototype !== Object.prototype) return false;
  for (const name in value) {
    count++;
    if (apply(lookupGetter, value, [name]) !== undefined || !isCertain(value[name], seen, depth + 1)) return false;
  }
  // As many of its own as can be listed: no symbols, and none that are hidden.
  return ownKeys(value).length === count;
};

/** Whether every object lists names that it does not have. */
const inheritsNames = () => {
  for (const name in {}) return name !== undefined;
  return false;
};

/** The text where the page has put a `toJSON` on a prototype, which `stringify` would call. */
const write = (value) => {
  if (typeof value !== "object" || value === null) return stringify(value);
  if (isArray(value)) return `[${value.map(write).join()}]`;
  return `{${keys(value)
    .map((key) => `${stringify(key)}:${write(value[key])}`)
    .join()}}`;
};

/** The JSON text of a value; throws an `InteropError` `JSON` for what is none. */
export const textOf = (value) => {
  if (inheritsNames() || !lookupGetter || !isCertain(value, new Set(), 0)) check(value, new Set(), 0);
  return "toJSON" in Array.prototype ? write(value) : stringify(value);
};

/** JSON text that may hold half surrogate pairs as they are: as escapes they cross into the module. */
const escaped = (text) =>
  text.isWellFormed()
    ? text
    : text.replace(/(?<!\\)((?:\\\\)*)(\p{Surrogate})/gu, (_, before, half) => `${before}\\u${half.charCodeAt(0).toString(16)}`);

const decoder = /* @__PURE__ */ new TextDecoder();

/** What came from somewhere: JSON text, its UTF-8, or a value. Of a longer one no more than `most` units or bytes. */
export const wireText = (wire, most = Infinity) => {
  if (typeof wire === "string") return escaped(wire.slice(0, most));
  if (ArrayBuffer.isView(wire)) return decoder.decode(givenBytes(wire, most));
  return textOf(wire);
};
