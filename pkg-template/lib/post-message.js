// `createPostMessageTransport`: the page's end of a conversation with other frames and windows. It proves who the peer is
// (exact origin, source, a nonce), gives it a port of its own and notices when it is gone. What becomes of its requests is
// `surface-transport.js`; `surface-client.js` is the peer's end and lists the messages.

import { AgentSurfaceDefinitionError } from "./errors.js";
import { SURFACE_PROTOCOL } from "./surface-client.js";
import { attempt, report } from "./surface-page.js";
import { nameOf, Peers } from "./surface-transport.js";

/** Beats that may go unanswered. */
const MISSED = 3;
/** Longer than any nonce may be: what is longer is not even repeated. */
const MAX_NONCE = 256;
/** What the gate says of a greeting that begins nothing. */
const REPEATED = 0;
const LATE = -1;
const REPLAYED = -2;
const MALFORMED = -3;

const isOrigin = (origin) => {
  try {
    return origin !== "null" && new URL(origin).origin === origin;
  } catch {
    return false;
  }
};

const OPTIONS = ["surface", "sessions", "origins", "authorize", "authorizeMs", "window", "heartbeatMs", "maxBytes", "maxInFlight", "rate", "audit", "now"];

/** The port of one peer. */
class Port {
  constructor(transport) {
    const { port1, port2 } = new MessageChannel();
    Object.assign(this, { transport, port: port1, theirs: port2, calls: new Map(), missed: 0 });
  }

  /** From now on the peer is heard. */
  open(peer) {
    this.peer = peer;
    this.port.onmessage = ({ data }) => this.take(data);
    this.port.addEventListener("close", () => peer.drop("PEER_GONE"));
  }

  say(message) {
    this.port.postMessage(message);
  }

  take(data) {
    this.missed = 0;
    const [kind, number, text] = Array.isArray(data) ? data : [];
    switch (kind) {
      case "call":
        if (Number.isSafeInteger(number) && typeof text === "string" && !this.calls.has(number)) return this.call(number, text);
        break;
      case "left":
        return this.calls.get(number)?.();
      case "watch":
        return this.peer.watch();
      case "ping":
        return this.say(["pong"]);
      case "pong":
        return undefined;
      case "bye":
        return this.peer.drop(number === "PEER_GONE" ? number : "CLOSED");
      default:
    }
    return this.transport.peers.count("message-refused", { ...this.peer.about(), code: "INVALID_REQUEST" });
  }

  call(number, text) {
    // The answer may come at once.
    this.calls.set(number, undefined);
    const leave = this.peer.request(text, (response) => {
      this.calls.delete(number);
      this.say(["answer", number, response]);
    });
    if (this.calls.has(number)) this.calls.set(number, leave);
  }

  beat() {
    if (this.missed++ >= MISSED) this.peer.drop("PEER_GONE");
    else this.say(["ping"]);
  }

  // What `surface-transport.js` asks of a link.

  changed() {
    this.say(["changed"]);
  }

  close(code) {
    this.say(["bye", code]);
    this.port.close();
    this.transport.remove(this);
  }
}

class Transport {
  constructor({ origins, window = globalThis, heartbeatMs = 1500, ...options }) {
    const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
    if (unknown !== undefined || typeof options.authorize !== "function") {
      throw new AgentSurfaceDefinitionError("INVALID_DEFINITION", `a transport needs \`authorize\` and takes ${OPTIONS.join(", ")}${unknown === undefined ? "" : `, not \`${unknown}\``}`);
    }
    if (!Array.isArray(origins) || !origins.every(isOrigin)) {
      throw new AgentSurfaceDefinitionError("INVALID_DEFINITION", "`origins` must be exact origins, such as `https://partner.example`; never `*` or `null`");
    }
    this.peers = new Peers({ maxBytes: 65_536, ...options, name: "postMessage" });
    Object.assign(this, { window, heartbeatMs, origins: [...origins], ports: new Set(), numbers: new WeakMap(), sources: 0 });
    this.onMessage = (event) => attempt("a greeting could not be answered:", () => this.take(event));
    window.addEventListener("message", this.onMessage);
  }

