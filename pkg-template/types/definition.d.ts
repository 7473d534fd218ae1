/** Definitions: what a component lets an agent see and do. */

import type { AgentConsumer } from "./consumer.js";
import type { JsonSchema } from "./json.js";
import type { AgentPolicy } from "./policy.js";
import type { AcceptedBy, AgentSchema, ParsedBy } from "./schema.js";

/** What an action does to the page. */
export type ActionEffect = "local-state" | "navigation";

/** What a procedure does to the backend. */
export type ProcedureEffect = "server-query" | "server-mutation" | "external-side-effect" | "destructive";

/** What a capability does. */
export type AgentEffect = "read" | ActionEffect | ProcedureEffect;

/**
 * Whether a person must approve: `required` always, `optional` where a policy says so. `external-side-effect` and
 * `destructive` are always `required`, `server-mutation` is at least `optional`.
 */
export type ConfirmationLevel = "never" | "optional" | "required";

/**
 * How much of a call the audit keeps; `full` adds input and output, bounded in size. What a person was asked and decided
 * is kept at every level.
 */
export type AuditLevel = "none" | "metadata" | "full";

/** A value, or a promise of one. */
export type MaybePromise<T> = T | PromiseLike<T>;

/** What `read` is given. `Host` is the registry's `context`. */
export interface ReadContext<Host = any> {
  readonly capabilityId: string;
  readonly registrationId: string;
  readonly consumer: AgentConsumer;
  readonly host: Host;
}

/** What `execute` is given beside its input. */
export interface ActionContext<Host = any> extends ReadContext<Host> {
  readonly invocationId: string;
  /** Aborted when the call times out, is cancelled, or its component goes away. */
  readonly signal: AbortSignal;
  /** There when a person approved this call. */
  readonly confirmation?: { readonly id: string; readonly approvedAt: string };
}

/** Why a precondition refuses. */
export interface PreconditionFailure {
  /** Agents read it. */
  readonly message: string;
  readonly details?: object;
}

/**
 * How many calls run at once, and what they wait for. By default an action waits for others of its registration, a procedure
 * for calls of itself. What waits starts in order of arrival.
 */
export type Concurrency<Input = any> =
  | {
      /** `instance`: one at a time per registration. `capability`: per capability. `parallel`: no waiting, up to `max`. */
      readonly mode: "instance" | "capability" | "parallel";
      readonly key?: undefined;
      /** Calls at once: 1 by default, any number in `parallel`. Where calls wait for each other the strictest bound holds. */
      readonly max?: number;
      /** How many may wait; 2 by default (`actionQueueDepth`). 0: a call that finds no room is refused. */
      readonly queueDepth?: number;
    }
  | {
      /** One at a time per key. */
      readonly mode: "key";
      key(input: Input): string;
      readonly max?: number;
      readonly queueDepth?: number;
    };

interface Common {
  /** What the model reads to choose it; required, at most 300 characters. */
  description: string;
  /** Whether this is the moment for it, asked at each call and snapshot. Must be fast and must not act. */
  when?(): boolean;
  /** Said to the agent while `when` is false. */
  unavailableReason?: string | (() => string);
  /** For this capability; the component's and the registry's come before. */
  policies?: readonly AgentPolicy[];
  /** JSON, at most 2,048 bytes, shown to consumers. `untrustedContent: true` warns that others wrote what is read. */
  meta?: object;
  /** In milliseconds, for execution only. 5,000 for observations, 10,000 for actions, 30,000 for procedures. */
  timeoutMs?: number;
}

/** An observation: reads, changes nothing. */
export interface ObservationDefinition<Output extends AgentSchema = AgentSchema> extends Common {
  output: Output;
  read(context: ReadContext): MaybePromise<AcceptedBy<Output>>;
}

interface Call<Input extends AgentSchema> {
  input: Input;
  /** Whether the same call twice does no more than once. */
  idempotent?: boolean;
  /** Whether a user can take it back. */
  reversible?: boolean;
  confirmation?: ConfirmationLevel;
  audit?: AuditLevel;
  /**
   * Asked against the page's state right before the call runs, and before a person is asked to approve it; it may run
   * twice and must not act. What it returns or throws refuses the call.
   */
  precondition?(
    input: ParsedBy<Input>,
    context: ActionContext,
  ): MaybePromise<PreconditionFailure | undefined | void>;
  concurrency?: Concurrency<ParsedBy<Input>>;
}

/** What a handler returns: what the `output` schema accepts, which fills its defaults; any JSON value, or nothing, where there is none. */
export type HandlerOutput<Output> = Output extends AgentSchema ? AcceptedBy<Output> : unknown;

/** An action: changes what the user sees. */
export interface ActionDefinition<
  Input extends AgentSchema = AgentSchema,
  Output extends AgentSchema | undefined = AgentSchema | undefined,
> extends Common,
    Call<Input> {
  effect: ActionEffect;
  output?: Output;
  execute(input: ParsedBy<Input>, context: ActionContext): MaybePromise<HandlerOutput<Output>>;
}

type FieldOf<Input extends AgentSchema> = Extract<keyof ParsedBy<Input>, string>;

/** Which fields of its input the page fills itself, against its state at the time of the call. */
export type Binding<Input extends AgentSchema> =
  | {
      bind?: { readonly [K in FieldOf<Input>]?: () => ParsedBy<Input>[K] };
      boundFields?: undefined;
    }
  | {
      /** All of them at once; `boundFields` names them. */
      bind: () => Partial<ParsedBy<Input>>;
      boundFields: readonly FieldOf<Input>[];
    };

