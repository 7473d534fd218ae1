// What `/surface` and `/surface/client` promise, in types.

import { createAgentSurfaceRegistry } from "agent-surface-wasm";
import {
  createPostMessageTransport, createSessionRegistry, createSurface, createSurfaceTransport, defineActions, SURFACE_PROTOCOL,
} from "agent-surface-wasm/surface";
import type {
  SurfaceCarrier, SurfaceConnected, SurfaceConnection, SurfaceLink, SurfaceResponse, SurfaceSession, SurfaceTransport,
} from "agent-surface-wasm/surface";
import { SurfaceClient } from "agent-surface-wasm/surface-client";
import type { SurfaceAnswer, SurfaceOutput } from "agent-surface-wasm/surface-client";
import { expectation, expectTypeOf } from "./expect.mjs";

const registry = createAgentSurfaceRegistry();
const sessions = createSessionRegistry({ ttlMs: 1, maxSessions: 1, maxOfOrigin: 1 });
const surface = { registry, app: "queue", expose: ["todo.add", { id: "pay", capability: "domain:billing.pay" }] };

// A session may be made by hand; one of a registry is one, too.
const session: SurfaceSession = { agentId: "a", sessionId: "s", userId: "u", expiresAt: 5, scope: [] };
const external = createSurface({ ...surface, session, execute: (id, input, { signal }) => ({ output: [id, input, signal.aborted] }) });
expectTypeOf(external.handle({ protocol: SURFACE_PROTOCOL, id: "1", method: "describe" }), expectation<Promise<SurfaceResponse>>());
// @ts-expect-error -- there are two methods
void external.handle({ protocol: SURFACE_PROTOCOL, id: "1", method: "approve" });
// @ts-expect-error -- an entry of the allowlist needs its capability
createSurface({ ...surface, session, expose: [{ id: "todo.add" }] });
defineActions(registry, { app: "queue", actions: { "todo.add": { description: "Adds", effect: "navigation", confirm: "always", handler: () => undefined } } });
// @ts-expect-error -- what is destructive is a procedure
defineActions(registry, { app: "queue", actions: { add: { description: "Adds", effect: "destructive", handler() {} } } });
// @ts-expect-error -- confirmed never or always
defineActions(registry, { app: "queue", actions: { add: { description: "Adds", confirm: "sometimes", handler() {} } } });

const options = { surface, sessions, authorize: () => ({ userId: "u", scope: ["todo.add"] }) };
const posted: SurfaceTransport = createPostMessageTransport({ ...options, origins: ["https://a.example"] });
// @ts-expect-error -- whoever may connect is named
createPostMessageTransport(options);
// @ts-expect-error -- the transport makes the session
createPostMessageTransport({ ...options, origins: [], surface: { ...surface, session } });
void posted;

// A transport of one's own: its author gives a link for each peer, and gets a connection.
const carrier: SurfaceCarrier = createSurfaceTransport({ ...options, name: "worker" });
expectTypeOf(carrier.connect({ origin: "o" }, { close() {} }), expectation<Promise<SurfaceConnected>>());
export const carry = async (link: SurfaceLink, wire: (text: string) => void): Promise<SurfaceConnection | undefined> => {
  const outcome = await carrier.connect({ origin: "https://a.example", declaredName: "A" }, link);
  if (!outcome.ok) {
    wire(outcome.error.code);
    return undefined;
  }
  const leave = outcome.connection.request("{}", (response) => wire(response));
  expectTypeOf(leave, expectation<() => void>());
  outcome.connection.close("CLOSED");
  // @ts-expect-error -- there is no such end
  outcome.connection.close("BORED");
  return outcome.connection;
};
// @ts-expect-error -- a link can be closed
void carrier.connect({ origin: "o" }, { changed() {} });
// What its users get has no way in.
// @ts-expect-error -- not on a transport
void posted.connect;

declare const client: SurfaceClient;
expectTypeOf(client.invoke("todo.add", {}), expectation<Promise<SurfaceAnswer<SurfaceOutput>>>());
// @ts-expect-error -- `connect` makes clients
new SurfaceClient();
