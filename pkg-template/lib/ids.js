// Ids, wire names, scopes and single schema checks, all answered by the core; and the constants, which need no module.
// A text that is no Unicode, or longer than any id, is answered here: it has no form in the core.

import { AgentSurfaceDefinitionError } from "./errors.js";
import { checkedCopy } from "./json.js";
import { requireWasm } from "./realm.js";
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
const canBeId = (value) => typeof value === "string" && value.length <= MAX_ID_LENGTH && value.isWellFormed();

const invalidId = (value, expected) => {
  const shown = typeof value === "string" ? `\`${value.slice(0, MAX_ID_LENGTH).toWellFormed()}\`` : `a ${typeof value}`;
  return new AgentSurfaceDefinitionError("INVALID_ID", `expected ${expected}, found ${shown}`);
};

const expectId = (isValid, value, expected) => {
  if (!isValid) throw invalidId(value, expected);
};

export const isValidComponentType = (value) => {
  const wasm = requireWasm();
  return canBeId(value) && wasm.isValidComponentType(value);
};

export const isValidCapabilityName = (value) => {
  const wasm = requireWasm();
  return canBeId(value) && wasm.isValidCapabilityName(value);
};

export const isValidInstanceId = (value) => {
  const wasm = requireWasm();
  return canBeId(value) && wasm.isValidInstanceId(value);
};

/** The parts of an id, or undefined: whatever is given, nothing is thrown once the module is there. */
export const parseCapabilityId = (id) => {
  const wasm = requireWasm();
  const parts = canBeId(id) ? wasm.parseCapabilityId(id) : undefined;
  return parts === undefined ? undefined : JSON.parse(parts);
};

const expectCapabilityId = (id) => {
  expectId(parseCapabilityId(id), id, "a capability id such as `view:devices.table.selectRows` or `domain:devices.disable`");
  return id;
};

export const formatViewCapabilityId = (componentType, name) => {
  expectId(isValidComponentType(componentType), componentType, "a component type such as `devices.table`");
  expectId(isValidCapabilityName(name), name, "a capability name such as `selectRows`");
  return expectCapabilityId(requireWasm().formatViewCapabilityId(componentType, name));
};

export const formatDomainCapabilityId = (path) => expectCapabilityId(`domain:${path}`);

export const encodeWireName = (id) => requireWasm().encodeWireName(expectCapabilityId(id));

export const encodeWireNameForInstance = (id, instanceId) => {
  expectId(isValidInstanceId(instanceId), instanceId, "an instance id such as `main`");
  return requireWasm().encodeWireNameForInstance(expectCapabilityId(id), instanceId);
};

/** The id of a wire name, or undefined where the name alone does not say it. */
export const decodeWireName = (name) => {
  const wasm = requireWasm();
  return canBeId(name) ? wasm.decodeWireName(name) : undefined;
};

/** Names for one catalog, in the order of its entries: ids, or `{ capabilityId, instanceId? }` where the instance is to show. */
export const assignWireNames = (entries) => {
  const requests = Array.from(entries, (entry) => {
    const { capabilityId, instanceId } = typeof entry === "string" ? { capabilityId: entry } : entry;
    expectCapabilityId(capabilityId);
    if (instanceId === undefined) return { id: capabilityId };
    expectId(isValidInstanceId(instanceId), instanceId, "an instance id such as `main`");
    return { id: capabilityId, instance: instanceId };
  });
  return JSON.parse(requireWasm().assignWireNames(checkedCopy(requests).text));
};

/** Whether a component type lies in a scope: prefixes of whole segments; an empty or absent scope means all. */
export const matchesScope = (componentType, scope = []) => {
  const wasm = requireWasm();
  const usable = scope.filter(canBeId);
  // A prefix that can be no id matches nothing; leaving it out must not turn a scope into the empty one.
  if (!canBeId(componentType) || (scope.length > 0 && usable.length === 0)) return false;
  return wasm.matchesScope(componentType, checkedCopy(usable).text);
};

/** `{ ok: true }`, or `{ ok: false, reason }` for a schema outside the subset. */
export const validateJsonSchemaDocument = (schema) => {
  const wasm = requireWasm();
  let refusal;
  try {
    const { text } = schemaDocument(schema);
    refusal = wasm.schemaDocument(text);
  } catch (error) {
    if (!(error instanceof AgentSurfaceDefinitionError)) throw error;
    return { ok: false, reason: error.message };
  }
  return refusal === undefined ? { ok: true } : { ok: false, reason: JSON.parse(refusal).message };
};

/** The issues of a value under a JSON Schema, none where it is valid. No default is filled. */
export const validateValueAgainstSchema = (value, schema) => {
  const { text } = schemaDocument(schema);
  return checkValue(text, value, false).issues ?? [];
};
