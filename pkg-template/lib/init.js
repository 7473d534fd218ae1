// Brings the WebAssembly module into the page: finds it, checks it, compiles it, once. It says what to do when a
// server or a Content Security Policy stands in the way. It holds no rule of the surface. Called by the entries, which
// differ only in the default source.

import { glue } from "#glue";
import { AgentSurfaceRuntimeError } from "./errors.js";
import { poisonedError, realm, setInstance } from "./realm.js";

const CSP = /unsafe-eval|wasm-eval|content security policy|blocked by csp|code generation disallowed/i;

const textOf = (value) => {
  try {
    return String(value?.message ?? value);
  } catch {
    return "an error without a text";
  }
};

const blocked = (message, cause) =>
  new AgentSurfaceRuntimeError("WASM_BLOCKED_BY_CSP", message, undefined, cause === undefined ? undefined : { cause });

const notServed = (problem, details, cause) =>
  new AgentSurfaceRuntimeError(
    "WASM_NOT_SERVED",
    (details.url === undefined ? "`init` did not get the module: " : `\`${details.url}\` did not give the module: `) +
      `${problem}. ` +
      (details.url === undefined
        ? "Pass the content of `agent-surface-wasm/agent_surface.wasm`."
        : "Serve `agent_surface.wasm` there, pass its address as `init({ url })`, or import " +
          "`agent-surface-wasm/inline`, which carries it inside."),
    details,
    cause === undefined ? undefined : { cause },
  );

/** Every failure of the engine's compiler, told apart: a policy forbids it, or the bytes are wrong. */
const compileFailed = (error, details) =>
  CSP.test(textOf(error))
    ? blocked(
        "The page's Content Security Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its `script-src`. " +
          "(`eval` stays forbidden.)",
        error,
      )
    : notServed(`it does not compile (${textOf(error)})`, details, error);

const isModule = (value) => Object.prototype.toString.call(value) === "[object WebAssembly.Module]";

/** `bytes`: an ArrayBuffer or a view of one. */
const compileBytes = async (bytes, details) => {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  // "\0asm", the first four bytes of every module (WebAssembly core specification, section 5.5.16).
  if (view[0] !== 0 || view[1] !== 0x61 || view[2] !== 0x73 || view[3] !== 0x6d) {
    throw notServed("it does not start with the four bytes of a WebAssembly module", details);
  }
  try {
    return await WebAssembly.compile(view);
  } catch (error) {
    throw compileFailed(error, details);
  }
};

const compileFrom = async (url) => {
  const details = { url: String(url), status: 0, contentType: "" };
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw notServed(`the request failed (${textOf(error)})`, details, error);
  }
  details.status = response.status;
  details.contentType = response.headers.get("content-type") ?? "";
  if (!response.ok) throw notServed(`the server answered with status ${response.status}`, details);
  const type = details.contentType.split(";", 1)[0].trim().toLowerCase();
  // A single-page server answers any unknown address with its page, and with status 200.
  if (type === "text/html") throw notServed("the server answered with an HTML page", details);
  if (type === "application/wasm") {
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      throw compileFailed(error, details);
    }
  }
  let bytes;
  try {
    bytes = await response.arrayBuffer();
  } catch (error) {
    throw notServed(`the answer broke off (${textOf(error)})`, details, error);
  }
  return compileBytes(bytes, details);
};

const unusable = (problem) =>
  new AgentSurfaceRuntimeError(
    "NOT_INITIALIZED",
    `${problem}: call \`init\` with \`{ module }\` (a WebAssembly.Module), \`{ bytes }\` (an ArrayBuffer or a view) or ` +
      "`{ url }` (a string or URL).",
  );

const compile = async ({ module, bytes, url } = {}, defaultSource) => {
  if (typeof WebAssembly !== "object") {
    throw blocked("This environment has no WebAssembly: a lockdown mode or a policy took it away.");
  }
  const source = module ?? bytes ?? url ?? (await defaultSource?.());
  if (source === undefined || source === null) {
    throw unusable("`agent-surface-wasm/slim` brings no module, as `agent-surface-wasm` does");
  }
  if (isModule(source)) return source;
  if (typeof source === "string" || source instanceof URL) return compileFrom(source);
  if (ArrayBuffer.isView(source) || Object.prototype.toString.call(source) === "[object ArrayBuffer]") {
    return compileBytes(source, {});
  }
  throw unusable("`init` was given no module");
};

const start = async (options, defaultSource) => {
  const module = await compile(options ?? {}, defaultSource);
  try {
    glue.start(await WebAssembly.instantiate(module, glue.imports()), module);
  } catch (error) {
    if (CSP.test(textOf(error))) throw compileFailed(error, {});
    const details = options?.url === undefined ? {} : { url: String(options.url) };
    // A cache that kept the file of an older release answers with bytes that compile and do not fit.
    throw notServed(`it is a module of another version of this package (${textOf(error)})`, details, error);
  }
  setInstance(glue, module);
};

/**
 * Builds an entry's `init`. `defaultSource()` answers with a module, bytes or an address (or a promise of one);
 * without it the caller must pass one. `beside()` runs at each call, and is waited for: it must be idempotent, and its
 * promise never reject.
 */
export const createInit =
  (defaultSource, beside) =>
  /** Idempotent; concurrent callers share one load; after a failure the next call tries again. */
  async function init(options) {
    if (realm.state === "poisoned") throw poisonedError();
    const other = beside?.();
    if (realm.state !== "ready") {
      realm.state = "loading";
      realm.loading ??= start(options, defaultSource)
        .catch((error) => {
          if (realm.state === "loading") realm.state = "new";
          throw error;
        })
        .finally(() => {
          realm.loading = null;
        });
      await realm.loading;
    }
    await other;
  };
