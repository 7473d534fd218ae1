// Components as the facade keeps them: the closures and policies under the core's numbers, the shared specs, and the
// handle. Validation, defaults, limits and duplicates are the core's.

import { COMMIT, GENERATION, INVALIDATE, IS_LIVE, PREPARE_AGAIN, REGISTERED, RELEASE_SPEC, SPEC_DESCRIPTOR, TAKEN_TEXT, UNREGISTER } from "./codes.js";
import { freeze } from "./intrinsics.js";
import { checkedCopy, deepFreeze, JsonFault } from "./json.js";
import { fromModule, invalid, must } from "./errors.js";
import { onlyOptions } from "./options.js";
import { encodeCapability, encodeHeader, listCapabilities } from "./define.js";
import { emptyObjectSchema, isOwnSchema } from "./schema.js";
import { isGuarded } from "./policies.js";
import { attempt, isFunction } from "./thenable.js";

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
    policy ??= {};
    let ref = this.refs.get(policy);
    if (ref === undefined) {
      ref = policies.indexOf(undefined);
      if (ref < 0) ref = policies.length;
      policies[ref] = { policy, uses: 0 };
      this.refs.set(policy, ref);
    }
    policies[ref].uses++;
    used.push(ref);
    // 8: no hook at all. A policy that guards nothing because of a slip must not pass for one.
    const bit = (hook, at) => (policy[hook] == null ? 0 : isFunction(policy[hook]) ? 1 << at : 8);
    let hooks = HOOKS.reduce((bits, hook, at) => bits | bit(hook, at), 0);
    for (const key in policy) if (key.startsWith("on") && !HOOKS.includes(key)) hooks |= 8;
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
  constructor(definition, component) {
    this.definition = definition;
    this.component = component;
    this.members = component.members;
    this.id = "";
    this.slot = -1;
    this.generation = 0;
    this.head = undefined;
    this.handle = undefined;
    /** What the page pushed, for an instance that comes after this one: `enabled`, and availability by key. */
    this.on = -1;
    this.pushed = undefined;
    /** Also where it never began. */
    this.isOver = false;
  }

  /** What policies see as `meta`. */
  meta(at) {
    return { component: this.definition.meta, capability: this.members[at].meta };
  }

  /** Its handlers are not called again; its policies still judge what the tombstone discloses. */
  unmount() {
    this.isOver = true;
    this.members = this.members.map((member) => ({ ...member, functions: {}, schemas: {} }));
  }
}

/** A number of the core's, or the definition error that it stands for. */
const expectNumber = (wasm, number) => {
  if (number < 0) throw fromModule(wasm.read(TAKEN_TEXT));
  return number;
};

/** The number of the spec of a capability's text, which `make` builds where there is none. */
const specOf = (host, type, { key, text }, make) => {
  let id = host.specIds.get(key);
  if (id === undefined) {
    id = host.enter((wasm) => expectNumber(wasm, wasm.spec(type, text)));
    host.specIds.set(key, id);
    host.specs[id] = make();
  }
  return id;
};

const memberOf = (host, type, [kind, name, definition], encoded) => {
  const spec = specOf(host, type, encoded, () => {
    const source = kind === "procedure" ? definition.ref : definition;
    // The copy of a schema that `fromJsonSchema` froze serves as it is; any other is read from the descriptor.
    const ready = kind === "observation" ? emptyObjectSchema : source.input;
    const inputSchema = kind !== "procedure" && ready && !isOwnSchema(ready) ? ready.jsonSchema : undefined;
    return new Spec(encoded.key, source.description, inputSchema);
  });
  return {
    kind,
    name: kind === "procedure" ? definition.ref.path : name,
    id: kind === "procedure" ? `domain:${definition.ref.path}` : `view:${type}.${name}`,
    effect: kind === "observation" ? "read" : (definition.effect ?? definition.ref?.effect),
    meta: kind === "procedure" ? definition.config?.meta : definition.meta,
    spec,
    shared: host.specs[spec],
    functions: encoded.functions,
    schemas: encoded.schemas,
  };
};

/** Has the core take a component of known specs. */
const admit = (host, component) => {
  const specs = Uint32Array.from(component.members.map(({ spec }) => spec));
  const id = host.enter((wasm) => expectNumber(wasm, wasm.prepare(component.header, specs)));
  component.id = id;
  host.components[id] = component;
  return component;
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
    const component = admit(host, { id: 0, type, header, encoded, members, used });
    host.known.set(definition, component);
    return component;
  } catch (error) {
    host.policyTable.drop(used);
    for (const { spec } of members) host.enter((wasm) => wasm.change(RELEASE_SPEC, spec));
    throw error;
  }
};

