// Nothing grows with the number of cycles: neither the module's memory nor the page's heap.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, openPage } from "./harness/browser.mjs";
import { serve } from "./harness/server.mjs";
import { FOLDERS, runIn } from "./surface-page.mjs";

let browser;
let server;
before(async () => {
  server = await serve({ folders: FOLDERS });
  browser = await launch({ args: ["--js-flags=--expose-gc", "--enable-precise-memory-info"] });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** A page that knows the module's memory, which the package itself shows nobody. */
async function open() {
  const page = await openPage(browser, `${server.origin}/webmcp.html?late`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await runIn(page, async () => {
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...given) => {
      const made = await instantiate(...given);
      const { exports } = made.instance ?? made;
      globalThis.memory = Object.values(exports).find((each) => each instanceof WebAssembly.Memory);
      return made;
    };
    await A.init();
    WebAssembly.instantiate = instantiate;
  });
  return page;
}

const measure = (page) =>
  runIn(page, async () => {
    for (let n = 0; n < 3; n++) {
      await T.turn();
      gc();
    }
    return { wasm: memory.buffer.byteLength, heap: performance.memory.usedJSHeapSize };
  });

/** `first` thousand cycles, then `second` thousand more: what the first ones needed must do for all. */
async function cycles(name, [first, second], setUp, cycle) {
  const page = await open();
  await runIn(page, setUp);
  const thousands = async (count) => {
    for (let n = 0; n < count; n++) {
      await page.evaluate(`(async () => { const cycle = ${cycle}; for (let n = 0; n < 1000; n++) await cycle(n); })()`);
    }
    return measure(page);
  };
  const early = await thousands(first);
  const late = await thousands(second);
  await page.close();
  assert.ok(early.wasm > 0);
  assert.equal(late.wasm, early.wasm, `${name}: the module's memory grew`);
  const growth = late.heap - early.heap;
  assert.ok(growth < 1_000_000, `${name}: the page's heap grew by ${growth} bytes in ${second},000 cycles`);
  assert.deepEqual(page.faults, []);
}

test("register, invoke and dispose a registry, 100,000 times", { timeout: 600_000 }, () =>
  cycles(
    "registries",
    [10, 90],
    () => {
      globalThis.definition = T.component({
        observations: { rows: T.read(() => [1, 2, 3]) },
        actions: { stuck: T.act(() => new Promise(() => undefined)), go: T.act(({ n }) => n, { input: T.object({ n: { type: "integer" } }), policies: [A.authenticated()] }) },
      });
    },
    async (n) => {
      const registry = T.registry({ context: { user: 1 } });
      const handle = registry.register(definition);
      const result = await registry.invoke({ capabilityId: "view:demo.go", input: { n } });
      if (result.output !== n) throw new Error(JSON.stringify(result));
      if (n % 3 === 0) registry.invoke({ capabilityId: "view:demo.stuck" });
      if (n % 2) handle.unregister();
      registry.dispose();
    },
  ),
);

test("create a registry that nobody uses or disposes, 40,000 times", { timeout: 600_000 }, () =>
  cycles(
    "unused registries",
    [10, 30],
    () => undefined,
    () => void T.registry({ context: { text: "x".repeat(100) }, now: () => 0 }),
  ),
);

test("mount, call, confirm, list, offer and unmount in one registry, 30,000 times", { timeout: 600_000 }, () =>
  cycles(
    "mounts",
    // Its largest tables are full after 10,000: a page of 64 KiB may come before that, none after.
    [15, 15],
    () => {
      globalThis.registry = T.registry({ audit: A.memoryAuditSink(), requireApprover: false });
      registry.setProcedureExecutor({ execute: ({ input }) => input });
      globalThis.toolset = A.createAgentToolset(registry, { consumer: { id: "c", kind: "embedded" }, topology: "remote" });
      toolset.subscribe(() => undefined);
      globalThis.host = W.host();
      registry.attach(A.createWebMcpAdapter({ modelContext: { registerTool: (tool, options) => host.registerTool(tool, options) } }));
      globalThis.policy = () => ({ name: "own", onInvoke: (_, next) => next() });
    },
    async (n) => {
      host.log.length = 0;
      const handle = registry.register(
        T.component({
          instanceId: `i${n % 7}`,
          actions: {
            go: T.act(() => n, { confirmation: "required", policies: [policy()] }),
            plain: T.act((input) => input, { input: T.object({ [`field${n}`]: { type: "string" } }) }),
            throws: T.act(() => {
              throw new Error("x");
            }),
          },
          procedures: [A.procedure({ id: `domain:p${n}`, description: "P", input: T.object({ a: {} }), effect: "server-query", bind: { a: () => n } })],
        }),
      );
      registry.snapshot({ consumer: { id: `c${n % 50}`, kind: "other" } });
      const asked = await registry.invoke({ capabilityId: "view:demo.go" });
      const { confirmationId } = asked.error.details;
      registry.confirmations.resolve(confirmationId, { approved: n % 3 > 0 });
      await registry.invoke({ capabilityId: "view:demo.go", confirmationId, invocationId: `id-${Math.random()}` });
      const tools = toolset.tools();
      await tools.find(({ name }) => name.includes("go")).execute({}, { toolCallId: `t-${Math.random()}` });
      await registry.invoke({ capabilityId: "view:demo.throws" });
      await registry.invoke({ capabilityId: `domain:p${n}` });
      handle.update({ enabled: false });
      handle.unregister();
      await null;
    },
  ),
);
