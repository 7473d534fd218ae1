/** The bounds of everything. Each can be overridden in `createAgentSurfaceRegistry({ limits })`. */

/** Milliseconds where the name says `Ms`, UTF-8 bytes of compact JSON where it says `Bytes`, else counts. Inclusive. */
export interface AgentSurfaceLimits {
  /** 500 characters. */
  readonly maxComponentDescription: number;
  /** 300 characters. */
  readonly maxCapabilityDescription: number;
  readonly maxMetaBytes: number;
  readonly maxOutputBytes: number;
  readonly maxSchemaBytes: number;
  readonly maxSchemaDepth: number;
  readonly observationTimeoutMs: number;
  readonly actionTimeoutMs: number;
  readonly procedureTimeoutMs: number;
  readonly actionQueueDepth: number;
  readonly maxConcurrentObservationsPerConsumer: number;
  readonly maxConcurrentObservationsTotal: number;
  readonly maxQueuedObservationsPerConsumer: number;
  /** Settled calls that are remembered, so that a repeat gets the same result. */
  readonly dedupeCacheSize: number;
  readonly dedupeCacheTtlMs: number;
  /** Ended registrations that are remembered, so that a late call is told what happened. */
  readonly tombstoneSize: number;
  readonly tombstoneTtlMs: number;
  readonly confirmationTtlMs: number;
  readonly maxPendingConfirmations: number;
  readonly maxInputBytes: number;
  readonly maxValueDepth: number;
  /** For the policies and validators of one call together. */
  readonly policyTimeoutMs: number;
  readonly maxQueueWaitMs: number;
  readonly maxInvocationIdLength: number;
}

/** What holds where nothing is overridden. */
export declare const DEFAULT_LIMITS: AgentSurfaceLimits;
