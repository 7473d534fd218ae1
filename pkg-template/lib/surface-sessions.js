// `createSessionRegistry`: the sessions that a page gave to peers. Which are live the kernel's module says; this holds
// their data, makes their ids and tells who depends on one that it ended.

import { made } from "./surface-module.js";
import { attempt, clockOf } from "./surface-page.js";

/** Who made the session of an id: surfaces find it there, whatever copy of the session they were given. */
const owners = new Map();
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

const LIVE = 0;
const EXPIRED = 1;
const UNKNOWN = 3;

const randomId = () => Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => ALPHABET[byte & 63]).join("");

const isTexts = (list) => Array.isArray(list) && list.every((each) => typeof each === "string");

/**
 * Calls `end(isExpired)` when the session of this id was ended, at once where it was ended before. Nothing happens for
 * one that no registry made. Answers with a way to stop that.
 */
export const whenEnded = (sessionId, end) => {
  const owner = owners.get(sessionId);
  const standing = owner?.standing(sessionId) ?? UNKNOWN;
  if (standing === UNKNOWN) return () => {};
  if (standing !== LIVE) {
    end(standing === EXPIRED);
    return () => {};
  }
  const ends = owner.ends.get(sessionId);
  ends.add(end);
  return () => ends.delete(end);
};

export const createSessionRegistry = ({ ttlMs, maxSessions, maxOfOrigin, now = () => Date.now() } = {}) => {
  for (const [name, value] of Object.entries({ ttlMs, maxSessions, ...(maxOfOrigin !== undefined && { maxOfOrigin }) })) {
    if (!(Number.isInteger(value) && value > 0 && value < 2 ** 32)) throw new TypeError(`\`${name}\` must be a whole number from 1`);
  }
  const inner = made((glue) => new glue.SurfaceSessions(ttlMs, maxSessions, maxOfOrigin));
  const clock = clockOf(now);
  const sessions = new Map();
  const listeners = new Set();
  const owner = { standing: (id) => (typeof id === "string" ? inner.standing(clock(), id) : UNKNOWN), ends: new Map() };
  const announce = () => {
    for (const listener of [...listeners]) attempt("a listener of the sessions failed:", listener);
  };
  /** What is known no more by the module is not known here, either. */
  const sweep = () => {
    for (const id of sessions.keys()) {
      if (owner.standing(id) !== UNKNOWN) continue;
      sessions.delete(id);
      owner.ends.delete(id);
      owners.delete(id);
    }
  };
  return {
    create({ agentId, userId, scope, origin }) {
      if (typeof agentId !== "string" || typeof userId !== "string" || !isTexts(scope) || !["string", "undefined"].includes(typeof origin)) {
        throw new TypeError("a session is made from { agentId, userId, scope, origin? }");
      }
      const granted = Object.freeze([...scope]);
      const sessionId = randomId();
      const at = inner.create(clock(), sessionId, origin?.toWellFormed());
      sweep();
      if (Number.isNaN(at)) return undefined;
      const expiresAt = new Date(at).toISOString();
      const session = Object.freeze({ agentId, sessionId, userId, expiresAt, scope: granted });
      sessions.set(sessionId, session);
      owner.ends.set(sessionId, new Set());
      owners.set(sessionId, owner);
      announce();
      return session;
    },
    get: (sessionId) => (owner.standing(sessionId) === LIVE ? sessions.get(sessionId) : undefined),
    list: () => [...sessions.values()].filter(({ sessionId }) => owner.standing(sessionId) === LIVE),
    revoke(sessionId) {
      if (owner.standing(sessionId) !== LIVE || !inner.revoke(sessionId)) return false;
      for (const end of [...owner.ends.get(sessionId)]) attempt("a session could not be ended everywhere:", () => end(false));
      announce();
      return true;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
