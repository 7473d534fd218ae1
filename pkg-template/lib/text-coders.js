// The coders of text for CommonJS, which Jest loads into a page of jsdom: that page has none, and Node has. The build puts
// them in the place of the globals.

const of = (name) => globalThis[name] ?? process.getBuiltinModule("node:util")[name];

export const TextEncoder = /* @__PURE__ */ of("TextEncoder");
export const TextDecoder = /* @__PURE__ */ of("TextDecoder");
