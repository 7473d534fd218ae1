// What a service refuses, before any model is asked: the same for each wire format. Each format writes it in its own shape.

/** A request that the service answers with an error. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const refuse = (message, status = 400) => {
  throw new Refusal(status, message);
};

/** Tools as `{ name, description, schema, strict }`; one bad tool spoils the request, as it does at the services. */
export const checkTools = (tools, { pattern, most, root }) => {
  if (tools.length > most) refuse(`Invalid 'tools': array too long. Expected at most ${most} tools, got ${tools.length}.`);
  const names = new Set();
  for (const [at, { name, schema, strict }] of tools.entries()) {
    if (!pattern.test(name ?? "")) refuse(`tools.${at}.name: String should match pattern '${pattern.source}'`);
    if (names.has(name)) refuse("tools: Tool names must be unique.");
    names.add(name);
    if (schema?.type !== "object") refuse(`tools.${at}.${root}: schema must be of type "object"`);
    const union = ["oneOf", "anyOf", "allOf"].find((keyword) => keyword in schema);
    if (union) refuse(`tools.${at}.${root}: ${root} does not support ${union} at the top level`);
    if (strict) checkStrict(schema, `tools.${at}.${root}`);
  }
};

/** Each object closed. */
const checkStrict = (schema, where) => {
  if (typeof schema !== "object" || schema === null) return;
  if (schema.type === "object" && schema.additionalProperties !== false) {
    refuse(`${where}: 'additionalProperties' is required to be supplied and to be false`);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) checkStrict(property, `${where}.${name}`);
  for (const key of ["items", "anyOf", "$defs"]) {
    for (const inner of Object.values(schema[key] ?? {})) checkStrict(inner, `${where}.${key}`);
  }
};

/** Arguments in pieces, as they come while a model writes: a first one that is empty, then a few characters each. */
export const pieces = (text, size = 7) => {
  const found = [""];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
};

/** The arguments of a scripted call as text: `text` may be anything, JSON or not. */
export const argumentsOf = ({ input, text }) => text ?? JSON.stringify(input ?? {});

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";

/** An id as the services make them. */
export const newId = (prefix, length = 24) => {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return prefix + Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("");
};
