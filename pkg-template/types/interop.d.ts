/**
 * Agents and environments of other machines: the protocol `agentplat-interop/1`, both sides of it. The entry
 * `agent-surface-wasm/interop`, with a module of its own (90 kB with its script, brotli). It needs no other entry, and runs in
 * pages, workers and Node.
 *
 * Every request and response is hashed over canonical JSON, signed if the endpoint's manifest asks for that, and happens
 * once: a retry with the same key and content gets the response of the first.
 *
 * ```js
 * import { initInterop, InteropClient, HttpInteropTransport, WebCryptoAuthenticity, createSchemaResolver } from "agent-surface-wasm/interop";
 *
 * await initInterop();
 * const client = new InteropClient({
 *   clientId: "client:console",
 *   transport: new HttpInteropTransport({ baseUrl: "https://agents.example/worker/" }),
 *   schemas: createSchemaResolver({ [INPUT_DIGEST]: inputSchema, [OUTPUT_DIGEST]: outputSchema }),
 *   authenticity: new WebCryptoAuthenticity({ localSignerId: "client:console", privateKey, resolve: (id) => publicKeys.get(id) }),
 * });
 * const response = await client.invoke({
 *   requestId: "request:1", idempotencyKey: "order:17", sessionId: "session:1", operation: "agent.step",
 *   sequence: 1, logicalTimeMs: Date.now(), deadlineLogicalMs: Date.now() + 60_000, payload: { order: 17 },
 * });
 * if (response.status === "completed") use(response.payload);
 * ```
 */

import type { InitOptions } from "./init.js";
import type { JsonSchema } from "./json.js";
import type {
  Awaitable,
  InteropDurableStores,
  InteropIdempotencyStore,
  InteropOutboundSequenceStore,
  InteropSequenceStore,
} from "./interop-stores.js";

export * from "./interop-stores.js";

/**
 * Loads the protocol's module, once. May be called any number of times; after a failure, call it again. Rejects with an
 * `AgentSurfaceRuntimeError` that says what to do (`WASM_BLOCKED_BY_CSP`, `WASM_NOT_SERVED`). Everything else of this entry
 * throws `NOT_INITIALIZED` before it is done.
 */
export declare function initInterop(options?: InitOptions): Promise<void>;

/**
 * What the protocol, a store or an option refused. What a port of the page's own throws (a transport, a handler, a store)
 * passes as it is.
 */
export declare class InteropError extends Error {
  constructor(
    code: string,
    message: string,
    options?: { type?: InteropErrorType; status?: number; detail?: string; httpStatus?: number; endpointCode?: string; cause?: unknown },
  );
  readonly name: "InteropError";
  /** Stable, for programs: one of `InteropErrorCode`, or a store's own. */
  readonly code: InteropErrorCode | (string & {});
  /** The class that the protocol's other implementation throws. */
  readonly type: InteropErrorType;
  /** What an HTTP server answers whose router failed with it: 400, 401, 409, 413 or 500. */
  readonly status: number;
  /**
   * What exactly is wrong, for a developer: the member, what was expected and found, the JSON Pointer of a wrong payload, or
   * what to do. It is this side's own, where `message` has the words that the protocol fixes; no peer is told.
   */
  readonly detail?: string;
  /** Of `HTTP_STATUS`: what the endpoint answered. */
  readonly httpStatus?: number;
  /** Of `HTTP_STATUS`: the code that the endpoint gives as its reason, such as `IDEMPOTENCY_KEY_REUSED`. Nobody has checked it. */
  readonly endpointCode?: string;
}

export type InteropErrorType = "Error" | "TypeError" | "RangeError" | "SyntaxError";

