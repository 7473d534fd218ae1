// The audit trail, newest first.

import { coalesce, h } from "../dom.js";
import { duration } from "../format.js";

const MOST = 120;
const time = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });
const QUIET = new Set(["invocation-started"]);

export function createAuditView(audit) {
  const list = h("ol", { class: "audit-list" });
  const element = h("section", { class: "audit" }, list);
  const render = coalesce(() => {
    if (element.hidden) return;
    const events = audit.events().filter((event) => !QUIET.has(event.type)).slice(-MOST).reverse();
    list.replaceChildren(...runs(events).map(eventView));
  });
  audit.subscribe(render);
  new MutationObserver(render).observe(element, { attributeFilter: ["hidden"] });
  return { element };
}

/** Neighbours that differ in their time only become one entry with a number. */
function runs(events) {
  const found = [];
  let last;
  for (const event of events) {
    const { at, durationMs, ...content } = event;
    const text = JSON.stringify(content);
    if (text === last) found.at(-1).times += 1;
    else found.push({ event, times: 1 });
    last = text;
  }
  return found;
}

/** A request for approval is a step, not a failure. */
function toneOf({ type, code, status }) {
  if (code === "CONFIRMATION_REQUIRED" || type === "confirmation-requested") return "waiting";
  if (code !== undefined || type === "gesture-refused" || type === "registration-rejected") return "bad";
  return status === "ok" || type === "confirmation-approved" ? "good" : "plain";
}

function eventView({ event, times }) {
  const subject = event.capabilityId ?? event.componentType ?? event.confirmationId ?? "";
  const facts = [event.consumerId, event.code ?? event.status, event.note, event.durationMs === undefined ? undefined : duration(event.durationMs)].filter(Boolean);
  return h("li", { class: `audit-event audit-${event.type}`, dataset: { tone: toneOf(event) } },
    h("time", { class: "audit-time", text: time.format(Date.parse(event.at)) }),
    h("span", { class: "audit-dot", "aria-hidden": "true" }), h("span", { class: "audit-main" }, h("span", { class: "audit-type", text: `${event.type.replaceAll("-", " ")}${times > 1 ? ` × ${times}` : ""}` }), h("span", { class: "audit-subject mono", text: subject }), h("span", { class: "audit-facts", text: facts.join(" · ") })));
}
