// What a peer loads: no module, and nothing of the page's side.

export { SURFACE_PROTOCOL, SurfaceClient } from "./surface-client.js";
