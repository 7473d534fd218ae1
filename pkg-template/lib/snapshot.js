// What a consumer sees: asks the core for what changed, and builds frozen objects of it. Rules live in the core.

import { CLOSE_VIEW, LOOK, REGISTRATION_HEAD, VIEW_CELL, VIEW_NEWS } from "./codes.js";
import { toConsumer } from "./context.js";
import { disposedError, must } from "./errors.js";
import { freeze } from "./intrinsics.js";
import { deepFreeze } from "./json.js";
import { onlyOptions } from "./options.js";
import { describeCapability, toJson } from "./registration.js";

/** Views that are kept between snapshots, for each registry. */
const MOST_VIEWS = 16;

/** A closure that is asked may look at the surface itself, and be asked again: that must end before the stack does. */
const MOST_LOOKS = 2;

/** Component-type prefixes as the text that crosses; undefined means all. */
export const scopeText = (scope) => {
  if (scope === undefined) return undefined;
  const isList = Array.isArray(scope) && scope.every((prefix) => typeof prefix === "string");
  must(isList, "`scope` must be an array of component-type prefixes");
  return toJson(scope, "scope").text;
};

const ALL = [-1, -1];

const isCount = (most) => most === undefined || (Number.isInteger(most) && most >= 0 && most < 2 ** 32);

/** How many components a snapshot lists, and how many bytes they take. */
export const budgetOf = (budget) => {
  if (budget === undefined) return ALL;
  const { maxComponents, maxBytes, ...unknown } = Object(budget);
  const isBudget = Object(budget) === budget && isCount(maxComponents) && isCount(maxBytes) && !Object.keys(unknown).length;
  must(isBudget, "`budget` must be { maxComponents?, maxBytes? }, whole numbers");
  return [maxComponents ?? -1, maxBytes ?? -1];
};

/** Runs `look` with the consumer that policies and closures are asked for. */
export const lookAs = (host, consumer, look) => {
  if (host.looks >= MOST_LOOKS) {
    throw new Error("a policy or `when` looks at the surface and is asked for that, without an end");
  }
  const before = host.viewer;
  host.viewer = consumer;
  host.looks++;
  try {
    return host.enter(look);
  } finally {
    host.looks--;
    host.viewer = before;
  }
};

/** `shown` is what the core's `view_cell` says. */
const buildCell = (host, place, stamp, shown) => {
  const slot = place >> 1;
  const registration = host.registrations[slot];
  const { members } = registration;
  const observations = [];
  const actions = [];
  const procedures = [];
  const show = (at, reason, note) => {
    const { kind, spec } = members[at];
    if (kind !== "procedure") {
      (kind === "action" ? actions : observations).push(describeCapability(host, spec, reason === null, reason));
      return;
    }
    const { meta, ...base } = host.specs[spec].descriptor(host.wasm, spec);
    const state = reason === null ? { available: true } : { available: false, unavailableReason: reason };
    const { type, instanceId } = headOf(host, slot);
    procedures.push(
      freeze({
        ...base,
        ...(note === null ? undefined : { contextualNote: note }),
        ...state,
        registrationId: registration.id,
        context: freeze({ type, instanceId }),
        ...(meta === undefined ? undefined : { meta }),
      }),
    );
  };
  if (shown === null) members.forEach((_, at) => show(at, null, null));
  else for (let at = 0; at < shown.length; at += 3) show(shown[at], shown[at + 1], shown[at + 2]);
  const lists = { observations: freeze(observations), actions: freeze(actions) };
  const component = place & 1 ? freeze({ ...headOf(host, slot), ...lists }) : undefined;
  return { place, stamp, component, procedures };
};

const headOf = (host, slot) => {
  const registration = host.registrations[slot];
  return (registration.head ??= deepFreeze(JSON.parse(host.wasm.read(REGISTRATION_HEAD, slot))));
};

