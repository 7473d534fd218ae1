// `/react`.

import { createElement } from "react";
import { action, createAgentSurfaceRegistry, emptyObjectSchema, fromJsonSchema, observation } from "agent-surface-wasm";
import type { AgentSurfaceRegistry, AgentTool, PendingConfirmation } from "agent-surface-wasm";
import {
  AgentApprovals,
  AgentSurfaceProvider,
  useAgentCapabilities,
  useAgentComponent,
  useAgentSurface,
  usePendingConfirmations,
  useToolset,
} from "agent-surface-wasm/react";
import type { AgentComponentHandle, MountedToolset } from "agent-surface-wasm/react";
import { expectation, expectTypeOf } from "./expect.mjs";

const registry = createAgentSurfaceRegistry();
createElement(AgentSurfaceProvider, { registry }, "page");
createElement(AgentSurfaceProvider, { registry: undefined });
createElement(AgentSurfaceProvider, { registry: async () => registry });
// @ts-expect-error -- no registry at all
createElement(AgentSurfaceProvider, {}, "page");
// @ts-expect-error -- options are not a registry
createElement(AgentSurfaceProvider, { registry: { environment: "test" } });

expectTypeOf(useAgentSurface(), expectation<AgentSurfaceRegistry | undefined>());
expectTypeOf(usePendingConfirmations(), expectation<readonly PendingConfirmation[]>());

declare const isAdmin: boolean;
const definition = {
  type: "app.counter",
  description: "A counter.",
  observations: { value: observation({ description: "v", output: fromJsonSchema({ type: "integer" }), read: () => 1 }) },
  actions: {
    add: action({
      description: "a",
      input: fromJsonSchema({ type: "object", properties: { by: { type: "integer" } }, required: ["by"] }),
      effect: "local-state",
      execute: ({ by }) => void by.toFixed(),
    }),
  },
};
const handle = useAgentComponent(definition);
expectTypeOf(handle, expectation<AgentComponentHandle>());
handle.update({ enabled: false });
// @ts-expect-error -- the hook unregisters
handle.unregister();
useAgentComponent(isAdmin && definition, [isAdmin]);
useAgentComponent(() => (isAdmin ? definition : null), [isAdmin]);
// @ts-expect-error -- no description
useAgentComponent({ type: "app.counter" });
useAgentCapabilities([definition, isAdmin && definition]);
useAgentCapabilities(
  ["a", "b"].map((instanceId) => ({
    type: "app.row",
    instanceId,
    description: "A row.",
    actions: { open: action({ description: "o", input: emptyObjectSchema, effect: "navigation", execute: () => undefined }) },
  })),
);
// @ts-expect-error -- a list
useAgentCapabilities(definition);

const toolset = useToolset({ consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
expectTypeOf(toolset, expectation<MountedToolset>());
expectTypeOf(toolset.tools(), expectation<readonly AgentTool[]>());
// @ts-expect-error -- who waits has no default
useToolset({ consumer: { id: "copilot", kind: "embedded" } });
// @ts-expect-error -- the hook disposes
toolset.dispose();

createElement(AgentApprovals);
createElement(AgentApprovals, { modal: true, theme: "dark", strings: { approve: "Yes" }, className: "a", onDecision: ({ approved }) => void approved });
// @ts-expect-error -- no such theme
createElement(AgentApprovals, { theme: "pink" });
