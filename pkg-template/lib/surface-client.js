// `SurfaceClient`: the peer's end of the `postMessage` transport, in another frame or window. It needs no module and
// judges nothing: what is allowed the page decides. `post-message.js` is the page's end.
//
// To the window: `{ agentSurface: "hello", protocol, nonce, name? }`, until it answers; from it "heard", then "welcome" with a port, or
// "refused". On the port, arrays: to the page `["call", n, request]` `["left", n]` `["watch"]` `["ping"]` `["pong"]`
// `["bye", code?]`; from it `["answer", n, response]` `["changed"]` `["ping"]` `["pong"]` `["bye", code]`. Envelopes are texts.

export const SURFACE_PROTOCOL = "agent-surface/1";

const HELLO_EVERY_MS = 500;
/** Beats that may go unanswered. */
const MISSED = 3;
const BEAT_MS = 1500;

const random = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

const failure = (code, message) => Object.assign(new Error(message), { name: "SurfaceClientError", code });

const exactOrigin = (origin) => {
  let exact;
  try {
    exact = new URL(origin).origin;
  } catch {
    exact = undefined;
  }
  if (exact === undefined || exact !== origin || exact === "null") throw new TypeError("`origin` must be the page's exact origin, such as `https://app.example`");
  return origin;
};

export class SurfaceClient {
  #port;
  #maxBytes;
  #session;
  /** `{ id, settle }` by number. */
  #calls = new Map();
  #listeners = new Set();
  #number = 0;
  #prefix = random().slice(0, 8);
  #missed = 0;
  #beat;
  #end;
  #leave;
  #ended;
  #closed;

  /** Not for users: `connect` gives clients. */
  constructor(port, { session, maxBytes }, window) {
    this.#port = port;
    this.#session = Object.freeze(session);
    this.#maxBytes = maxBytes;
    this.#closed = new Promise((resolve) => {
      this.#end = resolve;
    });
    port.onmessage = ({ data }) => this.#take(data);
    port.addEventListener("close", () => this.#stop("PEER_GONE"));
    // A document that goes, or is kept aside, says so: the page would go on asking a person, and hold its session.
    const leave = () => this.#leaveWith("PEER_GONE");
    window.addEventListener("pagehide", leave);
    this.#leave = () => window.removeEventListener("pagehide", leave);
  }

  static async connect({ target = globalThis.parent, origin, name, timeoutMs = 10_000, signal, window = globalThis } = {}) {
    exactOrigin(origin);
    let clean;
    try {
      return await new Promise((resolve, reject) => {
        // One for all of them: the page asks its authorization once, however slow it is.
        const nonce = random();
        const text = { agentSurface: "hello", protocol: SURFACE_PROTOCOL, nonce, ...(name !== undefined && { name: String(name) }) };
        const hello = () => target.postMessage(text, origin);
        let repeat;
        let isHeard = false;
        const onMessage = (event) => {
          const { data } = event;
          if (event.origin !== origin || event.source !== target || data?.nonce !== nonce) return;
          if (data.agentSurface === "heard") isHeard = true;
          if (data.agentSurface === "refused") reject(failure(data.code, String(data.message)));
          if (data.agentSurface === "welcome" && event.ports.length === 1) resolve(new SurfaceClient(event.ports[0], data, window));
        };
        const onAbort = () => reject(failure("CANCELLED", "`connect` was cancelled"));
        const timer = setTimeout(() => {
          const problem = isHeard ? "the page did not decide" : `no page of \`${origin}\` answered`;
          reject(failure("PEER_GONE", `${problem} within ${timeoutMs} ms`));
        }, timeoutMs);
        clean = () => {
          clearInterval(repeat);
          clearTimeout(timer);
          window.removeEventListener("message", onMessage);
          signal?.removeEventListener("abort", onAbort);
        };
        if (signal?.aborted) return onAbort();
        signal?.addEventListener("abort", onAbort);
        window.addEventListener("message", onMessage);
        // The page may not listen yet, or reload before it answers.
        repeat = setInterval(hello, HELLO_EVERY_MS);
        hello();
      });
    } finally {
      clean();
    }
  }

  get session() {
    return this.#session;
  }

  get closed() {
    return this.#closed;
  }

  describe({ limit, id, signal } = {}) {
    return this.#request({ method: "describe", ...(limit !== undefined && { input: { limit } }) }, id, signal);
  }

  invoke(capability, input, { id, signal } = {}) {
    return this.#request({ method: "invoke", capability, input }, id, signal);
  }

  onChange(listener) {
    if (this.#listeners.size === 0) this.#post(["watch"]);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close() {
    this.#leaveWith("CLOSED");
  }

  #leaveWith(code) {
    this.#post(["bye", code]);
    this.#stop(code);
  }

  #post(message) {
    if (!this.#ended) this.#port.postMessage(message);
  }

  #refusal(id, code, message) {
    return { protocol: SURFACE_PROTOCOL, id, ok: false, error: { code, message } };
  }

  #request(body, id = `${this.#prefix}-${this.#number + 1}`, signal = undefined) {
    const text = JSON.stringify({ protocol: SURFACE_PROTOCOL, id, ...body });
    if (this.#ended) return Promise.resolve(this.#refusal(id, this.#ended, "the connection has ended"));
    if (new TextEncoder().encode(text).length > this.#maxBytes) {
      const message = `a request must not be larger than ${this.#maxBytes} bytes`;
      return Promise.resolve(this.#refusal(id, "REQUEST_TOO_LARGE", message));
    }
    const number = ++this.#number;
    const leave = () => this.#post(["left", number]);
    return new Promise((resolve) => {
      this.#calls.set(number, {
        id,
        settle(response) {
          signal?.removeEventListener("abort", leave);
          resolve(response);
        },
      });
      this.#post(["call", number, text]);
      if (signal?.aborted) leave();
      signal?.addEventListener("abort", leave);
      this.#watch();
    });
  }

  /** A page that is gone is noticed while somebody waits for it, also where ports do not say that they closed. */
  #watch() {
    if (this.#beat !== undefined) return;
    this.#missed = 0;
    this.#beat = setInterval(() => {
      if (this.#calls.size === 0) {
        clearInterval(this.#beat);
        this.#beat = undefined;
      } else if (this.#missed++ >= MISSED) this.#stop("PEER_GONE");
      else this.#post(["ping"]);
    }, BEAT_MS);
  }

  #take(message) {
    this.#missed = 0;
    if (!Array.isArray(message)) return undefined;
    const [kind, first, second] = message;
    if (kind === "ping") this.#post(["pong"]);
    if (kind === "bye") this.#stop(typeof first === "string" ? first : "PEER_GONE");
    // What one throws keeps no other from hearing.
    if (kind === "changed") for (const listener of this.#listeners) queueMicrotask(listener);
    if (kind !== "answer") return undefined;
    let response;
    try {
      response = JSON.parse(second);
    } catch {
      // No page of this package answers so.
      return this.#stop("PEER_GONE");
    }
    this.#calls.get(first)?.settle(response);
    return this.#calls.delete(first);
  }

  #stop(code) {
    if (this.#ended) return;
    this.#ended = code;
    this.#leave();
    clearInterval(this.#beat);
    this.#port.close();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { id, settle } of calls) settle(this.#refusal(id, code, "the connection ended before there was an answer"));
    this.#end(code);
  }
}
