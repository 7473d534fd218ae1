// `createTestSurface`: a registry as the tests of a page want it. It calls as one consumer, keeps what happened, decides
// confirmations and lets them expire. Page code only: nothing that an adapter is given leads here.

import { AgentSurfaceError, createAgentSurfaceRegistry, memoryAuditSink } from "#core";
import { STATUS } from "./codes.js";

const { freeze } = Object;
const APPROVER = Symbol.for("agent-surface-wasm.approver");
const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");
/** Questions whose end is remembered, as many as events and records are. */
const MOST_EXPIRIES = 1000;

/** The facade's side of a registry; views of adapters have no way to it. */
export const hostOf = (registry) => {
  const host = registry?.[APPROVER]?.host;
  if (host) return host;
  throw new TypeError("`registry` must be a registry of `createAgentSurfaceRegistry`, of the same version of this package");
};

/** Takes down what the registry records beside what its own sink is given. */
const tapAudit = (host, log) => {
  const { auditSink, audits } = host;
  let isOpen = true;
  const tap = {
    record(event) {
      if (isOpen) log.record(event);
      return auditSink?.record(event);
    },
  };
  if (auditSink?.redact) tap.redact = (...payload) => auditSink.redact(...payload);
  host.auditSink = tap;
  host.audits = true;
  host.announce();
  return () => {
    isOpen = false;
    // Another surface that was made later records on through this one.
    if (host.auditSink !== tap) return;
    host.auditSink = auditSink;
    host.audits = audits;
    host.announce();
  };
};

/** What all views of one test surface share: the registry, and what happened in it. */
class Ground {
  constructor({ registry, host: context, ...rest }) {
    const [unknown] = Object.keys(rest);
    if (unknown) throw new TypeError(`\`${unknown}\` is no option of \`createTestSurface\`; it takes registry, consumer, host`);
    this.isOwner = registry === undefined;
    this.registry = registry ?? createAgentSurfaceRegistry({ environment: "test", context });
    const host = (this.inner = hostOf(this.registry));
    this.eventLog = memoryAuditSink();
    this.auditLog = memoryAuditSink();
    this.expiries = new Map();
    for (const { confirmationId, expiresAt } of this.registry.confirmations.pending()) this.expires(confirmationId, expiresAt);
    const untap = tapAudit(host, this.auditLog);
    const unsubscribe = this.registry.subscribe((event) => {
      if (event.type === "confirmation-requested") this.expires(event.confirmationId, event.expiresAt);
      this.eventLog.record(event);
    });
    const { contextOption } = host;
    if (context !== undefined) host.contextOption = context;
    this.restore = () => {
      unsubscribe();
      untap();
      if (context !== undefined && host.contextOption === context) host.contextOption = contextOption;
    };
  }

  expires(confirmationId, expiresAt) {
    this.expiries.set(confirmationId, Date.parse(expiresAt));
    if (this.expiries.size > MOST_EXPIRIES) this.expiries.delete(this.expiries.keys().next().value);
  }

  /** The question that is meant where no id is given: the only one. */
  only(confirmationId) {
    if (confirmationId !== undefined) return confirmationId;
    const pending = this.registry.confirmations.pending();
    if (pending.length === 1) return pending[0].confirmationId;
    throw new Error(`name the confirmation: ${pending.length} are pending`);
  }

  resolve(confirmationId, decision) {
    return this.registry.confirmations.resolve(this.only(confirmationId), decision);
  }

  /** The registry looks at the question once by a clock that stands past its end: what then happens is its own rule. */
  expire(confirmationId) {
    const id = this.only(confirmationId);
    const host = this.inner;
    const end = this.expiries.get(id);
    if (end === undefined || host.disposed) return false;
    const look = () => host.enter((wasm) => wasm.confirmation(STATUS, id));
    const before = look();
    const { nowOption } = host;
    host.nowOption = () => {
      host.nowOption = nowOption;
      return end + 1;
    };
    try {
      return look() === "expired" && before !== "expired";
    } finally {
      host.nowOption = nowOption;
    }
  }

