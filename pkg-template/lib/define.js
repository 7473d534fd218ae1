// The builders of definitions, and the form in which a definition crosses into the core: JSON, where a function stands
// as `1`, and a `1` where a function should be as `[1]`. The core judges it all, unknown keys too, when a component registers.
// Definitions stay the author's objects: handlers are read from them at each call, so that a page may swap closures.

import { AgentSurfaceDefinitionError, expect } from "./errors.js";
import { isArray, keys, stringify } from "./intrinsics.js";
import { checkedCopy, JsonFault } from "./json.js";
import { realm } from "./realm.js";
import { encodeSchema, evaluated, fromJsonSchema, isOwnSchema, schemaDocument } from "./schema.js";
import { isFunction } from "./thenable.js";

const isObject = (value) => typeof value === "object" && value !== null;

const expectObject = (value, what) => {
  expect(isObject(value) && !isArray(value), `${what} must be an object`);
  return value;
};

const builder = (what) => (definition) => ({ ...expectObject(definition, `the definition of ${what}`) });
export const observation = /* @__PURE__ */ builder("an observation");
export const action = /* @__PURE__ */ builder("an action");
export const defineAgentComponent = /* @__PURE__ */ builder("a component");

/**
 * Which schema a plain `inputSchema` or `outputSchema` of a procedure reference came from, so that the author's own
 * `parse` is still asked. One map per realm, for the copies of the package in it.
 */
const origins = /* @__PURE__ */ (() => ((globalThis[Symbol.for("agent-surface-wasm/1")] ??= {}).origins ??= new WeakMap()))();

const plainDocument = (schema) => {
  if (!isObject(schema?.jsonSchema)) return schema;
  const { copy } = schemaDocument(schema.jsonSchema, true);
  origins.set(copy, schema);
  return copy;
};

const originOf = (document) => origins.get(document) ?? fromJsonSchema(document);

/** What an agent sees of a schema: locked fields are gone, other bound fields are not required. */
const reduce = (schema, bound, locked) => {
  if (!isObject(schema)) return schema;
  const reduced = { ...schema };
  if (isObject(schema.properties)) {
    const open = Object.entries(schema.properties).filter(([name]) => !locked.includes(name));
    reduced.properties = Object.fromEntries(open);
  }
  if (isArray(schema.required)) {
    reduced.required = schema.required.filter((name) => !bound.includes(name));
    if (!reduced.required.length) delete reduced.required;
  }
  return reduced;
};

/** A reference to a procedure of the backend: the plain object that `procedures` takes. */
export const procedure = (definition) => {
  const { id, description, input, output, effect, requiresApproval, boundFields, lockedFields, ...config } =
    expectObject(definition, "the definition of a procedure");
  const boundKeys = boundFields ?? (isObject(config.bind) ? Object.keys(config.bind) : []);
  if (lockedFields) config.overridableFields ??= boundKeys.filter((field) => !lockedFields.includes(field));
  const lockedKeys = lockedFields ?? boundKeys.filter((field) => !config.overridableFields?.includes(field));
  const inputSchema = plainDocument(input);
  const ref = { id, path: String(id).replace(/^domain:/, ""), description, inputSchema, effect };
  if (output !== undefined) ref.outputSchema = plainDocument(output);
  if (requiresApproval !== undefined) ref.requiresApproval = requiresApproval;
  return {
    kind: "procedure-binding",
    ref,
    config,
    boundKeys,
    lockedKeys,
    reducedInputSchema: reduce(inputSchema, boundKeys, lockedKeys),
  };
};

const HANDLERS = ["read", "execute", "when", "precondition", "describe"];
/** Where a `1` would be a value like any other: a function there is refused as what is no JSON. */
const NUMBERS = ["meta", "priority", "timeoutMs"];

/** A function, or what stands where one should be: the error quotes it. */
const encodeFunction = (value) => (isFunction(value) ? 1 : value === 1 ? [1] : value);

/** Of a record of functions what is none, if anything. */
const encodeBind = (value) => {
  if (!isObject(value)) return encodeFunction(value);
  const strays = Object.entries(value).filter(([, each]) => !isFunction(each));
  return strays.length > 0 ? Object.fromEntries(strays) : 1;
};

const encodeField = (key, value, policyRef) => {
  if (HANDLERS.includes(key) || key === "unavailableReason") return encodeFunction(value);
  if (key === "bind") return encodeBind(value);
  if (isFunction(value) && !NUMBERS.includes(key)) return 1;
  if (!isObject(value)) return value;
  // What is no list the core refuses by its name.
  if (key === "policies") return isArray(value) ? value.map((each) => policyRef(each)) : { name: value.name };
  if (key === "concurrency" && value.key !== undefined) return { ...value, key: encodeFunction(value.key) };
  return value;
};

/**
 * A JSON text that grows by fields. Written out by hand because a page registers hundreds of components at once, and a
 * copy of each definition would cost more than the core's whole work on it.
 */
class Text {
  constructor(owner) {
    this.text = "";
    this.owner = owner;
  }

  raw(key, json) {
    this.text += `,${stringify(key)}:${json}`;
  }

  value(key, value) {
    const plain = typeof value;
    if (plain === "string" || plain === "boolean" || (plain === "number" && Number.isFinite(value))) {
      return this.raw(key, stringify(value));
    }
    return this.raw(key, textOf({ [key]: value }, this.owner).slice(stringify(key).length + 2, -1));
  }

  end() {
    const text = `{${this.text.slice(1)}}`;
    // Only a lone surrogate makes `stringify` write this; the parser says where it stands.
    if (text.includes("\\ud")) textOf(JSON.parse(text), this.owner);
    return text;
  }
}