/** The codes of `InteropError`. */
export type InteropErrorCode =
  | "JSON"
  | "INVALID_MEMBER"
  | "MEMBER_OUT_OF_RANGE"
  | "INVALID_OPTION"
  | "UNSUPPORTED_SCHEMA"
  | "OPERATION_UNAVAILABLE"
  | "NOT_COMPLETED"
  | "HTTP_STATUS"
  | "INTERNAL"
  | "HOST"
  | "MANIFEST_TOO_LARGE"
  | "MANIFEST_SCHEMA"
  | "MANIFEST_IDENTITY"
  | "MANIFEST_OPERATIONS"
  | "MANIFEST_FLAGS"
  | "MANIFEST_DIGEST"
  | "REQUEST_BINDING"
  | "REQUEST_TOO_LARGE"
  | "REQUEST_OPERATION"
  | "REQUEST_DIGEST"
  | "REQUEST_SIGNATURE_NOT_NEGOTIATED"
  | "REQUEST_SIGNATURE"
  | "REQUEST_SCHEMA"
  | "REQUEST_ENCODING"
  | "RESPONSE_BINDING"
  | "RESPONSE_STATUS"
  | "RESPONSE_PAYLOAD"
  | "RESPONSE_PAYLOAD_DIGEST"
  | "RESPONSE_DIGEST"
  | "RESPONSE_SIGNATURE_NOT_NEGOTIATED"
  | "RESPONSE_SIGNATURE"
  | "RESPONSE_TOO_LARGE"
  | "RESPONSE_SCHEMA"
  | "CACHED_SIGNATURE"
  | "CACHED_SCHEMA"
  | "IDEMPOTENCY_KEY_REUSED"
  | "SEQUENCE_EQUIVOCATION"
  | "RESERVATION_CONFLICT"
  | "COMMIT_CONFLICT"
  | "GRANT"
  | "GRANT_BINDING"
  | "OUTBOUND_SEQUENCE_CAPACITY"
  | "STORE_FULL"
  | "ROUTER_AUTHENTICITY"
  | "ROUTER_IDENTITY"
  | "ROUTER_HANDLERS"
  | "ROUTER_STORES"
  | "CLIENT_AUTHENTICITY"
  | "CLIENT_IDENTITY"
  | "CLIENT_SCHEMA"
  | "CLIENT_MANIFEST"
  | "HTTP_URL"
  | "HTTP_PROTOCOL"
  | "HTTP_LIMIT"
  | "HTTP_TOO_LARGE";

/** Whether a value is an `InteropError`, also of another copy of the package. */
export declare function isInteropError(value: unknown): value is InteropError;

/** The operations that this version knows. */
export type InteropOperation =
  | "agent.checkpoint"
  | "agent.checkpoint.export"
  | "agent.checkpoint.import"
  | "agent.restore"
  | "agent.step"
  | "environment.act"
  | "environment.close"
  | "environment.observe"
  | "environment.reset"
  | "environment.restore"
  | "environment.snapshot";

/** What an endpoint says of itself. */
export interface InteropManifestBody {
  /** 1 to 256 ASCII characters: a letter or digit, then letters, digits and `. _ : @ / + - =`. So are all ids. */
  readonly endpointId: string;
  readonly endpointVersion: string;
  readonly implementationId: string;
  readonly endpointKind: "agent" | "environment" | "hybrid";
  /** In the order of `InteropOperation`. */
  readonly operations: readonly InteropOperation[];
  /** Names the schema of request payloads, `sha256:…`: both sides have the schema under it. */
  readonly inputSchemaDigest: string;
  /** Names the schema of completed responses' payloads. */
  readonly outputSchemaDigest: string;
  readonly supportsCancellation: boolean;
  readonly supportsDeterministicReplay: boolean;
  readonly supportsCheckpoint: boolean;
  readonly requiresRequestSignature: boolean;
  readonly signsResponses: boolean;
  /** Bytes of a request envelope as canonical JSON, 1,024 to 67,108,864. */
  readonly maximumRequestBytes: number;
  /** Bytes of a response envelope, in the same range. */
  readonly maximumResponseBytes: number;
  /** The highest sequence number, 1 to 10,000,000. */
  readonly maximumStepsPerSession: number;
}

/** A manifest: its digest covers all the rest. */
export interface InteropManifest extends InteropManifestBody {
  readonly schemaVersion: 1;
  readonly protocol: "agentplat-interop/1";
  readonly manifestDigest: string;
}

