/// <reference lib="esnext.disposable" />

/** What a store answers: at once or later. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What an idempotency store holds under a key: a reservation, and the response once it is committed. */
export interface InteropIdempotencyRecord {
  /** The request's digest, `sha256:…`. */
  readonly requestDigest: string;
  /** Names the run that holds the reservation. */
  readonly reservationId: string;
  /** The last logical time at which nobody else may run it. */
  readonly reservedUntilLogicalMs: number;
  /**
   * The committed response envelope as canonical JSON **text**, or `null` while it runs. Keep it as it is: it has no
   * unpaired surrogate and no U+0000, which stand there as escapes, so that any database can hold it.
   */
  readonly response: string | null;
}

/** A run that wants to begin. */
export interface InteropReservation {
  /** `sha256:…`, 71 characters: a digest of endpoint, issuer, session and idempotency key. */
  readonly idempotencyKey: string;
  readonly requestDigest: string;
  readonly reservationId: string;
  /** The endpoint's logical time. */
  readonly logicalTimeMs: number;
  readonly reservedUntilLogicalMs: number;
}

/** A run that has a response. */
export interface InteropCommit {
  readonly idempotencyKey: string;
  readonly requestDigest: string;
  readonly reservationId: string;
  /** The response's digest, `sha256:…`: keep it beside the text, to compare. */
  readonly responseDigest: string;
  /** The response envelope as canonical JSON text. */
  readonly response: string;
}

/**
 * Keeps what became of requests, so that an effect happens once. Each method is atomic, also between tabs and processes
 * that share the store. It never forgets what may still be retried.
 *
 * A method that throws, or rejects, ends the exchange with that error.
 */
export interface InteropIdempotencyStore {
  /** What is under the key; `null` or `undefined` for nothing. */
  load(idempotencyKey: string): Awaitable<InteropIdempotencyRecord | null | undefined>;
  /**
   * Nothing under the key: writes the reservation, `true`. Another request's record: throws `InteropError`
   * `IDEMPOTENCY_KEY_REUSED`. A response, or a reservation with `reservedUntilLogicalMs >= logicalTimeMs`: `false`. Else
   * replaces the reservation, `true`. Only `true` counts as yes.
   *
   * A store that may not have room for a response of `maximumResponseBytes` says so here, by throwing: the effect has
   * not happened yet.
   */
  reserve(reservation: InteropReservation): Awaitable<boolean>;
  /**
   * No record, another request's or another reservation's: `false`. A response is there: `true` if it has the same
   * digest, else `false`. Else writes the response, `true`.
   */
  commit(commit: InteropCommit): Awaitable<boolean>;
  /**
   * A run that `reserve` let begin is over, and `commit` did not say `true`: it was given up, or what it made was no
   * response. Its reservation stays until its lease ends. For stores that know of runs more than their leases; most need
   * none. The exchange ends as it would have; what this throws is printed on the console.
   */
  release?(run: { readonly idempotencyKey: string; readonly reservationId: string }): Awaitable<void>;
}

/** A place in a session's sequence that a request claims. */
export interface InteropSequenceClaim {
  readonly issuerId: string;
  readonly sessionId: string;
  readonly operation: string;
  readonly sequence: number;
  readonly requestDigest: string;
}

/**
 * How a claim relates to the highest one so far: higher (it is the highest now; gaps are fine), the same request at the
 * same place, lower, or another request at the same place.
 */
export type InteropSequencePlace = "advanced" | "duplicate" | "stale" | "conflict";

/** Keeps the highest place of each (issuer, session, operation). Its method is atomic; only `"advanced"` writes. */
export interface InteropSequenceStore {
  admit(claim: InteropSequenceClaim): Awaitable<InteropSequencePlace>;
}

/** A number that a client wants for a request. */
export interface InteropSequenceAllocation {
  readonly issuerId: string;
  readonly sessionId: string;
  /** 1 to `Number.MAX_SAFE_INTEGER`. */
  readonly maximumSequence: number;
  /** The same key gets the same number again, for good. */
  readonly idempotencyKey?: string | undefined;
}

/** Numbers a client's requests, over all operations of each (issuer, session). Each method is atomic. */
export interface InteropOutboundSequenceStore {
  /**
   * A key that has a number in this scope: that number. Else the highest so far and 1, which it remembers, with the key.
   * Above `maximumSequence` it throws `InteropError` `OUTBOUND_SEQUENCE_CAPACITY` and writes nothing.
   */
  next(allocation: InteropSequenceAllocation): Awaitable<number>;
  /** The highest so far, or 0. */
  current(scope: { readonly issuerId: string; readonly sessionId: string }): Awaitable<number>;
}

/**
 * The stores of a router that outlive the page or process: after a restart, what was committed is replayed and what was
 * reserved stays reserved.
 */
export interface InteropDurableStores {
  readonly idempotency: InteropIdempotencyStore;
  readonly sequences: InteropSequenceStore;
  /**
   * Bytes of a response envelope that `commit` surely holds. A router refuses to be made with a manifest that allows
   * larger responses. At most 67,108,864 make sense.
   */
  readonly maximumResponseBytes: number;
}

/** How much a store in memory holds. It refuses what is past that (`STORE_FULL`) and never makes room by forgetting. */
export interface InteropMemoryLimits {
  /** Records, sequences, or sessions and keys. @default 100_000 */
  readonly maximumEntries?: number;
  /** UTF-16 units of responses and what is kept with them. Only of an idempotency store. @default 134_217_728 */
  readonly maximumBytes?: number;
}

