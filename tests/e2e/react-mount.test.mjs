// What components register, when, and what their functions see, in each version of React. Names such as D3 are those of
// reports from the field.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useReact, VERSIONS } from "./react-page.mjs";

for (const version of VERSIONS) {
  describe(`React ${version}`, () => {
    const { run, takeFaults } = useReact(version);

    test("the page has the version that it says", async () => {
      assert.match(await run(() => R.React.version), new RegExp(`^${version}\\.`));
    });

    test("1,000 renders with new closures register once, and the newest closure runs (D3)", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const definition = (at) => R.component({ actions: { go: R.act(() => at, { output: R.A.fromJsonSchema({ type: "integer" }) }) } });
        const mounted = R.mount(on, h(Has, { definition: definition(0) }));
        for (let at = 1; at <= 1000; at++) mounted.render(h(Has, { definition: definition(at) }));
        const facts = [R.takeLog(on), on.getVersion(), await R.call(on, "view:demo.go")];
        mounted.unmount();
        return [...facts, R.takeLog(on)];
      });
      assert.deepEqual(facts, ["registered", "1", 1000, "unregistered"]);
    });

    test("Strict Mode mounts twice and leaves one registration, which the browser's agent sees once (D1)", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const tools = new Map();
        const listed = [];
        // Names are free again in a later turn.
        const modelContext = {
          registerTool(tool, { signal }) {
            if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError");
            tools.set(tool.name, tool);
            signal.addEventListener("abort", () => R.turn().then(() => tools.delete(tool.name)));
          },
        };
        const detach = on.attach(R.A.createWebMcpAdapter({ modelContext }), { consumer: { id: "b", kind: "webmcp" } });
        const mounted = R.mount(on, h(Has, { definition: R.component({ actions: { go: R.act() } }) }), { strict: true });
        const log = R.takeLog(on);
        for (let at = 0; at < 20; at++) await R.turn();
        listed.push(tools.size, R.names(on).join());
        mounted.unmount();
        for (let at = 0; at < 20; at++) await R.turn();
        listed.push(tools.size);
        await detach();
        return [log, ...listed];
      });
      assert.deepEqual(facts, ["registered,unregistered,registered", 1, "demo@default", 0]);
    });

    test("calls of one batch see what those before them set (D4)", async () => {
      const facts = await run(async () => {
        const { h, React } = R;
        const on = R.registry();
        const Counter = () => {
          const [count, setCount] = React.useState(0);
          R.S.useAgentComponent(
            R.component({ observations: { count: R.read(() => count) }, actions: { add: R.act(() => setCount(count + 1)) } }),
          );
          return h("output", null, count);
        };
        const mounted = R.mount(on, h(Counter));
        const add = () => R.call(on, "view:demo.add");
        await Promise.all([add(), add(), add()]);
        const facts = [mounted.container.textContent, await R.call(on, "view:demo.count")];
        await add();
        facts.push(await R.call(on, "view:demo.count"), R.takeLog(on));
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["3", 3, 4, "registered"]);
    });

    test("an async handler is waited for, and what it throws reaches the agent", async () => {
      const facts = await run(async () => {
        const { h, Has, React } = R;
        const on = R.registry();
        const Counter = () => {
          const [count, setCount] = React.useState(0);
          const add = R.act(async () => {
            await null;
            setCount((now) => now + 1);
            return "done";
          });
          R.S.useAgentComponent(R.component({ actions: { add, fail: R.act(() => Promise.reject(new Error("no"))) } }));
          return count;
        };
        const mounted = R.mount(on, h(Counter));
        const facts = [await R.call(on, "view:demo.add"), mounted.container.textContent, await R.call(on, "view:demo.fail")];
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["done", "1", "EXECUTION_FAILED"]);
    });

    test("an action that takes its own component away ends well, with the page that it led to (D8)", async () => {
      const facts = await run(async () => {
        const { h, React } = R;
        const on = R.registry();
        let ran = 0;
        const List = ({ go }) => {
          R.S.useAgentComponent(R.component({ type: "page.one", actions: { open: R.act(go), queued: R.act(() => void ran++) } }));
          return "list";
        };
        const Detail = () => {
          R.S.useAgentComponent(R.component({ type: "page.two", actions: { save: R.act() } }));
          return "detail";
        };
        const Router = () => {
          const [route, setRoute] = React.useState("list");
          return route === "list" ? h(List, { go: () => setRoute("detail") }) : h(Detail);
        };
        const mounted = R.mount(on, h(Router));
        const opens = on.invoke({ capabilityId: "view:page.one.open" });
        const queued = on.invoke({ capabilityId: "view:page.one.queued" });
        const opened = await opens;
        const facts = [opened.status, opened.surfaceVersion === on.getVersion(), R.names(on).join()];
        facts.push((await queued).error?.code, ran, mounted.container.textContent);
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["ok", true, "page.two@default", "COMPONENT_UNMOUNTED", 0, "detail"]);
    });

    test("after a navigation the tools of the new page are there in the same tick (D8)", async () => {
      const facts = await run(async () => {
        const { h, React } = R;
        const on = R.registry();
        let go;
        let toolset;
        const Page = ({ name }) => {
          R.S.useAgentComponent(R.component({ type: `page.${name}`, actions: { save: R.act() } }));
          return name;
        };
        const Router = () => {
          const [name, setName] = React.useState("one");
          toolset = R.S.useToolset({ consumer: { id: "copilot", kind: "embedded" }, topology: "embedded" });
          go = setName;
          return h(Page, { key: name, name });
        };
        const mounted = R.mount(on, h(Router));
        const list = () => toolset.tools().map((tool) => tool.name).join();
        const facts = [list()];
        R.flushSync(() => go("two"));
        facts.push(list(), (await R.call(on, "view:page.two.save")) ?? "ran");
        mounted.unmount();
        return [...facts, list()];
      });
      assert.deepEqual(facts, ["view_page__one__save", "view_page__two__save", "ran", ""]);
    });

    test("of a list that goes from 0 to 20 to 3 only the differences register and unregister (D9)", async () => {
      const facts = await run(async () => {
        const { h } = R;
        const on = R.registry();
        const Rows = ({ ids, word }) => {
          R.S.useAgentCapabilities(
            ids.map((id) => R.component({ type: "row", instanceId: `r${id}`, actions: { open: R.act(() => `${word} ${id}`) } })),
          );
          return null;
        };
        const to = (length, step = 1) => Array.from({ length }, (_, at) => at * step);
        const counts = () => {
          const log = R.takeLog(on).split(",");
          return [log.filter((word) => word === "registered").length, log.filter((word) => word === "unregistered").length];
        };
        const mounted = R.mount(on, h(Rows, { ids: [], word: "a" }), { strict: true });
        const facts = [counts()];
        mounted.render(h(Rows, { ids: to(20), word: "b" }));
        facts.push(counts());
        mounted.render(h(Rows, { ids: to(20).reverse(), word: "c" }));
        facts.push(counts());
        mounted.render(h(Rows, { ids: to(3, 9), word: "d" }));
        facts.push(counts(), R.names(on).join(), await R.call(on, "view:row.open", { instanceId: "r18" }));
        mounted.unmount();
        return [...facts, counts(), R.names(on).length];
      });
      assert.deepEqual(facts, [[0, 0], [20, 0], [0, 0], [0, 17], "row@r0,row@r18,row@r9", "d 18", [0, 3], 0]);
    });

    test("what one hook registers, no other takes away (D7)", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const List = ({ ids, children }) => {
          R.S.useAgentCapabilities(ids.map((instanceId) => R.component({ type: "list", instanceId, actions: { go: R.act() } })));
          return children;
        };
        const inner = (type) => h(Has, { key: type, definition: R.component({ type, actions: { go: R.act() } }) });
        const mounted = R.mount(on, h(List, { ids: ["a", "b"] }, inner("one"), inner("two")));
        mounted.render(h(List, { ids: ["c"] }, inner("one"), inner("two")));
        const facts = [R.names(on).join(" ")];
        mounted.render(h(List, { ids: ["c"] }, inner("two")));
        facts.push(R.names(on).join(" "));
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["list@c one@default two@default", "list@c two@default"]);
    });

    test("components that exchange their instances in one commit are both accepted", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const both = (...ids) => ids.map((instanceId, key) => h(Has, { key, definition: R.component({ instanceId, actions: { go: R.act(() => key) } }) }));
        const mounted = R.mount(on, both("a", "b"));
        mounted.render(both("b", "a"));
        const facts = [R.takeLog(on), R.names(on).join(), await R.call(on, "view:demo.go", { instanceId: "a" })];
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["registered,registered,unregistered,unregistered,registered,registered", "demo@a,demo@b", 1]);
    });

    test("calls that overlap with effects, cleanups and effects end, and break nothing (D11)", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        let aborted = 0;
        const wait = (input, { signal }) => new Promise(() => signal.addEventListener("abort", () => aborted++));
        const definition = (at) => R.component({ description: `Demo ${at}`, actions: { wait: R.act(wait, { concurrency: { mode: "parallel" } }) } });
        const mounted = R.mount(on, h(Has, { definition: definition(0) }), { strict: true });
        const calls = [];
        for (let at = 1; at <= 10; at++) {
          calls.push(R.call(on, "view:demo.wait"));
          mounted.render(h(Has, { definition: definition(at) }));
          calls.push(R.call(on, "view:demo.wait"));
          mounted.render(null);
          mounted.render(h(Has, { definition: definition(at) }));
        }
        mounted.unmount();
        const codes = new Set(await Promise.all(calls));
        return [[...codes].join(), calls.length === aborted, R.names(on).length];
      });
      assert.deepEqual(facts, ["COMPONENT_UNMOUNTED", true, 0]);
    });

    test("500 mounts and unmounts leave nothing behind (D12)", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const definition = () => R.component({ observations: { a: R.read(() => 1) }, actions: { go: R.act() } });
        const mounted = R.mount(on, null);
        for (let at = 0; at < 500; at++) {
          mounted.render(h(Has, { definition: definition() }));
          mounted.render(null);
        }
        const log = on.log.splice(0);
        const facts = [log.length, log.filter((word) => word === "registered").length, R.names(on).length];
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, [1000, 500, 0]);
    });

    test("a result of a component that is gone can still be shown (D13)", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const History = ({ results }) => results.map(({ invocationId, capabilityId, output }) => h("li", { key: invocationId }, `${capabilityId}: ${output.moved}`));
        const definition = R.component({ actions: { move: R.act(() => ({ moved: 3 })) } });
        const mounted = R.mount(on, h(Has, { definition }));
        const results = [await on.invoke({ capabilityId: "view:demo.move" })];
        mounted.render(h(History, { results }));
        const facts = [R.names(on).length, mounted.container.textContent];
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, [0, "view:demo.move: 3"]);
    });

    test("handlers see the last commit, not a render that was dropped", async () => {
      const facts = await run(async () => {
        const { h, React } = R;
        const on = R.registry();
        const { Gate, open } = R.gate();
        let set;
        let renders = 0;
        const Tabs = () => {
          const [tab, setTab] = React.useState("home");
          set = setTab;
          renders++;
          R.S.useAgentComponent(R.component({ observations: { tab: R.read(() => tab) } }));
          R.S.useAgentComponent(R.component({ type: "named", description: `Tab ${tab}`, actions: { go: R.act() } }));
          return [h("b", { key: "b" }, tab), h(Gate, { key: "g", closed: tab === "slow" })];
        };
        const mounted = R.mount(on, h(React.Suspense, { fallback: "…" }, h(Tabs)));
        const before = renders;
        React.startTransition(() => set("slow"));
        await R.until(() => renders > before);
        for (let at = 0; at < 5; at++) await R.turn();
        const look = async () => [await R.call(on, "view:demo.tab"), on.snapshot().components[1].description, mounted.container.textContent];
        const facts = [await look()];
        // Another state takes the place of the one that never came.
        R.flushSync(() => set("other"));
        facts.push(await look());
        open();
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, [["home", "Tab home", "home"], ["other", "Tab other", "other"]]);
    });

    test("what Suspense hides no agent sees, also where it changed in that commit", async () => {
      const facts = await run(async () => {
        const { h, Has, React } = R;
        const on = R.registry();
        const slow = R.gate();
        const page = (closed, description) =>
          h(React.Suspense, { fallback: "…" }, h(Has, { definition: R.component({ description, actions: { go: R.act() } }) }), h(slow.Gate, { closed }));
        const mounted = R.mount(on, page(false, "one"));
        const facts = [R.names(on).join()];
        mounted.render(page(true, "two"));
        facts.push(mounted.container.textContent.includes("…"), R.names(on).join());
        slow.open();
        await R.until(() => R.names(on).length > 0);
        facts.push(on.snapshot().components[0].description);
        slow.isOpen = false;
        mounted.unmount();
        facts.push(R.names(on).join());
        return facts;
      });
      assert.deepEqual(facts, ["demo@default", true, "", "two", ""]);
    });

    test("what was hidden and goes while it is hidden leaves nothing behind", async () => {
      const facts = await run(() => {
        const { h, Has, React } = R;
        const on = R.registry();
        const { Gate } = R.gate();
        const page = (closed, description) =>
          h(React.Suspense, { fallback: "…" }, h(Has, { definition: R.component({ description, actions: { go: R.act() } }) }), h(Gate, { closed }));
        const mounted = R.mount(on, page(false, "one"));
        mounted.render(page(true, "two"));
        mounted.render(page(true, "three"));
        mounted.unmount();
        return [R.names(on).length, R.takeLog(on)];
      });
      assert.deepEqual(facts, [0, "registered,unregistered"]);
    });

    if (version >= 19) {
      test("what an Activity hides no agent sees, and what changed meanwhile is there when it shows", async () => {
        const facts = await run(async () => {
          const { h, Has, React } = R;
          const on = R.registry();
          const page = (mode, word) => h(React.Activity, { mode }, h(Has, { definition: R.component({ description: word, actions: { say: R.act(() => word) } }) }));
          const mounted = R.mount(on, page("hidden", "zero"));
          const facts = [R.names(on).length];
          mounted.render(page("visible", "one"));
          facts.push(await R.call(on, "view:demo.say"));
          mounted.render(page("hidden", "two"));
          facts.push(R.names(on).length);
          mounted.render(page("visible", "three"));
          facts.push(await R.call(on, "view:demo.say"), on.snapshot().components[0].description);
          mounted.render(page("hidden", "four"));
          mounted.unmount();
          return [...facts, R.names(on).length];
        });
        assert.deepEqual(facts, [0, "one", 0, "three", "three", 0]);
      });
    }

    test("a first render that suspends registers nothing until it is shown", async () => {
      const facts = await run(async () => {
        const { h, Has, React } = R;
        const on = R.registry();
        const { Gate, open } = R.gate();
        const definition = R.component({ actions: { go: R.act() } });
        const mounted = R.mount(on, h(React.Suspense, { fallback: "…" }, h(Has, { definition }, h(Gate, { closed: true }))));
        const facts = [R.names(on).length];
        open();
        await R.until(() => R.names(on).length > 0);
        mounted.unmount();
        return [...facts, R.takeLog(on)];
      });
      assert.deepEqual(facts, [0, "registered,unregistered"]);
    });

    test("another component function in the same place, as after a hot update, takes over", async () => {
      const facts = await run(async () => {
        const { h } = R;
        const on = R.registry();
        const made = (word) => () => {
          R.S.useAgentComponent(R.component({ actions: { say: R.act(() => word) } }));
          return word;
        };
        const mounted = R.mount(on, h(made("old")), { strict: true });
        R.takeLog(on);
        mounted.render(h(made("new")));
        const facts = [R.names(on).join(), await R.call(on, "view:demo.say"), on.log.includes("rejected")];
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["demo@default", "new", false]);
    });

    test("`enabled` and `internal` move without another registration; a description is another one", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const seen = [];
        const on = R.registry({ policies: [{ name: "looks", onDiscovery: ({ internal }) => (seen.push(internal.word), "expose") }] });
        const definition = (enabled, word, description = "d") => R.component({ enabled, internal: { word }, description, actions: { go: R.act() } });
        const mounted = R.mount(on, h(Has, { definition: definition(true, "a") }));
        const look = () => on.snapshot().components[0].actions[0].available;
        const facts = [look()];
        mounted.render(h(Has, { definition: definition(false, "b") }));
        facts.push(look());
        mounted.render(h(Has, { definition: definition(undefined, "c") }));
        facts.push(look(), R.takeLog(on), seen.join());
        mounted.render(h(Has, { definition: definition(true, "d", "other") }));
        facts.push(R.takeLog(on));
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, [true, false, true, "registered", "a,b,c", "unregistered,registered"]);
    });

    test("policies in a render run their newest closures, and a rate limit keeps its count", async () => {
      const facts = await run(async () => {
        const { h, Has, A } = R;
        const on = R.registry();
        const definition = (may) =>
          R.component({
            policies: [A.rateLimit({ limit: 2, windowMs: 60_000 }), A.hasPermission("go", () => may)],
            actions: { go: R.act(() => "ran") },
          });
        const mounted = R.mount(on, h(Has, { definition: definition(true) }));
        const facts = [];
        for (const may of [true, false, true]) {
          mounted.render(h(Has, { definition: definition(may) }));
          facts.push(await R.call(on, "view:demo.go"));
        }
        facts.push(R.takeLog(on));
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["ran", "NOT_AUTHORIZED", "RATE_LIMITED", "registered"]);
    });

    test("a procedure's bindings and notes are the newest ones", async () => {
      const facts = await run(async () => {
        const { h, Has, A } = R;
        const on = R.registry();
        on.setProcedureExecutor({ execute: ({ input }) => input });
        const input = () => A.fromJsonSchema({ type: "object", properties: { id: { type: "string" } }, required: ["id"] });
        const definition = (id) =>
          R.component({
            procedures: [
              A.procedure({ id: "domain:things.load", description: "Loads", input: input(), effect: "server-query", bind: { id: () => id }, describe: () => `of ${id}` }),
            ],
          });
        const mounted = R.mount(on, h(Has, { definition: definition("a") }));
        mounted.render(h(Has, { definition: definition("b") }));
        const facts = [await R.call(on, "domain:things.load"), on.snapshot().procedures[0].contextualNote, R.takeLog(on)];
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, [{ id: "b" }, "of b", "registered"]);
    });

    test("an instance that is taken is had as soon as its owner goes", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const has = (word) => h(Has, { key: word, definition: R.component({ actions: { say: R.act(() => word) } }) });
        const mounted = R.mount(on, [has("first"), has("second")]);
        const facts = [await R.call(on, "view:demo.say"), R.takeLog(on)];
        mounted.render([has("second")]);
        await null;
        facts.push(await R.call(on, "view:demo.say"), R.takeLog(on));
        mounted.unmount();
        await null;
        return [...facts, R.takeLog(on)];
      });
      assert.deepEqual(facts, ["first", "registered,rejected", "second", "unregistered,registered", "unregistered"]);
    });

    test("a definition that is refused leaves the page as it is and reaches the page's error handlers", async () => {
      const text = await run(async () => {
        const { h } = R;
        const on = R.registry();
        const List = () => {
          const rows = [R.component({ instanceId: "bad", description: "" }), R.component({ instanceId: "good", actions: { go: R.act() } })];
          R.S.useAgentCapabilities(rows);
          return "still here";
        };
        const mounted = R.mount(on, h(List));
        const text = `${mounted.container.textContent}: ${R.names(on)}`;
        mounted.unmount();
        return text;
      });
      assert.equal(text, "still here: demo@good");
      const faults = takeFaults();
      assert.equal(faults.length, 1);
      assert.match(faults[0], /INVALID_DEFINITION/);
    });

    test("conditions, functions and deps say what is compared and when", async () => {
      const facts = await run(async () => {
        const { h } = R;
        const on = R.registry();
        const made = [];
        const Made = ({ id, word, isOn = true }) => {
          const own = R.S.useAgentComponent(
            () => (made.push(id), R.component({ type: "made", instanceId: id, actions: { say: R.act(() => word) } })),
            [id],
          );
          R.S.useAgentComponent(isOn && R.component({ type: "given", description: word, actions: { say: R.act(() => word) } }), [isOn]);
          return own.status;
        };
        const mounted = R.mount(on, h(Made, { id: "a", word: "one" }));
        mounted.render(h(Made, { id: "a", word: "two" }));
        const facts = [made.join(), await R.call(on, "view:made.say"), await R.call(on, "view:given.say"), mounted.container.textContent];
        mounted.render(h(Made, { id: "b", word: "three", isOn: false }));
        facts.push(made.join(), R.names(on).join());
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["a", "one", "two", "active", "a,b", "made@b"]);
    });

    test("the handle is one object, and means the registration that there is", async () => {
      const facts = await run(async () => {
        const { h } = R;
        const on = R.registry();
        const handles = new Set();
        let handle;
        const Held = ({ description }) => {
          handle = R.S.useAgentComponent(R.component({ description, actions: { go: R.act() } }));
          handles.add(handle);
          return null;
        };
        const mounted = R.mount(on, h(Held, { description: "one" }));
        const facts = [handle.status, handle.registrationId === on.log.last];
        mounted.render(h(Held, { description: "two" }));
        facts.push(handle.registrationId === on.log.last);
        handle.update({ availability: { go: { available: false, reason: "busy" } } });
        facts.push(on.snapshot().components[0].actions[0].unavailableReason);
        const before = on.getVersion();
        handle.invalidate();
        facts.push(on.getVersion() > before);
        mounted.unmount();
        handle.update({ enabled: false });
        return [...facts, handle.status, handle.registrationId, handles.size];
      });
      assert.deepEqual(facts, ["active", true, true, "busy", true, "unregistered", "", 1]);
    });
  });
}
