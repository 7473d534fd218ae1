/** Ids, wire names, scopes, and single checks of schemas. All but the constants need `await init()`. */

import type { AgentSchemaIssue } from "./errors.js";
import type { JsonSchema } from "./json.js";

/** In characters. */
export declare const MAX_ID_LENGTH: 128;
/** In characters. */
export declare const MAX_WIRE_NAME_LENGTH: 64;

/** The parts of a capability id. */
export type CapabilityIdParts =
  | { plane: "view"; componentType: string; name: string }
  | { plane: "domain"; path: string };

/**
 * The parts of an id, `undefined` for what is none. Never throws.
 *
 * @example
 * parseCapabilityId("view:devices.table.selectRows");
 * // { plane: "view", componentType: "devices.table", name: "selectRows" }
 */
export declare function parseCapabilityId(id: unknown): CapabilityIdParts | undefined;

/** `view:<type>.<name>`. Throws `AgentSurfaceDefinitionError` (`INVALID_ID`) for parts outside the grammar. */
export declare function formatViewCapabilityId(componentType: string, name: string): string;
/** `domain:<path>`. Throws `AgentSurfaceDefinitionError` (`INVALID_ID`) for a path outside the grammar. */
export declare function formatDomainCapabilityId(path: string): string;
/** Dotted words of `a-z 0-9 -` that start with a letter. */
export declare function isValidComponentType(value: unknown): value is string;
/** Letters and digits, starting with a small letter. */
export declare function isValidCapabilityName(value: unknown): value is string;
/** Letters, digits, `-` and `_`. */
export declare function isValidInstanceId(value: unknown): value is string;

/**
 * The tool name of a capability, at most 64 characters of `A-Z a-z 0-9 _ -`. Throws `AgentSurfaceDefinitionError`
 * (`INVALID_ID`) for what is no id. Within one catalog ask `assignWireNames`, which keeps names apart.
 *
 * @example
 * encodeWireName("view:devices.table.selectRows"); // "view_devices__table__selectRows"
 */
export declare function encodeWireName(id: string): string;
/** The same with the instance in it, for catalogs that have several. */
export declare function encodeWireNameForInstance(id: string, instanceId: string): string;
/** The id of a wire name, `undefined` where the name alone does not say it: a shortened name could be another's. */
export declare function decodeWireName(name: string): string | undefined;
/** Names for one catalog, in the order of its entries, all different. `instanceId` only where the name is to say it. */
export declare function assignWireNames(
  entries: Iterable<string | { readonly capabilityId: string; readonly instanceId?: string }>,
): string[];

/** Whether a component type lies in a scope: prefixes of whole words; an empty one means all. */
export declare function matchesScope(componentType: string, scope?: readonly string[]): boolean;

/** Whether a JSON Schema lies in the supported subset, and if not, why. */
export declare function validateJsonSchemaDocument(schema: unknown): { ok: true } | { ok: false; reason: string };
/** The issues of a value under a JSON Schema, none where it is valid. Fills no `default`. */
export declare function validateValueAgainstSchema(value: unknown, schema: JsonSchema): AgentSchemaIssue[];

/** JSON equality: numbers by value, objects without order, `undefined` properties as absent. Needs no `init()`. */
export declare function jsonDeepEqual(left: unknown, right: unknown): boolean;
