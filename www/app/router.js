// The open device in the address: `#/devices/dev-007`. The state changes at once and the address follows, so an agent's
// next turn already finds the drawer.

const ROUTE = /^#\/devices\/([\w-]+)$/;

/** Keeps `store.openId` and `location.hash` the same, both ways. */
export function createRouter(store) {
  const read = () => ROUTE.exec(location.hash)?.[1] ?? null;
  const sync = () => {
    const id = read();
    store.open(id !== null && (store.phase !== "ready" || store.device(id)) ? id : null);
  };
  addEventListener("hashchange", sync);
  addEventListener("popstate", sync);
  sync();
  store.subscribe(() => {
    if (store.openId === read()) return;
    const target = store.openId === null ? "#/devices" : `#/devices/${store.openId}`;
    history.pushState(null, "", target);
  });
  return {
    /** The route as a snapshot names it. */
    current: () => (store.openId === null ? "/devices" : `/devices/${store.openId}`),
  };
}
