// The error classes of the package and the codes of refused calls. One set of classes per realm, so that `instanceof`
// holds whichever entry, module format or copy of the same major version made the error. Decides nothing.

/** The codes of a refused call, in the order of the documentation. */
export const AGENT_CAPABILITY_ERROR_CODES = /* @__PURE__ */ Object.freeze([
  "CAPABILITY_NOT_FOUND",
  "CAPABILITY_NOT_AVAILABLE",
  "AMBIGUOUS_INSTANCE",
  "COMPONENT_UNMOUNTED",
  "STALE_CAPABILITY",
  "INVOCATION_CONFLICT",
  "INVALID_INPUT",
  "NOT_AUTHENTICATED",
  "NOT_AUTHORIZED",
  "PRECONDITION_FAILED",
  "CONFIRMATION_REQUIRED",
  "CONFIRMATION_INVALID",
  "RATE_LIMITED",
  "TIMEOUT",
  "CANCELLED",
  "EXECUTION_FAILED",
]);

const makeClasses = () => {
  const named = (name, Class) => {
    // On the prototype and not enumerable, as the built-in errors have it.
    Object.defineProperty(Class.prototype, "name", { value: name, configurable: true, writable: true });
    return Class;
  };
  const coded = (name, messageOf) =>
    named(
      name,
      class extends Error {
        constructor(code, text, details, options) {
          super(messageOf(code, text), options);
          this.code = code;
          this.details = details;
        }
      },
    );
  return {
    AgentSurfaceError: named(
      "AgentSurfaceError",
      class AgentSurfaceError extends Error {
        constructor(payload, options) {
          super(payload.message, options);
          this.payload = payload;
          this.code = payload.code;
          this.retry = payload.retry;
          this.details = payload.details;
        }
      },
    ),
    AgentSurfaceDefinitionError: coded("AgentSurfaceDefinitionError", (code, text) => `[${code}] ${text}`),
    AgentSchemaError: named(
      "AgentSchemaError",
      class AgentSchemaError extends Error {
        constructor(issues, options) {
          super(issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; "), options);
          this.issues = issues;
        }
      },
    ),
    AgentSurfaceRuntimeError: coded("AgentSurfaceRuntimeError", (_, message) => message),
  };
};

const shared = /* @__PURE__ */ (() => {
  const realm = (globalThis[Symbol.for("agent-surface-wasm/1")] ??= {});
  return (realm.classes ??= makeClasses());
})();

/** `new AgentSurfaceError({ code, message, retry?, details? }, { cause }?)`: thrown by a handler or policy to choose the answer. */
export const AgentSurfaceError = shared.AgentSurfaceError;
/** `new AgentSurfaceDefinitionError(code, text, details?, { cause }?)`: its message is `[CODE] text`. */
export const AgentSurfaceDefinitionError = shared.AgentSurfaceDefinitionError;
/** `new AgentSchemaError([{ path, pointer, message }])`. */
export const AgentSchemaError = shared.AgentSchemaError;
/** `new AgentSurfaceRuntimeError(code, message, details?, { cause }?)`: the library is used before, after or where it cannot be. */
export const AgentSurfaceRuntimeError = shared.AgentSurfaceRuntimeError;

/**
 * True for an `AgentSurfaceError`, also of another copy of the package: then by its `name` and `payload`. Never throws,
 * whatever was thrown at a handler's end.
 */
export const isAgentSurfaceError = (value) => {
  try {
    return (
      value instanceof AgentSurfaceError ||
      (value?.name === "AgentSurfaceError" && typeof value.payload?.code === "string")
    );
  } catch {
    return false;
  }
};

/** Of a definition, or an option. */
export const invalid = (text, details) => new AgentSurfaceDefinitionError("INVALID_DEFINITION", text, details);

export const expect = (holds, text) => {
  if (!holds) throw invalid(text);
};

/** The same of what is given to a function. */
export const must = (holds, text) => {
  if (!holds) throw new TypeError(text);
};

export const disposedError = () =>
  new AgentSurfaceRuntimeError("DISPOSED", "This registry was disposed. Create another with `createAgentSurfaceRegistry`.");

/** The options of an error, for a cause that there may be. */
export const because = (cause) => (cause === undefined ? undefined : { cause });

/** What the module threw: a defect of a definition comes as its JSON text, anything else as it is. */
export const fromModule = (thrown) => {
  if (typeof thrown !== "string") return thrown;
  const { code, message, ...details } = JSON.parse(thrown);
  return new AgentSurfaceDefinitionError(code, message.replace(`[${code}] `, ""), details);
};
