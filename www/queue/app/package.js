// The one place that knows where the package is served: everything else on this page imports its names from here.
export * from "/pkg/dist/index.js";
export { createPostMessageTransport, createSessionRegistry, createSurface, defineActions, initSurface, SURFACE_PROTOCOL } from "/pkg/dist/surface.js";
