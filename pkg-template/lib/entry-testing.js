// For the tests of a page and for authors of adapters. `init` comes from the app's own entry.

export { adapterChecks, checkAdapter } from "./check-adapter.js";
export { serializeSurfaceSnapshot } from "./testing-serialize.js";
export { createTestSurface } from "./testing.js";
