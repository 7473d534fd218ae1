// `explainSurface`: what a consumer sees of each capability, what it does not see, and why. Its outcome is the snapshot's
// own; for the rest it looks through the surface once more, as if nobody hid anything, and notes what policies say.
// A script of its own: it reaches the registry by a key that adapters are not given.

import { CLOSE_VIEW, LOOK, REGISTRATION_HEAD, VIEW_CELL, VIEW_NEWS } from "./codes.js";
import { toConsumer } from "./context.js";
import { deepFreeze } from "./json.js";
import { GUARD } from "./policies.js";

const APPROVER = Symbol.for("agent-surface-wasm.approver");

/** As a discovery answer is numbered. */
const OUTCOMES = ["expose", "hide", "disable"];
const PHASES = ["discovery", "authorize", "invoke"];

/** Asks one policy as the host's `voteOf` does, and notes what it said. Answers with the number for it. */
const vote = (host, voteOf, consumer, slot, at, ref, note) => {
  const { policy } = host.policies[ref];
  const said = {};
  const onDiscovery = (ctx) => {
    try {
      const answer = policy.onDiscovery(ctx);
      if (typeof answer?.reason === "string") said.reason = answer.reason;
      // A built-in whose check threw says no by itself.
      if (answer?.threw) said.threw = true;
      return answer;
    } catch (error) {
      said.threw = true;
      throw error;
    }
  };
  const give = (text) => {
    said.reason = text;
    host.give(text);
  };
  const asked = Object.assign(Object.create(host), { viewer: consumer, policies: { [ref]: { policy: { onDiscovery } } }, give });
  const answer = voteOf.call(asked, -1, slot, at, ref);
  const outcome = OUTCOMES[answer];
  const { reason, threw } = said;
  note({ discovery: reason === undefined || answer === 0 ? { outcome } : { outcome, reason }, ...(threw && { threw }) });
  return answer;
};

/**
 * Looks through a view that hides nothing. Gives the registrations in order as `[slot, cell]`, the cell as the core's
 * `view_cell` has it, and notes each vote.
 */
const lookBehind = (host, consumer, scope, note) => {
  const { voteOf, viewer: before } = host;
  // This look's own, so that a closure which looks at the surface meanwhile is answered as ever.
  const viewer = {};
  const id = host.enter((wasm) => wasm.openView(scope, true, -1, -1));
  host.voteOf = (call, slot, at, ref) => {
    if (host.viewer !== viewer || call >= 0) return voteOf.call(host, call, slot, at, ref);
    const answer = vote(host, voteOf, consumer, slot, at, ref, (said) => note(slot, at, ref, said));
    return answer === 1 ? 0 : answer;
  };
  host.viewer = viewer;
  host.looks++;
  try {
    return host.enter((wasm) => {
      wasm.number(LOOK, id);
      const { rows } = JSON.parse(wasm.read(VIEW_NEWS, id));
      const slots = rows.filter((_, at) => at % 2 === 0).map((place) => place >> 1);
      return slots.map((slot) => [slot, JSON.parse(wasm.read(VIEW_CELL, id, slot))]);
    });
  } finally {
    host.looks--;
    host.viewer = before;
    host.voteOf = voteOf;
    host.enter((wasm) => wasm.change(CLOSE_VIEW, id));
  }
};

/** What a snapshot says of each capability that it lists, by registration and id. */
const listed = ({ components, procedures }) => {
  const states = new Map();
  const add = (registrationId, id, { available, unavailableReason: reason }) =>
    states.set(`${registrationId} ${id}`, available ? { available } : { available, reason });
  for (const { registrationId, observations, actions } of components) {
    for (const each of [...observations, ...actions]) add(registrationId, each.capabilityId, each);
  }
  for (const each of procedures) add(each.registrationId, each.procedureId, each);
  return states;
};

/** A chain as it registered: `{ ref, name, hooks }` each. */
const policiesIn = (text) => JSON.parse(text).policies ?? [];

const describePolicy = (host, { ref, name, hooks }, scope, kind, said) => {
  const escalates = kind !== "observation" && name === "require-confirmation" && GUARD in host.policies[ref].policy;
  return {
    name,
    scope,
    phases: PHASES.filter((_, at) => hooks & (1 << at)),
    ...said,
    ...(escalates && { confirmationEscalation: true }),
  };
};

const outcomeOf = (state, policies) => {
  if (state?.available) return { outcome: "expose" };
  if (state) return { outcome: "disable", reason: state.reason };
  const hiding = policies.filter(({ discovery }) => discovery?.outcome === "hide");
  const reason = hiding.find(({ discovery }) => discovery.reason !== undefined)?.discovery.reason;
  return reason === undefined ? { outcome: "hide" } : { outcome: "hide", reason };
};

export const explainSurface = (registry, ctx = {}) => {
  const host = registry?.[APPROVER]?.host;
  if (!host) throw new TypeError("`explainSurface` expects a registry of `createAgentSurfaceRegistry`; no adapter has one");
  const { consumer: given, scope } = ctx ?? {};
  // First: it refuses what is no consumer or scope, and a registry that was disposed.
  const snapshot = registry.snapshot({ consumer: given, scope });
  const consumer = toConsumer(given);
  const states = listed(snapshot);
  const votes = new Map();
  const note = (slot, at, ref, said) => votes.set(`${slot} ${at} ${ref}`, said);
  const capabilities = [];
  for (const [slot, cell] of lookBehind(host, consumer, scope && JSON.stringify(scope), note)) {
    const { id: registrationId, members, component } = host.registrations[slot];
    const { header, encoded } = component;
    const { type, instanceId } = JSON.parse(host.wasm.read(REGISTRATION_HEAD, slot));
    members.forEach(({ id, kind, spec }, at) => {
      const chain = [
        ...host.chain.map((policy) => [policy, "registry"]),
        ...policiesIn(header).map((policy) => [policy, "component"]),
        ...policiesIn(encoded[at].text).map((policy) => [policy, "capability"]),
      ];
      const policies = chain.map(([policy, place]) => {
        return describePolicy(host, policy, place, kind, votes.get(`${slot} ${at} ${policy.ref}`));
      });
      const state = states.get(`${registrationId} ${id}`);
      const reason = cell === null ? null : cell[cell.indexOf(at) + 1];
      capabilities.push({
        capabilityId: id,
        kind,
        plane: kind === "procedure" ? "domain" : "view",
        description: host.specs[spec].description,
        registrationId,
        component: { type, instanceId },
        ...outcomeOf(state, policies),
        policies,
        availability: state ?? (reason === null ? { available: true } : { available: false, reason }),
      });
    });
  }
  const { surfaceId, surfaceVersion, capturedAt, route } = snapshot;
  return deepFreeze({ surfaceId, surfaceVersion, capturedAt, ...(route !== undefined && { route }), consumer, capabilities });
};
