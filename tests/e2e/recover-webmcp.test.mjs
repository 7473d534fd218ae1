// `recover()` and the browser's tools: what the browser has belongs to the broken instance, and is offered anew.

import assert from "node:assert/strict";
import { test } from "node:test";
import { usePage } from "./surface-page.mjs";

const { run } = usePage({ path: "/webmcp.html" });

for (const shape of [{}, { frees: "later" }, { knowsSignals: false, unregisters: true }, { whole: true }]) {
  test(`a browser of the shape ${JSON.stringify(shape)} has the tools of the fresh instance`, async () => {
    const found = await run(async (shape) => {
      const host = W.host(shape);
      const registry = T.registry();
      const waiting = T.deferred();
      registry.register(T.component({ actions: { go: T.act(() => "went"), wait: T.act(() => waiting.promise) } }));
      const { adapter, stop } = W.attach(registry, { modelContext: host });
      const inFlight = host.call("view_demo__wait", {});
      const old = host.held.get("view_demo__go");
      await T.trap(() => registry.snapshot());
      const ended = W.told(await inFlight);
      const broken = W.told(await host.call("view_demo__go", {}));
      await A.recover();
      // A name that comes free late is offered again a little later.
      while (adapter.status().tools.length < 2 || !host.held.has("view_demo__go")) await T.turn();
      const facts = {
        ended,
        broken: broken[0],
        names: [...host.held.keys()].sort(),
        other: host.held.get("view_demo__go") !== old,
        went: W.told(await host.call("view_demo__go", {})),
        old: W.told(await old.execute({})),
        diagnosis: adapter.diagnose().code,
      };
      await stop();
      await T.turn();
      facts.left = adapter.status().tools.length;
      registry.dispose();
      return facts;
    }, shape);
    assert.deepEqual(found, {
      ended: ["EXECUTION_FAILED", { outcome: "unknown" }],
      broken: "CAPABILITY_NOT_FOUND",
      names: ["view_demo__go", "view_demo__wait"],
      other: true,
      went: ["ok", "went"],
      old: ["STALE_CAPABILITY", found.old[1]],
      diagnosis: "ok",
      left: 0,
    });
    assert.equal(found.old[1].reason, "surface-reloaded");
  });
}
