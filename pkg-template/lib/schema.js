// The schema constructors. A schema is `{ jsonSchema, parse(value), validate?(value) }`. These make values and judge
// nothing: a JSON Schema is judged by the core, when a component registers, and so is what `parse` is given.

import { AgentSchemaError, AgentSurfaceDefinitionError, expect, fromModule } from "./errors.js";
import { checkedCopy, JsonFault } from "./json.js";
import { askModule, realm, requireWasm } from "./realm.js";
import { isFunction, isThenable } from "./thenable.js";

/** On the schemas of `fromJsonSchema`: the text of the JSON Schema. Not enumerable: a spread copy is the author's own. */
const TEXT = Symbol.for("agent-surface-wasm.schema-text");
/** Beside it: what crosses when a component registers. */
const WIRE = Symbol.for("agent-surface-wasm.schema-wire");

/** Far above the registry's own limit, which may be raised: only keeps a constructor from writing without end. */
const MAX_SCHEMA_TEXT = 1 << 20;
/** As the core reads one: its `enum` or `default` may nest on their own. */
const MAX_SCHEMA_NESTING = 128;
const MAX_ISSUES = 32;

/** `{ copy, text }` of a JSON Schema, or the definition error that names the place. */
export const schemaDocument = (schema, freeze) => {
  try {
    return checkedCopy(schema, { maxBytes: MAX_SCHEMA_TEXT, maxDepth: MAX_SCHEMA_NESTING, freeze });
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const place = fault.pointer ? ` at \`${fault.pointer}\`` : "";
    throw new AgentSurfaceDefinitionError(
      fault.tooLarge || fault.tooDeep ? "UNSUPPORTED_SCHEMA" : "INVALID_DEFINITION",
      `a JSON Schema${place} ${fault.message}`,
      { pointer: fault.pointer },
      { cause: fault.cause },
    );
  }
};

/** The text of a value that is to be validated; what is not JSON is an issue like any other. */
const valueText = (value) => {
  try {
    return checkedCopy(value).text;
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const { path, pointer, message } = fault;
    throw new AgentSchemaError([{ path, pointer, message }]);
  }
};

/**
 * The core's answer for a value under a schema, both as texts: `{ value }` (with defaults where `fill`) or `{ issues }`.
 * Throws the definition error of a schema that is none.
 */
export const checkValue = (text, value, fill) => {
  requireWasm();
  const given = valueText(value);
  try {
    return JSON.parse(askModule((wasm) => (realm.engine ?? wasm).schemaCheck(text, given, fill)));
  } catch (thrown) {
    throw fromModule(thrown);
  }
};

/** A schema that the core evaluates, or the full engine: `parse` fills defaults and throws `AgentSchemaError`. */
export const fromJsonSchema = (schema) => {
  const { copy, text } = schemaDocument(schema, true);
  const parse = (value) => {
    const { value: parsed, issues } = checkValue(text, value, true);
    if (issues) throw new AgentSchemaError(issues);
    return parsed;
  };
  const made = Object.defineProperty({ jsonSchema: copy, parse }, TEXT, { value: text });
  return Object.freeze(Object.defineProperty(made, WIRE, { value: JSON.stringify({ text, own: false }) }));
};

/** `{}` and nothing else. */
export const emptyObjectSchema = /* @__PURE__ */ fromJsonSchema({
  type: "object",
  properties: {},
  additionalProperties: false,
});

/** An issue of a Standard Schema: its path is a list of keys, or of `{ key }`. */
const standardIssue = ({ message, path = [] }) =>
  new JsonFault(
    Array.from(path, (segment) => {
      const key = typeof segment === "object" ? segment.key : segment;
      return typeof key === "number" ? key : String(key);
    }),
    String(message),
  );

const settle = (result) => {
  if (!result.issues) return result.value;
  const issues = Array.from(result.issues).slice(0, MAX_ISSUES);
  throw new AgentSchemaError(
    issues.map((issue) => {
      const { path, pointer, message } = standardIssue(issue);
      return { path, pointer, message };
    }),
  );
};

/** Any Standard Schema (version 1). Without `jsonSchema` the validator's own conversion to JSON Schema is asked. */
export const fromStandardSchema = (schema, { jsonSchema } = {}) => {
  const standard = schema?.["~standard"];
  expect(isFunction(standard?.validate), "`fromStandardSchema` expects an object with `~standard.validate`");
  const document = jsonSchema ?? standard.jsonSchema?.input?.({ target: "draft-2020-12" });
  expect(document !== undefined, `this ${standard.vendor} schema does not convert itself: pass \`{ jsonSchema }\` beside it`);
  const validate = (value) => {
    const result = standard.validate(value);
    return isThenable(result) ? Promise.resolve(result).then(settle) : settle(result);
  };
  const parse = (value) => {
    const result = standard.validate(value);
    if (!isThenable(result)) return settle(result);
    // Its answer comes too late for anyone: without this a rejection would count as unhandled.
    result.then(undefined, () => undefined);
    throw new AgentSchemaError([
      { path: "", pointer: "", message: "is checked asynchronously, which `parse` cannot wait for" },
    ]);
  };
  const { copy, text } = schemaDocument(document, true);
  // A converter of another major version recognizes nothing: agents would see a tool without arguments.
  const fields = Object.keys(schema.shape ?? schema.entries ?? schema.props ?? {});
  expect(
    !fields.length || /"(properties":{"|\$ref"|\w+Of")/.test(text),
    `\`jsonSchema\` has no properties, but this ${standard.vendor} schema has \`${fields[0]}\`: convert it with its own version`,
  );
  return Object.freeze({ jsonSchema: copy, parse, validate });
};

/** Whether its `parse` is the author's, so that the core does not evaluate the document. */
export const isOwnSchema = (schema) => !Object.hasOwn(schema, TEXT);

/** The schema that is asked in place of one: outside the core's subset the full engine's, where it is installed. */
export const evaluated = (schema, field) => (schema && realm.engine && !isOwnSchema(schema) && askModule(() => realm.engine.take(schema, field))) || schema;

/** A schema as the core takes it, as JSON text: `{ text, own }`. */
export const encodeSchema = (schema, field) => {
  expect(
    isFunction(schema?.parse) && schema.jsonSchema !== undefined,
    `\`${field}\` must be a schema \`{ jsonSchema, parse }\`: wrap a JSON Schema in \`fromJsonSchema\``,
  );
  return Object.hasOwn(schema, WIRE) ? schema[WIRE] : JSON.stringify({ text: schemaDocument(schema.jsonSchema).text, own: true });
};