/** Commits a registration whose component the core has. */
const mount = (host, registration, accepted) =>
  host.enter((wasm) => {
    const slot = (registration.slot = wasm.number(COMMIT, registration.component.id, accepted));
    if (slot >= 0) {
      host.registrations[slot] = registration;
      registration.handle.registrationId = registration.id = `reg_${wasm.number(REGISTERED)}_${host.mark}`;
      registration.generation = wasm.number(GENERATION, slot);
    } else {
      registration.isOver = true;
    }
    wasm.go();
  });

/** A guard that registers is asked for that, too: that must end before the stack does. */
const MOST_GUARDS = 16;

const judge = (host, definition, onRegister) => {
  const stack = host.isDevelopment ? { stack: new Error().stack } : undefined;
  const answer = ++host.guards <= MOST_GUARDS && attempt(() => onRegister({ definition, ...stack }));
  host.guards--;
  return answer === "accept" && !host.disposed;
};

/** Registers a component: the handle, or a definition error and nothing changed. */
export const register = (host, definition, onRegister) => {
  const component = prepare(host, definition);
  const accepted = !onRegister || judge(host, definition, onRegister);
  const registration = new Registration(definition, component);
  const handle = (registration.handle = new Handle(host, registration));
  mount(host, registration, accepted);
  host.enter((wasm) => expectNumber(wasm, registration.slot === -1 ? -1 : 0));
  if (registration.slot < 0) {
    const why = registration.slot === -2 ? "another one with this type and `instanceId` is registered" : "`onRegister` said no";
    host.develop(`\`${definition.type}\` was rejected: ${why}`);
  }
  return handle;
};

/** Registers with a fresh instance, by the texts and with what the page pushed since. */
export const remount = (host, registration) => {
  const { component } = registration;
  component.members.forEach((member, at) => {
    member.spec = specOf(host, component.type, component.encoded[at], () => member.shared);
  });
  admit(host, component);
  registration.head = undefined;
  mount(host, registration, true);
  host.enter((wasm) => {
    push(wasm, registration, registration.on);
    // One by one: of two keys for one capability the later counts.
    registration.pushed?.forEach((value, key) => push(wasm, registration, -1, JSON.stringify({ [key]: value })));
  });
};

/** `{ copy, text }` of what the page gave as JSON. */
export const toJson = (value, what) => {
  try {
    return checkedCopy(value);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw invalid(`\`${what}\`${fault.path && ` at \`${fault.path}\``} ${fault.message}`);
  }
};

const push = (wasm, { slot, generation }, on, text) => expectNumber(wasm, wasm.update(slot, generation, on, text));

export const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");
/** A property that is asked for when it is read: by the function under `ASK`. */
export const ASK = Symbol();
export const ASKED = {
  enumerable: true,
  get() {
    return this[ASK]();
  },
};

/** A plain object, and its own properties are all it has, so that a copy is as good; each function works on its own. */
const Handle = /* @__PURE__ */ (() => {
  function Handle(host, registration) {
    const use = (call) =>
      !host.disposed && !registration.isOver && host.enter((wasm) => call(wasm, registration.slot, registration.generation));
    const change = (call) => {
      if (!use(call)) host.develop("a handle was used after its registration ended or was rejected");
    };
    this.registrationId = "";
    this.update = (news = {}) => {
      const { enabled, availability } = news;
      onlyOptions(news, "enabled availability", "update");
      must(enabled === undefined || typeof enabled === "boolean", "`enabled` must be a boolean");
      const { copy, text } = availability === undefined ? { copy: {} } : toJson(availability, "availability");
      must(!text || text[0] === "{", "`availability` must be an object");
      const on = enabled === undefined ? -1 : +enabled;
      change((wasm) => push(wasm, registration, on, text));
      if (on >= 0) registration.on = on;
      for (const key of Object.keys(copy)) {
        const pushed = (registration.pushed ??= new Map());
        pushed.delete(key);
        pushed.set(key, copy[key]);
      }
    };
    this.invalidate = () => change((wasm, slot, generation) => wasm.change(INVALIDATE, slot, generation));
    this.unregister = () => {
      try {
        change((wasm, slot, generation) => wasm.change(UNREGISTER, slot, generation));
      } finally {
        // Also where the core is broken: it does not come back.
        registration.isOver = true;
      }
    };
    const isLive = () => use((wasm, slot, generation) => wasm.number(IS_LIVE, slot, generation));
    this[ASK] = () => (registration.slot < 0 ? "rejected" : isLive() ? "active" : "unregistered");
    Object.defineProperty(this, "status", ASKED);
    this[DISPOSE] = () => {
      if (isLive()) this.unregister();
    };
  }
  // As fast as a class, which a literal is not: the functions that it holds differ from one to the next.
  Handle.prototype = Object.prototype;
  return Handle;
})();

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
