// The foot of the panel: whether the browser's own agent can use this page (WebMCP), and if not, why.

import { coalesce, h, setText } from "../dom.js";
import { count } from "../format.js";

/** `adapter` is the WebMCP adapter that is attached to `registry`. */
export function createBrowserTools({ adapter, registry }) {
  const dot = h("span", { class: "dot", "aria-hidden": "true" });
  const label = h("span", { class: "foot-label" });
  const names = h("ul", { class: "foot-tools" });
  const advice = h("p", { class: "foot-advice" });
  const element = h("details", { class: "panel-foot" }, h("summary", {}, dot, h("span", { class: "foot-name", text: "Browser tools" }), label), h("div", { class: "foot-body" }, advice, names));
  const render = coalesce(async () => {
    const status = adapter.status();
    const diagnosis = await adapter.diagnose();
    element.dataset.state = status.state;
    setText(label, summaryOf(status, diagnosis));
    setText(advice, diagnosis.message);
    names.replaceChildren(...(status.tools ?? []).map((name) => h("li", { class: "mono", text: name })));
  });
  registry.subscribe(render);
  render();
  return { element };
}

function summaryOf({ state, tools = [] }, { code }) {
  if (state === "unsupported") return `not offered here (${code})`;
  return `WebMCP · ${count(tools.length, "tool")} registered`;
}
