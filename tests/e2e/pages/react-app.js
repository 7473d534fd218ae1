// A page as an app writes it, rendered on a server and in the browser: state, a component, a list, approvals.

import { createElement as h, useState } from "react";
import { action, emptyObjectSchema, fromJsonSchema, observation } from "agent-surface-wasm";
import {
  AgentApprovals,
  AgentSurfaceProvider,
  useAgentCapabilities,
  useAgentComponent,
  useAgentSurface,
  usePendingConfirmations,
  useToolset,
} from "agent-surface-wasm/react";

const act = (description, execute) => action({ description, input: emptyObjectSchema, effect: "local-state", execute });

function Counter() {
  const [count, setCount] = useState(0);
  useAgentComponent({
    type: "app.counter",
    description: "A counter.",
    observations: { value: observation({ description: "Its value.", output: fromJsonSchema({}), read: () => count }) },
    actions: { increment: act("Adds one.", () => setCount(count + 1)) },
  });
  return h("output", null, count);
}

function Rows({ ids }) {
  useAgentCapabilities(
    ids.map((instanceId) => ({ type: "app.row", instanceId, description: "A row.", actions: { open: act("Opens it.", () => undefined) } })),
  );
  return h("ul", null, ids.map((id) => h("li", { key: id }, id)));
}

function Status() {
  const registry = useAgentSurface();
  const pending = usePendingConfirmations();
  const toolset = useToolset({ consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
  return h("p", null, `${registry ? "ready" : "starting"}, ${pending.length} wait, ${toolset.tools().length} tools`);
}

/** @param {{ registry: unknown }} props */
export const App = ({ registry }) =>
  h(
    AgentSurfaceProvider,
    { registry },
    h("main", null, h(Counter), h(Rows, { ids: ["a", "b"] }), h(Status), h(AgentApprovals, { modal: true, className: "approvals", theme: "dark" })),
  );
