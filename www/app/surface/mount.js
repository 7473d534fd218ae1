// Puts the console's components on the surface and keeps them in step with the store.

import { drawerComponent } from "./drawer.js";
import { filtersComponent } from "./filters.js";
import { tableComponent } from "./table.js";

/** Registers what is shown; returns the way to take it off again. */
export function mountSurface(registry, store) {
  const filters = registry.register(filtersComponent(store));
  const table = registry.register(tableComponent(store));
  let drawer = null;
  let facts = factsOf(store);

  const sync = () => {
    drawer = syncDrawer(registry, store, drawer);
    // `when` is asked at every call; consumers that were told a catalog hear of a change only when somebody says so.
    const now = factsOf(store);
    if (now.loading !== facts.loading) filters.invalidate();
    if (Object.keys(now).some((key) => now[key] !== facts[key])) table.invalidate();
    facts = now;
  };
  const stop = store.subscribe(sync);
  sync();
  return () => {
    stop();
    for (const handle of [drawer?.handle, table, filters]) handle?.unregister();
  };
}

function syncDrawer(registry, store, drawer) {
  const wanted = store.openDevice?.id ?? null;
  if (wanted === (drawer?.id ?? null)) return drawer;
  drawer?.handle.unregister();
  return wanted === null ? null : { id: wanted, handle: registry.register(drawerComponent(store, wanted)) };
}

/** What availability depends on. */
function factsOf(store) {
  return { loading: store.loadObstacle(), chosen: store.selection.size > 0, obstacle: store.disableObstacle(), paged: store.pages > 1 };
}
