// `createPostMessageTransport`: the page's end of a conversation with other frames and windows. It proves who the peer is
// (exact origin, source, a nonce), makes the session and ends it, bounds messages before they are read, and carries
// envelopes unchanged. It filters no capability and confirms nothing. `surface-client.js` is the peer's end and lists the
// messages.

import { AgentSurfaceDefinitionError } from "./errors.js";
import { createSurface, innerOf } from "./surface.js";
import { SURFACE_PROTOCOL } from "./surface-client.js";
import { whenEnded } from "./surface-sessions.js";

/** Beats that may go unanswered. */
const MISSED = 3;
/** Nonces that are remembered, and handshakes that may be under way. */
const MAX_NONCES = 4096;
const MAX_HANDSHAKES = 32;
const MAX_NAME = 100;

const isOrigin = (origin) => {
  try {
    return origin !== "null" && new URL(origin).origin === origin;
  } catch {
    return false;
  }
};

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const OPTIONS = ["surface", "sessions", "origins", "authorize", "window", "heartbeatMs", "maxBytes", "maxInFlight", "rate", "audit", "now"];

class Transport {
  constructor(options) {
    const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
    const { origins, authorize } = options;
    if (unknown !== undefined || typeof authorize !== "function") {
      throw new AgentSurfaceDefinitionError("INVALID_DEFINITION", `a transport needs \`authorize\` and takes ${OPTIONS.join(", ")}${unknown === undefined ? "" : `, not \`${unknown}\``}`);
    }
    if (!Array.isArray(origins) || !origins.every(isOrigin)) {
      throw new AgentSurfaceDefinitionError("INVALID_DEFINITION", "`origins` must be exact origins, such as `https://partner.example`; never `*` or `null`");
    }
    const { surface, sessions, window = globalThis, heartbeatMs = 1500, audit, now = () => Date.now() } = options;
    const { maxBytes = 65_536, maxInFlight = 32, rate } = options;
    Object.assign(this, { surface, sessions, window, heartbeatMs, audit, now, maxBytes, authorize, origins: [...origins] });
    this.limits = { maxBytes, maxInFlight, ...(rate && { rate }) };
    this.peers = new Set();
    this.nonces = new Set();
    this.handshakes = 0;
    this.listeners = new Set();
    this.isClosed = false;
    this.onMessage = (event) => this.take(event);
    window.addEventListener("message", this.onMessage);
  }

  announce() {
    for (const listener of [...this.listeners]) listener();
  }

  note(type, about) {
    this.audit?.({ at: new Date(this.now()).toISOString(), type, transport: "postMessage", ...about });
  }

  /** A message to the window. Of what is no greeting, or comes from elsewhere, nothing is answered. */
  take(event) {
    const { data, origin, source } = event;
    if (!event.isTrusted || data?.agentSurface !== "hello" || source === null || source === this.window) return;
    const { nonce, protocol, name } = data;
    const declaredName = typeof name === "string" ? name.slice(0, MAX_NAME).toWellFormed() : undefined;
    if (!this.origins.includes(origin)) {
      this.note("peer-refused", { origin, declaredName, code: "ORIGIN_NOT_ALLOWED" });
      return;
    }
    if (typeof nonce !== "string" || !/^[\w-]{16,128}$/.test(nonce)) {
      this.note("peer-refused", { origin, declaredName, code: "INVALID_REQUEST" });
      return;
    }
    const peer = { origin, source, nonce, declaredName };
    if (protocol !== SURFACE_PROTOCOL) return this.refuse(peer, "PROTOCOL_MISMATCH", `this page speaks \`${SURFACE_PROTOCOL}\``);
    if (this.nonces.has(nonce)) return this.refuse(peer, "REPLAYED_REQUEST", "the nonce was used before");
    this.nonces.add(nonce);
    if (this.nonces.size > MAX_NONCES) this.nonces.delete(this.nonces.values().next().value);
    if (this.handshakes >= MAX_HANDSHAKES) return this.refuse(peer, "RATE_LIMITED", "too many connections are being made");
    this.tell(peer, { agentSurface: "heard" });
    this.handshakes++;
    this.welcome(peer).finally(() => {
      this.handshakes--;
    });
  }

  tell({ origin, source, nonce }, message, ports = []) {
    source.postMessage({ ...message, nonce }, { targetOrigin: origin, transfer: ports });
  }

  refuse(peer, code, message) {
    const { origin, declaredName } = peer;
    this.note("peer-refused", { origin, declaredName, code });
    this.tell(peer, { agentSurface: "refused", code, message });
  }

  async welcome(peer) {
    const { origin, declaredName } = peer;
    let identity;
    try {
      identity = await this.authorize({ origin, declaredName });
    } catch (error) {
      console.error("[agent-surface] `authorize` failed:", error);
    }
    if (this.isClosed) return;
    if (!identity) return this.refuse(peer, "SCOPE_DENIED", "the page grants nothing to this origin");
    let session;
    try {
      session = this.sessions.create({ agentId: origin, ...identity });
      if (!session) return this.refuse(peer, "RATE_LIMITED", "the page has all the sessions that it may have");
      this.open({ ...peer, session });
    } catch (error) {
      console.error("[agent-surface] a peer could not be connected:", error);
      if (session) this.sessions.revoke(session.sessionId);
      this.refuse(peer, "INVALID_REQUEST", "the page could not make a session");
    }
  }

