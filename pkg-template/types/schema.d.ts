/** Schemas: what capabilities take and give, checked at run time and known to TypeScript. */

import type { AcceptedByJsonSchema, FromJsonSchema, JsonSchema } from "./json.js";

/**
 * A schema. `fromJsonSchema` and `fromStandardSchema` make one; a hand-written `{ jsonSchema, parse }` is enough.
 *
 * `Parsed` is what `parse` gives, `Accepted` what it takes: under a JSON Schema they differ by `default`.
 */
export interface AgentSchema<Parsed = any, Accepted = Parsed> {
  /** What agents see. */
  readonly jsonSchema: JsonSchema;
  /**
   * The checked value. Throws `AgentSchemaError` with every issue; of anything else that is thrown the caller hears only
   * that the input did not fit, and its author what it was: on the console in `development`, and in the audit.
   */
  parse(value: unknown): Parsed;
  /** As `parse`, and may be asynchronous: what the registry asks when it is there. */
  validate?(value: unknown): Parsed | PromiseLike<Parsed>;
  /** Never there: carries `Accepted` for TypeScript. */
  readonly "~accepted"?: Accepted;
}

/** What a schema's `parse` gives. */
export type ParsedBy<S> = S extends { parse(value: unknown): infer Parsed } ? Parsed : never;

/** What a schema's `parse` takes. */
export type AcceptedBy<S> = S extends { readonly "~accepted"?: infer Accepted }
  ? unknown extends Accepted
    ? ParsedBy<S> extends infer Parsed
      ? "~accepted" extends keyof S
        ? unknown
        : Parsed
      : never
    : Exclude<Accepted, undefined>
  : ParsedBy<S>;

/**
 * A schema from a JSON Schema of the supported subset (see `JsonSchemaObject`), or of any kind where the full engine of
 * `agent-surface-wasm/schema` is installed. A literal is enough for TypeScript to
 * know the values; for a schema from elsewhere, say what it stands for: `fromJsonSchema<Device>(schema)`.
 *
 * The schema is judged when a component registers (`UNSUPPORTED_SCHEMA` names keyword and place). May be called before
 * `init()`; its `parse` may not.
 *
 * @example
 * const input = fromJsonSchema({
 *   type: "object",
 *   properties: { ids: { type: "array", items: { type: "string" }, minItems: 1 }, notify: { type: "boolean", default: false } },
 *   required: ["ids"],
 *   additionalProperties: false,
 * });
 * input.parse({ ids: ["dev-001"] }); // { ids: string[]; notify: boolean }
 */
export declare function fromJsonSchema<const S extends JsonSchema>(
  schema: S,
): AgentSchema<FromJsonSchema<S>, AcceptedByJsonSchema<S>>;
export declare function fromJsonSchema<T>(schema: JsonSchema): AgentSchema<T>;

/** `{}` and nothing else: for capabilities without arguments. */
export declare const emptyObjectSchema: AgentSchema<{ [key: string]: never }>;

/** The part of the Standard Schema interface (version 1) that is used here. Zod, Valibot and ArkType offer it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a Standard Schema answers. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A Standard Schema that converts itself to JSON Schema. */
export interface StandardJsonSchema<Input = unknown, Output = Input> extends StandardSchema<Input, Output> {
  readonly "~standard": StandardSchema<Input, Output>["~standard"] & {
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => object };
  };
}

/**
 * A schema from a Standard Schema. `jsonSchema` is what agents see; a validator that converts itself needs none. A
 * `jsonSchema` without properties, of a schema that has fields, is refused (`INVALID_DEFINITION`): that is what a converter
 * of another version makes.
 *
 * `parse` is synchronous and throws `AgentSchemaError` where the validator answers with a promise; the registry asks
 * `validate`, which waits.
 *
 * @example
 * const Rename = z.object({ name: z.string().trim().min(1) });
 * const input = fromStandardSchema(Rename, { jsonSchema: z.toJSONSchema(Rename) });
 */
export declare function fromStandardSchema<Input, Output>(
  schema: StandardJsonSchema<Input, Output>,
  options?: { readonly jsonSchema?: object },
): StandardAgentSchema<Input, Output>;
export declare function fromStandardSchema<Input, Output>(
  schema: StandardSchema<Input, Output>,
  options: { readonly jsonSchema: object },
): StandardAgentSchema<Input, Output>;

/** A schema of `fromStandardSchema`. */
export interface StandardAgentSchema<Input, Output> extends AgentSchema<Output, Input> {
  validate(value: unknown): Output | Promise<Output>;
}
