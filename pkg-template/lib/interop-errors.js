// The error class of `/interop`, one for each realm, as the other error classes are. It decides nothing.

const NAME = "InteropError";

const makeClass = () => {
  class InteropError extends Error {
    constructor(code, message, { type = "Error", status = 500, detail, httpStatus, endpointCode, cause } = {}) {
      super(message, cause === undefined ? undefined : { cause });
      this.code = code;
      this.type = type;
      this.status = status;
      if (detail !== undefined) this.detail = detail;
      if (httpStatus !== undefined) this.httpStatus = httpStatus;
      if (endpointCode !== undefined) this.endpointCode = endpointCode;
    }
  }
  // On the prototype and not enumerable, as the built-in errors have it.
  Object.defineProperty(InteropError.prototype, "name", { value: NAME, configurable: true, writable: true });
  return InteropError;
};

/** `new InteropError(code, message, { type?, status?, detail?, httpStatus?, endpointCode?, cause? })`. */
export const InteropError = /* @__PURE__ */ (() => {
  const realm = (globalThis[Symbol.for("agent-surface-wasm/1")] ??= {});
  return (realm.interopError ??= makeClass());
})();

/** Also of another copy of the package: then by its name and code. Never throws. */
export const isInteropError = (value) => {
  try {
    return value instanceof InteropError || (value?.name === NAME && typeof value.code === "string");
  } catch {
    return false;
  }
};

/** From the text that the module threw. */
export const fromModule = (text) => {
  const { code, message, ...more } = JSON.parse(text);
  return new InteropError(code, message, more);
};

/** An option is not what it must be. */
export const refuseOption = (message, detail) => new InteropError("INVALID_OPTION", message, { type: "TypeError", detail });

/** A member of a call, a claim or a reservation is not what it must be. */
export const refuseMember = (message) => new InteropError("INVALID_MEMBER", message, { type: "TypeError", status: 400 });

/** A clock of the page's says no time. */
export const refuseTime = (message) => new InteropError("MEMBER_OUT_OF_RANGE", message, { type: "RangeError" });

/** A port of the page's gave what is no answer. */
export const refuseAnswer = (message) => new InteropError("HOST", message, { type: "TypeError" });
