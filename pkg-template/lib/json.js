// JSON by value: a checked copy of what a caller or handler gave, and its text. What is JSON is told in the
// documentation ("A value is JSON when…"). Size and content of the text are judged once more by the core, exactly.
// Intrinsics are captured when the module loads: a page that patches them later changes nothing here.

import { freeze, hasOwn, isArray, isFinite, keys, stringify } from "./intrinsics.js";

const { getOwnPropertySymbols, getPrototypeOf, isFrozen } = Object;
const objectPrototype = Object.prototype;
const arrayPrototype = Array.prototype;

/** How many arrays and objects may lie within each other. */
export const MAX_VALUE_DEPTH = 64;

/** Why a value is not JSON. `path` is dotted (`rows[0].name`, the root is ``), `pointer` the same place by RFC 6901. */
export class JsonFault {
  constructor(segments, message, { cause, tooLarge = false, tooDeep = false } = {}) {
    this.path = this.pointer = "";
    for (const segment of segments) {
      // A key may be as long as the value and hold what is no Unicode: neither belongs into a message.
      const name = `${segment}`.slice(0, 100).toWellFormed();
      this.path += typeof segment === "number" ? `[${name}]` : this.path ? `.${name}` : name;
      this.pointer += `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    }
    this.message = message;
    this.cause = cause;
    this.tooLarge = tooLarge;
    this.tooDeep = tooDeep;
  }
}

const refuse = (walk, depth, found) => {
  throw new JsonFault(walk.path.slice(0, depth), `must be JSON, found ${found}`);
};

/** Counts bytes that the text will have at least. */
const grow = (walk, bytes) => {
  walk.bytes += bytes;
  if (walk.bytes > walk.maxBytes) {
    throw new JsonFault([], `must not be larger than ${walk.maxBytes} bytes as JSON`, { tooLarge: true });
  }
};

/** `Object.prototype`, also that of another realm (a frame, the sandbox of a test runner), or none. */
const isPlain = (value) => {
  const prototype = getPrototypeOf(value);
  return (
    prototype === objectPrototype ||
    prototype === null ||
    (getPrototypeOf(prototype) === null && hasOwn(prototype, "isPrototypeOf"))
  );
};

const copyOf = (walk, value, depth) => {
  switch (typeof value) {
    case "string":
      grow(walk, value.length + 2);
      return value;
    case "number":
      if (!isFinite(value)) refuse(walk, depth, `the number ${value}`);
      grow(walk, 1);
      return value;
    case "boolean":
      grow(walk, 4);
      return value;
    case "object":
      if (value) return copyOfObject(walk, value, depth);
      grow(walk, 4);
      return value;
    default:
      return refuse(walk, depth, value === undefined ? "`undefined` or a hole" : `a ${typeof value}`);
  }
};

/** `walk.reached` is how much of `walk.path` leads to what is being read, for whatever a getter or proxy throws. */
const copyOfObject = (walk, value, depth) => {
  const { path, open } = walk;
  walk.reached = depth;
  if (open.includes(value)) refuse(walk, depth, "an object that contains itself");
  if (depth >= walk.maxDepth) {
    const message = `must not be nested deeper than ${walk.maxDepth} levels`;
    throw new JsonFault(path.slice(0, depth), message, { tooDeep: true });
  }
  open[depth] = value;
  const copy = isArray(value) ? copyOfArray(walk, value, depth) : shallowCopy(walk, value, depth);
  if (!isArray(copy)) {
    for (const key of keys(copy)) {
      const member = copy[key];
      if (member === undefined) {
        delete copy[key];
      } else {
        path[depth] = key;
        grow(walk, key.length + 4);
        const taken = copyOf(walk, member, depth + 1);
        if (taken !== member) copy[key] = taken;
      }
    }
  }
  open.pop();
  return walk.freeze ? freeze(copy) : copy;
};

const copyOfArray = (walk, value, depth) => {
  const { length } = value;
  // Commas and brackets: an array that claims too great a length is refused before it is read.
  grow(walk, length + 1);
  const copy = [];
  for (let index = 0; index < length; index++) {
    walk.path[depth] = index;
    walk.reached = depth + 1;
    copy[index] = copyOf(walk, value[index], depth + 1);
  }
  return copy;
};

/** One read of each property. A spread keeps an own `__proto__` an own key and runs no inherited setter. */
const shallowCopy = (walk, value, depth) => {
  if (!isPlain(value)) refuse(walk, depth, "an object that is neither plain nor an array");
  grow(walk, 1);
  let copy;
  try {
    copy = { ...value };
  } catch (cause) {
    // Nothing was taken: look once more, for the place.
    for (const key of keys(value)) {
      walk.path[depth] = key;
      walk.reached = depth + 1;
      void value[key];
    }
    walk.reached = depth;
    throw cause;
  }
  if (keys(copy).length === 0) return {};
  for (const symbol of getOwnPropertySymbols(copy)) delete copy[symbol];
  return copy;
};

/** The place of the first lone surrogate in a checked copy. */
const refuseLoneSurrogate = (walk, value, depth) => {
  const { path } = walk;
  if (typeof value === "string" && !value.isWellFormed()) refuse(walk, depth, "a lone surrogate");
  if (typeof value !== "object" || value === null) return;
  for (const key of keys(value)) {
    path[depth] = isArray(value) ? +key : key;
    if (!key.isWellFormed()) refuse(walk, depth + 1, "a key with a lone surrogate");
    refuseLoneSurrogate(walk, value[key], depth + 1);
  }
};

/** The text of a checked copy where the page has put a `toJSON` on a prototype, which `stringify` would call. */
const write = (value) => {
  if (typeof value !== "object" || value === null) return stringify(value);
  let text = "";
  for (const key of keys(value)) {
    if (text) text += ",";
    if (!isArray(value)) text += `${stringify(key)}:`;
    text += write(value[key]);
  }
  return isArray(value) ? `[${text}]` : `{${text}}`;
};

/**
 * `{ copy, text }` of a JSON value, or throws a `JsonFault`. Each property is read once; the text is made from the
 * copy. `maxBytes` stops the walk as soon as the text is certain to be longer, and is not exact.
 */
export const checkedCopy = (
  value,
  { maxBytes = 1 << 20, maxDepth = MAX_VALUE_DEPTH, freeze: isToFreeze = false } = {},
) => {
  const walk = { maxBytes, maxDepth, freeze: isToFreeze, bytes: 0, path: [], open: [], reached: 0 };
  let copy;
  try {
    copy = copyOf(walk, value, 0);
  } catch (cause) {
    if (cause instanceof JsonFault) throw cause;
    throw new JsonFault(walk.path.slice(0, walk.reached), "must be JSON, found what throws when it is read", { cause });
  }
  if (isEmptyObject(walk, copy)) return { copy, text: "{}" };
  const text = "toJSON" in arrayPrototype ? write(copy) : stringify(copy);
  // `stringify` escapes a lone surrogate as `\ud…`, and nothing else unless a backslash stands before: one scan of the
  // text costs a twentieth of asking each string.
  if (text.includes("\\ud")) refuseLoneSurrogate(walk, copy, 0);
  return { copy, text };
};

/** One byte was counted: the brace of an object without members, unless it is another kind of value. */
const isEmptyObject = (walk, copy) => walk.bytes === 1 && typeof copy === "object" && !isArray(copy);

/** Freezes a JSON value through and through. A part that is frozen is taken as frozen through. */
export const deepFreeze = (value) => {
  if (typeof value === "object" && value !== null && !isFrozen(value)) {
    freeze(value);
    for (const key of keys(value)) deepFreeze(value[key]);
  }
  return value;
};

/** JSON equality: numbers by value, objects without order, `undefined` properties as absent. What is deeper than JSON may be is unequal. */
export const jsonDeepEqual = (left, right) => isEqual(left, right, 0);

const isEqual = (left, right, depth) => {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || !left || !right || depth >= MAX_VALUE_DEPTH) return false;
  if (isArray(left) !== isArray(right) || (isArray(left) && left.length !== right.length)) return false;
  const present = (value) => keys(value).filter((key) => value[key] !== undefined);
  const names = present(left);
  return (
    names.length === present(right).length &&
    names.every((key) => hasOwn(right, key) && isEqual(left[key], right[key], depth + 1))
  );
};
