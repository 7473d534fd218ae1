/** What JSON can hold, and the JSON Schemas that this library reads, with the TypeScript types they stand for. */

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The names that `type` knows. */
export type JsonTypeName = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/**
 * A JSON Schema (draft 2020-12) of the supported subset. Every other keyword is refused when a component registers
 * (`UNSUPPORTED_SCHEMA`, with its name and place), unless the page has installed the full engine of
 * `agent-surface-wasm/schema`.
 *
 * At most 8 levels deep and 16,384 bytes long (`limits.maxSchemaDepth`, `limits.maxSchemaBytes`).
 */
export interface JsonSchemaObject {
  readonly type?: JsonTypeName | readonly JsonTypeName[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  /** A schema here needs the full engine. */
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  /** In Unicode code points, as `maxLength`. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** An ECMA-262 pattern, as with the `u` flag, not anchored. Matched in linear time: no pattern can hang the page. */
  readonly pattern?: string;
  /** Asserted, not only noted. */
  readonly format?: "date-time" | "date" | "uuid" | "email" | "uri";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly $defs?: { readonly [name: string]: JsonSchema };
  /** A place in the same schema, such as `#/$defs/device`. */
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  /** Filled into an absent property before validation, outside `anyOf`. */
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly $comment?: string;
  /** At the root only, as `$id`. */
  readonly $schema?: string;
  readonly $id?: string;
  /** With the full engine, as all that follows. */
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly contains?: JsonSchema;
  readonly patternProperties?: { readonly [pattern: string]: JsonSchema };
  readonly propertyNames?: JsonSchema;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /** Anything else; see above. */
  readonly [keyword: string]: unknown;
}

/** A JSON Schema. */
export type JsonSchema = JsonSchemaObject | boolean;

/**
 * The type of a value after `parse` under the schema `S`: a property with a `default` is there, arrays are plain.
 * Where the schema says nothing, `JsonValue`.
 *
 * @example
 * type Input = FromJsonSchema<{ type: "object", properties: { ids: { type: "array", items: { type: "string" } } }, required: ["ids"] }>;
 * //   ^ { ids: string[] }
 */
export type FromJsonSchema<S> = Known<Read<S, S, "filled">, "filled">;

/** The type of a value that `parse` under the schema `S` accepts: a property with a `default` may be left out. */
export type AcceptedByJsonSchema<S> = Known<Read<S, S, "accepted">, "accepted">;

/** `filled`: parsed, with defaults. `found`: parsed, inside `anyOf`, where no default is filled. `accepted`: before parsing. */
type Mode = "filled" | "found" | "accepted";

/** `unknown` is what an unconstrained schema reads as, so that keywords can be intersected; here it gets its name. */
type Known<T, M extends Mode> = unknown extends T ? (M extends "accepted" ? unknown : JsonValue) : T;

type Read<S, Root, M extends Mode> = S extends false
  ? never
  : ReadType<S, Root, M> & ReadConst<S> & ReadEnum<S> & ReadUnions<S, Root, M> & ReadAllOf<S, Root, M> & ReadRef<S, Root, M>;

type ReadConst<S> = S extends { readonly const: infer Value } ? Value : unknown;
type ReadEnum<S> = S extends { readonly enum: readonly (infer Value)[] } ? Value : unknown;

type ReadUnions<S, Root, M extends Mode> = (S extends { readonly anyOf: readonly (infer Branch)[] }
  ? ReadBranch<Branch, Root, M>
  : unknown) &
  (S extends { readonly oneOf: readonly (infer Branch)[] } ? ReadBranch<Branch, Root, M> : unknown);

type ReadBranch<Branch, Root, M extends Mode> = Branch extends unknown
  ? Known<Read<Branch, Root, M extends "filled" ? "found" : M>, M>
  : never;

type ReadAllOf<S, Root, M extends Mode> = S extends { readonly allOf: infer Parts } ? ReadEach<Parts, Root, M> : unknown;

type ReadEach<Parts, Root, M extends Mode> = Parts extends readonly [infer First, ...infer Rest]
  ? Read<First, Root, M extends "filled" ? "found" : M> & ReadEach<Rest, Root, M>
  : unknown;

type ReadRef<S, Root, M extends Mode> = S extends { readonly $ref: infer Ref }
  ? Ref extends "#"
    ? Read<Root, Root, M>
    : Ref extends `#/$defs/${infer Name}`
      ? Root extends { readonly $defs: { readonly [K in Name]: infer Target } }
        ? Read<Target, Root, M>
        : unknown
      : unknown
  : unknown;

type ReadType<S, Root, M extends Mode> = S extends { readonly type: infer Type }
  ? Type extends readonly (infer Each)[]
    ? ReadTypeName<Each, S, Root, M>
    : ReadTypeName<Type, S, Root, M>
  : unknown;

type ReadTypeName<Name, S, Root, M extends Mode> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? ReadArray<S, Root, M>
          : Name extends "object"
            ? ReadObject<S, Root, M>
            : unknown;

type ReadArray<S, Root, M extends Mode> = S extends { readonly items: infer Items }
  ? M extends "accepted"
    ? readonly Known<Read<Items, Root, M>, M>[]
    : Known<Read<Items, Root, M>, M>[]
  : M extends "accepted"
    ? readonly unknown[]
    : JsonValue[];

type ReadObject<S, Root, M extends Mode> = S extends { readonly properties: infer Properties }
  ? Flat<ReadProperties<Properties, RequiredOf<S>, Root, M> & ReadAdditional<S, Root, M>>
  : S extends { readonly additionalProperties: false }
    ? { [key: string]: never }
    : S extends { readonly additionalProperties: JsonSchemaObject }
    ? ReadAdditional<S, Root, M>
    : Flat<{ [K in RequiredOf<S>]: Known<unknown, M> } & (M extends "accepted" ? object : JsonObject)>;

type RequiredOf<S> = S extends { readonly required: readonly (infer Name extends string)[] } ? Name : never;

type ReadProperties<P, Required extends string, Root, M extends Mode> = {
  [K in PresentKeys<P, Required, M>]: Known<Read<P[K], Root, M>, M>;
} & {
  [K in Exclude<keyof P, PresentKeys<P, Required, M>>]?: M extends "accepted"
    ? Known<Read<P[K], Root, M>, M> | undefined
    : Known<Read<P[K], Root, M>, M>;
} & { [K in Exclude<Required, keyof P>]: Known<unknown, M> };

type PresentKeys<P, Required extends string, M extends Mode> = M extends "filled"
  ? (keyof P & Required) | DefaultedKeys<P>
  : M extends "accepted"
    ? Exclude<keyof P & Required, DefaultedKeys<P>>
    : keyof P & Required;

type DefaultedKeys<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];

type ReadAdditional<S, Root, M extends Mode> = S extends { readonly additionalProperties: infer Rest }
  ? Rest extends false
    ? unknown
    : { [key: string]: Known<Read<Rest, Root, M>, M> }
  : unknown;

type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T;
