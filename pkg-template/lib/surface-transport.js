// `createSurfaceTransport`: what every transport does with a peer that it has proved. It makes the session and ends it,
// bounds requests before they are read, carries envelopes unchanged, knows who is connected and tells the audit. It filters
// no capability and confirms nothing. `post-message.js` is one on top of it; a page may write another.

import { checkSurface, createSurface, innerOf, MAX_BYTES } from "./surface.js";
import { definitionFault, made } from "./surface-module.js";
import { attempt, clockOf, report, timeOf } from "./surface-page.js";
import { whenEnded } from "./surface-sessions.js";

const MAX_NAME = 100;
/** The longest that a timer can be. */
const MAX_TIMER = 2 ** 31 - 1;
/** Clocks may disagree on whether a session is over. */
const MIN_TIMER = 100;

const OPTIONS = ["name", "surface", "sessions", "authorize", "authorizeMs", "maxBytes", "maxInFlight", "rate", "audit", "now"];

const shortText = (value, length) => (typeof value === "string" ? value.slice(0, length).toWellFormed() : undefined);

/** What a peer calls itself: for people and the audit, bounded. */
export const nameOf = (name) => shortText(name, MAX_NAME);

const refusal = (code, message) => ({ ok: false, error: { code, message } });

const CLOSED = refusal("CLOSED", "the page takes no more connections");

const face = ({ origin, declaredName, session, lastCall }) => Object.freeze({ origin, declaredName, session, lastCall });

/** A peer that is connected; `link` is its connection. */
class Peer {
  constructor(peers, about, link, session) {
    const { surface, limits, now } = peers;
    Object.assign(this, about, { peers, link, session, lastCall: undefined, isOpen: true });
    this.surface = innerOf(createSurface({ ...surface, ...limits, now, session }));
    // After the answers that its end brings.
    this.forget = whenEnded(session.sessionId, () => queueMicrotask(() => this.drop("SESSION_REVOKED")));
    this.arm();
  }

  /** Who it is: what was proved, and apart from it what it says itself. */
  about() {
    const { origin, declaredName, session } = this;
    const { agentId, sessionId, userId } = session;
    return { origin, declaredName, agentId, sessionId, userId };
  }

  /** Its session may end while it says nothing. */
  arm() {
    const rest = Date.parse(this.session.expiresAt) - this.peers.now();
    this.timer = setTimeout(() => this.look(), Math.min(MAX_TIMER, Math.max(MIN_TIMER, rest + 1 || 0)));
  }

  look() {
    if (attempt("a session could not be looked up:", () => this.peers.sessions.get(this.session.sessionId))) {
      this.arm();
      return;
    }
    this.surface.end(true);
    this.drop("SESSION_EXPIRED");
  }

  request(text, respond) {
    const { peers } = this;
    const answer = (response, told) => {
      attempt("a response could not be carried:", () => respond(response));
      const exchange = JSON.parse(told);
      if (exchange.method === "invoke" && this.isOpen) {
        this.lastCall = Object.freeze({ at: timeOf(peers.now()), capability: exchange.capability });
        peers.announce();
      }
      peers.note("request", { ...this.about(), ...exchange });
    };
    // Where the module has stopped there are no answers any more.
    return this.surface.submit(text, answer, () => this.drop("PEER_GONE"));
  }

  watch() {
    if (!this.isOpen || this.surface.listeners.size > 0) return;
    const tell = () => attempt("a change could not be told:", () => this.link.changed?.());
    attempt("a peer could not watch:", () => this.surface.subscribe(tell));
  }

  drop(code) {
    const { peers } = this;
    if (!peers.all.delete(this)) return;
    this.forget();
    clearTimeout(this.timer);
    // Its calls end: before a decision nothing runs any more, and what runs is told to stop.
    this.surface.dispose();
    this.isOpen = false;
    attempt("a link could not be closed:", () => this.link.close(code));
    attempt("a session could not be ended:", () => peers.sessions.revoke(this.session.sessionId));
    peers.note("peer-closed", { ...this.about(), code });
    peers.announce();
  }
}