/** Makes a manifest, with its digest. */
export declare function createInteropManifest(body: InteropManifestBody): InteropManifest;

/** Reads a manifest from the wire: JSON text, its UTF-8, or a value. Throws if the digest does not cover it. */
export declare function readInteropManifest(wire: InteropWire): InteropManifest;

/**
 * The canonical JSON text of a value: keys in UTF-16 order, numbers as ECMAScript prints them, no white space. Refuses
 * (`JSON`) what the wire cannot say: `undefined`, functions, `bigint`, `-0`, `NaN`, class instances, accessors, sparse arrays,
 * an object reached twice, more than 1,100 levels.
 */
export declare function canonicalJson(value: unknown): string;

/** The protocol's digest of a value in a domain, like `"request-payload"`: `sha256:…`. */
export declare function interopDigest(domain: InteropDigestDomain, value: unknown): string;

export type InteropDigestDomain =
  | "manifest"
  | "request-payload"
  | "request"
  | "response-payload"
  | "response"
  | "capability-profile"
  | "role-profile"
  | "governed-session-record"
  | "governed-request-admission"
  | "governed-effect";

/** What comes from somewhere: JSON text, its UTF-8, or a value. */
export type InteropWire = string | ArrayBufferView | object | null;

/** What requests and responses have in common. */
interface Envelope {
  readonly schemaVersion: 1;
  readonly protocol: "agentplat-interop/1";
  readonly endpointId: string;
  readonly sessionId: string;
  readonly operation: InteropOperation;
  readonly sequence: number;
  /** Parsed when it is first read. A request's is frozen through, a response's is yours to change. */
  readonly payload: any;
  readonly payloadDigest: string;
  readonly signature: string | null;
  /** The whole as canonical JSON text: what goes over the wire. Not enumerable. */
  readonly text: string;
}

/** A request that was checked. */
export interface InteropRequest extends Envelope {
  readonly requestId: string;
  readonly idempotencyKey: string;
  readonly issuerId: string;
  readonly logicalTimeMs: number;
  readonly deadlineLogicalMs: number;
  readonly requestDigest: string;
}

/** What became of a request: done, not done and asking again is useless, not done now, tried and failed. */
export type InteropStatus = "completed" | "refused" | "deferred" | "failed";

/** A response that was checked. `payload` is `null` unless it is completed. */
export interface InteropResponse extends Envelope {
  readonly requestDigest: string;
  readonly status: InteropStatus;
  /** An id; the router's own begin with `interop_`. */
  readonly reasonCode: string;
  readonly responseDigest: string;
}

/** Brings requests to an endpoint. `HttpInteropTransport` is one; any object with the two methods is another. */
export interface InteropTransport {
  /** At most 1 MiB (`MANIFEST_TOO_LARGE`). */
  manifest(options: { readonly signal?: AbortSignal }): Awaitable<InteropWire>;
  /** At most four times the manifest's `maximumResponseBytes`, which counts canonical text. `request` is the envelope as canonical JSON text. */
  exchange(request: string, options: { readonly signal?: AbortSignal }): Awaitable<InteropWire>;
}

/** What a validator is asked. */
export interface InteropPayloadQuestion {
  readonly operation: InteropOperation;
  readonly direction: "request" | "response";
  readonly payload: any;
}

/** Says whether payloads are what a schema describes. Only `true` counts as yes. */
export interface InteropPayloadValidator {
  /** The digest that it was found by. */
  readonly schemaDigest: string;
  validate(question: InteropPayloadQuestion): Awaitable<boolean>;
}

/** Finds payload schemas by their digests. */
export interface InteropSchemaResolver {
  resolve(schemaDigest: string): Awaitable<InteropPayloadValidator | null | undefined>;
}

