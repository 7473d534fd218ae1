// The hooks for React. React is the app's; `init` comes from the app's own entry.

export { AgentApprovals, AgentSurfaceProvider, useAgentCapabilities, useAgentComponent, useAgentSurface, usePendingConfirmations, useToolset } from "./react.js";
