// Components as the facade keeps them: the closures and policies under the core's slot numbers, the shared specs, and
// the handle. Validation, defaults, limits and duplicates are the core's.

import { COMMIT, GENERATION, INVALIDATE, IS_LIVE, REGISTERED, SETTLE_EVENTS, SPEC_DESCRIPTOR, TAKEN_TEXT, UNREGISTER } from "./codes.js";
import { deepFreeze } from "./json.js";
import { fromModule } from "./errors.js";
import { encodeCapability, encodeHeader, listCapabilities } from "./define.js";
import { emptyObjectSchema } from "./schema.js";
import { isGuarded } from "./policies.js";
import { attempt } from "./host.js";

const { freeze } = Object;
const HOOKS = ["onDiscovery", "onAuthorize", "onInvoke"];

/** Policies by number. A number is free again when nothing that registered uses it. */
export class PolicyTable {
  constructor(host) {
    this.host = host;
    this.refs = new Map();
  }

  /** `{ ref, name, hooks, guard }`; counts one use, and notes it in `used`. */
  take(policy, used) {
    const { policies } = this.host;
    let ref = this.refs.get(policy);
    if (ref === undefined) {
      ref = policies.indexOf(undefined);
      if (ref < 0) ref = policies.length;
      policies[ref] = { policy, uses: 0 };
      this.refs.set(policy, ref);
    }
    policies[ref].uses++;
    used.push(ref);
    const hooks = HOOKS.reduce((bits, hook, at) => bits | (typeof policy[hook] === "function" ? 1 << at : 0), 0);
    return { ref, name: policy.name, hooks, guard: isGuarded(policy) };
  }

  drop(used) {
    for (const ref of used.splice(0)) {
      const held = this.host.policies[ref];
      if (--held.uses === 0) {
        this.refs.delete(held.policy);
        this.host.policies[ref] = undefined;
      }
    }
  }
}

/** A capability text that registrations share: one frozen descriptor, one tool template. */
class Spec {
  constructor(key, used, description, inputSchema) {
    this.key = key;
    this.used = used;
    this.description = description;
    this.inputSchema = inputSchema;
    this.base = undefined;
    this.available = undefined;
    this.wireName = undefined;
  }

  /** The descriptor without its state. */
  descriptor(wasm, id) {
    return (this.base ??= deepFreeze(JSON.parse(wasm.read(SPEC_DESCRIPTOR, id))));
  }

  forget(host) {
    host.specIds.delete(this.key);
    host.policyTable.drop(this.used);
  }
}

/** One registration's closures. */
export class Registration {
  constructor(definition, members, used) {
    this.definition = definition;
    this.members = members;
    this.used = used;
    this.id = "";
    this.head = undefined;
  }

  /** What policies see as `meta`. */
  meta(at) {
    return { component: this.definition.meta, capability: this.members[at].meta };
  }

  /** Its handlers are not called again; its policies still judge what the tombstone discloses. */
  unmount() {
    for (const member of this.members) member.functions = member.schemas = {};
  }

  forget(host) {
    host.policyTable.drop(this.used);
  }
}

/** A number of the core's, or the definition error that it stands for. */
const expectNumber = (host, call) =>
  host.enter((wasm) => {
    const number = call(wasm);
    if (number < 0) throw fromModule(wasm.read(TAKEN_TEXT));
    return number;
  });

const encodeMember = (host, type, [kind, name, definition]) => {
  const used = [];
  const encoded = encodeCapability(type, kind, name, definition, (policy) => host.policyTable.take(policy, used));
  const { key } = encoded;
  let spec = host.specIds.get(key);
  if (spec === undefined) {
    try {
      spec = expectNumber(host, (wasm) => wasm.spec(type, encoded.text));
    } catch (error) {
      host.policyTable.drop(used);
      throw error;
    }
    const source = kind === "procedure" ? definition.ref : definition;
    // The copy of a schema that `fromJsonSchema` froze serves as it is; any other is read from the descriptor.
    const ready = kind === "observation" ? emptyObjectSchema.jsonSchema : source.input?.jsonSchema;
    const inputSchema = kind !== "procedure" && Object.isFrozen(ready) ? ready : undefined;
    host.specIds.set(key, spec);
    host.specs[spec] = new Spec(key, used, source.description, inputSchema);
  } else {
    host.policyTable.drop(used);
  }
  return {
    kind,
    name: kind === "procedure" ? definition.ref.path : name,
    id: kind === "procedure" ? `domain:${definition.ref.path}` : `view:${type}.${name}`,
    effect: kind === "observation" ? "read" : (definition.effect ?? definition.ref?.effect),
    meta: kind === "procedure" ? definition.config?.meta : definition.meta,
    spec,
    functions: encoded.functions,
    schemas: encoded.schemas,
  };
};