const encodeFields = (out, fields, skip, policyRef, schemas) => {
  for (const key of keys(fields)) {
    const value = fields[key];
    if (value === undefined || skip.includes(key)) continue;
    if (schemas && (key === "input" || key === "output")) {
      const schema = evaluated(value, key);
      out.raw(key, encodeSchema(schema, key));
      if (isOwnSchema(schema)) schemas[key] = schema;
    } else {
      out.value(key, encodeField(key, value, policyRef));
    }
  }
};

const ID_FIELD = /^(type|instanceId|name|path|id)$/;

const textOf = (wire, owner) => {
  try {
    return checkedCopy(wire).text;
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const code = fault.tooLarge ? "LIMIT_EXCEEDED" : ID_FIELD.test(fault.path) ? "INVALID_ID" : "INVALID_DEFINITION";
    const place = fault.path ? `\`${fault.path}\` of ${owner}` : owner;
    const details = { pointer: fault.pointer };
    throw new AgentSurfaceDefinitionError(code, `${place} ${fault.message}`, details, { cause: fault.cause });
  }
};

/** One procedure. */
const encodeProcedure = (binding, policyRef) => {
  const { kind, ref, config = {}, boundKeys, lockedKeys, reducedInputSchema, ...unknown } = binding;
  expectObject(ref, "`ref` of a procedure (build it with `procedure({…})`)");
  expectObject(config, "`config` of a procedure");
  const { inputSchema, outputSchema, ...identity } = ref;
  const owner = `procedure \`${identity.id}\``;
  const out = new Text(owner);
  out.raw("kind", '"procedure"');
  const schemas = {};
  const lists = { boundFields: boundKeys ?? (isObject(config.bind) ? Object.keys(config.bind) : []), lockedFields: lockedKeys };
  encodeFields(out, lists, [], policyRef);
  for (const fieldset of [unknown, config, identity]) {
    for (const list in lists) expect(!(list in fieldset), `\`${list}\` of ${owner}: build it with \`procedure({…})\``);
    encodeFields(out, fieldset, ["kind"], policyRef);
  }
  const documents = { input: inputSchema, output: outputSchema };
  for (const key of keys(documents)) {
    if (documents[key] !== undefined) documents[key] = originOf(documents[key]);
  }
  encodeFields(out, documents, [], policyRef, schemas);
  const text = out.end();
  return { text, key: text, functions: config, schemas };
};

/** Texts of definitions that registered before, with what they were made from, and the schema engine of that time. */
const encodings = new WeakMap();

/**
 * Whether a definition still is what a text was made from: the same plain values and schemas, functions where functions
 * were. A definition with an object of the author's (`meta`, policies, concurrency) is written anew each time.
 */
const isUnchanged = (definition, { names, values }) => {
  let at = 0;
  for (const key in definition) {
    const value = definition[key];
    if (names[at] !== key || (values[at] !== value && !(values[at] === isFunction && isFunction(value)))) return false;
    at++;
  }
  return at === names.length;
};

/** What a text was made from, where that is unchanged. */
const recall = (definition) => {
  const known = encodings.get(definition);
  return known && known.engine === realm.engine && isUnchanged(definition, known) ? known : undefined;
};

/** `apart` are fields whose content the text does not hold. */
const remember = (definition, encoded, apart = []) => {
  const names = keys(definition);
  const values = names.map((key) => (isFunction(definition[key]) ? isFunction : definition[key]));
  const isPlain = (value, at) => !isObject(value) || apart.includes(names[at]) || !isOwnSchema(value);
  if (values.every(isPlain)) encodings.set(definition, { ...encoded, names, values, engine: realm.engine });
};

/**
 * `{ text, key, functions, schemas }` of one capability. `key` is another one for each text and type. `functions` is the author's object that holds the handlers: read it
 * at each call. `schemas` holds `input` and `output` where their `parse` is the author's own.
 * `policyRef(policy)` answers with `{ ref, name, hooks, guard }`.
 */
export const encodeCapability = (componentType, kind, name, definition, policyRef) => {
  const known = recall(definition);
  if (known !== undefined && known.name === name && known.kind === kind && known.type === componentType) return known;
  const owner = `${kind} \`${name}\` of \`${componentType}\``;
  expectObject(definition, owner);
  if (kind === "procedure") return encodeProcedure(definition, policyRef);
  const out = new Text(owner);
  out.raw("kind", stringify(kind));
  const schemas = {};
  out.value("name", name);
  encodeFields(out, definition, ["kind", "name"], policyRef, schemas);
  const text = out.end();
  const encoded = { text, key: `${text}${componentType}`, functions: definition, schemas, name, kind, type: componentType };
  remember(definition, encoded);
  return encoded;
};

const APART = ["observations", "actions", "procedures", "internal"];

/** The text of a component without its capabilities. `internal` stays here: only that there is one is told. */
export const encodeHeader = (definition, policyRef) => {
  const owner = "a component";
  const known = recall(definition);
  if (known?.owner === owner) return known.text;
  const { internal, execute, read } = expectObject(definition, owner);
  expect(!(execute ?? read), "put it into `actions` or `observations` of a component");
  const out = new Text(owner);
  if (internal !== undefined) out.raw("internal", "1");
  encodeFields(out, definition, APART, policyRef);
  const text = out.end();
  remember(definition, { text, owner }, APART);
  return text;
};

/** `[kind, name, definition]` of each capability, in the order in which the author wrote them. */
export const listCapabilities = ({ observations = {}, actions = {}, procedures = [] }) => {
  expect(isArray(procedures), "`procedures` must be an array");
  const listed = (kind, named) => keys(expectObject(named, `\`${kind}s\``)).map((name) => [kind, name, named[name]]);
  return [
    ...listed("observation", observations),
    ...listed("action", actions),
    ...procedures.map((each) => ["procedure", each?.ref?.path, each]),
  ];
};