export class Peers {
  constructor(options) {
    const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
    const { name, surface, sessions, authorize, audit, rate } = options;
    const isWhole = [authorize, sessions?.create].every((each) => typeof each === "function");
    if (unknown !== undefined || typeof name !== "string" || !isWhole) {
      throw definitionFault(`a transport needs a \`name\`, \`sessions\` and \`authorize\`, and takes ${OPTIONS.join(", ")}${unknown === undefined ? "" : `, not \`${unknown}\``}`);
    }
    const { maxBytes = MAX_BYTES, maxInFlight = 32, authorizeMs = 60_000, now = () => Date.now() } = options;
    if (!Number.isInteger(authorizeMs) || authorizeMs < 1 || authorizeMs >= MAX_TIMER) {
      throw definitionFault(`\`authorizeMs\` must be a whole number from 1 to ${MAX_TIMER - 1}`);
    }
    this.gate = made((glue) => new glue.SurfaceGate(authorizeMs));
    Object.assign(this, { name, surface, sessions, authorize, audit, now: clockOf(now) });
    this.limits = { maxBytes, maxInFlight, ...(rate && { rate }) };
    checkSurface({ ...surface, ...this.limits });
    this.all = new Set();
    this.listeners = new Set();
    /** What ends the wait for `authorize`, by handshake. */
    this.waits = new Map();
    /** What is told with a number later, by the gate's keys. */
    this.held = new Map();
    this.isClosed = false;
  }

  announce() {
    for (const listener of [...this.listeners]) attempt("a listener failed:", listener);
  }

  note(type, about) {
    attempt("`audit` failed:", () => this.audit?.({ at: timeOf(this.now()), type, transport: this.name, ...about }));
  }

  /** The same for what anybody can cause at will: it is told once, and then how often. */
  count(type, about) {
    if (!this.audit) return;
    attempt("`audit` failed:", () => {
      const key = JSON.stringify([type, about.origin, about.code, about.sessionId]).toWellFormed();
      const noted = this.isClosed ? 0 : this.gate.note(this.now(), key, type);
      if (noted === 0) return this.note(type, about);
      this.held.set([, key, type][noted], [type, noted === 1 ? about : { origin: "*" }]);
      return this.arm();
    });
  }

  /** Whoever gets no session; the words are for the peer. */
  refuse({ origin, declaredName }, code, message) {
    this.count("peer-refused", { origin, declaredName: nameOf(declaredName), code });
    return refusal(code, message);
  }

  /** One timer, for whatever is due first. */
  arm() {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const rest = this.gate.rest(this.now());
    if (rest < 0) return;
    this.timer = setTimeout(() => attempt("a transport stopped:", () => this.elapse(this.now())), rest + 1);
    this.timer.unref?.();
  }

  elapse(now) {
    this.gate.elapse(now);
    for (let line; (line = this.gate.poll()) !== undefined; ) {
      const space = line.indexOf(" ");
      const [number, key] = [Number(line.slice(1, space)), line.slice(space + 1)];
      if (line[0] === "G") this.waits.get(number)?.();
      else {
        const [type, about] = this.held.get(key);
        this.held.delete(key);
        this.note(type, { ...about, count: number });
      }
    }
    this.arm();
  }

  /** `{ ok: true, peer }`, or why there is none. */
  async connect({ origin, declaredName }, link) {
    if (typeof origin !== "string" || typeof link?.close !== "function") {
      throw new TypeError("`connect` expects { origin, declaredName? }, which was proved, and a link { close(code), changed?() }");
    }
    if (this.isClosed) return CLOSED;
    return this.admit(this.gate.greet(this.now(), origin.toWellFormed(), undefined, 0), { origin, declaredName: nameOf(declaredName) }, link);
  }

  /** Asks the page about a handshake that begins, if it does. */
  async admit(number, about, link) {
    if (number < 0) return this.refuse(about, "RATE_LIMITED", "too many connections are being made");
    const asking = new AbortController();
    const over = new Promise((resolve) => this.waits.set(number, resolve));
    try {
      this.arm();
      const identity = await Promise.race([this.grant(about, asking.signal), over]);
      if (this.isClosed) return CLOSED;
      if (!this.gate.answered(number)) return this.refuse(about, "SCOPE_DENIED", "the page did not decide in time");
      if (!identity) return this.refuse(about, "SCOPE_DENIED", "the page grants nothing to this origin");
      return this.open(about, identity, link);
    } catch (error) {
      report("a peer could not be connected:", error);
      return this.refuse(about, "INVALID_REQUEST", "the page could not make a session");
    } finally {
      this.waits.delete(number);
      asking.abort();
    }
  }

  async grant(about, signal) {
    try {
      return await this.authorize({ ...about }, { signal });
    } catch (error) {
      report("`authorize` failed:", error);
      return undefined;
    }
  }

  open(about, identity, link) {
    const session = this.sessions.create({ agentId: about.origin, ...identity, origin: about.origin });
    if (!session) return this.refuse(about, "RATE_LIMITED", "the page, or this origin, has all the sessions that it may have");
    let peer;
    try {
      peer = new Peer(this, about, link, session);
    } catch (error) {
      this.sessions.revoke(session.sessionId);
      throw error;
    }
    this.all.add(peer);
    this.note("peer-connected", peer.about());
    this.announce();
    return { ok: true, peer };
  }

  close() {
    this.isClosed = true;
    for (const peer of [...this.all]) peer.drop("CLOSED");
    // Whoever waits for `authorize` is refused, and what was counted is told.
    attempt("a transport stopped:", () => this.elapse(Infinity));
    // Also where the module has stopped.
    for (const end of this.waits.values()) end();
    this.listeners.clear();
  }

  /** What a page sees of a transport. */
  face() {
    return {
      peers: () => Array.from(this.all, face),
      subscribe: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      revoke: (sessionId) => {
        const isOurs = Array.from(this.all).some(({ session }) => session.sessionId === sessionId);
        return isOurs && this.sessions.revoke(sessionId);
      },
      close: () => this.close(),
    };
  }
}

export const createSurfaceTransport = (options) => {
  const peers = new Peers(options);
  return Object.freeze({
    ...peers.face(),
    refuse: (about, code) => void peers.refuse(about, code),
    async connect(about, link) {
      const { peer, ...outcome } = await peers.connect(about, link);
      if (!peer) return outcome;
      const connection = Object.freeze({
        session: peer.session,
        request: (text, respond) => peer.request(String(text), respond),
        watch: () => peer.watch(),
        refuse: (code) => peers.count("message-refused", { ...peer.about(), code }),
        close: (code = "PEER_GONE") => peer.drop(code),
      });
      return { ...outcome, connection };
    },
  });
};
