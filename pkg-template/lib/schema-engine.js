// The full schema engine on the page's side: loads its module, and answers for the schemas that the core's own subset
// refuses. It judges nothing: the core says what is outside the subset, the engine what a value comes to. Called by the
// entries of `/schema`; the facade finds it in the realm's record.

import { glue } from "#schema-glue";
import { AgentSchemaError, AgentSurfaceDefinitionError, AgentSurfaceRuntimeError } from "./errors.js";
import { createLoader } from "./load.js";
import { realm } from "./realm.js";

/** As in `schema.js`, whose schemas these are. */
const TEXT = Symbol.for("agent-surface-wasm.schema-text");
const WIRE = Symbol.for("agent-surface-wasm.schema-wire");
/** Compiled schemas that are kept; one that is asked for again is compiled again. */
const MAX_COMPILED = 256;

const load = /* @__PURE__ */ createLoader(
  glue,
  "installSchemaEngine",
  "agent_surface_schema.wasm",
  "",
  "the schema engine finds no module here",
);

/** A refusal of the engine's, or whatever else was thrown. */
const toError = (thrown) =>
  thrown !== null && typeof thrown === "object" && typeof thrown.code === "string" && !(thrown instanceof Error)
    ? new AgentSurfaceDefinitionError(thrown.code, thrown.message, { keyword: thrown.keyword, pointer: thrown.pointer })
    : thrown;

/** The value as it was read, with the properties that filling added: they come last. */
const merge = (value, filled) => {
  if (value === null || typeof value !== "object") return value;
  for (const key of Object.keys(filled)) {
    if (Object.hasOwn(value, key)) merge(value[key], filled[key]);
    else Object.defineProperty(value, key, { value: filled[key], writable: true, enumerable: true, configurable: true });
  }
  return value;
};

class Engine {
  constructor(module, documents) {
    this.module = module;
    this.documents = {};
    /** Numbers of compiled schemas by their texts, those used last at the end. */
    this.numbers = new Map();
    /** Whether a schema is outside the subset. */
    this.judged = new WeakMap();
    this.add(documents);
  }

  /** Schemas that others may refer to. All that was compiled is compiled again when it is next asked for. */
  add(documents) {
    const all = { ...this.documents, ...documents };
    let engine;
    try {
      engine = new glue.SchemaEngine(JSON.stringify(all));
    } catch (thrown) {
      throw toError(thrown);
    }
    this.inner?.free();
    this.inner = engine;
    this.documents = all;
    this.numbers.clear();
  }

  /** A trap (deep recursion, no memory) leaves the instance in an unknown state: a fresh one takes its place. */
  recover() {
    // What its finalizer would free lies in the old memory.
    this.inner.__destroy_into_raw();
    glue.start(new WebAssembly.Instance(this.module, glue.imports()), this.module);
    this.inner = new glue.SchemaEngine(JSON.stringify(this.documents));
    this.numbers.clear();
  }

  /** Runs `act`; what is no refusal is a trap. */
  guarded(act, otherwise) {
    try {
      return act();
    } catch (thrown) {
      const error = toError(thrown);
      if (error instanceof AgentSurfaceDefinitionError) throw error;
      this.recover();
      return otherwise();
    }
  }

  /** Throws `UNSUPPORTED_SCHEMA` for what the engine does not take, either. */
  compile(text) {
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.guarded(
        () => this.inner.compile(text),
        () => {
          throw new AgentSurfaceDefinitionError("UNSUPPORTED_SCHEMA", "the schema is too complex to be compiled");
        },
      );
    }
    this.numbers.delete(text);
    this.numbers.set(text, number);
    if (this.numbers.size > MAX_COMPILED) {
      const [oldest, first] = this.numbers.entries().next().value;
      this.numbers.delete(oldest);
      this.inner.release(first);
    }
    return number;
  }

  /** `{ issues, filled? }` of a value. */
  verdict(text, given, fill) {
    const number = this.compile(text);
    return this.guarded(
      () => this.inner.check(number, given, fill),
      () => ({ issues: [{ path: "", pointer: "", message: "is too complex to be checked" }] }),
    );
  }

  // What the facade asks.

  /** Whether the core's own subset refuses a schema for what it is; a `default` that breaks it is no reason. */
  isOutside(text) {
    try {
      realm.wasm.schemaCheck(text, "null", false);
      return false;
    } catch (thrown) {
      if (typeof thrown !== "string") throw thrown;
      return JSON.parse(thrown).code === "UNSUPPORTED_SCHEMA";
    }
  }

  /** As the core's `schemaCheck`. */
  schemaCheck(text, given, fill) {
    if (!this.numbers.has(text) && !this.isOutside(text)) return realm.wasm.schemaCheck(text, given, fill);
    const { issues, filled } = this.verdict(text, given, fill);
    if (issues.length > 0) return JSON.stringify({ issues });
    return `{"value":${filled === undefined ? given : JSON.stringify(merge(JSON.parse(given), JSON.parse(filled)))}}`;
  }

  /** As the core's, of which it is asked for the fault of a schema alone. */
  name(what, text) {
    const refusal = realm.wasm.name(what, text, "");
    if (refusal === undefined || !this.isOutside(text)) return refusal;
    try {
      this.compile(text);
    } catch (error) {
      return error.message;
    }
  }

  /** What stands in for a schema of `fromJsonSchema` outside the subset; undefined for any other. */
  take(schema, field) {
    const text = schema[TEXT];
    let isOutside = this.judged.get(schema);
    if (isOutside === undefined) this.judged.set(schema, (isOutside = this.isOutside(text)));
    if (!isOutside) return undefined;
    this.compile(text);
    // What a handler gives is checked as it is.
    const fill = field === "input";
    const parse = (value) => {
      const { issues, filled } = this.verdict(text, JSON.stringify(value), fill);
      if (issues.length > 0) throw new AgentSchemaError(issues);
      return filled === undefined ? value : merge(value, JSON.parse(filled));
    };
    const wire = JSON.stringify({ text, own: null });
    return Object.defineProperty({ jsonSchema: schema.jsonSchema, parse }, WIRE, { value: wire });
  }
}

const start = async ({ documents, ...source }, defaultSource) => {
  realm.engine = new Engine(await load(source, defaultSource), documents);
};

/** Builds an entry's `installSchemaEngine`. `defaultSource()` answers with a module, bytes or an address, or a promise. */
export const createInstall = (defaultSource) =>
  /** Idempotent; concurrent callers share one load; after a failure the next call tries again. */
  async function installSchemaEngine(options = {}) {
    const { documents } = options;
    if (!realm.engine) {
      const isFirst = !realm.engineLoading;
      realm.engineLoading ??= start(options, defaultSource).finally(() => {
        realm.engineLoading = undefined;
      });
      await realm.engineLoading;
      if (isFirst) return;
    }
    if (documents) realm.engine.add(documents);
  };