/** A row of a view is `place`, twice the slot and one more where it is listed as a component, and `stamp`, its content. */
const buildLists = (host, { id, rows, cells }) => {
  const components = [];
  const procedures = [];
  for (let at = 0; at < rows.length; at += 2) {
    const place = rows[at];
    const slot = place >> 1;
    let cell = cells[slot];
    if (cell?.stamp !== rows[at + 1] || cell.place !== place) {
      cell = cells[slot] = buildCell(host, place, rows[at + 1], JSON.parse(host.wasm.read(VIEW_CELL, id, slot)));
    }
    if (cell.component) components.push(cell.component);
    if (cell.procedures.length > 0) procedures.push(...cell.procedures);
  }
  return { components: freeze(components), procedures: freeze(procedures) };
};

/** The last snapshot's lists with the rows whose content differs since; nothing where one of them has procedures. */
const patchLists = (host, { rows, cells, snapshot }, changes) => {
  const components = [...snapshot.components];
  let procedures = 0;
  for (let at = 0; at < changes.length; at += 3) {
    const row = changes[at] * 2;
    const slot = rows[row] >> 1;
    const last = cells[slot];
    const cell = (cells[slot] = buildCell(host, rows[row], (rows[row + 1] = changes[at + 1]), changes[at + 2]));
    procedures += last.procedures.length + cell.procedures.length;
    if (cell.component) components[components.indexOf(last.component)] = cell.component;
  }
  return procedures > 0 ? undefined : { components: freeze(components), procedures: snapshot.procedures };
};

/** From the core's `view_news`. */
const buildSnapshot = (host, view) => {
  const { surfaceId, wasm } = host;
  const news = JSON.parse(wasm.read(VIEW_NEWS, view.id));
  const { version: surfaceVersion, time: capturedAt, route, rows, changes, dropped } = news;
  if (rows) view.rows = rows;
  const { components, procedures } = (changes && patchLists(host, view, changes)) ?? buildLists(host, view);
  const shown = { surfaceId, surfaceVersion, capturedAt, ...(route !== undefined && { route }), components, procedures };
  if (dropped) shown.truncated = freeze({ droppedComponents: dropped });
  return freeze(shown);
};

const openView = (host, scope, includeUnavailable, budget) => ({
  id: host.enter((wasm) => wasm.openView(scope, includeUnavailable, ...budget)),
  stamp: undefined,
  rows: undefined,
  cells: [],
  snapshot: undefined,
});

export const snapshot = (host, options = {}) => {
  if (host.disposed) throw disposedError();
  const { scope, includeUnavailable = true, budget } = options ?? {};
  onlyOptions(options ?? {}, "consumer scope includeUnavailable budget", "snapshot");
  const consumer = toConsumer(options?.consumer);
  const prefixes = scopeText(scope);
  const most = budgetOf(budget);
  const key = `${includeUnavailable ? 1 : 0}${most === ALL ? "" : most}${consumer.kind}:${consumer.id}\n${prefixes ?? ""}`;
  let view = host.views.get(key);
  if (view === undefined) {
    if (host.views.size >= MOST_VIEWS) {
      // The oldest that nobody is looking through.
      const closes = ([, { id }]) => host.enter((wasm) => wasm.change(CLOSE_VIEW, id));
      host.views.delete([...host.views].find(closes)?.[0]);
    }
    view = openView(host, prefixes, !!includeUnavailable, most);
    host.views.set(key, view);
  }
  const stamp = lookAs(host, consumer, (wasm) => wasm.number(LOOK, view.id));
  if (stamp >= 0) {
    if (stamp !== view.stamp) {
      view.snapshot = host.enter(() => buildSnapshot(host, view));
      view.stamp = stamp;
    }
    return view.snapshot;
  }
  // A closure that this very view is asking wants a snapshot too: it gets one of its own.
  const once = openView(host, prefixes, !!includeUnavailable, most);
  try {
    lookAs(host, consumer, (wasm) => wasm.number(LOOK, once.id));
    return host.enter(() => buildSnapshot(host, once));
  } finally {
    host.enter((wasm) => wasm.change(CLOSE_VIEW, once.id));
  }
};

/** The current tools of a view belong to the descriptors of a snapshot: what `exposeCapability` is shown. */
export const describeFor = (host, slot, at) => {
  const { spec, kind } = host.registrations[slot].members[at];
  const base = describeCapability(host, spec, true);
  return kind === "procedure" ? freeze({ ...base, registrationId: host.registrations[slot].id }) : base;
};