  dispose() {
    this.restore?.();
    this.restore = undefined;
    if (this.isOwner) this.registry.dispose();
  }
}

/** All capabilities of a snapshot by id, with what is needed to call them. */
const entriesOf = ({ components, procedures }, capabilityId) => [
  ...components.flatMap(({ instanceId, registrationId, observations, actions }) =>
    [...observations, ...actions]
      .filter((capability) => capability.capabilityId === capabilityId)
      .map(() => ({ instanceId, registrationId })),
  ),
  ...procedures
    .filter(({ procedureId }) => procedureId === capabilityId)
    .map(({ context, registrationId }) => ({ instanceId: context?.instanceId, registrationId })),
];

const captureRef = (snapshot, capabilityId, instanceId) => {
  const found = entriesOf(snapshot, capabilityId);
  const fitting = instanceId === undefined ? found : found.filter((entry) => entry.instanceId === instanceId);
  if (fitting.length === 1) {
    const { surfaceVersion } = snapshot;
    return freeze({ capabilityId, registrationId: fitting[0].registrationId, surfaceVersion });
  }
  const instances = found.map((entry) => `\`${entry.instanceId}\``).join(", ");
  if (fitting.length > 1) throw new Error(`\`${capabilityId}\` has the instances ${instances}: name one as \`instanceId\``);
  throw new Error(
    `\`${capabilityId}\`${instanceId === undefined ? "" : ` of the instance \`${instanceId}\``} is not in this consumer's surface` +
      (instances && `, whose instances are ${instances}`),
  );
};

/** Whether a call of it could run something: what is to be read must be an observation. */
const acts = ({ inner: { registrations } }, capabilityId) =>
  registrations.some((each) => each?.members.some(({ id, kind }) => id === capabilityId && kind !== "observation"));

const surfaceAs = (ground, consumer) => {
  const { registry } = ground;
  // It refuses what is no consumer; no component is within this scope, so that nothing is asked.
  if (!ground.inner.disposed) registry.snapshot({ consumer, scope: ["-"] });
  const invoke = (target, input, { consumer: other = consumer, signal, timeoutMs, ...tokens } = {}) => {
    const named = typeof target === "object" && target !== null ? target : { capabilityId: target };
    return registry.invoke({ ...named, ...tokens, input }, { consumer: other, signal, timeoutMs });
  };
  const dispose = () => ground.dispose();
  return {
    registry,
    consumer,
    register: (definition) => registry.register(definition),
    snapshot: (context) => registry.snapshot({ consumer, ...context }),
    invoke,
    async observe(target, options) {
      const capabilityId = target?.capabilityId ?? target;
      if (acts(ground, capabilityId)) throw new TypeError(`\`observe\` reads, and \`${capabilityId}\` is no observation: \`invoke\` it`);
      const result = await invoke(target, undefined, options);
      if (result.status !== "ok") throw new AgentSurfaceError(result.error);
      if (!result.surfaceChanged) return result.output;
      throw new Error(`the surface moved to version ${result.surfaceVersion} while \`${result.capabilityId}\` was read`);
    },
    captureRef: (capabilityId, { instanceId, consumer: other = consumer } = {}) =>
      captureRef(registry.snapshot({ consumer: other }), capabilityId, instanceId),
    as: (other) => surfaceAs(ground, other),
    confirmations: {
      pending: () => registry.confirmations.pending(),
      approve: (confirmationId) => ground.resolve(confirmationId, { approved: true }),
      deny: (confirmationId, reason) => ground.resolve(confirmationId, { approved: false, reason }),
      expire: (confirmationId) => ground.expire(confirmationId),
    },
    get events() {
      return ground.eventLog.events();
    },
    get auditLog() {
      return ground.auditLog.events();
    },
    dispose,
    [DISPOSE]: dispose,
  };
};

export const createTestSurface = ({ consumer = { id: "test", kind: "test" }, ...options } = {}) => {
  const ground = new Ground(options);
  try {
    return surfaceAs(ground, consumer);
  } catch (error) {
    ground.dispose();
    throw error;
  }
};