/**
 * A resolver of schemas in the package's subset of JSON Schema 2020-12, compiled here and now; a schema outside the subset
 * throws (`UNSUPPORTED_SCHEMA`). Payloads are compared inside the module, without a copy. Formats are asserted; defaults are not filled.
 *
 * ```js
 * createSchemaResolver({ ["sha256:cef1…"]: { type: "object", required: ["order"] } });
 * ```
 */
export declare function createSchemaResolver(schemas: { readonly [schemaDigest: string]: JsonSchema | boolean }): InteropSchemaResolver;

/** Signs and verifies digests. `WebCryptoAuthenticity` is one. */
export interface InteropAuthenticity {
  /** Whom it signs as: the client's id, or the endpoint's. */
  readonly localSignerId: string;
  /** A text of 8 to 16,384 characters without white space. */
  sign(digest: string): Awaitable<string>;
  /** Only `true` counts as yes. */
  verify(claim: { readonly signerId: string; readonly digest: string; readonly signature: string }): Awaitable<boolean>;
}

/**
 * Ed25519 of the platform, in pages (secure contexts) and Node. The private key may be one that cannot be exported; it
 * stays where it is.
 *
 * ```js
 * const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
 * ```
 */
export declare class WebCryptoAuthenticity implements InteropAuthenticity {
  constructor(options: {
    readonly localSignerId: string;
    /** With the usage `sign`; a side that only verifies has none. */
    readonly privateKey?: CryptoKey;
    /** The public key of a signer, with the usage `verify`; nothing for strangers. */
    readonly resolve: (signerId: string) => Awaitable<CryptoKey | null | undefined>;
  });
  readonly localSignerId: string;
  sign(digest: string): Promise<string>;
  /** Never rejects: what cannot be verified is not valid. */
  verify(claim: { readonly signerId: string; readonly digest: string; readonly signature: string }): Promise<boolean>;
}

/**
 * HTTP over `fetch`: `GET <base>manifest`, `POST <base>exchange`. The base should end with `/`; its query and fragment are
 * dropped. A reply is read up to its bound and no further; any status but 2xx is the error `HTTP_STATUS`, with the status in
 * `httpStatus`, and method and address (without user and query) in its `detail`. If the body begins with
 * `{"error":{"code","message"}}`, within 4 KiB, those are there, too.
 */
