// The catalog: what each consumer sees at this moment, with availability and reasons, straight from its snapshot.

import { coalesce, h, icon, setText } from "../dom.js";
import { count } from "../format.js";
import { capabilityTitle } from "../names.js";
import { jsonView } from "./json-view.js";

/** `consumers`: `[{ label, hint, consumer }]`. `store` is heard too, since `when` may drift without a new version. */
export function createCatalog({ registry, store, consumers }) {
  let current = 0;
  const open = new Set();
  const version = h("span", { class: "catalog-version mono" });
  const hint = h("p", { class: "catalog-hint" });
  const list = h("div", { class: "catalog-list" });
  const tabs = consumers.map(({ label }, index) => {
    const number = h("span", { class: "tab-count" });
    const button = h("button", { type: "button", class: "segment", on: { click: () => choose(index) } }, h("span", { text: label }), number);
    return { button, number };
  });
  const element = h("section", { class: "catalog" },
    h("div", { class: "catalog-head" }, h("div", { class: "segments", role: "group", "aria-label": "Consumer" }, tabs.map((tab) => tab.button)), hint, version), list);
  let shown = "";

  function choose(index) {
    current = index;
    shown = "";
    render();
  }

  function render() {
    if (element.hidden) return;
    const snapshots = consumers.map(({ consumer }) => registry.snapshot({ consumer, includeUnavailable: true }));
    tabs.forEach((tab, index) => {
      tab.button.setAttribute("aria-pressed", String(index === current));
      setText(tab.number, String(entries(snapshots[index]).length));
    });
    const snapshot = snapshots[current];
    const all = entries(snapshot);
    const { consumer, hint: text } = consumers[current];
    setText(hint, text);
    setText(version, `${consumer.kind}:${consumer.id} · version ${snapshot.surfaceVersion} · ${count(all.filter((entry) => entry.available).length, "capability", "capabilities")} available`);
    const content = JSON.stringify([snapshot.components, snapshot.procedures]);
    if (content === shown) return;
    shown = content;
    list.replaceChildren(...groups(snapshot).map((group) => groupView(group, open)));
  }

  const plan = coalesce(render);
  registry.subscribe(plan);
  store.subscribe(plan);
  new MutationObserver(plan).observe(element, { attributeFilter: ["hidden"] });
  return { element };
}

function entries(snapshot) {
  return [...snapshot.components.flatMap((component) => [...component.observations, ...component.actions]), ...snapshot.procedures];
}

/** Components with what they offer; a procedure stands with the component that refers to it. */
function groups(snapshot) {
  const byRegistration = new Map(snapshot.components.map((component) => [component.registrationId, { title: `${component.type} @${component.instanceId}`, description: component.description, entries: [...component.observations, ...component.actions] }]));
  for (const procedure of snapshot.procedures) {
    const owner = procedure.context ? `${procedure.context.type} @${procedure.context.instanceId}` : "Procedures";
    if (!byRegistration.has(procedure.registrationId)) byRegistration.set(procedure.registrationId, { title: owner, description: "", entries: [] });
    byRegistration.get(procedure.registrationId).entries.push(procedure);
  }
  return [...byRegistration.values()];
}

function groupView({ title, description, entries: list }, open) {
  return h("section", { class: "catalog-group" }, h("h3", { class: "mono", title: description, text: title }), h("ul", {}, list.map((entry) => entryView(entry, title, open))));
}

function entryView(entry, owner, open) {
  const id = entry.capabilityId ?? entry.procedureId;
  const key = `${owner} ${id}`;
  const effect = entry.effect ?? "read";
  const marks = [h("span", { class: `badge badge-${effect}`, text: effect })];
  if (entry.confirmation === "required") marks.push(h("span", { class: "badge badge-confirm", text: "approval" }));
  const details = h("details", { class: "entry", dataset: { available: entry.available }, open: open.has(key) },
    h("summary", {}, h("span", { class: "entry-dot", title: entry.available ? "Available" : "Unavailable" }),
      h("span", { class: "entry-text" }, h("span", { class: "entry-name", text: capabilityTitle(id, effect) }),
        entry.available ? (entry.contextualNote ? h("span", { class: "entry-note", text: entry.contextualNote }) : null) : h("span", { class: "entry-reason", text: entry.unavailableReason })),
      h("span", { class: "entry-marks" }, marks), icon("down", 14)),
    h("div", { class: "entry-body" }, h("p", { class: "mono call-id", text: id }), h("p", { text: entry.description }), jsonView(entry)));
  details.addEventListener("toggle", () => (details.open ? open.add(key) : open.delete(key)));
  return h("li", {}, details);
}