const numbersOf = (members) => {
  const specs = new Uint32Array(members.length);
  for (let at = 0; at < specs.length; at++) specs[at] = members[at].spec;
  return specs;
};

/** Registers a component: the handle, or a definition error and nothing changed. */
export const register = (host, definition, onRegister) => {
  const used = [];
  const members = [];
  let prepared;
  try {
    const header = encodeHeader(definition, (policy) => host.policyTable.take(policy, used));
    const type = typeof definition.type === "string" ? definition.type.toWellFormed() : "";
    for (const each of listCapabilities(definition)) members.push(encodeMember(host, type, each));
    prepared = expectNumber(host, (wasm) => wasm.prepare(header, numbersOf(members)));
  } catch (error) {
    host.policyTable.drop(used);
    host.enter((wasm) => wasm.releaseSpecs(numbersOf(members)));
    throw error;
  }
  const accepted = !onRegister || attempt(() => onRegister({ definition, stack: new Error().stack }), "reject") === "accept";
  const slot = host.enter((wasm) => wasm.number(COMMIT, prepared, accepted));
  if (slot < 0) {
    host.policyTable.drop(used);
    host.enter((wasm) => wasm.change(SETTLE_EVENTS));
    const why = slot === -1 ? "another one with this type and `instanceId` is registered" : "`onRegister` said no";
    host.develop(`\`${definition.type}\` was rejected: ${why}`);
    return handle(host, undefined, -1, 0);
  }
  const registration = new Registration(definition, members, used);
  host.registrations[slot] = registration;
  const generation = host.enter((wasm) => {
    registration.id = `reg_${wasm.number(REGISTERED)}_${host.mark}`;
    return wasm.number(GENERATION, slot);
  });
  host.enter((wasm) => wasm.change(SETTLE_EVENTS));
  return handle(host, registration, slot, generation);
};

const handle = (host, registration, slot, generation) => {
  const isLive = () => !host.disposed && slot >= 0 && host.enter((wasm) => wasm.number(IS_LIVE, slot, generation)) === 1;
  const change = (call) => {
    if (!host.disposed && slot >= 0 && host.enter(call)) return;
    host.develop("a handle was used after its registration ended or was rejected");
  };
  const unregister = () => change((wasm) => wasm.change(UNREGISTER, slot, generation));
  return {
    registrationId: registration?.id ?? "",
    get status() {
      return slot < 0 ? "rejected" : isLive() ? "active" : "unregistered";
    },
    update({ enabled, availability } = {}) {
      if (enabled !== undefined && typeof enabled !== "boolean") throw new TypeError("`enabled` must be a boolean");
      const text = availability === undefined ? undefined : host.toText(availability, "availability");
      const on = enabled === undefined ? -1 : +enabled;
      change(() => expectNumber(host, (wasm) => wasm.update(slot, generation, on, text)));
    },
    invalidate() {
      change((wasm) => wasm.change(INVALIDATE, slot, generation));
    },
    unregister,
    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
      if (isLive()) unregister();
    },
  };
};

/** One capability of a snapshot, frozen. */
export const describeCapability = (host, spec, available, reason) => {
  const held = host.specs[spec];
  const base = held.descriptor(host.wasm, spec);
  if (available) return (held.available ??= freeze({ ...base, available: true }));
  return freeze({ ...base, available: false, unavailableReason: reason });
};
