// A registry and the module's instance under it: the first one, and after a trap the next. Holds no rule.

import { MARK, RECOVERED, SURFACE_ID } from "./codes.js";
import { fromModule } from "./errors.js";
import { realm, requireWasm, trapped } from "./realm.js";
import { remount } from "./registration.js";
import { attempt } from "./thenable.js";

/** How a call ends that was in flight when the instance broke. */
const UNKNOWN =
  '{"code":"EXECUTION_FAILED","message":"The page broke during this call: whether it took effect is unknown. Read the state before anything else.","retry":"no","details":{"outcome":"unknown"}}';

/** Versions that one instance may count through before its successor's begin. */
const VERSIONS = 2 ** 40;

/** Opens the registry in the module's instance: at once where the core may refuse its options, else with its first use. */
export const open = (host) => {
  const { Registry } = requireWasm();
  const config = (host.configText ??= host.config());
  try {
    const wasm = (host.wasm = new Registry(host, config));
    // Any script finds the realm's record: nothing there leads to a registry.
    host.life ??= { stop: () => stop(host), revive: () => host.wasm || host.disposed || revive(host) };
    realm.hosts.add(host.life);
    host.surfaceId ??= wasm.read(SURFACE_ID);
    host.mark = wasm.read(MARK);
  } catch (error) {
    throw fromModule(trapped(error));
  }
  host.announce();
};

/** The instance is broken: whoever waits for it is told. What the page gave stays, for `revive`. */
export const stop = (host) => {
  const version = ++host.recoveries * VERSIONS;
  host.wasm = host.running = undefined;
  host.lastVersion = String(version);
  for (const entry of host.entries.splice(0)) {
    if (!entry) continue;
    attempt(() => {
      if (!entry.isOver()) {
        entry.settle(host.failure(entry, UNKNOWN, version));
        entry.abort();
      }
    });
    entry.close();
  }
  host.timers.splice(0).forEach(({ handle }) => globalThis.clearTimeout(handle));
  for (const id of [...host.waiters.keys()]) host.confirmationResolved(id, "expired");
};

/** Brings what the page still holds into a fresh instance. When that breaks, too, it is all held as before. */
export const revive = (host) => {
  const { components, toolsets } = host;
  const live = host.registrations.filter((registration) => registration && !registration.isOver);
  host.registrations = [];
  host.components = [];
  host.specs = [];
  host.toolsets = new Map();
  for (const known of [host.specIds, host.routes, host.views]) known.clear();
  try {
    open(host);
    host.enter((wasm) => {
      wasm.change(RECOVERED, host.recoveries);
      // Whatever procedures are there registered with an executor.
      wasm.setExecutor(true);
    });
    for (const registration of live) remount(host, registration);
    host.sendExecutor();
    for (const toolset of toolsets.values()) toolset.reopen();
  } catch (error) {
    host.registrations = live;
    host.toolsets = toolsets;
    throw error;
  }
  for (const component of components) {
    if (component && host.components[component.id] !== component) host.policyTable.drop(component.used);
  }
  for (const confirmationId of host.asked) {
    host.event(JSON.stringify({ type: "confirmation-resolved", confirmationId, outcome: "expired" }));
  }
};
