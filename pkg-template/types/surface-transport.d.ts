/** Transports of the external surface: what carries envelopes between peers and the page. Part of `agent-surface-wasm/surface`. */

import type { SurfaceCloseCode } from "./surface-client.js";
import type { SurfaceErrorCode } from "./surface-envelope.js";
import type { SurfaceOptions, SurfaceRate, SurfaceSession, SurfaceSessionRegistry } from "./surface.js";

/** Who a transport found at the other end. */
export interface SurfacePeerIdentity {
  /** What was proved: an origin, or what else identifies a peer in this transport. */
  readonly origin: string;
  /** What it calls itself; nobody can check that. 100 characters are kept. */
  readonly declaredName?: string;
}

/** A connected peer. */
export interface SurfacePeer extends SurfacePeerIdentity {
  readonly session: SurfaceSession;
  /** Its last invocation that was answered. */
  readonly lastCall?: { readonly at: string; readonly capability?: string };
}

/** What a transport tells an audit. */
export interface SurfaceAuditRecord {
  /** ISO 8601. */
  readonly at: string;
  readonly type: "peer-connected" | "peer-refused" | "peer-closed" | "request" | "message-refused";
  readonly transport: string;
  /** Proved by the transport; `declaredName` is what the peer calls itself. */
  readonly origin: string;
  readonly declaredName?: string;
  readonly agentId?: string;
  readonly sessionId?: string;
  readonly userId?: string;
  readonly requestId?: string;
  readonly method?: string;
  readonly capability?: string;
  /** Whether the exchange succeeded; the action's own error is in `code`. */
  readonly ok?: boolean;
  readonly code?: string;
  /**
   * How many of the same this record stands for; 1 when absent. Refused peers and messages are told once, and from then on
   * as one number every ten seconds; of more than 64 kinds at a time the rest together, with the origin `*`.
   */
  readonly count?: number;
}

/** What carries envelopes between peers and surfaces, and who is connected. */
export interface SurfaceTransport {
  peers(): readonly SurfacePeer[];
  /** Called when `peers()` has changed. */
  subscribe(listener: () => void): () => void;
  /** Ends a peer's session and its connection. */
  revoke(sessionId: string): boolean;
  /** Ends all connections and takes no more. */
  close(): void;
}

/** What `authorize` grants. */
export interface PeerIdentity {
  readonly agentId?: string;
  readonly userId: string;
  readonly scope: readonly string[];
}

/** What all transports are made with. */
interface TransportOptions {
  /** As for `createSurface`; each peer gets one of its own. */
  readonly surface: Omit<SurfaceOptions, "session" | "maxBytes" | "maxInFlight" | "rate" | "now">;
  readonly sessions: SurfaceSessionRegistry;
  /**
   * What a peer gets, or nothing. `agentId` is its origin when absent. `signal` is aborted when the answer is not waited for
   * any more. It is asked about an origin at most 64 times a minute, 32 at once; further peers are `RATE_LIMITED`.
   */
  readonly authorize: (
    peer: SurfacePeerIdentity,
    options: { readonly signal: AbortSignal },
  ) => PeerIdentity | undefined | Promise<PeerIdentity | undefined>;
  /** Milliseconds that `authorize` may take, 60,000 when absent; then the peer is refused (`SCOPE_DENIED`). */
  readonly authorizeMs?: number;
  /** Requests of a peer that may be under way at a time. 32 when absent. */
  readonly maxInFlight?: number;
  /** For each session. */
  readonly rate?: SurfaceRate;
  readonly audit?: (record: SurfaceAuditRecord) => void;
  readonly now?: () => number;
}

/** Options of `createPostMessageTransport`. */
export interface PostMessageTransportOptions extends TransportOptions {
  /** Exact origins; never `*`, never `null`. */
  readonly origins: readonly string[];
  /** Where greetings arrive. This window when absent. */
  readonly window?: Pick<Window, "addEventListener" | "removeEventListener">;
  /** Milliseconds between beats, 1,500 when absent; a peer that misses three is gone. */
  readonly heartbeatMs?: number;
  /** UTF-8 bytes of a request. 65,536 when absent. */
  readonly maxBytes?: number;
}

