// Ids, wire names, scopes and single schema checks, all answered by the core; and the constants, which need no module.
// A text that is no Unicode, or longer than any id, is answered here: it has no form in the core.

import {
  DOMAIN_ID,
  ID_OF_WIRE_NAME,
  IN_SCOPE,
  IS_CAPABILITY_NAME,
  IS_COMPONENT_TYPE,
  IS_INSTANCE_ID,
  PARSE_ID,
  SCHEMA_FAULT,
  VIEW_ID,
  WIRE_NAME,
  WIRE_NAME_AT,
  WIRE_NAMES,
} from "./codes.js";
import { AgentSurfaceDefinitionError } from "./errors.js";
import { checkedCopy } from "./json.js";
import { askModule, realm, requireWasm } from "./realm.js";
import { checkValue, schemaDocument } from "./schema.js";

export { AGENT_CAPABILITY_ERROR_CODES } from "./errors.js";

/** In characters. */
export const MAX_ID_LENGTH = 128;
/** In characters. */
export const MAX_WIRE_NAME_LENGTH = 64;

/** Milliseconds where the name says `Ms`, UTF-8 bytes of compact JSON where it says `Bytes`, else counts. */
export const DEFAULT_LIMITS = /* @__PURE__ */ Object.freeze({
  maxComponentDescription: 500,
  maxCapabilityDescription: 300,
  maxMetaBytes: 2048,
  maxOutputBytes: 32768,
  maxSchemaBytes: 16384,
  maxSchemaDepth: 8,
  observationTimeoutMs: 5000,
  actionTimeoutMs: 10000,
  procedureTimeoutMs: 30000,
  actionQueueDepth: 2,
  maxConcurrentObservationsPerConsumer: 8,
  maxConcurrentObservationsTotal: 32,
  maxQueuedObservationsPerConsumer: 8,
  dedupeCacheSize: 200,
  dedupeCacheTtlMs: 600000,
  tombstoneSize: 100,
  tombstoneTtlMs: 300000,
  confirmationTtlMs: 120000,
  maxPendingConfirmations: 32,
  maxInputBytes: 262144,
  maxValueDepth: 64,
  policyTimeoutMs: 10000,
  maxQueueWaitMs: 30000,
  maxInvocationIdLength: 256,
});

/** Whether a text can cross: every id and wire name is ASCII and at most `MAX_ID_LENGTH` characters long. */
const canCross = (value) => typeof value === "string" && value.length <= MAX_ID_LENGTH && value.isWellFormed();

const nameOf = (what, text, other = "") => askModule((wasm) => wasm.name(what, text, other));

/** Asks the core about texts; undefined where one of them can be no id. */
const ask = (what, texts) => {
  requireWasm();
  return texts.every(canCross) ? nameOf(what, ...texts) : undefined;
};

/** The same where only an answer will do. */
const demand = (what, texts, expected) => {
  const answer = ask(what, texts);
  if (answer !== undefined) return answer;
  const found = texts.map((each) =>
    typeof each === "string" ? `\`${each.slice(0, MAX_ID_LENGTH).toWellFormed()}\`` : `a ${typeof each}`,
  );
  throw new AgentSurfaceDefinitionError("INVALID_ID", `expected ${expected}, found ${found.join(" and ")}`);
};

const is = (what) => (value) => ask(what, [value]) !== undefined;
export const isValidComponentType = /* @__PURE__ */ is(IS_COMPONENT_TYPE);
export const isValidCapabilityName = /* @__PURE__ */ is(IS_CAPABILITY_NAME);
export const isValidInstanceId = /* @__PURE__ */ is(IS_INSTANCE_ID);

/** The parts of an id, or undefined: whatever is given, nothing is thrown once the module is there. */
export const parseCapabilityId = (id) => {
  const parts = ask(PARSE_ID, [id]);
  return parts && JSON.parse(parts);
};

const AN_ID = "a capability id such as `view:devices.table.selectRows` or `domain:devices.disable`";

export const formatViewCapabilityId = (componentType, name) =>
  demand(VIEW_ID, [componentType, name], "a component type and a name such as `devices.table` and `selectRows`");

export const formatDomainCapabilityId = (path) =>
  demand(DOMAIN_ID, [path], "a procedure's path such as `devices.disable`");

export const encodeWireName = (id) => demand(WIRE_NAME, [id], AN_ID);

export const encodeWireNameForInstance = (id, instanceId) =>
  demand(WIRE_NAME_AT, [id, instanceId], `${AN_ID}, and an instance id such as \`main\``);

/** The id of a wire name, or undefined where the name alone does not say it. */
export const decodeWireName = (name) => ask(ID_OF_WIRE_NAME, [name]);

/** Names for one catalog, in the order of its entries: ids, or `{ capabilityId, instanceId? }` where the instance is to show. */
export const assignWireNames = (entries) => {
  const requests = Array.from(entries, (entry) => {
    const { capabilityId: id, instanceId: instance } = typeof entry === "string" ? { capabilityId: entry } : entry;
    // The names of a catalog are those of its entries, unless some collide: what has none alone has none here.
    if (instance === undefined) encodeWireName(id);
    else encodeWireNameForInstance(id, instance);
    return [id, instance ?? null];
  });
  const names = nameOf(WIRE_NAMES, checkedCopy(requests).text);
  if (names === undefined) throw new AgentSurfaceDefinitionError("LIMIT_EXCEEDED", "a catalog of over 262,144 bytes");
  return JSON.parse(names);
};

/** Whether a component type lies in a scope: prefixes of whole segments; an empty or absent scope means all. */
export const matchesScope = (componentType, scope = []) => {
  requireWasm();
  if (!canCross(componentType)) return false;
  return scope.length === 0 || scope.some((prefix) => canCross(prefix) && nameOf(IN_SCOPE, componentType, prefix) !== undefined);
};

/** `{ ok: true }`, or `{ ok: false, reason }` for a schema that nothing here evaluates. */
export const validateJsonSchemaDocument = (schema) => {
  requireWasm();
  let refusal;
  try {
    const { text } = schemaDocument(schema);
    refusal = askModule((wasm) => (realm.engine ?? wasm).name(SCHEMA_FAULT, text, ""));
  } catch (error) {
    if (!(error instanceof AgentSurfaceDefinitionError)) throw error;
    return { ok: false, reason: error.message };
  }
  return refusal === undefined ? { ok: true } : { ok: false, reason: refusal };
};

/** The issues of a value under a JSON Schema, none where it is valid. No default is filled. */
export const validateValueAgainstSchema = (value, schema) => {
  const { text } = schemaDocument(schema);
  return checkValue(text, value, false).issues ?? [];
};
