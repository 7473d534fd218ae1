// What a page gave, made ready for a module: texts, numbers, and objects of them as JSON text. It runs no code of the page
// but getters, and never a conversion: what is of another kind is refused with its name, and what is missing is not the
// text "undefined". Called before a module is entered, by what is the page's side of each.

import { stringify } from "./intrinsics.js";

/** What a value is, for a message. */
const shown = (value) => {
  switch (typeof value) {
    case "undefined":
      return "nothing";
    case "string":
      return value.isWellFormed() ? `\`${value.slice(0, 100).toWellFormed()}\`` : "one with half a surrogate pair";
    case "number":
    case "boolean":
      return `\`${value}\``;
    case "object":
      return value === null ? "`null`" : "an object";
    default:
      return `a ${typeof value}`;
  }
};

/** Names what is expected and what was found. `refuse(message)` makes the error. */
const wrong = (value, name, kind, refuse) => refuse(`expected ${name} to be ${kind}, found ${shown(value)}`);

/** A text of whole characters: half ones would all become the same one on the way. */
export const givenText = (value, name, refuse) => {
  if (typeof value === "string" && value.isWellFormed()) return value;
  throw wrong(value, name, "a text", refuse);
};

/** A finite number; whether it is whole and in its range the module says. */
export const givenNumber = (value, name, refuse) => {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw wrong(value, name, "a finite number", refuse);
};

/** The bytes that a view is of. */
export const givenBytes = ({ buffer, byteOffset, byteLength }, most = byteLength) =>
  new Uint8Array(buffer, byteOffset, Math.min(byteLength, most));

const isScalar = (value) =>
  value === null || typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));

/** The JSON text of these members of an object. One that is `undefined` is left out: whether it may be the module says. */
export const givenMembers = (object, names, refuse) => {
  const members = names.map((name) => {
    const value = object?.[name];
    if (value !== undefined && !isScalar(value)) throw wrong(value, `\`${name}\``, "a text or a finite number", refuse);
    return value === undefined ? "" : `,${stringify(name)}:${stringify(value)}`;
  });
  return `{${members.join("").slice(1)}}`;
};
