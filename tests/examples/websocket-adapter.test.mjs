// The custom adapter of docs/adapters.md keeps its duties.

import { test } from "node:test";
import { init } from "agent-surface-wasm";
import { adapterChecks } from "agent-surface-wasm/testing";
import { WebSocket } from "ws";
import { startToolServer } from "./tool-server.mjs";
import { createWebSocketAdapter } from "./websocket-adapter.mjs";

await init();

async function createPeer() {
  const server = await startToolServer();
  return {
    adapter: createWebSocketAdapter({ url: server.url, WebSocket }),
    topology: "remote",
    tools: () => server.tools(),
    call: (name, input, { attemptId, confirmationId }) => server.call(name, input, { id: attemptId, confirmationId }),
    close: () => server.close(),
  };
}

for (const check of adapterChecks(createPeer, { kind: "mcp-bridge" })) test(check.name, check.run);
