// Starts a WebAssembly module of this package from whatever it is given: a module, bytes, or an address. It says what to
// do when a server or a Content Security Policy stands in the way. Called by `init.js`, and by `apart.js` and
// `schema-engine.js` for the modules beside the main one, each with the names that a user knows.

import { AgentSurfaceRuntimeError, because } from "./errors.js";
import { attempt } from "./thenable.js";

const CSP = /unsafe-eval|wasm-eval|content security policy|blocked by csp|code generation disallowed/i;

const textOf = (value) => attempt(() => String(value?.message ?? value), "Error");

const blocked = (message, cause) => new AgentSurfaceRuntimeError("WASM_BLOCKED_BY_CSP", message, undefined, because(cause));

/** Whether a value is one of these, of whatever realm. */
const isOf = (value, name) => Object.prototype.toString.call(value) === `[object ${name}]`;

/** What `make` promises; when it fails, what `toError` makes of that. */
const or = async (make, toError) => {
  try {
    return await make();
  } catch (error) {
    throw toError(error);
  }
};

/**
 * Builds `load(options, defaultSource)` for one module: it starts the module's glue with a first instance, and promises the
 * compiled module. `call` is what the user calls, `file` the module's name in the package, `otherwise` another way to get
 * it, `none` why there is nothing to load by itself.
 */
export const createLoader = (glue, call, file, otherwise, none) => {
  const notServed = (problem, details, cause) =>
    new AgentSurfaceRuntimeError(
      "WASM_NOT_SERVED",
      `\`${details.url ?? call}\` did not give the module: ${problem}` +
        (details.status ? `, with status ${details.status} and content type \`${details.contentType}\`` : "") +
        `${cause === undefined ? "" : ` (${textOf(cause)})`}. ` +
        (details.url === undefined
          ? `Pass the content of \`agent-surface-wasm/${file}\`.`
          : `Serve \`${file}\` there, pass its address as \`${call}({ url })\`${otherwise}.`),
      details,
      because(cause),
    );

  /** Every failure of the engine's compiler, told apart: a policy forbids it, or the bytes are wrong. */
  const compileFailed = (error, details) =>
    CSP.test(textOf(error))
      ? blocked(
          "The page's Content Security Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its `script-src`.",
          error,
        )
      : notServed("it does not compile", details, error);

  /** `bytes`: an ArrayBuffer or a view of one. */
  const compileBytes = async (bytes, details) => {
    const view = ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : new Uint8Array(bytes);
    // "\0asm", the first four bytes of every module (WebAssembly core specification, section 5.5.16).
    if (view.slice(0, 4).join() !== "0,97,115,109") {
      throw notServed("it is no WebAssembly module", details);
    }
    return or(
      () => WebAssembly.compile(view),
      (error) => compileFailed(error, details),
    );
  };

  const compileFrom = async (url) => {
    const details = { url: String(url), status: 0, contentType: "" };
    const response = await or(
      () => fetch(url),
      (error) => notServed("the request failed", details, error),
    );
    details.status = response.status;
    details.contentType = response.headers.get("content-type") ?? "";
    if (!response.ok) throw notServed("the server refused it", details);
    const type = details.contentType.split(";", 1)[0].trim().toLowerCase();
    // A single-page server answers any unknown address with its page, and with status 200.
    if (type === "text/html") throw notServed("the server answered with a page", details);
    if (type === "application/wasm") {
      return or(
        () => WebAssembly.compileStreaming(response),
        (error) => compileFailed(error, details),
      );
    }
    const bytes = await or(
      () => response.arrayBuffer(),
      (error) => notServed("the answer broke off", details, error),
    );
    return compileBytes(bytes, details);
  };

  const unusable = (problem) =>
    new AgentSurfaceRuntimeError(
      "NOT_INITIALIZED",
      `${problem}: call \`${call}\` with \`{ module }\` (a WebAssembly.Module), \`{ bytes }\` (an ArrayBuffer or a view) or ` +
        "`{ url }` (a string or URL).",
    );

  const nothing = () => unusable(`\`${call}\` was given no module`);

  const compile = async ({ module, bytes, url }, defaultSource) => {
    if (typeof WebAssembly !== "object") {
      throw blocked("There is no WebAssembly: a lockdown mode or a policy took it away.");
    }
    const source = module ?? bytes ?? url ?? (await defaultSource?.());
    if (source === undefined || source === null) throw unusable(none);
    if (isOf(source, "WebAssembly.Module")) return source;
    if (typeof source === "string" || source instanceof URL) return compileFrom(source);
    if (ArrayBuffer.isView(source) || isOf(source, "ArrayBuffer")) {
      return compileBytes(source, {});
    }
    throw nothing();
  };

  /** What it means that a compiled module could not be instantiated. */
  const misfit = (error, { url }) =>
    CSP.test(textOf(error))
      ? compileFailed(error, {})
      : // A cache that kept the file of an older release answers with bytes that compile and do not fit.
        notServed("it is of another version of this package", url === undefined ? {} : { url: String(url) }, error);

  return async (options, defaultSource) => {
    options ??= {};
    // An address by itself, as other packages take it, would be overlooked.
    if (!isOf(options, "Object")) throw nothing();
    const module = await compile(options, defaultSource);
    await or(
      async () => glue.start(await WebAssembly.instantiate(module, glue.imports()), module),
      (error) => misfit(error, options),
    );
    return module;
  };
};
