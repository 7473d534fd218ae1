// Matchers for Vitest and Jest: `expect.extend(matchers)`.

export { matchers } from "./testing-matchers.js";