/** What became of requests, as long as the page lives: for tests, and for `localOnly` routers. */
export declare class InMemoryInteropIdempotencyStore implements InteropIdempotencyStore {
  constructor(limits?: InteropMemoryLimits);
  load(idempotencyKey: string): InteropIdempotencyRecord | null;
  reserve(reservation: InteropReservation): boolean;
  commit(commit: InteropCommit): boolean;
}

/** The highest places of sequences, as long as the page lives. */
export declare class InMemoryInteropSequenceStore implements InteropSequenceStore {
  constructor(limits?: InteropMemoryLimits);
  admit(claim: InteropSequenceClaim): InteropSequencePlace;
}

/** Numbers of a client's requests, as long as the page lives. */
export declare class InMemoryInteropOutboundSequenceStore implements InteropOutboundSequenceStore {
  constructor(limits?: InteropMemoryLimits);
  next(allocation: InteropSequenceAllocation): number;
  current(scope: { readonly issuerId: string; readonly sessionId: string }): number;
}

/** How durable stores are opened. */
export interface IndexedDbInteropStoresOptions {
  /** The database: one for each endpoint or client of an origin, or one for all of them. @default "agent-surface-interop" */
  readonly name?: string;
  /**
   * Bytes of a response envelope that a commit surely holds: at least the manifest's `maximumResponseBytes`, at most
   * 67,108,864. @default 1_048_576
   */
  readonly maximumResponseBytes?: number;
  /** Records, sequences, sessions, and keys with a number: each at most so many. @default 100_000 */
  readonly maximumEntries?: number;
  /** UTF-16 units of responses and what is kept with them. @default 134_217_728 */
  readonly maximumBytes?: number;
  /**
   * `"strict"`: what is answered is on the disk, and outlives a power cut. `"relaxed"` is faster, and outlives a crash of
   * the page or the browser only. @default "strict"
   */
  readonly durability?: "strict" | "relaxed";
  /**
   * A run that outlives its lease keeps its operation as long as its page lives and it has not ended: others hear
   * `interop_request_in_progress`. For handlers that may take longer than the lease, as when a person decides. It needs Web
   * Locks. Without it, a run is taken over once its lease is over, as the protocol has it. @default false
   */
  readonly exclusive?: boolean;
  /** How long another tab may keep the database in an older version, or delete it. @default 10_000 */
  readonly openTimeoutMs?: number;
}

/**
 * The stores of a router and of clients on IndexedDB: they outlive the page, and all tabs of the origin share them. Nothing
 * in them is forgotten but by `prune` and `forgetSession`; what is past a limit is refused.
 *
 * Every method may reject with an `InteropError` of one of these codes, and then nothing has changed:
 * `STORE_FULL` (a limit of the options), `STORE_QUOTA` (the browser's: no run begins without room for its response, so the
 * database keeps that of as many as there were at once, twice `maximumResponseBytes` and 256 KiB each; `prune` and
 * `forgetSession` need none), `STORE_CLOSED` (by `close`, by a tab that
 * upgrades or deletes the database, or because the site's data were cleared), `STORE_FAILED` (anything else; `cause` has the
 * browser's error), `RESPONSE_TOO_LARGE`.
 *
 * A tab that upgrades or deletes the database waits until the runs that began here have ended, with `commit` or `release`:
 * nothing runs a second time beside them in a database that is made anew. Only a browser that clears the site's data does not wait.
 *
 * A browser may evict an origin's data when the disk is short: `navigator.storage.persist()` asks it not to.
 */
export interface IndexedDbInteropStores extends InteropDurableStores {
  /** Numbers of clients in this origin. */
  readonly outbound: InteropOutboundSequenceStore;
  /**
   * Forgets records whose reservation ended before this logical time, and says how many. A request whose record is
   * forgotten runs again if it is retried before its deadline: name a time before which no request with a deadline still
   * to come has been made. With `reservations`, also those of runs that never came to an end.
   */
  prune(options: { readonly logicalTimeMs: number; readonly reservations?: boolean }): Promise<number>;
  /** Forgets the sequences of a session that is over, inbound and outbound: its places and numbers begin again. */
  forgetSession(session: { readonly issuerId: string; readonly sessionId: string }): Promise<void>;
  /** Ends the connection. What is under way comes to its end. */
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Opens, or makes, the durable stores. After `initInterop()`.
 *
 * Rejects with an `InteropError`: `STORE_UNAVAILABLE` (there is no IndexedDB, or this page may not use it, as in some private
 * modes), `STORE_VERSION` (a newer version of the package made the database), `STORE_BLOCKED` (another tab keeps it from
 * being opened), `STORE_FAILED`, `INVALID_OPTION`.
 *
 * @example
 * const stores = await openIndexedDbInteropStores({ maximumResponseBytes: manifest.maximumResponseBytes });
 * const router = new InteropEndpointRouter({ …, durableStores: stores });
 * // Once a day: no request here has a deadline later than an hour after it was made.
 * await stores.prune({ logicalTimeMs: now - 2 * 3_600_000 });
 */
export declare function openIndexedDbInteropStores(options?: IndexedDbInteropStoresOptions): Promise<IndexedDbInteropStores>;
