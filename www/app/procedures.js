// What changes the backend, for a person's click and for an agent's call alike: write, read back, say so.

import { disableDevices, renameDevice } from "./api.js";
import { count } from "./format.js";

const NAMES = { embedded: "Copilot", webmcp: "The browser's agent" };
const brief = ({ id, name, city, status }) => ({ id, name, city, status });

/** `disable(ids, { signal?, consumer? })` and `rename({ id, name }, …)`; without a consumer it is the person. */
export function createProcedures(store, toasts) {
  const by = (consumer, verb) => (consumer ? `${NAMES[consumer.kind] ?? consumer.id} ${verb}` : verb.charAt(0).toUpperCase() + verb.slice(1));
  return {
    async disable({ ids }, { signal, consumer } = {}) {
      await disableDevices(ids, signal);
      await store.reload();
      toasts.show(by(consumer, `disabled ${count(ids.length, "device")}`));
      return { disabled: ids.flatMap((id) => (store.device(id) ? [brief(store.device(id))] : [])) };
    },
    async rename({ id, name }, { signal, consumer } = {}) {
      const before = store.device(id)?.name ?? id;
      await renameDevice(id, name, signal);
      await store.reload();
      toasts.show(by(consumer, `renamed ${before} to ${store.device(id)?.name ?? name}`));
      return { device: brief(store.device(id)) };
    },
  };
}
