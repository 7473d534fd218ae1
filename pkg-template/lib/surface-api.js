// The public names of `/surface`, but for `initSurface`, which each entry makes with its own source.

export { createSessionRegistry } from "./surface-sessions.js";
export { createSurface, defineActions } from "./surface.js";
export { createPostMessageTransport } from "./post-message.js";
export { createSurfaceTransport } from "./surface-transport.js";
export { SURFACE_PROTOCOL } from "./surface-client.js";
