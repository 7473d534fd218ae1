// What the page publishes, to whom, and for how long. The allowlist is smaller than the page on purpose: the rows' own
// actions are declared, and no peer can name them.

import { createPostMessageTransport, createSessionRegistry, createSurface } from "./package.js";
import { APP } from "./actions.js";

export const EXTERNAL_SCOPE = ["todo.overview", "todo.add", "todo.clear_completed"];

/** On whose behalf agents act here. */
const USER = "user-17";
const MINUTES = 60_000;
const MOST_RECORDS = 100;

/** Publishes the queue: to the agent's origin over `postMessage`, and to the console in the page. */
export function publishQueue({ registry, queue, agentOrigin, consoleName }) {
  const surface = { registry, app: APP, expose: EXTERNAL_SCOPE, recordLimit: 2, records: () => queue.rows() };
  const sessions = createSessionRegistry({ ttlMs: 15 * MINUTES, maxSessions: 8 });
  const granted = { userId: USER, scope: EXTERNAL_SCOPE };
  const listeners = new Set();
  const announce = () => {
    for (const listener of [...listeners]) listener();
  };

  const records = [];
  const audit = (record) => {
    records.push(record);
    if (records.length > MOST_RECORDS) records.shift();
    announce();
  };

  /** Peers that a person sent away, by origin: nobody connects from there until it is allowed again. */
  const revoked = new Map();
  const transport = createPostMessageTransport({
    surface,
    sessions,
    origins: [agentOrigin],
    authorize: ({ origin }) => (revoked.has(origin) ? undefined : granted),
    rate: { limit: 60, windowMs: MINUTES },
    audit,
  });
  transport.subscribe(announce);

  // In the page no proof is needed: the page makes the session itself, and its console carries the envelope.
  let own;
  const openConsole = () => {
    own?.surface.dispose();
    const session = sessions.create({ agentId: "console", ...granted });
    if (!session) throw new Error("there are as many sessions as there may be");
    own = { session, surface: createSurface({ ...surface, session }), lastCall: undefined, isRevoked: false };
  };
  openConsole();

  const handle = async (request) => {
    const mine = own;
    const response = await mine.surface.handle(request);
    if (request.method === "invoke") mine.lastCall = { at: new Date().toISOString(), capability: request.capability };
    announce();
    return response;
  };

  const ownConnection = () => {
    const { session, lastCall, isRevoked } = own;
    const common = { origin: location.origin, name: consoleName, session, lastCall };
    if (sessions.get(session.sessionId)) {
      const revoke = () => {
        own.isRevoked = true;
        sessions.revoke(session.sessionId);
        announce();
      };
      return { ...common, state: "live", revoke };
    }
    const allow = () => {
      openConsole();
      announce();
    };
    return { ...common, state: isRevoked ? "revoked" : "expired", allow };
  };

  const peerConnection = (peer) => {
    const { origin, declaredName: name, session, lastCall } = peer;
    const revoke = () => {
      revoked.set(origin, { origin, name, session, lastCall, state: "revoked", allow });
      // The person meant the origin, however many of its windows are connected.
      for (const each of transport.peers()) if (each.origin === origin) transport.revoke(each.session.sessionId);
      announce();
    };
    const allow = () => {
      revoked.delete(origin);
      announce();
    };
    return { origin, name, session, lastCall, state: "live", revoke };
  };

  return {
    handle,
    records: () => [...records],
    /** Who is connected or was sent away. Each has `revoke` or `allow`. */
    connections: () => [ownConnection(), ...transport.peers().filter(({ origin }) => !revoked.has(origin)).map(peerConnection), ...revoked.values()],
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
