// The registry is made in the browser, once the page is there; everything below the provider registers with it.

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createAgentSurfaceRegistry, init } from "agent-surface-wasm";
import { AgentApprovals, AgentSurfaceProvider } from "agent-surface-wasm/react";
import { Copilot } from "./copilot.jsx";
import { Todos } from "./todos.jsx";
import "./style.css";

const makeRegistry = async () => {
  await init();
  return createAgentSurfaceRegistry();
};

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <AgentSurfaceProvider registry={makeRegistry}>
      <div className="page">
        <Todos />
        <Copilot />
      </div>
      <AgentApprovals className="approvals" />
    </AgentSurfaceProvider>
  </StrictMode>,
);
