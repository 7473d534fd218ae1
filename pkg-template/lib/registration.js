// Components as the facade keeps them: the closures and policies under the core's numbers, the shared specs, and the
// handle. Validation, defaults, limits and duplicates are the core's.

import { COMMIT, GENERATION, INVALIDATE, IS_LIVE, PREPARE_AGAIN, REGISTERED, RELEASE_SPEC, SPEC_DESCRIPTOR, TAKEN_TEXT, UNREGISTER } from "./codes.js";
import { deepFreeze } from "./json.js";
import { fromModule } from "./errors.js";
import { encodeCapability, encodeHeader, listCapabilities } from "./define.js";
import { emptyObjectSchema, isOwnSchema } from "./schema.js";
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

/** A capability text that components share: one frozen descriptor, one tool template. */
class Spec {
  constructor(key, description, inputSchema) {
    this.key = key;
    this.description = description;
    this.inputSchema = inputSchema;
    this.base = undefined;
    this.available = undefined;
    /** The last descriptor of it as not available. */
    this.unavailable = undefined;
    this.wireName = undefined;
  }

  /** The descriptor without its state. */
  descriptor(wasm, id) {
    return (this.base ??= deepFreeze(JSON.parse(wasm.read(SPEC_DESCRIPTOR, id))));
  }
}

/** One mount lifetime of a definition. */
class Registration {
  constructor(definition, members) {
    this.definition = definition;
    this.members = members;
    this.id = "";
    this.head = undefined;
  }

  /** What policies see as `meta`. */
  meta(at) {
    return { component: this.definition.meta, capability: this.members[at].meta };
  }

  /** Its handlers are not called again; its policies still judge what the tombstone discloses. */
  unmount() {
    this.members = this.members.map((member) => ({ ...member, functions: {}, schemas: {} }));
  }
}

/** A number of the core's, or the definition error that it stands for. */
const expectNumber = (wasm, number) => {
  if (number < 0) throw fromModule(wasm.read(TAKEN_TEXT));
  return number;
};

const memberOf = (host, type, [kind, name, definition], { key, text, functions, schemas }) => {
  let spec = host.specIds.get(key);
  if (spec === undefined) {
    spec = host.enter((wasm) => expectNumber(wasm, wasm.spec(type, text)));
    const source = kind === "procedure" ? definition.ref : definition;
    // The copy of a schema that `fromJsonSchema` froze serves as it is; any other is read from the descriptor.
    const ready = kind === "observation" ? emptyObjectSchema : source.input;
    const inputSchema = kind !== "procedure" && ready && !isOwnSchema(ready) ? ready.jsonSchema : undefined;
    host.specIds.set(key, spec);
    host.specs[spec] = new Spec(key, source.description, inputSchema);
  }
  return {
    kind,
    name: kind === "procedure" ? definition.ref.path : name,
    id: kind === "procedure" ? `domain:${definition.ref.path}` : `view:${type}.${name}`,
    effect: kind === "observation" ? "read" : (definition.effect ?? definition.ref?.effect),
    meta: kind === "procedure" ? definition.config?.meta : definition.meta,
    spec,
    functions,
    schemas,
  };
};

/**
 * The component of a definition, ready to be let in, or a definition error and nothing changed. It has the closures of all
 * the definition's registrations; one that registers again unchanged is known by its texts.
 */
const prepare = (host, definition) => {
  const used = [];
  const members = [];
  const take = (policy) => host.policyTable.take(policy, used);
  try {
    const header = encodeHeader(definition, take);
    const type = typeof definition.type === "string" ? definition.type.toWellFormed() : "";
    const listed = listCapabilities(definition);
    const encoded = listed.map((each) => encodeCapability(type, ...each, take));
    const before = host.known.get(definition);
    if (
      before !== undefined &&
      host.components[before.id] === before &&
      before.header === header &&
      before.encoded.length === encoded.length &&
      encoded.every((each, at) => each === before.encoded[at])
    ) {
      host.policyTable.drop(used);
      host.enter((wasm) => wasm.number(PREPARE_AGAIN, before.id));
      return before;
    }
    listed.forEach((each, at) => members.push(memberOf(host, type, each, encoded[at])));
    const specs = Uint32Array.from(members.map(({ spec }) => spec));
    const id = host.enter((wasm) => expectNumber(wasm, wasm.prepare(header, specs)));
    const component = { id, header, encoded, members, used };
    host.components[id] = component;
    host.known.set(definition, component);
    return component;
  } catch (error) {
    host.policyTable.drop(used);
    for (const { spec } of members) host.enter((wasm) => wasm.change(RELEASE_SPEC, spec));
    throw error;
  }
};

/** Registers a component: the handle, or a definition error and nothing changed. */
export const register = (host, definition, onRegister) => {
  const component = prepare(host, definition);
  const accepted = !onRegister || attempt(() => onRegister({ definition, stack: new Error().stack }), "reject") === "accept";
  const registration = new Registration(definition, component.members);
  let generation = 0;
  const slot = host.enter((wasm) => {
    const place = wasm.number(COMMIT, component.id, accepted);
    if (place >= 0) {
      host.registrations[place] = registration;
      registration.id = `reg_${wasm.number(REGISTERED)}_${host.mark}`;
      generation = wasm.number(GENERATION, place);
    }
    wasm.go();
    return place;
  });
  if (slot < 0) {
    const why = slot === -1 ? "another one with this type and `instanceId` is registered" : "`onRegister` said no";
    host.develop(`\`${definition.type}\` was rejected: ${why}`);
  }
  return new Handle(host, registration.id, slot, generation);
};

export const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");
const ASK = Symbol();
const STATUS = {
  enumerable: true,
  get() {
    return this[ASK]();
  },
};

/** Its own properties are all it has, so that a copy is as good; each function works on its own. */
class Handle {
  constructor(host, registrationId, slot, generation) {
    const use = (call) => !host.disposed && slot >= 0 && host.enter(call);
    const change = (call) => {
      if (!use(call)) host.develop("a handle was used after its registration ended or was rejected");
    };
    this.registrationId = registrationId;
    this.update = ({ enabled, availability } = {}) => {
      if (enabled !== undefined && typeof enabled !== "boolean") throw new TypeError("`enabled` must be a boolean");
      const text = availability === undefined ? undefined : host.toText(availability, "availability");
      const on = enabled === undefined ? -1 : +enabled;
      change((wasm) => expectNumber(wasm, wasm.update(slot, generation, on, text)));
    };
    this.invalidate = () => change((wasm) => wasm.change(INVALIDATE, slot, generation));
    this.unregister = () => change((wasm) => wasm.change(UNREGISTER, slot, generation));
    const isLive = () => use((wasm) => wasm.number(IS_LIVE, slot, generation));
    this[ASK] = () => (slot < 0 ? "rejected" : isLive() ? "active" : "unregistered");
    Object.defineProperty(this, "status", STATUS);
    this[DISPOSE] = () => {
      if (isLive()) this.unregister();
    };
  }
}

/** One capability of a snapshot, frozen. */
export const describeCapability = (host, spec, available, reason) => {
  const held = host.specs[spec];
  const base = held.descriptor(host.wasm, spec);
  if (available) return (held.available ??= freeze({ ...base, available: true }));
  if (held.unavailable?.unavailableReason !== reason) {
    held.unavailable = freeze({ ...base, available: false, unavailableReason: reason });
  }
  return held.unavailable;
};
