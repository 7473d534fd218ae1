// The module inside a script, for the entries that must not fetch. `#wasm-base64` is made by the build.

import text from "#wasm-base64";

/** The module's bytes. */
export const bytes = () =>
  typeof Uint8Array.fromBase64 === "function"
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
