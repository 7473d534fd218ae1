// The WebMCP adapter alone, for code that imports by feature. `init` comes from the app's own entry.

export { createWebMcpAdapter } from "#core";