/**
 * Lets frames and windows of listed origins in. A peer is known by its exact origin, its window and a nonce, and then has a
 * `MessagePort` of its own; `SurfaceClient` of `agent-surface-wasm/surface/client` is its end.
 *
 * @example
 * const sessions = createSessionRegistry({ ttlMs: 15 * 60_000, maxSessions: 8 });
 * const transport = createPostMessageTransport({
 *   surface: { registry, app: "support-queue", expose: ["todo.overview", "todo.add"] },
 *   sessions,
 *   origins: ["https://partner.example"],
 *   authorize: () => ({ userId: currentUser.id, scope: ["todo.overview", "todo.add"] }),
 * });
 */
export declare function createPostMessageTransport(options: PostMessageTransportOptions): SurfaceTransport;

/** Options of `createSurfaceTransport`. */
export interface SurfaceTransportOptions extends TransportOptions {
  /** The transport's name in the audit. */
  readonly name: string;
  /** UTF-8 bytes of a request. 262,144 when absent. */
  readonly maxBytes?: number;
}

/**
 * What the author of a transport gives for each peer: the way to it. What these and `respond` throw, as when the peer is gone
 * already, is logged and changes nothing: the session ends all the same.
 */
export interface SurfaceLink {
  /** Called once, when it is over: the session ended, `close` was called, or the transport closed. */
  close(code: SurfaceCloseCode): void;
  /** What `describe` lists has changed. Only after `watch`. */
  changed?(): void;
}

/** What the author of a transport gets for each peer: the way to the page. */
export interface SurfaceConnection {
  readonly session: SurfaceSession;
  /**
   * Takes a request as it came; `respond` gets the response, to be carried unchanged, maybe before this returns. What it
   * gives back says that whoever asked has left: before a decision nothing runs any more.
   */
  request(text: string, respond: (response: string) => void): () => void;
  /** From now on `changed` of the link is called. */
  watch(): void;
  /** Tells the audit of a message that is no request. */
  refuse(code: string): void;
  /** The peer is gone (`PEER_GONE`, when absent) or said goodbye: what it waits for ends. */
  close(code?: SurfaceCloseCode): void;
}

/** What became of `connect`. A refusal's words are for the peer. */
export type SurfaceConnected =
  | { readonly ok: true; readonly connection: SurfaceConnection }
  | { readonly ok: false; readonly error: { readonly code: SurfaceErrorCode | "CLOSED"; readonly message: string } };

/** A transport of one's own, from the inside. Users get its `SurfaceTransport` half. */
export interface SurfaceCarrier extends SurfaceTransport {
  /** A peer that was proved: `authorize` is asked, its session made. Rejects for arguments that are none, and where the module has stopped. */
  connect(peer: SurfacePeerIdentity, link: SurfaceLink): Promise<SurfaceConnected>;
  /** Tells the audit of a peer that could not be proved. */
  refuse(peer: SurfacePeerIdentity, code: string): void;
}

/**
 * For a transport of one's own: over a WebSocket, a `BroadcastChannel`, a worker's port. It keeps the sessions, the limits,
 * the list of peers and the audit. Left to its author are the proof of the peer, its messages, and noticing that it is
 * gone. (A native host implements the trait `Transport` of the crate `agent-surface-kernel`.)
 *
 * @example
 * // A worker that this page made itself needs no other proof.
 * const carrier = createSurfaceTransport({ name: "worker", surface, sessions, authorize: () => ({ userId, scope }) });
 * const { connection } = await carrier.connect({ origin: location.origin }, { close: () => worker.terminate() });
 * worker.onmessage = ({ data: [number, text] }) => connection.request(text, (response) => worker.postMessage([number, response]));
 */
export declare function createSurfaceTransport(options: SurfaceTransportOptions): SurfaceCarrier;
