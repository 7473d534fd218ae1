/**
 * The peer's end of the external surface: for an agent in another frame or window. The entry
 * `agent-surface-wasm/surface/client`, a script of 1.6 kB (brotli) without a module.
 */

import type { SurfaceDescription, SurfaceErrorCode, SurfaceOutput, SurfaceResponse } from "./surface-envelope.js";

export * from "./surface-envelope.js";

/** How a connection ended: the peer closed it, the page is gone, or the page ended the session. */
export type SurfaceCloseCode = "CLOSED" | "PEER_GONE" | "SESSION_EXPIRED" | "SESSION_REVOKED";

/** Options of one request. */
export interface SurfaceCallOptions {
  /** The request's id. Made up when absent; the same id again gets the same answer. */
  readonly id?: string;
  /** Aborted before a person has decided, nothing runs; a handler that runs is told. */
  readonly signal?: AbortSignal;
}

/** What a request comes to at a peer: `CLOSED` and `PEER_GONE` say that the connection ended first. */
export type SurfaceAnswer<Result> = SurfaceResponse<Result, SurfaceErrorCode | SurfaceCloseCode>;

/**
 * A connection to a page that uses `createPostMessageTransport`. Calls never reject: what becomes of one is in its answer.
 *
 * @example
 * import { SurfaceClient } from "agent-surface-wasm/surface/client";
 *
 * const client = await SurfaceClient.connect({ target: window.parent, origin: "https://app.example" });
 * const response = await client.invoke("todo.add", { text: "Call back" });
 * if (!response.ok) console.log("not asked:", response.error.code);
 * else if (response.result.error) console.log("not done:", response.result.error.code);
 * else console.log(response.result.output);
 */
export declare class SurfaceClient {
  private constructor();
  /**
   * Connects, repeating its greeting until the page answers; the page is asked about it once (`authorize`). Rejects with an
   * error whose `code` is the page's refusal (`PROTOCOL_MISMATCH`, `REPLAYED_REQUEST`, `RATE_LIMITED`, `SCOPE_DENIED`), `PEER_GONE` when nobody answered in time, or
   * `CANCELLED`; with a `TypeError` where `origin` is not exact.
   */
  static connect(options: {
    /** The page's window. The parent when absent. */
    readonly target?: Window;
    /** The page's exact origin; never `*`. */
    readonly origin: string;
    /** What the agent calls itself. Shown and audited as such: nobody can check it. */
    readonly name?: string;
    /** Milliseconds, 10,000 when absent. */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    /** Where answers arrive. This window when absent. */
    readonly window?: Pick<Window, "addEventListener" | "removeEventListener">;
  }): Promise<SurfaceClient>;
  /** What the page granted. */
  readonly session: { readonly sessionId: string; readonly scope: readonly string[]; readonly expiresAt: string };
  /** Resolves when the connection has ended, as it does when this document goes (`PEER_GONE`), also into the back-forward cache. */
  readonly closed: Promise<SurfaceCloseCode>;
  describe(options?: SurfaceCallOptions & { readonly limit?: number }): Promise<SurfaceAnswer<SurfaceDescription>>;
  /** Where the action needs a person, the answer comes when they decided. */
  invoke(capability: string, input?: unknown, options?: SurfaceCallOptions): Promise<SurfaceAnswer<SurfaceOutput>>;
  /** Called when what `describe` lists has changed because something was mounted, unmounted or updated. */
  onChange(listener: () => void): () => void;
  close(): void;
}
