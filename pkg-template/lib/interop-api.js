// The public names of `/interop`, but for `initInterop`, which each entry makes with its own source.

export { InteropPortableAgentAdapter, InteropSimulationEnvironmentClient } from "./interop-adapters.js";
export { WebCryptoAuthenticity } from "./interop-authenticity.js";
export { InteropClient } from "./interop-client.js";
export { InteropError, isInteropError } from "./interop-errors.js";
export { HttpInteropTransport } from "./interop-http.js";
export {
  InMemoryInteropIdempotencyStore,
  InMemoryInteropOutboundSequenceStore,
  InMemoryInteropSequenceStore,
} from "./interop-memory.js";
export { InteropEndpointRouter } from "./interop-router.js";
export { createSchemaResolver } from "./interop-schemas.js";
export { openIndexedDbInteropStores } from "./interop-open.js";
export { canonicalJson, createInteropManifest, interopDigest, readInteropManifest } from "./interop-values.js";
