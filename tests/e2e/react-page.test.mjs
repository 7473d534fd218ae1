// The provider, what waits for a person, toolsets, and the markup of a server, in each version of React.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pressUntil } from "./harness/browser.mjs";
import { renderOnServer, useReact, VERSIONS } from "./react-page.mjs";

for (const version of VERSIONS) {
  describe(`React ${version}`, () => {
    const { held, run, takeFaults } = useReact(version);

    test("a server renders the app and does nothing else; the browser takes its markup over", async () => {
      const html = await renderOnServer(version);
      assert.match(html, /<output>0<\/output>/);
      assert.match(html, /<p>starting, 0 wait, 0 tools<\/p>/);
      assert.match(html, /<agent-approvals[^>]*class="approvals"/);
      const facts = await run(async (markup) => {
        const container = document.body.appendChild(document.createElement("div"));
        container.innerHTML = markup;
        const output = container.querySelector("output");
        const on = R.registry();
        const element = (registry) => R.h(R.React.StrictMode, null, R.h(R.App, { registry }));
        let root;
        // The first render has what the server had: the registry comes after it.
        const mistakes = [];
        R.flushSync(() => {
          root = R.hydrateRoot(container, element(undefined), { onRecoverableError: (error) => mistakes.push(String(error)) });
        });
        await R.turn();
        R.flushSync(() => root.render(element(on)));
        const facts = [mistakes.join(), container.querySelector("output") === output, R.names(on).join()];
        await R.call(on, "view:app.counter.increment");
        facts.push(output.textContent, await R.call(on, "view:app.counter.value"), container.querySelector("p").textContent);
        root.unmount();
        container.remove();
        return facts;
      }, html);
      assert.deepEqual(facts, ["", true, "app.counter@default,app.row@a,app.row@b", "1", 1, "ready, 0 wait, 0 tools"]);
    });

    test("a provider makes its registry once it is on the page, and ends it with itself", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const made = [];
        const make = async () => {
          await null;
          made.push(R.registry());
          return made.at(-1);
        };
        const mounted = R.mount(make, h(Has, { definition: R.component({ actions: { go: R.act() } }) }), { strict: true });
        const alive = () => made.filter((each) => {
          try {
            return each.snapshot();
          } catch (error) {
            if (error.code !== "DISPOSED") throw error;
            return false;
          }
        });
        await R.until(() => alive().length === 1 && R.names(alive()[0]).length === 1);
        const facts = [alive().length];
        mounted.unmount();
        return [...facts, alive().length];
      });
      assert.deepEqual(facts, [1, 0]);
    });

    test("what fails as a registry is made, and what is none, reaches the error boundary", async () => {
      const texts = await run(async () => {
        const { h, React } = R;
        class Boundary extends React.Component {
          state = { error: undefined };
          static getDerivedStateFromError(error) {
            return { error };
          }
          render() {
            return this.state.error ? this.state.error.message : this.props.children;
          }
        }
        const told = async (registry) => {
          const container = document.body.appendChild(document.createElement("div"));
          const root = R.createRoot(container);
          R.flushSync(() => root.render(h(Boundary, null, h(R.S.AgentSurfaceProvider, { registry }, "app"))));
          await R.until(() => container.textContent !== "app");
          const text = container.textContent;
          root.unmount();
          return text;
        };
        const fails = () => Promise.reject(new Error("no module"));
        return [await told(fails), await told(Promise.resolve({})), await told("registry"), await told(() => "registry")];
      });
      const must = "`registry` of <AgentSurfaceProvider> must be a registry, or a function that makes one; it is";
      assert.deepEqual(texts, ["no module", `${must} a promise: pass the function that makes it, without a call`, `${must} string`, `${must} string`]);
      // React itself tells the console of each.
      assert.ok(takeFaults().every((fault) => /no module|must be a registry|error occurred/.test(fault)));
    });

    test("a hook outside a provider says what is missing", async () => {
      const message = await run(() => {
        const container = document.createElement("div");
        const root = R.createRoot(container);
        let message;
        const Lost = () => {
          try {
            return R.S.useAgentSurface();
          } catch (error) {
            message = error.message;
            return null;
          }
        };
        R.flushSync(() => root.render(R.h(Lost)));
        root.unmount();
        return message;
      });
      assert.match(message, /AgentSurfaceProvider/);
    });

    test("another registry gets what is on the page, and the one before keeps nothing", async () => {
      const facts = await run(() => {
        const { h, Has } = R;
        const [one, two] = [R.registry(), R.registry()];
        const container = document.body.appendChild(document.createElement("div"));
        const root = R.createRoot(container);
        const render = (registry) =>
          R.flushSync(() => root.render(h(R.S.AgentSurfaceProvider, { registry }, h(Has, { definition: R.component({ actions: { go: R.act() } }) }))));
        const facts = [];
        for (const registry of [undefined, one, two, null]) {
          render(registry);
          facts.push([R.names(one).length, R.names(two).length]);
        }
        root.unmount();
        container.remove();
        return facts;
      });
      assert.deepEqual(facts, [[0, 0], [1, 0], [0, 1], [0, 0]]);
    });

    test("a registry that was disposed before its page goes leaves no error behind", async () => {
      const status = await run(() => {
        const { h } = R;
        const on = R.registry({ environment: "development", audit: { record: () => undefined } });
        let handle;
        const Held = () => {
          handle = R.S.useAgentComponent(R.component({ actions: { go: R.act() } }));
          return null;
        };
        const mounted = R.mount(on, h(Held));
        on.dispose();
        mounted.unmount();
        return handle.status;
      });
      assert.equal(status, "unregistered");
    });

    test("what waits for a person is listed, and renders again when it is decided", async () => {
      const facts = await run(async () => {
        const { h, Has } = R;
        const on = R.registry();
        const lists = new Set();
        const Waits = () => {
          const pending = R.S.usePendingConfirmations();
          lists.add(pending);
          return pending.map(({ summary }) => summary).join();
        };
        const definition = R.component({ actions: { go: R.act(() => "went", { confirmation: "required" }) } });
        const page = () => [h(Waits, { key: "w" }), h(Has, { key: "h", definition })];
        const mounted = R.mount(on, page(), { strict: true });
        const { error } = await on.invoke({ capabilityId: "view:demo.go" });
        const { confirmationId } = error.details;
        await R.until(() => mounted.container.textContent !== "");
        mounted.render(page());
        const facts = [error.code, lists.size];
        on.confirmations.resolve(confirmationId, { approved: true });
        await R.until(() => mounted.container.textContent === "");
        facts.push(await R.call(on, "view:demo.go", { confirmationId }));
        mounted.unmount();
        return facts;
      });
      assert.deepEqual(facts, ["CONFIRMATION_REQUIRED", 2, "went"]);
    });

    test("a person approves in the element, and the page hears of it", async () => {
      await run(async () => {
        const { h, Has } = R;
        // Without a listener of its own.
        const on = R.A.createAgentSurfaceRegistry({ environment: "test", requireApprover: true });
        globalThis.decisions = [];
        const approvals = (word) => h(R.S.AgentApprovals, { key: "a", strings: { approve: word }, onDecision: (decision) => decisions.push({ word, ...decision }) });
        const definition = R.component({ actions: { go: R.act(() => "went", { confirmation: "required" }) } });
        const has = h(Has, { key: "h", definition });
        globalThis.mounted = R.mount(on, [has], { strict: true });
        globalThis.before = await R.call(on, "view:demo.go");
        mounted.render([has, approvals("Go on")]);
        const toolset = R.A.createAgentToolset(on, { consumer: { id: "c", kind: "embedded" }, topology: "embedded" });
        mounted.render([has, approvals("Yes")]);
        globalThis.result = toolset.tools()[0].execute({});
      });
      const element = held.page.locator("agent-approvals");
      await element.waitFor();
      // Its shadow root is closed: Tab and Enter are how a test decides, and the first half second is ignored.
      await held.page.waitForFunction(() => document.activeElement?.localName === "agent-approvals");
      await held.page.keyboard.press("Tab");
      await pressUntil(held.page, () => run(() => decisions.length > 0));
      const facts = await run(async () => {
        const { output } = await result;
        mounted.unmount();
        return [before, decisions.map(({ word, approved }) => [word, approved]), output];
      });
      assert.deepEqual(facts, ["CAPABILITY_NOT_AVAILABLE", [["Yes", true]], "went"]);
    });

    test("a toolset is one object that follows the page and its options, and ends with its component", async () => {
      const facts = await run(async () => {
        const { h, Has, React } = R;
        const on = R.registry();
        const toolsets = new Set();
        const heard = [];
        const Copilot = ({ scope }) => {
          const toolset = R.S.useToolset({ consumer: { id: "copilot", kind: "embedded" }, topology: "embedded", scope });
          toolsets.add(toolset);
          React.useEffect(() => toolset.subscribe((tools) => heard.push(tools.length)), [toolset]);
          const tools = React.useSyncExternalStore(toolset.subscribe, toolset.tools, toolset.tools);
          return tools.map(({ name }) => name).join(" ");
        };
        const has = (type) => h(Has, { key: type, definition: R.component({ type, actions: { go: R.act(() => type) } }) });
        const mounted = R.mount(on, [h(Copilot, { key: "c", scope: ["one"] }), has("one")]);
        const facts = [];
        const sees = async (text) => {
          await R.until(() => mounted.container.textContent === text);
          facts.push(text);
        };
        await sees("view_one__go");
        mounted.render([h(Copilot, { key: "c", scope: ["one"] }), has("one"), has("one.more")]);
        await sees("view_one__go view_one__more__go");
        mounted.render([h(Copilot, { key: "c", scope: ["two"] }), has("one"), has("two")]);
        await sees("view_two__go");
        const [toolset] = toolsets;
        facts.push(toolset.wireNameMap().get("view_two__go"), (await toolset.tools()[0].execute({})).output, toolsets.size);
        mounted.unmount();
        return [...facts, toolset.tools().length, toolset.wireNameMap().size, heard.length > 1];
      });
      assert.deepEqual(facts, [
        "view_one__go",
        "view_one__go view_one__more__go",
        "view_two__go",
        "view:two.go",
        "two",
        1,
        0,
        0,
        true,
      ]);
    });

    test("in an environment of `act` a result does not wait for the render that `act` holds back", async () => {
      const facts = await run(async () => {
        const { h, React } = R;
        const on = R.registry();
        globalThis.IS_REACT_ACT_ENVIRONMENT = true;
        const act = React.act ?? R.testUtils.act;
        const container = document.createElement("div");
        const root = R.createRoot(container);
        const Counter = () => {
          const [count, setCount] = React.useState(0);
          R.S.useAgentComponent(R.component({ actions: { add: R.act(() => (setCount(count + 1), "added")) } }));
          return count;
        };
        await act(async () => root.render(h(R.S.AgentSurfaceProvider, { registry: on }, h(Counter))));
        let result;
        await act(async () => {
          result = await R.call(on, "view:demo.add");
        });
        const facts = [result, container.textContent];
        await act(async () => root.unmount());
        delete globalThis.IS_REACT_ACT_ENVIRONMENT;
        return facts;
      });
      assert.deepEqual(facts, ["added", "1"]);
    });
  });
}
