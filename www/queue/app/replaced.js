// The parts that a page would have composed by hand, and the lines of this one that stand in their place. A test finds each of
// them in the sources.

import { h } from "../../app/dom.js";

export const REPLACED = [
  {
    name: "executor",
    before: ["const executor = createExecutor({ registry, policy, settle });", "createSurface({ registry, execute: (id, args) => executor.execute(id, args), … });"],
    now: ["createSurface({ ...surface, session })"],
  },
  { name: "policy", before: ["policy: createPolicy(confirm),"], now: ['confirm: "always",', "approvals.registry = registry;"] },
  { name: "settle", before: ["settle: defaultSettle,"], now: ['output: { type: "object", properties: { removed: counted }, required: ["removed"] },'] },
  { name: "transport", before: ['addEventListener("message", checkOriginAndAnswer);'], now: ["const transport = createPostMessageTransport({"] },
];

export function createReplaced({ words }) {
  const lines = (texts, kind) => texts.map((text) => h("code", { class: `line line-${kind}`, text }));
  const entries = REPLACED.map(({ name, before, now }) => h("li", {}, lines(before, "before"), lines(now, "now"), h("p", { class: "quiet", text: words.replaced[name] })));
  const element = h("section", { class: "card", "aria-labelledby": "replaced-title" },
    h("h2", { id: "replaced-title", text: words.replacedTitle }), h("p", { class: "quiet", text: words.replacedHint }), h("ul", { class: "replaced" }, entries));
  return { element };
}
