// The declarations need neither the DOM nor Node: code of a server that shares definitions compiles without both.

import { createAgentSurfaceRegistry, fromJsonSchema, init, observation } from "agent-surface-wasm";

await init();
const registry = createAgentSurfaceRegistry();
registry.register({
  type: "a",
  description: "d",
  observations: { b: observation({ description: "d", output: fromJsonSchema({ type: "string" }), read: () => "c" }) },
});
export default registry.snapshot().components.length;
