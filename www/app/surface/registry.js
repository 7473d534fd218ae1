// The registry of this page: who may see what, who must be asked, and where procedures run.

import { createAgentSurfaceRegistry, hasPermission, authenticated, memoryAuditSink, requireConfirmation } from "../package.js";
import { createExecutor } from "./executor.js";

/** The consumers that this page knows. `viewer` is not connected; the catalog view shows what it would see. */
export const CONSUMERS = {
  copilot: { id: "copilot", kind: "embedded" },
  browser: { id: "browser", kind: "webmcp" },
  viewer: { id: "viewer", kind: "other" },
};

/** Whoever is not the panel's copilot or the browser's agent only reads. */
function mayControl(permission, { consumer, kind, host }) {
  if (kind === "observation") return true;
  return consumer?.kind !== "other" && host.user.permissions.includes(permission);
}

/** The browser's agent is the least trusted one: what it changes on the server, a person approves. */
const fromTheBrowser = ({ consumer, effect }) => consumer?.kind === "webmcp" && effect === "server-mutation";

/**
 * `user`: the person signed in. `procedures`: path → async (input, { signal, consumer }) → output. `route()` names the
 * place shown. Returns the registry and its audit trail.
 */
export function createRegistry({ user, procedures, route }) {
  const audit = createAuditTrail();
  const registry = createAgentSurfaceRegistry({
    environment: "development",
    context: { user },
    policies: [
      authenticated(),
      hasPermission("devices:control", mayControl),
      requireConfirmation({ if: fromTheBrowser, summary: "The browser's agent wants to change a device" }),
    ],
    audit: audit.sink,
    route,
  });
  registry.setProcedureExecutor(createExecutor(procedures));
  return { registry, audit };
}

/** A bounded audit trail that views can listen to. */
function createAuditTrail() {
  const memory = memoryAuditSink({ capacity: 400 });
  const listeners = new Set();
  return {
    sink: {
      record(event) {
        memory.record(event);
        for (const listener of listeners) listener();
      },
    },
    events: () => memory.events(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