/** A reference to an operation that the backend already has; see `registry.setProcedureExecutor`. */
export type ProcedureDefinition<
  Input extends AgentSchema = AgentSchema,
  Output extends AgentSchema | undefined = AgentSchema | undefined,
> = Common &
  Call<Input> &
  Binding<Input> & {
    /** `domain:` and the procedure's path. */
    id: `domain:${string}`;
    effect: ProcedureEffect;
    output?: Output;
    /** The backend wants a person's approval, whatever the effect. */
    requiresApproval?: boolean;
    /** Bound fields that the agent may fill all the same. All others are locked: the agent neither sees nor sends them. */
    overridableFields?: readonly FieldOf<Input>[];
    /** The other way round: the bound fields that are locked; the rest is overridable. */
    lockedFields?: readonly FieldOf<Input>[];
    /** A note on the present state for the agent, such as "3 devices selected". Never a bound value that is secret. */
    describe?(): string | undefined;
  };

/** What `procedure` makes, and what `procedures` takes. */
export interface ProcedureBinding {
  kind: "procedure-binding";
  ref: {
    id: string;
    path: string;
    description: string;
    inputSchema: JsonSchema;
    outputSchema?: JsonSchema;
    effect: ProcedureEffect;
    requiresApproval?: boolean;
  };
  /** Read at each call, so that a page may swap closures. */
  config: {
    when?(): boolean;
    unavailableReason?: string | (() => string);
    bind?: { readonly [field: string]: (() => unknown) | undefined } | (() => object);
    overridableFields?: readonly string[];
    confirmation?: ConfirmationLevel;
    policies?: readonly AgentPolicy[];
    describe?(): string | undefined;
    meta?: object;
    concurrency?: Concurrency;
    timeoutMs?: number;
    idempotent?: boolean;
    reversible?: boolean;
    audit?: AuditLevel;
    precondition?(input: any, context: ActionContext): MaybePromise<PreconditionFailure | undefined | void>;
  };
  boundKeys: readonly string[];
  lockedKeys: readonly string[];
  /** What agents see. */
  reducedInputSchema: JsonSchema;
}

/** A component: one mounted part of the page. */
export interface AgentComponentDefinition {
  /** Dotted lower-case words, such as `devices.table`. */
  type: string;
  /** Tells instances of one type apart. `default` when absent. */
  instanceId?: string;
  /** What it is: in snapshots and in what meta mode discovers, not in tools of one capability. Required, at most 500 characters. */
  description: string;
  parent?: { readonly type: string; readonly instanceId?: string };
  /** JSON, at most 2,048 bytes, shown to consumers. */
  meta?: object;
  /** For policies and audit only; no consumer sees it. */
  internal?: unknown;
  policies?: readonly AgentPolicy[];
  /** Where it comes from, such as the name of a plug-in. */
  origin?: string;
  /** Higher comes first. 0 when absent. */
  priority?: number;
  /** `false`: all its capabilities are listed as unavailable. */
  enabled?: boolean;
  observations?: { readonly [name: string]: ObservationDefinition<any> };
  actions?: { readonly [name: string]: ActionDefinition<any, any> };
  procedures?: readonly ProcedureBinding[];
}

/**
 * An observation: `read` answers with what `output` accepts.
 *
 * @example
 * const selection = observation({
 *   description: "The ids of the selected devices.",
 *   output: fromJsonSchema({ type: "array", items: { type: "string" } }),
 *   read: () => store.selectedIds,
 * });
 */
export declare function observation<Output extends AgentSchema>(
  definition: ObservationDefinition<Output>,
): ObservationDefinition<Output>;

/**
 * An action: `execute` gets its input as `input` describes it, and answers with what `output` accepts.
 *
 * @example
 * const selectRows = action({
 *   description: "Selects devices by id, instead of what is selected now.",
 *   input: fromJsonSchema({ type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] }),
 *   output: fromJsonSchema({ type: "object", properties: { selected: { type: "integer" } }, required: ["selected"] }),
 *   effect: "local-state",
 *   execute: ({ ids }) => ({ selected: store.select(ids) }),
 * });
 */
export declare function action<Input extends AgentSchema, Output extends AgentSchema | undefined = undefined>(
  definition: ActionDefinition<Input, Output>,
): ActionDefinition<Input, Output>;

/**
 * A reference to a procedure of the backend. Bound fields are filled by the page and locked, unless named in
 * `overridableFields`.
 *
 * @example
 * const disable = procedure({
 *   id: "domain:devices.disable",
 *   description: "Disables the selected devices.",
 *   input: fromJsonSchema({ type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] }),
 *   effect: "destructive",
 *   bind: { ids: () => store.selectedIds },
 *   when: () => store.selectedIds.length > 0,
 *   unavailableReason: "Select at least one device first",
 *   describe: () => `${store.selectedIds.length} devices selected`,
 * });
 */
export declare function procedure<Input extends AgentSchema, Output extends AgentSchema | undefined = undefined>(
  definition: ProcedureDefinition<Input, Output>,
): ProcedureBinding;

/**
 * A component, for `registry.register`. May be called before `init()`.
 *
 * @example
 * const table = defineAgentComponent({
 *   type: "devices.table",
 *   instanceId: "main",
 *   description: "The table of devices, with a selection.",
 *   observations: { selection },
 *   actions: { selectRows },
 *   procedures: [disable],
 * });
 */
export declare function defineAgentComponent<Definition extends AgentComponentDefinition>(
  definition: Definition,
): Definition;