export declare class HttpInteropTransport implements InteropTransport {
  constructor(options: {
    /** `http:` or `https:`. */
    readonly baseUrl: string | URL;
    readonly headers?: ConstructorParameters<typeof Headers>[0];
    /** Bytes of a reply, decoded. @default 67_108_864 */
    readonly maximumResponseBytes?: number;
    /** In place of the global one. */
    readonly fetch?: typeof fetch;
  });
  /** Canonical JSON text. */
  manifest(options?: { readonly signal?: AbortSignal }): Promise<string>;
  /** Canonical JSON text. */
  exchange(request: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
}

/** A request to make. */
export interface InteropCall {
  readonly requestId: string;
  /** Names the effect: a retry has the same key and the same content, and gets the same response. */
  readonly idempotencyKey: string;
  readonly sessionId: string;
  readonly operation: InteropOperation;
  /** 1 to the manifest's `maximumStepsPerSession`, rising in each session and operation. */
  readonly sequence: number;
  /** Not before this time of the endpoint's clock. */
  readonly logicalTimeMs: number;
  /** Before this time of the endpoint's clock. */
  readonly deadlineLogicalMs: number;
  readonly payload: unknown;
  /** Refuses (`CLIENT_MANIFEST`) if the endpoint's manifest is another one. */
  readonly expectedManifestDigest?: string;
  readonly signal?: AbortSignal;
}

/**
 * Makes requests of one endpoint. It negotiates once, sets no timeout and never retries. Concurrent callers share the
 * negotiation: the signal of the first ends it for all of them, that of another ends the wait of that one.
 */
export declare class InteropClient {
  constructor(options: {
    readonly clientId: string;
    readonly transport: InteropTransport;
    readonly schemas: InteropSchemaResolver;
    /** Needed if the manifest asks for signatures. */
    readonly authenticity?: InteropAuthenticity;
  });
  readonly clientId: string;
  /** The endpoint's manifest; what fails is tried again by the next call. */
  manifest(options?: { readonly signal?: AbortSignal }): Promise<InteropManifest>;
  /** The response, checked, whatever its status. */
  invoke(call: InteropCall): Promise<InteropResponse>;
}

/** What binds an admission to a request. More members are kept. */
export interface InteropAdmissionGrant {
  readonly admitted: true;
  readonly admissionId: string;
  readonly requestDigest: string;
  readonly scopeRevision: number;
  readonly scopeEpoch: number;
  readonly scopeDigest: string;
  readonly bindingDigest: string;
  readonly [member: string]: unknown;
}

/** Decides which requests are handled. */
export interface InteropAdmission {
  /** The request's signature is verified, if the manifest asks for one. */
  admit(request: InteropRequest): Awaitable<boolean | InteropAdmissionGrant>;
  /** Asked again before a response is committed and before it is handed out. Only `true` counts as yes. */
  revalidate?(question: { readonly request: InteropRequest; readonly admissionGrant: InteropAdmissionGrant | null }): Awaitable<boolean>;
}

/** What a handler says became of a request. */
export interface InteropOutcome {
  readonly status: InteropStatus;
  /** An id. */
  readonly reasonCode: string;
  /** `null` or absent unless completed. */
  readonly payload?: unknown;
}

/** Runs one operation. What it throws becomes `failed` with `interop_handler_failed`; `onError` hears of it, the caller does not. */
export type InteropHandler = (run: {
  readonly request: InteropRequest;
  readonly signal: AbortSignal;
  readonly admissionGrant: InteropAdmissionGrant | null;
}) => Awaitable<InteropOutcome>;

/** Which part of an endpoint's own failed, for which request. */
export interface InteropFailure {
  /**
   * `handler`: it threw. `outcome`: what it said did not match its schema (`RESPONSE_SCHEMA`, with the place, if the schema is
   * one of `createSchemaResolver`) or was too large (`RESPONSE_TOO_LARGE`). `release`: a store failed to give up a run.
   */
  readonly source: "handler" | "outcome" | "release";
  readonly request: InteropRequest;
}

/** What a router is made of: exactly one of `durableStores` and `localOnly: true`. */
export type InteropRouterOptions = {
  /** Names this run of the router: another start or another tab has another name. */
  readonly routerInstanceId: string;
  readonly manifest: InteropManifest;
  /** One for each operation of the manifest. */
  readonly handlers: { readonly [operation in InteropOperation]?: InteropHandler };
  readonly admission: InteropAdmission;
  readonly schemas: InteropSchemaResolver;
  /** Needed if the manifest has a signature flag; signs as the endpoint. */
  readonly authenticity?: InteropAuthenticity;
  /** For how long a run is reserved, 1 to 3,600,000. @default 30_000 */
  readonly reservationLeaseMs?: number;
  /** Bytes of a request as it comes in. @default four times the manifest's `maximumRequestBytes`, which counts canonical text */
  readonly maximumWireBytes?: number;
  /**
   * Hears what no caller is told: the response says that something failed, and this is what. What it throws is printed, and
   * changes nothing. @default `console.error`
   */
  readonly onError?: (error: unknown, failure: InteropFailure) => unknown;
} & (
  | { readonly durableStores: InteropDurableStores; readonly localOnly?: false; readonly stores?: undefined }
  | {
      /** After a restart an effect may happen again. */
      readonly localOnly: true;
      /** In place of fresh ones in memory. */
      readonly stores?: { readonly idempotency?: InteropIdempotencyStore; readonly sequences?: InteropSequenceStore };
      readonly durableStores?: undefined;
    }
);

/**
 * An endpoint: it checks requests, admits them, runs each at most once per idempotency key, and seals the responses.
 *
 * ```js
 * const router = new InteropEndpointRouter({
 *   routerInstanceId: `router:${crypto.randomUUID()}`,
 *   manifest, schemas, localOnly: true,
 *   admission: { admit: ({ issuerId }) => known.has(issuerId) },
 *   handlers: { "agent.step": async ({ request }) => ({ status: "completed", reasonCode: "done", payload: await step(request.payload) }) },
 * });
 * const { text } = await router.handle(body, { logicalTimeMs: Date.now() });
 * ```
 */
export declare class InteropEndpointRouter {
  constructor(options: InteropRouterOptions);
  readonly manifest: InteropManifest;
  /**
   * The response. Rejects for a request that is none, that conflicts with another, or where the endpoint itself failed:
   * `error.status` is what an HTTP server answers then. `logicalTimeMs` is the endpoint's clock.
   */
  handle(request: InteropWire, options: { readonly logicalTimeMs: number; readonly signal?: AbortSignal }): Promise<InteropResponse>;
}

/**
 * An agent behind an endpoint. Calls are numbered by `sequences`; a repeated call has the same number and key, and so
 * happens once. A response that is not completed rejects with `NOT_COMPLETED` and the reason code as message. Ids are made
 * of the session's, so that long session ids run into the limit of 256 characters.
 */
export declare class InteropPortableAgentAdapter {
  constructor(
    client: InteropClient,
    /** @default one in memory */
    sequences?: InteropOutboundSequenceStore,
    /** Asked before each call; says no by throwing. */
    authorizationGate?: (operation: InteropOperation, sessionId: string, manifest: InteropManifest) => Awaitable<unknown>,
  );
  step(input: InteropAgentStep, options?: { readonly signal?: AbortSignal }): Promise<any>;
  checkpoint(input: InteropAgentCheckpoint, options?: { readonly signal?: AbortSignal }): Promise<any>;
  restore(input: InteropAgentRestore, options?: { readonly signal?: AbortSignal }): Promise<void>;
  exportCheckpoint(input: InteropAgentRestore, options?: { readonly signal?: AbortSignal }): Promise<any>;
  importCheckpoint(input: InteropAgentImport, options?: { readonly signal?: AbortSignal }): Promise<any>;
}

/** The members that name a step; the whole is the payload. */
export interface InteropAgentStep {
  readonly sessionId: string;
  readonly stepSequence: number;
  readonly request: { readonly stepId: string; readonly logicalTimeMs: number; readonly [member: string]: unknown };
  readonly [member: string]: unknown;
}

export interface InteropAgentCheckpoint {
  readonly sessionId: string;
  readonly throughStepSequence: number;
  readonly [member: string]: unknown;
}

export interface InteropAgentRestore {
  readonly sessionId: string;
  readonly checkpoint: {
    readonly checkpointId: string;
    readonly stateDigest: string;
    readonly throughStepSequence: number;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

export interface InteropAgentImport {
  readonly targetSessionId: string;
  readonly transfer: {
    readonly sourceSessionRevision: number;
    readonly checkpoint: { readonly stateDigest: string; readonly [member: string]: unknown };
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

/**
 * An environment behind an endpoint. Two calls of one operation at one logical time are one call: an exact retry if they
 * say the same, a conflict otherwise.
 */
export declare class InteropSimulationEnvironmentClient {
  constructor(client: InteropClient, sessionId: string, sequences: InteropOutboundSequenceStore);
  reset(input: unknown, logicalTimeMs: number, signal?: AbortSignal): Promise<InteropResponse>;
  /** The payload; rejects with `NOT_COMPLETED` unless completed. */
  observe(cursor: string, logicalTimeMs: number, signal?: AbortSignal): Promise<any>;
  /** The payload; rejects with `NOT_COMPLETED` unless completed. */
  act(action: unknown, logicalTimeMs: number, signal?: AbortSignal): Promise<any>;
  /** The payload; rejects with `NOT_COMPLETED` unless completed. */
  snapshot(logicalTimeMs: number, signal?: AbortSignal): Promise<any>;
  restore(snapshot: unknown, logicalTimeMs: number, signal?: AbortSignal): Promise<InteropResponse>;
  close(logicalTimeMs: number, signal?: AbortSignal): Promise<InteropResponse>;
}