  open(peer) {
    const { session } = peer;
    const { sessionId, scope, expiresAt } = session;
    const surface = createSurface({ ...this.surface, ...this.limits, now: this.now, session });
    const { port1: port, port2 } = new MessageChannel();
    Object.assign(peer, { surface: innerOf(surface), port, calls: new Map(), missed: 0, lastCall: undefined });
    port.onmessage = ({ data }) => this.takeFrom(peer, data);
    port.addEventListener("close", () => this.drop(peer, "PEER_GONE"));
    // After the answers that its end brings.
    peer.forget = whenEnded(sessionId, () => queueMicrotask(() => this.drop(peer, "SESSION_REVOKED")));
    this.peers.add(peer);
    this.beat ??= setInterval(() => this.look(), this.heartbeatMs);
    this.tell(peer, { agentSurface: "welcome", session: { sessionId, scope: [...scope], expiresAt }, maxBytes: this.maxBytes }, [port2]);
    this.note("peer-connected", this.about(peer));
    this.announce();
  }

  /** Who it is: what was proved, and apart from it what it says itself. */
  about({ origin, declaredName, session: { agentId, sessionId, userId } }) {
    return { origin, declaredName, agentId, sessionId, userId };
  }

  takeFrom(peer, data) {
    peer.missed = 0;
    if (!Array.isArray(data)) return this.note("message-refused", { ...this.about(peer), code: "INVALID_REQUEST" });
    const [kind, number, text] = data;
    switch (kind) {
      case "call":
        if (Number.isSafeInteger(number) && typeof text === "string" && !peer.calls.has(number)) return this.call(peer, number, text);
        break;
      case "left":
        return peer.calls.get(number)?.abort();
      case "watch":
        peer.surface.listeners.size === 0 && peer.surface.subscribe(() => peer.port.postMessage(["changed"]));
        return undefined;
      case "ping":
        return peer.port.postMessage(["pong"]);
      case "pong":
        return undefined;
      case "bye":
        return this.drop(peer, "CLOSED");
      default:
    }
    return this.note("message-refused", { ...this.about(peer), code: "INVALID_REQUEST" });
  }

  call(peer, number, text) {
    const controller = new AbortController();
    peer.calls.set(number, controller);
    const request = text.length <= this.maxBytes ? parsed(text) : undefined;
    const name = (value) => (typeof value === "string" ? value.slice(0, 128).toWellFormed() : undefined);
    const [requestId, method, capability] = [request?.id, request?.method, request?.capability].map(name);
    peer.surface.submit(text, controller.signal, (response) => {
      peer.calls.delete(number);
      // To a peer that is gone it goes nowhere.
      peer.port.postMessage(["answer", number, response]);
      if (method === "invoke" && this.peers.has(peer)) {
        peer.lastCall = Object.freeze({ at: new Date(this.now()).toISOString(), capability });
        this.announce();
      }
      if (!this.audit) return;
      const { ok, error, result } = JSON.parse(response);
      this.note("request", { ...this.about(peer), requestId, method, capability, ok, code: (error ?? result?.error)?.code });
    });
  }

  /** A beat: who did not answer the last ones is gone, and whose session is over goes. */
  look() {
    for (const peer of [...this.peers]) {
      if (!this.sessions.get(peer.session.sessionId)) {
        peer.surface.end(true);
        this.drop(peer, "SESSION_EXPIRED");
      } else if (peer.missed++ >= MISSED) this.drop(peer, "PEER_GONE");
      else peer.port.postMessage(["ping"]);
    }
  }

  drop(peer, code) {
    if (!this.peers.delete(peer)) return;
    peer.forget();
    // Its calls end: before a decision nothing runs any more, and what runs is told to stop.
    peer.surface.dispose();
    peer.port.postMessage(["bye", code]);
    peer.port.close();
    this.sessions.revoke(peer.session.sessionId);
    if (this.peers.size === 0) {
      clearInterval(this.beat);
      this.beat = undefined;
    }
    this.note("peer-closed", { ...this.about(peer), code });
    this.announce();
  }

  close() {
    this.isClosed = true;
    this.window.removeEventListener("message", this.onMessage);
    for (const peer of [...this.peers]) this.drop(peer, "CLOSED");
    this.listeners.clear();
  }
}

const face = ({ origin, declaredName, session, lastCall }) => Object.freeze({ origin, declaredName, session, lastCall });

export const createPostMessageTransport = (options) => {
  const transport = new Transport(options);
  return Object.freeze({
    peers: () => Array.from(transport.peers, face),
    subscribe(listener) {
      transport.listeners.add(listener);
      return () => transport.listeners.delete(listener);
    },
    revoke: (sessionId) => {
      const peer = Array.from(transport.peers).find(({ session }) => session.sessionId === sessionId);
      return peer !== undefined && transport.sessions.revoke(sessionId);
    },
    close: () => transport.close(),
  });
};