  /** A message to the window. Of what is no greeting, or comes from elsewhere, nothing is answered. */
  take(event) {
    const { data, origin, source } = event;
    if (!event.isTrusted || data?.agentSurface !== "hello" || source === null || source === this.window) return;
    const { nonce, protocol, name } = data;
    const greeting = { origin, source, nonce, declaredName: nameOf(name) };
    if (!this.origins.includes(origin)) {
      this.peers.refuse(greeting, "ORIGIN_NOT_ALLOWED");
      return;
    }
    if (typeof nonce !== "string" || nonce.length > MAX_NONCE) this.peers.refuse(greeting, "INVALID_REQUEST");
    else if (protocol !== SURFACE_PROTOCOL) this.refuse(greeting, "PROTOCOL_MISMATCH", `this page speaks \`${SURFACE_PROTOCOL}\``);
    else this.greet(greeting);
  }

  /** A peer greets until it is answered; the page is asked once. */
  greet(greeting) {
    const { origin, source, nonce } = greeting;
    const { peers } = this;
    const number = peers.gate.greet(peers.now(), origin, nonce.toWellFormed(), this.numberOf(source));
    if (number === MALFORMED) peers.refuse(greeting, "INVALID_REQUEST");
    else if (number === REPLAYED) this.refuse(greeting, "REPLAYED_REQUEST", "the nonce was used before");
    else if (number === LATE) this.deny(greeting, { error: { code: "REPLAYED_REQUEST", message: "the nonce was used before" } });
    else {
      this.tell(greeting, { agentSurface: "heard" });
      if (number === REPEATED) return;
      this.welcome(number, greeting).catch((error) => report("a greeting could not be answered:", error));
    }
  }

  numberOf(source) {
    if (!this.numbers.has(source)) this.numbers.set(source, (this.sources = (this.sources + 1) >>> 0));
    return this.numbers.get(source);
  }

  tell({ origin, source, nonce }, message, ports = []) {
    source.postMessage({ ...message, nonce }, { targetOrigin: origin, transfer: ports });
  }

  refuse(greeting, code, message) {
    this.deny(greeting, this.peers.refuse(greeting, code, message));
  }

  deny(greeting, { error: { code, message } }) {
    this.tell(greeting, { agentSurface: "refused", code, message });
  }

  async welcome(number, greeting) {
    const port = new Port(this);
    const { origin, declaredName } = greeting;
    const outcome = await this.peers.admit(number, { origin, declaredName }, port);
    if (!outcome.ok) {
      // Another transport of the page may be there by the next greeting.
      if (!this.peers.isClosed) this.deny(greeting, outcome);
      return;
    }
    const { peer } = outcome;
    // Whoever was told of the session may have ended it already.
    if (!peer.isOpen) {
      this.deny(greeting, { error: { code: "SESSION_REVOKED", message: "the page ended the session" } });
      return;
    }
    const { sessionId, scope, expiresAt } = peer.session;
    port.open(peer);
    this.ports.add(port);
    this.pulse ??= setInterval(() => {
      for (const each of [...this.ports]) each.beat();
    }, this.heartbeatMs);
    const { maxBytes } = this.peers.limits;
    this.tell(greeting, { agentSurface: "welcome", session: { sessionId, scope: [...scope], expiresAt }, maxBytes }, [port.theirs]);
  }

  remove(port) {
    this.ports.delete(port);
    if (this.ports.size > 0) return;
    clearInterval(this.pulse);
    this.pulse = undefined;
  }

  close() {
    this.window.removeEventListener("message", this.onMessage);
    this.peers.close();
  }
}

export const createPostMessageTransport = (options) => {
  const transport = new Transport(options);
  return Object.freeze({ ...transport.peers.face(), close: () => transport.close() });
};
