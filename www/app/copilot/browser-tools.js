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
  const render = coalesce(() => {
    const status = adapter.status();
    const diagnosis = adapter.diagnose();
    element.dataset.state = status.state;
    setText(label, summaryOf(status));
    setText(advice, status.state === "active" ? diagnosis.message : `${diagnosis.message} (${diagnosis.code})`);
    names.replaceChildren(
      ...status.tools.map((name) => h("li", { class: "mono", text: name })),
      ...status.skipped.map(({ capabilityId, reason }) => h("li", { class: "foot-problem", text: `${capabilityId} is left out: ${reason}` })),
      ...status.rejected.map(({ name, reason }) => h("li", { class: "foot-problem", text: `${name} was refused: ${reason}` })),
    );
  });
  registry.subscribe(render);
  render();
  return { element };
}

function summaryOf({ state, tools, rejected }) {
  if (state !== "active") return "WebMCP is not offered here";
  const refused = rejected.length > 0 ? `, ${rejected.length} refused` : "";
  return `WebMCP · ${count(tools.length, "tool")} registered${refused}`;
}
