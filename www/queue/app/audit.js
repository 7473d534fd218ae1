// What the transport recorded, newest first. A deployment sends these to where it keeps its audit.

import { coalesce, h } from "../../app/dom.js";

const MOST = 8;

export function createAudit({ publication, words, language }) {
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
  const list = h("ol", { class: "records" });
  const nothing = h("p", { class: "quiet", text: words.noAudit });
  const entry = ({ at, type, origin, requestId, method, capability, code }) =>
    h("li", { dataset: { type, failed: code !== undefined } },
      h("time", { class: "quiet", text: time.format(new Date(at)) }),
      h("span", { class: "mono record-what", text: [type, method, capability].filter(Boolean).join(" ") }),
      h("span", { class: "mono quiet", text: [requestId ?? origin, code].filter(Boolean).join(" · ") }));
  const render = coalesce(() => {
    const records = publication.records().slice(-MOST).reverse();
    nothing.hidden = records.length > 0;
    list.replaceChildren(...records.map(entry));
  });
  publication.subscribe(render);
  render();
  const element = h("section", { class: "card", "aria-labelledby": "audit-title" },
    h("h2", { id: "audit-title", text: words.auditTitle }), h("p", { class: "quiet", text: words.auditHint }), nothing, list);
  return { element };
}
